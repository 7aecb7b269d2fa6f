package evidence

import (
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// notSent returns the verdict on an operation whose requests have provably not left for the processor.
func notSent(text string) Verdict {
	return Verdict{Status: payment.OperationNotActed, Text: text, unsent: true}
}

// LateMoney books late money on copies of the rows: the processor holds (StatusAuthorized) or has taken (StatusCaptured) money of an attempt that had
// ended without money. Held funds of an attempt that the processor had refused are left to the processor; taken money is booked. The payment stays as it is
// for an earlier attempt, unless its latest one has ended without money too: then the earlier one becomes the payment's. void is true if the caller is to
// void the funds, because mayVoid is true; the caller notes the void as the attempt's LateVoid. nil means that the evidence says nothing new, or nothing
// that payswitch can act on.
func LateMoney(p *payment.Payment, a *payment.Attempt, o *sdk.Outcome, mayVoid bool, now time.Time) (_ *Booking, void bool, _ error) {
	taken := o.Status == sdk.StatusCaptured
	if !a.EndedWithoutMoney() && !(taken && a.EndedUnpaid()) || !plausible(o, p, a) {
		return nil, false, nil
	}
	// The payment is written in any case: the end of a later attempt, decided at the same time, is then decided again with this money.
	b := &Booking{Payment: p.Clone(), Attempt: a.Clone(), Operation: &payment.Operation{Kind: sdk.OpSync}, Alarms: []alarm.Kind{alarm.LateEvidence}}
	if taken && p.EndedUnpaid() {
		b.Payment.AttemptID = a.ID
	}
	amount := a.Amount
	if o.Amount != nil {
		amount = o.Amount.Minor
	}
	a = b.Attempt
	a.ModifiedAt = now
	switch o.Status {
	case sdk.StatusAuthorized:
		if a.Authorized > 0 { // being voided, or voided before a message that is late
			return nil, false, nil
		}
		if o.Totals != nil {
			amount = o.Totals.Authorized
		}
		a.Authorized, a.Details.LateVoid = amount, ""
		b.keepReferences(o)
		return b, mayVoid, nil
	case sdk.StatusCaptured:
		if o.Totals != nil {
			amount = o.Totals.Captured
		}
		a.Authorized, a.Captured = max(a.Authorized, a.Amount), amount
		a.Details.Released = a.Details.Released || o.Released
		b.keepReferences(o)
		if b.Payment.AttemptID != a.ID {
			return b, false, nil
		}
		return b, false, payment.Move(b.Payment, a, payment.TriggerTakenLate, now)
	}
	return nil, false, nil
}

// BookEarlierCharge makes earlier the payment's attempt if the latest one has ended without money: the money of earlier was taken while that was under way. It
// returns the changed attempt, nil for none.
func (b *Booking) BookEarlierCharge(earlier *payment.Attempt, now time.Time) (*payment.Attempt, error) {
	if earlier == nil || !b.Payment.EndedUnpaid() {
		return nil, nil
	}
	a := earlier.Clone()
	b.Payment.AttemptID = a.ID
	return a, payment.Move(b.Payment, a, payment.TriggerTakenLate, now)
}

// lateVoid reports whether the operation voids funds of an attempt that had ended without money. It does not occupy the payment's slot.
func (b *Booking) lateVoid() bool {
	return b.Operation.Kind == sdk.OpVoid && b.Operation.ID != "" && b.Operation.ID == b.Attempt.Details.LateVoid
}

// releaseTime is how long an operation that Releases accepts is sent again.
const releaseTime = 24 * time.Hour

// lateVoidFailed lets the next evidence of the funds begin another void.
func (b *Booking) lateVoidFailed() {
	b.Alarms = append(b.Alarms, alarm.LateVoidFailed)
	b.Attempt.Details.LateVoid, b.Attempt.Authorized = "", 0
}

// Times after the end of an operation at which the processor is asked again. A payer can finish a cancelled payment while the processor's page is
// open, so those are asked about earlier.
var (
	recheckFailed    = []time.Duration{24 * time.Hour, 7 * 24 * time.Hour}
	recheckCancelled = []time.Duration{10 * time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
)

// recheckUntil is the time after the end of an operation from which the processor is not asked about it any more.
const recheckUntil = 8 * 24 * time.Hour

// RecheckAt returns the time of the next query about an operation that ended without the processor's word, zero for no more. ResolveTries counts
// the queries since the end.
func RecheckAt(op *payment.Operation, a *payment.Attempt) time.Time {
	times := recheckFailed
	if op.Charges() && a.Status == payment.Voided {
		times = recheckCancelled
	}
	if op.ResolveTries >= len(times) {
		return time.Time{}
	}
	return op.ClosedAt.Add(times[op.ResolveTries])
}

// RecheckStep is the purpose of a query about an operation that ended without the processor's word.
type RecheckStep string

const (
	RecheckNothing RecheckStep = "nothing" // other evidence has come
	RecheckWait    RecheckStep = "wait"    // another operation is under way: ask later
	RecheckEnded   RecheckStep = "ended"   // money of a payment that ended without money
	RecheckHeld    RecheckStep = "held"    // a capture or void that was done after all
	RecheckRefund  RecheckStep = "refund"  // a refund that was made after all
)

// NextRecheck decides the step for an operation that ended without the processor's word.
func NextRecheck(p *payment.Payment, a *payment.Attempt, op *payment.Operation) RecheckStep {
	switch {
	case op.OfDispute():
		return RecheckNothing
	case op.OfRefund():
		return RecheckRefund
	case a.EndedWithoutMoney():
		return RecheckEnded
	case a.VoidsCaptured(op) && a.Status != payment.VoidedPostCharge && p.OpenOperation == "":
		return RecheckHeld
	case op.Charges() || a.Status.Terminal() || a.ID != p.AttemptID:
		return RecheckNothing
	case p.OpenOperation != "" || a.Status.AwaitsEnd() || a.Unsettled() > 0:
		return RecheckWait
	}
	return RecheckHeld
}

// RecheckLater gives back the lease of an ended operation and sets the time of the next query, an hour away without an answer.
func RecheckLater(o *payment.Operation, a *payment.Attempt, answered bool, now time.Time) {
	o.Owner, o.LeaseUntil = "", time.Time{}
	switch {
	case answered:
		o.ResolveTries++
		o.ResolveAt = RecheckAt(o, a)
	case now.After(o.ClosedAt.Add(recheckUntil)):
		o.ResolveAt = time.Time{}
	default:
		o.ResolveAt = now.Add(time.Hour)
	}
}
