package evidence

import (
	"maps"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// takeCapture books amount as taken by the capture operation opID. opID is "" if the evidence comes from the processor and not from one of our
// operations.
func takeCapture(a *payment.Attempt, opID string, amount int64, processorID string) {
	a.Captured += amount
	if c := a.CaptureBy(opID); c != nil {
		c.Status, c.Amount, c.ErrorCode, c.ErrorText = payment.CaptureCharged, amount, "", ""
		optional.SetText(&c.ProcessorID, processorID)
	}
}

// captureIs reports whether the capture of operation opID has the processor's id processorID.
func captureIs(a *payment.Attempt, opID, processorID string) bool {
	c := a.CaptureBy(opID)
	return c != nil && (c.ProcessorID == processorID || c.Has(processorID))
}

// readCapture derives the verdict on a capture from a report on the payment. While several captures are open, a report says something about one of
// them if it names it, or if the total leaves no other reading.
func readCapture(op *payment.Operation, p *payment.Payment, a *payment.Attempt, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	taken, named, alone := int64(0), a.CaptureNamed(o.CaptureID), a.UnsettledBut(op.ID) == 0
	another := named != nil && named.OperationID != op.ID
	switch {
	case !alone && !another && concernsCapture(a, op, o.CaptureID):
		if o.Status == sdk.StatusCaptured {
			if taken = op.Amount; o.Amount != nil {
				taken = o.Amount.Minor
			}
		}
	case o.Totals != nil && a.RelayMayTake() && o.Totals.Captured > a.Captured:
		notYet.Text = aboutRelay
		return notYet
	case o.Totals != nil:
		taken = o.Totals.Captured - a.Captured - a.Missing()
		if all := a.UnsettledBut(op.ID) + op.Amount; !alone && taken <= all {
			var known bool
			if taken, known = share(a, op, taken); !known {
				return notYet
			}
		}
	case another, !alone && o.Status == sdk.StatusCaptured:
		return notYet
	case o.Status == sdk.StatusCaptured && isInDoubt(a, op, o):
		if op.Status != payment.OperationPending {
			notYet.Text = "the processor's report may be about another capture"
		}
		return notYet
	case o.Status == sdk.StatusCaptured:
		if taken = op.Amount; o.Amount != nil && (a.Captured == 0 || o.CaptureID != "" && captureIs(a, op.ID, o.CaptureID)) {
			taken = o.Amount.Minor // else it may be the sum with earlier captures
		}
	}
	switch {
	case taken > op.Amount && !(alone && o.Totals != nil && plausible(o, p, a) && o.Totals.Captured > max(a.Amount, a.Authorized)):
		return Verdict{Status: payment.OperationUnknown, Alarm: alarm.AmountMismatch, Text: larger}
	case o.Status == sdk.StatusDeclined && o.CaptureID != "" && captureIs(a, op.ID, o.CaptureID):
		return Verdict{Status: payment.OperationDeclined, Outcome: o}
	case taken > 0:
		c := *o
		c.Status, c.Amount = sdk.StatusCaptured, &sdk.Money{Minor: taken}
		if another || !alone && !concernsCapture(a, op, o.CaptureID) {
			c.CaptureID = ""
		}
		v := Verdict{Status: payment.OperationSucceeded, Outcome: &c}
		if taken > op.Amount { // somebody else has raised the hold and captured, or has captured more than what was held
			v.Alarm, v.Text = alarm.AmountMismatch, larger
		}
		return v
	case o.Status == sdk.StatusPending && !another:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	case final:
		return Verdict{Status: payment.OperationNotActed, Text: "the capture did not happen"}
	}
	return notYet
}

const aboutRelay = "a relay may have captured a part of what the processor's report shows"

const larger = "the processor reports a larger capture than the requested one"

// isInDoubt reports whether a report without totals, on an attempt with one open capture, leaves open whether it is about that capture. It is in
// doubt in two cases: the report may be about a capture that has ended; or its amount is that of earlier captures, or is neither the capture's nor
// the sum of all.
func isInDoubt(a *payment.Attempt, op *payment.Operation, o *sdk.Outcome) bool {
	switch own := a.CaptureBy(op.ID); {
	case own != nil && own.Has(o.CaptureID):
		return false
	case a.MayBeAnother(op.ID, o.CaptureID), a.RelayMayTake(), a.Missing() > 0 && (o.CaptureID == "" || o.CaptureID == a.TransactionID):
		return true
	}
	if o.Amount == nil || a.Captured == 0 {
		return false
	}
	amount := o.Amount.Minor
	return amount == a.Captured && o.CaptureID == "" || amount != op.Amount && amount != a.Captured+op.Amount
}

// concernsCapture reports whether a report with the processor's id of a capture is about the capture of op: the id is that capture's, or the report brings the
// id of the only open capture that has none yet.
func concernsCapture(a *payment.Attempt, op *payment.Operation, id string) bool {
	own := a.CaptureBy(op.ID)
	if id == "" || own == nil || own.ProcessorID != "" || own.Has(id) {
		return own != nil && own.Has(id)
	}
	nameless := 0
	for i := range a.Details.Captures {
		if c := &a.Details.Captures[i]; c.Open() && c.ProcessorID == "" {
			nameless++
		}
	}
	return nameless == 1 && !a.MayBeAnother(op.ID, id)
}

// most is the number of sums of open captures up to which share looks for the captures that a total consists of.
const most = 1 << 12

// share returns what the capture of op has taken, if the open captures together have taken sum: its whole amount, or nothing. known is false if
// both are possible, or neither is. Of captures with one amount, those that the processor has accepted come first, then the earlier ones: which of
// them it was makes no difference to the sum.
func share(a *payment.Attempt, op *payment.Operation, sum int64) (taken int64, known bool) {
	own := a.CaptureBy(op.ID)
	if own == nil {
		return 0, false
	}
	reach := map[int64]bool{0: true} // the sums of the open captures with another amount
	same, rank := int64(0), int64(1) // the open captures with this amount, and the place of this one among them
	for i := range a.Details.Captures {
		switch c := &a.Details.Captures[i]; {
		case !c.Open():
		case c.Amount != own.Amount:
			for _, r := range slices.Collect(maps.Keys(reach)) {
				reach[r+c.Amount] = true
			}
			if len(reach) > most {
				return 0, false
			}
		default:
			same++
			if before(c, own) {
				rank++
			}
		}
	}
	with, without := false, false
	for n := range same + 1 {
		if reach[sum-n*own.Amount] {
			with, without = with || n >= rank, without || n < rank
		}
	}
	if with {
		taken = own.Amount
	}
	return taken, with != without
}

// before reports whether a total counts the capture before another one with the same amount.
func before(c, o *payment.CaptureRecord) bool {
	if c.Status != o.Status {
		return c.Status == payment.CapturePending
	}
	return c.Sequence < o.Sequence
}

// afterCapture moves the attempt to the status that its captures give it, one of several captures having ended or been accepted.
func (b *Booking) afterCapture(now time.Time) error {
	p, a := b.Payment, b.Attempt
	var there payment.AttemptStatus
	var by payment.Trigger
	switch {
	case a.Captured > 0:
		there, by = payment.PartialChargedAndChargeable, payment.TriggerPartlyChargedOpen
	case a.Unsettled() > 0:
		there, by = payment.CaptureInitiated, payment.TriggerCaptureStart
	default:
		return payment.Move(p, a, restOf(a), now)
	}
	if err := moveUnless(p, a, there, by, now); err != nil {
		return err
	}
	payment.DeriveTotals(p, a)
	a.ModifiedAt, p.ModifiedAt = now, now
	return nil
}

// lateCapture books that the processor has made a capture after all that was booked as failed. It reports whether the report says so.
func (b *Booking) lateCapture(o *sdk.Outcome, now time.Time) (bool, error) {
	a := b.Attempt
	c := a.CaptureNamed(o.CaptureID)
	if c == nil || c.Status != payment.CaptureFailed || o.Status != sdk.StatusCaptured || b.Payment.Details.CaptureMethod != payment.CaptureManualMultiple {
		return false, nil
	}
	amount := c.Amount
	if o.Amount != nil {
		amount = o.Amount.Minor
	}
	booked := a.Elsewhere()-a.RelaysShown() >= amount // a total has brought it before
	if amount > c.Amount || booked && amount < c.Amount {
		return booked, nil // of another capture, with the same reference
	}
	b.claimCapture(c, o.CaptureID)
	if booked {
		a.Captured -= amount
	}
	if takeCapture(a, c.OperationID, amount, o.CaptureID); a.Status == payment.Charged || a.Status == payment.PartialCharged {
		return true, b.endedWith(a.Captured, now)
	}
	if a.Captured >= a.Authorized {
		return true, payment.Move(b.Payment, a, payment.TriggerCharged, now)
	}
	return true, b.afterCapture(now)
}

// bookMoreCaptured books that the processor has taken more of an ended payment than the payment shows. It reports whether the report says so: by a total, or by an amount
// that cannot be that of one capture among several.
func (b *Booking) bookMoreCaptured(o *sdk.Outcome, now time.Time) (bool, error) {
	a := b.Attempt
	amount, named := amountOf(o)
	if !named { // of a payment that an operator has called paid
		amount = a.Amount
	}
	if o.Totals == nil && a.Captured > 0 && (!named || len(a.Details.Captures) > 0) || amount <= a.Captured {
		return false, nil
	}
	return true, b.endedWith(amount, now)
}

// endedWith books the amount that the processor has taken of an ended payment. A payment with several captures is measured against what was approved.
func (b *Booking) endedWith(captured int64, now time.Time) error {
	a := b.Attempt
	all := captured >= a.Amount || captured == a.Authorized && b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple
	a.Captured, a.Authorized = captured, max(a.Authorized, captured)
	if a.Status == payment.PartialCharged && all {
		return payment.Move(b.Payment, a, payment.TriggerCharged, now)
	}
	payment.DeriveTotals(b.Payment, a)
	a.ModifiedAt, b.Payment.ModifiedAt = now, now
	return nil
}

// withRelayed adds to a report on captured money the total that follows from what relays have captured. The processor has said of each of those captures that it
// was made. A report that names a total, or that comes while a capture is open, stays as it is.
func withRelayed(a *payment.Attempt, o *sdk.Outcome) *sdk.Outcome {
	missing := a.Missing()
	if o.Totals != nil || missing == 0 || a.RelayMayTake() || a.Unsettled() > 0 {
		return o
	}
	own := *o
	own.CaptureID, own.Totals = "", &sdk.Totals{Authorized: max(a.Authorized, a.Captured+missing), Captured: a.Captured + missing}
	return &own
}
