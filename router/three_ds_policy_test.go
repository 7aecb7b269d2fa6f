package router_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/threeds"
)

// TestThreeDSPolicy: a profile shows its whole policy, an update replaces all of it, and an error names the wrong setting.
func TestThreeDSPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := "/account/m1/business_profile/" + w.profile
	policy := func(p map[string]any) map[string]any { return p["external_three_ds_policy"].(map[string]any) }
	inForce := func() threeds.Config {
		p, err := w.engine.Profile(context.Background(), w.auth, w.profile)
		require.NoError(t, err)
		return p.Settings.ThreeDSPolicy()
	}
	require.Equal(t, threeds.Default(), inForce())
	require.Equal(t, "authorize", policy(w.get(one).ok())["on_attempted"], "the defaults are shown too")

	p := policy(w.post(one, `{"external_three_ds_policy":{"preset":"strict","on_attempted":"authorize","fallback_authenticator":"netcetera",
		"exemption_rules":{"low_value":"on","transaction_risk_analysis_threshold_eur":250}}}`).ok())
	require.Equal(t, "fail", p["on_unavailable"])
	require.Equal(t, "authorize", p["on_attempted"])
	require.Equal(t, 250.0, p["exemption_rules"].(map[string]any)["transaction_risk_analysis_threshold_eur"])
	want, err := threeds.ParseConfig([]byte(`{"preset":"strict"}`))
	require.NoError(t, err)
	want.OnAttempted, want.FallbackAuthenticator = threeds.RuleAuthorize, "netcetera"
	want.ExemptionRules.LowValue, want.ExemptionRules.TRAThresholdEUR = threeds.RuleOn, 250
	require.Equal(t, want, inForce())

	require.Equal(t, p, policy(w.post(one, `{"session_expiry":600}`).ok()), "what was not sent stays")
	for setting, c := range map[string]struct{ body, message string }{
		"on_unavailable":            {`{"on_unavailable":"retry"}`, "external_three_ds_policy.on_unavailable must be one of authorize_without_shift, fail"},
		"on_rejected":               {`{"on_rejected":"authorize"}`, "external_three_ds_policy.on_rejected is not a setting"},
		"exemption_rules.low_value": {`{"exemption_rules":{"low_value":30}}`, "external_three_ds_policy.exemption_rules.low_value must be one of on, off"},
		"fallback_authenticator":    {`{"fallback_authenticator":"acme3ds"}`, "unknown variant `acme3ds`, expected one of `threedsecureio`"},
	} {
		t.Run(setting, func(t *testing.T) {
			r := w.post(one, `{"external_three_ds_policy":`+c.body+`}`)
			r.t = t
			r.refused(422, "IR_06", c.message)
		})
	}
	w.post(one, `{"external_three_ds_policy":[]}`).refused(400, "IR_06", "")
	require.Equal(t, want, inForce(), "what was refused changed nothing")

	w.post(one, `{"external_three_ds_policy":{}}`).ok()
	require.Equal(t, threeds.Default(), inForce())
}
