package threeds

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"payswitch/engine/threeds/message"
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

// anyVersion in Config.AllowVersions stands for every 2.x version.
const anyVersion = "2.x"

// Config is a profile's policy. The JSON names are those of the API. The zero value allows nothing that a setting can allow.
type Config struct {
	// OnNotEnrolled applies to a card that takes no part in 3-D Secure 2, or in no allowed version: authorize_without_3ds or fail.
	OnNotEnrolled Rule `json:"on_not_enrolled"`
	// OnUnavailable applies to U, and to technical errors, before any challenge: authorize_without_shift or fail.
	OnUnavailable Rule `json:"on_unavailable"`
	// OnUnavailableAfterChallenge applies to U after a challenge. An end that a payer can cause, such as a time-out, always fails.
	OnUnavailableAfterChallenge Rule `json:"on_unavailable_after_challenge"`
	// OnAttempted applies to A: authorize, with the proof that the schemes accept, or fail.
	OnAttempted Rule `json:"on_attempted"`
	// OnAuthenticatorUnreachable applies to an authenticator that does not answer in prepare: fail at once, failover_then_fail, or
	// failover_then_authorize_without_3ds. Failover needs FallbackAuthenticator.
	OnAuthenticatorUnreachable Rule `json:"on_authenticator_unreachable"`
	// AllowVersions are message versions, or anyVersion.
	AllowVersions []string `json:"allow_versions"`
	// CustomerActionTTLSeconds is the time that the payer has, 300 to 3600; with 0 the payment's own session expiry applies.
	CustomerActionTTLSeconds int64 `json:"customer_action_ttl_seconds"`
	// MaxAuthentications limits the authentication calls of one payment, 1 to 20; 0 means no limit.
	MaxAuthentications int64 `json:"max_authentications_per_payment"`
	// ChallengeWindow is auto, or a challengeWindowSize 01 to 05.
	ChallengeWindow string `json:"challenge_window"`
	// Decoupled allows, with on, challenges that the payer answers later, away from the page.
	Decoupled Rule `json:"decoupled"`
	// StepUp authenticates, with on, a payment once after the issuer's soft decline; off leaves that to the processor or the merchant.
	StepUp Rule `json:"step_up_on_soft_decline"`
	// ExemptionPolicy lets, with rules, ExemptionRules request exemptions; with none only the payment itself can request one.
	ExemptionPolicy Rule           `json:"exemption_policy"`
	ExemptionRules  ExemptionRules `json:"exemption_rules"`
	// ThreeRIForMIT authenticates merchant-initiated payments of saved cards whose first use was authenticated. off: never; on: without an
	// answer the payment goes on unauthenticated; mandatory: without an answer the payment fails.
	ThreeRIForMIT Rule `json:"three_ri_for_mit"`
	// FallbackAuthenticator is the connector name of the authenticator to use if the first cannot answer, "" for none.
	FallbackAuthenticator string `json:"fallback_authenticator"`
}

// ExemptionRules are the exemptions that the profile has agreed with its acquirers and wants to claim. All are off by default.
type ExemptionRules struct {
	LowValue           Rule `json:"low_value"`           // on, off: up to EUR 30, within the counters
	TrustedBeneficiary Rule `json:"trusted_beneficiary"` // on, off: the payer has put the merchant on the issuer's list
	SecureCorporate    Rule `json:"secure_corporate"`    // on, off: corporate cards over a secure channel
	// TRAThresholdEUR is the limit up to which the acquirer's fraud rate allows transaction risk analysis: 0 (off), 100, 250 or 500 euros.
	TRAThresholdEUR int64 `json:"transaction_risk_analysis_threshold_eur"`
	// Route is the way to claim exemptions: three_ds, authorization (without any authentication), or auto: by 3-D Secure if the message
	// version can carry the exemption.
	Route Rule `json:"route"`
	// SuppressAbovePercent stops claims at an issuer that soft-declines an exemption more often than this, 1 to 100; 0 never stops them.
	SuppressAbovePercent int64 `json:"suppress_above_percent"`
}

// Presets of a profile's policy.
const (
	presetDefault = "default"
	presetStrict  = "strict" // A and U fail, as in switches that treat every answer but Y as a failure
)

// Default returns the policy of a profile that sets none.
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

// strictPolicy returns the preset that authorizes only authenticated payments and cards that take no part in 3-D Secure. Its exemption policy is
// rules, but each rule is off until the profile switches it on.
func strictPolicy() Config {
	c := Default()
	c.OnUnavailable = RuleFail
	c.OnAttempted = RuleFail
	c.AllowVersions = []string{anyVersion}
	c.CustomerActionTTLSeconds = 0
	c.MaxAuthentications = 0
	c.ChallengeWindow = "01"
	c.StepUp = RuleOff
	c.ExemptionPolicy = RuleRules
	return c
}

// CustomerActionTTL returns the time that the payer has, 0 if the policy sets no limit.
func (c Config) CustomerActionTTL() time.Duration {
	return time.Duration(c.CustomerActionTTLSeconds) * time.Second
}

// ConfigError reports a setting with a wrong name or value.
type ConfigError struct {
	Field   string // API name of the setting within the policy, "" for the policy as a whole
	Message string // the allowed values
}

// Hint says what to send instead, or to leave out.
func (e *ConfigError) Hint() string {
	if allowed, ok := strings.CutPrefix(e.Message, "must be "); ok {
		return "Send " + allowed + "."
	}
	return "Leave the setting out, or send one that the policy has."
}

// Error returns the field and the remedy.
func (e *ConfigError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// ParseConfig reads a policy in the API's form: an object of settings, all optional, on top of those of "preset" (default by default). A null
// counts as not sent. All its errors are *ConfigError.
func ParseConfig(raw []byte) (Config, error) {
	sent, err := members(raw, "")
	if err != nil {
		return Config{}, err
	}
	c := Default()
	if raw, ok := sent["preset"]; ok {
		var preset string
		if json.Unmarshal(raw, &preset) != nil || preset != presetDefault && preset != presetStrict {
			return Config{}, &ConfigError{"preset", "must be default or strict"}
		}
		if preset == presetStrict {
			c = strictPolicy()
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

// UnmarshalJSON reads a stored policy. Settings that are newer than the stored policy get their defaults.
func (c *Config) UnmarshalJSON(raw []byte) error {
	type stored Config
	s := stored(Default())
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*c = Config(s)
	return nil
}

// members returns an object's members without those that are null.
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

// setting describes a setting: its name, its target and its allowed values.
type setting struct {
	name  string
	to    any    // *Rule, *string, *int64 or *[]string
	one   []Rule // *Rule, *string: the allowed values; nil: any text
	least int64  // *int64: least and most, or 0
	most  int64
	of    []int64 // *int64: the allowed values, instead of bounds
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

// assign stores the sent values in their targets. It refuses unknown names and wrong values.
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
		return len(*v) > 0 && !slices.ContainsFunc(*v, func(v string) bool { return v != anyVersion && !version(v).known() })
	}
	return false
}

func (s setting) remedy() string {
	switch s.to.(type) {
	case *int64:
		if s.of != nil {
			return "must be one of " + list(s.of)
		}
		return fmt.Sprintf("must be a whole number from %d to %d, or 0 for no limit", s.least, s.most)
	case *[]string:
		return "must be a list of " + strings.Join(message.Versions, ", ") + ", or " + anyVersion
	}
	if s.one == nil {
		return "must be a text"
	}
	return "must be one of " + list(s.one)
}

// list returns the values as "a, b, c".
func list[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
