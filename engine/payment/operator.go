package payment

import (
	"time"

	"payswitch/sdk"
)

// What an operator can say of an operation.
const (
	SaidSucceeded = "succeeded" // the processor carried it out
	SaidDeclined  = "declined"  // the processor refused it
	SaidNotDone   = "not_done"  // the processor never acted
)

// Resolution is an operator's word on an operation whose outcome payswitch could not find out. The operation keeps it for ever. The json names
// are storage format.
type Resolution struct {
	Outcome string `json:"outcome"` // one of the Said constants
	// Amount is what was held, taken or given back, in minor units; 0 unless the outcome is SaidSucceeded, and for a void.
	Amount int64 `json:"amount,omitempty"`
	// Reference is the processor's id of the payment, capture or refund; "" if the operator named none.
	Reference string `json:"reference,omitempty"`
	By        string `json:"by"`  // name of the operator
	Why       string `json:"why"` // what the word rests on
	// Was is the status that the operation had before.
	Was OperationStatus `json:"was"`
	At  time.Time       `json:"at"`
}

// Verdict is the verdict that follows from the operator's word, by the rules for a processor's report. r is the refund that op performs, nil for
// another operation. It is pure.
func (s *Resolution) Verdict(p *Payment, a *Attempt, r *Refund, op *Operation) Verdict {
	switch s.Outcome {
	case SaidNotDone:
		if op.Unsent() {
			return Verdict{Status: OperationNotActed, unsent: true, givenUp: true, Text: "an operator gave it up before anything was sent"}
		}
		return Verdict{Status: OperationNotActed, Text: "an operator found that the processor never acted"}
	case SaidDeclined:
		return Verdict{Status: OperationDeclined, said: true, Outcome: &sdk.Outcome{Status: sdk.StatusDeclined,
			Decline: &sdk.Decline{Code: "declined", Message: "The processor refused it, as an operator found.", Reason: sdk.DeclineGeneric}}}
	}
	o := &sdk.Outcome{Amount: &sdk.Money{Minor: s.Amount, Currency: p.Currency}}
	switch op.Kind {
	case sdk.OpRefund:
		o.Status, o.RefundID = sdk.StatusRefunded, s.Reference
		return InterpretRefund(op, r, o, true)
	case sdk.OpCapture:
		o.Status, o.CaptureID = sdk.StatusCaptured, s.Reference
		o.Totals = &sdk.Totals{Authorized: a.Authorized, Captured: a.Captured + s.Amount}
	case sdk.OpVoid:
		o.Status, o.Amount = sdk.StatusVoided, nil
	case sdk.OpExtendAuthorization:
		yes := true
		o.Status, o.Amount, o.Hold = sdk.StatusAuthorized, nil, &sdk.Hold{Extended: &yes}
	case sdk.OpIncrementalAuthorize:
		o.Status, o.Amount = sdk.StatusAuthorized, &sdk.Money{Minor: op.Amount, Currency: p.Currency}
	case sdk.OpVerify:
		o.Status, o.Amount, o.TransactionID = sdk.StatusVerified, nil, s.Reference
	default:
		o.Status, o.TransactionID = sdk.StatusCaptured, s.Reference
		if m := p.Details.CaptureMethod; m == CaptureManual || m == CaptureManualMultiple {
			o.Status = sdk.StatusAuthorized
		}
	}
	return InterpretSync(op, a, o, true)
}

// Contradicted reports whether a processor's report on the attempt says that the operator's word on op was wrong. a is the attempt before the
// report is booked. A report of a refund is compared with the refund instead.
func (s *Resolution) Contradicted(op *Operation, a *Attempt, o *sdk.Outcome) bool {
	if op.Kind == sdk.OpExtendAuthorization {
		return false // no money depends on it
	}
	if op.OnHold() {
		held, named := heldBy(o)
		if s.Outcome == SaidSucceeded {
			return named && held < op.Amount && o.Status == sdk.StatusAuthorized && a.Captured == 0
		}
		return named && held == op.Amount && a.Authorized < held
	}
	if s.Outcome != SaidSucceeded {
		want := map[sdk.Operation]sdk.OutcomeStatus{sdk.OpCapture: sdk.StatusCaptured, sdk.OpVoid: sdk.StatusVoided}[op.Kind]
		if want == "" { // an operation that charges
			return o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured || o.Status == sdk.StatusVerified
		}
		return o.Status == want && !a.AlreadyShows(o)
	}
	switch op.Kind {
	case sdk.OpCapture:
		if t := o.Totals; t != nil && (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) {
			return t.Captured < a.Captured
		}
		return o.Status == sdk.StatusDeclined && o.CaptureID != "" && a.captureIs(op.ID, o.CaptureID)
	case sdk.OpVoid:
		return o.Status == sdk.StatusCaptured && a.Captured == 0
	}
	switch o.Status {
	case sdk.StatusDeclined:
		return o.CaptureID == ""
	case sdk.StatusNotFound:
		return true
	case sdk.StatusAuthorized:
		amount, named := said(o)
		return named && amount != s.Amount && a.Captured == 0 && op.Kind != sdk.OpVerify && len(a.Details.Increments) == 0
	case sdk.StatusCaptured:
		amount, named := said(o)
		return named && amount < s.Amount && len(a.Details.Captures) == 0
	}
	return false
}

// ShownBy reports whether the refund has the status that the operator's word on its operation gave it. A nil word is shown by none.
func (s *Resolution) ShownBy(r *Refund) bool {
	return s != nil && r.Status.Final() && (r.Status == RefundSucceeded) == (s.Outcome == SaidSucceeded)
}

// said returns the amount that a report names: the total, else the amount of its one event. named is false for a report without an amount.
func said(o *sdk.Outcome) (amount int64, named bool) {
	switch {
	case o.Totals != nil && o.Status == sdk.StatusAuthorized:
		return o.Totals.Authorized, true
	case o.Totals != nil:
		return o.Totals.Captured, true
	case o.Amount != nil:
		return o.Amount.Minor, true
	}
	return 0, false
}
