package flow

import (
	"context"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/exempt"
	"payswitch/sdk"
)

// requestedExemption returns the exemption that the payment itself requests, or NoExemption.
func requestedExemption(p *payment.Payment) threeds.Exemption {
	e := threeds.Exemption(p.Details.SCAExemption)
	if !e.Valid() {
		return threeds.NoExemption
	}
	return e
}

// exemptionsTaken returns the exemptions that the processor accepts in an authorization.
func exemptionsTaken(m *sdk.Manifest) []threeds.Exemption {
	out := make([]threeds.Exemption, 0, len(m.Features.Exemptions))
	for _, e := range m.Features.Exemptions {
		out = append(out, threeds.Exemption(e))
	}
	return out
}

// Exempt decides, before any call leaves, whether the payment claims an exemption in its authorization. A payment that goes through 3-D
// Secure is decided again once the message version is known (chooseChallenge). x is nil if neither payment nor profile wants exemptions.
// instead is true if a payment without authentication must be authenticated after all: it requested an exemption that cannot be claimed, and
// its payer is present.
func (s *Authentications) Exempt(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card, plain bool) (x *payment.AttemptExemption, instead bool, err error) {
	cfg, requested := w.Profile.Settings.ThreeDSPolicy(), requestedExemption(w.Payment)
	if in.ThreeDS != nil || w.Instrument != nil && w.Instrument.MerchantInitiated || requested == threeds.NoExemption && !cfg.Exempts() {
		return nil, false, nil
	}
	external := RunsExternal3DS(w, in)
	if !external && w.Payment.Details.AuthenticationType == payment.AuthenticationThreeDS {
		cfg.ExemptionPolicy = threeds.RuleNone // the merchant wants the processor to authenticate: no rule overrides that
	}
	x = &payment.AttemptExemption{EURCents: exempt.EURCents(w.Payment.NetAmount, w.Payment.Currency)}
	switch {
	case !c.Secrets.Number.IsZero():
		x.Card = s.Vault.Fingerprint(w.Payment.MerchantID, c.Secrets.Number)
	case w.Instrument != nil && w.Instrument.Method != nil:
		x.Card = w.Instrument.Method.Fingerprint
	}
	payer, err := s.payerFacts(ctx, w.Loaded, x, &c.Facts)
	if err != nil {
		return nil, false, err
	}
	payer.Asked, payer.Forced = external, external && s.forced(w.Loaded)
	payer.SoftDeclined = w.SoftDeclined
	payer.FirstOfSeries = w.Payment.Details.SetupFutureUsage == sdk.UsageOffSession && (w.Instrument == nil || !w.Instrument.Stored)
	payer.ProcessorTakes = exemptionsTaken(w.Adapter.Manifest)
	choice := exempt.Choose(cfg, payer, "")
	x.Choose(choice, choice.Route)
	if external || requested == threeds.NoExemption || choice.Exemption != threeds.NoExemption {
		return x, false, nil
	}
	refused := choice.Reason == exempt.BecauseNoWay || choice.Reason == exempt.BecauseInadmissible || choice.Reason == exempt.BecauseSoftDecline
	if !refused || plain || w.Payment.Details.AuthenticationType == payment.AuthenticationThreeDS || !payerThere(w.Payment) || c.Secrets.Number.IsZero() || c.Facts.Network == "" {
		return x, false, nil
	}
	account, _, err := s.stepUpAuthenticator(ctx, w.Loaded)
	return x, account != nil, err
}

// payerThere says whether a payment that asked for no authentication can be authenticated all the same: it came from a browser, with the
// address that an AReq needs.
func payerThere(p *payment.Payment) bool {
	v := p.Private
	billing := v.Billing
	if v.MethodBilling != nil {
		billing = v.MethodBilling
	}
	return v.Browser != nil && !optional.IsTrue(p.Details.OffSession) && hasAddress(drive.AddressOf(billing))
}

func (s *Authentications) forced(w *change.Loaded) bool {
	return w.Profile.Settings.Force3DSChallenge || optional.IsTrue(w.Payment.Details.Force3DSChallenge)
}

// payerFacts returns the facts about the payment's amount, card and issuer for the decision, with the counts so far.
func (s *Authentications) payerFacts(ctx context.Context, w *change.Loaded, x *payment.AttemptExemption, card *card.Facts) (exempt.Payer, error) {
	p := exempt.Payer{EURCents: x.EURCents, Requested: requestedExemption(w.Payment), AddCard: w.Payment.NetAmount == 0, Counters: exempt.NoCounters}
	network := sdk.CardNetwork("")
	if card != nil {
		p.IssuerCountry, network = card.CountryCode, card.Network
	}
	acquirer, err := acquirerOf(w, network)
	if err != nil {
		return p, err
	}
	p.AcquirerCountry, p.FraudRate, p.RiskAccepted = acquirer.Country, acquirer.FraudRate, optional.IsTrue(w.Payment.Details.RiskAccepted)
	err = fault.FromStore(s.Store.View(ctx, func(r change.Reader) error {
		if x.Card != "" {
			used, err := r.LowValue(w.Payment.MerchantID, x.Card)
			if err != nil {
				return err
			}
			p.Counters = exempt.Counters{Count: used.Count, EURCents: used.EURCents}
		}
		if card == nil || card.BIN == "" {
			return nil
		}
		rates, err := r.ExemptionRates(w.Payment.MerchantID, card.BIN)
		p.Rates = make(map[threeds.Exemption]exempt.Rate, len(rates))
		for _, rate := range rates {
			p.Rates[threeds.Exemption(rate.Exemption)] = exempt.Rate{Claimed: rate.Claimed, SoftDeclined: rate.SoftDeclined}
		}
		return err
	}), "read what exemptions were claimed")
	return p, err
}

// chooseChallenge decides, once the version is known, on the request to the issuer: a challenge, no challenge because of an exemption, or no
// preference. direct is true if the engine does not ask the issuer's 3-D Secure at all, because the authorization claims the exemption.
func (s *Authentications) chooseChallenge(ctx context.Context, c *authCase) (direct bool, err error) {
	d, p, w := &c.auth.Details, c.w.Payment, c.w
	payer := exempt.Payer{EURCents: -1}
	x := w.Attempt.Details.Exemption
	if x != nil {
		copied := *x
		x = &copied
		if err := s.Changes.WithAccount(ctx, w); err != nil {
			return false, err
		}
		if payer, err = s.payerFacts(ctx, w, x, w.Attempt.Details.Card); err != nil {
			return false, err
		}
		payer.ProcessorTakes = exemptionsTaken(w.Adapter.Manifest)
	} else if w.Attempt.Details.Card != nil {
		payer.IssuerCountry = w.Attempt.Details.Card.CountryCode
	}
	payer.Asked, payer.AddCard, payer.AcquirerCountry = true, d.Category == categoryNonPayment, d.Merchant.AcquirerCountry
	payer.SoftDeclined = d.StepUp || x != nil && x.Reason == exempt.BecauseSoftDecline
	payer.FirstOfSeries, payer.Forced = p.Details.SetupFutureUsage == sdk.UsageOffSession, s.forced(w)
	choice := exempt.Choose(c.cfg(), payer, d.MessageVersion)
	inds, authorization := threeds.ChallengeInds(d.MessageVersion, choice.Preference, choice.Exemption)
	d.ChallengeInds, d.Exemption, d.ExemptionReason, d.ExemptionRoute = inds, choice.Exemption, choice.Reason, threeds.RouteNone
	direct = choice.Route == threeds.RouteAuthorization
	switch {
	case choice.Exemption == threeds.NoExemption:
	case direct || authorization != threeds.NoExemption:
		d.ExemptionRoute = threeds.RouteAuthorization
	default:
		d.ExemptionRoute = threeds.Route3DS
	}
	if direct {
		d.ChallengeInds = nil
	}
	if slices.Equal(inds, []string{"01"}) && choice.Preference == threeds.NoPreference && x == nil {
		d.ExemptionReason = ""
	}
	if x != nil {
		x.Choose(choice, d.ExemptionRoute)
		w.Attempt.Details.Exemption = x
	}
	return direct, nil
}

// claimedExemption returns the exemption that the authorization claims after an authentication. It is the exemption that the issuer acknowledged; the
// one claimed without the issuer's 3-D Secure, or the one of a card that takes no part in it. It returns "" if the processor does not accept
// the exemption.
func claimedExemption(c *authCase, d threeds.Decision) sdk.Exemption {
	e := threeds.NoExemption
	switch {
	case d.Proof != nil:
		e = d.Proof.Exemption
	case d.Outcome == threeds.Exempted:
		e = c.auth.Details.Exemption
	case d.Outcome == threeds.OutOf3DS && c.w.Attempt.Details.Exemption != nil:
		e = c.w.Attempt.Details.Exemption.Exemption
	}
	if e == threeds.NoExemption || !slices.Contains(c.w.Adapter.Manifest.Features.Exemptions, sdk.Exemption(e)) {
		return ""
	}
	if x := c.w.Attempt.Details.Exemption; x != nil && d.Outcome == threeds.OutOf3DS {
		moved := *x
		moved.Route = threeds.RouteAuthorization
		c.w.Attempt.Details.Exemption = &moved
	}
	return sdk.Exemption(e)
}

// CheckBroughtExemption refuses an exemption in the merchant's own authentication result if the processor cannot receive it.
func CheckBroughtExemption(name string, account *account.Account, m *sdk.Manifest) error {
	e, known := exempt.ByName[name]
	switch {
	case name == "":
	case !known:
		return fault.Unprocessable("three_ds_data.exemption_indicator",
			"exemption_indicator must be one of low_value, transaction_risk_assessment, trusted_listing, secure_corporate_payment, sca_delegation, or be left out").WithHint("Send one of the values that the message lists.")
	case !slices.Contains(m.Features.Exemptions, e):
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "exemption " + name + " in an authorization not supported: leave three_ds_data.exemption_indicator out",
			Param: "three_ds_data.exemption_indicator", Connector: account.Connector, Hint: "Leave the field out."}
	}
	return nil
}
