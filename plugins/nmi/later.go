package nmi

import (
	"cmp"

	"payswitch/sdk"
)

// capture captures all or a part of an auth. An auth has one capture, which releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := transact(c, "capture", request(c, "capture").Add("transactionid", r.TransactionID).
		Add("amount", amount(r.Amount)))
	o := a.outcome(sdk.StatusCaptured)
	if a.decline == nil {
		o.CaptureID, o.Released = o.TransactionID, r.Amount.Minor < r.Known().Authorized
	}
	return o, nil
}

// void cancels an unsettled payment.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	a := transact(c, "void", request(c, "void").Add("transactionid", c.Request.TransactionID).
		Add("void_reason", "user_cancel"))
	return a.outcome(sdk.StatusVoided), nil
}

// refund refunds a settled payment. It is a transaction of its own. A query finds it by its orderid, which is the
// refund's id here.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	form := request(c, "refund").Add("transactionid", r.TransactionID).Add("orderid", r.Reference).
		Add("amount", amount(r.Amount))
	a := transact(c, "refund", form)
	o := a.outcome(sdk.StatusRefunded)
	o.Reference, o.TransactionID = o.TransactionID, r.TransactionID
	if a.decline == nil {
		o.RefundID = cmp.Or(a.get("orderid"), r.Reference)
	}
	return o, nil
}
