package nmi

import (
	"cmp"

	"payswitch/sdk"
)

// capture takes what an auth holds, or a part of it. There is one capture for an auth: the rest is released with it.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := transact(c, "capture", request(c, "capture").Add("transactionid", r.TransactionID).Add("amount", amount(r.Amount)))
	o := a.outcome(sdk.StatusCaptured)
	if a.decline == nil {
		o.CaptureID = o.TransactionID
		o.Released = r.Payment != nil && r.Amount.Minor < r.Payment.Authorized
	}
	return o, nil
}

// void takes back what has not been settled.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	a := transact(c, "void", request(c, "void").Add("transactionid", c.Request.TransactionID).Add("void_reason", "user_cancel"))
	return a.outcome(sdk.StatusVoided), nil
}

// refund gives back what has been settled. It is a transaction of its own, which is found by its orderid: that is the refund's id here.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	form := request(c, "refund").Add("transactionid", r.TransactionID).Add("orderid", r.Reference).Add("amount", amount(r.Amount))
	a := transact(c, "refund", form)
	o := a.outcome(sdk.StatusRefunded)
	o.Reference, o.TransactionID = o.TransactionID, r.TransactionID
	if a.decline == nil {
		o.RefundID = cmp.Or(a.get("orderid"), r.Reference)
	}
	return o, nil
}
