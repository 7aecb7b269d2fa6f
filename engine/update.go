package engine

import (
	"context"
	"errors"
	"time"
)

// UpdatePayment changes a payment that is not confirmed yet. An update without payment method data drops what was given before (the
// contract's trap); confirm: true confirms it.
func (e *Engine) UpdatePayment(ctx context.Context, auth Auth, id string, in *PaymentInput) (*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	return e.withSlot(ctx, auth, id, func(w *work) (*PaymentView, error) {
		if !w.p.Status.facts().Update {
			return nil, Refused("You cannot update this payment because it has status " + string(w.p.Status))
		}
		if isTrue(in.Confirm) {
			amount := in.Amount
			v, err := e.updateAndConfirm(ctx, w, in)
			in.Amount = amount // f may run again
			return v, err
		}
		return e.update(ctx, w, in)
	})
}

func (e *Engine) updateAndConfirm(ctx context.Context, w *work, in *PaymentInput) (*PaymentView, error) {
	if in.Amount != nil {
		w.p.Amount = *in.Amount
	}
	if in.Currency != "" {
		w.p.Currency = in.Currency
	}
	return e.confirmLoaded(ctx, w, in)
}

func (e *Engine) update(ctx context.Context, w *work, in *PaymentInput) (*PaymentView, error) {
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
	old := w.p.Details.Token
	w.p.Details.Token = ""
	by := TriggerMethodDropped
	token, err := e.keepCard(w, in, now)
	if err != nil {
		return nil, err
	}
	if token == nil && in.PaymentToken != "" {
		w.p.Details.Token = in.PaymentToken // of a saved method
	}
	if w.p.Details.Token != "" {
		by = TriggerMethodGiven
	}
	if err := move(w.p, w.a, by, now); err != nil {
		return nil, Internal(err, "update payment")
	}
	if err := errors.Join(e.sealPayment(w.p), e.sealAttempt(w.a)); err != nil {
		return nil, err
	}
	err = e.store.Update(ctx, func(tx Tx) error {
		p, a := w.p.clone(), w.a.clone()
		return e.writeUpdate(tx, p, a, old, token)
	})
	if err != nil {
		return nil, err
	}
	return e.view(w), nil
}

func (e *Engine) writeUpdate(tx Tx, p *Payment, a *Attempt, old string, token *CardToken) error {
	if err := tx.UpdatePayment(p); err != nil {
		return err
	}
	if err := tx.UpdateAttempt(a); err != nil {
		return err
	}
	if err := dropCardToken(tx, p.MerchantID, old); err != nil {
		return err
	}
	if token != nil {
		if err := tx.PutCardToken(token); err != nil {
			return err
		}
	}
	if p.CustomerID != "" && p.Private.Customer != nil {
		return e.ensureCustomer(tx, p.MerchantID, p.Private.Customer, p.ModifiedAt)
	}
	return nil
}
