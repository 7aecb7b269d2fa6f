package engine

import (
	"context"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// UpdatePayment changes a payment that is not confirmed yet. An update without payment method data deletes the stored payment method, as the
// contract says. With confirm: true the update also confirms the payment.
func (e *Engine) UpdatePayment(ctx context.Context, auth account.Auth, id string, in *request.Input) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return e.changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		if !w.Payment.Status.Facts().Update {
			return nil, fault.Refused("You cannot update this payment because it has status " + string(w.Payment.Status)).WithParam("status").WithHint(w.Payment.Status.Remedy())
		}
		w.Payment.Details.Session++ // the tokens of clients from before the update are void
		if optional.IsTrue(in.Confirm) {
			return e.updateAndConfirm(ctx, w, in)
		}
		return e.update(w, in)
	})
}

// UpdateMetadata is Changes.UpdateMetadata.
func (e *Engine) UpdateMetadata(ctx context.Context, auth account.Auth, id string, in request.MetadataInput) (*change.View, error) {
	return e.changes.UpdateMetadata(ctx, auth, id, in)
}

func (e *Engine) updateAndConfirm(ctx context.Context, w *change.Loaded, in *request.Input) (*change.Change, error) {
	if in.Amount != nil {
		w.Payment.Amount = *in.Amount
	}
	if in.Currency != "" {
		w.Payment.Currency = in.Currency
	}
	method := w.Payment.Details.CaptureMethod
	optional.SetText(&method, in.CaptureMethod)
	if err := request.CheckOvercapture(w.Payment, in, method); err != nil {
		return nil, err
	}
	return e.confirmLoaded(ctx, w, in)
}

func (e *Engine) update(w *change.Loaded, in *request.Input) (*change.Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	if err := request.ApplyUpdate(w.Payment, in); err != nil {
		return nil, err
	}
	if in.SessionExpiry != nil {
		w.Payment.ExpiresAt = w.Payment.CreatedAt.Add(time.Duration(*in.SessionExpiry) * time.Second)
	}
	w.Attempt.Amount = w.Payment.NetAmount
	c := &change.Change{Payment: w.Payment, Attempt: w.Attempt, DropCard: w.Payment.Details.Token}
	w.Payment.Details.Token = ""
	by := payment.TriggerMethodDropped
	var err error
	if c.KeepCard, err = e.sealCard(w, in, now); err != nil {
		return nil, err
	}
	if c.KeepCard == nil && in.PaymentToken != "" {
		w.Payment.Details.Token = in.PaymentToken // the token of a saved method
	}
	if w.Payment.Details.Token != "" {
		by = payment.TriggerMethodGiven
	}
	if err := payment.Move(w.Payment, w.Attempt, by, now); err != nil {
		return nil, fault.Internal(err, "update payment")
	}
	return c.KeepCustomer(w), nil
}
