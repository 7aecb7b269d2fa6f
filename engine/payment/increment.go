package payment

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// IncrementRecord is one try to raise the held amount of an attempt. The json names are storage format.
type IncrementRecord struct {
	ID          string          `json:"id"` // auth_{20}_{number}
	OperationID string          `json:"operation_id"`
	Amount      int64           `json:"amount"`   // the new total that the merchant asked for
	Previous    int64           `json:"previous"` // the total before
	Status      IncrementStatus `json:"status"`
	ErrorCode   string          `json:"error_code,omitempty"`
	ErrorText   string          `json:"error_text,omitempty"`
	At          time.Time       `json:"at"`
}

// IncrementStatus is the state of one try to raise the held amount. Its constants are the API's values.
type IncrementStatus string

const (
	IncrementProcessing IncrementStatus = "processing" // the result is not known yet
	IncrementSuccess    IncrementStatus = "success"
	IncrementFailure    IncrementStatus = "failure"
	IncrementUnresolved IncrementStatus = "unresolved" // the payment has moved on before the result was known, or a person must look
)

// Shown returns the status that merchants see: an attempt that has ended leaves nothing to wait for.
func (r IncrementRecord) Shown(a *Attempt) IncrementStatus {
	if r.Status == IncrementProcessing && a.Status.Terminal() {
		return IncrementUnresolved
	}
	return r.Status
}

// holds are the statuses of an attempt whose funds the processor holds, at least in part.
var holds = []AttemptStatus{Authorized, PartiallyAuthorized, PartialChargedAndChargeable, CaptureInitiated, VoidInitiated}

// Holds reports whether the processor holds funds of the attempt that are not captured.
func (a *Attempt) Holds() bool { return slices.Contains(holds, a.Status) && a.Authorized > a.Captured }

// AddIncrement records that the operation opID is about to raise the held amount to a new total. id is the record's id.
func (a *Attempt) AddIncrement(id, opID string, amount int64, now time.Time) {
	a.Details.Increments = append(a.Details.Increments, IncrementRecord{ID: id, OperationID: opID, Amount: amount, Previous: a.Authorized,
		Status: IncrementProcessing, At: now})
}

// Raising returns the try to raise the held amount whose result is not known yet, or nil.
func (a *Attempt) Raising() *IncrementRecord {
	return a.increment(func(r *IncrementRecord) bool { return r.Status == IncrementProcessing })
}

// raisedTo returns the try that raises the held amount to a total and that is not booked as a success, or nil.
func (a *Attempt) raisedTo(total int64) *IncrementRecord {
	return a.increment(func(r *IncrementRecord) bool { return r.Amount == total && r.Status != IncrementSuccess })
}

// increment returns the latest try that fits, or nil.
func (a *Attempt) increment(fits func(r *IncrementRecord) bool) *IncrementRecord {
	for i := range slices.Backward(a.Details.Increments) {
		if r := &a.Details.Increments[i]; fits(r) {
			return r
		}
	}
	return nil
}

// OnHold reports whether the operation changes held funds and moves none: it raises the held amount, or extends the hold. Its result may stay
// unknown while the merchant captures or cancels what is certainly held.
func (o *Operation) OnHold() bool {
	return o.Kind == sdk.OpIncrementalAuthorize || o.Kind == sdk.OpExtendAuthorization
}

// Hears reports whether a processor's report on the payment can be about the operation: captures and voids of other parties are not about a raised
// hold.
func (o *Operation) Hears(s sdk.OutcomeStatus) bool {
	return !o.OnHold() || s != sdk.StatusCaptured && s != sdk.StatusVoided
}

// Waits reports whether a pending operation of attempt a still has an end to wait for.
func (o *Operation) Waits(a *Attempt) bool {
	return AwaitsEnd(a.Status) || o.OnHold() && a.Holds()
}

// raise books that the processor holds total of the attempt.
func (b *Booking) raise(total int64, now time.Time) {
	p, a := b.Payment, b.Attempt
	a.Authorized = total
	if more := total - a.Amount; more > 0 {
		a.Amount, p.Amount, p.NetAmount = a.Amount+more, p.Amount+more, p.NetAmount+more
	}
	DeriveTotals(p, a)
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
			r.Status = IncrementUnresolved
			if b.Attempt.Captured > 0 { // the raise came too late for the capture: the hold lapses by itself
				b.Alarms = append(b.Alarms, AlarmReleaseRefused)
			}
		case total > b.Attempt.Authorized:
			b.raise(total, now)
			r.Status = IncrementSuccess
		case r.Amount == b.Attempt.Authorized: // other evidence was faster
			r.Status = IncrementSuccess
		default:
			r.Status, r.ErrorCode, r.ErrorText = IncrementFailure, "not_raised", "the processor approved no more than it held before"
		}
	case sdk.StatusPending:
		r.Status = IncrementProcessing
	default:
		r.Status, r.ErrorCode, r.ErrorText = IncrementFailure, "declined", "declined"
		if d := o.Decline; d != nil {
			r.ErrorCode, r.ErrorText = d.Code, d.Message
		}
	}
}

// ownIncrement returns the record of the booking's operation.
func (b *Booking) ownIncrement() *IncrementRecord {
	r := b.Attempt.increment(func(r *IncrementRecord) bool { return r.OperationID == b.Operation.ID })
	if r == nil { // never stored without a record; a test may book an operation alone
		b.Attempt.AddIncrement(b.Operation.ID, b.Operation.ID, b.Operation.Amount, b.Operation.StartedAt)
		r = &b.Attempt.Details.Increments[len(b.Attempt.Details.Increments)-1]
	}
	return r
}

// readIncrement derives the verdict on a try to raise the held amount from a sync's report on the payment. Only a report that names the held amount
// proves that the amount was raised.
func readIncrement(op *Operation, a *Attempt, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	held, named := heldBy(o)
	switch {
	case named && held > op.Amount && held > a.Authorized:
		return Verdict{Status: OperationUnknown, Alarm: "amount_mismatch", Text: "the processor holds more than the new total that was asked for"}
	case named && held >= op.Amount:
		raised := *o
		raised.Status, raised.Amount, raised.Totals = sdk.StatusAuthorized, &sdk.Money{Minor: op.Amount}, nil
		return Verdict{Status: OperationSucceeded, Outcome: &raised}
	case o.Status == sdk.StatusAuthorized && !named && o.Hold != nil && o.Hold.Extended != nil && !*o.Hold.Extended: // the processor adjusted nothing
		refused := *o
		refused.Status = sdk.StatusDeclined
		return Verdict{Status: OperationDeclined, Outcome: &refused}
	case o.Status == sdk.StatusDeclined && a.Holds():
		return Verdict{Status: OperationDeclined, Outcome: o}
	case o.Status == sdk.StatusPending:
		return Verdict{Status: OperationPending, Outcome: o}
	case o.Status == sdk.StatusAuthorized && !named:
		if op.Status != OperationPending {
			notYet.Text = "the processor's report does not name the held amount"
		}
		return notYet
	case final:
		return Verdict{Status: OperationNotActed, Text: "the held amount was not raised"}
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

// raisedLate reports whether a report shows a raised amount that was booked as not raised, or is not booked yet.
func (a *Attempt) raisedLate(o *sdk.Outcome) bool {
	held, named := heldBy(o)
	return named && o.Status == sdk.StatusAuthorized && held > a.Authorized && a.Holds() && a.raisedTo(held) != nil
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

// IncrementAllowed returns whether the held amount of a payment can be raised, nil before the processor has answered and if the processor does not
// say so. A payment that did not ask for it says false.
func IncrementAllowed(p *Payment, a *Attempt) *bool {
	d := &a.Details
	switch {
	case a.TransactionID == "" && d.Hold == nil, p.Status == RequiresPaymentMethod, p.Status == RequiresConfirmation, p.Status == Failed:
		return nil
	case !IsTrue(p.Details.Incremental):
		no := false
		return &no
	case d.Hold == nil:
		return nil
	}
	return d.Hold.Incremental
}
