package payment

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// HeldBy reports whether the latest lease of the operation is the one of node that ends at until. It may have ended.
func (o *Operation) HeldBy(node string, until time.Time) bool {
	return o.Owner == node && o.LeaseUntil.Equal(until)
}

// UnderWay reports whether a run may be sending the operation at the time now of the database's clock: its own answer says more than a message
// or a query.
func (o *Operation) UnderWay(now time.Time) bool {
	return o.Status == OperationStarted || o.Status.Open() && o.Leased(now)
}

// Unsent reports whether it is proven that nothing of an open operation has left. Resolution sends it.
func (o *Operation) Unsent() bool { return o.Status == OperationUnknown && o.LastSendAt.IsZero() }

// OpenOperation returns the attempt's latest operation that is in flight, unknown or pending, or nil. ops are the payment's operations in order.
func (a *Attempt) OpenOperation(ops []*Operation) *Operation {
	for _, op := range slices.Backward(ops) {
		if op.AttemptID == a.ID && !op.OutsidePayment() && (op.Status.Open() || op.Status == OperationPending && op.Waits(a)) {
			return op
		}
	}
	return nil
}

// PendingOperation returns the attempt's operation that waits for the customer or the processor, or nil.
func (a *Attempt) PendingOperation(ops []*Operation) *Operation {
	for _, op := range ops {
		if op.AttemptID == a.ID && op.Status == OperationPending && !op.OutsidePayment() {
			return op
		}
	}
	return nil
}

// DueAt returns the time from which background work may claim the operation. ok is false if it leaves the operation alone.
func (o *Operation) DueAt() (at time.Time, ok bool) {
	switch o.Status {
	case OperationStarted:
		return o.LeaseUntil, true
	case OperationUnknown, OperationPending, OperationSucceeded, OperationNotActed, OperationDeclined:
		if o.ResolveAt.IsZero() {
			return time.Time{}, false
		}
		if o.LeaseUntil.After(o.ResolveAt) {
			return o.LeaseUntil, true
		}
		return o.ResolveAt, true
	}
	return time.Time{}, false
}

// Occupied reports whether another operation has the payment's slot, so that the pending operation op of attempt a must not end now: its end would
// take the payment's status away from the other. Several captures share the status.
func (p *Payment) Occupied(a *Attempt, op *Operation) bool {
	if op.Status != OperationPending || p.OpenOperation == "" || p.OpenOperation == op.ID {
		return false
	}
	return p.Details.CaptureMethod != CaptureManualMultiple || a.CaptureBy(op.ID) == nil || a.CaptureBy(p.OpenOperation) == nil
}

// QueryBy brings the next query about an operation without an end forward to at, if it is later.
func (o *Operation) QueryBy(at time.Time) {
	if (o.Status.Open() || o.Status == OperationPending) && o.ResolveAt.After(at) {
		o.ResolveAt = at
	}
}

// Charges reports whether the operation begins a payment at the processor: it can hold or take money that the merchant does not yet know of.
func (o *Operation) Charges() bool {
	return o.Kind == sdk.OpAuthorize || o.Kind == sdk.OpVerify || o.Kind == sdk.OpComplete
}

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

// QueryNow makes an operation that has ended due. A refused one must be on held funds, so that the processor is asked about its payment. It returns false for
// another operation.
func (o *Operation) QueryNow(now time.Time) bool {
	if o.Status != OperationSucceeded && o.Status != OperationNotActed && (o.Status != OperationDeclined || o.Charges()) {
		return false
	}
	o.ResolveAt, o.ResolveTries = now, 0
	return true
}
