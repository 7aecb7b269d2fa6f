package engine

import (
	"context"
	"errors"
	"time"

	"payswitch/sdk"
)

// lateTries bounds how often a late reference is written where others change the same rows.
const lateTries = 10

// keepLate takes in a processor's reference to a saved card that is told after the payment was approved (some processors make it in the
// background, and tell of it in a message or when asked): on the attempt, and on the saved method of its account. It may be told any number
// of times. Outcomes that say anything but that the payment stands are not looked at.
func (e *Engine) keepLate(ctx context.Context, w *work, o *sdk.Outcome) error {
	switch o.Status {
	case sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusVerified:
	default:
		return nil
	}
	if o.StoredCredential == nil {
		return nil
	}
	for range lateTries {
		b := booking{p: w.p, a: w.a.clone()}
		b.keepCredential(o)
		now := e.now().UTC().Truncate(time.Millisecond)
		s, err := e.lateReference(ctx, &b, now)
		if s == nil || err != nil {
			return err
		}
		b.a.ModifiedAt = now
		err = e.commit(ctx, &Change{Attempt: b.a, Saved: s})
		if err == nil {
			w.a = b.a
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return Internal(err, "keep a processor's reference")
		}
		var a *Attempt
		err = e.store.View(ctx, func(r Reader) (err error) { a, err = r.Attempt(w.a.MerchantID, w.a.ID); return err })
		if err != nil {
			return Internal(err, "read attempt again")
		}
		if err := e.vault.openAttempt(a); err != nil {
			return err
		}
		w.a = a
	}
	return Internal(ErrConflict, "keep a processor's reference")
}

// lateReference is what the reference that an approved attempt has come to know changes of the saved method; nil for nothing: the card is not
// kept for charges without the customer, or is not kept any more, or the account's reference is there already, or is that of a later payment.
func (e *Engine) lateReference(ctx context.Context, b *booking, now time.Time) (*saving, error) {
	a := b.a
	if a.Details.StoredCredential == nil || a.Details.Save != usageOffSession || a.Details.MethodID == "" || !approved(a.Status) {
		return nil, nil
	}
	m, err := e.readMethod(ctx, a.MerchantID, a.Details.MethodID)
	if gone := new(Error); errors.As(err, &gone) && gone.Kind == KindNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch known := m.Details.Accounts[a.AccountID]; {
	case known.PaymentID == b.p.ID && known.Credential != nil, known.PaymentID != b.p.ID && known.At.After(a.CreatedAt):
		return nil, nil
	}
	m.keepCredentials(b.p, a, now)
	m.ModifiedAt = now
	if err := e.sealMethod(m); err != nil {
		return nil, err
	}
	return &saving{payment: b.p, method: m, at: a.CreatedAt}, nil // it is told now, and was used then
}
