package evidence

import (
	"encoding/json"
	"errors"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Booking is the result of a verdict: rows to be written in one transaction.
type Booking struct {
	Payment   *payment.Payment
	Attempt   *payment.Attempt
	Operation *payment.Operation
	// Release is true if the engine must void the rest of a partial capture at the processor.
	Release bool
	// VoidLess is true if the engine must void funds of an attempt that failed because the processor approved too little.
	VoidLess bool
	// Again is true if the operation did not happen, and the engine must send another in its place: see Succeed.
	Again  bool
	Alarms []alarm.Kind
	// Claims are ids of the processor's that the booking rests on. If one has another owner, the booking must not be written: see OfAnother.
	Claims []Claim

	tries int // of the operation before the booking
}

// Book applies a verdict to copies of the rows. It is pure: the caller writes its result, or throws the result away and computes it again
// from fresher rows.
func Book(p *payment.Payment, a *payment.Attempt, op *payment.Operation, m *sdk.Manifest, v Verdict, now time.Time) Booking {
	o := *op
	if a.VoidsCaptured(op) {
		v = ofTheWhole(v, a)
	}
	b := Booking{Payment: p.Clone(), Attempt: a.Clone(), Operation: &o, Alarms: v.alarms()}
	var err error
	switch {
	case v.Status == payment.OperationUnknown:
		b.unknown(v, now)
		return b
	case a.VoidsCaptured(op):
		err = b.voidCaptured(v, now)
	case b.sendsAgain(v, now):
		b.Again, b.tries = true, op.ResolveTries
	case v.Outcome == nil: // rejected, failed or not acted: nothing happened
		err = b.nothingHappened(v, now)
	case v.mismatch && op.OnHold(): // what was held before is still held
		if op.Kind == sdk.OpIncrementalAuthorize {
			b.ownIncrement().Status = payment.IncrementUnresolved
		} else {
			err = b.backToHeld(now)
		}
	case v.mismatch:
		b.keepReferences(v.Outcome)
		b.fail(v.Outcome, "amount_mismatch", v.Text)
		err = payment.Move(b.Payment, b.Attempt, payment.TriggerMismatch, now)
	default:
		b.keepReferences(v.Outcome)
		switch op.Kind {
		case sdk.OpCapture:
			err = b.capture(v.Outcome, m, now)
		case sdk.OpVoid:
			err = b.void(v.Outcome, now)
		case sdk.OpIncrementalAuthorize:
			b.increment(v.Outcome, now)
		case sdk.OpExtendAuthorization:
			err = b.extension(v.Outcome, now)
		default:
			err = b.authorize(v.Outcome, m, now)
		}
	}
	if err != nil { // the evidence does not fit the state: it is neither applied nor dropped
		return b.impossible(p, a, op, err, now)
	}
	b.close(v, now)
	return b
}

// unknown keeps the payment's slot. Evidence, or an operator, resolves the operation later.
func (b *Booking) unknown(v Verdict, now time.Time) {
	if !leaveUnknown(b.Operation, v, now) {
		return
	}
	if v.Outcome != nil {
		b.keepReferences(v.Outcome)
	}
	if b.Operation.Kind == sdk.OpVoid && b.Attempt.Status == payment.VoidInitiated && b.Attempt.Authorized > 0 {
		b.Attempt.Details.CancelWanted = true // the answer says that the cancel is under way
	}
	switch {
	case b.lateVoid(): // it runs although the payment has ended
	case !b.Operation.OnHold():
		b.Payment.OpenOperation = b.Operation.ID
	case b.Payment.OpenOperation == b.Operation.ID: // what is certainly held can be captured or voided meanwhile
		b.Payment.OpenOperation = ""
	}
	b.Payment.ModifiedAt, b.Attempt.ModifiedAt = now, now
}

// leaveUnknown leaves the operation open until evidence, or an operator, resolves it. It returns false for a pending operation, which a sync
// that learned nothing does not change.
func leaveUnknown(o *payment.Operation, v Verdict, now time.Time) bool {
	if o.Status == payment.OperationPending {
		return false
	}
	o.Status, o.ErrorText = payment.OperationUnknown, v.Text
	o.Owner, o.LeaseUntil = "", time.Time{} // the drive has ended, so any node may resolve the operation
	if o.ResolveAt.IsZero() || !o.ResolveAt.After(now) {
		o.ResolveAt = now.Add(ResolveDelay(payment.OperationUnknown, o.ResolveTries))
	}
	return true
}

// sendsAgain reports whether the operation did not happen and another is sent in its place: no caller would notice that the funds stay held.
func (b *Booking) sendsAgain(v Verdict, now time.Time) bool {
	notDone := v.Status == payment.OperationNotActed || v.Status == payment.OperationFailed
	return notDone && !v.givenUp && b.Attempt.Releases(b.Operation) && now.Sub(b.Operation.StartedAt) < releaseTime
}

// Succeed makes next, a new operation of the same kind and amount, the one that is sent in the place of the booking's. It has an idempotency key of its
// own, because a processor may repeat its error under the old one. Background work sends it after a pause that grows from one to the next.
func (b *Booking) Succeed(next *payment.Operation, now time.Time) {
	next.Status, next.Owner, next.LeaseUntil, next.LastSendAt = payment.OperationUnknown, "", time.Time{}, time.Time{}
	next.StartedAt, next.ResolveTries = b.Operation.StartedAt, b.tries+1
	next.ResolveAt = now.Add(ResolveDelay(payment.OperationUnknown, next.ResolveTries))
	b.Operation.ResolveAt = time.Time{}
	if b.lateVoid() {
		b.Attempt.Details.LateVoid = next.ID
	} else {
		b.Payment.OpenOperation = next.ID
	}
}

// nothingHappened restores the attempt's status after an operation that never reached the processor, or on which the processor never acted.
func (b *Booking) nothingHappened(v Verdict, now time.Time) error {
	switch b.Operation.Kind {
	case sdk.OpExtendAuthorization:
		return b.backToHeld(now)
	case sdk.OpIncrementalAuthorize:
		r := b.ownIncrement()
		r.Status, r.ErrorCode, r.ErrorText = payment.IncrementFailure, payment.CodeNotProcessed, v.Text
		b.Payment.ModifiedAt, b.Attempt.ModifiedAt = now, now
		return nil
	case sdk.OpCapture:
		if c := b.Attempt.CaptureBy(b.Operation.ID); c != nil {
			c.Status, c.ErrorText = payment.CaptureFailed, v.Text
		}
		b.fail(nil, "", v.Text)
		return b.captureEnded(now)
	case sdk.OpVoid:
		if b.lateVoid() {
			b.lateVoidFailed()
			return nil
		}
		if b.Attempt.Status == payment.PartialCharged { // the release of the rest of a partial capture
			b.Alarms = append(b.Alarms, alarm.ReleaseRefused)
			return nil
		}
		b.fail(nil, "", v.Text)
		b.forgetCancel()
		return payment.Move(b.Payment, b.Attempt, restOf(b.Attempt), now)
	case sdk.OpComplete:
		if v.Status == payment.OperationNotActed {
			return b.notProcessed(v.Text, now)
		}
		return payment.Move(b.Payment, b.Attempt, payment.TriggerResumeWithdrawn, now)
	}
	if v.Status == payment.OperationNotActed {
		return b.notProcessed(v.Text, now)
	}
	b.Attempt.Details.Card, b.Attempt.Private = nil, &payment.AttemptPrivate{}
	b.Attempt.Sealed = nil
	b.Attempt.Details.Confirmed, b.Attempt.Details.MethodID, b.Attempt.Details.Token = false, "", ""
	return payment.Move(b.Payment, b.Attempt, payment.TriggerWithdrawn, now)
}

// notProcessed ends an attempt whose authorization never happened: cancelled where the merchant wanted that, else failed.
func (b *Booking) notProcessed(text string, now time.Time) error {
	if b.Attempt.Details.CancelWanted {
		return payment.Move(b.Payment, b.Attempt, payment.TriggerVoided, now)
	}
	b.fail(nil, payment.CodeNotProcessed, text)
	return payment.Move(b.Payment, b.Attempt, payment.TriggerDeclined, now)
}

// keepReferences copies the processor's ids, and the data that later calls must send back.
func (b *Booking) keepReferences(o *sdk.Outcome) {
	d := &b.Attempt.Details
	b.claimCharge(o)
	optional.SetText(&b.Attempt.TransactionID, o.TransactionID)
	ofCapture := b.Operation != nil && b.Operation.Kind == sdk.OpCapture && b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple
	refusedVoid := b.Operation != nil && b.Operation.Kind == sdk.OpVoid && o.Status == sdk.StatusDeclined
	if !ofCapture && !refusedVoid { // one of several captures keeps its own reference; a refused void's says nothing of the payment
		optional.SetText(&d.ProcessorReference, o.Reference)
	}
	optional.SetText(&d.AuthCode, o.AuthCode)
	if o.Checks != nil {
		d.Checks = o.Checks
	}
	if o.Hold != nil {
		d.Hold = mergeHold(d.Hold, o.Hold)
	}
	b.KeepCredential(o)
}

// KeepCredential copies what later charges of the same card need.
func (b *Booking) KeepCredential(o *sdk.Outcome) {
	d := &b.Attempt.Details
	optional.SetText(&d.NetworkTransactionID, o.NetworkTransactionID)
	// A charge by the network's transaction id uses no stored credential, and makes none.
	if o.StoredCredential != nil && (!d.MerchantInitiated || d.StoredCredential != nil) {
		d.StoredCredential = o.StoredCredential
	}
	if o.ConnectorData != nil {
		d.ConnectorData = mergeData(d.ConnectorData, o.ConnectorData)
	}
}

func mergeData(old, new *sdk.ConnectorData) *sdk.ConnectorData {
	out := *new
	if old != nil {
		if out.Payment == "" {
			out.Payment = old.Payment
		}
		if out.Method == "" {
			out.Method = old.Method
		}
		if out.Customer == "" {
			out.Customer = old.Customer
		}
	}
	return &out
}

// fail records why the operation was refused.
func (b *Booking) fail(o *sdk.Outcome, code, text string) {
	e := &payment.AttemptError{Operation: b.Operation.Kind, Code: code, Message: text}
	if o != nil && o.Decline != nil {
		d := o.Decline
		e.Code, e.Message, e.Reason, e.NetworkCode, e.AdviceCode, e.RetryElsewhere = d.Code, d.Message, d.Reason, d.NetworkCode, d.AdviceCode, d.RetryElsewhere
	}
	b.Attempt.Details.Error = e
}

// authorize books the end of authorize, verify and complete, and a sync's report on them.
func (b *Booking) authorize(o *sdk.Outcome, m *sdk.Manifest, now time.Time) error {
	a := b.Attempt
	amount := a.Amount
	if o.Amount != nil {
		amount = o.Amount.Minor
	} else if o.Totals != nil && o.Totals.Authorized > 0 {
		amount = o.Totals.Authorized
	}
	if o.Status != sdk.StatusDeclined {
		a.Details.Error = nil
	}
	switch o.Status {
	case sdk.StatusAuthorized:
		a.Authorized = amount
		if amount < a.Amount {
			return b.approvedLess(amount, m, now)
		}
		b.raise(amount, now)
		return payment.Move(b.Payment, a, payment.TriggerAuthorized, now)
	case sdk.StatusCaptured:
		return b.Taken(o, amount, now)
	case sdk.StatusVerified:
		return payment.Move(b.Payment, a, payment.TriggerCharged, now)
	case sdk.StatusVoided:
		return payment.Move(b.Payment, a, payment.TriggerVoided, now)
	case sdk.StatusReview:
		return moveUnless(b.Payment, a, payment.Unresolved, payment.TriggerReview, now)
	case sdk.StatusPending:
		return moveUnless(b.Payment, a, payment.Pending, payment.TriggerPending, now)
	case sdk.StatusCustomerAction:
		return b.action(o, now)
	case sdk.StatusDeclined:
		b.fail(o, "declined", "declined")
		if a.Details.Error.Reason == sdk.DeclineAuthenticationFailed {
			return payment.Move(b.Payment, a, payment.TriggerAuthenticationFailed, now)
		}
		return payment.Move(b.Payment, a, payment.TriggerDeclined, now)
	}
	return errors.New("no booking for " + string(o.Status))
}

// Taken books money that the processor captured with the authorization, or that a sync found captured.
func (b *Booking) Taken(o *sdk.Outcome, amount int64, now time.Time) error {
	a := b.Attempt
	if a.Authorized == 0 {
		a.Authorized = a.Amount
	}
	if t := o.Totals; t != nil {
		if amount = t.Captured; grown(b.Payment, a, t.Authorized) {
			b.raise(t.Authorized, now)
		}
		a.Authorized = max(a.Authorized, t.Authorized)
	}
	a.Captured, a.Authorized = amount, max(a.Authorized, amount)
	switch {
	case amount < a.Authorized && b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple:
		return payment.Move(b.Payment, a, payment.TriggerPartlyChargedOpen, now) // the rest is still held
	case amount < a.Amount:
		return payment.Move(b.Payment, a, payment.TriggerPartlyCharged, now)
	}
	return payment.Move(b.Payment, a, payment.TriggerCharged, now)
}

func (b *Booking) action(o *sdk.Outcome, now time.Time) error {
	n, by, status := o.NextAction, payment.TriggerActionRequired, payment.AuthenticationPending
	if n != nil && n.Type == "device_data" {
		by, status = payment.TriggerDeviceDataRequired, payment.DeviceDataPending
	}
	if n == nil { // a sync may omit the action
		n = b.Attempt.Details.NextAction
	}
	if err := moveUnless(b.Payment, b.Attempt, status, by, now); err != nil {
		return err
	}
	b.Attempt.Details.NextAction = n
	return nil
}

// moveUnless applies the trigger unless the attempt already has status there.
func moveUnless(p *payment.Payment, a *payment.Attempt, there payment.AttemptStatus, by payment.Trigger, now time.Time) error {
	if a.Status == there {
		return nil
	}
	return payment.Move(p, a, by, now)
}

func (b *Booking) capture(o *sdk.Outcome, m *sdk.Manifest, now time.Time) error {
	a := b.Attempt
	if c := a.CaptureBy(b.Operation.ID); c != nil {
		optional.SetText(&c.ProcessorReference, o.Reference)
	}
	switch o.Status {
	case sdk.StatusCaptured:
		amount := b.Operation.Amount
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		if c := a.CaptureBy(b.Operation.ID); c != nil {
			b.claimCapture(c, o.CaptureID)
		}
		takeCapture(a, b.Operation.ID, amount, o.CaptureID)
		a.Details.Error = nil
		switch {
		case a.Captured >= a.Authorized && a.Authorized < a.Amount && b.Payment.Details.CaptureMethod != payment.CaptureManualMultiple: // all of a partial authorization
			return payment.Move(b.Payment, a, payment.TriggerPartlyCharged, now)
		case a.Captured >= a.Authorized:
			a.Authorized = a.Captured // the processor let the capture take more
			return payment.Move(b.Payment, a, payment.TriggerCharged, now)
		case b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple:
			return b.afterCapture(now)
		}
		a.Details.Released = o.Released || m.Features.ReleasesRest
		b.Release = !a.Details.Released
		return payment.Move(b.Payment, a, payment.TriggerPartlyCharged, now)
	case sdk.StatusPending:
		if c := a.CaptureBy(b.Operation.ID); c != nil {
			b.claimCapture(c, o.CaptureID)
			c.Status = payment.CapturePending
			optional.SetText(&c.ProcessorID, o.CaptureID)
		}
		if b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple {
			return b.afterCapture(now)
		}
		payment.DeriveTotals(b.Payment, a)
		b.Payment.ModifiedAt = now
		return nil
	}
	b.fail(o, "declined", "declined")
	if c := a.CaptureBy(b.Operation.ID); c != nil {
		c.Status, c.ErrorCode, c.ErrorText = payment.CaptureFailed, a.Details.Error.Code, a.Details.Error.Message
	}
	return b.captureEnded(now)
}

// captureEnded moves the attempt after a capture that did not happen.
func (b *Booking) captureEnded(now time.Time) error {
	if b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple {
		return b.afterCapture(now)
	}
	return payment.Move(b.Payment, b.Attempt, restOf(b.Attempt), now)
}

func (b *Booking) void(o *sdk.Outcome, now time.Time) error {
	a := b.Attempt
	release := a.Status == payment.PartialCharged
	switch {
	case b.lateVoid():
		if o.Status == sdk.StatusDeclined {
			b.lateVoidFailed()
		}
		a.Details.Released = o.Status == sdk.StatusVoided
		a.ModifiedAt, b.Payment.ModifiedAt = now, now
		return nil
	case o.Status == sdk.StatusVoided && release:
		a.Details.Released = true
		a.ModifiedAt, b.Payment.ModifiedAt = now, now
		return nil
	case o.Status == sdk.StatusVoided && a.Captured > 0:
		a.Details.Released, a.Details.Error = true, nil
		return payment.Move(b.Payment, a, payment.TriggerPartlyCharged, now)
	case o.Status == sdk.StatusVoided:
		a.Details.Error = nil
		return moveUnless(b.Payment, a, payment.Voided, payment.TriggerVoided, now)
	case o.Status == sdk.StatusPending:
		b.Payment.ModifiedAt = now
		return nil
	case release: // the hold lapses by itself; the alarm lets an operator know
		b.fail(o, "declined", "declined")
		b.Alarms = append(b.Alarms, alarm.ReleaseRefused)
		return nil
	}
	b.fail(o, "declined", "declined")
	b.forgetCancel()
	return payment.Move(b.Payment, a, restOf(a), now)
}

// forgetCancel ends a wish to cancel that the processor refused, so that the merchant may capture what stays held.
func (b *Booking) forgetCancel() {
	if b.Attempt.Authorized > 0 {
		b.Attempt.Details.CancelWanted = false
	}
}

// close ends the operation and frees the payment's slot. A pending operation stays scheduled for syncs, without the slot.
func (b *Booking) close(v Verdict, now time.Time) {
	if b.Payment.OpenOperation == b.Operation.ID {
		b.Payment.OpenOperation = ""
	}
	end(b.Operation, v, now)
	planRecheck(b.Operation, v, b.Attempt)
	if v.Status == payment.OperationDeclined && b.Operation.Kind == sdk.OpVoid && b.Attempt.Holds() { // perhaps because somebody else has captured
		b.Operation.ResolveAt = now.Add(ResolveDelay(payment.OperationUnknown, 0))
	}
}

// planRecheck lets background work ask the processor again about an operation that ended without its word. a may be nil for a refund.
func planRecheck(o *payment.Operation, v Verdict, a *payment.Attempt) {
	if v.Status == payment.OperationNotActed && !v.unsent || v.said {
		o.ResolveAt = RecheckAt(o, a)
	}
}

// end ends the operation. A pending operation stays scheduled for syncs.
func end(o *payment.Operation, v Verdict, now time.Time) {
	o.Status, o.ErrorText = v.Status, v.Text
	o.Owner, o.LeaseUntil = "", time.Time{}
	o.ResolveAt, o.ResolveTries = time.Time{}, 0
	if v.Status == payment.OperationPending {
		o.ResolveAt = now.Add(ResolveDelay(payment.OperationPending, 0))
	} else {
		o.ClosedAt = now
	}
	if v.Outcome == nil || v.Outcome.Status != sdk.StatusCustomerAction {
		o.Instrument = nil // card and CVC live until here; they stay while the customer acts, because the authorization goes on
	}
	if v.Outcome != nil {
		o.Outcome, _ = json.Marshal(v.Outcome)
	}
}

// impossible leaves the rows as they were and the operation unknown, and raises an alarm: a person has to look.
func (b *Booking) impossible(p *payment.Payment, a *payment.Attempt, op *payment.Operation, cause error, now time.Time) Booking {
	o := *op
	o.ResolveTries++ // the next look would find the same
	out := Booking{Payment: p.Clone(), Attempt: a.Clone(), Operation: &o, Alarms: append(b.Alarms, alarm.ImpossibleTransition)}
	out.unknown(Verdict{Status: payment.OperationUnknown, Text: cause.Error()}, now)
	return out
}

// BookEvidence books the report on a payment without an open operation on copies of the rows: another party captured or released it at the
// processor. nil means that the report changes nothing; kind is the alarm to raise, "" for none.
func BookEvidence(p *payment.Payment, a *payment.Attempt, m *sdk.Manifest, o *sdk.Outcome, now time.Time) (b *Booking, kind alarm.Kind) {
	b = &Booking{Payment: p.Clone(), Attempt: a.Clone(), Operation: &payment.Operation{Kind: sdk.OpSync}}
	if a.Status == payment.Pending || a.Status == payment.Authorizing { // an operator set it so
		return b.bookHeld(o, now)
	}
	var err error
	switch o.Status {
	case sdk.StatusCaptured:
		o = withRelayed(a, o)
		amount := a.Authorized
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		if o.Totals != nil {
			amount = o.Totals.Captured
		}
		if !plausible(o, p, a) {
			return nil, alarm.AmountMismatch
		}
		if done, err := b.lateCapture(o, now); err != nil {
			return nil, alarm.ImpossibleTransition
		} else if done {
			return b, ""
		}
		if a.Status == payment.Charged || a.Status == payment.PartialCharged || a.Status == payment.CaptureReview {
			if done, err := b.bookMoreCaptured(o, now); err != nil {
				return nil, alarm.ImpossibleTransition
			} else if !done {
				return nil, ""
			}
			return b, ""
		}
		if a.Unsettled() > 0 { // what the open captures have taken is booked with their end
			return nil, ""
		}
		if t := o.Totals; amount == a.Captured && t != nil && a.Status == payment.PartialChargedAndChargeable && grown(p, a, t.Authorized) { // a relay has raised what is held
			b.raise(t.Authorized, now)
			return b, ""
		}
		if restReleased(a, o) {
			b.Attempt.Details.Released = true
			if err = payment.Move(b.Payment, b.Attempt, payment.TriggerPartlyCharged, now); err != nil {
				return nil, alarm.ImpossibleTransition
			}
			return b, ""
		}
		if amount <= a.Captured {
			return nil, ""
		}
		err = b.Taken(o, amount, now)
	case sdk.StatusVoided:
		switch {
		case reportsReversal(a, o, m):
			err = b.bookReversal(o, now)
		case a.Status == payment.PartialCharged: // nothing was known of the rest: it is released
			b.Attempt.Details.Released, b.Attempt.ModifiedAt, b.Payment.ModifiedAt = true, now, now
		case a.Captured > 0: // the rest was released: what is captured stays captured
			b.Attempt.Details.Released = true
			err = payment.Move(b.Payment, b.Attempt, payment.TriggerPartlyCharged, now)
		default:
			err = payment.Move(b.Payment, b.Attempt, payment.TriggerVoided, now)
		}
	case sdk.StatusAuthorized:
		if !raisedLate(p, a, o) {
			return nil, ""
		}
		held, _ := heldBy(o)
		if b.raise(held, now); raisedTo(b.Attempt, held) != nil {
			raisedTo(b.Attempt, held).Status = payment.IncrementSuccess
		}
	default:
		return nil, ""
	}
	if err != nil {
		return nil, alarm.ImpossibleTransition
	}
	return b, ""
}

// bookHeld books what the processor holds of an attempt that an operator has left waiting, although none of its operations is open. What was
// captured already stays captured.
func (b *Booking) bookHeld(o *sdk.Outcome, now time.Time) (_ *Booking, kind alarm.Kind) {
	a := b.Attempt
	amount, named := amountOf(o)
	switch o.Status {
	case sdk.StatusCaptured:
		if !plausible(o, b.Payment, a) || named && amount < a.Captured {
			return nil, alarm.AmountMismatch
		}
	case sdk.StatusAuthorized:
		if named && amount > mostOf(b.Payment, a) || a.Captured > 0 {
			return nil, alarm.AmountMismatch
		}
	case sdk.StatusDeclined, sdk.StatusVoided:
		if a.Captured > 0 {
			return nil, alarm.AmountMismatch
		}
	default:
		return nil, ""
	}
	if err := b.authorize(o, &sdk.Manifest{}, now); err != nil {
		return nil, alarm.ImpossibleTransition
	}
	return b, ""
}

// Verdict is the engine's judgement of an adapter's answer. The engine trusts no adapter with money.
type Verdict struct {
	Status  payment.OperationStatus
	Outcome *sdk.Outcome // nil if there is no outcome to book
	Reject  *sdk.Reject
	Text    string     // why the operation failed or is unknown
	Alarm   alarm.Kind // the problem that a person must look at, "" for no alarm
	// Again is the latest time of the next look, zero for the usual schedule.
	Again time.Time
	// AskedAt is the time at which the look-up began that the verdict follows from, zero for a verdict that follows from no look-up.
	AskedAt time.Time
	// mismatch is true if the outcome's amount or currency does not fit the request.
	mismatch bool
	// noNews is true if the report proves nothing about an operation that the processor has accepted.
	noNews bool
	// Busy is true if the operation got no turn at its account: this drive sent nothing.
	Busy bool
	// Late is true if the lease ended before the drive came to send: it sent nothing.
	Late bool
	// unsent is true if it is proven that nothing was sent, or that the processor did nothing.
	unsent bool
	// said is true for an operator's word that the processor refused the operation: the processor itself has not said so.
	said bool
	// over is true if the drive proves that the operation has failed for good: see Over.
	over bool
	// givenUp is true if no other operation is to be sent in the place of this one.
	givenUp bool
	// Fault is set if the drive ended by the adapter's fault.
	Fault *fault.Adapter
}

// alarms returns the alarm that the verdict raises, nil for none.
func (v Verdict) alarms() []alarm.Kind {
	if v.Alarm == "" {
		return nil
	}
	return []alarm.Kind{v.Alarm}
}

// Silent reports whether the verdict brings no answer about the operation: nothing was sent, nothing was found, or nothing is known.
func (v Verdict) Silent() bool { return v.Outcome == nil || v.Status == payment.OperationUnknown }
