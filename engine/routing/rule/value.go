package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"payswitch/engine/fault"
)

// operatorNames are the comparisons of the API, in the order of the texts that list them.
var operatorNames = []string{"equal", "not_equal", "less_than", "less_than_equal", "greater_than", "greater_than_equal"}

// operators are the comparisons of the API. inSet stands for equal.
var operators = map[string]test{"equal": inSet, "not_equal": inSet, "less_than": less, "less_than_equal": lessEqual, "greater_than": greater,
	"greater_than_equal": greaterEqual}

// typesOf lists the types that a value may have, by the kind of the key.
var typesOf = map[kind][]string{
	enumKind:     {"enum_variant", "enum_variant_array"},
	numberKind:   {"number", "number_array", "number_comparison_array"},
	textKind:     {"str_value"},
	metadataKind: {"metadata_variant"},
}

// conditionOf checks operator and value of a comparison against its key, and makes the condition.
func conditionOf(c *Comparison, at string) (condition, error) {
	f := c.Key.facts()
	out := condition{key: c.Key, test: operators[c.Operator], not: c.Operator == "not_equal"}
	ordered := out.test != inSet
	fits := false
	for _, t := range typesOf[f.kind] {
		fits = fits || t == c.ValueType
	}
	switch {
	case !fits && !knownType(c.ValueType):
		return out, hinted(malformed(at+".value.type", "unknown value type `%s`", c.ValueType), fault.ChoiceHint(c.ValueType, typesOf[f.kind]))
	case !fits:
		return out, hinted(invalid(at+".value.type", "a value of type %s does not fit this key, expected %s", c.ValueType, strings.Join(typesOf[f.kind], " or ")),
			fault.ChoiceHint(c.ValueType, typesOf[f.kind]))
	case ordered && c.ValueType != "number":
		return out, invalid(at+".comparison", "%s needs a value of type number, and this one has the type %s", c.Operator, c.ValueType)
	}
	at += ".value.value"
	switch c.ValueType {
	case "enum_variant":
		v, err := text(c.Value, at)
		if err != nil {
			return out, err
		}
		return out, out.addEnum(v, at)
	case "enum_variant_array":
		list, err := array(c.Value, at)
		if err != nil {
			return out, err
		}
		for i, raw := range list {
			v, err := text(raw, item(at, i))
			if err != nil {
				return out, err
			}
			if err := out.addEnum(v, item(at, i)); err != nil {
				return out, err
			}
		}
		return out, nil
	case "str_value":
		return out, out.setText(c.Value, at)
	case "metadata_variant":
		o, err := object(c.Value, at, "key", "value")
		if err != nil {
			return out, err
		}
		out.test = sameMetadata
		if out.text, err = text(o.of("key"), at+".key"); err != nil {
			return out, err
		}
		out.value, err = text(o.of("value"), at+".value")
		return out, err
	}
	return out, out.setNumbers(c, at)
}

func knownType(name string) bool {
	for _, list := range typesOf {
		for _, t := range list {
			if t == name {
				return true
			}
		}
	}
	return false
}

func (c *condition) addEnum(v, at string) error {
	code := codes()[c.key][v]
	if code == 0 {
		text, hint := expected(c.key, v)
		return hinted(invalid(at, "%q is no value of %s; expected %s", v, c.key.Name(), text), hint)
	}
	c.set[code>>6] |= 1 << (code & 63)
	return nil
}

// expected lists the values of an enum for an error, and returns the error's hint. A long list is left out if one value differs from v in case only, or altogether.
func expected(k Key, v string) (text, hint string) {
	values := k.facts().values
	for _, w := range values {
		if strings.EqualFold(w, v) {
			return w, fault.ChoiceHint(v, []string{w})
		}
	}
	if code := alpha2[strings.ToUpper(v)]; code > 0 && (k == BillingCountry || k == IssuerCountry || k == BusinessCountry || k == AcquirerCountry) {
		return values[code-1], fault.ChoiceHint(v, values[code-1:code])
	}
	if len(values) > 60 {
		return fmt.Sprintf("one of %d values, such as %s", len(values), values[0]), fault.NameHint(v, values, "")
	}
	return "one of " + strings.Join(values, ", "), fault.ChoiceHint(v, values)
}

func (c *condition) setText(raw json.RawMessage, at string) error {
	v, err := text(raw, at)
	if err != nil {
		return err
	}
	if n := c.key.facts().digits; n > 0 && (len(v) != n || strings.Trim(v, "0123456789") != "") {
		return invalid(at, "%q has not exactly %d digits", v, n)
	}
	c.test, c.text = sameText, v
	return nil
}

func (c *condition) setNumbers(from *Comparison, at string) (err error) {
	switch from.ValueType {
	case "number":
		if c.number, err = c.readNumber(from.Value, at); c.test == inSet {
			c.test, c.numbers = anyNumber, []int64{c.number}
		}
		return err
	case "number_array":
		list, err := array(from.Value, at)
		if err != nil {
			return err
		}
		c.test, c.numbers = anyNumber, make([]int64, len(list))
		for i, raw := range list {
			if c.numbers[i], err = c.readNumber(raw, item(at, i)); err != nil {
				return err
			}
		}
		return nil
	}
	list, err := array(from.Value, at)
	if err != nil {
		return err
	}
	c.test, c.orderings = anyOrdering, make([]ordering, len(list))
	for i, raw := range list {
		at := item(at, i)
		o, err := object(raw, at, "comparisonType", "number")
		if err != nil {
			return err
		}
		name, err := text(o.of("comparisonType"), at+".comparisonType")
		if err != nil {
			return err
		}
		t, ok := operators[name]
		switch {
		case !ok:
			return hinted(malformed(at+".comparisonType", "unknown comparison `%s`", name), fault.ChoiceHint(name, operatorNames))
		case name == "equal":
			t = anyNumber
		case name == "not_equal":
			t = anyOrdering
		}
		c.orderings[i].test = t
		if c.orderings[i].number, err = c.readNumber(o.of("number"), at+".number"); err != nil {
			return err
		}
	}
	return nil
}

// readNumber reads a number of the key: minor units, or a rate with decimals.
func (c *condition) readNumber(raw json.RawMessage, at string) (int64, error) {
	n, ok := Number(raw, c.key.facts().decimals)
	if !ok && c.key.facts().decimals > 0 {
		return 0, malformed(at, "expected a number of 0 or more with at most %d decimals", c.key.facts().decimals)
	}
	if !ok {
		return 0, malformed(at, "expected a whole number of 0 or more")
	}
	return n, nil
}

// Number reads a JSON number of 0 or more with up to a number of decimals, and scales it to a whole number. ok is false for other values.
func Number(raw json.RawMessage, decimals int) (n int64, ok bool) {
	whole, fraction, dot := strings.Cut(string(bytes.TrimSpace(raw)), ".")
	if whole == "" || dot && fraction == "" || len(fraction) > decimals || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	return n, err == nil
}
