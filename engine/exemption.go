package engine

import (
	"context"
	"encoding/json"
	"slices"

	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// requestedExemption is the exemption that the payment itself asks for; "" for none.
func requestedExemption(p *Payment) threeds.Exemption {
	e := threeds.Exemption(textField(p.Details.Echo["psd2_sca_exemption_type"]))
	if !e.Valid() {
		return threeds.NoExemption
	}
	return e
}

// exemptionsTaken are those that the processor takes in an authorization.
func exemptionsTaken(m *sdk.Manifest) []threeds.Exemption {
	out := make([]threeds.Exemption, 0, len(m.Features.Exemptions))
	for _, e := range m.Features.Exemptions {
		out = append(out, threeds.Exemption(e))
	}
	return out
}

// exempt decides, before anything is asked of anybody, whether the payment claims an exemption in its authorization. What goes through 3-D
// Secure is decided again when the message version is known (chooseChallenge). nil where neither payment nor profile want exemptions.
// instead says that a payment which asked for no authentication is to be authenticated after all: it asked for an exemption that cannot be
// claimed, and its payer is there.
func (s *Authentications) exempt(ctx context.Context, w *confirming, in *PaymentInput, c *card, plain bool) (x *AttemptExemption, instead bool, err error) {
	cfg, requested := w.profile.Settings.ThreeDSPolicy(), requestedExemption(w.p)
	if in.ThreeDS != nil || w.instrument != nil && w.instrument.MerchantInitiated || requested == threeds.NoExemption && !cfg.Exempts() {
		return nil, false, nil
	}
	external := runsExternal3DS(w, in)
	if !external && w.p.Details.AuthenticationType == authenticationThreeDS {
		cfg.ExemptionPolicy = threeds.RuleNone // the merchant wants the processor to authenticate: no rule takes that back
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

// riskAccepted says whether the merchant's own risk analysis (PSD2 RTS, article 18) found nothing against the payment: frm_metadata says so.
func riskAccepted(p *Payment) bool {
	var said struct {
		Accepted bool `json:"risk_accepted"`
	}
	raw := p.Details.Echo["frm_metadata"]
	return len(raw) > 0 && json.Unmarshal(raw, &said) == nil && said.Accepted
}

// payerThere says whether a payment that asked for no authentication can be authenticated all the same: it came from a browser, with the
// address that an AReq needs.
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

// payer is what is known of the payment's amount, card and issuer for the decision, with what was counted so far.
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

// chooseChallenge decides what is asked of the issuer, once the version is known: a challenge, none for an exemption, or nothing; or that
// the issuer's 3-D Secure is not asked at all, as the authorization claims the exemption (then it says so).
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

// claimed is the exemption that an authorization is to claim after an authentication's end: the one whose acknowledgement it has, or the one
// that was to be claimed without asking the issuer's 3-D Secure, or whose issuer has none. "" where the processor takes none.
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

// checkBroughtExemption refuses an exemption that comes with a result of the merchant's own where it cannot reach the processor.
func checkBroughtExemption(name string, account *Account, m *sdk.Manifest) error {
	e, known := broughtExemptions[name]
	switch {
	case name == "":
	case !known:
		return Unprocessable("three_ds_data.exemption_indicator",
			"exemption_indicator is one of low_value, transaction_risk_assessment, trusted_listing, secure_corporate_payment, sca_delegation, or is left out")
	case !slices.Contains(m.Features.Exemptions, e):
		return &Error{Kind: KindInvalid, Code: "IR_20", Message: "exemption " + name + " in an authorization not supported: leave three_ds_data.exemption_indicator out",
			Param: "three_ds_data.exemption_indicator", Connector: account.Connector}
	}
	return nil
}
