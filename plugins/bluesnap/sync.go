package bluesnap

import (
	"errors"

	"payswitch/sdk"
)

var (
	errNotDone = errors.New("the authorization has changed, but not by this operation alone")
	errRefund  = errors.New("the answer holds no refund, or one with an unknown id")
)

func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := send(c, "GET", sdk.Must(pathOf(c)), nil)
	if a.missing {
		return c.NotFound(), nil
	}
	sdk.Require(a.decline == nil, errAnswer) // the error concerns the query, not the payment
	o, err := transaction(c, a, "")
	if err == nil && o.Status == sdk.StatusAuthorized && (r.Resolves == sdk.OpCapture || r.Resolves == sdk.OpVoid) {
		return stillHeld(o, a, r)
	}
	return o, err
}

// pathOf returns the path of the payment: with its id, or with our reference and the merchant's id.
func pathOf(c *sdk.Call) (string, error) {
	r := c.Request
	if r.TransactionID != "" {
		return transactionsPath + "/" + sdk.PathEscape(r.TransactionID), nil
	}
	merchant := c.Account.Config[merchantID]
	switch {
	case merchant == "":
		return "", &sdk.Reject{Code: sdk.RejectConfig,
			Message:   "a look-up by our reference needs the merchant id: set it in the account's metadata",
			Parameter: "metadata.merchant_id"}
	case r.Reference == "":
		return "", sdk.Missing("connector_transaction_id", "the request lacks both an id and a reference")
	}
	return transactionsPath + "/" + sdk.PathEscape(r.Reference) + "," + sdk.PathEscape(merchant), nil
}

// stillHeld reads an authorization that is queried because of a capture or void. If its whole amount can still be
// captured, nothing was done. If exactly the operation's amount cannot, the capture was done.
func stillHeld(o *sdk.Outcome, a answer, r *sdk.Request) (*sdk.Outcome, error) {
	open := a.Stated("openToCapture", "currency", r.Amount.Currency)
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

// refundSync retrieves a refund by its id. A webhook reports a refund whose answer was lost.
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
