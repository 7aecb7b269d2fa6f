package evidence

import (
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// JudgeResolution returns the verdict that follows from the operator's word, by the rules for a processor's report. r is the refund that op performs, nil for
// another operation. It is pure.
func JudgeResolution(s *payment.Resolution, p *payment.Payment, a *payment.Attempt, r *payment.Refund, op *payment.Operation) Verdict {
	switch s.Outcome {
	case payment.FoundNotDone:
		if op.Unsent() {
			return Verdict{Status: payment.OperationNotActed, unsent: true, givenUp: true, Text: "an operator gave it up before anything was sent"}
		}
		return Verdict{Status: payment.OperationNotActed, Text: "an operator found that the processor never acted"}
	case payment.FoundDeclined:
		return Verdict{Status: payment.OperationDeclined, said: true, Outcome: &sdk.Outcome{Status: sdk.StatusDeclined,
			Decline: &sdk.Decline{Code: "declined", Message: "The processor refused it, as an operator found.", Reason: sdk.DeclineGeneric}}}
	}
	o := &sdk.Outcome{Amount: &sdk.Money{Minor: s.Amount, Currency: p.Currency}}
	switch op.Kind {
	case sdk.OpRefund:
		o.Status, o.RefundID = sdk.StatusRefunded, s.Reference
		return InterpretRefund(op, r, o, true)
	case sdk.OpAcceptDispute, sdk.OpSubmitEvidence:
		return Verdict{Status: payment.OperationSucceeded, Outcome: &sdk.Outcome{Status: sdk.StatusDisputed, Dispute: &sdk.Dispute{Status: showsAnswer[op.Kind][0]}}}
	case sdk.OpCapture:
		o.Status, o.CaptureID = sdk.StatusCaptured, s.Reference
		if s.Amount <= op.Amount { // the word is about this one of several captures
			return Verdict{Status: payment.OperationSucceeded, Outcome: o}
		}
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
		if m := p.Details.CaptureMethod; m == payment.CaptureManual || m == payment.CaptureManualMultiple {
			o.Status = sdk.StatusAuthorized
		}
	}
	return InterpretSync(op, p, a, o, true)
}

// Contradicted reports whether a processor's report on the attempt says that the operator's word on op was wrong. a is the attempt before the
// report is booked. A report of a refund is compared with the refund instead.
func Contradicted(s *payment.Resolution, op *payment.Operation, p *payment.Payment, a *payment.Attempt, o *sdk.Outcome) bool {
	if op.Kind == sdk.OpExtendAuthorization {
		return false // no money depends on it
	}
	if op.OnHold() {
		held, named := heldBy(o)
		if s.Outcome == payment.FoundSucceeded {
			return named && held < op.Amount && o.Status == sdk.StatusAuthorized && a.Captured == 0
		}
		return named && held == op.Amount && a.Authorized < held
	}
	if s.Outcome != payment.FoundSucceeded {
		want := map[sdk.Operation]sdk.OutcomeStatus{sdk.OpCapture: sdk.StatusCaptured, sdk.OpVoid: sdk.StatusVoided}[op.Kind]
		if want == "" { // an operation that charges
			return o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured || o.Status == sdk.StatusVerified
		}
		return o.Status == want && !AttemptShows(p, a, o)
	}
	switch op.Kind {
	case sdk.OpCapture:
		if t := o.Totals; t != nil && (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) {
			return t.Captured < a.Captured
		}
		return o.Status == sdk.StatusDeclined && o.CaptureID != "" && captureIs(a, op.ID, o.CaptureID)
	case sdk.OpVoid:
		return o.Status == sdk.StatusCaptured && (a.Captured == 0 || a.Status == payment.VoidedPostCharge)
	}
	switch o.Status {
	case sdk.StatusDeclined:
		return o.CaptureID == ""
	case sdk.StatusNotFound:
		return true
	case sdk.StatusAuthorized:
		amount, named := amountOf(o)
		return named && amount != s.Amount && a.Captured == 0 && op.Kind != sdk.OpVerify && len(a.Details.Increments) == 0
	case sdk.StatusCaptured:
		amount, named := amountOf(o)
		return named && amount < s.Amount && len(a.Details.Captures) == 0
	}
	return false
}

// amountOf returns the amount that a report names: the total, else the amount of its one event. named is false for a report without an amount.
func amountOf(o *sdk.Outcome) (amount int64, named bool) {
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
