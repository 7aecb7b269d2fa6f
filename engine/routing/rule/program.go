package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/fault"
)

// Source is a program as a merchant wrote it, checked.
type Source struct {
	Default  Selection
	Rules    []Rule
	Metadata json.RawMessage // an object, without effect
}

// Rule is one rule: the first rule that has a true statement gives its selection.
type Rule struct {
	Name       string
	Selection  Selection
	Statements []Statement
}

// Statement is true if all its conditions are true, and one of its nested statements is. Nested is nil where no nested statements were sent.
type Statement struct {
	Condition []Comparison
	Nested    []Statement
}

// Comparison compares a key of the payment with a value.
type Comparison struct {
	Key       Key
	LHS       string // the key as it was sent
	Operator  string // equal, not_equal, less_than …
	ValueType string
	Value     json.RawMessage
	Metadata  json.RawMessage // an object, without effect

	condition condition
}

// Error says what a program lacks. Its text names rule and key.
type Error struct {
	// Malformed is true if the program does not have the form of a program. Otherwise the form is right, and it cannot be evaluated.
	Malformed bool
	Rule      string // the name of the rule at fault, "" outside of rules
	Key       string // the lhs at fault, "" outside of comparisons
	Param     string // the path of the part at fault within the program or algorithm, "" for the whole
	Message   string
	Hint      string // the remedy, "" where Message has the remedy
	Connector string // the connector that has no adapter, "" for another fault
}

// ParamIn returns the path of the part at fault in a request that has the program or algorithm in a field.
func (e *Error) ParamIn(field string) string { return member(field, e.Param) }

func (e *Error) Error() string {
	var at []string
	if e.Rule != "" {
		at = append(at, fmt.Sprintf("rule %q", e.Rule))
	}
	if e.Key != "" {
		at = append(at, "lhs "+e.Key)
	}
	if len(at) == 0 {
		return e.Message
	}
	return strings.Join(at, ", ") + " (" + e.Param + "): " + e.Message
}

// Form is what a reader of programs must know.
type Form struct {
	Purpose Purpose
	// Connector reports whether a connector's name is known.
	Connector func(name string) bool
}

// limits of a program, so that one request cannot occupy the switch.
const (
	maxRules   = 20_000
	maxNesting = 16
)

type reader struct {
	form Form
	rule string // the name of the rule being read
}

// Parse reads a program. Its error is an *Error.
func Parse(raw json.RawMessage, form Form) (*Source, error) {
	return parse(checked(raw), form)
}

// parse is Parse of a text that is checked.
func parse(raw json.RawMessage, form Form) (*Source, error) {
	r := &reader{form: form}
	s, err := r.program(raw)
	if bad := (*Error)(nil); errors.As(err, &bad) {
		bad.Rule = r.rule
		return nil, bad
	}
	return s, err
}

func malformed(at, format string, args ...any) error {
	return &Error{Malformed: true, Param: at, Message: fmt.Sprintf(format, args...)}
}

func invalid(at, format string, args ...any) error {
	return &Error{Param: at, Message: fmt.Sprintf(format, args...)}
}

// hinted sets the hint of an error that malformed or invalid made.
func hinted(err error, hint string) error {
	err.(*Error).Hint = hint
	return err
}

// lacks returns the error for a member that an object lacks. known are the names that the object may have.
func lacks(at, name string, o fields, known ...string) error {
	var unknown []string
	for _, f := range o {
		if !slices.Contains(known, f.name) {
			unknown = append(unknown, f.name)
		}
	}
	return hinted(malformed(member(at, name), "missing field `%s`", name), fault.MissingHint(name, unknown))
}

// member returns the path of an object's member.
func member(at, name string) string {
	switch {
	case at == "":
		return name
	case name == "" || name[0] == '[':
		return at + name
	}
	return at + "." + name
}

// item returns the path of an array's item.
func item(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

func (r *reader) program(raw json.RawMessage) (*Source, error) {
	o, err := object(raw, "", "defaultSelection", "rules", "metadata")
	if err != nil {
		return nil, err
	}
	s := &Source{Metadata: o.of("metadata")}
	if _, err := object(s.Metadata, "metadata"); err != nil {
		return nil, err
	}
	if s.Default, err = r.selection(o.of("defaultSelection"), "defaultSelection"); err != nil {
		return nil, err
	}
	list, err := array(o.of("rules"), "rules")
	if err != nil {
		return nil, err
	}
	if len(list) > maxRules {
		return nil, invalid("rules", "a program has at most %d rules, and this one has %d", maxRules, len(list))
	}
	s.Rules = make([]Rule, len(list))
	for i, raw := range list {
		if err := r.readRule(raw, item("rules", i), &s.Rules[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (r *reader) readRule(raw json.RawMessage, at string, to *Rule) error {
	r.rule = ""
	o, err := object(raw, at, "name")
	if err != nil {
		return err
	}
	if to.Name, err = text(o.of("name"), at+".name"); err != nil {
		return err
	}
	r.rule = to.Name
	name := "connectorSelection"
	if o.of(name) == nil {
		if name = "routingOutput"; o.of(name) == nil {
			return lacks(at, "connectorSelection", o, "name", "statements")
		}
	}
	if o.of("statements") == nil {
		return lacks(at, "statements", o, "name", "connectorSelection", "routingOutput")
	}
	if to.Selection, err = r.selection(o.of(name), at+"."+name); err != nil {
		return err
	}
	to.Statements, err = r.statements(o.of("statements"), at+".statements", 0)
	return err
}

func (r *reader) statements(raw json.RawMessage, at string, depth int) ([]Statement, error) {
	if depth > maxNesting {
		return nil, invalid(at, "statements are nested more than %d deep", maxNesting)
	}
	list, err := array(raw, at)
	if err != nil {
		return nil, err
	}
	out := make([]Statement, len(list))
	for i, raw := range list {
		at := item(at, i)
		o, err := object(raw, at, "condition")
		if err != nil {
			return nil, err
		}
		conditions, err := array(o.of("condition"), at+".condition")
		if err != nil {
			return nil, err
		}
		out[i].Condition = make([]Comparison, len(conditions))
		for j, raw := range conditions {
			if err := r.comparison(raw, item(at+".condition", j), &out[i].Condition[j]); err != nil {
				if bad := (*Error)(nil); errors.As(err, &bad) {
					bad.Key = out[i].Condition[j].LHS
				}
				return nil, err
			}
		}
		if nested := o.of("nested"); !isNull(nested) {
			if out[i].Nested, err = r.statements(nested, at+".nested", depth+1); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (r *reader) comparison(raw json.RawMessage, at string, c *Comparison) error {
	o, err := object(raw, at, "lhs")
	if err != nil {
		return err
	}
	if c.LHS, err = text(o.of("lhs"), at+".lhs"); err != nil {
		return err
	}
	for _, name := range []string{"comparison", "value", "metadata"} {
		if o.of(name) == nil {
			return lacks(at, name, o, "lhs", "comparison", "value", "metadata")
		}
	}
	if c.Operator, err = text(o.of("comparison"), at+".comparison"); err != nil {
		return err
	}
	if _, ok := operators[c.Operator]; !ok {
		return hinted(malformed(at+".comparison", "unknown comparison `%s`, expected one of %s", c.Operator, strings.Join(operatorNames, ", ")),
			fault.ChoiceHint(c.Operator, operatorNames))
	}
	value, err := object(o.of("value"), at+".value", "type", "value")
	if err != nil {
		return err
	}
	if c.ValueType, err = text(value.of("type"), at+".value.type"); err != nil {
		return err
	}
	c.Value, c.Metadata = value.of("value"), o.of("metadata")
	if _, err := object(c.Metadata, at+".metadata"); err != nil {
		return err
	}
	if c.Key = KeyNamed(c.LHS, r.form.Purpose); c.Key == NoKey {
		names := KeyNames(r.form.Purpose)
		err := invalid(at+".lhs", "no such key; the keys of %s are %s", r.form.Purpose, strings.Join(names, ", "))
		if KeyNamed(c.LHS, Routing|Manager|Surcharge|ThreeDSecure) != NoKey {
			err = invalid(at+".lhs", "this key is not allowed in %s; the keys are %s", r.form.Purpose, strings.Join(names, ", "))
		}
		return hinted(err, fault.ChoiceHint(c.LHS, names))
	}
	c.condition, err = conditionOf(c, at)
	return err
}

// MarshalJSON writes the program as answers show it. Members that a program does not have are gone.
func (s *Source) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Default  Selection       `json:"defaultSelection"`
		Rules    []Rule          `json:"rules"`
		Metadata json.RawMessage `json:"metadata"`
	}{s.Default, s.Rules, s.Metadata})
}

// MarshalJSON writes the rule as answers show it.
func (r Rule) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name       string      `json:"name"`
		Selection  Selection   `json:"connectorSelection"`
		Statements []Statement `json:"statements"`
	}{r.Name, r.Selection, r.Statements})
}

// MarshalJSON writes the statement as answers show it.
func (s Statement) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Condition []Comparison `json:"condition"`
		Nested    []Statement  `json:"nested"`
	}{s.Condition, s.Nested})
}

// MarshalJSON writes the comparison as answers show it.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type value struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	return json.Marshal(struct {
		LHS      string          `json:"lhs"`
		Operator string          `json:"comparison"`
		Value    value           `json:"value"`
		Metadata json.RawMessage `json:"metadata"`
	}{c.LHS, c.Operator, value{c.ValueType, c.Value}, c.Metadata})
}
