package engine

import (
	"context"
	"slices"
	"strconv"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// CapturePayment takes all or part of the held amount. With capture_method manual, one capture may be partial, and the processor releases
// the rest. Some processors release it with the capture. For the others the engine voids the rest, and makes that void durable together
// with the capture's result.
func (e *Engine) CapturePayment(ctx context.Context, auth account.Auth, id string, in *request.CaptureInput) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return e.changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		amount, err := e.captureAmount(ctx, w, in)
		if err != nil {
			return nil, err
		}
		optional.SetText(&w.Payment.Details.DescriptorName, in.DescriptorName)
		optional.SetText(&w.Payment.Details.DescriptorSuffix, in.DescriptorSuffix)
		now := e.now().UTC().Truncate(time.Millisecond)
		e.driver.Begin(&w.Run, sdk.OpCapture, amount, now)
		a := w.Attempt
		w.Request.FinalCapture = w.Payment.Details.CaptureMethod != payment.CaptureManualMultiple || a.Captured+a.Unsettled()+amount >= a.Authorized
		c := a.AddCapture(w.Operation.ID, amount, w.Operation.StartedAt)
		if e.Holds(w.Payment.CreatedAt) { // a capture that was lost with the database may have the same number
			c.ID += "r" + w.Operation.ID[len(w.Operation.ID)-6:]
		}
		c.Reference = drive.CaptureReference(w.Adapter.Manifest.Reference, a, c.ID, now)
		w.Request.CaptureReference = c.Reference
		return e.intent(w, payment.TriggerCaptureStart, now)
	})
}

// captureAmount checks a capture in the contract's order: status, an amount that was sent, capture method, an amount that is missing.
func (e *Engine) captureAmount(ctx context.Context, w *change.Loaded, in *request.CaptureInput) (int64, error) {
	p, multiple := w.Payment, w.Payment.Details.CaptureMethod == payment.CaptureManualMultiple
	if !payment.MayCapture(p, w.Attempt) && (p.Status != payment.Processing || multiple) {
		expected := []payment.Status{payment.RequiresCapture, payment.PartiallyCapturedAndCapturable, payment.Processing}
		if p.Status == payment.Processing { // no capture waits: another operation does
			expected = expected[:2]
		}
		return 0, fault.WrongState("captured", "payment.status", string(p.Status), request.StatusList(expected...)).WithHint(p.Status.Remedy())
	}
	amount := p.Capturable
	if in.Amount != nil {
		amount = *in.Amount
		if err := checkCaptureAmount(w, in, amount); err != nil {
			return 0, err
		}
	}
	switch m := string(p.Details.CaptureMethod); {
	case p.Status == payment.Processing && !multiple:
		return 0, fault.WrongState("captured", "capture_method", m, string(payment.CaptureManualMultiple)).WithHint("Wait until the status is requires_capture, or create payments with capture_method manual_multiple.")
	case p.Details.CaptureMethod != payment.CaptureManual && !multiple:
		return 0, fault.WrongState("captured", "capture_method", m, "manual, manual_multiple, scheduled").WithHint("Create payments that you capture yourself with capture_method manual.")
	case in.Amount == nil && multiple:
		return 0, fault.Missing("amount_to_capture")
	}
	if err := checkCaptureAmount(w, in, amount); err != nil {
		return 0, err
	}
	switch {
	case p.OpenOperation != "":
		return 0, fault.Refused("You cannot capture this payment because the result of an earlier operation is not known yet").WithParam("status").
			WithHint("Retrieve the payment with force_sync=true, and capture again.")
	case len(w.Attempt.Details.Captures) >= payment.MaxCaptures:
		return 0, fault.Refused("You cannot capture this payment because it has " + strconv.Itoa(payment.MaxCaptures) + " captures already").WithParam("amount_to_capture").WithHint("Capture the rest with another payment.")
	}
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return 0, err
	}
	if err := e.MayCapture(ctx, p, w.Attempt); err != nil {
		return 0, err
	}
	if amount > p.Capturable {
		if err := e.changes.Methods.MandateAllows(ctx, p, w.Attempt, w.Attempt.Captured+amount); err != nil {
			return 0, err
		}
	}
	if amount < p.Capturable && !w.Adapter.Manifest.Features.PartialCapture || !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpCapture) {
		return 0, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "partial capture flow not supported", Param: "amount_to_capture", Connector: w.Account.Connector}
	}
	return amount, nil
}

// checkCaptureAmount checks the amount of a capture against what a person's click allows, and against what is held. More than what is held may be captured
// where the processor grants an overcapture, up to the highest amount of a payment.
func checkCaptureAmount(w *change.Loaded, in *request.CaptureInput, amount int64) error {
	if amount <= 0 {
		return fault.BadFormat("amount", "positive integer").WithParam("amount_to_capture").WithHint("Send a whole number above zero.")
	}
	if err := in.Within(w.Attempt, amount); err != nil {
		return err
	}
	held := w.Payment.Capturable
	switch {
	case amount <= held:
		return nil
	case !optional.IsTrue(payment.OvercaptureAllowed(w.Payment, w.Attempt)):
		return fault.Unprocessable("amount_to_capture", "amount_to_capture is greater than amount").WithHint("Send at most " + strconv.FormatInt(held, 10) + ".")
	case amount > payment.MaxAmount:
		return fault.Refused("amount should be less than or equal to " + strconv.Itoa(payment.MaxAmount)).WithParam("amount_to_capture").WithHint("Send a whole number from 1 to " + strconv.Itoa(payment.MaxAmount) + ".")
	}
	return nil
}
