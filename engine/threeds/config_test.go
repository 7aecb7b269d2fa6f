package threeds

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"payswitch/engine/threeds/internal/vector"

	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	v := vector.Read(t)
	fromVectors := overrides(t, v.KnobDefaults, nil)
	require.Equal(t, Default(), fromVectors, "the vectors assume the defaults")
	none, err := ParseConfig([]byte(`{}`))
	require.NoError(t, err)
	require.Equal(t, Default(), none)
	require.Equal(t, 15*time.Minute, none.CustomerActionTTL())
}

func TestPresetStrict(t *testing.T) {
	c, err := ParseConfig([]byte(`{"preset":"strict"}`))
	require.NoError(t, err)
	want := Default()
	want.OnUnavailable, want.OnAttempted, want.AllowVersions = RuleFail, RuleFail, []string{"2.x"}
	want.CustomerActionTTLSeconds, want.MaxAuthentications, want.ChallengeWindow = 0, 0, "01"
	want.StepUp, want.ExemptionPolicy = RuleOff, RuleRules
	require.Equal(t, want, c)

	c, err = ParseConfig([]byte(`{"on_attempted":"authorize","preset":"strict","exemption_rules":{"low_value":"on","route":null}}`))
	require.NoError(t, err)
	want.OnAttempted, want.ExemptionRules.LowValue = RuleAuthorize, RuleOn
	require.Equal(t, want, c, "sent settings override the preset, in any order")
}

func TestParseConfigRefuses(t *testing.T) {
	for raw, want := range map[string]ConfigError{
		`[]`:                                     {"", "must be an object of settings"},
		`null`:                                   {"", "must be an object of settings"},
		`{"preset":"lax"}`:                       {"preset", "must be default or strict"},
		`{"preset":1}`:                           {"preset", "must be default or strict"},
		`{"on_attempted":"always"}`:              {"on_attempted", "must be one of authorize, fail"},
		`{"on_unavailable":"authorize"}`:         {"on_unavailable", "must be one of authorize_without_shift, fail"},
		`{"on_unavailable":true}`:                {"on_unavailable", "must be one of authorize_without_shift, fail"},
		`{"decoupled":true}`:                     {"decoupled", "must be one of on, off"},
		`{"allow_versions":[]}`:                  {"allow_versions", "must be a list of 2.1.0, 2.2.0, 2.3.1, or 2.x"},
		`{"allow_versions":["1.0.2"]}`:           {"allow_versions", "must be a list of 2.1.0, 2.2.0, 2.3.1, or 2.x"},
		`{"allow_versions":"2.2.0"}`:             {"allow_versions", "must be a list of 2.1.0, 2.2.0, 2.3.1, or 2.x"},
		`{"customer_action_ttl_seconds":60}`:     {"customer_action_ttl_seconds", "must be a whole number from 300 to 3600, or 0 for no limit"},
		`{"customer_action_ttl_seconds":900.5}`:  {"customer_action_ttl_seconds", "must be a whole number from 300 to 3600, or 0 for no limit"},
		`{"max_authentications_per_payment":-1}`: {"max_authentications_per_payment", "must be a whole number from 1 to 20, or 0 for no limit"},
		`{"challenge_window":"06"}`:              {"challenge_window", "must be one of auto, 01, 02, 03, 04, 05"},
		`{"fallback_authenticator":7}`:           {"fallback_authenticator", "must be a text"},
		`{"exemption_rules":[]}`:                 {"exemption_rules", "must be an object of settings"},
		`{"exemption_rules":{"low_value":"yes"}}`: {"exemption_rules.low_value",
			"must be one of on, off"},
		`{"exemption_rules":{"transaction_risk_analysis_threshold_eur":300}}`: {"exemption_rules.transaction_risk_analysis_threshold_eur",
			"must be one of 0, 100, 250, 500"},
	} {
		_, err := ParseConfig([]byte(raw))
		require.Equal(t, &want, err, raw)
	}
	for raw, field := range map[string]string{`{"on_rejected":"authorize"}`: "on_rejected", `{"exemption_rules":{"mit":"on"}}`: "exemption_rules.mit"} {
		_, err := ParseConfig([]byte(raw))
		require.ErrorContains(t, err, field+": is not a setting; the settings are ")
	}
}

func TestBounds(t *testing.T) {
	for raw, ok := range map[string]bool{
		`{"customer_action_ttl_seconds":299}`: false, `{"customer_action_ttl_seconds":300}`: true, `{"customer_action_ttl_seconds":3600}`: true,
		`{"customer_action_ttl_seconds":3601}`: false, `{"customer_action_ttl_seconds":0}`: true, `{"max_authentications_per_payment":1}`: true,
		`{"max_authentications_per_payment":20}`: true, `{"max_authentications_per_payment":21}`: false,
		`{"exemption_rules":{"suppress_above_percent":101}}`: false, `{"exemption_rules":{"suppress_above_percent":100}}`: true,
	} {
		_, err := ParseConfig([]byte(raw))
		require.Equal(t, ok, err == nil, raw)
	}
}

// TestConfigJSON: a merchant can send back the policy that a profile shows. A stored policy reads as it was, and newer settings get their
// defaults.
func TestConfigJSON(t *testing.T) {
	for _, c := range []Config{Default(), strictPolicy()} {
		raw, err := json.Marshal(c)
		require.NoError(t, err)
		again, err := ParseConfig(raw)
		require.NoError(t, err)
		require.Equal(t, c, again)
		var stored Config
		require.NoError(t, json.Unmarshal(raw, &stored))
		require.Equal(t, c, stored)
	}
	var older Config
	require.NoError(t, json.Unmarshal([]byte(`{"on_attempted":"fail"}`), &older))
	want := Default()
	want.OnAttempted = RuleFail
	require.Equal(t, want, older)
}

// TestSettingsAreFields: every field of Config can be set, under its JSON name.
func TestSettingsAreFields(t *testing.T) {
	var c Config
	for _, tc := range []struct {
		of       reflect.Type
		settings []setting
	}{{reflect.TypeFor[Config](), c.settings()}, {reflect.TypeFor[ExemptionRules](), c.ExemptionRules.settings()}} {
		var fields, settings []string
		for i := range tc.of.NumField() {
			if name := tc.of.Field(i).Tag.Get("json"); name != "exemption_rules" {
				fields = append(fields, name)
			}
		}
		for _, s := range tc.settings {
			settings = append(settings, s.name)
		}
		require.Equal(t, fields, settings)
	}
}

// FuzzParseConfig: an accepted policy has known values, and survives being shown and sent again.
func FuzzParseConfig(f *testing.F) {
	f.Add(`{"preset":"strict","exemption_rules":{"route":"authorization"}}`)
	f.Add(`{"allow_versions":["2.x","2.1.0"],"decoupled":"on"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := ParseConfig([]byte(raw))
		if err != nil {
			require.IsType(t, &ConfigError{}, err)
			return
		}
		for _, s := range append(c.settings(), c.ExemptionRules.settings()...) {
			require.True(t, s.fits(), s.name)
		}
		shown, err := json.Marshal(c)
		require.NoError(t, err)
		again, err := ParseConfig(shown)
		require.NoError(t, err)
		if strings.ToValidUTF8(c.FallbackAuthenticator, "") == c.FallbackAuthenticator {
			require.Equal(t, c, again)
		}
	})
}

func TestChooseVersion(t *testing.T) {
	every := Config{AllowVersions: []string{anyVersion}}
	for _, tc := range []struct {
		cfg              Config
		channel          Channel
		offered, adapter []string
		below, want      string
	}{
		{Default(), Browser, []string{"2.1.0", "2.3.1", "2.2.0"}, nil, "", "2.3.1"},
		{Default(), Browser, []string{"2.1.0", "2.3.1", "2.2.0"}, []string{"2.1.0", "2.2.0"}, "", "2.2.0"},
		{Default(), Browser, []string{"2.1.0"}, nil, "", ""},
		{every, Browser, []string{"2.1.0"}, nil, "", "2.1.0"},
		{every, ThreeRI, []string{"2.1.0"}, nil, "", ""},
		{every, ThreeRI, []string{"2.1.0", "2.2.0"}, nil, "", "2.2.0"},
		{every, Browser, []string{"2.10.0", "3.0.0", "1.0.2", "2.3.0", "x", ""}, nil, "", ""},
		{every, Browser, []string{"2.1.0", "2.2.0", "2.3.1"}, nil, "2.3.1", "2.2.0"},
		{every, Browser, []string{"2.1.0", "2.2.0", "2.3.1"}, nil, "2.1.0", ""},
		{Config{}, Browser, []string{"2.2.0"}, nil, "", ""},
		{Default(), Browser, nil, nil, "", ""},
	} {
		require.Equal(t, tc.want, ChooseVersion(tc.cfg, tc.channel, tc.offered, tc.adapter, tc.below), "%+v", tc)
	}
}

// TestVersionsAreNumbers: 2.10.0 is newer than 2.9.0, in every order of the list.
func TestVersionsAreNumbers(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	part := func() int { return g.IntN(20) }
	text := func(n [3]int) version { return version(fmt.Sprintf("%d.%d.%d", n[0], n[1], n[2])) }
	for range 1000 {
		a, b := [3]int{part(), part(), part()}, [3]int{part(), part(), part()}
		av, bv := text(a), text(b)
		want := 0
		for i := range a {
			if want == 0 {
				want = a[i] - b[i]
			}
		}
		require.Equal(t, want < 0, av.compare(bv) < 0, "%s %s", av, bv)
		require.Equal(t, want == 0, av.compare(bv) == 0, "%s %s", av, bv)
	}
}
