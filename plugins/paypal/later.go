package paypal

import (
	"cmp"
	"slices"
	"strings"

	"payswitch/sdk"
)

const (
	authorizations = "/v2/payments/authorizations/"
	captures       = "/v2/payments/captures/"
	refunds        = "/v2/payments/refunds/"
)

// capture captures all or a part of an authorization. Each of several has our reference as its invoice_id.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r, authorization := c.Request, known(c, authorizationID, "authorizations")
	body := sdk.NewObject().Obj("amount", money(r, r.Amount.Minor)).Bool("final_capture", r.FinalCapture)
	several := !r.FinalCapture || r.Known().Captured > 0
	j := post(c, authorizations+sdk.PathEscape(authorization)+"/capture",
		body.OptStr("invoice_id", sdk.When(several, r.CaptureReference)))
	o := payment(c, j)
	sdk.Expect(o.Status != sdk.StatusAuthorized, "a capture cannot have the status "+j.Str("status"))
	o.TransactionID, o.CaptureID, o.ConnectorData = r.TransactionID, j.Str("id"), keep(authorization, j.Str("id"), several)
	o.Released = o.Status == sdk.StatusCaptured && j.Bool("final_capture")
	return o, nil
}

// void releases an authorization. PayPal answers with the authorization, or with an empty body (204).
func void(c *sdk.Call) (*sdk.Outcome, error) {
	a := change(c, authorizations+sdk.PathEscape(known(c, authorizationID, "authorizations"))+"/void", nil)
	j := a.JSON()
	switch {
	case a.Status == 204, a.OK() && j.Str("id") != "" && j.Str("status") == "VOIDED",
		a.Status == 422 && j.Str("details.0.issue") == "PREVIOUSLY_VOIDED":
		return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: c.Request.TransactionID}, nil
	case a.OK() && j.Str("status") == "PENDING":
		return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: c.Request.TransactionID}, nil
	}
	return refused(a), nil
}

// reauthorize holds the funds anew, for a new total or the same: the new authorization has an id of its own.
func reauthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	j := post(c, authorizations+sdk.PathEscape(known(c, authorizationID, "authorizations"))+"/reauthorize",
		sdk.NewObject().Obj("amount", money(r, r.Amount.Minor)))
	o := payment(c, j)
	sdk.Expect(o.Status != sdk.StatusCaptured, "an authorization cannot have the status "+j.Str("status"))
	o.TransactionID, o.ConnectorData = r.TransactionID, keep(j.Str("id"), "", false)
	if o.Status == sdk.StatusAuthorized && c.Operation() == sdk.OpExtendAuthorization {
		longer := true
		o.Hold = &sdk.Hold{Extended: &longer, CaptureBefore: sdk.Millis(j.Str("expiration_time"))}
	}
	return o, nil
}

// refund refunds all or a part of a capture. Our reference is its custom_id, by which refundSync finds it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	id := ""
	if r.KeptText(severalCaptures) == "" {
		id = known(c, captureID, "captures")
	} else {
		id = captureFor(c, paymentsOf(orderOf(c, nil)))
	}
	body := sdk.NewObject().Obj("amount", money(r, r.Amount.Minor)).Str("custom_id", r.Reference)
	return refunded(c, post(c, captures+sdk.PathEscape(id)+"/refund", body))
}

// captureFor returns the capture with the smallest rest that is high enough: a refund gives back money of one capture.
func captureFor(c *sdk.Call, payments sdk.JSON) (id string) {
	r, least, most := c.Request, int64(0), int64(0)
	for p := range payments.Get("captures").All() {
		if statuses.Of(p.Str("status")) != sdk.StatusCaptured {
			continue
		}
		rest := paid(c, p).Minor
		for f := range payments.Get("refunds").All() {
			up := f.Get("links").Where("rel", "up").Str("href")
			sdk.Expect(up != "", "the order shows a refund without its capture")
			if strings.HasSuffix(up, "/"+p.Need("id")) && refundStatuses.Of(f.Str("status")) != sdk.StatusDeclined {
				rest -= paid(c, f).Minor
			}
		}
		most = max(most, rest)
		if rest >= r.Amount.Minor && (id == "" || rest < least) {
			id, least = p.Need("id"), rest
		}
	}
	if id == "" {
		c.End(sdk.Declined(sdk.NewDecline("REFUND_AMOUNT_EXCEEDED", "PayPal refunds each capture separately, and the "+
			"highest rest of one is "+sdk.Money{Minor: most, Currency: r.Amount.Currency}.Major()+
			": make several refunds of at most that amount", sdk.DeclineInvalidAmount)))
	}
	return id
}

var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "COMPLETED"}, {sdk.StatusPending, "PENDING"},
	{sdk.StatusDeclined, "FAILED CANCELLED"}}

func refunded(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	o := &sdk.Outcome{RefundID: j.Need("id"), TransactionID: c.Request.TransactionID,
		Raw: j.Pick("status", "reason=status_details.reason")}
	o.Status = refundStatuses.Must(j.Str("status"))
	return o.With(func() *sdk.Money { return paid(c, j) }, func() *sdk.Decline {
		return &sdk.Decline{Code: j.Str("status"), Message: o.Raw["reason"], Reason: sdk.DeclineGeneric}
	}), nil
}

// known returns an id stored with the payment, or the id of the order's last such payment if the answer was lost.
func known(c *sdk.Call, name, list string) string {
	if id := c.Request.KeptText(name); id != "" {
		return id
	}
	id := last(paymentsOf(orderOf(c, nil)).Get(list)).Str("id")
	sdk.Expect(id != "", "the order shows no payment in its "+list)
	return id
}

func orderPath(c *sdk.Call) string {
	sdk.Check(c.Request.NeedTransaction())
	return ordersPath + "/" + sdk.PathEscape(c.Request.TransactionID)
}

// orderOf fetches the order. See get.
func orderOf(c *sdk.Call, absent *sdk.Outcome) sdk.JSON { return get(c, orderPath(c), absent) }

// sync asks for the state of a payment: for its capture if that is known and not itself in doubt, else for the order.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	id := r.KeptText(captureID)
	if id == "" || r.Resolves == sdk.OpCapture || r.KeptText(severalCaptures) != "" {
		return syncOrder(c), nil
	}
	j := get(c, captures+sdk.PathEscape(id), c.OtherAccount())
	if lost(j) && r.KeptText(authorizationID) != "" { // a failed capture proves nothing about the authorization
		return syncOrder(c), nil
	}
	o := payment(c, j)
	o.TransactionID, o.ConnectorData = cmp.Or(j.Str("supplementary_data.related_ids.order_id"), r.TransactionID),
		r.ConnectorData
	return o, nil
}

// syncOrder fetches the order and reads its payments.
func syncOrder(c *sdk.Call) *sdk.Outcome {
	j := orderOf(c, absentOrder(c))
	o := order(c, j)
	o.Totals = totals(paymentsOf(j), c.Request.Amount.Currency)
	return o
}

// absentOrder returns the outcome if PayPal does not know an order of its own: only unpaid orders disappear.
func absentOrder(c *sdk.Call) *sdk.Outcome {
	p := c.Request.Payment
	if p != nil && p.CreatedAt > 0 && p.Authorized == 0 && p.Captured == 0 &&
		c.Now().UnixMilli()-p.CreatedAt > notFoundFinalSeconds*1000 {
		return sdk.NotFound()
	}
	return c.OtherAccount()
}

// totals adds up an order's payments; nil if an amount is unreadable.
func totals(payments sdk.JSON, currency sdk.Currency) *sdk.Totals {
	sum := func(list string, statuses ...string) *sdk.Money {
		return payments.Get(list).Sum("amount.value", "amount.currency_code", currency,
			func(p sdk.JSON) bool { return slices.Contains(statuses, p.Str("status")) })
	}
	held, taken := &sdk.Money{}, sum("captures", "COMPLETED", "REFUNDED", "PARTIALLY_REFUNDED")
	// the last authorization replaces those before it
	if p := last(payments.Get("authorizations")); p.Exists() && !lost(p) && p.Str("status") != "PENDING" {
		held = p.MajorIn("amount.value", "amount.currency_code", currency)
	}
	given := sum("refunds", "COMPLETED")
	if held == nil || taken == nil || given == nil || held.Minor+taken.Minor+given.Minor == 0 {
		return nil
	}
	// A payment with automatic capture has no authorization.
	return &sdk.Totals{Authorized: max(held.Minor, taken.Minor), Captured: taken.Minor, Refunded: given.Minor}
}

// refundSync asks for a refund by its id, or looks in the order for the refund with our reference.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	if id := c.Request.RefundID; id != "" {
		return refunded(c, get(c, refunds+sdk.PathEscape(id), c.OtherAccount()))
	}
	all := paymentsOf(orderOf(c, nil))
	r := all.Get("refunds").Where("custom_id", c.Request.Reference)
	// without captures the list of refunds may be incomplete
	sdk.Expect(r.Exists() || all.Get("captures").IsArray(), "the order does not show its captures")
	c.EndIf(!r.Exists(), sdk.NotFound)
	return refunded(c, r)
}

// webhook reads a message unbelieved, as PayPal's certificate would have to be fetched first: each causes a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	j := c.Message()
	resource, kind := j.Get("resource"), j.Str("event_type")
	e := sdk.Event{Object: "payment", Sync: true, TransactionID: resource.Str("supplementary_data.related_ids.order_id")}
	switch {
	case kind == "PAYMENT.CAPTURE.REFUNDED", kind == "PAYMENT.CAPTURE.REVERSED",
		strings.HasPrefix(kind, "PAYMENT.REFUND."):
		e.Object, e.RefundID, e.Reference = "refund", resource.Str("id"), resource.Str("custom_id")
	case strings.HasPrefix(kind, "PAYMENT.CAPTURE."), strings.HasPrefix(kind, "PAYMENT.AUTHORIZATION."):
		e.Reference = resource.Str("invoice_id")
	case strings.HasPrefix(kind, "CHECKOUT.ORDER."):
		e.TransactionID, e.Reference = resource.Str("id"), resource.Str("purchase_units.0.reference_id")
	case strings.HasPrefix(kind, "CUSTOMER.DISPUTE."):
		e.Object, e.Reference = "dispute", resource.Str("disputed_transactions.0.invoice_number")
	default:
		return sdk.Handled(), nil
	}
	return sdk.Handled(e), nil
}
