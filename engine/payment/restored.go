package payment

import "time"

// noteRestored is the text of an operation that was open when a copy of the database was taken.
const noteRestored = "the database was restored from a copy: what was sent after the copy is not known"

// AfterRestore changes the row of an operation that was open when a copy of the database was taken. What was not sent then may have been sent
// since, until now. So its result is unknown, nothing proves that it has not left, and its card is given up: it is never charged again. It returns
// false for an operation that has ended.
func (o *Operation) AfterRestore(now time.Time) bool {
	switch {
	case o.Status.Open():
		o.Status, o.LastSendAt, o.Instrument, o.ErrorText = OperationUnknown, now, nil, noteRestored
	case o.Status != OperationPending:
		return false
	}
	o.Owner, o.LeaseUntil, o.ResolveTries = "", time.Time{}, 0
	o.ResolveAt = now
	return true
}

// AskNow makes an operation that succeeded or did not happen due, so that the processor is asked about its payment. It returns false for
// another operation.
func (o *Operation) AskNow(now time.Time) bool {
	if o.Status != OperationSucceeded && o.Status != OperationNotActed {
		return false
	}
	o.ResolveAt, o.ResolveTries = now, 0
	return true
}

// MayHaveMovedOn lists the statuses of payments of any age that the processor may have taken further since a copy was taken.
func MayHaveMovedOn() []Status {
	return []Status{RequiresCapture, PartiallyCapturedAndCapturable, Processing, RequiresCustomerAction}
}
