package sdk

// AlarmOtherAccount is the value of Raw["alarm"] in an outcome whose processor does not know an id that it issued itself.
const AlarmOtherAccount = "other_account"

// NotFound returns the outcome of a query whose object the processor does not know. For a query by payswitch's reference it is
// StatusNotFound. A processor that does not know an id that it issued itself belongs to another account or mode: the outcome is unknown and
// raises AlarmOtherAccount. That id is the refund's in OpRefundSync, the dispute's in OpDisputeSync, and the payment's in other operations.
func (c *Call) NotFound() *Outcome {
	r := c.Request
	given := r.TransactionID
	if r.Dispute != nil && c.Operation() == OpDisputeSync {
		given = r.Dispute.ID
	}
	if c.Operation() == OpRefundSync {
		given = r.RefundID
	}
	if given == "" {
		return NotFound()
	}
	return c.OtherAccount()
}

// Gone returns the status of a payment that the processor shows as canceled, reversed or expired. It is StatusVoided for a query, a void and a
// message. It is StatusDeclined for an operation that was to make or change the payment.
func (c *Call) Gone() OutcomeStatus {
	switch c.Operation() {
	case OpSync, OpVoid, OpWebhook:
		return StatusVoided
	}
	return StatusDeclined
}

// OtherAccount returns the outcome of a query whose processor does not know an id that it issued: unknown, with AlarmOtherAccount.
// Adapters call it in many places, so a module has its code once.
//
//go:noinline
func (c *Call) OtherAccount() *Outcome {
	return &Outcome{Status: StatusUnknown, TransactionID: c.Request.TransactionID, RefundID: c.Request.RefundID, Raw: map[string]string{
		"error": "the processor does not know an id that it issued: compare the account's credentials and environment with those of the payment",
		"alarm": AlarmOtherAccount}}
}
