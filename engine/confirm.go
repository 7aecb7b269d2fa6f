package engine

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payer"
	"payswitch/engine/paylink"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rule"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/flow"
	"payswitch/sdk"
)

// ConfirmPayment charges a payment. It needs the publishable key and the payment's client secret, or the secret key alone. Errors also: paylink.Changed if
// the payer has seen another amount.
func (e *Engine) ConfirmPayment(ctx context.Context, auth account.Auth, id string, in *request.Input) (*change.View, error) {
	v, err := e.changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		if err := auth.CheckSecret(w.Payment, in.ClientSecret, e.now()); err != nil {
			return nil, err
		}
		if shown := in.Shown; shown != nil && *shown != (sdk.Money{Minor: w.Payment.NetAmount, Currency: w.Payment.Currency}) {
			return nil, paylink.Changed()
		}
		in := in
		if auth.Publishable {
			var err error
			if in, err = payer.Allowed(w.Payment, in); err != nil {
				return nil, err
			}
		}
		return e.confirmLoaded(ctx, w, in.WithoutPlans())
	})
	if v != nil {
		v.Public = auth.Publishable
	}
	return v, err
}

// confirmLoaded checks a confirm of an existing payment against the rules, and begins it.
func (e *Engine) confirmLoaded(ctx context.Context, w *change.Loaded, in *request.Input) (*change.Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	if err := e.mayConfirm(ctx, w, now); err != nil {
		return nil, err
	}
	own := *in // the decision may run again with the input as it came
	in = &own
	amount := w.Payment.Amount
	in.Amount = nil // the amount in a confirm is ignored
	if err := request.Repeated(w.Payment, in); err != nil {
		return nil, err
	}
	if err := request.CheckCommon(in, amount); err != nil {
		return nil, err
	}
	if err := payer.SameCustomer(w.Payment, in); err != nil {
		return nil, err
	}
	if in.PaymentToken == "" && !in.HasMethodData && in.Recurring == nil && in.MandateID == "" {
		in.PaymentToken = w.Payment.Details.Token
	}
	if in.PaymentMethod == "" {
		in.PaymentMethod = w.Attempt.Details.PaymentMethod
	}
	if err := request.CheckMethod(in); err != nil {
		return nil, err
	}
	if !request.HasInstrument(in) {
		return nil, fault.Unprocessable("payment_method_data", "A payment token or payment method data or ctp service details is required").WithHint("Send payment_method_data, or payment_token.")
	}
	was := w.Payment.Details.ShownAuthentication()
	in.Apply(w.Payment)
	if w.Payment.Status == payment.Failed && w.Payment.Details.ShownAuthentication() != was {
		w.Payment.Details.KeepAuthentication(w.Payment.AttemptCount, was)
	}
	if err := request.ChooseInstallment(w.Payment, in); err != nil {
		return nil, err
	}
	if err := request.CheckAmountToCapture(w.Payment.Details.AmountToCapture, w.Payment.Amount, w.Payment.NetAmount, w.Payment.Details.CaptureMethod, false); err != nil {
		return nil, err
	}
	next := &change.Confirming{Loaded: w}
	if w.Payment.Status == payment.Failed {
		next.SoftDeclined = w.Attempt.Details.Error != nil && w.Attempt.Details.Error.Reason == sdk.DeclineAuthenticationNeeded
		w.Payment.AttemptCount++
		w.Attempt = payment.NewAttempt(w.Payment, w.Payment.AttemptCount, now)
		w.Payment.AttemptID = w.Attempt.ID
	}
	w.Attempt.Amount = w.Payment.NetAmount
	return e.confirm(ctx, next, in)
}

// mayConfirm refuses a confirm that the payment's status does not allow, or that could charge the payer a second time.
func (e *Engine) mayConfirm(ctx context.Context, w *change.Loaded, now time.Time) error {
	s := w.Payment.Status
	if err := e.RefuseUncharged(w.Payment); err != nil && (s.Facts().Confirm || s == payment.Failed) {
		return err
	}
	switch {
	case s.Facts().Confirm:
		return e.noOpenCharge(ctx, w)
	case s != payment.Failed:
		return fault.Refused("You cannot confirm this payment because it has status " + string(s)).WithParam("status").WithHint(s.Remedy())
	case !w.Profile.Settings.ManualRetry:
		return fault.Refused("You cannot confirm this payment because it has status failed, you can enable `manual_retry` in profile to try this payment again").WithParam("status").WithHint("Create a new payment, or set is_manual_retry_enabled in the profile.")
	case !w.Attempt.Status.MayTryAgain():
		return fault.Refused("You cannot confirm this payment because it has status failed, and the previous attempt has the status " + string(w.Attempt.Status)).WithParam("status").WithHint("Create a new payment.")
	}
	if err := e.noOpenCharge(ctx, w); err != nil {
		return err
	}
	if !e.changes.RetryAllowed(w.Payment, w.Attempt, w.Profile, now) {
		return fault.Refused("You cannot confirm this payment using `manual_retry` because the allowed duration has expired").WithParam("status").WithHint("Create a new payment.")
	}
	return nil
}

// noOpenCharge refuses a confirm while an earlier operation of the payment may still charge, or if one has taken money. That can be where a person has set the
// payment's status by hand: a status alone proves nothing about the processor.
func (e *Engine) noOpenCharge(ctx context.Context, w *change.Loaded) error {
	unknown := func() error {
		return fault.Refused("You cannot confirm this payment because the result of an earlier operation is not known yet").WithParam("status").
			WithHint("Retrieve the payment with force_sync=true, or state what the processor has done with the operation.")
	}
	switch {
	case w.Payment.Received > 0:
		return fault.Refused("You cannot confirm this payment because the processor has taken money for it").WithParam("status").
			WithHint("Give the money back at the processor, and create a new payment.")
	case w.Payment.OpenOperation != "":
		return unknown()
	case w.Attempt.AccountID == "" && w.Payment.AttemptCount == 1:
		return nil // nothing has been sent yet
	}
	ops, err := e.changes.OperationsOf(ctx, w.Payment)
	for _, op := range ops {
		if op.Charges() && (op.Status.Open() || op.Status == payment.OperationPending) {
			return unknown()
		}
	}
	return err
}

// CheckClientSecret checks a client secret against a payment of auth's merchant. Errors: IR_09 for the secret of another payment, IR_08 for
// an expired secret, HE_02 for an unknown payment.
func (e *Engine) CheckClientSecret(ctx context.Context, auth account.Auth, paymentID, clientSecret string) error {
	w, err := e.changes.Load(ctx, auth.MerchantID, paymentID)
	if err != nil {
		return err
	}
	return payment.MatchSecret(w.Payment, clientSecret, e.now())
}

// confirm routes the payment and decides the first step: an authentication, or the authorization.
func (e *Engine) confirm(ctx context.Context, w *change.Confirming, in *request.Input) (*change.Change, error) {
	if err := request.CheckConfirm(w.Payment, in); err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	c, err := e.chooseInstrument(ctx, w, in, now)
	if err != nil {
		return nil, err
	}
	look, err := e.CheckTesting(ctx, w, in, c.Secrets.Number)
	if err != nil {
		return nil, err
	}
	d := &w.Payment.Details
	plain := d.AuthenticationType == payment.AuthenticationNoThreeDS // no_three_ds was requested, not assumed
	route, err := e.route(ctx, w, in, c)
	if err != nil {
		return nil, err
	}
	if blocked, err := e.FailBlocked(ctx, w, in, c, look, now); blocked != nil || err != nil {
		return blocked, err
	}
	w.Account, w.Adapter, w.Further = route.Account, route.Adapter, route.Rest
	if err := e.CheckSchemeLimits(ctx, w, in, c, now); err != nil {
		return nil, err
	}
	if w.CardInfo, err = w.EncryptCard(c, now); err != nil { // a key that cannot be used stops no payment
		e.log.LogAttrs(ctx, slog.LevelWarn, "extended card info is not kept: correct public_key of the profile's extended_card_info_config",
			slog.String("profile_id", w.Profile.ID), slog.String("payment_id", w.Payment.ID), slog.Any("error", err))
	}
	w.Payment.SetAtConfirm(w.Adapter.Manifest, w.Profile.Settings.AlwaysExtend, w.Profile.Settings.AlwaysOvercapture)
	if err := w.Instrument.CheckAccount(w.Account, c); err != nil {
		return nil, err
	}
	if in.ThreeDS != nil && !w.Adapter.Manifest.Features.External3DS {
		return nil, flow.NoExternal3DS(w.Account)
	}
	if t := in.ThreeDS; t != nil {
		if err := flow.CheckBroughtExemption(t.Exemption, w.Account, w.Adapter.Manifest); err != nil {
			return nil, err
		}
	}
	if w.Attempt.Details.ConnectorData, err = e.ConnectorData(ctx, w.Payment, w.Account.ID, w.Instrument, in); err != nil {
		return nil, err
	}
	instead := false
	if w.Exemption, instead, err = e.Exempt(ctx, w, in, c, plain); err != nil {
		return nil, err
	}
	if (flow.RunsExternal3DS(w, in) || instead) && !w.Exemption.Direct() {
		if err := e.CheckFailures(ctx, w); err != nil {
			return nil, err
		}
		return e.ConfirmAuthenticated(ctx, w, in, c, now, nil)
	}
	if ri, err := e.ThreeRIFor(ctx, w, in, c); err != nil {
		return nil, err
	} else if ri != nil {
		if err := e.CheckFailures(ctx, w); err != nil {
			return nil, err
		}
		return e.ConfirmAuthenticated(ctx, w, in, c, now, ri)
	}
	w.FillAttempt(in, c)
	e.routes.PrepareRetry(w, in, c)
	if t := in.ThreeDS; t != nil {
		w.Attempt.Details.Authentication = &authentication.Summary{Status: authentication.StatusSuccess, DSTransID: t.DSTransID, Version: t.Version, TransStatus: t.TransStatus, ECI: t.ECI,
			Exemption: t.Exemption, Network: c.Facts.Network, Shift: string(threeds.ShiftUnknown)} // from the merchant's request
	}
	return e.authorizeIntent(w, in, c, now)
}

// ExtendedCardInfo is Changes.ExtendedCardInfo.
func (e *Engine) ExtendedCardInfo(ctx context.Context, auth account.Auth, id string) (string, error) {
	return e.changes.ExtendedCardInfo(ctx, auth, id)
}

// route decides the surcharge and the authentication type where the request gave none, and chooses the connector account. It records the choice on the
// attempt.
func (e *Engine) route(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card) (route *routing.Route, err error) {
	input := sync.OnceValue(func() *rule.Input { return routing.InputOf(w.Payment, w.Profile, in, c) }) // most payments meet no rules
	e.routes.Surcharge(ctx, w, input)
	if w.Payment.Details.AuthenticationType == "" {
		e.routes.Authenticate(ctx, w, c, input)
	}
	if w.Instrument != nil && w.Instrument.Stored {
		route, err = e.routes.StoredCredential(ctx, w, in, c, input)
	} else {
		route, err = e.routes.Account(ctx, w.Payment, w.Profile, &c.Facts, input)
	}
	if err != nil {
		return nil, err
	}
	w.Attempt.Details.Routed = route.Trace
	return route, nil
}

// authorizeIntent returns the change that makes the authorization's intent durable, with the confirmed payment and attempt.
func (e *Engine) authorizeIntent(w *change.Confirming, in *request.Input, card *card.Card, now time.Time) (*change.Change, error) {
	w.LeaseEnd = e.driver.LeaseEnd()
	w.Operation = e.driver.NewOperation(&w.Run, change.AuthorizeKind(w.Loaded), w.Attempt.Amount, now)
	w.Secrets = card.Secrets
	if in.ThreeDS != nil {
		w.Secrets.CAVV = in.ThreeDS.CAVV
	}
	w.Request = e.driver.FirstRequest(&w.Run, w.Profile, w.Instrument, in, card)
	if w.CardHold != nil {
		w.Attempt.Details.Scheme.HeldUntil = now.Add(change.GuardHeld)
	}
	c, err := e.intent(w.Loaded, payment.TriggerSubmit, now)
	if err != nil {
		return nil, err
	}
	w.Confirmed(c)
	c.Holds, c.CardHold = w.Holds, w.CardHold
	return c, nil
}

// chooseInstrument returns the card to charge: typed, saved, or kept since the payment's creation. Any other instrument is in w.Instrument.
func (e *Engine) chooseInstrument(ctx context.Context, w *change.Confirming, in *request.Input, now time.Time) (_ *card.Card, err error) {
	if w.Instrument, err = e.RequestedInstrument(ctx, w.Payment, in, now); err != nil {
		return nil, err
	}
	if w.Instrument != nil && w.Instrument.CardOnly {
		if v, err := e.Switch(ctx, w.Payment.MerchantID, account.SwitchCardOnly); err != nil {
			return nil, err
		} else if v == "false" {
			return nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_19", Message: "Payment method type not supported", Reason: "MIT with Limited Card Data",
				Param: "recurring_details.type", Hint: "The config key " + account.SwitchCardOnly + w.Payment.MerchantID + " switches such charges off."}
		}
	}
	if w.Instrument != nil {
		return e.CardOfInstrument(ctx, w.Instrument, in, now)
	}
	typed := in.Card
	if typed == nil {
		t, err := e.changes.TokenCard(ctx, w.Payment, in.PaymentToken, now)
		if err != nil {
			return nil, err
		}
		if !in.CardCVC.IsZero() {
			t.CVC = in.CardCVC
		}
		typed = t
	}
	return e.opts.BINTable.Read(typed, in.CardCVC, now)
}

// SecretOf returns the id of the payment or payment method that a client secret belongs to, or "" for a wrong secret. An expired secret is
// accepted: a repeated request gets its first answer, which was given in time.
func (e *Engine) SecretOf(ctx context.Context, a *account.Auth, clientSecret string) string {
	i := strings.LastIndex(clientSecret, "_secret_")
	if i < 0 {
		return ""
	}
	id := clientSecret[:i]
	err := e.CheckClientSecret(ctx, *a, id, clientSecret)
	if fault.IsNotFound(err) {
		var m *method.PaymentMethod
		if m, err = e.ReadMethod(ctx, a.MerchantID, id); err == nil {
			err = e.CheckMethodSecret(*a, m, clientSecret)
		}
	}
	if expired, ok := errors.AsType[*fault.Error](err); ok && expired.Code == "IR_08" {
		err = nil
	}
	if err != nil {
		return "" // the use case that answers the request reports the wrong secret
	}
	return id
}
