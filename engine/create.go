package engine

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/risk"
)

// CreatePayment makes a payment and, with confirm, performs it. It refuses a payment_id that is already used (HE_01), whatever the body.
func (e *Engine) CreatePayment(ctx context.Context, auth account.Auth, in *request.Input) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	if (in.Recurring != nil || in.MandateID != "") && in.Confirm == nil {
		yes := true
		in.Confirm = &yes // a merchant-initiated charge has no customer who could confirm later
	}
	if err := request.CheckCreate(in); err != nil {
		return nil, err
	}
	w := &change.Loaded{Run: drive.Run{Token: auth.RequestToken}}
	if in.PaymentID == "" && auth.RequestToken != "" {
		in.PaymentID = auth.RequestToken // a repetition of this request finds the same payment
	}
	if auth.Repeated {
		if v, err := e.repeatedCreate(ctx, auth, in); v != nil || err != nil {
			return v, err
		}
	}
	c, err := e.createChange(ctx, auth, in, w, optional.IsTrue(in.Confirm))
	refused := risk.Suspicious(err)
	if err != nil && !refused {
		return nil, err
	}
	if !refused {
		err = e.changes.Commit(ctx, c)
	}
	if refused || errors.Is(err, change.ErrHeld) {
		return e.createWithoutCard(ctx, auth, in, w)
	}
	if errors.Is(err, fault.ErrConflict) && auth.RequestToken != "" {
		if v, err := e.repeatedCreate(ctx, auth, in); v != nil || err != nil {
			return v, err // a repeat was faster, at another node
		}
	}
	if err := change.CreateError(in.PaymentID, err); err != nil {
		return nil, err
	}
	e.changes.LoadCustomer(ctx, w)
	return e.changes.View(w), nil
}

// createChange returns the change that makes a payment in w and, with confirm, begins it.
func (e *Engine) createChange(ctx context.Context, auth account.Auth, in *request.Input, w *change.Loaded, confirm bool) (c *change.Change, err error) {
	if w.Merchant, err = e.Dir.Merchant(ctx, auth.MerchantID); err != nil {
		return nil, err
	}
	if w.Profile, err = e.Dir.ProfileOfPayment(ctx, w.Merchant, auth, in.ProfileID, in.BusinessCountry, in.BusinessLabel); err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	w.Payment, w.Attempt = change.NewPayment(w.Merchant, w.Profile, in, now)
	created := e.PaymentTime(now)
	w.Payment.CreatedAt, w.Payment.ExpiresAt = created, w.Payment.ExpiresAt.Add(created.Sub(now))
	in.Apply(w.Payment)
	if err := request.CheckOvercapture(w.Payment, in, in.CaptureMethod); err != nil {
		return nil, err
	}
	w.Payment.Details.RequestToken = auth.RequestToken
	if err := request.CheckRecurring(w.Payment, in); err != nil {
		return nil, err
	}
	if err := request.CheckAmountToCapture(in.AmountToCapture, w.Payment.Amount, w.Payment.NetAmount, w.Payment.Details.CaptureMethod, true); err != nil {
		return nil, err
	}
	payment.DeriveTotals(w.Payment, w.Attempt)
	w.Attempt.Amount = w.Payment.NetAmount
	if confirm {
		c, err = e.confirm(ctx, &change.Confirming{Loaded: w}, in)
	} else {
		c, err = e.createUnconfirmed(w, in)
	}
	if err == nil && optional.IsTrue(in.PaymentLink) {
		c.Link, err = paylink.New(w.Payment, w.Profile, e.opts.PublicURL, in)
	}
	return c, err
}

// createWithoutCard stores the payment without its card, because the guard of its profile refuses it or lets it wait, and then confirms it. A refused
// payment stays, and may be confirmed later.
func (e *Engine) createWithoutCard(ctx context.Context, auth account.Auth, in *request.Input, tried *change.Loaded) (*change.View, error) {
	bare := *in
	bare.PaymentID, bare.Card, bare.HasMethodData = tried.Payment.ID, nil, false
	w := &change.Loaded{Run: drive.Run{Token: auth.RequestToken}}
	c, err := e.createChange(ctx, auth, &bare, w, false)
	if err != nil {
		return nil, err
	}
	if err := change.CreateError(in.PaymentID, e.changes.Commit(ctx, c)); err != nil {
		return nil, err
	}
	return e.changes.Decide(ctx, auth, w.Payment.ID, func(w *change.Loaded) (*change.Change, error) { return e.confirmLoaded(ctx, w, in) })
}

// repeatedCreate returns the payment that another try of the same create has made, nil if no try has made it. When nothing of that try has
// left the host, repeatedCreate performs the payment.
func (e *Engine) repeatedCreate(ctx context.Context, auth account.Auth, in *request.Input) (*change.View, error) {
	w, err := e.changes.Load(ctx, auth.MerchantID, in.PaymentID)
	if fault.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if w.Payment.Details.RequestToken != auth.RequestToken && w.Payment.ID != auth.RequestToken {
		return nil, nil // another request has used the payment_id
	}
	return e.changes.Decide(ctx, auth, in.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		if !optional.IsTrue(in.Confirm) || !w.Payment.Status.Facts().Confirm {
			return nil, nil
		}
		again := *in
		return e.confirmLoaded(ctx, w, &again)
	})
}

// createUnconfirmed stores a payment that is not confirmed yet. It keeps the payment's card for a few minutes.
func (e *Engine) createUnconfirmed(w *change.Loaded, in *request.Input) (*change.Change, error) {
	now := w.Attempt.CreatedAt
	token, err := e.sealCard(w, in, now)
	if err != nil {
		return nil, err
	}
	if token == nil && in.PaymentToken != "" {
		w.Payment.Details.Token = in.PaymentToken // the token of a saved method is checked when the payment is confirmed
		w.Attempt.Details.PaymentMethod = in.PaymentMethod
	}
	if w.Payment.Details.Token != "" {
		if err := payment.Move(w.Payment, w.Attempt, payment.TriggerMethodGiven, now); err != nil {
			return nil, fault.Internal(err, "create payment")
		}
	}
	c := &change.Change{Payment: w.Payment, Attempt: w.Attempt, KeepCard: token}
	return c.KeepCustomer(w), nil
}

// sealCard seals a typed card until the payment is confirmed, for at most CardTokenTime. It returns nil without a card.
func (e *Engine) sealCard(w *change.Loaded, in *request.Input, now time.Time) (*payment.CardToken, error) {
	if in.Card == nil {
		return nil, nil
	}
	c, err := e.opts.BINTable.Read(in.Card, in.CardCVC, now)
	if err != nil {
		return nil, err
	}
	t := &payment.CardToken{Token: ids.At("token_", now), MerchantID: w.Payment.MerchantID, PaymentID: w.Payment.ID, ExpiresAt: now.Add(payment.CardTokenTime)}
	sealed := card.SealedOf(in.Card)
	if t.Sealed, t.Key, err = e.vault.SealShortTerm(&sealed, t.MerchantID, t.ShortTermID(), t.ExpiresAt); err != nil {
		return nil, err
	}
	w.Payment.Details.Token = t.Token
	w.Attempt.Details.PaymentMethod, w.Attempt.Details.PaymentMethodType = payment.MethodCard, c.MethodType(in.PaymentMethodType)
	return t, nil
}
