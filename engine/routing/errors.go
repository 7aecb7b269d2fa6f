package routing

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/scheme"
	"payswitch/sdk"
)

// RetryDecision is what a rule of the error table says about another attempt. Its constants are the API's values.
type RetryDecision string

const (
	DecideRetry   RetryDecision = "retry"
	DecideDefault RetryDecision = "do_default"
)

// flowPayment is the flow of payments in the error table.
const flowPayment = "Payment"

// Failure is a failed attempt, for the decision about a further one.
type Failure struct {
	Connector string
	Kind      sdk.Operation
	Decline   sdk.Decline // zero for a failure that is no decline
	Network   sdk.CardNetwork
	// Unsent is true if nothing has reached the processor: it did not decide.
	Unsent bool
}

// Policy says how a payment goes on after a failure.
type Policy struct {
	On        bool // further attempts are switched on
	Most      int  // how many further attempts one confirm may make
	Elsewhere bool // another account may try
	StepUp    bool // the same account may try with 3-D Secure
}

// neverRetried are the reasons for which another account gets the same answer.
var neverRetried = append([]sdk.DeclineReason{sdk.DeclineExpiredCard, sdk.DeclineIncorrectNumber, sdk.DeclineIncorrectCVC, sdk.DeclineIncorrectExpiry,
	sdk.DeclineIncorrectAddress, sdk.DeclineSecurityViolation, sdk.DeclineAuthenticationNeeded, sdk.DeclineAuthenticationFailed, sdk.DeclineBlocked},
	scheme.FinalReasons...)

// RetryPolicy returns how a payment goes on after a failure. It reads the switches and the error table in one view of the store.
func (s *Rules) RetryPolicy(ctx context.Context, profile *account.Profile, f Failure) (p Policy, err error) {
	set, merchant := profile.Settings.Retries, profile.MerchantID
	p.On, p.Most = set.Auto, set.Most
	err = s.view(ctx, "read the retry policy", func(r Reader) error {
		value, err := configValue(r, "should_call_gsm_"+merchant)
		if err != nil {
			return err
		}
		if p.On = p.On || value == "true"; !p.On {
			return nil
		}
		if value, err = configValue(r, "max_auto_retries_enabled_"+merchant); err != nil {
			return err
		}
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			p.Most = n
		}
		if !f.Unsent && scheme.ReuseAfter(f.Network, f.Decline) != scheme.ReuseElsewhere { // no rule of the operator's leads on
			return nil
		}
		d := s.builtIn(f)
		if own, err := ruleOf(r, f); err != nil {
			return err
		} else if own != nil {
			d = own.Details
		}
		p.Elsewhere = d.Decision == DecideRetry || f.Unsent
		if !d.StepUp {
			return nil
		}
		value, err = configValue(r, "step_up_enabled_"+merchant)
		var connectors []string
		if json.Unmarshal([]byte(value), &connectors) == nil {
			p.StepUp = slices.Contains(connectors, f.Connector)
		}
		return err
	})
	return p, err
}

// Unified returns unified_code and unified_message of the operator's rule for a decline, "" without a rule.
func (s *Rules) Unified(ctx context.Context, f Failure) (code, message string, err error) {
	err = s.view(ctx, "read error rule", func(r Reader) error {
		own, err := ruleOf(r, f)
		if own != nil {
			code, message = own.Details.UnifiedCode, own.Details.UnifiedMessage
		}
		return err
	})
	return code, message, err
}

// ruleOf returns the operator's rule for a decline: that of the network's code first, then that of the processor's code and message. Where the message that
// payments show names its parts, the rule of the processor's own words comes last. ruleOf returns nil without a rule.
func ruleOf(r ConfigReader, f Failure) (*ErrorRule, error) {
	if f.Decline.Code == "" {
		return nil, nil
	}
	keys := []ErrorKey{{f.Connector, flowPayment, subFlow(f.Kind), f.Decline.Code, f.Decline.Message}}
	if words, parts := strings.CutPrefix(f.Decline.Message, "message - "); parts {
		words, _, _ = strings.Cut(words, ", decline_code - ")
		keys = append(keys, ErrorKey{f.Connector, flowPayment, subFlow(f.Kind), f.Decline.Code, words})
	}
	if f.Network != "" && f.Decline.NetworkCode != "" {
		text := "Network:" + string(f.Network) + "|IssuerCode:" + f.Decline.NetworkCode
		keys = append([]ErrorKey{{f.Connector, flowPayment, subFlow(f.Kind), text, text}}, keys...)
	}
	for _, k := range keys {
		rule, err := r.ErrorRule(k)
		if err == nil {
			return rule, nil
		}
		if !errors.Is(err, fault.ErrNotFound) {
			return nil, err
		}
	}
	return nil, nil
}

// subFlow returns the name of an operation in the error table.
func subFlow(op sdk.Operation) string {
	if op == sdk.OpVerify {
		return "Authorize"
	}
	return strings.ToUpper(string(op[:1])) + string(op[1:])
}

// builtIn returns what follows from a decline without a rule of the operator's. The adapter's table of codes decides, which follows the
// processor's documents. At a simulated processor every soft decline leads on.
func (s *Rules) builtIn(f Failure) ErrorDetails {
	info, ok := s.Connectors.Adapter(f.Connector)
	if ok && (info.Simulated || info.Name == "simulator") {
		return detailsOf(f.Decline.Reason, !slices.Contains(neverRetried, f.Decline.Reason), true)
	}
	return detailsOf(f.Decline.Reason, f.Decline.RetryElsewhere && !slices.Contains(scheme.FinalReasons, f.Decline.Reason), false)
}

// detailsOf describes a decline by its reason.
func detailsOf(reason sdk.DeclineReason, elsewhere, simulated bool) ErrorDetails {
	facts, _ := reason.Facts()
	d := ErrorDetails{Status: "failure", Decision: DecideDefault, Description: facts.Title, Category: "hard_decline"}
	d.UnifiedCode, d.UnifiedMessage = facts.Category.Unified()
	if facts.RetryLater || facts.RetryElsewhere {
		d.Category = "soft_decline"
	}
	if elsewhere {
		d.Decision = DecideRetry
	}
	d.StepUp = reason == sdk.DeclineAuthenticationNeeded || simulated && elsewhere
	d.StandardisedCode = standardCodes[reason]
	return d
}

// StandardCode returns the API's standardised_code of a decline reason, "" for a reason without one.
func StandardCode(r sdk.DeclineReason) string { return standardCodes[r] }

// standardCodes maps decline reasons to the API's standardised_code.
var standardCodes = map[sdk.DeclineReason]string{
	sdk.DeclineGeneric:              "generic_unknown_error",
	sdk.DeclineDoNotHonor:           "do_not_honor",
	sdk.DeclineInsufficientFunds:    "insufficient_funds",
	sdk.DeclineLostCard:             "card_lost_or_stolen",
	sdk.DeclineStolenCard:           "card_lost_or_stolen",
	sdk.DeclinePickUpCard:           "card_lost_or_stolen",
	sdk.DeclineExpiredCard:          "invalid_expiry_date",
	sdk.DeclineIncorrectNumber:      "invalid_card_number",
	sdk.DeclineIncorrectCVC:         "invalid_cvv",
	sdk.DeclineIncorrectExpiry:      "invalid_expiry_date",
	sdk.DeclineIncorrectAddress:     "pm_address_mismatch",
	sdk.DeclineLimitExceeded:        "velocity_limit_exceeded",
	sdk.DeclineNotPermitted:         "transaction_not_permitted",
	sdk.DeclineRestrictedCard:       "card_not_supported_restricted",
	sdk.DeclineClosedAccount:        "account_closed_or_invalid",
	sdk.DeclineIssuerUnavailable:    "issuer_unavailable",
	sdk.DeclineProcessingError:      "psp_acquirer_error",
	sdk.DeclineFraud:                "suspected_fraud",
	sdk.DeclineAuthenticationNeeded: "authentication_required",
	sdk.DeclineAuthenticationFailed: "authentication_failed",
	sdk.DeclineStopRecurring:        "authorization_missing_or_revoked",
	sdk.DeclineDuplicate:            "duplicate_request",
	sdk.DeclineCurrency:             "currency_or_corridor_not_enabled",
	sdk.DeclineCardNotSupported:     "card_not_supported_restricted",
	sdk.DeclineInvalidMerchant:      "merchant_inactive",
	sdk.DeclineAbandoned:            "payment_cancelled_by_user",
}

// builtInErrors are the processors' tables of decline codes by connector.
var builtInErrors = sync.OnceValue(func() map[string]sdk.Declines {
	out := map[string]sdk.Declines{}
	_, sections, _ := strings.Cut(builtInTable(), "@")
	for section := range strings.SplitSeq(sections, "\n@") {
		name, table, _ := strings.Cut(section, "\n")
		out[name] = sdk.ParseDeclines(table)
	}
	return out
})

// builtInRule returns the built-in rule of a key, nil for an unknown code.
func (s *Rules) builtInRule(k ErrorKey) *ErrorRule {
	if k.Flow != flowPayment || k.SubFlow != "Authorize" {
		return nil
	}
	info, ok := s.Connectors.Adapter(k.Connector)
	name, code := info.Name, k.Code
	if !ok {
		name = k.Connector
	}
	simulated := info.Simulated || name == "simulator"
	if simulated {
		name = "simulator"
		if _, finer, found := strings.Cut(k.Message, "decline_code - "); found {
			code = finer
		} else if code == "card_declined" {
			code = "generic_decline"
		}
	}
	table := builtInErrors()[name]
	reason := table.Of(code)
	if reason == "" {
		return nil
	}
	elsewhere := table.New(code, "", "").RetryElsewhere && !slices.Contains(scheme.FinalReasons, reason)
	if simulated {
		elsewhere = !slices.Contains(neverRetried, reason)
	}
	return &ErrorRule{ErrorKey: k, Details: detailsOf(reason, elsewhere, simulated)}
}

// CreateErrorRule stores a rule of the operator's. It takes the place of a built-in rule. Errors: IR_38 for a key that has a rule.
func (s *Rules) CreateErrorRule(ctx context.Context, r ErrorRule) (*ErrorRule, error) {
	err := s.update(ctx, "create error rule", func(tx Tx) error {
		r.CreatedAt, r.ModifiedAt = tx.Now(), tx.Now()
		return fault.IfConflict(tx.InsertErrorRule(&r), &fault.Error{Kind: fault.KindInvalid, Code: "IR_38", Message: "GSM with given key already exists in our records", Param: "code", Hint: "Update the entry instead."})
	})
	if err != nil {
		return nil, err
	}
	return &r, nil
}

func noErrorRule() *fault.Error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "GSM with given key does not exist in our records", Param: "code",
		Hint: "Send connector, flow, sub_flow, code and message as the entry has them, or create the entry with POST /gsm."}
}

// ErrorRule reads the rule of a key: the operator's, else the built-in one. Errors: IR_37.
func (s *Rules) ErrorRule(ctx context.Context, k ErrorKey) (rule *ErrorRule, err error) {
	err = s.view(ctx, "read error rule", func(r Reader) error { rule, err = r.ErrorRule(k); return fault.IfMissing(err, noErrorRule()) })
	if e := (*fault.Error)(nil); errors.As(err, &e) && e.Code == "IR_37" {
		if own := s.builtInRule(k); own != nil {
			return own, nil
		}
	}
	return rule, err
}

// UpdateErrorRule changes the rule of a key. A built-in rule becomes one of the operator's. Errors: IR_37.
func (s *Rules) UpdateErrorRule(ctx context.Context, k ErrorKey, change func(d *ErrorDetails)) (rule *ErrorRule, err error) {
	err = s.update(ctx, "update error rule", func(tx Tx) error {
		own, err := tx.ErrorRule(k)
		write := tx.UpdateErrorRule
		if errors.Is(err, fault.ErrNotFound) {
			if own = s.builtInRule(k); own == nil {
				return noErrorRule()
			}
			own.CreatedAt, write = tx.Now(), tx.InsertErrorRule
		} else if err != nil {
			return err
		}
		change(&own.Details)
		own.ModifiedAt, rule = tx.Now(), own
		return write(own)
	})
	if err != nil {
		return nil, err
	}
	return rule, nil
}

// DeleteErrorRule removes the operator's rule of a key. A built-in rule takes effect again. Errors: IR_37.
func (s *Rules) DeleteErrorRule(ctx context.Context, k ErrorKey) error {
	return s.update(ctx, "delete error rule", func(tx Tx) error { return fault.IfMissing(tx.DeleteErrorRule(k), noErrorRule()) })
}
