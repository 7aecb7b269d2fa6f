package sdk

// AlarmOtherAccount is the alarm of an outcome whose processor does not know an id that it gave itself: Raw["alarm"] holds it.
const AlarmOtherAccount = "other_account"

// NotFound is the outcome of a query where the processor answers that it has not heard of what was asked for. It proves that nothing
// happened only where the query went by our reference. Where the request names an id that the processor gave (the refund's in
// OpRefundSync, else the payment's), the credentials belong to another account or mode: the outcome is unknown and raises AlarmOtherAccount.
func (c *Call) NotFound() *Outcome {
	r := c.Request
	given := r.TransactionID
	if c.Operation() == OpRefundSync {
		given = r.RefundID
	}
	if given == "" {
		return NotFound()
	}
	return c.OtherAccount()
}

// OtherAccount is the outcome of a query where the processor does not know an id that it gave. It is unknown, and raises AlarmOtherAccount.
func (c *Call) OtherAccount() *Outcome {
	return &Outcome{Status: StatusUnknown, TransactionID: c.Request.TransactionID, RefundID: c.Request.RefundID, Raw: map[string]string{
		"error": "the processor does not know an id that it gave: compare the account's credentials and environment with those of the payment",
		"alarm": AlarmOtherAccount}}
}
