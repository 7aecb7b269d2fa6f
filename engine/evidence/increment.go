package evidence

import (
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// raisedTo returns the try that raises the held amount to a total and that is not booked as a success, or nil.
func raisedTo(a *payment.Attempt, total int64) *payment.IncrementRecord {
	return a.FindIncrement(func(r *payment.IncrementRecord) bool {
		return r.Amount == total && r.Status != payment.IncrementSuccess
	})
}

// raise books that the processor holds total of the attempt.
func (b *Booking) raise(total int64, now time.Time) {
	p, a := b.Payment, b.Attempt
	a.Authorized = total
	if more := total - a.Amount; more > 0 {
		a.Amount, p.Amount, p.NetAmount = a.Amount+more, p.Amount+more, p.NetAmount+more
	}
	payment.DeriveTotals(p, a)
	a.ModifiedAt, p.ModifiedAt = now, now
}

// increment books the end of a try to raise the held amount. The payment keeps its status, and its error.
func (b *Booking) increment(o *sdk.Outcome, now time.Time) {
	r := b.ownIncrement()
	b.Payment.ModifiedAt, b.Attempt.ModifiedAt = now, now
	switch o.Status {
	case sdk.StatusAuthorized:
		total := b.Operation.Amount
		if o.Amount != nil {
			total = o.Amount.Minor
		}
		switch {
		case !b.Attempt.Holds():
			r.Status = payment.IncrementUnresolved
			if b.Attempt.Captured > 0 { // the raise came too late for the capture: the hold lapses by itself
				b.Alarms = append(b.Alarms, alarm.ReleaseRefused)
			}
		case total > b.Attempt.Authorized:
			b.raise(total, now)
			r.Status = payment.IncrementSuccess
		case r.Amount == b.Attempt.Authorized: // other evidence was faster
			r.Status = payment.IncrementSuccess
		default:
			r.Status, r.ErrorCode, r.ErrorText = payment.IncrementFailure, "not_raised", "the processor approved no more than it held before"
		}
	case sdk.StatusPending:
		r.Status = payment.IncrementProcessing
	default:
		r.Status, r.ErrorCode, r.ErrorText = payment.IncrementFailure, "declined", "declined"
		if d := o.Decline; d != nil {
			r.ErrorCode, r.ErrorText = d.Code, d.Message
		}
	}
}

// ownIncrement returns the record of the booking's operation.
func (b *Booking) ownIncrement() *payment.IncrementRecord {
	r := b.Attempt.FindIncrement(func(r *payment.IncrementRecord) bool { return r.OperationID == b.Operation.ID })
	if r == nil { // never stored without a record; a test may book an operation alone
		b.Attempt.AddIncrement(b.Operation.ID, b.Operation.ID, b.Operation.Amount, b.Operation.StartedAt)
		r = &b.Attempt.Details.Increments[len(b.Attempt.Details.Increments)-1]
	}
	return r
}

// readIncrement derives the verdict on a try to raise the held amount from a sync's report on the payment. Only a report that names the held amount
// proves that the amount was raised.
func readIncrement(op *payment.Operation, a *payment.Attempt, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	held, named := heldBy(o)
	switch {
	case named && held > op.Amount && held > a.Authorized:
		return Verdict{Status: payment.OperationUnknown, Alarm: alarm.AmountMismatch, Text: "the processor holds more than the new total that was asked for"}
	case named && held >= op.Amount:
		raised := *o
		raised.Status, raised.Amount, raised.Totals = sdk.StatusAuthorized, &sdk.Money{Minor: op.Amount}, nil
		return Verdict{Status: payment.OperationSucceeded, Outcome: &raised}
	case o.Status == sdk.StatusAuthorized && !named && o.Hold != nil && o.Hold.Extended != nil && !*o.Hold.Extended: // the processor adjusted nothing
		refused := *o
		refused.Status = sdk.StatusDeclined
		return Verdict{Status: payment.OperationDeclined, Outcome: &refused}
	case o.Status == sdk.StatusDeclined && a.Holds():
		return Verdict{Status: payment.OperationDeclined, Outcome: o}
	case o.Status == sdk.StatusPending:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	case o.Status == sdk.StatusAuthorized && !named:
		if op.Status != payment.OperationPending {
			notYet.Text = "the processor's report does not name the held amount"
		}
		return notYet
	case final:
		return Verdict{Status: payment.OperationNotActed, Text: "the held amount was not raised"}
	}
	return notYet
}

// heldBy returns the total that a report says was authorized. named is false for a report that does not say so.
func heldBy(o *sdk.Outcome) (total int64, named bool) {
	switch {
	case o.Totals != nil:
		return o.Totals.Authorized, true
	case o.Amount != nil && o.Status == sdk.StatusAuthorized:
		return o.Amount.Minor, true
	}
	return 0, false
}

// raisedLate reports whether a report shows a raised amount that was booked as not raised, is not booked yet, or was raised by somebody else.
func raisedLate(p *payment.Payment, a *payment.Attempt, o *sdk.Outcome) bool {
	held, named := heldBy(o)
	return named && o.Status == sdk.StatusAuthorized && held > a.Authorized && a.Holds() && (raisedTo(a, held) != nil || grown(p, a, held))
}

// mostOf is the most that the processor may truly hold or have taken of an attempt. If the processor raises holds or takes more than what is held, the limit is the
// highest amount of a payment: somebody else may have raised, or the database may be a copy from before the raise.
func mostOf(p *payment.Payment, a *payment.Attempt) int64 {
	wished, h := optional.IsTrue(p.Details.Incremental) || optional.IsTrue(p.Details.Overcapture), a.Details.Hold
	granted := h != nil && (optional.IsTrue(h.Incremental) || optional.IsTrue(h.OverCapture))
	if m := p.Details.CaptureMethod; (wished || granted) && (m == payment.CaptureManual || m == payment.CaptureManualMultiple) {
		return max(payment.MaxAmount, a.Amount, a.Authorized)
	}
	return max(a.Amount, a.Authorized)
}

// grown reports whether an amount that the processor holds shows a raise that the database does not know of.
func grown(p *payment.Payment, a *payment.Attempt, held int64) bool {
	return held > max(a.Amount, a.Authorized) && held <= mostOf(p, a)
}

// mergeHold returns what the processor has said of the held funds, after it has said more. It changes neither.
func mergeHold(old, more *sdk.Hold) *sdk.Hold {
	out := *more
	if old != nil {
		for _, f := range []struct{ to, from **bool }{{&out.Incremental, &old.Incremental}, {&out.OverCapture, &old.OverCapture}, {&out.Extended, &old.Extended}} {
			if *f.to == nil {
				*f.to = *f.from
			}
		}
		if out.CaptureBefore == 0 {
			out.CaptureBefore = old.CaptureBefore
		}
	}
	return &out
}
