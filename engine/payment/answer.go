package payment

// OfDispute reports whether the operation answers a dispute.
func (o *Operation) OfDispute() bool { return o.Kind.Answers() }

// OutsidePayment reports whether the operation does not occupy the payment's slot: it performs a refund, or answers a dispute.
func (o *Operation) OutsidePayment() bool { return o.OfRefund() || o.OfDispute() }
