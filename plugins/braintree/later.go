package braintree

import (
	"errors"

	"payswitch/sdk"
)

// capture takes what is held, or a part of it. There is one capture for an authorization: the rest is released with it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	input := keyed(c).Str("transactionId", r.TransactionID).Obj("transaction", sdk.NewObject().Str("amount", amount(c)))
	payload := mutate(c, "captureTransaction", "clientMutationId transaction {"+transaction+" }", input, true)
	o := paymentOf(c, payload.Get("transaction"))
	sdk.Require(o.Status != sdk.StatusAuthorized, errors.New("a capture that left the payment authorized"))
	if o.Status == sdk.StatusCaptured {
		o.CaptureID, o.Released = o.TransactionID, o.Amount != nil && r.Payment != nil && o.Amount.Minor < r.Payment.Authorized
	}
	return o, nil
}

// void releases what is held. Braintree reverses: a payment that has settled meanwhile is refunded instead, which is no void.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	reversal := mutate(c, "reverseTransaction",
		"clientMutationId reversal { __typename ... on Transaction { id legacyId status } ... on Refund { id legacyId status } }",
		keyed(c).Str("transactionId", c.Request.TransactionID), true).Get("reversal")
	id, raw := reversal.Str("id"), map[string]string{"status": reversal.Str("status")}
	switch {
	case reversal.Str("__typename") == "Refund":
		raw["error"] = "the payment had settled: it was refunded instead"
		return &sdk.Outcome{Status: sdk.StatusUnknown, RefundID: id, Raw: raw}, nil
	case id == "" || raw["status"] != "VOIDED":
		return nil, errors.New("neither voided nor refunded")
	}
	return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: id, Raw: raw}, nil
}

// refund gives back what has settled, or a part of it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	input := keyed(c).Str("transactionId", r.TransactionID).
		Obj("refund", sdk.NewObject().Str("amount", amount(c)).Str("merchantAccountId", c.Account.Config[merchantAccount]).Str("orderId", r.Reference))
	return refundOf(c, mutate(c, "refundTransaction", "clientMutationId refund {"+refunded+" }", input, true).Get("refund")), nil
}

// incrementalAuthorize sets what is held to a new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := mutate(c, "updateTransactionAmount",
		"transaction {"+transaction+" authorizationAdjustments { successful timestamp processorResponse { legacyCode message } } }",
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
	sdk.Require(o.Status == sdk.StatusAuthorized && latest.Raw("successful") == "false", errors.New("neither the new amount nor an adjustment that failed"))
	o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, declineFrom(latest, "ADJUSTMENT_DECLINED")
	return o, nil
}
