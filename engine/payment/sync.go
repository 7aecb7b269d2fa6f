package payment

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// ResolveDelay returns the time until the next look at an open operation. An unknown operation is due soon, since money depends on it. A
// pending one is due after 60 s, then five times after 300 s, then hourly for three days, then daily without end: by then most customers have
// abandoned the payment.
func ResolveDelay(s OperationStatus, tries int) time.Duration {
	if s == OperationPending {
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

// AskBy brings the next query about an operation without an end forward to at, if it is later.
func (o *Operation) AskBy(at time.Time) {
	if (o.Status.Open() || o.Status == OperationPending) && o.ResolveAt.After(at) {
		o.ResolveAt = at
	}
}

// AwaitsEnd reports whether an attempt in status s waits for the end of a pending operation.
func AwaitsEnd(s AttemptStatus) bool {
	switch s {
	case Pending, Authorizing, AuthenticationPending, DeviceDataPending, Unresolved, CaptureInitiated, VoidInitiated:
		return true
	}
	return false
}

func EndPending(op *Operation, now time.Time) {
	op.Status, op.ClosedAt, op.ResolveAt, op.LeaseUntil, op.Owner, op.Instrument = OperationSucceeded, now, time.Time{}, time.Time{}, "", nil
}

// InterpretSync derives the open operation's verdict from a sync's report on the payment. final is true if a report that nothing happened can be
// believed.
func InterpretSync(op *Operation, a *Attempt, o *sdk.Outcome, final bool) Verdict {
	notYet := Verdict{Status: OperationUnknown, Text: "the processor does not know the payment; the answer comes too early to be final"}
	if op.Status == OperationPending {
		notYet = Verdict{Status: OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusPending}, noNews: true}
	}
	switch op.Kind {
	case sdk.OpIncrementalAuthorize:
		return readIncrement(op, a, o, final, notYet)
	case sdk.OpExtendAuthorization:
		return readExtension(op, o, final, notYet)
	}
	if op.Kind != sdk.OpCapture && !Plausible(o, a) {
		return Verdict{Status: OperationSucceeded, Outcome: o, mismatch: true, Alarm: "amount_mismatch", Text: "the processor reports an amount that differs from the requested one"}
	}
	switch op.Kind {
	case sdk.OpCapture:
		return readCapture(op, a, o, final, notYet)
	case sdk.OpVoid:
		switch {
		case a.Authorized == 0 && o.Status == sdk.StatusDeclined: // the payment ended at the processor before the customer acted
			ended := *o
			ended.Status, ended.Decline = sdk.StatusVoided, nil
			return Verdict{Status: OperationSucceeded, Outcome: &ended}
		case o.Status == sdk.StatusVoided:
			return Verdict{Status: OperationSucceeded, Outcome: o}
		case o.Status == sdk.StatusPending:
			return Verdict{Status: OperationPending, Outcome: o}
		case final:
			return Verdict{Status: OperationNotActed, Text: "the void did not happen"}
		}
		return notYet
	}
	switch o.Status {
	case sdk.StatusNotFound:
		if final {
			return Verdict{Status: OperationNotActed, Text: "the processor does not know this payment"}
		}
		return notYet
	case sdk.StatusDeclined:
		return Verdict{Status: OperationDeclined, Outcome: o}
	case sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusReview:
		return Verdict{Status: OperationPending, Outcome: o}
	}
	return Verdict{Status: OperationSucceeded, Outcome: o}
}

// Plausible reports whether the amounts in a sync's report can be true. The caller has checked the currency.
func Plausible(o *sdk.Outcome, a *Attempt) bool {
	if t := o.Totals; t != nil {
		return min(t.Authorized, t.Captured, t.Refunded) >= 0 && t.Captured <= max(a.Amount, a.Authorized)
	}
	return o.Amount == nil || o.Fits(sdk.Money{Minor: a.Amount, Currency: o.Amount.Currency})
}

func readCapture(op *Operation, a *Attempt, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	taken := int64(0)
	switch {
	case o.Totals != nil:
		taken = o.Totals.Captured - a.Captured
	case o.Status == sdk.StatusCaptured:
		taken = op.Amount
	}
	switch {
	case taken > op.Amount:
		return Verdict{Status: OperationUnknown, Alarm: "amount_mismatch", Text: "the processor reports a larger capture than the requested one"}
	case o.Status == sdk.StatusDeclined && o.CaptureID != "" && a.captureIs(op.ID, o.CaptureID):
		return Verdict{Status: OperationDeclined, Outcome: o}
	case taken > 0:
		c := *o
		c.Status, c.Amount = sdk.StatusCaptured, &sdk.Money{Minor: taken}
		return Verdict{Status: OperationSucceeded, Outcome: &c}
	case o.Status == sdk.StatusPending:
		return Verdict{Status: OperationPending, Outcome: o}
	case final:
		return Verdict{Status: OperationNotActed, Text: "the capture did not happen"}
	}
	return notYet
}

// TellsNews reports whether a pending answer brings news, such as a redirect for an operation that was pending.
func TellsNews(a *Attempt, v Verdict) bool {
	if v.noNews {
		return false
	}
	switch v.Outcome.Status {
	case sdk.StatusPending:
		return a.Status == Unresolved
	case sdk.StatusCustomerAction:
		return a.Status == Pending || a.Status == Authorizing
	case sdk.StatusReview:
		return a.Status != Unresolved
	}
	return true
}

// AlreadyShows reports whether the attempt's state already includes an outcome.
func (a *Attempt) AlreadyShows(o *sdk.Outcome) bool {
	switch o.Status {
	case sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusReview, sdk.StatusNotFound, sdk.StatusUnknown:
		return true // once the operation has ended, such a status brings no news
	case sdk.StatusAuthorized:
		return (a.Authorized > 0 || a.Captured > 0) && !a.raisedLate(o)
	case sdk.StatusVerified:
		return a.Status == Charged
	case sdk.StatusCaptured:
		amount := a.Authorized
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		if o.Totals != nil {
			amount = o.Totals.Captured
		}
		return a.Captured > 0 && amount <= a.Captured
	case sdk.StatusVoided:
		return a.Status == Voided || a.Status == VoidedPostCharge || a.Details.Released
	case sdk.StatusDeclined:
		return a.Status.Payment() == Failed || a.Status == Voided && a.Authorized == 0 || o.CaptureID != "" && a.CaptureFailed(o.CaptureID)
	}
	return false
}

// captureFailed reports whether the capture with the processor's id is booked as failed.
func (a *Attempt) CaptureFailed(id string) bool {
	return slices.ContainsFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.ProcessorID == id && c.Status == CaptureFailed })
}

// Approved reports whether the processor has agreed to the request.
func Approved(s AttemptStatus) bool {
	switch s {
	case Authorized, PartiallyAuthorized, Charged, PartialCharged, PartialChargedAndChargeable:
		return true
	}
	return false
}

// Refused reports whether an attempt ended without the processor's agreement.
func Refused(s AttemptStatus) bool { return s.Terminal() && !Approved(s) || s == PaymentMethodAwaited }

// CardTokenTime is how long payswitch keeps the card of an unconfirmed payment.
const CardTokenTime = 15 * time.Minute
