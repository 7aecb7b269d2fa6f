package paypal

import (
	"cmp"
	"errors"

	"payswitch/sdk"
)

// capture takes what is held, or a part of it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	amount, err := money(c.Request.Amount)
	if err != nil {
		return nil, err
	}
	known, err := find(c, func(i ids) string { return i.authorization })
	if err != nil {
		return nil, err
	}
	a, err := post(c, "/v2/payments/authorizations/"+sdk.PathEscape(known.authorization)+"/capture",
		sdk.NewObject().Obj("amount", amount).Bool("final_capture", c.Request.FinalCapture))
	if err != nil {
		return nil, err
	}
	j := a.JSON()
	if !a.OK() || j.Str("id") == "" {
		return refused(a)
	}
	o, err := payment(c, j)
	if err != nil {
		return nil, err
	}
	if o.Status == sdk.StatusAuthorized { // no capture is in that state
		return nil, errStatus
	}
	known.capture = j.Str("id")
	o.TransactionID, o.CaptureID, o.ConnectorData = c.Request.TransactionID, known.capture, known.data()
	o.Released = o.Status == sdk.StatusCaptured && j.Bool("final_capture")
	return o, nil
}

// void releases what is held. PayPal answers with the authorization, or with nothing (204).
func void(c *sdk.Call) (*sdk.Outcome, error) {
	known, err := find(c, func(i ids) string { return i.authorization })
	if err != nil {
		return nil, err
	}
	a, err := post(c, "/v2/payments/authorizations/"+sdk.PathEscape(known.authorization)+"/void", nil)
	if err != nil {
		return nil, err
	}
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
	amount, err := money(c.Request.Amount)
	if err != nil {
		return nil, err
	}
	known, err := find(c, func(i ids) string { return i.capture })
	if err != nil {
		return nil, err
	}
	a, err := post(c, "/v2/payments/captures/"+sdk.PathEscape(known.capture)+"/refund",
		sdk.NewObject().Obj("amount", amount).Str("custom_id", c.Request.Reference))
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return refused(a)
	}
	return refunded(c, a.JSON())
}

// refunded reads a refund.
func refunded(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	status, currency := j.Str("status"), c.Request.Amount.Currency
	o := &sdk.Outcome{RefundID: j.Str("id"), TransactionID: c.Request.TransactionID, Raw: j.Pick("status", "reason=status_details.reason")}
	if o.RefundID == "" {
		return nil, errors.New("no refund")
	}
	switch status {
	case "COMPLETED":
		o.Status = sdk.StatusRefunded
		if j.Has("amount") && currency != "" {
			if o.Amount = j.Major("amount.value", currency); o.Amount == nil || j.Str("amount.currency_code") != string(currency) {
				return nil, errCurrency
			}
		}
	case "PENDING":
		o.Status = sdk.StatusPending
	case "FAILED", "CANCELLED":
		o.Status, o.Decline = sdk.StatusDeclined, &sdk.Decline{Code: status, Message: o.Raw["reason"], Reason: sdk.DeclineGeneric}
	default:
		return nil, errStatus
	}
	return o, nil
}

// find returns the payment's ids. If the wanted one was not kept, because an answer was lost, the order tells.
func find(c *sdk.Call, wanted func(ids) string) (ids, error) {
	known := kept(c.Request)
	if wanted(known) != "" {
		return known, nil
	}
	a, err := orderOf(c)
	if err != nil {
		return known, err
	}
	payments := a.JSON().Get("purchase_units.0.payments")
	known = ids{last(payments.Get("authorizations")).Str("id"), last(payments.Get("captures")).Str("id")}
	if !a.OK() || wanted(known) == "" {
		return known, failed("the order has no such payment", a)
	}
	return known, nil
}

// orderOf asks for the order.
func orderOf(c *sdk.Call) (*sdk.Response, error) {
	if c.Request.TransactionID == "" {
		return nil, sdk.Missing("connector_transaction_id", "the id of the order is not known")
	}
	return get(c, ordersPath+"/"+sdk.PathEscape(c.Request.TransactionID))
}

// sync asks what has become of a payment: for its capture, where that is known and not itself in doubt, else for the order.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	known := kept(c.Request)
	if known.capture == "" || c.Request.Resolves == sdk.OpCapture {
		a, err := orderOf(c)
		if err != nil {
			return nil, err
		}
		if !a.OK() || a.JSON().Str("id") == "" {
			return missing(a)
		}
		o, err := order(c, a.JSON())
		if err != nil {
			return nil, err
		}
		o.Totals = totals(a.JSON().Get("purchase_units.0.payments"), c.Request.Amount.Currency)
		return o, nil
	}
	a, err := get(c, "/v2/payments/captures/"+sdk.PathEscape(known.capture))
	if err != nil {
		return nil, err
	}
	j := a.JSON()
	if !a.OK() || j.Str("id") == "" {
		return missing(a)
	}
	o, err := payment(c, j)
	if err != nil {
		return nil, err
	}
	o.TransactionID, o.ConnectorData = cmp.Or(j.Str("supplementary_data.related_ids.order_id"), c.Request.TransactionID), known.data()
	return o, nil
}

// totals adds up what an order's payments came to; nil where an amount cannot be read.
func totals(payments sdk.JSON, currency sdk.Currency) *sdk.Totals {
	ok := true
	sum := func(list string, counts ...string) (n int64) {
		for p := range payments.Get(list).All() {
			for _, status := range counts {
				if p.Str("status") != status {
					continue
				}
				m := p.Major("amount.value", currency)
				if m == nil || p.Str("amount.currency_code") != string(currency) {
					ok = false
					continue
				}
				n += m.Minor
			}
		}
		return n
	}
	t := &sdk.Totals{Authorized: sum("authorizations", "CREATED", "CAPTURED", "PARTIALLY_CAPTURED"),
		Captured: sum("captures", "COMPLETED", "REFUNDED", "PARTIALLY_REFUNDED"), Refunded: sum("refunds", "COMPLETED")}
	if !ok || *t == (sdk.Totals{}) {
		return nil
	}
	t.Authorized = max(t.Authorized, t.Captured) // what is captured at once has no authorization
	return t
}

// refundSync asks for a refund by its id, or, where the answer with the id was lost, for the order's refund with our reference.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.RefundID == "" {
		a, err := orderOf(c)
		if err != nil {
			return nil, err
		}
		if !a.OK() || a.JSON().Str("id") == "" {
			return nil, failed("no order", a)
		}
		for r := range a.JSON().Get("purchase_units.0.payments.refunds").All() {
			if r.Str("custom_id") == c.Request.Reference {
				return refunded(c, r)
			}
		}
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	a, err := get(c, "/v2/payments/refunds/"+sdk.PathEscape(c.Request.RefundID))
	if err != nil {
		return nil, err
	}
	if !a.OK() {
		return missing(a)
	}
	return refunded(c, a.JSON())
}

// missing reads the answer to a question that PayPal does not answer: only its own error says that there is nothing.
func missing(a *sdk.Response) (*sdk.Outcome, error) {
	if a.Status == 404 && a.JSON().Str("name") == "RESOURCE_NOT_FOUND" {
		return &sdk.Outcome{Status: sdk.StatusNotFound, Raw: map[string]string{"issue": a.JSON().Str("details.0.issue")}}, nil
	}
	return nil, failed("no answer to the question", a)
}
