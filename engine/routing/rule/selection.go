package rule

import (
	"encoding/json"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/routed"
)

// Selection is what a rule chooses. Its fields depend on the purpose of the program.
type Selection struct {
	Type    routed.AlgorithmType // Priority or VolumeSplit; "" for decisions
	Choices []Choice             // of payment routing; may be empty

	Decision  Decision     // of 3DS decision rules
	Override  Decision     // of the decision manager: DecideThreeDS, DecideNoThreeDS, or "" for no decision
	Surcharge *ChargeTerms // of surcharge decisions; nil for no surcharge

	purpose Purpose
}

// Choice is a connector, or one account of it, with its weight in a volume split.
type Choice struct {
	Connector string
	AccountID string // "" for all accounts of the connector
	Split     int
	bare      bool // was sent as the connector's name
}

// ChargeTerms are the terms of a surcharge: a fixed amount in minor units, or a percentage, and a tax on it.
type ChargeTerms struct {
	Fixed int64
	Rate  json.Number // a percentage, "" for a fixed amount
	Tax   json.Number // a percentage, "" for none
}

// maxFixed bounds a fixed surcharge as surcharge_details of a payment is bounded. whole is 100 percent in hundredths of a percent.
const (
	maxFixed = 999_999_999
	whole    = 10_000
)

// Of returns the surcharge on an amount, and the tax on the surcharge, each rounded up to the minor unit.
func (t *ChargeTerms) Of(amount int64) (surcharge, tax int64) {
	surcharge = t.Fixed
	if t.Rate != "" {
		surcharge = share(amount, t.Rate)
	}
	if t.Tax != "" {
		tax = share(surcharge, t.Tax)
	}
	return surcharge, tax
}

// share returns a percentage of an amount, rounded up. No amount overflows it.
func share(amount int64, percentage json.Number) int64 {
	n, _ := Number(json.RawMessage(percentage), 2) // it was read before
	return amount/whole*n + (amount%whole*n+whole-1)/whole
}

// Decision is what a 3DS decision rule decides. Its constants are the API's values.
type Decision string

const (
	DecideThreeDS            Decision = "three_ds" // of the decision manager alone
	DecideNoThreeDS          Decision = "no_three_ds"
	DecideChallenge          Decision = "challenge_requested"
	DecideChallengePreferred Decision = "challenge_preferred"
	DecideTRA                Decision = "three_ds_exemption_requested_tra"
	DecideLowValue           Decision = "three_ds_exemption_requested_low_value"
	DecideIssuerExemption    Decision = "issuer_three_ds_exemption_requested"
)

var decisions = []Decision{DecideNoThreeDS, DecideChallenge, DecideChallengePreferred, DecideTRA, DecideLowValue, DecideIssuerExemption}

func (r *reader) selection(raw json.RawMessage, at string) (Selection, error) {
	s := Selection{purpose: r.form.Purpose}
	switch s.purpose {
	case Manager:
		o, err := object(raw, at)
		if v := o.of("override_3ds"); err == nil && !isNull(v) {
			if err = textInto(&s.Override, v, at+".override_3ds"); err == nil && s.Override != DecideThreeDS && s.Override != DecideNoThreeDS {
				err = unknownVariant(at+".override_3ds", string(s.Override), string(DecideThreeDS), string(DecideNoThreeDS))
			}
		}
		return s, err
	case Surcharge:
		o, err := object(raw, at)
		if v := o.of("surcharge_details"); err == nil && !isNull(v) {
			s.Surcharge, err = chargeTerms(v, at+".surcharge_details")
		}
		return s, err
	case ThreeDSecure:
		o, err := object(raw, at, "decision")
		if err != nil {
			return s, err
		}
		if err = textInto(&s.Decision, o.of("decision"), at+".decision"); err != nil {
			return s, err
		}
		names := make([]string, len(decisions))
		for i, d := range decisions {
			if names[i] = string(d); d == s.Decision {
				return s, nil
			}
		}
		return s, unknownVariant(at+".decision", string(s.Decision), names...)
	}
	o, err := object(raw, at, "type", "data")
	if err != nil {
		return s, err
	}
	if err = textInto(&s.Type, o.of("type"), at+".type"); err != nil {
		return s, err
	}
	if s.Type != routed.Priority && s.Type != routed.VolumeSplit {
		return s, unknownVariant(at+".type", string(s.Type), string(routed.Priority), string(routed.VolumeSplit))
	}
	s.Choices, err = choices(o.of("data"), s.Type, at+".data", r.form)
	return s, err
}

// unknownVariant returns the error for a value outside of a closed set.
func unknownVariant(at, sent string, known ...string) error {
	list := strings.Join(known, " or ")
	if len(known) > 2 {
		list = "one of " + strings.Join(known, ", ")
	}
	return hinted(malformed(at, "unknown variant `%s`, expected %s", sent, list), fault.ChoiceHint(sent, known))
}

// choices reads the data of a priority or volume_split list.
func choices(raw json.RawMessage, kind routed.AlgorithmType, at string, form Form) ([]Choice, error) {
	list, err := array(raw, at)
	if err != nil {
		return nil, err
	}
	out := make([]Choice, len(list))
	for i, raw := range list {
		at := item(at, i)
		if kind == routed.Priority {
			if out[i], err = choice(raw, at, form); err != nil {
				return nil, err
			}
			continue
		}
		o, err := object(raw, at, "connector", "split")
		if err != nil {
			return nil, err
		}
		if out[i], err = choice(o.of("connector"), at+".connector", form); err != nil {
			return nil, err
		}
		n, ok := Number(o.of("split"), 0)
		if !ok || n > 255 {
			return nil, malformed(at+".split", "invalid value %s, expected a whole number from 0 to 255", o.of("split"))
		}
		out[i].Split = int(n)
	}
	return out, nil
}

// noVariant is the API's error text for a value that is neither a connector's name nor an object with one.
const noVariant = "data did not match any variant of untagged enum RoutableChoiceSerde"

func choice(raw json.RawMessage, at string, form Form) (c Choice, err error) {
	if first(raw) == '"' {
		c.bare = true
		c.Connector, err = text(raw, at)
	} else {
		var o fields
		if o, err = object(raw, at, "connector"); err != nil {
			return c, malformed(at, noVariant+": expected a connector's name or an object with connector and merchant_connector_id")
		}
		if c.Connector, err = text(o.of("connector"), at+".connector"); err != nil {
			return c, malformed(at, noVariant+": connector is no string")
		}
		if id := o.of("merchant_connector_id"); !isNull(id) {
			if c.AccountID, err = text(id, at+".merchant_connector_id"); err != nil {
				return c, malformed(at, noVariant+": merchant_connector_id is no string")
			}
		}
	}
	if err == nil && form.Connector != nil && !form.Connector(c.Connector) {
		if !c.bare {
			at = member(at, "connector")
		}
		return c, &Error{Malformed: true, Param: at, Message: noVariant + ": no connector has the name `" + c.Connector + "`", Connector: c.Connector}
	}
	return c, err
}

func chargeTerms(raw json.RawMessage, at string) (*ChargeTerms, error) {
	o, err := object(raw, at, "surcharge")
	if err != nil {
		return nil, err
	}
	s, err := object(o.of("surcharge"), at+".surcharge", "type", "value")
	if err != nil {
		return nil, err
	}
	kind, err := text(s.of("type"), at+".surcharge.type")
	if err != nil {
		return nil, err
	}
	t := &ChargeTerms{}
	switch kind {
	case "fixed":
		v, err := object(s.of("value"), at+".surcharge.value", "amount")
		if err != nil {
			return nil, err
		}
		var ok bool
		if t.Fixed, ok = Number(v.of("amount"), 0); !ok || t.Fixed > maxFixed {
			return nil, malformed(at+".surcharge.value.amount", "expected a whole number from 0 to %d, in minor units", maxFixed)
		}
	case "rate":
		if t.Rate, err = percentage(s.of("value"), at+".surcharge.value"); err != nil {
			return nil, err
		}
	default:
		return nil, unknownVariant(at+".surcharge.type", kind, "fixed", "rate")
	}
	if tax := o.of("tax_on_surcharge"); !isNull(tax) {
		t.Tax, err = percentage(tax, at+".tax_on_surcharge")
	}
	return t, err
}

func percentage(raw json.RawMessage, at string) (json.Number, error) {
	v, err := object(raw, at, "percentage")
	if err != nil {
		return "", err
	}
	if n, ok := Number(v.of("percentage"), 2); !ok || n > whole {
		return "", malformed(at+".percentage", "expected a number from 0 to 100 with at most 2 decimals")
	}
	return json.Number(v.of("percentage")), nil
}

// MarshalJSON writes the selection as answers show it.
func (s Selection) MarshalJSON() ([]byte, error) {
	switch s.purpose {
	case Manager:
		return json.Marshal(map[string]*Decision{"override_3ds": optional.OrNil(s.Override)})
	case Surcharge:
		return json.Marshal(map[string]*ChargeTerms{"surcharge_details": s.Surcharge})
	case ThreeDSecure:
		return json.Marshal(map[string]Decision{"decision": s.Decision})
	}
	return json.Marshal(struct {
		Type routed.AlgorithmType `json:"type"`
		Data any                  `json:"data"`
	}{s.Type, dataOf(s.Type, s.Choices)})
}

// dataOf returns the choices in the form of a list's data.
func dataOf(kind routed.AlgorithmType, list []Choice) any {
	if kind == routed.Single {
		return list[0]
	}
	if kind != routed.VolumeSplit {
		return append([]Choice{}, list...)
	}
	type entry struct {
		Connector Choice `json:"connector"`
		Split     int    `json:"split"`
	}
	out := make([]entry, len(list))
	for i, c := range list {
		out[i] = entry{c, c.Split}
	}
	return out
}

// MarshalJSON writes the choice in the form in which it was sent.
func (c Choice) MarshalJSON() ([]byte, error) {
	if c.bare {
		return json.Marshal(c.Connector)
	}
	return json.Marshal(struct {
		Connector string  `json:"connector"`
		AccountID *string `json:"merchant_connector_id"`
	}{c.Connector, optional.OrNil(c.AccountID)})
}

// MarshalJSON writes the surcharge as answers show it.
func (t *ChargeTerms) MarshalJSON() ([]byte, error) {
	surcharge := map[string]any{"type": "fixed", "value": map[string]int64{"amount": t.Fixed}}
	if t.Rate != "" {
		surcharge = map[string]any{"type": "rate", "value": map[string]json.Number{"percentage": t.Rate}}
	}
	var tax any
	if t.Tax != "" {
		tax = map[string]json.Number{"percentage": t.Tax}
	}
	return json.Marshal(map[string]any{"surcharge": surcharge, "tax_on_surcharge": tax})
}
