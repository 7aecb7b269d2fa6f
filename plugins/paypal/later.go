package paypal

import (
	"cmp"
	"errors"
	"slices"

	"payswitch/sdk"
)

const (
	authorizations = "/v2/payments/authorizations/"
	captures       = "/v2/payments/captures/"
	refunds        = "/v2/payments/refunds/"
)

// capture takes what is held, or a part of it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r, authorization := c.Request, known(c, authorizationID, "authorizations")
	j := post(c, authorizations+sdk.PathEscape(authorization)+"/capture", sdk.NewObject().Obj("amount", money(r, r.Amount.Minor)).Bool("final_capture", r.FinalCapture))
	o := payment(c, j)
	sdk.Require(o.Status != sdk.StatusAuthorized, errors.New("no capture is in the status "+j.Str("status")))
	o.TransactionID, o.CaptureID, o.ConnectorData = r.TransactionID, j.Str("id"), keep(authorization, j.Str("id"))
	o.Released = o.Status == sdk.StatusCaptured && j.Bool("final_capture")
	return o, nil
}

// void releases what is held. PayPal answers with the authorization, or with nothing (204).
func void(c *sdk.Call) (*sdk.Outcome, error) {
	a := change(c, authorizations+sdk.PathEscape(known(c, authorizationID, "authorizations"))+"/void", nil)
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
	r := c.Request
	body := sdk.NewObject().Obj("amount", money(r, r.Amount.Minor)).Str("custom_id", r.Reference)
	return refunded(c, post(c, captures+sdk.PathEscape(known(c, captureID, "captures"))+"/refund", body))
}

var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "COMPLETED"}, {sdk.StatusPending, "PENDING"}, {sdk.StatusDeclined, "FAILED CANCELLED"}}

// refunded reads a refund.
func refunded(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	o := &sdk.Outcome{RefundID: j.Need("id"), TransactionID: c.Request.TransactionID, Raw: j.Pick("status", "reason=status_details.reason")}
	switch o.Status = refundStatuses.Must(j.Str("status")); {
	case o.Status == sdk.StatusRefunded && c.Request.Amount.Currency != "":
		o.Amount = paid(c, j)
	case o.Status == sdk.StatusDeclined:
		o.Decline = &sdk.Decline{Code: j.Str("status"), Message: o.Raw["reason"], Reason: sdk.DeclineGeneric}
	}
	return o, nil
}

// known is an id that was kept with the payment, or, where the answer with it was lost, that of the order's last such payment.
func known(c *sdk.Call, name, list string) string {
	if id := c.Request.KeptText(name); id != "" {
		return id
	}
	id := last(paymentsOf(orderOf(c, nil)).Get(list)).Str("id")
	sdk.Require(id != "", errors.New("the order has none in its "+list))
	return id
}

func orderPath(c *sdk.Call) string {
	sdk.Require(c.Request.TransactionID != "", sdk.Missing("connector_transaction_id", "the id of the order is not known"))
	return ordersPath + "/" + sdk.PathEscape(c.Request.TransactionID)
}

// orderOf asks for the order: see get.
func orderOf(c *sdk.Call, absent *sdk.Outcome) sdk.JSON { return get(c, orderPath(c), absent) }

// sync asks what has become of a payment: for its capture, where that is known and not itself in doubt, else for the order.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	id := r.KeptText(captureID)
	if id == "" || r.Resolves == sdk.OpCapture {
		return syncOrder(c), nil
	}
	j := get(c, captures+sdk.PathEscape(id), c.OtherAccount())
	if lost(j) && r.KeptText(authorizationID) != "" { // a capture that failed says nothing of what is held
		return syncOrder(c), nil
	}
	o := payment(c, j)
	o.TransactionID, o.ConnectorData = cmp.Or(j.Str("supplementary_data.related_ids.order_id"), r.TransactionID), r.ConnectorData
	return o, nil
}

// syncOrder asks for the order, and what its payments came to.
func syncOrder(c *sdk.Call) *sdk.Outcome {
	j := orderOf(c, absentOrder(c))
	o := order(c, j)
	o.Totals = totals(paymentsOf(j), c.Request.Amount.Currency)
	return o
}

// absentOrder is what it means that PayPal does not have an order that it gave an id: the account is another one. Only an order that nobody has
// paid is removed after a while (notFoundFinalSeconds).
func absentOrder(c *sdk.Call) *sdk.Outcome {
	p := c.Request.Payment
	if p != nil && p.CreatedAt > 0 && p.Authorized == 0 && p.Captured == 0 && c.Now().UnixMilli()-p.CreatedAt > notFoundFinalSeconds*1000 {
		return sdk.NotFound()
	}
	return c.OtherAccount()
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
	if id := c.Request.RefundID; id != "" {
		return refunded(c, get(c, refunds+sdk.PathEscape(id), c.OtherAccount()))
	}
	all := paymentsOf(orderOf(c, nil))
	r := all.Get("refunds").Where("custom_id", c.Request.Reference)
	if !r.Exists() {
		sdk.Require(all.Get("captures").IsArray(), errors.New("the order does not show what was captured")) // and so none of its refunds
		return sdk.NotFound(), nil
	}
	return refunded(c, r)
}
