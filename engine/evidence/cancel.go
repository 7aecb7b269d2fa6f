package evidence

import (
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// CancelStep is what a merchant's wish to cancel begins.
type CancelStep string

const (
	CancelRefused CancelStep = "refused"  // the payment's status does not allow it
	CancelNoted   CancelStep = "noted"    // the wish is stored, and carried out once the outcome is known
	CancelLocally CancelStep = "locally"  // the payment ends at once: no processor holds money of it
	CancelByVoid  CancelStep = "void"     // the processor voids what it holds
	CancelBefore  CancelStep = "before"   // the processor voids a payment that the customer has not finished
	CancelAsks    CancelStep = "asks"     // the processor says first what the customer has done
	CancelWaiting CancelStep = "waiting"  // one of the three steps for a payment that waits for the customer: NextCancelWaiting
	CancelSettles CancelStep = "settles"  // the processor's answer is booked; funds that it shows are voided
	CancelTooSoon CancelStep = "too soon" // the result of a capture is not known yet
)

// NextCancel decides what a cancel of the payment begins. ops are its operations. The attempt's processor does not know a payment whose customer
// is still in payswitch's own authentication (invoked).
func NextCancel(p *payment.Payment, a *payment.Attempt, ops []*payment.Operation, invoked bool) CancelStep {
	if !p.Status.Facts().Cancel {
		if op := a.OpenOperation(ops); a.Status == payment.Authorizing && op != nil && op.Status == payment.OperationUnknown {
			return CancelNoted
		}
		return CancelRefused
	}
	switch {
	case a.Unsettled() > 0: // a void could take the money of a capture that the processor has accepted
		return CancelTooSoon
	case a.Authorized > 0:
		return CancelByVoid
	case a.AccountID == "" || a.PendingOperation(ops) == nil || invoked || fault.Planted("cancel locally"):
		return CancelLocally
	}
	return CancelWaiting
}

// NextCancelWaiting decides how a payment is cancelled that the processor knows and that waits for the customer.
func NextCancelWaiting(m *sdk.Manifest) CancelStep {
	switch {
	case m.Features.PreAuthVoid && slices.Contains(m.Operations, sdk.OpVoid):
		return CancelBefore
	case !slices.Contains(m.Operations, sdk.OpSync):
		return CancelNoted
	}
	return CancelAsks
}

// AfterCancelAsked decides what follows from the processor's answer v about a payment that waits for the customer. Settling voids what the
// processor holds if the attempt has CancelWanted, which AfterCancelAsked sets.
func AfterCancelAsked(a *payment.Attempt, v Verdict) CancelStep {
	switch {
	case v.Status == payment.OperationUnknown:
		return CancelNoted
	case v.Status == payment.OperationPending && v.Outcome.Status == sdk.StatusCustomerAction:
		return CancelLocally
	case v.Status == payment.OperationPending:
		return CancelNoted // the customer has acted: the end is not known yet
	}
	if v.Status == payment.OperationNotActed || v.Outcome != nil && v.Outcome.Status == sdk.StatusAuthorized {
		a.Details.CancelWanted = true
	}
	return CancelSettles
}

// MarkUnattended notes in the attempt that payswitch carries out the cancel by itself: the run that sent its void has ended without a result, for example
// because its node died. A repetition of the call is answered that the cancel is under way.
func MarkUnattended(a *payment.Attempt, op *payment.Operation) {
	if op.Kind == sdk.OpVoid && op.Status.Open() && a.Status == payment.VoidInitiated && a.Authorized > 0 {
		a.Details.CancelWanted = true
	}
}

// VoidAfter begins the void of funds that the booking found and that the merchant no longer waits for. Either the merchant has asked to cancel, or the outcome
// was unknown for longer than a customer waits. was is the operation before the booking; fresh says that its own first drive brought the answer.
// VoidAfter reports whether it began the void; the caller adds the operation.
func (b *Booking) VoidAfter(was *payment.Operation, fresh bool, m *sdk.Manifest, waits Timing, now time.Time) (bool, error) {
	late := !fresh && was.Status.Open() && was.Charges() && waits.age(was, now) > waits.Payer
	if b.Attempt.ID != b.Payment.AttemptID || !late && !b.Attempt.Details.CancelWanted {
		return false, nil
	}
	switch b.Attempt.Status {
	case payment.Authorized, payment.PartiallyAuthorized:
	case payment.Charged, payment.PartialCharged:
		if b.Attempt.Details.CancelWanted && b.Operation.Charges() {
			b.Alarms = append(b.Alarms, alarm.CancelTooLate)
		}
		return false, nil
	default:
		return false, nil
	}
	if b.Operation.Kind == sdk.OpVoid || !slices.Contains(m.Operations, sdk.OpVoid) {
		return false, nil // refused, or not offered: the merchant sees the funds
	}
	if !b.Attempt.Details.CancelWanted {
		const reason = "the outcome was unknown for longer than a customer waits"
		b.Payment.Details.CancellationReason, b.Attempt.Details.CancelReason = reason, reason
		b.Attempt.Details.CancelWanted = true
	}
	return true, payment.Move(b.Payment, b.Attempt, payment.TriggerVoidStart, now)
}
