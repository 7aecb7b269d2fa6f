package braintree

import (
	"errors"

	"payswitch/sdk"
)

// capture takes what is held, or a part of it. There is one capture for an authorization: the rest is released with it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	amount, err := amount(c, r.Amount)
	if err != nil {
		return nil, err
	}
	input := sdk.NewObject().Str("apiRequestKey", c.IdempotencyKey()).Str("transactionId", r.TransactionID).
		Obj("transaction", sdk.NewObject().Str("amount", amount))
	payload, refused, err := mutate(c, "captureTransaction", "CaptureTransactionInput", " clientMutationId transaction {"+transaction+" }", input, true)
	if err != nil || refused != nil {
		return refused, err
	}
	o, err := paymentOf(payload.Get("transaction"), r.Amount.Currency)
	if err != nil {
		return nil, err
	}
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
	r := c.Request
	input := sdk.NewObject().Str("apiRequestKey", c.IdempotencyKey()).Str("transactionId", r.TransactionID)
	payload, refused, err := mutate(c, "reverseTransaction", "ReverseTransactionInput",
		" clientMutationId reversal { __typename ... on Transaction { id legacyId status } ... on Refund { id legacyId status } }", input, true)
	if err != nil || refused != nil {
		return refused, err
	}
	reversal := payload.Get("reversal")
	o := &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: reversal.Str("id"), Raw: map[string]string{"status": reversal.Str("status")}}
	switch {
	case reversal.Str("__typename") == "Refund":
		o.Status, o.TransactionID, o.RefundID = sdk.StatusUnknown, "", reversal.Str("id")
		o.Raw["error"] = "the payment had settled: it was refunded instead"
	case o.TransactionID == "" || reversal.Str("status") != "VOIDED":
		return nil, errStatus
	}
	return o, nil
}

// refund gives back what has settled, or a part of it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	amount, err := amount(c, r.Amount)
	if err != nil {
		return nil, err
	}
	input := sdk.NewObject().Str("apiRequestKey", c.IdempotencyKey()).Str("transactionId", r.TransactionID).
		Obj("refund", sdk.NewObject().Str("amount", amount).Str("merchantAccountId", c.Account.Config[merchantAccount]).Str("orderId", r.Reference))
	payload, refused, err := mutate(c, "refundTransaction", "RefundTransactionInput", " clientMutationId refund {"+refunded+" }", input, true)
	if err != nil || refused != nil {
		return refused, err
	}
	return refundOf(payload.Get("refund"), r)
}

// refundOf reads a refund.
func refundOf(t sdk.JSON, r *sdk.Request) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: refundStatuses.Of(t.Str("status")), TransactionID: r.TransactionID, RefundID: t.Str("id"), Reference: t.Str("legacyId"),
		Raw: map[string]string{"status": t.Str("status")}}
	if o.Status == "" || o.RefundID == "" {
		return nil, errStatus
	}
	if o.Status == sdk.StatusDeclined {
		o.Decline = declineOf(t)
		return o, nil
	}
	var err error
	o.Amount, err = amountOf(t, r.Amount.Currency)
	return o, err
}

// incrementalAuthorize sets what is held to a new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	amount, err := amount(c, r.Amount)
	if err != nil {
		return nil, err
	}
	payload, refused, err := mutate(c, "updateTransactionAmount", "UpdateTransactionAmountInput",
		" transaction {"+transaction+" authorizationAdjustments { successful timestamp processorResponse { legacyCode message } } }",
		sdk.NewObject().Str("transactionId", r.TransactionID).Str("amount", amount), false)
	if err != nil || refused != nil {
		return refused, err
	}
	t := payload.Get("transaction")
	o, err := paymentOf(t, r.Amount.Currency)
	if err != nil {
		return nil, err
	}
	if o.Status == sdk.StatusAuthorized && o.Amount != nil && o.Amount.Minor == r.Amount.Minor {
		return o, nil
	}
	latest := sdk.JSON{}
	for x := range t.Get("authorizationAdjustments").All() {
		if !latest.Exists() || x.Str("timestamp") > latest.Str("timestamp") { // ISO 8601, UTC
			latest = x
		}
	}
	if o.Status != sdk.StatusAuthorized || latest.Raw("successful") != "false" {
		return nil, errors.New("neither the new amount nor an adjustment that failed")
	}
	o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, declineFrom(latest, "ADJUSTMENT_DECLINED")
	return o, nil
}
