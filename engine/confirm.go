package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// ConfirmPayment charges a payment: with the publishable key and the payment's client secret, or with the secret key without it.
func (e *Engine) ConfirmPayment(ctx context.Context, auth Auth, id string, in *PaymentInput) (*PaymentView, error) {
	v, err := e.changes.changePayment(ctx, auth, id, func(w *loaded) (*Change, error) {
		if err := checkSecret(auth, w.p, in.ClientSecret, e.now()); err != nil {
			return nil, err
		}
		in := in // this may run again
		if auth.Publishable {
			var err error
			if in, err = payerMay(w.p, in); err != nil {
				return nil, err
			}
		}
		return e.confirmLoaded(ctx, w, in)
	})
	if v != nil {
		v.Public = auth.Publishable
	}
	return v, err
}

// confirmLoaded holds the confirm of an existing payment against the rules and performs it.
func (e *Engine) confirmLoaded(ctx context.Context, w *loaded, in *PaymentInput) (*Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	if err := e.confirmable(w, now); err != nil {
		return nil, err
	}
	amount := w.p.Amount
	in.Amount = nil // the amount in a confirm is ignored
	if in.Currency != "" && in.Currency != w.p.Currency {
		in.Currency = ""
	}
	if err := checkCommon(in, amount); err != nil {
		return nil, err
	}
	if err := checkOtherCustomer(w.p, in); err != nil {
		return nil, err
	}
	if in.PaymentToken == "" && !in.HasMethodData && in.Recurring == nil && in.MandateID == "" {
		in.PaymentToken = w.p.Details.Token
	}
	if in.PaymentMethod == "" {
		in.PaymentMethod = w.a.Details.PaymentMethod
	}
	if err := checkMethod(in); err != nil {
		return nil, err
	}
	if !hasInstrument(in) {
		return nil, Unprocessable("payment_method_data", "A payment token or payment method data or ctp service details is required")
	}
	in.apply(w.p)
	if err := checkAmountToCapture(w.p.Details.AmountToCapture, w.p.Amount, w.p.NetAmount, w.p.Details.CaptureMethod, false); err != nil {
		return nil, err
	}
	next := &confirming{loaded: w}
	if w.p.Status == Failed {
		next.softDeclined = w.a.Details.Error != nil && w.a.Details.Error.Reason == sdk.DeclineAuthenticationNeeded
		w.p.AttemptCount++
		w.a = newAttempt(w.p, w.p.AttemptCount, now)
		w.p.AttemptID = w.a.ID
	}
	w.a.Amount = w.p.NetAmount
	return e.confirm(ctx, next, in)
}

// checkOtherCustomer refuses to give a payment that has a customer to another one.
func checkOtherCustomer(p *Payment, in *PaymentInput) error {
	if id := customerOf(in); id != "" && p.CustomerID != "" && id != p.CustomerID {
		return &Error{Kind: KindUnauthorized, Code: "IR_18", Message: "Unauthorised access to update customer", Param: "customer_id"}
	}
	return nil
}

func customerOf(in *PaymentInput) string {
	if in.CustomerID == "" && in.Customer != nil {
		return in.Customer.ID
	}
	return in.CustomerID
}

// confirmable refuses a confirm that the payment's status does not let through.
func (e *Engine) confirmable(w *loaded, now time.Time) error {
	s := w.p.Status
	switch {
	case s.facts().Confirm:
		return nil
	case s != Failed:
		return Refused("You cannot confirm this payment because it has status " + string(s))
	case !w.profile.Settings.ManualRetry:
		return Refused("You cannot confirm this payment because it has status failed, you can enable `manual_retry` in profile to try this payment again")
	case !e.changes.retryAllowed(w.p, w.profile, now):
		return Refused("You cannot confirm this payment using `manual_retry` because the allowed duration has expired")
	}
	return nil
}

// checkSecret holds a client secret against the payment: needed with the publishable key, forbidden with the secret key.
func checkSecret(auth Auth, p *Payment, secret string, now time.Time) error {
	if !auth.Publishable {
		if secret != "" {
			return Unprocessable("client_secret", "client_secret is not a valid parameter")
		}
		return nil
	}
	if secret == "" {
		return Missing("client_secret")
	}
	return matchSecret(p, secret, now)
}

// CheckClientSecret holds a client secret against a payment of auth's merchant: IR_09 when it is another's, IR_08 when its time has
// passed, HE_02 when there is no such payment.
func (e *Engine) CheckClientSecret(ctx context.Context, auth Auth, paymentID, clientSecret string) error {
	w, err := e.changes.load(ctx, auth.MerchantID, paymentID)
	if err != nil {
		return err
	}
	return matchSecret(w.p, clientSecret, e.now())
}

// confirm routes the payment and decides what is done first: an authentication, or the authorization.
func (e *Engine) confirm(ctx context.Context, w *confirming, in *PaymentInput) (*Change, error) {
	if err := checkConfirm(w.p, in); err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	c, err := e.instrument(ctx, w, in, now)
	if err != nil {
		return nil, err
	}
	d := &w.p.Details
	plain := d.AuthenticationType == authenticationNoThreeDS // said, not taken for granted
	if d.AuthenticationType == "" {
		d.AuthenticationType = authenticationNoThreeDS
	}
	if w.instrument != nil && w.instrument.Stored {
		w.account, w.adapter, err = e.routeInstrument(ctx, w, in, c)
	} else {
		w.account, w.adapter, err = e.route(ctx, w.p, w.profile, c.facts.Network)
	}
	if err != nil {
		return nil, err
	}
	if in.ThreeDS != nil && !w.adapter.Manifest.Features.External3DS {
		return nil, noExternal3DS(w.account)
	}
	if t := in.ThreeDS; t != nil {
		if err := checkBroughtExemption(t.Exemption, w.account, w.adapter.Manifest); err != nil {
			return nil, err
		}
	}
	if w.a.Details.ConnectorData, err = e.connectorData(ctx, w.p, w.account.ID, w.instrument, in); err != nil {
		return nil, err
	}
	instead := false
	if w.exemption, instead, err = e.exempt(ctx, w, in, c, plain); err != nil {
		return nil, err
	}
	if (runsExternal3DS(w, in) || instead) && !w.exemption.direct() {
		return e.confirmAuthenticated(ctx, w, in, c, now, nil)
	}
	if ri, err := e.threeRIFor(ctx, w, in, c); err != nil {
		return nil, err
	} else if ri != nil {
		return e.confirmAuthenticated(ctx, w, in, c, now, ri)
	}
	w.fillAttempt(in, c)
	if t := in.ThreeDS; t != nil {
		w.a.Details.Authentication = &AttemptAuthentication{Status: "success", DSTransID: t.DSTransID, Version: t.Version, TransStatus: t.TransStatus, ECI: t.ECI,
			Exemption: t.Exemption, Network: c.facts.Network, Shift: string(threeds.ShiftUnknown)} // what the merchant says of it
	}
	return e.prepareAuthorize(w, in, c, now)
}

// prepareAuthorize is the change that makes the authorization's intent durable, with the payment and attempt that are confirmed.
func (e *Engine) prepareAuthorize(w *confirming, in *PaymentInput, card *card, now time.Time) (*Change, error) {
	w.leaseEnd = e.now().Add(e.opts.LeaseTime)
	w.op = e.driver.newOperation(&w.run, authorizeKind(w.loaded), w.a.Amount, now)
	w.secrets = card.secrets
	if in.ThreeDS != nil {
		w.secrets.CAVV = in.ThreeDS.CAVV
	}
	w.req = e.driver.firstRequest(&w.run, w.instrument, in, card)
	c, err := e.intent(w.loaded, TriggerSubmit, now)
	if err != nil {
		return nil, err
	}
	w.confirmed(c)
	return c, nil
}

// instrument is the card to charge: typed, saved, or the one kept when the payment was created. What else is charged is in w.instrument.
func (e *Engine) instrument(ctx context.Context, w *confirming, in *PaymentInput, now time.Time) (_ *card, err error) {
	if w.instrument, err = e.requestedInstrument(ctx, w.p, in, now); err != nil {
		return nil, err
	}
	if w.instrument != nil {
		return e.cardOfInstrument(ctx, w.instrument, in, now)
	}
	typed := in.Card
	if typed == nil {
		t, err := e.tokenCard(ctx, w.p, in.PaymentToken, now)
		if err != nil {
			return nil, err
		}
		if !in.CardCVC.IsZero() {
			t.CVC = in.CardCVC
		}
		typed = t
	}
	return e.opts.BINTable.readCard(typed, in.CardCVC, now)
}

func (e *Engine) tokenCard(ctx context.Context, p *Payment, token string, now time.Time) (*CardInput, error) {
	invalid := &Error{Kind: KindUnprocessable, Code: "IR_29", Message: "Token is invalid or expired", Param: "payment_token"}
	var t *CardToken
	err := e.store.View(ctx, func(r Reader) (err error) {
		t, err = r.CardToken(p.MerchantID, token)
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, invalid
	case err != nil:
		return nil, Internal(err, "read card token")
	case t.PaymentID != p.ID || !now.Before(t.ExpiresAt) || t.Key == nil:
		return nil, invalid
	}
	s, err := e.vault.openShortTerm(t.Sealed, t.Key, t.MerchantID, t.ShortTermID())
	if err != nil {
		return nil, err
	}
	return s.input(), nil
}

// SecretOf is the id of the payment or the payment method whose client secret this is; "" for a wrong one. A secret whose time has passed
// counts: the answer to a repeated request may be the news that it was in time.
func (e *Engine) SecretOf(ctx context.Context, a *Auth, clientSecret string) string {
	i := strings.LastIndex(clientSecret, "_secret_")
	if i < 0 {
		return ""
	}
	id := clientSecret[:i]
	err := e.CheckClientSecret(ctx, *a, id, clientSecret)
	var refused *Error
	if errors.As(err, &refused) && refused.Kind == KindNotFound {
		var m *PaymentMethod
		if m, err = e.readMethod(ctx, a.MerchantID, id); err == nil {
			err = e.checkMethodSecret(*a, m, clientSecret)
		}
	}
	if errors.As(err, &refused) && refused.Code == "IR_08" {
		err = nil
	}
	if err != nil {
		return "" // what answers the request says what is wrong
	}
	return id
}
