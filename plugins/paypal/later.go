package paypal

import (
	"cmp"
	"errors"
	"slices"

	"payswitch/sdk"
)

// capture takes what is held, or a part of it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r, body := c.Request, sdk.NewObject().Obj("amount", amount(c.Request)).Bool("final_capture", c.Request.FinalCapture)
	known := find(c, func(i ids) string { return i.authorization })
	a := post(c, authorizationPath(known)+"/capture", body)
	j := a.JSON()
	if !a.OK() || j.Str("id") == "" {
		return refused(a)
	}
	o := payment(c, j)
	sdk.Require(o.Status != sdk.StatusAuthorized, errStatus) // no capture is in that state
	known.capture = j.Str("id")
	o.TransactionID, o.CaptureID, o.ConnectorData = r.TransactionID, known.capture, known.data()
	o.Released = o.Status == sdk.StatusCaptured && j.Bool("final_capture")
	return o, nil
}

func authorizationPath(known ids) string {
	return "/v2/payments/authorizations/" + sdk.PathEscape(known.authorization)
}

func capturePath(known ids) string { return "/v2/payments/captures/" + sdk.PathEscape(known.capture) }

// void releases what is held. PayPal answers with the authorization, or with nothing (204).
func void(c *sdk.Call) (*sdk.Outcome, error) {
	known := find(c, func(i ids) string { return i.authorization })
	a := post(c, authorizationPath(known)+"/void", nil)
	j := a.JSON()
	switch {
	case a.Status == 204, a.OK() && j.Str("id") != "" && j.Str("status") == "VOIDED", a.Status == 422 && j.Str("details.0.issue") == "PREVIOUSLY_VOIDED":
		return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: c.Request.TransactionID}, nil
	case a.OK() && j.Str("status") == "PENDING":
		return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: c.Request.TransactionID}, nil
	}
	return refused(a)
}

// refund gives (a part of) a capture back. Our reference goes along as custom_id, by which refundSync finds it again.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	body := sdk.NewObject().Obj("amount", amount(c.Request)).Str("custom_id", c.Request.Reference)
	known := find(c, func(i ids) string { return i.capture })
	a := post(c, capturePath(known)+"/refund", body)
	if !a.OK() {
		return refused(a)
	}
	return refunded(c, a.JSON())
}

var refunds = sdk.Statuses{{sdk.StatusRefunded, "COMPLETED"}, {sdk.StatusPending, "PENDING"}, {sdk.StatusDeclined, "FAILED CANCELLED"}}

// refunded reads a refund.
func refunded(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	o := &sdk.Outcome{RefundID: j.Str("id"), TransactionID: c.Request.TransactionID, Raw: j.Pick("status", "reason=status_details.reason")}
	sdk.Require(o.RefundID != "", errors.New("no refund"))
	switch o.Status = refunds.Must(j.Str("status")); {
	case o.Status == sdk.StatusRefunded && j.Has("amount") && c.Request.Amount.Currency != "":
		o.Amount = paid(c, j)
	case o.Status == sdk.StatusDeclined:
		o.Decline = &sdk.Decline{Code: j.Str("status"), Message: o.Raw["reason"], Reason: sdk.DeclineGeneric}
	}
	return o, nil
}

// find returns the payment's ids. If the wanted one was not kept, because an answer was lost, the order tells.
func find(c *sdk.Call, wanted func(ids) string) ids {
	known := kept(c.Request)
	if wanted(known) != "" {
		return known
	}
	a := orderOf(c)
	authorization, captured := payments(a.JSON())
	known = ids{authorization.Str("id"), captured.Str("id")}
	if !a.OK() || wanted(known) == "" {
		sdk.Check(failed("the order has no such payment", a))
	}
	return known
}

// orderOf asks for the order.
func orderOf(c *sdk.Call) *sdk.Response {
	sdk.Require(c.Request.TransactionID != "", sdk.Missing("connector_transaction_id", "the id of the order is not known"))
	return get(c, ordersPath+"/"+sdk.PathEscape(c.Request.TransactionID))
}

// sync asks what has become of a payment: for its capture, where that is known and not itself in doubt, else for the order.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	known := kept(c.Request)
	if known.capture == "" || c.Request.Resolves == sdk.OpCapture {
		a := orderOf(c)
		if !a.OK() || a.JSON().Str("id") == "" {
			return missing(a)
		}
		o, err := order(c, a.JSON())
		if err == nil {
			o.Totals = totals(a.JSON().Get("purchase_units.0.payments"), c.Request.Amount.Currency)
		}
		return o, err
	}
	a := get(c, capturePath(known))
	j := a.JSON()
	if !a.OK() || j.Str("id") == "" {
		return missing(a)
	}
	o := payment(c, j)
	o.TransactionID, o.ConnectorData = cmp.Or(j.Str("supplementary_data.related_ids.order_id"), c.Request.TransactionID), known.data()
	return o, nil
}

// totals adds up what an order's payments came to; nil where an amount cannot be read.
func totals(payments sdk.JSON, currency sdk.Currency) *sdk.Totals {
	sum := func(list string, statuses ...string) *sdk.Money {
		return payments.Get(list).Sum("amount.value", "amount.currency_code", currency, func(p sdk.JSON) bool { return slices.Contains(statuses, p.Str("status")) })
	}
	held, taken := sum("authorizations", "CREATED", "CAPTURED", "PARTIALLY_CAPTURED"), sum("captures", "COMPLETED", "REFUNDED", "PARTIALLY_REFUNDED")
	given := sum("refunds", "COMPLETED")
	if held == nil || taken == nil || given == nil || held.Minor+taken.Minor+given.Minor == 0 {
		return nil
	}
	// What is captured at once has no authorization.
	return &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor, Refunded: given.Minor}
}

// refundSync asks for a refund by its id, or, where the answer with the id was lost, for the order's refund with our reference.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.RefundID != "" {
		a := get(c, "/v2/payments/refunds/"+sdk.PathEscape(c.Request.RefundID))
		if !a.OK() {
			return missing(a)
		}
		return refunded(c, a.JSON())
	}
	a := orderOf(c)
	if !a.OK() || a.JSON().Str("id") == "" {
		return nil, failed("no order", a)
	}
	r := a.JSON().Get("purchase_units.0.payments.refunds").Where("custom_id", c.Request.Reference)
	if !r.Exists() {
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	return refunded(c, r)
}

// missing reads the answer to a question that PayPal does not answer: only its own error says that there is nothing.
func missing(a *sdk.Response) (*sdk.Outcome, error) {
	if a.Status == 404 && a.JSON().Str("name") == "RESOURCE_NOT_FOUND" {
		return &sdk.Outcome{Status: sdk.StatusNotFound, Raw: map[string]string{"issue": a.JSON().Str("details.0.issue")}}, nil
	}
	return nil, failed("no answer to the question", a)
}
