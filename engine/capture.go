package engine

import (
	"context"
	"slices"
	"time"

	"payswitch/sdk"
)

// CapturePayment takes what is held, whole or in part. After one partial capture with capture_method manual the rest is released at
// the processor: by the capture itself where the processor does that, else by a void that is made durable together with it.
func (e *Engine) CapturePayment(ctx context.Context, auth Auth, id string, in *CaptureInput) (*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	return e.changes.changePayment(ctx, auth, id, func(w *loaded) (*Change, error) {
		amount, err := e.captureAmount(ctx, w, in)
		if err != nil {
			return nil, err
		}
		setText(&w.p.Details.DescriptorName, in.DescriptorName)
		setText(&w.p.Details.DescriptorSuffix, in.DescriptorSuffix)
		now := e.now().UTC().Truncate(time.Millisecond)
		e.driver.begin(&w.run, sdk.OpCapture, amount, now)
		w.req.FinalCapture = w.p.Details.CaptureMethod != captureManualMultiple || w.a.Captured+amount >= w.a.Authorized
		n := len(w.a.Details.Captures) + 1
		w.a.Details.Captures = append(w.a.Details.Captures, CaptureRecord{ID: attemptID(w.a.ID, n), Sequence: n, OperationID: w.op.ID,
			Amount: amount, Status: captureStarted, At: now})
		return e.intent(w, TriggerCaptureStart, now)
	})
}

// captureAmount checks a capture in the contract's order: status, capture method, amount over zero, amount within what is held.
func (e *Engine) captureAmount(ctx context.Context, w *loaded, in *CaptureInput) (int64, error) {
	p := w.p
	if !p.Status.facts().Capture {
		return 0, wrongState("captured", "payment.status", string(p.Status), statusList(RequiresCapture, PartiallyCapturedAndCapturable, Processing))
	}
	switch method := p.Details.CaptureMethod; method {
	case captureManual, captureManualMultiple:
	default:
		return 0, wrongState("captured", "capture_method", method, "manual, manual_multiple, scheduled")
	}
	amount := p.Capturable
	switch {
	case in.Amount != nil:
		amount = *in.Amount
	case p.Details.CaptureMethod == captureManualMultiple:
		return 0, Missing("amount_to_capture")
	}
	if amount <= 0 {
		return 0, BadFormat("amount", "positive integer").About("amount_to_capture")
	}
	if amount > p.Capturable {
		return 0, Unprocessable("amount_to_capture", "amount_to_capture is greater than amount")
	}
	if err := e.changes.withAccount(ctx, w); err != nil {
		return 0, err
	}
	if amount < p.Capturable && !w.adapter.Manifest.Features.PartialCapture || !slices.Contains(w.adapter.Manifest.Operations, sdk.OpCapture) {
		return 0, &Error{Kind: KindInvalid, Code: "IR_20", Message: "partial capture flow not supported", Param: "amount_to_capture", Connector: w.account.Connector}
	}
	return amount, nil
}

func wrongState(verb, field, value, expected string) *Error {
	return &Error{Kind: KindInvalid, Code: "IR_14",
		Message: "This Payment could not be " + verb + " because it has a " + field + " of " + value + ". The expected state is " + expected}
}
