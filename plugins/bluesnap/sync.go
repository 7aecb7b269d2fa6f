package bluesnap

import (
	"errors"

	"payswitch/sdk"
)

var (
	errNotDone = errors.New("what is held has changed, but not by this operation alone")
	errRefund  = errors.New("not a refund, or one whose id is not known")
)

// sync retrieves a payment.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := send(c, "GET", sdk.Must(pathOf(c)), nil)
	if a.missing {
		return c.NotFound(), nil
	}
	sdk.Require(a.decline == nil, errAnswer) // about the question, not about the payment
	o, err := transaction(c, a, "")
	if err == nil && o.Status == sdk.StatusAuthorized && (r.Resolves == sdk.OpCapture || r.Resolves == sdk.OpVoid) {
		return stillHeld(o, a, r)
	}
	return o, err
}

// pathOf is where the payment is retrieved: by its id, or by our reference and the merchant's id.
func pathOf(c *sdk.Call) (string, error) {
	r := c.Request
	if r.TransactionID != "" {
		return transactionsPath + "/" + sdk.PathEscape(r.TransactionID), nil
	}
	merchant := c.Account.Config[merchantID]
	switch {
	case merchant == "":
		return "", &sdk.Reject{Code: sdk.RejectConfig, Message: "the merchant id is needed to look a payment up by our reference", Parameter: "metadata.merchant_id"}
	case r.Reference == "":
		return "", sdk.Missing("connector_transaction_id", "an id or a reference is needed")
	}
	return transactionsPath + "/" + sdk.PathEscape(r.Reference) + "," + sdk.PathEscape(merchant), nil
}

// stillHeld says what an authorization that is asked for because of a capture or void tells of that: nothing was done to it where all of
// it can be captured still; the capture was, where just its amount cannot.
func stillHeld(o *sdk.Outcome, a answer, r *sdk.Request) (*sdk.Outcome, error) {
	open := a.Told("openToCapture", "currency", r.Amount.Currency)
	if open == nil || r.Payment == nil {
		return nil, errNotDone
	}
	switch taken := r.Payment.Authorized - open.Minor; {
	case taken == 0:
		return &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: o.TransactionID}, nil
	case r.Resolves == sdk.OpCapture && taken == r.Amount.Minor:
		o.Status, o.Amount = sdk.StatusCaptured, &r.Amount
		return o, nil
	}
	return nil, errNotDone
}

// refundSync retrieves a refund, by its id alone: one whose answer was lost is told by the webhook.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Require(r.RefundID != "", errRefund)
	a := send(c, "GET", transactionsPath+"/"+sdk.PathEscape(r.RefundID), nil)
	o := &sdk.Outcome{TransactionID: r.TransactionID, RefundID: r.RefundID}
	switch {
	case a.missing:
		return c.NotFound(), nil
	case a.decline != nil:
		return nil, errAnswer
	case a.Str("cardTransactionType") != "REFUND":
		return nil, errRefund
	}
	t, err := transaction(c, a, "REFUND")
	if err != nil {
		return nil, err
	}
	if o.Status, o.Amount, o.Decline, o.Raw = t.Status, t.Amount, t.Decline, t.Raw; t.Status == sdk.StatusCaptured {
		o.Status = sdk.StatusRefunded
	}
	return o, nil
}
