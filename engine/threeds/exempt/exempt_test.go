package exempt

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/threeds"
	"payswitch/engine/threeds/internal/vector"
	"payswitch/sdk"
)

func TestChallengeInds(t *testing.T) {
	type input struct {
		Version      string             `json:"version"`
		Exemption    threeds.Exemption  `json:"exemption"`
		SoftDeclined bool               `json:"soft_declined"`
		FirstCIT     bool               `json:"first_cit"`
		Preference   threeds.Preference `json:"preference"`
	}
	type expect struct {
		Ind       json.RawMessage   `json:"threeDSRequestorChallengeInd"` // a list in 2.3.1
		Exemption threeds.Exemption `json:"authorization_exemption"`
	}
	vector.Each(t, "challenge_ind", func(t *testing.T, _ vector.Vectors, in input, want expect) {
		c := Choose(threeds.Default(), Payer{EURCents: 2000, Asked: true, Requested: in.Exemption, SoftDeclined: in.SoftDeclined,
			FirstOfSeries: in.FirstCIT, Preference: in.Preference, ProcessorTakes: everyExemption}, "")
		require.Equal(t, threeds.Route3DS, c.Route)
		inds, exemption := threeds.ChallengeInds(in.Version, c.Preference, c.Exemption)
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

func TestChoose(t *testing.T) {
	rules := threeds.Default()
	rules.ExemptionPolicy = threeds.RuleRules
	rules.ExemptionRules = threeds.ExemptionRules{LowValue: threeds.RuleOn, TrustedBeneficiary: threeds.RuleOn, SecureCorporate: threeds.RuleOn, TRAThresholdEUR: 250,
		Route: threeds.RuleAuto, SuppressAbovePercent: 20}
	off := threeds.Default()
	off.ExemptionPolicy = threeds.RuleRules
	direct, through := rules, rules
	direct.ExemptionRules.Route, through.ExemptionRules.Route = threeds.RuleAuthorization, threeds.RuleThreeDS

	base := Payer{EURCents: 25_00, IssuerCountry: "DE", AcquirerCountry: "FR", Asked: true, ProcessorTakes: everyExemption}
	big := base
	big.EURCents = 300_00
	with := func(p Payer, change func(*Payer)) Payer { change(&p); return p }
	for _, tc := range []struct {
		name    string
		cfg     threeds.Config
		p       Payer
		version string
		want    Choice
	}{
		{"soft decline", rules, with(base, func(p *Payer) { p.SoftDeclined = true }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.IssuerDemanded, Reason: BecauseSoftDecline}},
		{"forced", rules, with(base, func(p *Payer) { p.Forced = true }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecauseForced}},
		{"MIT", rules, with(base, func(p *Payer) { p.MIT, p.Forced = true, true }), "2.2.0", Choice{Reason: BecauseMIT}},
		{"US card", rules, with(base, func(p *Payer) { p.IssuerCountry = "US" }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseOutOfScope}},
		{"US acquirer, not asked", rules, with(base, func(p *Payer) { p.AcquirerCountry, p.Asked = "US", false }), "", Choice{Reason: BecauseOutOfScope}},
		{"UK card", off, with(base, func(p *Payer) { p.IssuerCountry = "GB" }), "", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"unknown countries are in scope", off, with(base, func(p *Payer) { p.IssuerCountry, p.AcquirerCountry = "", "" }), "", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"first of series", rules, with(base, func(p *Payer) { p.FirstOfSeries, p.Requested = true, threeds.ExemptTRA }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecauseSeries}},
		{"add card", rules, with(base, func(p *Payer) { p.AddCard, p.EURCents = true, 0 }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecauseAddCard}},
		{"merchant prefers a challenge", rules, with(base, func(p *Payer) { p.Preference = threeds.ChallengePreferred }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.ChallengePreferred, Reason: BecausePreference}},
		{"merchant wants none", off, with(base, func(p *Payer) { p.Preference = threeds.NoChallenge }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.NoChallenge, Reason: BecausePreference}},

		{"low value, 2.3.1", rules, base, "2.3.1", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, 2.2", rules, base, "2.2.0", Choice{Route: threeds.RouteAuthorization, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, version not known", rules, base, "", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, always through", through, base, "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, always direct", direct, base, "2.3.1", Choice{Route: threeds.RouteAuthorization, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, authentication not asked", rules, with(base, func(p *Payer) { p.Asked = false }), "", Choice{Route: threeds.RouteAuthorization, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, 2.2, processor takes others", rules, with(base, func(p *Payer) { p.ProcessorTakes = []threeds.Exemption{threeds.ExemptTRA} }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNoWay}},
		{"route authorization, processor deaf", direct, with(base, func(p *Payer) { p.ProcessorTakes = nil }), "2.3.1", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"low value, a card like any other", rules, with(base, func(p *Payer) { p.Counters = NoCounters }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"low value, nowhere to say", rules, with(base, func(p *Payer) { p.Asked, p.ProcessorTakes = false, nil }), "", Choice{Reason: BecauseNoWay}},
		{"low value, 2.2, processor deaf", rules, with(base, func(p *Payer) { p.ProcessorTakes = nil }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNoWay}},
		{"EUR 30", rules, with(base, func(p *Payer) { p.EURCents = 30_00 }), "2.3.1", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"EUR 30.01", rules, with(base, func(p *Payer) { p.EURCents = 30_01 }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"five times", rules, with(base, func(p *Payer) { p.Counters.Count = 5 }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"EUR 100 in all", rules, with(base, func(p *Payer) { p.Counters = Counters{4, 100_00} }), "2.3.1", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseLowValue}},
		{"more in all", rules, with(base, func(p *Payer) { p.Counters = Counters{4, 100_01} }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"amount not known", rules, with(base, func(p *Payer) { p.EURCents, p.RiskAccepted = -1, true }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"rules not switched on", off, base, "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"no rules", threeds.Default(), with(base, func(p *Payer) { p.RiskAccepted = true }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},

		{"TRA", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted = 250_00, true }), "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptTRA, Reason: BecauseTRA}},
		{"TRA, 2.1", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted = 250_00, true }), "2.1.0", Choice{Route: threeds.RouteAuthorization, Exemption: threeds.ExemptTRA, Reason: BecauseTRA}},
		{"above the acquirer's band", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted = 250_01, true }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"risk not accepted", rules, with(big, func(p *Payer) { p.EURCents = 200_00 }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"the acquirer's fraud rate allows less", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 100_01, true, percent(0.13) }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"as much as its fraud rate allows", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 100_00, true, percent(0.13) }), "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptTRA, Reason: BecauseTRA}},
		{"a fraud rate that allows more", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 250_01, true, percent(0.005) }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"a fraud rate that allows none", rules, with(big, func(p *Payer) { p.EURCents, p.RiskAccepted, p.FraudRate = 31_00, true, percent(0.14) }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},
		{"trusted", rules, with(big, func(p *Payer) { p.TrustListed = true }), "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptTrustedBeneficiary, Reason: BecauseTrusted}},
		{"corporate", rules, with(big, func(p *Payer) { p.Corporate, p.SecureChannel = true, true }), "2.3.1", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptSecureCorporate, Reason: BecauseCorporate}},
		{"corporate card, no secure channel", rules, with(big, func(p *Payer) { p.Corporate = true }), "2.3.1", Choice{Route: threeds.Route3DS, Reason: BecauseNothing}},

		{"requested, whatever the rules", threeds.Default(), with(big, func(p *Payer) { p.Requested = threeds.ExemptTRA }), "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptTRA, Reason: BecauseRequested}},
		{"requested, not asked", threeds.Default(), with(big, func(p *Payer) { p.Requested, p.Asked = threeds.ExemptTRA, false }), "", Choice{Route: threeds.RouteAuthorization, Exemption: threeds.ExemptTRA, Reason: BecauseRequested}},
		{"requested above EUR 500", threeds.Default(), with(big, func(p *Payer) { p.Requested, p.EURCents = threeds.ExemptTRA, 500_01 }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseInadmissible}},
		{"requested low value above EUR 30", threeds.Default(), with(big, func(p *Payer) { p.Requested = threeds.ExemptLowValue }), "2.2.0", Choice{Route: threeds.Route3DS, Reason: BecauseInadmissible}},
		{"data only stays in 3-D Secure", direct, with(big, func(p *Payer) { p.Requested = threeds.ExemptDataOnly }), "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptDataOnly, Reason: BecauseRequested}},
		{"a challenge beats a requested exemption", rules, with(base, func(p *Payer) { p.Requested, p.Preference = threeds.ExemptLowValue, threeds.ChallengeMandated }), "2.2.0", Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecausePreference}},
		{"nothing asked", threeds.Default(), with(base, func(p *Payer) { p.Asked = false }), "", Choice{Reason: BecauseNotAsked}},

		{"suppressed, next rule", rules, with(base, func(p *Payer) {
			p.RiskAccepted, p.Rates = true, map[threeds.Exemption]Rate{threeds.ExemptLowValue: {20, 5}}
		}), "2.2.0", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptTRA, Reason: BecauseTRA, PassedOver: []threeds.Exemption{threeds.ExemptLowValue}}},
		{"all suppressed", rules, with(base, func(p *Payer) { p.Rates = map[threeds.Exemption]Rate{threeds.ExemptLowValue: {100, 21}} }), "2.2.0",
			Choice{Route: threeds.Route3DS, Reason: BecauseNothing, PassedOver: []threeds.Exemption{threeds.ExemptLowValue}}},
		{"what is requested is not suppressed", rules, with(base, func(p *Payer) {
			p.Requested, p.Rates = threeds.ExemptLowValue, map[threeds.Exemption]Rate{threeds.ExemptLowValue: {100, 99}}
		}), "2.3.1", Choice{Route: threeds.Route3DS, Exemption: threeds.ExemptLowValue, Reason: BecauseRequested}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, Choose(tc.cfg, tc.p, tc.version)) })
	}
}

// everyExemption lists the exemptions of a processor that accepts all of them.
var everyExemption = []threeds.Exemption{threeds.ExemptLowValue, threeds.ExemptTRA, threeds.ExemptTrustedBeneficiary, threeds.ExemptSecureCorporate, threeds.ExemptDelegation, threeds.ExemptDataOnly}

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

func TestRate(t *testing.T) {
	require.False(t, Rate{19, 19}.Exceeds(20), "too few to tell")
	require.False(t, Rate{20, 4}.Exceeds(20))
	require.True(t, Rate{20, 5}.Exceeds(20))
	require.False(t, Rate{100, 100}.Exceeds(0), "0 never stops")
	require.False(t, Rate{}.Exceeds(1))
}

// TestExemptionsAreOptIn plays random payments: friction drops only if the merchant asked for that, and never below the law's limits.
func TestExemptionsAreOptIn(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 10))
	flip := func() bool { return g.IntN(2) == 0 }
	onOff := func() threeds.Rule { return pick(g, threeds.RuleOn, threeds.RuleOff, "") }
	claimed := 0
	for range 100_000 {
		cfg := threeds.Config{ExemptionPolicy: pick(g, threeds.RuleNone, threeds.RuleRules, ""), ExemptionRules: threeds.ExemptionRules{LowValue: onOff(),
			TrustedBeneficiary: onOff(), SecureCorporate: onOff(), TRAThresholdEUR: pick(g, int64(0), 100, 250, 500),
			Route: pick(g, threeds.RuleAuto, threeds.RuleThreeDS, threeds.RuleAuthorization, ""), SuppressAbovePercent: pick(g, int64(0), 20)}}
		p := Payer{EURCents: pick(g, int64(-1), 0, 10_00, 30_00, 30_01, 100_00, 250_00, 500_00, 500_01), IssuerCountry: pick(g, "DE", "US", ""),
			AcquirerCountry: pick(g, "FR", "GB", "CH"), Asked: flip(), Forced: g.IntN(8) == 0,
			Preference: pick(g, threeds.NoPreference, threeds.NoPreference, threeds.NoChallenge, threeds.ChallengePreferred, threeds.ChallengeMandated),
			Requested:  pick(g, threeds.NoExemption, threeds.NoExemption, threeds.ExemptTRA, threeds.ExemptLowValue, threeds.ExemptDataOnly), MIT: g.IntN(8) == 0,
			FirstOfSeries: g.IntN(4) == 0, AddCard: g.IntN(4) == 0, SoftDeclined: g.IntN(8) == 0,
			Counters: Counters{g.IntN(7), int64(g.IntN(200_00))}, RiskAccepted: flip(), TrustListed: flip(), Corporate: flip(),
			SecureChannel: flip(), ProcessorTakes: pick(g, nil, everyExemption), Rates: map[threeds.Exemption]Rate{threeds.ExemptLowValue: {20, g.IntN(20)}}}
		c := Choose(cfg, p, pick(g, "", "2.1.0", "2.2.0", "2.3.1"))
		told := []any{"settings %+v\npayment %+v\nchoice %+v", cfg, p, c}
		require.NotEmpty(t, c.Reason, told...)
		require.False(t, c.Route == threeds.Route3DS && p.MIT, told...)
		require.False(t, c.Route == threeds.Route3DS && !p.Asked && !p.SoftDeclined && !p.Forced, told...)
		if c.Exemption == threeds.NoExemption {
			require.NotEqual(t, threeds.RouteAuthorization, c.Route, told...)
			continue
		}
		claimed++
		require.False(t, p.SoftDeclined || p.Forced || p.MIT || p.FirstOfSeries || p.AddCard, told...)
		require.False(t, p.Asked && wantsChallenge(p.Preference), told...)
		if p.Requested == threeds.NoExemption {
			require.Equal(t, threeds.RuleRules, cfg.ExemptionPolicy, told...)
			require.False(t, p.Rates[c.Exemption].Exceeds(cfg.ExemptionRules.SuppressAbovePercent), told...)
		}
		switch c.Exemption {
		case threeds.ExemptLowValue:
			require.True(t, p.EURCents >= 0 && p.EURCents <= 30_00 && p.Counters.Count < 5 && p.Counters.EURCents <= 100_00, told...)
			require.True(t, p.Requested == threeds.ExemptLowValue || cfg.ExemptionRules.LowValue == threeds.RuleOn, told...)
		case threeds.ExemptTRA:
			require.True(t, p.EURCents >= 0 && p.EURCents <= 500_00, told...)
			require.True(t, p.Requested == threeds.ExemptTRA || p.RiskAccepted && p.EURCents <= cfg.ExemptionRules.TRAThresholdEUR*100, told...)
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

func pick[T any](g *rand.Rand, from ...T) T { return from[g.IntN(len(from))] }

func percent(v float64) *float64 { return &v }
