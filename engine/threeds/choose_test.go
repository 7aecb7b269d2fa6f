package threeds

import (
	"testing"

	"payswitch/engine/threeds/internal/vector"
	"payswitch/engine/threeds/message"

	"github.com/stretchr/testify/require"
)

// TestChallengeIndsOfEveryVersion: no version gets a value that it does not have.
func TestChallengeIndsOfEveryVersion(t *testing.T) {
	highest := map[string]string{"2.1.0": "04", "2.2.0": "09", "2.3.1": "14"}
	exemptions := []Exemption{NoExemption}
	for _, i := range exemptionInds {
		exemptions = append(exemptions, i.exemption)
	}
	for _, v := range message.Versions {
		for _, p := range []Preference{NoPreference, NoChallenge, ChallengePreferred, ChallengeMandated, IssuerDemanded, TrustListing} {
			for _, e := range exemptions {
				inds, claimed := ChallengeInds(v, p, e)
				require.Len(t, inds, 1)
				require.LessOrEqual(t, inds[0], highest[v], "%s %s %s", v, p, e)
				if p != NoPreference && p != NoChallenge {
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
	vector.Each(t, "soft_decline", func(t *testing.T, _ vector.Vectors, in input, want expect) {
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

func TestExempts(t *testing.T) {
	require.False(t, Default().Exempts())
	require.False(t, strictPolicy().Exempts(), "no rule is on")
	for _, on := range []func(r *ExemptionRules){func(r *ExemptionRules) { r.LowValue = RuleOn }, func(r *ExemptionRules) { r.TRAThresholdEUR = 100 },
		func(r *ExemptionRules) { r.TrustedBeneficiary = RuleOn }, func(r *ExemptionRules) { r.SecureCorporate = RuleOn }} {
		c := strictPolicy()
		on(&c.ExemptionRules)
		require.True(t, c.Exempts())
		c.ExemptionPolicy = RuleNone
		require.False(t, c.Exempts())
	}
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
	strict := strictPolicy()
	require.Equal(t, AuthorizePlainMIT, Decide(strict, run, attempted).Action, "an attempt that is not good enough is no refusal")
	strict.ThreeRIForMIT = RuleMandatory
	require.Equal(t, CodeFailed, Decide(strict, run, attempted).ErrorCode)
	run.Phase = Prepare
	for _, res := range []Result{{Class: NotEnrolled}, {Class: Technical}, {Class: BadRequest}, {Versions: []string{"2.1.0"}}} {
		require.Equal(t, AuthorizePlainMIT, Decide(Default(), run, res).Action, "%+v", res)
		require.Equal(t, Fail, Decide(mandatory, run, res).Action, "%+v", res)
	}
}
