package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// CreatePayment makes a payment and, with confirm, performs it. A payment_id used before is refused (HE_01), whatever the body.
func (e *Engine) CreatePayment(ctx context.Context, auth Auth, in *PaymentInput) (*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	if (in.Recurring != nil || in.MandateID != "") && in.Confirm == nil {
		yes := true
		in.Confirm = &yes // a merchant-initiated charge has no customer who could confirm later
	}
	if err := checkCreate(in); err != nil {
		return nil, err
	}
	w := &loaded{run: run{token: auth.RequestToken}}
	if in.PaymentID == "" && auth.RequestToken != "" {
		in.PaymentID = auth.RequestToken // a repetition of this request finds the same payment
		if auth.Repeated {
			if old, err := e.changes.load(ctx, auth.MerchantID, in.PaymentID); err == nil {
				return e.changes.view(old), nil
			}
		}
	}
	var err error
	if w.merchant, err = e.dir.merchant(ctx, auth.MerchantID); err != nil {
		return nil, err
	}
	if w.profile, err = e.profileOf(ctx, w.merchant, auth, in.ProfileID); err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	w.p, w.a = newPayment(w.merchant, w.profile, in, now)
	in.apply(w.p)
	if err := checkRecurring(w.p, in); err != nil {
		return nil, err
	}
	if err := checkAmountToCapture(in.AmountToCapture, w.p.Amount, w.p.NetAmount, w.p.Details.CaptureMethod, true); err != nil {
		return nil, err
	}
	present(w.p, w.a)
	w.a.Amount = w.p.NetAmount
	var c *Change
	if isTrue(in.Confirm) {
		c, err = e.confirm(ctx, &confirming{loaded: w}, in)
	} else {
		c, err = e.createOnly(w, in)
	}
	if err != nil {
		return nil, err
	}
	if err := createError(e.changes.commit(ctx, c)); err != nil {
		return nil, err
	}
	return e.changes.view(w), nil
}

func newPayment(m *Merchant, profile *Profile, in *PaymentInput, now time.Time) (*Payment, *Attempt) {
	id := in.PaymentID
	if id == "" {
		id = idAt("pay_", now)
	}
	secret := id + "_secret_" + randomText(20)
	hash := sha256.Sum256([]byte(secret))
	p := &Payment{MerchantID: m.ID, ID: id, ProfileID: profile.ID, AttemptCount: 1, AttemptID: id + "_1", ClientSecretHash: hash[:],
		ExpiresAt: now.Add(sessionOf(in, profile.Settings.SessionExpirySeconds)), CreatedAt: now, ModifiedAt: now,
		Details: PaymentDetails{CaptureMethod: captureAutomatic}, Private: &PaymentPrivate{ClientSecret: secret}}
	return p, newAttempt(p, 1, now)
}

// createOnly stores a payment that is not confirmed yet, and its card for a few minutes.
func (e *Engine) createOnly(w *loaded, in *PaymentInput) (*Change, error) {
	now := w.p.CreatedAt
	token, err := e.keepCard(w, in, now)
	if err != nil {
		return nil, err
	}
	if token == nil && in.PaymentToken != "" {
		w.p.Details.Token = in.PaymentToken // of a saved method: it is looked at when the payment is confirmed
		w.a.Details.PaymentMethod = in.PaymentMethod
	}
	if w.p.Details.Token != "" {
		if err := move(w.p, w.a, TriggerMethodGiven, now); err != nil {
			return nil, Internal(err, "create payment")
		}
	}
	if w.p.Details.AuthenticationType == "" {
		w.p.Details.AuthenticationType = authenticationNoThreeDS
	}
	return &Change{Payment: w.p, Attempt: w.a, CustomerSeen: true, KeepCard: token}, nil
}

// createError is the answer to a create that could not be committed.
func createError(err error) error {
	var told *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return told
	case errors.Is(err, ErrConflict):
		return Duplicate("The payment with the specified payment_id already exists in our records").About("payment_id")
	}
	return Internal(err, "store payment")
}

// keepCard seals a typed card until the payment is confirmed, at most as long as the contract says; nil without a card.
func (e *Engine) keepCard(w *loaded, in *PaymentInput, now time.Time) (*CardToken, error) {
	if in.Card == nil {
		return nil, nil
	}
	c, err := e.opts.BINTable.readCard(in.Card, in.CardCVC, now)
	if err != nil {
		return nil, err
	}
	t := &CardToken{Token: idAt("token_", now), MerchantID: w.p.MerchantID, PaymentID: w.p.ID, ExpiresAt: now.Add(cardTokenTime)}
	sealed := sealedOfInput(in.Card)
	if t.Sealed, t.Key, err = e.vault.sealShortTerm(&sealed, t.MerchantID, t.ShortTermID(), t.ExpiresAt); err != nil {
		return nil, err
	}
	w.p.Details.Token = t.Token
	w.a.Details.PaymentMethod, w.a.Details.PaymentMethodType = methodCard, c.methodType(in.PaymentMethodType)
	return t, nil
}

// profileOf is the profile a payment is made under: named in the request, or the key's, or the merchant's default.
func (e *Engine) profileOf(ctx context.Context, m *Merchant, auth Auth, id string) (*Profile, error) {
	switch {
	case id == "" && auth.ProfileID != "":
		id = auth.ProfileID
	case id == "":
		id = m.DefaultProfile
	}
	if id == "" {
		return nil, Missing("profile_id or business_country, business_label").About("profile_id")
	}
	if auth.ProfileID != "" && auth.ProfileID != id {
		return nil, noProfile(id)
	}
	return e.dir.profile(ctx, m.ID, id)
}
