package engine

import (
	"encoding/json"
	"errors"
	"time"

	"payswitch/sdk"
)

// booking is the result of a verdict: rows to be written in one transaction.
type booking struct {
	p  *Payment
	a  *Attempt
	op *Operation
	// release is true if the engine must void the rest of a partial capture at the processor.
	release bool
	alarms  []string
}

// book applies a verdict to copies of the rows. It is pure: the caller writes its result, or throws the result away and computes it again
// from fresher rows.
func book(p *Payment, a *Attempt, op *Operation, m *sdk.Manifest, v verdict, now time.Time) booking {
	o := *op
	b := booking{p: p.clone(), a: a.clone(), op: &o}
	if v.alarm != "" {
		b.alarms = append(b.alarms, v.alarm)
	}
	var err error
	switch {
	case v.status == OperationUnknown:
		b.unknown(v, now)
		return b
	case v.outcome == nil: // rejected, failed or not acted: nothing happened
		err = b.nothingHappened(v, now)
	case v.mismatch:
		b.keepReferences(v.outcome)
		b.fail(v.outcome, "amount_mismatch", v.text)
		err = move(b.p, b.a, TriggerMismatch, now)
	default:
		b.keepReferences(v.outcome)
		switch op.Kind {
		case sdk.OpCapture:
			err = b.capture(v.outcome, m, now)
		case sdk.OpVoid:
			err = b.void(v.outcome, now)
		default:
			err = b.authorize(v.outcome, now)
		}
	}
	if err != nil { // the evidence does not fit the state: it is neither applied nor dropped
		return b.impossible(p, a, op, err, now)
	}
	b.close(v, now)
	return b
}

// unknown keeps the payment's slot. Evidence, or an operator, resolves the operation later.
func (b *booking) unknown(v verdict, now time.Time) {
	if b.op.Status == OperationPending { // a sync that learned nothing
		return
	}
	b.op.Status, b.op.ErrorText = OperationUnknown, v.text
	b.op.Owner, b.op.LeaseUntil = "", time.Time{} // the drive has ended, so any node may resolve the operation
	if b.op.ResolveAt.IsZero() || !b.op.ResolveAt.After(now) {
		b.op.ResolveAt = now.Add(resolveDelay(OperationUnknown, b.op.ResolveTries))
	}
	if v.outcome != nil {
		b.keepReferences(v.outcome)
	}
	b.p.OpenOperation = b.op.ID
	b.p.ModifiedAt, b.a.ModifiedAt = now, now
}

// nothingHappened restores the attempt's status after an operation that never reached the processor, or on which the processor never acted.
func (b *booking) nothingHappened(v verdict, now time.Time) error {
	switch b.op.Kind {
	case sdk.OpCapture:
		if i := b.a.captureIndex(b.op.ID); i >= 0 {
			b.a.Details.Captures[i].Status, b.a.Details.Captures[i].ErrorText = captureFailed, v.text
		}
		b.fail(nil, "", v.text)
		return move(b.p, b.a, b.a.rest(), now)
	case sdk.OpVoid:
		if b.a.Status == PartialCharged { // the release of the rest of a partial capture
			return nil
		}
		b.fail(nil, "", v.text)
		return move(b.p, b.a, b.a.rest(), now)
	case sdk.OpComplete:
		if v.status == OperationNotActed {
			b.fail(nil, "not_processed", v.text)
			return move(b.p, b.a, TriggerDeclined, now)
		}
		return move(b.p, b.a, TriggerResumeWithdrawn, now)
	}
	if v.status == OperationNotActed {
		b.fail(nil, "not_processed", v.text)
		return move(b.p, b.a, TriggerDeclined, now)
	}
	b.a.Details.Card, b.a.Private = nil, &AttemptPrivate{}
	b.a.Sealed = nil
	b.a.Details.Confirmed, b.a.Details.MethodID, b.a.Details.Token = false, "", ""
	return move(b.p, b.a, TriggerWithdrawn, now)
}

// keepReferences copies the processor's ids, and the data that later calls must send back.
func (b *booking) keepReferences(o *sdk.Outcome) {
	d := &b.a.Details
	setText(&b.a.TransactionID, o.TransactionID)
	setText(&d.ProcessorReference, o.Reference)
	setText(&d.AuthCode, o.AuthCode)
	if o.Checks != nil {
		d.Checks = o.Checks
	}
	b.keepCredential(o)
}

// keepCredential copies what later charges of the same card need.
func (b *booking) keepCredential(o *sdk.Outcome) {
	d := &b.a.Details
	setText(&d.NetworkTransactionID, o.NetworkTransactionID)
	// A charge by the network's transaction id uses no stored credential, and makes none.
	if o.StoredCredential != nil && (!d.MerchantInitiated || d.StoredCredential != nil) {
		d.StoredCredential = o.StoredCredential
	}
	if o.ConnectorData != nil {
		d.ConnectorData = mergeData(d.ConnectorData, o.ConnectorData)
	}
}

func setText(to *string, v string) {
	if v != "" {
		*to = v
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
func (b *booking) fail(o *sdk.Outcome, code, text string) {
	e := &AttemptError{Operation: b.op.Kind, Code: code, Message: text}
	if o != nil && o.Decline != nil {
		d := o.Decline
		e.Code, e.Message, e.Reason, e.NetworkCode, e.AdviceCode, e.RetryElsewhere = d.Code, d.Message, d.Reason, d.NetworkCode, d.AdviceCode, d.RetryElsewhere
	}
	b.a.Details.Error = e
}

// authorize books the end of authorize, verify and complete, and a sync's report on them.
func (b *booking) authorize(o *sdk.Outcome, now time.Time) error {
	a := b.a
	amount := a.Amount
	if o.Amount != nil {
		amount = o.Amount.Minor
	}
	if o.Status != sdk.StatusDeclined {
		a.Details.Error = nil
	}
	switch o.Status {
	case sdk.StatusAuthorized:
		a.Authorized = amount
		if amount < a.Amount {
			return move(b.p, a, TriggerPartiallyAuthorized, now)
		}
		return move(b.p, a, TriggerAuthorized, now)
	case sdk.StatusCaptured:
		return b.taken(o, amount, now)
	case sdk.StatusVerified:
		return move(b.p, a, TriggerCharged, now)
	case sdk.StatusVoided:
		return move(b.p, a, TriggerVoided, now)
	case sdk.StatusReview:
		return moveUnless(b.p, a, Unresolved, TriggerReview, now)
	case sdk.StatusPending:
		return moveUnless(b.p, a, Pending, TriggerPending, now)
	case sdk.StatusCustomerAction:
		return b.action(o, now)
	case sdk.StatusDeclined:
		b.fail(o, "declined", "declined")
		if a.Details.Error.Reason == sdk.DeclineAuthenticationFailed {
			return move(b.p, a, TriggerAuthenticationFailed, now)
		}
		return move(b.p, a, TriggerDeclined, now)
	}
	return errors.New("no booking for " + string(o.Status))
}

// taken books money that the processor captured with the authorization, or that a sync found captured.
func (b *booking) taken(o *sdk.Outcome, amount int64, now time.Time) error {
	a := b.a
	if a.Authorized == 0 {
		a.Authorized = a.Amount
	}
	if o.Totals != nil {
		a.Authorized, amount = max(a.Authorized, o.Totals.Authorized), o.Totals.Captured
	}
	a.Captured = amount
	if amount < a.Amount {
		return move(b.p, a, TriggerPartlyCharged, now)
	}
	return move(b.p, a, TriggerCharged, now)
}

func (b *booking) action(o *sdk.Outcome, now time.Time) error {
	n, by, status := o.NextAction, TriggerActionRequired, AuthenticationPending
	if n != nil && n.Type == "device_data" {
		by, status = TriggerDeviceDataRequired, DeviceDataPending
	}
	if n == nil { // a sync may omit the action
		n = b.a.Details.NextAction
	}
	if err := moveUnless(b.p, b.a, status, by, now); err != nil {
		return err
	}
	b.a.Details.NextAction = n
	return nil
}

// moveUnless applies the trigger unless the attempt already has status there.
func moveUnless(p *Payment, a *Attempt, there AttemptStatus, by Trigger, now time.Time) error {
	if a.Status == there {
		return nil
	}
	return move(p, a, by, now)
}

func (b *booking) capture(o *sdk.Outcome, m *sdk.Manifest, now time.Time) error {
	a := b.a
	switch o.Status {
	case sdk.StatusCaptured:
		amount := b.op.Amount
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		a.captured(b.op.ID, amount, o.CaptureID)
		a.Details.Error = nil
		switch {
		case a.Captured >= a.Authorized:
			return move(b.p, a, TriggerCharged, now)
		case b.p.Details.CaptureMethod == captureManualMultiple:
			return move(b.p, a, TriggerPartlyChargedOpen, now)
		}
		a.Details.Released = o.Released || m.Features.ReleasesRest
		b.release = !a.Details.Released
		return move(b.p, a, TriggerPartlyCharged, now)
	case sdk.StatusPending:
		if i := a.captureIndex(b.op.ID); i >= 0 {
			a.Details.Captures[i].Status, a.Details.Captures[i].ProcessorID = capturePending, o.CaptureID
		}
		present(b.p, a)
		b.p.ModifiedAt = now
		return nil
	}
	b.fail(o, "declined", "declined")
	if i := a.captureIndex(b.op.ID); i >= 0 {
		c := &a.Details.Captures[i]
		c.Status, c.ErrorCode, c.ErrorText = captureFailed, a.Details.Error.Code, a.Details.Error.Message
	}
	return move(b.p, a, a.rest(), now)
}

func (b *booking) void(o *sdk.Outcome, now time.Time) error {
	a := b.a
	release := a.Status == PartialCharged
	switch {
	case o.Status == sdk.StatusVoided && release:
		a.Details.Released = true
		a.ModifiedAt, b.p.ModifiedAt = now, now
		return nil
	case o.Status == sdk.StatusVoided && a.Captured > 0:
		a.Details.Released, a.Details.Error = true, nil
		return move(b.p, a, TriggerPartlyCharged, now)
	case o.Status == sdk.StatusVoided:
		a.Details.Error = nil
		return move(b.p, a, TriggerVoided, now)
	case o.Status == sdk.StatusPending:
		b.p.ModifiedAt = now
		return nil
	case release: // the hold lapses by itself; the alarm lets an operator know
		b.fail(o, "declined", "declined")
		b.alarms = append(b.alarms, "release_refused")
		return nil
	}
	b.fail(o, "declined", "declined")
	return move(b.p, a, a.rest(), now)
}

// close ends the operation and frees the payment's slot. A pending operation stays scheduled for syncs, without the slot.
func (b *booking) close(v verdict, now time.Time) {
	b.op.Status, b.op.ErrorText = v.status, v.text
	if b.p.OpenOperation == b.op.ID {
		b.p.OpenOperation = ""
	}
	b.op.Owner, b.op.LeaseUntil = "", time.Time{}
	b.op.ResolveAt, b.op.ResolveTries = time.Time{}, 0
	if v.status == OperationPending {
		b.op.ResolveAt = now.Add(resolveDelay(OperationPending, 0))
	} else {
		b.op.ClosedAt = now
	}
	if v.outcome == nil || v.outcome.Status != sdk.StatusCustomerAction {
		b.op.Instrument = nil // card and CVC live until here; they stay while the customer acts, because the authorization goes on
	}
	if v.outcome != nil {
		b.op.Outcome, _ = json.Marshal(v.outcome)
	}
}

// impossible leaves the rows as they were and the operation unknown, and raises an alarm: a person has to look.
func (b *booking) impossible(p *Payment, a *Attempt, op *Operation, cause error, now time.Time) booking {
	o := *op
	out := booking{p: p.clone(), a: a.clone(), op: &o, alarms: append(b.alarms, "impossible_transition")}
	out.unknown(verdict{status: OperationUnknown, text: cause.Error()}, now)
	return out
}

// verdict is the engine's judgement of an adapter's answer. The engine trusts no adapter with money.
type verdict struct {
	status  OperationStatus
	outcome *sdk.Outcome // nil if there is no outcome to book
	reject  *sdk.Reject
	text    string // why the operation failed or is unknown
	alarm   string // the problem that a person must look at, "" for no alarm
	// again is the latest time of the next look, zero for the usual schedule.
	again time.Time
	// mismatch is true if the outcome's amount or currency does not fit the request.
	mismatch bool
	// fault is set if the drive ended by the adapter's fault.
	fault *AdapterFault
}
