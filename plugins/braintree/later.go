package braintree

import "payswitch/sdk"

// capture captures all or a part of an authorization. An authorization has one capture, which releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	input := keyed(c).Str("transactionId", r.TransactionID).Obj("transaction", sdk.NewObject().Str("amount", amount(c)))
	payload := mutate(c, "captureTransaction", "clientMutationId transaction {"+transaction+" }", input, true)
	o := paymentOf(c, payload.Get("transaction"))
	sdk.Expect(o.Status != sdk.StatusAuthorized, "the capture left the payment authorized")
	if o.Status == sdk.StatusCaptured {
		o.CaptureID, o.Released = o.TransactionID, o.Amount != nil && o.Amount.Minor < r.Known().Authorized
	}
	return o, nil
}

// void releases an authorization. A payment that has settled meanwhile Braintree refunds, which is not a void.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	reversal := mutate(c, "reverseTransaction",
		"clientMutationId reversal { __typename ... on Transaction { id legacyId status } ... on Refund { id legacyId "+
			"status } }", keyed(c).Str("transactionId", c.Request.TransactionID), true).Get("reversal")
	id, raw := reversal.Str("id"), map[string]string{"status": reversal.Str("status")}
	if reversal.Str("__typename") == "Refund" {
		raw["error"] = "the payment had settled: it was refunded instead"
		return &sdk.Outcome{Status: sdk.StatusUnknown, RefundID: id, Raw: raw}, nil
	}
	sdk.Expect(id != "" && raw["status"] == "VOIDED", "the answer shows neither a void nor a refund")
	return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: id, Raw: raw}, nil
}

// refund refunds all or a part of a settled payment.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	input := keyed(c).Str("transactionId", r.TransactionID).
		Obj("refund", sdk.NewObject().Str("amount", amount(c)).Str("merchantAccountId", c.Account.Config[merchantAccount]).
			Str("orderId", r.Reference))
	return refundOf(c, mutate(c, "refundTransaction", "clientMutationId refund {"+refunded+" }", input, true).
		Get("refund")), nil
}

// incrementalAuthorize sets the authorized amount to a new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := mutate(c, "updateTransactionAmount",
		"transaction {"+transaction+" authorizationAdjustments { successful timestamp processorResponse { legacyCode "+
			"message } } }",
		sdk.NewObject().Str("transactionId", r.TransactionID).Str("amount", amount(c)), false).Get("transaction")
	o := paymentOf(c, t)
	if o.Status == sdk.StatusAuthorized && o.Amount != nil && o.Amount.Minor == r.Amount.Minor {
		return o, nil
	}
	latest := sdk.JSON{}
	for x := range t.Get("authorizationAdjustments").All() {
		if !latest.Exists() || x.Str("timestamp") > latest.Str("timestamp") { // ISO 8601, UTC
			latest = x
		}
	}
	sdk.Expect(o.Status == sdk.StatusAuthorized && o.Amount != nil && latest.Raw("successful") == "false",
		"the answer shows neither the new amount nor a failed adjustment")
	o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, declineFrom(latest, "ADJUSTMENT_DECLINED")
	return o, nil
}

// sync asks for the state of a payment: by Braintree's id, or by our reference if the answer with the id was lost.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := search(c, "transactions", "TransactionSearchInput", transaction+" refunds { status"+money+" }", r.TransactionID,
		statuses)
	o := paymentOf(c, t)
	if o.Amount != nil {
		o.Totals, o.Amount = totals(t, o, r), nil
	}
	return o, nil
}

// totals returns the authorized, captured and refunded amounts.
func totals(t sdk.JSON, o *sdk.Outcome, r *sdk.Request) *sdk.Totals {
	all := &sdk.Totals{Authorized: o.Amount.Minor}
	if o.Status == sdk.StatusCaptured { // the amount is the captured one
		all.Captured = o.Amount.Minor
		if held := eventOf(t, "AUTHORIZED").MajorIn("amount.value", "amount.currencyCode", r.Amount.Currency); held != nil {
			all.Authorized = max(all.Authorized, held.Minor)
		}
	}
	if all.Refunded = r.Known().Refunded; t.Get("refunds").IsArray() {
		given := t.Get("refunds").Sum("amount.value", "amount.currencyCode", r.Amount.Currency,
			func(x sdk.JSON) bool { return refundStatuses.Of(x.Str("status")) != sdk.StatusDeclined })
		sdk.Expect(given != nil, "the answer holds a refund without an amount")
		all.Refunded = given.Minor
	}
	return all
}

// refundSync asks for the state of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	return refundOf(c, search(c, "refunds", "RefundSearchInput", refunded, c.Request.RefundID, refundStatuses)), nil
}

// search asks Braintree for the transaction or refund with an id, or with our reference. If Braintree finds none, the
// operation ends with Call.NotFound.
func search(c *sdk.Call, what, inputType, selection, id string, means sdk.Statuses) (found sdk.JSON) {
	field, value := "id", id
	if id == "" {
		field, value = "orderId", c.Request.Reference
	}
	sdk.Require(value != "", sdk.Missing("connector_transaction_id", "an id or a reference is needed"))
	for e := range query(c, what, inputType, selection, field, value).All() {
		node := e.Get("node")
		of, lost := node.Str("orderId"), means.Of(node.Str("status")) == sdk.StatusDeclined
		sdk.Expect(node.IsObject(), "the search does not show its result")
		sdk.Expect(id != "" && node.Str("id") == id || of == "" || of == c.Request.Reference,
			"the search found another payment")
		switch {
		case !found.Exists(), means.Of(found.Str("status")) == sdk.StatusDeclined && !lost:
			found = node
		default: // several declined ones are possible: Braintree may retry by itself, with the same reference
			sdk.Expect(lost, "the search found several payments with one reference")
		}
	}
	c.EndIf(!found.Exists(), c.NotFound)
	return found
}
