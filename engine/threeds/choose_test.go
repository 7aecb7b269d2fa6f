package threeds

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestChallengeInds(t *testing.T) {
	type input struct {
		Version      string     `json:"version"`
		Exemption    Exemption  `json:"exemption"`
		SoftDeclined bool       `json:"soft_declined"`
		FirstCIT     bool       `json:"first_cit"`
		Preference   Preference `json:"preference"`
	}
	type expect struct {
		Ind       json.RawMessage `json:"threeDSRequestorChallengeInd"` // a list in 2.3.1
		Exemption Exemption       `json:"authorization_exemption"`
	}
	eachVector(t, "challenge_ind", func(t *testing.T, _ vectors, in input, want expect) {
		c := Choose(Default(), Payer{EURCents: 2000, Asked: true, Requested: in.Exemption, SoftDeclined: in.SoftDeclined,
			FirstOfSeries: in.FirstCIT, Preference: in.Preference, ProcessorTakes: everyExemption}, "")
		require.Equal(t, Route3DS, c.Route)
		inds, exemption := ChallengeInds(in.Version, c.Preference, c.Exemption)
		require.Equal(t, want.Exemption, exemption)
		require.Len(t, inds, 1)
		var wire any = inds[0]
		if in.Version == "2.3.1" {
			wire = inds
		}
		got, err := json.Marshal(wire)
		require.NoError(t, err)
		require.JSONEq(t, string(want.Ind), string(got))
	})
}

// TestChallengeIndsOfEveryVersion: no version gets a value that it does not have.
func TestChallengeIndsOfEveryVersion(t *testing.T) {
	highest := map[string]string{"2.1.0": "04", "2.2.0": "09", "2.3.1": "14"}
	exemptions := []Exemption{NoExemption}
	for _, i := range exemptionInds {
		exemptions = append(exemptions, i.exemption)
	}
	for _, v := range versions {
		for _, p := range []Preference{NoPreference, NoChallenge, ChallengePreferred, ChallengeMandated, IssuerDemanded, TrustListing} {
			for _, e := range exemptions {
				inds, claimed := ChallengeInds(v, p, e)
				require.Len(t, inds, 1)
				require.LessOrEqual(t, inds[0], highest[v], "%s %s %s", v, p, e)
				if wantsChallenge(p) {
					require.Contains(t, []string{"03", "04", "09", "13"}, inds[0], "a demand beats an exemption")
					require.Empty(t, claimed)
				} else if e != NoExemption {
					// the requested exemption is the one that an answer I acknowledges, and the one that the authorization claims
					got, asked := exemptionAsked(Run{ChallengeInds: inds, Exemption: claimed})
					require.True(t, asked)
					require.Equal(t, e, got)
				}
			}
		}
	}
}

func TestStepUp(t *testing.T) {
	type input struct {
		Route     Route    `json:"exemption_route"`
		Processor []string `json:"processor"`
		OnSession bool     `json:"on_session"`
		StepUps   int      `json:"stepups_done"`
	}
	type expect struct {
		PaymentStatus string  `json:"payment_status"`
		NextAction    string  `json:"next_action"`
		Ind           *string `json:"threeDSRequestorChallengeInd"`
		ErrorCode     string  `json:"error_code"`
	}
	eachVector(t, "soft_decline", func(t *testing.T, _ vectors, in input, want expect) {
		require.Equal(t, []string{"soft_decline"}, in.Processor)
		d := StepUp(Default(), SoftDecline{OnSession: in.OnSession, StepUps: in.StepUps, CanAuthenticate: true})
		require.Equal(t, want.ErrorCode, d.ErrorCode)
		require.Equal(t, want.NextAction == "three_ds_invoke", d.Run)
		require.Equal(t, want.PaymentStatus == "requires_customer_action", d.Run)
		if want.Ind != nil {
			inds, exemption := ChallengeInds("2.2.0", d.Preference, ExemptLowValue)
			require.Equal(t, []string{*want.Ind}, inds)
			require.Empty(t, exemption)
		}
	})
	here := SoftDecline{OnSession: true, CanAuthenticate: true}
	for reason, change := range map[string]func(c *Config, d *SoftDecline){
		"step_up_off":       func(c *Config, _ *SoftDecline) { c.StepUp = RuleOff },
		"stepped_up_before": func(_ *Config, d *SoftDecline) { d.StepUps = 1 },
		"challenged_before": func(_ *Config, d *SoftDecline) { d.Challenged = true },
		"payer_absent":      func(_ *Config, d *SoftDecline) { d.OnSession = false },
		"no_authenticator":  func(_ *Config, d *SoftDecline) { d.CanAuthenticate = false },
	} {
		c, d := Default(), here
		change(&c, &d)
		require.Equal(t, StepUpDecision{ErrorCode: CodeRequired, Reason: reason}, StepUp(c, d))
	}
}

func TestChoose(t *testing.T) {
	rules := Default()
	rules.ExemptionPolicy = RuleRules
	rules.ExemptionRules = ExemptionRules{LowValue: RuleOn, TrustedBeneficiary: RuleOn, SecureCorporate: RuleOn, TRAThresholdEUR: 250,
		Route: RuleAuto, SuppressAbovePercent: 20}
	off := Default()
	off.ExemptionPolicy = RuleRules
	direct, through := rules, rules
	direct.ExemptionRules.Route, through.ExemptionRules.Route = RuleAuthorization, RuleThreeDS

	base := Payer{EURCents: 25_00, IssuerCountry: "DE", AcquirerCountry: "FR", Asked: true, ProcessorTakes: everyExemption}
	big := base
	big.EURCents = 300_00
	with := func(p Payer, change func(*Payer)) Payer { change(&p); return p }
	for _, tc := range []struct {
		name    string
		cfg     Config
		p       Payer
		version string
		want    Choice
	}{
		{"soft decline", rules, with(base, func(p *Payer) { p.SoftDeclined = true }), "2.2.0", Choice{Route: Route3DS, Preference: IssuerDemanded, Reason: BecauseSoftDecline}},
		{"forced", rules, with(base, func(p *Payer) { p.Forced = true }), "2.2.0", Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecauseForced}},
		{"MIT", rules, with(base, func(p *Payer) { p.MIT, p.Forced = true, true }), "2.2.0", Choice{Reason: BecauseMIT}},
		{"US card", rules, with(base, func(p *Payer) { p.IssuerCountry = "US" }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseOutOfScope}},
		{"US acquirer, not asked", rules, with(base, func(p *Payer) { p.AcquirerCountry, p.Asked = "US", false }), "", Choice{Reason: BecauseOutOfScope}},
		{"UK card", off, with(base, func(p *Payer) { p.IssuerCountry = "GB" }), "", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"unknown countries are in scope", off, with(base, func(p *Payer) { p.IssuerCountry, p.AcquirerCountry = "", "" }), "", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"first of series", rules, with(base, func(p *Payer) { p.FirstOfSeries, p.Requested = true, ExemptTRA }), "2.2.0", Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecauseSeries}},
		{"add card", rules, with(base, func(p *Payer) { p.AddCard, p.EURCents = true, 0 }), "2.2.0", Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecauseAddCard}},
		{"merchant prefers a challenge", rules, with(base, func(p *Payer) { p.Preference = ChallengePreferred }), "2.2.0", Choice{Route: Route3DS, Preference: ChallengePreferred, Reason: BecausePreference}},
		{"merchant wants none", off, with(base, func(p *Payer) { p.Preference = NoChallenge }), "2.2.0", Choice{Route: Route3DS, Preference: NoChallenge, Reason: BecausePreference}},

		{"low value, 2.3.1", rules, base, "2.3.1", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, 2.2", rules, base, "2.2.0", Choice{Route: RouteAuthorization, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, version not known", rules, base, "", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, always through", through, base, "2.2.0", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, always direct", direct, base, "2.3.1", Choice{Route: RouteAuthorization, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, authentication not asked", rules, with(base, func(p *Payer) { p.Asked = false }), "", Choice{Route: RouteAuthorization, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, 2.2, processor takes others", rules, with(base, func(p *Payer) { p.ProcessorTakes = []Exemption{ExemptTRA} }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNoWay}},
		{"route authorization, processor deaf", direct, with(base, func(p *Payer) { p.ProcessorTakes = nil }), "2.3.1", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, a card like any other", rules, with(base, func(p *Payer) { p.Counters = NoCounters }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"low value, nowhere to say", rules, with(base, func(p *Payer) { p.Asked, p.ProcessorTakes = false, nil }), "", Choice{Reason: BecauseNoWay}},
		{"low value, 2.2, processor deaf", rules, with(base, func(p *Payer) { p.ProcessorTakes = nil }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNoWay}},
		{"EUR 30", rules, with(base, func(p *Payer) { p.EURCents = 30_00 }), "2.3.1", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"EUR 30.01", rules, with(base, func(p *Payer) { p.EURCents = 30_01 }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"five times", rules, with(base, func(p *Payer) { p.Counters.Count = 5 }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"EUR 100 in all", rules, with(base, func(p *Payer) { p.Counters = Counters{4, 100_00} }), "2.3.1", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseLowValue}},
		{"more in all", rules, with(base, func(p *Payer) { p.Counters = Counters{4, 100_01} }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"amount not known", rules, with(base, func(p *Payer) { p.EURCents, p.RiskAccepted = -1, true }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"rules not switched on", off, base, "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"no rules", Default(), with(base, func(p *Payer) { p.RiskAccepted = true }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},

		{"TRA", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted = 250_00, true }), "2.2.0", Choice{Route: Route3DS, Exemption: ExemptTRA, Reason: BecauseTRA}},
		{"TRA, 2.1", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted = 250_00, true }), "2.1.0", Choice{Route: RouteAuthorization, Exemption: ExemptTRA, Reason: BecauseTRA}},
		{"above the acquirer's band", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted = 250_01, true }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"risk not accepted", rules, with(big, func(p *Payer) { p.EURCents = 200_00 }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"the acquirer's fraud rate allows less", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 100_01, true, percent(0.13) }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"as much as its fraud rate allows", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 100_00, true, percent(0.13) }), "2.2.0", Choice{Route: Route3DS, Exemption: ExemptTRA, Reason: BecauseTRA}},
		{"a fraud rate that allows more", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 250_01, true, percent(0.005) }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"a fraud rate that allows none", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 31_00, true, percent(0.14) }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseNothing}},
		{"trusted", rules, with(big, func(p *Payer) { p.TrustListed = true }), "2.2.0", Choice{Route: Route3DS, Exemption: ExemptTrustedBeneficiary, Reason: BecauseTrusted}},
		{"corporate", rules, with(big, func(p *Payer) { p.Corporate, p.SecureChannel = true, true }), "2.3.1", Choice{Route: Route3DS, Exemption: ExemptSecureCorporate, Reason: BecauseCorporate}},
		{"corporate card, no secure channel", rules, with(big, func(p *Payer) { p.Corporate = true }), "2.3.1", Choice{Route: Route3DS, Reason: BecauseNothing}},

		{"requested, whatever the rules", Default(), with(big, func(p *Payer) { p.Requested = ExemptTRA }), "2.2.0", Choice{Route: Route3DS, Exemption: ExemptTRA, Reason: BecauseRequested}},
		{"requested, not asked", Default(), with(big, func(p *Payer) { p.Requested, p.Asked = ExemptTRA, false }), "", Choice{Route: RouteAuthorization, Exemption: ExemptTRA, Reason: BecauseRequested}},
		{"requested above EUR 500", Default(), with(big, func(p *Payer) { p.Requested, p.EURCents = ExemptTRA, 500_01 }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseInadmissible}},
		{"requested low value above EUR 30", Default(), with(big, func(p *Payer) { p.Requested = ExemptLowValue }), "2.2.0", Choice{Route: Route3DS, Reason: BecauseInadmissible}},
		{"data only stays in 3-D Secure", direct, with(big, func(p *Payer) { p.Requested = ExemptDataOnly }), "2.2.0", Choice{Route: Route3DS, Exemption: ExemptDataOnly, Reason: BecauseRequested}},
		{"a challenge beats a requested exemption", rules, with(base, func(p *Payer) { p.Requested, p.Preference = ExemptLowValue, ChallengeMandated }), "2.2.0", Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecausePreference}},
		{"nothing asked", Default(), with(base, func(p *Payer) { p.Asked = false }), "", Choice{Reason: BecauseNotAsked}},

		{"suppressed, next rule", rules, with(base, func(p *Payer) {
			p.RiskAccepted, p.Rates = true, map[Exemption]Rate{ExemptLowValue: {20, 5}}
		}), "2.2.0", Choice{Route: Route3DS, Exemption: ExemptTRA, Reason: BecauseTRA, PassedOver: []Exemption{ExemptLowValue}}},
		{"all suppressed", rules, with(base, func(p *Payer) { p.Rates = map[Exemption]Rate{ExemptLowValue: {100, 21}} }), "2.2.0",
			Choice{Route: Route3DS, Reason: BecauseNothing, PassedOver: []Exemption{ExemptLowValue}}},
		{"what is requested is not suppressed", rules, with(base, func(p *Payer) {
			p.Requested, p.Rates = ExemptLowValue, map[Exemption]Rate{ExemptLowValue: {100, 99}}
		}), "2.3.1", Choice{Route: Route3DS, Exemption: ExemptLowValue, Reason: BecauseRequested}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, Choose(tc.cfg, tc.p, tc.version)) })
	}
}

// everyExemption lists the exemptions of a processor that accepts all of them.
var everyExemption = []Exemption{ExemptLowValue, ExemptTRA, ExemptTrustedBeneficiary, ExemptSecureCorporate, ExemptDelegation, ExemptDataOnly}

func TestEURCents(t *testing.T) {
	for _, tc := range []struct {
		amount   int64
		currency sdk.Currency
		want     int64
	}{
		{0, "EUR", 0}, {1, "EUR", 1}, {30_00, "EUR", 30_00}, {30_01, "EUR", 30_01}, {25_00, "GBP", 30_00}, {25_01, "GBP", 30_02}, {218_00, "DKK", 30_00},
		{3_900, "ISK", 30_00}, {1, "SEK", 1}, {500, "JPY", -1}, {500, "XYZ", -1}, {-1, "EUR", -1}, {1 << 60, "EUR", -1},
	} {
		require.Equal(t, tc.want, EURCents(tc.amount, tc.currency), "%d %s", tc.amount, tc.currency)
	}
	for c := range euroUnits {
		require.True(t, c.Valid(), c)
		require.LessOrEqual(t, EURCents(euroUnits[c], c), int64(lowValueLimit), c)
		require.Greater(t, EURCents(euroUnits[c]+1, c), int64(lowValueLimit), c)
	}
}

func TestExempts(t *testing.T) {
	require.False(t, Default().Exempts())
	require.False(t, Strict().Exempts(), "no rule is on")
	for _, on := range []func(r *ExemptionRules){func(r *ExemptionRules) { r.LowValue = RuleOn }, func(r *ExemptionRules) { r.TRAThresholdEUR = 100 },
		func(r *ExemptionRules) { r.TrustedBeneficiary = RuleOn }, func(r *ExemptionRules) { r.SecureCorporate = RuleOn }} {
		c := Strict()
		on(&c.ExemptionRules)
		require.True(t, c.Exempts())
		c.ExemptionPolicy = RuleNone
		require.False(t, c.Exempts())
	}
}

func TestRate(t *testing.T) {
	require.False(t, Rate{19, 19}.Exceeds(20), "too few to tell")
	require.False(t, Rate{20, 4}.Exceeds(20))
	require.True(t, Rate{20, 5}.Exceeds(20))
	require.False(t, Rate{100, 100}.Exceeds(0), "0 never stops")
	require.False(t, Rate{}.Exceeds(1))
}

// TestExemptionsAreOptIn plays random payments: friction drops only if the merchant asked for that, and never below the law's limits.
func TestExemptionsAreOptIn(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(9, 10))}
	flip := func() bool { return g.IntN(2) == 0 }
	onOff := func() Rule { return pick(g, RuleOn, RuleOff, "") }
	claimed := 0
	for range 100_000 {
		cfg := Config{ExemptionPolicy: pick(g, RuleNone, RuleRules, ""), ExemptionRules: ExemptionRules{LowValue: onOff(),
			TrustedBeneficiary: onOff(), SecureCorporate: onOff(), TRAThresholdEUR: pick(g, int64(0), 100, 250, 500),
			Route: pick(g, RuleAuto, RuleThreeDS, RuleAuthorization, ""), SuppressAbovePercent: pick(g, int64(0), 20)}}
		p := Payer{EURCents: pick(g, int64(-1), 0, 10_00, 30_00, 30_01, 100_00, 250_00, 500_00, 500_01), IssuerCountry: pick(g, "DE", "US", ""),
			AcquirerCountry: pick(g, "FR", "GB", "CH"), Asked: flip(), Forced: g.IntN(8) == 0,
			Preference: pick(g, NoPreference, NoPreference, NoChallenge, ChallengePreferred, ChallengeMandated),
			Requested:  pick(g, NoExemption, NoExemption, ExemptTRA, ExemptLowValue, ExemptDataOnly), MIT: g.IntN(8) == 0,
			FirstOfSeries: g.IntN(4) == 0, AddCard: g.IntN(4) == 0, SoftDeclined: g.IntN(8) == 0,
			Counters: Counters{g.IntN(7), int64(g.IntN(200_00))}, RiskAccepted: flip(), TrustListed: flip(), Corporate: flip(),
			SecureChannel: flip(), ProcessorTakes: pick(g, nil, everyExemption), Rates: map[Exemption]Rate{ExemptLowValue: {20, g.IntN(20)}}}
		c := Choose(cfg, p, pick(g, "", "2.1.0", "2.2.0", "2.3.1"))
		told := []any{"settings %+v\npayment %+v\nchoice %+v", cfg, p, c}
		require.NotEmpty(t, c.Reason, told...)
		require.False(t, c.Route == Route3DS && p.MIT, told...)
		require.False(t, c.Route == Route3DS && !p.Asked && !p.SoftDeclined && !p.Forced, told...)
		if c.Exemption == NoExemption {
			require.NotEqual(t, RouteAuthorization, c.Route, told...)
			continue
		}
		claimed++
		require.False(t, p.SoftDeclined || p.Forced || p.MIT || p.FirstOfSeries || p.AddCard, told...)
		require.False(t, p.Asked && wantsChallenge(p.Preference), told...)
		if p.Requested == NoExemption {
			require.Equal(t, RuleRules, cfg.ExemptionPolicy, told...)
			require.False(t, p.Rates[c.Exemption].Exceeds(cfg.ExemptionRules.SuppressAbovePercent), told...)
		}
		switch c.Exemption {
		case ExemptLowValue:
			require.True(t, p.EURCents >= 0 && p.EURCents <= 30_00 && p.Counters.Count < 5 && p.Counters.EURCents <= 100_00, told...)
			require.True(t, p.Requested == ExemptLowValue || cfg.ExemptionRules.LowValue == RuleOn, told...)
		case ExemptTRA:
			require.True(t, p.EURCents >= 0 && p.EURCents <= 500_00, told...)
			require.True(t, p.Requested == ExemptTRA || p.RiskAccepted && p.EURCents <= cfg.ExemptionRules.TRAThresholdEUR*100, told...)
		}
	}
	require.Greater(t, claimed, 1000, "the test is blind")
}

func TestSCACountries(t *testing.T) {
	require.True(t, slices.IsSorted(scaCountries))
	require.Len(t, scaCountries, 27+3+1+7, "EU, other EEA, United Kingdom, regions with codes of their own")
	for _, out := range []string{"CH", "US", "AD", "TR"} {
		require.True(t, outOfScope(out, "DE"), out)
		require.True(t, outOfScope("DE", out), out)
	}
}

func TestPlanThreeRI(t *testing.T) {
	on, mandatory := Default(), Default()
	on.ThreeRIForMIT, mandatory.ThreeRIForMIT = RuleOn, RuleMandatory
	good := ThreeRIRequest{Kind: MITRecurring, Supported: true, PriorReference: "acs", ProcessorTakes: true}
	require.Equal(t, ThreeRIPlan{Run: true, Indicator: "01", Category: Payment}, PlanThreeRI(on, good))
	require.Equal(t, ThreeRIPlan{Run: true, Indicator: "01", Category: Payment}, PlanThreeRI(mandatory, good))
	require.Equal(t, ThreeRIPlan{Reason: "three_ri_off"}, PlanThreeRI(Default(), good))
	require.Equal(t, ThreeRIPlan{Reason: "three_ri_off"}, PlanThreeRI(Config{}, good))
	for reason, change := range map[string]func(r *ThreeRIRequest){
		"not_supported_by_authenticator": func(r *ThreeRIRequest) { r.Supported = false },
		"not_supported_by_processor":     func(r *ThreeRIRequest) { r.ProcessorTakes = false },
		"first_use_not_authenticated":    func(r *ThreeRIRequest) { r.PriorReference = "" },
	} {
		r := good
		change(&r)
		require.Equal(t, ThreeRIPlan{Reason: reason}, PlanThreeRI(on, r))
		require.Equal(t, ThreeRIPlan{Reason: reason, ErrorCode: CodeUnavailable}, PlanThreeRI(mandatory, r))
	}
	for kind, ind := range map[MIT]string{MITInstallment: "02", MITUnscheduled: "11", MITResubmission: "11", MITSplit: "06", MITTopUp: "07", "": "11"} {
		r := good
		r.Kind = kind
		require.Equal(t, ind, PlanThreeRI(on, r).Indicator, kind)
	}
	check := good
	check.Kind, check.ZeroAmount = MITUnscheduled, true
	require.Equal(t, ThreeRIPlan{Run: true, Indicator: "05", Category: NonPayment}, PlanThreeRI(on, check))
}

// TestThreeRIAnswers: if the profile requires authentication, a payment without an answer fails; otherwise it goes on as it would have.
func TestThreeRIAnswers(t *testing.T) {
	mandatory := Default()
	mandatory.ThreeRIForMIT = RuleMandatory
	run := Run{Phase: Authenticate, Channel: ThreeRI, Scheme: "Visa", MessageVersion: "2.2.0"}
	for _, res := range []Result{{TransStatus: "U"}, {Class: Technical}, {Class: BadRequest}, {Class: Misconfigured}, {Class: Credentials},
		{TransStatus: "Y", DSTransID: "d"}, {TransStatus: "I", DSTransID: "d"}, {TransStatus: "D"}} {
		require.Equal(t, AuthorizePlainMIT, Decide(Default(), run, res).Action, "%+v", res)
		d := Decide(mandatory, run, res)
		require.Equal(t, Fail, d.Action, "%+v", res)
		require.NotEmpty(t, d.ErrorCode, "%+v", res)
	}
	for _, res := range []Result{{TransStatus: "N"}, {TransStatus: "R"}, {TransStatus: "C", ACSURL: "https://a.example/"}, {TransStatus: "x"}} {
		require.Equal(t, Fail, Decide(Default(), run, res).Action, "%+v", res)
	}
	attempted := Result{TransStatus: "A", HasValue: true, DSTransID: "d"}
	require.Equal(t, Authorize, Decide(Default(), run, attempted).Action)
	strict := Strict()
	require.Equal(t, AuthorizePlainMIT, Decide(strict, run, attempted).Action, "an attempt that is not good enough is no refusal")
	strict.ThreeRIForMIT = RuleMandatory
	require.Equal(t, CodeFailed, Decide(strict, run, attempted).ErrorCode)
	run.Phase = Prepare
	for _, res := range []Result{{Class: NotEnrolled}, {Class: Technical}, {Class: BadRequest}, {Versions: []string{"2.1.0"}}} {
		require.Equal(t, AuthorizePlainMIT, Decide(Default(), run, res).Action, "%+v", res)
		require.Equal(t, Fail, Decide(mandatory, run, res).Action, "%+v", res)
	}
}

func percent(v float64) *float64 { return &v }
