package engine

import (
	"context"
	"time"
)

// UpdatePayment changes a payment that is not confirmed yet. An update without payment method data drops what was given before (the
// contract's trap); confirm: true confirms it.
func (e *Engine) UpdatePayment(ctx context.Context, auth Auth, id string, in *PaymentInput) (*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	return e.changes.changePayment(ctx, auth, id, func(w *loaded) (*Change, error) {
		if !w.p.Status.facts().Update {
			return nil, Refused("You cannot update this payment because it has status " + string(w.p.Status))
		}
		if isTrue(in.Confirm) {
			amount := in.Amount
			c, err := e.updateAndConfirm(ctx, w, in)
			in.Amount = amount // the decision may run again
			return c, err
		}
		return e.update(w, in)
	})
}

func (e *Engine) updateAndConfirm(ctx context.Context, w *loaded, in *PaymentInput) (*Change, error) {
	if in.Amount != nil {
		w.p.Amount = *in.Amount
	}
	if in.Currency != "" {
		w.p.Currency = in.Currency
	}
	return e.confirmLoaded(ctx, w, in)
}

func (e *Engine) update(w *loaded, in *PaymentInput) (*Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	amount := w.p.Amount
	if in.Amount != nil {
		amount = *in.Amount
	}
	if err := checkMethod(in); err != nil {
		return nil, err
	}
	if err := checkCommon(in, amount); err != nil {
		return nil, err
	}
	in.apply(w.p)
	if err := checkAmountToCapture(w.p.Details.AmountToCapture, w.p.Amount, w.p.NetAmount, w.p.Details.CaptureMethod, false); err != nil {
		return nil, err
	}
	if in.SessionExpiry != nil {
		w.p.ExpiresAt = w.p.CreatedAt.Add(time.Duration(*in.SessionExpiry) * time.Second)
	}
	w.a.Amount = w.p.NetAmount
	c := &Change{Payment: w.p, Attempt: w.a, CustomerSeen: true, DropCard: w.p.Details.Token}
	w.p.Details.Token = ""
	by := TriggerMethodDropped
	var err error
	if c.KeepCard, err = e.keepCard(w, in, now); err != nil {
		return nil, err
	}
	if c.KeepCard == nil && in.PaymentToken != "" {
		w.p.Details.Token = in.PaymentToken // of a saved method
	}
	if w.p.Details.Token != "" {
		by = TriggerMethodGiven
	}
	if err := move(w.p, w.a, by, now); err != nil {
		return nil, Internal(err, "update payment")
	}
	return c, nil
}
