package engine

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/story"
)

// Allowed returns what may be done with a payment now. It asks the same checks as CapturePayment, CancelPayment and CreateRefund, so that a page and
// the API never disagree. Only the amounts of a later moment may differ.
func (e *Engine) Allowed(ctx context.Context, auth account.Auth, id string) (*story.Actions, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	load := func() (*change.Loaded, error) { return e.changes.Load(ctx, auth.MerchantID, id) }
	w, err := load()
	if err != nil {
		return nil, err
	}
	p := w.Payment
	out := &story.Actions{Ask: p.Status.Facts().Sync && w.Attempt.AccountID != ""}
	if p.OpenOperation == "" {
		out.Capture.Most, err = e.captureAmount(ctx, w, &request.CaptureInput{Amount: &p.Capturable})
		if out.Capture, err = action(out.Capture.Most, err); err != nil {
			return nil, err
		}
		out.Capture.Partial = out.Capture.Allowed && w.Adapter.Manifest.Features.PartialCapture
	}
	ops, err := e.changes.OperationsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	out.Cancel.Allowed = payment.NextCancel(p, w.Attempt, ops, w.Attempt.Private.Invoke != nil) != payment.CancelRefused
	out.Cancel.Most = w.Attempt.Authorized - w.Attempt.Captured
	if w, err = load(); err != nil {
		return nil, err
	}
	left := w.Payment.Refundable()
	most, err := e.refundAmount(ctx, w, &request.RefundInput{Amount: &left}, e.now())
	if out.Refund, err = action(most, err); err != nil {
		return nil, err
	}
	out.Refund.Partial = out.Refund.Allowed && w.Adapter.Manifest.Features.PartialRefund
	return out, nil
}

// action is the answer of a check: an amount, or why not. An error of payswitch itself is returned.
func action(most int64, err error) (story.Action, error) {
	var refused *fault.Error
	switch {
	case err == nil:
		return story.Action{Allowed: true, Most: most}, nil
	case errors.As(err, &refused) && refused.Kind != fault.KindInternal:
		return story.Action{Why: refused.Message}, nil
	}
	return story.Action{}, err
}
