package engine

import (
	"context"
	"encoding/json"
	"slices"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// requestedExemption returns the exemption that the payment itself requests, or NoExemption.
func requestedExemption(p *Payment) threeds.Exemption {
	e := threeds.Exemption(textField(p.Details.Echo["psd2_sca_exemption_type"]))
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

// exempt decides, before any call leaves, whether the payment claims an exemption in its authorization. A payment that goes through 3-D
// Secure is decided again once the message version is known (chooseChallenge). x is nil if neither payment nor profile wants exemptions.
// instead is true if a payment without authentication must be authenticated after all: it requested an exemption that cannot be claimed, and
// its payer is present.
func (s *Authentications) exempt(ctx context.Context, w *confirming, in *PaymentInput, c *card, plain bool) (x *AttemptExemption, instead bool, err error) {
	cfg, requested := w.profile.Settings.ThreeDSPolicy(), requestedExemption(w.p)
	if in.ThreeDS != nil || w.instrument != nil && w.instrument.MerchantInitiated || requested == threeds.NoExemption && !cfg.Exempts() {
		return nil, false, nil
	}
	external := runsExternal3DS(w, in)
	if !external && w.p.Details.AuthenticationType == authenticationThreeDS {
		cfg.ExemptionPolicy = threeds.RuleNone // the merchant wants the processor to authenticate: no rule overrides that
	}
	x = &AttemptExemption{EURCents: threeds.EURCents(w.p.NetAmount, w.p.Currency)}
	switch {
	case !c.secrets.Number.IsZero():
		x.Card = s.Vault.Fingerprint(w.p.MerchantID, c.secrets.Number)
	case w.instrument != nil && w.instrument.Method != nil:
		x.Card = w.instrument.Method.Fingerprint
	}
	payer, err := s.payer(ctx, w.loaded, x, &c.facts)
	if err != nil {
		return nil, false, err
	}
	payer.Asked, payer.Forced = external, external && s.forced(w.loaded)
	payer.SoftDeclined = w.softDeclined
	payer.FirstOfSeries = w.p.Details.SetupFutureUsage == usageOffSession && (w.instrument == nil || !w.instrument.Stored)
	payer.ProcessorTakes = exemptionsTaken(w.adapter.Manifest)
	choice := threeds.Choose(cfg, payer, "")
	x.choose(choice, string(choice.Route))
	if external || requested == threeds.NoExemption || choice.Exemption != threeds.NoExemption {
		return x, false, nil
	}
	refused := choice.Reason == threeds.BecauseNoWay || choice.Reason == threeds.BecauseInadmissible || choice.Reason == threeds.BecauseSoftDecline
	if !refused || plain || w.p.Details.AuthenticationType == authenticationThreeDS || !payerThere(w.p) || c.secrets.Number.IsZero() || c.facts.Network == "" {
		return x, false, nil
	}
	account, _, err := s.stepUpAuthenticator(ctx, w.loaded)
	return x, account != nil, err
}

// riskAccepted reports whether the merchant's own risk analysis (PSD2 RTS, article 18) accepted the payment. frm_metadata carries the answer.
func riskAccepted(p *Payment) bool {
	var said struct {
		Accepted bool `json:"risk_accepted"`
	}
	raw := p.Details.Echo["frm_metadata"]
	return len(raw) > 0 && json.Unmarshal(raw, &said) == nil && said.Accepted
}

// payerThere reports whether a payment without authentication can still be authenticated: it came from a browser, with the address that an
// AReq needs.
func payerThere(p *Payment) bool {
	v := p.Private
	billing := v.Billing
	if v.MethodBilling != nil {
		billing = v.MethodBilling
	}
	return v.Browser != nil && !isTrue(p.Details.OffSession) && hasAddress(addressOf(billing))
}

func (s *Authentications) forced(w *loaded) bool {
	return w.profile.Settings.Force3DSChallenge || string(w.p.Details.Echo["force_3ds_challenge"]) == "true"
}

// payer returns the facts about the payment's amount, card and issuer for the decision, with the counts so far.
func (s *Authentications) payer(ctx context.Context, w *loaded, x *AttemptExemption, card *CardFacts) (threeds.Payer, error) {
	p := threeds.Payer{EURCents: x.EURCents, Requested: requestedExemption(w.p), AddCard: w.p.NetAmount == 0, Counters: threeds.NoCounters}
	network := sdk.CardNetwork("")
	if card != nil {
		p.IssuerCountry, network = card.CountryCode, card.Network
	}
	acquirer, err := acquirerOf(w, network)
	if err != nil {
		return p, err
	}
	p.AcquirerCountry, p.FraudRate, p.RiskAccepted = acquirer.Country, acquirer.FraudRate, riskAccepted(w.p)
	err = ours(s.Store.View(ctx, func(r ChangeReader) error {
		if x.Card != "" {
			used, err := r.LowValue(w.p.MerchantID, x.Card)
			if err != nil {
				return err
			}
			p.Counters = threeds.Counters{Count: used.Count, EURCents: used.EURCents}
		}
		if card == nil || card.BIN == "" {
			return nil
		}
		rates, err := r.ExemptionRates(w.p.MerchantID, card.BIN)
		p.Rates = make(map[threeds.Exemption]threeds.Rate, len(rates))
		for _, rate := range rates {
			p.Rates[threeds.Exemption(rate.Exemption)] = threeds.Rate{Claimed: rate.Claimed, SoftDeclined: rate.SoftDeclined}
		}
		return err
	}), "read what exemptions were claimed")
	return p, err
}

// chooseChallenge decides, once the version is known, on the request to the issuer: a challenge, no challenge because of an exemption, or no
// preference. direct is true if the engine does not ask the issuer's 3-D Secure at all, because the authorization claims the exemption.
func (s *Authentications) chooseChallenge(ctx context.Context, c *authCase) (direct bool, err error) {
	d, p, w := &c.auth.Details, c.w.p, c.w
	payer := threeds.Payer{EURCents: -1}
	x := w.a.Details.Exemption
	if x != nil {
		copied := *x
		x = &copied
		if err := s.Changes.withAccount(ctx, w); err != nil {
			return false, err
		}
		if payer, err = s.payer(ctx, w, x, w.a.Details.Card); err != nil {
			return false, err
		}
		payer.ProcessorTakes = exemptionsTaken(w.adapter.Manifest)
	} else if w.a.Details.Card != nil {
		payer.IssuerCountry = w.a.Details.Card.CountryCode
	}
	payer.Asked, payer.AddCard, payer.AcquirerCountry = true, d.Category == categoryNonPayment, d.Merchant.AcquirerCountry
	payer.SoftDeclined = d.StepUp || x != nil && x.Reason == string(threeds.BecauseSoftDecline)
	payer.FirstOfSeries, payer.Forced = p.Details.SetupFutureUsage == usageOffSession, s.forced(w)
	choice := threeds.Choose(c.cfg(), payer, d.MessageVersion)
	inds, authorization := threeds.ChallengeInds(d.MessageVersion, choice.Preference, choice.Exemption)
	d.ChallengeInds, d.Exemption, d.ExemptionReason, d.ExemptionRoute = inds, string(choice.Exemption), string(choice.Reason), ""
	direct = choice.Route == threeds.RouteAuthorization
	switch {
	case choice.Exemption == threeds.NoExemption:
	case direct || authorization != threeds.NoExemption:
		d.ExemptionRoute = routeAuthorization
	default:
		d.ExemptionRoute = route3DS
	}
	if direct {
		d.ChallengeInds = nil
	}
	if slices.Equal(inds, []string{"01"}) && choice.Preference == threeds.NoPreference && x == nil {
		d.ExemptionReason = ""
	}
	if x != nil {
		x.choose(choice, d.ExemptionRoute)
		w.a.Details.Exemption = x
	}
	return direct, nil
}

// claimed returns the exemption that the authorization claims after an authentication. It is the exemption that the issuer acknowledged, the
// one claimed without the issuer's 3-D Secure, or the one of a card that takes no part in it. It returns "" if the processor does not accept
// the exemption.
func claimed(c *authCase, d threeds.Decision) sdk.Exemption {
	e := threeds.NoExemption
	switch {
	case d.Proof != nil:
		e = d.Proof.Exemption
	case d.Outcome == threeds.Exempted:
		e = threeds.Exemption(c.auth.Details.Exemption)
	case d.Outcome == threeds.OutOf3DS && c.w.a.Details.Exemption != nil:
		e = threeds.Exemption(c.w.a.Details.Exemption.Exemption)
	}
	if e == threeds.NoExemption || !slices.Contains(c.w.adapter.Manifest.Features.Exemptions, sdk.Exemption(e)) {
		return ""
	}
	if x := c.w.a.Details.Exemption; x != nil && d.Outcome == threeds.OutOf3DS {
		moved := *x
		moved.Route = routeAuthorization
		c.w.a.Details.Exemption = &moved
	}
	return sdk.Exemption(e)
}

// checkBroughtExemption refuses an exemption in the merchant's own authentication result if the processor cannot receive it.
func checkBroughtExemption(name string, account *Account, m *sdk.Manifest) error {
	e, known := broughtExemptions[name]
	switch {
	case name == "":
	case !known:
		return Unprocessable("three_ds_data.exemption_indicator",
			"exemption_indicator must be one of low_value, transaction_risk_assessment, trusted_listing, secure_corporate_payment, sca_delegation, or be left out")
	case !slices.Contains(m.Features.Exemptions, e):
		return &Error{Kind: KindInvalid, Code: "IR_20", Message: "exemption " + name + " in an authorization not supported: leave three_ds_data.exemption_indicator out",
			Param: "three_ds_data.exemption_indicator", Connector: account.Connector}
	}
	return nil
}
