package routing

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
	"payswitch/sdk"
)

// EvaluateInput are made-up facts for the active configuration of a profile.
type EvaluateInput struct {
	ProfileID  string
	PaymentID  string                     // decides volume splits; "" for a random id
	Parameters map[string]json.RawMessage // {type, value} by key, or null
	Fallback   []rule.Choice              // taken if no rule matches
}

// StraightThrough is the type of an Evaluation that a configuration of one account gave.
const StraightThrough routed.AlgorithmType = "straight_through"

// Evaluation is what a configuration chooses.
type Evaluation struct {
	Matched bool                 // a rule matched, or the configuration has no rules
	Rule    string               // the rule that matched, "" for none
	Type    routed.AlgorithmType // StraightThrough, Priority or VolumeSplit
	Output  []rule.Choice
	// Eligible are those of Output that can take the payment, as far as the parameters say, without duplicates. Ordered has them in the order in which a
	// payment tries them.
	Eligible []rule.Choice
	Ordered  []rule.Choice
}

// freeKeys are the keys that a dry run takes beyond those of rules. No rule compares them.
var freeKeys = []string{"payment_method_type", "card", "issuer_name", "gift_card", "open_banking", "mobile_payment"}

// EvaluateRouting evaluates the active configuration of a profile. Errors: HE_02 for the profile and without an active configuration; IR_06
// (400) for an unknown key or value.
func (s *Rules) EvaluateRouting(ctx context.Context, a account.Auth, in EvaluateInput) (*Evaluation, error) {
	facts, err := inputFrom(in.Parameters)
	if err != nil {
		return nil, err
	}
	var id string
	err = s.view(ctx, "evaluate routing", func(r Reader) error {
		p, err := ofProfile(r, a, in.ProfileID)
		if err == nil {
			if id = p.Settings.ActiveRouting[routed.ForPayment]; id == "" {
				err = noResource()
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	active, err := s.compiled(ctx, a.MerchantID, id)
	if err != nil {
		return nil, fault.IfMissing(fault.FromStore(err, "read routing configuration"), noResource())
	}
	if in.PaymentID == "" {
		in.PaymentID = ids.New("pay_")
	}
	return active.evaluate(facts, in, s.capable(in.Parameters, facts.CountryCode(rule.BillingCountry))), nil
}

func (c *Compiled) evaluate(facts *rule.Input, in EvaluateInput, capable func(connector string) bool) *Evaluation {
	ordered, matched, split := c.Choose(facts, in.PaymentID)
	e := &Evaluation{Matched: c.Program == nil || matched >= 0, Type: routed.Priority, Output: c.Algorithm.Choices}
	if c.Program != nil {
		e.Output = c.Algorithm.Source.Default.Choices
		if matched >= 0 {
			e.Output, e.Rule = c.Algorithm.Source.Rules[matched].Selection.Choices, c.Algorithm.Source.Rules[matched].Name
		}
	}
	switch {
	case !e.Matched && len(in.Fallback) > 0:
		e.Output, ordered = in.Fallback, in.Fallback
	case split:
		e.Type = routed.VolumeSplit
	case c.Algorithm.Type == routed.Single:
		e.Type = StraightThrough
	}
	e.Eligible, e.Ordered = once(e.Output, capable), once(ordered, capable)
	return e
}

// once returns the choices of capable connectors, each once.
func once(list []rule.Choice, capable func(connector string) bool) (out []rule.Choice) {
	for _, choice := range list {
		choice.Split = 0
		if !slices.ContainsFunc(out, func(o rule.Choice) bool { return o.Connector == choice.Connector && o.AccountID == choice.AccountID }) && capable(choice.Connector) {
			out = append(out, choice)
		}
	}
	return out
}

// capable returns the connectors' capability table for made-up facts. A connector is left out if its adapter's manifest does not take the currency, the card
// network or the capture method. It is left out, too, if the operator's table does not take the country, the currency or the capture method. The table
// applies if the facts name the type of a card payment; what has no row passes.
func (s *Rules) capable(parameters map[string]json.RawMessage, country string) func(connector string) bool {
	text := func(name string) string {
		var fact struct{ Value string }
		_ = json.Unmarshal(parameters[name], &fact) // Set has checked it; another form names nothing
		return fact.Value
	}
	kind, method := text("payment_method_type"), text("payment_method")
	if kind != "credit" && kind != "debit" || method != "" && method != payment.MethodCard {
		return func(string) bool { return true }
	}
	p := &payment.Payment{Currency: sdk.Currency(text("currency")), NetAmount: 1}
	p.Details.CaptureMethod = payment.CaptureMethod(text("capture_method"))
	return func(connector string) bool {
		if row := s.Limits.Of(connector, kind); row.refuses(p, country) != "" {
			return false
		}
		info, known := s.Connectors.Adapter(connector)
		if !known {
			return true
		}
		m := *info.Manifest
		if p.Currency == "" {
			m.Currencies = nil
		}
		if p.Details.CaptureMethod == "" {
			m.Captures = nil
		}
		return takes(&m, p, sdk.CardNetwork(text("card_network"))) == ""
	}
}

// inputFrom reads made-up facts.
func inputFrom(parameters map[string]json.RawMessage) (*rule.Input, error) {
	in := &rule.Input{}
	for name, raw := range parameters {
		if strings.TrimSpace(string(raw)) == "null" {
			continue
		}
		bad := func(text string) error {
			return fault.Malformed("parameters."+name, "parameter `"+name+"`: "+text).WithHint("Send the parameter with the type that the program expects.")
		}
		k := rule.KeyNamed(name, rule.Routing)
		if k == rule.NoKey {
			if slices.Contains(freeKeys, name) {
				continue
			}
			return nil, bad("unknown key; the keys are " + strings.Join(rule.KeyNames(rule.Routing), ", "))
		}
		var fact struct {
			Type  string
			Value json.RawMessage
		}
		if json.Unmarshal(raw, &fact) != nil {
			return nil, bad("expected an object with type and value")
		}
		if err := in.Set(k, fact.Type, fact.Value); err != nil {
			return nil, bad(err.Error())
		}
	}
	return in, nil
}
