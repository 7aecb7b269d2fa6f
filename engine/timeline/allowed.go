package timeline

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// Action says whether something may be done with a payment now.
type Action struct {
	Allowed bool
	Most    int64  // minor units; the greatest amount, which is also the default
	Partial bool   // less than Most may be asked for
	Why     string // why it is not allowed, in the API's words
}

// Actions are what may be done with a payment now. The API would answer the same.
type Actions struct {
	Capture, Cancel, Refund Action
	Void                    Action // of the whole capture, before it settles
	Raise                   Action // of the held amount, to a new total
	Extend                  Action // of the hold's duration; it has no amount
	Ask                     bool   // the processor may be asked what became of the payment
}

// Allowed returns what may be done with a payment now. It asks the same checks as the use cases themselves, so that a page and the API never
// disagree. Only the amounts of a later moment may differ.
func (s *Timelines) Allowed(ctx context.Context, auth account.Auth, id string) (*Actions, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	w, err := s.Changes.Load(ctx, auth.MerchantID, id)
	if err != nil {
		return nil, err
	}
	p := w.Payment
	if auth.ProfileID != "" && auth.ProfileID != p.ProfileID {
		return nil, fault.NotFound("Payment")
	}
	out := &Actions{Ask: p.Status.Facts().Sync && w.Attempt.AccountID != ""}
	if p.OpenOperation == "" {
		most, err := s.CaptureAmount(ctx, w, &request.CaptureInput{Amount: &p.Capturable})
		if out.Capture, err = action(most, err); err != nil {
			return nil, err
		}
		out.Capture.Partial = out.Capture.Allowed && w.Adapter.Manifest.Features.PartialCapture
		if out.Raise, err = action(payment.MaxAmount, s.MayRaise(ctx, w, p.NetAmount+1)); err != nil {
			return nil, err
		}
		if out.Extend, err = action(0, s.MayExtend(ctx, w)); err != nil {
			return nil, err
		}
	}
	ops, err := s.Changes.OperationsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	out.Cancel.Allowed = evidence.NextCancel(p, w.Attempt, ops, w.Attempt.Private.Invoke != nil) != evidence.CancelRefused
	out.Cancel.Most = w.Attempt.Authorized - w.Attempt.Captured
	if w, err = s.Changes.Load(ctx, auth.MerchantID, id); err != nil {
		return nil, err
	}
	left := w.Payment.Refundable()
	most, err := s.RefundAmount(ctx, w, &request.RefundInput{Amount: &left}, s.Changes.Now())
	if out.Refund, err = action(most, err); err != nil {
		return nil, err
	}
	out.Refund.Partial = out.Refund.Allowed && w.Adapter.Manifest.Features.PartialRefund
	most, err = s.VoidableAmount(ctx, w)
	if out.Void, err = action(most, err); err != nil {
		return nil, err
	}
	return out, nil
}

// action turns the result of a check into an Action: the amount, or the reason against it. It returns an error of payswitch itself.
func action(most int64, err error) (Action, error) {
	var refused *fault.Error
	switch {
	case err == nil:
		return Action{Allowed: true, Most: most}, nil
	case errors.As(err, &refused) && refused.Kind != fault.KindInternal:
		return Action{Why: refused.Message}, nil
	}
	return Action{}, err
}

// Checks are the checks of the engine's use cases. Each returns the error that its use case would answer with, and some the amount that it would take.
type Checks struct {
	CaptureAmount func(ctx context.Context, w *change.Loaded, in *request.CaptureInput) (int64, error)
	RefundAmount  func(ctx context.Context, w *change.Loaded, in *request.RefundInput, now time.Time) (int64, error)
	// VoidableAmount returns the amount of a void after the capture.
	VoidableAmount func(ctx context.Context, w *change.Loaded) (int64, error)
	MayRaise       func(ctx context.Context, w *change.Loaded, amount int64) error
	MayExtend      func(ctx context.Context, w *change.Loaded) error
}
