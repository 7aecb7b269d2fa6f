package braintree

import (
	"errors"

	"payswitch/sdk"
)

// capture takes what is held, or a part of it. There is one capture for an authorization: the rest is released with it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	input := keyed(c).Str("transactionId", r.TransactionID).Obj("transaction", sdk.NewObject().Str("amount", amount(c)))
	payload := mutate(c, "captureTransaction", " clientMutationId transaction {"+transaction+" }", input, true)
	o := paymentOf(payload.Get("transaction"), r.Amount.Currency)
	switch o.Status {
	case sdk.StatusCaptured:
		o.CaptureID = o.TransactionID
		o.Released = o.Amount != nil && r.Payment != nil && o.Amount.Minor < r.Payment.Authorized
	case sdk.StatusVoided:
		o.Status, o.Decline = sdk.StatusDeclined, declineFrom(sdk.JSON{}, "VOIDED")
	case sdk.StatusAuthorized:
		return nil, errors.New("a capture that left the payment authorized")
	}
	return o, nil
}

// void releases what is held. Braintree reverses: a payment that has settled meanwhile is refunded instead, which is no void.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	reversal := mutate(c, "reverseTransaction",
		" clientMutationId reversal { __typename ... on Transaction { id legacyId status } ... on Refund { id legacyId status } }",
		keyed(c).Str("transactionId", c.Request.TransactionID), true).Get("reversal")
	id, raw := reversal.Str("id"), map[string]string{"status": reversal.Str("status")}
	switch {
	case reversal.Str("__typename") == "Refund":
		raw["error"] = "the payment had settled: it was refunded instead"
		return &sdk.Outcome{Status: sdk.StatusUnknown, RefundID: id, Raw: raw}, nil
	case id == "" || raw["status"] != "VOIDED":
		return nil, errStatus
	}
	return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: id, Raw: raw}, nil
}

// refund gives back what has settled, or a part of it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	input := keyed(c).Str("transactionId", r.TransactionID).
		Obj("refund", sdk.NewObject().Str("amount", amount(c)).Str("merchantAccountId", c.Account.Config[merchantAccount]).Str("orderId", r.Reference))
	return refundOf(mutate(c, "refundTransaction", " clientMutationId refund {"+refunded+" }", input, true).Get("refund"), r)
}

// refundOf reads a refund.
func refundOf(t sdk.JSON, r *sdk.Request) (*sdk.Outcome, error) {
	status := t.Str("status")
	o := &sdk.Outcome{Status: refundStatuses.Of(status), TransactionID: r.TransactionID, RefundID: t.Str("id"), Reference: t.Str("legacyId"),
		Raw: map[string]string{"status": status}}
	switch {
	case o.Status == "", o.RefundID == "":
		return nil, errStatus
	case o.Status == sdk.StatusDeclined:
		o.Decline = declineOf(t)
	default:
		o.Amount = amountOf(t, r.Amount.Currency)
	}
	return o, nil
}

// incrementalAuthorize sets what is held to a new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := mutate(c, "updateTransactionAmount",
		" transaction {"+transaction+" authorizationAdjustments { successful timestamp processorResponse { legacyCode message } } }",
		sdk.NewObject().Str("transactionId", r.TransactionID).Str("amount", amount(c)), false).Get("transaction")
	o := paymentOf(t, r.Amount.Currency)
	if o.Status == sdk.StatusAuthorized && o.Amount != nil && o.Amount.Minor == r.Amount.Minor {
		return o, nil
	}
	latest := sdk.JSON{}
	for x := range t.Get("authorizationAdjustments").All() {
		if !latest.Exists() || x.Str("timestamp") > latest.Str("timestamp") { // ISO 8601, UTC
			latest = x
		}
	}
	sdk.Require(o.Status == sdk.StatusAuthorized && latest.Raw("successful") == "false", errors.New("neither the new amount nor an adjustment that failed"))
	o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, declineFrom(latest, "ADJUSTMENT_DECLINED")
	return o, nil
}
