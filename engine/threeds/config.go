package threeds

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rule is the value of a setting.
type Rule string

const (
	RuleAuthorize             Rule = "authorize"
	RuleAuthorizeWithout3DS   Rule = "authorize_without_3ds"
	RuleAuthorizeWithoutShift Rule = "authorize_without_shift"
	RuleFail                  Rule = "fail"
	RuleFailoverFail          Rule = "failover_then_fail"
	RuleFailoverAuthorize     Rule = "failover_then_authorize_without_3ds"
	RuleOn                    Rule = "on"
	RuleOff                   Rule = "off"
	RuleMandatory             Rule = "mandatory"
	RuleNone                  Rule = "none"
	RuleRules                 Rule = "rules"
	RuleAuto                  Rule = "auto"
	RuleThreeDS               Rule = "three_ds"
	RuleAuthorization         Rule = "authorization"
)

// AnyVersion in Config.AllowVersions stands for every 2.x version.
const AnyVersion = "2.x"

// Config is a profile's policy; the JSON names are those of the API. The zero value authorizes nothing that a setting could allow.
type Config struct {
	// OnNotEnrolled is for a card that takes no part in 3-D Secure 2, or in none of the allowed versions: authorize_without_3ds or fail.
	OnNotEnrolled Rule `json:"on_not_enrolled"`
	// OnUnavailable is for U, and for technical errors, before any challenge: authorize_without_shift or fail.
	OnUnavailable Rule `json:"on_unavailable"`
	// OnUnavailableAfterChallenge is for U after a challenge. What a payer can bring about, such as a time-out, fails in any case.
	OnUnavailableAfterChallenge Rule `json:"on_unavailable_after_challenge"`
	// OnAttempted is for A: authorize, with the proof that the schemes honour, or fail.
	OnAttempted Rule `json:"on_attempted"`
	// OnAuthenticatorUnreachable is for an authenticator that does not answer in prepare: fail at once, failover_then_fail, or
	// failover_then_authorize_without_3ds. Failing over needs FallbackAuthenticator.
	OnAuthenticatorUnreachable Rule `json:"on_authenticator_unreachable"`
	// AllowVersions are message versions, or AnyVersion.
	AllowVersions []string `json:"allow_versions"`
	// CustomerActionTTLSeconds is how long the payer may take, 300 to 3600; 0 leaves it to the payment's own session expiry.
	CustomerActionTTLSeconds int64 `json:"customer_action_ttl_seconds"`
	// MaxAuthentications bounds authentication calls of one payment, 1 to 20; 0 does not bound them.
	MaxAuthentications int64 `json:"max_authentications_per_payment"`
	// ChallengeWindow is auto, or a challengeWindowSize 01 to 05.
	ChallengeWindow string `json:"challenge_window"`
	// Decoupled on allows challenges that the payer answers later, away from the page.
	Decoupled Rule `json:"decoupled"`
	// StepUp on authenticates a payment once after the issuer's soft decline; off leaves that to the processor or the merchant.
	StepUp Rule `json:"step_up_on_soft_decline"`
	// ExemptionPolicy rules lets ExemptionRules ask for exemptions; none leaves it to what the payment asks for.
	ExemptionPolicy Rule           `json:"exemption_policy"`
	ExemptionRules  ExemptionRules `json:"exemption_rules"`
	// ThreeRIForMIT authenticates merchant-initiated payments of saved cards whose first use was authenticated: off, on (without an
	// answer the payment goes on unauthenticated), or mandatory (without one it fails).
	ThreeRIForMIT Rule `json:"three_ri_for_mit"`
	// FallbackAuthenticator is the connector name of the authenticator asked when the first cannot answer, "" for none.
	FallbackAuthenticator string `json:"fallback_authenticator"`
}

// ExemptionRules say which exemptions the profile has agreed with its acquirers and wants asked for. All are off by default.
type ExemptionRules struct {
	LowValue           Rule `json:"low_value"`           // on, off: up to EUR 30, within the counters
	TrustedBeneficiary Rule `json:"trusted_beneficiary"` // on, off: the payer has put the merchant on the issuer's list
	SecureCorporate    Rule `json:"secure_corporate"`    // on, off: corporate cards over a secure channel
	// TRAThresholdEUR is up to where the acquirer's fraud rate allows transaction risk analysis: 0 (off), 100, 250 or 500 euros.
	TRAThresholdEUR int64 `json:"transaction_risk_analysis_threshold_eur"`
	// Route is how exemptions are claimed: three_ds, authorization (no authentication at all), or auto: by 3-D Secure where the
	// version has a word for it.
	Route Rule `json:"route"`
	// SuppressAbovePercent stops asking an issuer that soft-declines an exemption more often than this, 1 to 100; 0 never stops.
	SuppressAbovePercent int64 `json:"suppress_above_percent"`
}

// Presets of a profile's policy.
const (
	PresetDefault = "default"
	PresetStrict  = "strict" // A and U fail; as switches do that treat anything but Y as a failure
)

// Default is the policy of a profile that sets none.
func Default() Config {
	return Config{
		OnNotEnrolled:               RuleAuthorizeWithout3DS,
		OnUnavailable:               RuleAuthorizeWithoutShift,
		OnUnavailableAfterChallenge: RuleFail,
		OnAttempted:                 RuleAuthorize,
		OnAuthenticatorUnreachable:  RuleFailoverFail,
		AllowVersions:               []string{"2.2.0", "2.3.1"},
		CustomerActionTTLSeconds:    900,
		MaxAuthentications:          3,
		ChallengeWindow:             string(RuleAuto),
		Decoupled:                   RuleOff,
		StepUp:                      RuleOn,
		ExemptionPolicy:             RuleNone,
		ExemptionRules: ExemptionRules{LowValue: RuleOff, TrustedBeneficiary: RuleOff, SecureCorporate: RuleOff, Route: RuleAuto,
			SuppressAbovePercent: 20},
		ThreeRIForMIT: RuleOff,
	}
}

// Strict is the preset that authorizes only what was authenticated or takes no part in 3-D Secure. It rules on exemptions, but each is
// still off until the profile switches it on.
func Strict() Config {
	c := Default()
	c.OnUnavailable = RuleFail
	c.OnAttempted = RuleFail
	c.AllowVersions = []string{AnyVersion}
	c.CustomerActionTTLSeconds = 0
	c.MaxAuthentications = 0
	c.ChallengeWindow = "01"
	c.StepUp = RuleOff
	c.ExemptionPolicy = RuleRules
	return c
}

// CustomerActionTTL is how long the payer may take, 0 for no limit of its own.
func (c Config) CustomerActionTTL() time.Duration {
	return time.Duration(c.CustomerActionTTLSeconds) * time.Second
}

// ConfigError is a setting that cannot be.
type ConfigError struct {
	Field   string // its API name within the policy, "" for the policy as a whole
	Message string // what may stand there
}

// Error names field and remedy.
func (e *ConfigError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// ParseConfig reads a policy as the API takes it: an object of settings, all optional, over those of "preset" (default by default). A
// null counts as not sent. Errors are *ConfigError.
func ParseConfig(raw []byte) (Config, error) {
	sent, err := members(raw, "")
	if err != nil {
		return Config{}, err
	}
	c := Default()
	if raw, ok := sent["preset"]; ok {
		var preset string
		if json.Unmarshal(raw, &preset) != nil || preset != PresetDefault && preset != PresetStrict {
			return Config{}, &ConfigError{"preset", "must be default or strict"}
		}
		if preset == PresetStrict {
			c = Strict()
		}
		delete(sent, "preset")
	}
	if raw, ok := sent["exemption_rules"]; ok {
		rules, err := members(raw, "exemption_rules")
		if err != nil {
			return Config{}, err
		}
		if err := assign(rules, "exemption_rules.", c.ExemptionRules.settings()); err != nil {
			return Config{}, err
		}
		delete(sent, "exemption_rules")
	}
	if err := assign(sent, "", c.settings()); err != nil {
		return Config{}, err
	}
	return c, nil
}

// UnmarshalJSON reads a stored policy: settings that did not exist when it was written have their defaults.
func (c *Config) UnmarshalJSON(raw []byte) error {
	type stored Config
	s := stored(Default())
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*c = Config(s)
	return nil
}

// members are an object's, without nulls.
func members(raw []byte, field string) (map[string]json.RawMessage, error) {
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(raw, &sent); err != nil || sent == nil {
		return nil, &ConfigError{field, "must be an object of settings"}
	}
	for name, v := range sent {
		if string(v) == "null" {
			delete(sent, name)
		}
	}
	return sent, nil
}

// setting is where a setting goes and what may stand there.
type setting struct {
	name  string
	to    any    // *Rule, *string, *int64 or *[]string
	one   []Rule // *Rule, *string: the values; none: any text
	least int64  // *int64: bounds, or 0
	most  int64
	of    []int64 // *int64: the values, instead of bounds
}

func (c *Config) settings() []setting {
	unavailable := []Rule{RuleAuthorizeWithoutShift, RuleFail}
	return []setting{
		{name: "on_not_enrolled", to: &c.OnNotEnrolled, one: []Rule{RuleAuthorizeWithout3DS, RuleFail}},
		{name: "on_unavailable", to: &c.OnUnavailable, one: unavailable},
		{name: "on_unavailable_after_challenge", to: &c.OnUnavailableAfterChallenge, one: unavailable},
		{name: "on_attempted", to: &c.OnAttempted, one: []Rule{RuleAuthorize, RuleFail}},
		{name: "on_authenticator_unreachable", to: &c.OnAuthenticatorUnreachable,
			one: []Rule{RuleFailoverFail, RuleFailoverAuthorize, RuleFail}},
		{name: "allow_versions", to: &c.AllowVersions},
		{name: "customer_action_ttl_seconds", to: &c.CustomerActionTTLSeconds, least: 300, most: 3600},
		{name: "max_authentications_per_payment", to: &c.MaxAuthentications, least: 1, most: 20},
		{name: "challenge_window", to: &c.ChallengeWindow, one: []Rule{RuleAuto, "01", "02", "03", "04", "05"}},
		{name: "decoupled", to: &c.Decoupled, one: onOff},
		{name: "step_up_on_soft_decline", to: &c.StepUp, one: onOff},
		{name: "exemption_policy", to: &c.ExemptionPolicy, one: []Rule{RuleNone, RuleRules}},
		{name: "three_ri_for_mit", to: &c.ThreeRIForMIT, one: []Rule{RuleOff, RuleOn, RuleMandatory}},
		{name: "fallback_authenticator", to: &c.FallbackAuthenticator},
	}
}

func (r *ExemptionRules) settings() []setting {
	return []setting{
		{name: "low_value", to: &r.LowValue, one: onOff},
		{name: "trusted_beneficiary", to: &r.TrustedBeneficiary, one: onOff},
		{name: "secure_corporate", to: &r.SecureCorporate, one: onOff},
		{name: "transaction_risk_analysis_threshold_eur", to: &r.TRAThresholdEUR, of: []int64{0, 100, 250, 500}},
		{name: "route", to: &r.Route, one: []Rule{RuleAuto, RuleThreeDS, RuleAuthorization}},
		{name: "suppress_above_percent", to: &r.SuppressAbovePercent, least: 1, most: 100},
	}
}

var onOff = []Rule{RuleOn, RuleOff}

// assign puts what was sent in its places.
func assign(sent map[string]json.RawMessage, prefix string, settings []setting) error {
	for _, s := range settings {
		raw, ok := sent[s.name]
		if !ok {
			continue
		}
		if json.Unmarshal(raw, s.to) != nil || !s.fits() {
			return &ConfigError{prefix + s.name, s.remedy()}
		}
		delete(sent, s.name)
	}
	for name := range sent {
		var known []string
		for _, s := range settings {
			known = append(known, s.name)
		}
		if prefix == "" {
			known = append(known, "exemption_rules", "preset")
		}
		return &ConfigError{prefix + name, "is not a setting; the settings are " + strings.Join(known, ", ")}
	}
	return nil
}

func (s setting) fits() bool {
	switch v := s.to.(type) {
	case *Rule:
		return slices.Contains(s.one, *v)
	case *string:
		return s.one == nil || slices.Contains(s.one, Rule(*v))
	case *int64:
		if s.of != nil {
			return slices.Contains(s.of, *v)
		}
		return *v == 0 || s.least <= *v && *v <= s.most
	case *[]string:
		return len(*v) > 0 && !slices.ContainsFunc(*v, func(v string) bool { return v != AnyVersion && !version(v).known() })
	}
	return false
}

func (s setting) remedy() string {
	switch s.to.(type) {
	case *int64:
		if s.of != nil {
			return "must be one of " + list(s.of)
		}
		return fmt.Sprintf("must be a whole number from %d to %d, or 0 for none", s.least, s.most)
	case *[]string:
		return "must be a list of " + strings.Join(versions, ", ") + ", or " + AnyVersion
	}
	if s.one == nil {
		return "must be a text"
	}
	return "must be one of " + list(s.one)
}

// list is "a, b, c".
func list[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
