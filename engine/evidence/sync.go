package evidence

import (
	"encoding/json"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// ResolveDelay returns the time until the next look at an open operation. An unknown operation is due soon, since money depends on it. A
// pending one is due after 60 s, then five times after 300 s, then hourly for three days, then daily without end: by then most customers have
// abandoned the payment.
func ResolveDelay(s payment.OperationStatus, tries int) time.Duration {
	if s == payment.OperationPending {
		switch {
		case tries == 0:
			return time.Minute
		case tries <= 5:
			return 5 * time.Minute
		case tries <= 5+3*24:
			return time.Hour
		}
		return 24 * time.Hour
	}
	return min(2*time.Second<<min(tries, 10), 10*time.Minute)
}

func EndPending(op *payment.Operation, now time.Time) {
	op.Status, op.ClosedAt, op.ResolveAt, op.LeaseUntil, op.Owner, op.Instrument = payment.OperationSucceeded, now, time.Time{}, time.Time{}, "", nil
}

// InterpretSync derives the open operation's verdict from a sync's report on the payment. final is true if a report that nothing happened can be
// believed.
func InterpretSync(op *payment.Operation, p *payment.Payment, a *payment.Attempt, o *sdk.Outcome, final bool) Verdict {
	notYet := Verdict{Status: payment.OperationUnknown, Text: "the processor does not know the payment; the answer comes too early to be final"}
	if op.Status == payment.OperationPending {
		notYet = Verdict{Status: payment.OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusPending}, noNews: true}
	}
	if op.Kind == sdk.OpVoid && RefusesCancel(o) {
		refused := *o
		refused.Status = sdk.StatusDeclined
		return Verdict{Status: payment.OperationDeclined, Outcome: &refused}
	}
	if a.VoidsCaptured(op) {
		return readCapturedVoid(a, o, final, notYet)
	}
	switch op.Kind {
	case sdk.OpIncrementalAuthorize:
		return readIncrement(op, a, o, final, notYet)
	case sdk.OpExtendAuthorization:
		return readExtension(op, o, final, notYet)
	}
	if op.Kind != sdk.OpCapture && !plausible(o, p, a) {
		return Verdict{Status: payment.OperationSucceeded, Outcome: o, mismatch: true, Alarm: alarm.AmountMismatch, Text: "the processor reports an amount that differs from the requested one"}
	}
	switch op.Kind {
	case sdk.OpCapture:
		return readCapture(op, p, a, o, final, notYet)
	case sdk.OpVoid:
		switch {
		case a.Authorized == 0 && o.Status == sdk.StatusDeclined: // the payment ended at the processor before the customer acted
			ended := *o
			ended.Status, ended.Decline = sdk.StatusVoided, nil
			return Verdict{Status: payment.OperationSucceeded, Outcome: &ended}
		case o.Status == sdk.StatusVoided:
			return Verdict{Status: payment.OperationSucceeded, Outcome: o}
		case o.Status == sdk.StatusPending:
			return Verdict{Status: payment.OperationPending, Outcome: o}
		case final:
			return Verdict{Status: payment.OperationNotActed, Text: "the void did not happen"}
		}
		return notYet
	}
	switch o.Status {
	case sdk.StatusNotFound:
		if final {
			return Verdict{Status: payment.OperationNotActed, Text: "the processor does not know this payment"}
		}
		return notYet
	case sdk.StatusDeclined:
		return Verdict{Status: payment.OperationDeclined, Outcome: o}
	case sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusReview:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	}
	return Verdict{Status: payment.OperationSucceeded, Outcome: o}
}

// RefusesCancel reports whether a message says that the processor has refused a cancel. It is no evidence of money: the payment is as it was, which may
// be anything.
func RefusesCancel(o *sdk.Outcome) bool { return o.Status == sdk.StatusAuthorized && o.Decline != nil }

// RefusedCancelBefore reports whether the refusal of a cancel has ended a cancel of the attempt before: the processor delivers its message again. Without the
// processor's id of the cancel it cannot be known.
func RefusedCancelBefore(ops []*payment.Operation, attemptID string, o *sdk.Outcome) bool {
	return o.Reference != "" && slices.ContainsFunc(ops, func(op *payment.Operation) bool {
		var by sdk.Outcome
		return op.AttemptID == attemptID && op.Kind == sdk.OpVoid && op.Status == payment.OperationDeclined && json.Unmarshal(op.Outcome, &by) == nil && by.Reference == o.Reference
	})
}

// plausible reports whether the amounts in a sync's report can be true. The caller has checked the currency.
func plausible(o *sdk.Outcome, p *payment.Payment, a *payment.Attempt) bool {
	most := mostOf(p, a)
	if t := o.Totals; t != nil {
		return min(t.Authorized, t.Captured, t.Refunded) >= 0 && t.Captured <= most
	}
	return o.Amount == nil || o.Fits(sdk.Money{Minor: most, Currency: o.Amount.Currency})
}

// Empty reports whether the report behind the verdict proves nothing about an operation that the processor has accepted.
func (v Verdict) Empty() bool { return v.noNews }

// BringsNews reports whether a pending answer brings news, such as a redirect for an operation that was pending.
func BringsNews(a *payment.Attempt, v Verdict) bool {
	if v.noNews {
		return false
	}
	switch v.Outcome.Status {
	case sdk.StatusPending:
		return a.Status == payment.Unresolved
	case sdk.StatusCustomerAction:
		return a.Status == payment.Pending || a.Status == payment.Authorizing
	case sdk.StatusReview:
		return a.Status != payment.Unresolved
	}
	return true
}

// AttemptShows reports whether the attempt's state already includes an outcome.
func AttemptShows(p *payment.Payment, a *payment.Attempt, o *sdk.Outcome) bool {
	switch o.Status {
	case sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusReview, sdk.StatusNotFound, sdk.StatusUnknown:
		return true // once the operation has ended, such a status brings no news
	case sdk.StatusAuthorized:
		return (a.Authorized > 0 || a.Captured > 0) && !raisedLate(p, a, o)
	case sdk.StatusVerified:
		return a.Status == payment.Charged
	case sdk.StatusCaptured:
		if restReleased(a, o) {
			return false
		}
		amount, shown := a.Authorized, a.Captured
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		if o.Totals != nil {
			amount = o.Totals.Captured
		} else if c := a.CaptureNamed(o.CaptureID); c != nil {
			return c.Status == payment.CaptureCharged && (o.Amount == nil || amount == c.Amount || amount == shown) // of this capture, or the sum of all
		} else if a.RelayTook(o.CaptureID) {
			return a.Missing() == 0
		} else if a.MayBeAnother("", o.CaptureID) {
			return amount == shown || slices.ContainsFunc(a.Details.Captures, func(c payment.CaptureRecord) bool {
				return c.Status == payment.CaptureCharged && c.ProcessorID == "" && (o.Amount == nil || c.Amount == amount)
			})
		}
		return shown > 0 && amount <= shown
	case sdk.StatusVoided:
		return a.Status == payment.Voided || a.Status == payment.VoidedPostCharge || a.Details.Released && a.Details.CapturedVoid == nil
	case sdk.StatusDeclined:
		return a.Status.Payment() == payment.Failed || a.Status == payment.Voided && a.Authorized == 0 || o.CaptureID != "" && a.CaptureFailed(o.CaptureID)
	}
	return false
}

// restReleased reports whether a report says that the processor has released what the attempt shows as held besides its captures.
func restReleased(a *payment.Attempt, o *sdk.Outcome) bool {
	amount, named := amountOf(o)
	return o.Status == sdk.StatusCaptured && o.Released && named && amount == a.Captured && a.Status == payment.PartialChargedAndChargeable && a.Unsettled() == 0
}
