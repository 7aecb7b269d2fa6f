package router

import (
	"context"
	"fmt"

	"payswitch/engine/fault"
	"payswitch/engine/routing"
)

// errorAdmin are the engine's use cases of the error table and of config keys. *engine.Engine implements them.
type errorAdmin interface {
	CreateErrorRule(ctx context.Context, r routing.ErrorRule) (*routing.ErrorRule, error)
	ErrorRule(ctx context.Context, k routing.ErrorKey) (*routing.ErrorRule, error)
	UpdateErrorRule(ctx context.Context, k routing.ErrorKey, change func(d *routing.ErrorDetails)) (*routing.ErrorRule, error)
	DeleteErrorRule(ctx context.Context, k routing.ErrorKey) error

	CreateConfigKey(ctx context.Context, name, value string) (*routing.ConfigKey, error)
	ConfigKey(ctx context.Context, name string) (*routing.ConfigKey, error)
	UpdateConfigKey(ctx context.Context, name, value string) (*routing.ConfigKey, error)
	DeleteConfigKey(ctx context.Context, name string) (*routing.ConfigKey, error)
}

// errorInput is an error rule as sent. nil means that the field was not sent.
type errorInput struct {
	key                                                       routing.ErrorKey
	decision                                                  *routing.RetryDecision
	status, routerError, unifiedCode                          *string
	unifiedMessage, category, description, guidance, standard *string
	stepUp, clearPAN                                          *bool
	feature                                                   *featureInput
}

// featureInput is feature_data.retry, which wins over the flat fields.
type featureInput struct {
	stepUp, clearPAN, alternate *bool
	decision                    *routing.RetryDecision
}

var (
	errorDecisions  = []routing.RetryDecision{routing.DecideRetry, routing.DecideDefault}
	errorCategories = []string{"frm_decline", "processor_downtime", "processor_decline_unauthorized", "issue_with_payment_method",
		"processor_decline_incorrect_data", "hard_decline", "soft_decline"}
	standardisedCodes = []string{"account_closed_or_invalid", "authentication_failed", "authentication_required", "authorization_missing_or_revoked",
		"card_lost_or_stolen", "card_not_supported_restricted", "cfg_pm_not_enabled_or_misconfigured", "compliance_or_sanctions_restriction",
		"configuration_issue", "credit_limit_exceeded", "currency_or_corridor_not_enabled", "do_not_honor", "downstream_technical_issue",
		"duplicate_request", "generic_unknown_error", "incorrect_authentication_code", "insufficient_funds", "integ_cryptographic_issue",
		"integration_issue", "invalid_card_number", "invalid_credentials", "invalid_cvv", "invalid_expiry_date", "invalid_state", "issuer_unavailable",
		"merchant_inactive", "missing_or_invalid_param", "operation_not_allowed", "payment_cancelled_by_user", "payment_method_issue",
		"payment_session_timeout", "pm_address_mismatch", "psp_acquirer_error", "psp_fraud_engine_decline", "rate_limit",
		"stored_credential_or_mit_not_enabled", "subscription_plan_inactive", "suspected_fraud", "three_ds_authentication_service_issue",
		"three_ds_configuration_issue", "three_ds_data_or_protocol_invalid", "transaction_not_permitted", "transaction_timed_out",
		"velocity_limit_exceeded", "wallet_or_token_config_issue"}
)

var errorKeyFields = []field[errorInput]{
	must(at("connector", text, func(e *errorInput) *string { return &e.key.Connector })),
	must(at("flow", text, func(e *errorInput) *string { return &e.key.Flow })),
	must(at("sub_flow", text, func(e *errorInput) *string { return &e.key.SubFlow })),
	must(at("code", text, func(e *errorInput) *string { return &e.key.Code })),
	must(at("message", text, func(e *errorInput) *string { return &e.key.Message })),
}

var featureFields = openObject(
	must(field[errorInput]{key: "retry", read: func(r *reader, e *errorInput) error {
		e.feature = &featureInput{}
		return retryFeature.into(r, e.feature)
	}}),
)

var retryFeature = openObject(
	must(opt("step_up_possible", boolean, func(f *featureInput) **bool { return &f.stepUp })),
	must(opt("clear_pan_possible", boolean, func(f *featureInput) **bool { return &f.clearPAN })),
	must(opt("alternate_network_possible", boolean, func(f *featureInput) **bool { return &f.alternate })),
	must(opt("decision", oneOf(errorDecisions), func(f *featureInput) **routing.RetryDecision { return &f.decision })),
)

// errorValueFields returns the fields of an error rule beyond its key. required makes those required that a new rule needs.
func errorValueFields(required func(field[errorInput]) field[errorInput]) []field[errorInput] {
	return append([]field[errorInput]{
		required(opt("status", text, func(e *errorInput) **string { return &e.status })),
		required(opt("decision", oneOf(errorDecisions), func(e *errorInput) **routing.RetryDecision { return &e.decision })),
		required(opt("step_up_possible", boolean, func(e *errorInput) **bool { return &e.stepUp })),
		required(opt("clear_pan_possible", boolean, func(e *errorInput) **bool { return &e.clearPAN })),
		opt("router_error", text, func(e *errorInput) **string { return &e.routerError }),
		opt("unified_code", text, func(e *errorInput) **string { return &e.unifiedCode }),
		opt("unified_message", text, func(e *errorInput) **string { return &e.unifiedMessage }),
		opt("error_category", oneOf(errorCategories), func(e *errorInput) **string { return &e.category }),
		opt("description", text, func(e *errorInput) **string { return &e.description }),
		opt("user_guidance_message", text, func(e *errorInput) **string { return &e.guidance }),
		opt("standardised_code", oneOf(standardisedCodes), func(e *errorInput) **string { return &e.standard }),
		drop[errorInput]("feature", oneOf([]string{"retry"})),
		{key: "feature_data", read: func(r *reader, e *errorInput) error { return featureFields.into(r, e) }},
	}, errorKeyFields...)
}

var (
	newErrorFields    = openObject(errorValueFields(must[errorInput])...)
	changeErrorFields = openObject(errorValueFields(func(f field[errorInput]) field[errorInput] { return f })...)
	keyErrorFields    = openObject(errorKeyFields...)
)

// into sets the fields that were sent.
func (e *errorInput) into(d *routing.ErrorDetails) {
	for _, f := range []struct {
		to   *string
		sent *string
	}{{&d.Status, e.status}, {&d.RouterError, e.routerError}, {&d.UnifiedCode, e.unifiedCode},
		{&d.UnifiedMessage, e.unifiedMessage}, {&d.Category, e.category}, {&d.Description, e.description}, {&d.Guidance, e.guidance},
		{&d.StandardisedCode, e.standard}} {
		if f.sent != nil {
			*f.to = *f.sent
		}
	}
	if e.decision != nil {
		d.Decision = *e.decision
	}
	set := func(to, sent *bool) {
		if sent != nil {
			*to = *sent
		}
	}
	set(&d.StepUp, e.stepUp)
	set(&d.ClearPAN, e.clearPAN)
	if f := e.feature; f != nil {
		set(&d.StepUp, f.stepUp)
		set(&d.ClearPAN, f.clearPAN)
		set(&d.AlternateNetwork, f.alternate)
		d.Decision = *f.decision
	}
}

func (s *Server) readErrorRule(c *call, o *object[errorInput]) (e errorInput, err error) {
	if err = decode(c, o, &e); err != nil {
		return e, err
	}
	if _, known := s.Connectors.Adapter(e.key.Connector); !known {
		return e, s.unknownConnector("connector", e.key.Connector)
	}
	return e, nil
}

func (s *Server) createErrorRule(c *call) (answer, error) {
	e, err := s.readErrorRule(c, newErrorFields)
	if err != nil {
		return answer{}, err
	}
	r := routing.ErrorRule{ErrorKey: e.key}
	e.into(&r.Details)
	return errorRuleAnswer(s.Admin.CreateErrorRule(c.ctx(), r))
}

func (s *Server) retrieveErrorRule(c *call) (answer, error) {
	e, err := s.readErrorRule(c, keyErrorFields)
	if err != nil {
		return answer{}, err
	}
	return errorRuleAnswer(s.Admin.ErrorRule(c.ctx(), e.key))
}

func (s *Server) updateErrorRule(c *call) (answer, error) {
	e, err := s.readErrorRule(c, changeErrorFields)
	if err != nil {
		return answer{}, err
	}
	return errorRuleAnswer(s.Admin.UpdateErrorRule(c.ctx(), e.key, e.into))
}

func (s *Server) deleteErrorRule(c *call) (answer, error) {
	e, err := s.readErrorRule(c, keyErrorFields)
	if err != nil {
		return answer{}, err
	}
	if err := s.Admin.DeleteErrorRule(c.ctx(), e.key); err != nil {
		return answer{}, err
	}
	w := new(writer).open().bool("gsm_rule_delete", true).str("connector", e.key.Connector).str("flow", e.key.Flow)
	return w.str("sub_flow", e.key.SubFlow).str("code", e.key.Code).close().answer(), nil
}

func errorRuleAnswer(r *routing.ErrorRule, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	d := &r.Details
	w := new(writer).open().str("connector", r.Connector).str("flow", r.Flow).str("sub_flow", r.SubFlow).str("code", r.Code).str("message", r.Message)
	w.str("status", d.Status).text("router_error", d.RouterError).str("decision", string(d.Decision)).bool("step_up_possible", d.StepUp)
	w.text("unified_code", d.UnifiedCode).text("unified_message", d.UnifiedMessage).text("error_category", d.Category).bool("clear_pan_possible", d.ClearPAN)
	w.str("feature", "retry").key("feature_data").open().key("retry").open().bool("step_up_possible", d.StepUp).bool("clear_pan_possible", d.ClearPAN)
	w.bool("alternate_network_possible", d.AlternateNetwork).str("decision", string(d.Decision)).close().close()
	w.text("standardised_code", d.StandardisedCode).text("description", d.Description).text("user_guidance_message", d.Guidance)
	return w.close().answer(), nil
}

// configsPath is the path of config keys. With a slash at its end it is the same.
const configsPath = "/configs"

// configKey is a config key as sent.
type configKey struct{ name, value string }

var (
	configValueField  = must(at("value", text, func(k *configKey) *string { return &k.value }))
	newConfigFields   = openObject(must(at("key", text, func(k *configKey) *string { return &k.name })), configValueField)
	configValueFields = openObject(configValueField)
)

func (s *Server) createConfigKey(c *call) (answer, error) {
	var k configKey
	if err := decode(c, newConfigFields, &k); err != nil {
		return answer{}, err
	}
	if err := checkConfigName(k.name); err != nil {
		return answer{}, err
	}
	return configKeyAnswer(s.Admin.CreateConfigKey(c.ctx(), k.name, k.value))
}

// maxConfigName is the length of a config key: a prefix, and the id of a merchant or profile.
const maxConfigName = 128

// checkConfigName checks that a config key can stand in a path.
func checkConfigName(name string) error {
	if len(name) > maxConfigName {
		return fault.Malformed("key", fmt.Sprintf("key: the maximum allowed length for this field is %d", maxConfigName)).WithHint(fmt.Sprintf("Shorten the key to %d characters.", maxConfigName))
	}
	for first := true; first || name != ""; first = false {
		part := name[:min(64, len(name))]
		if err := checkID(part); err != nil {
			return fault.Malformed("key", "key: "+err.Error()).WithHint(fmt.Sprintf("Send 1 to %d characters of A-Z, a-z, 0-9, _ and -.", maxConfigName))
		}
		name = name[len(part):]
	}
	return nil
}

func (s *Server) retrieveConfigKey(c *call) (answer, error) {
	return configKeyAnswer(s.Admin.ConfigKey(c.ctx(), c.param("config_key")))
}

func (s *Server) updateConfigKey(c *call) (answer, error) {
	var k configKey
	if err := decode(c, configValueFields, &k); err != nil {
		return answer{}, err
	}
	return configKeyAnswer(s.Admin.UpdateConfigKey(c.ctx(), c.param("config_key"), k.value))
}

func (s *Server) deleteConfigKey(c *call) (answer, error) {
	return configKeyAnswer(s.Admin.DeleteConfigKey(c.ctx(), c.param("config_key")))
}

func configKeyAnswer(k *routing.ConfigKey, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("key", k.Name).str("value", k.Value).close().answer(), nil
}
