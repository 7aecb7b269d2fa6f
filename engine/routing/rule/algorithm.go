package rule

import (
	"encoding/json"
	"errors"
	"strconv"

	"payswitch/engine/routed"
)

// Algorithm is the algorithm of a routing configuration.
type Algorithm struct {
	Type    routed.AlgorithmType
	Choices []Choice // of the first three types
	Source  *Source  // of the last two; nil otherwise
}

// algorithmTypes are the types that a merchant's configuration may have.
var algorithmTypes = []string{string(routed.Single), string(routed.Priority), string(routed.VolumeSplit), string(routed.Advanced), string(routed.ThreeDSDecides)}

// ParseAlgorithm reads an algorithm, {type, data}. Its error is an *Error.
func ParseAlgorithm(raw json.RawMessage, connector func(name string) bool) (*Algorithm, error) {
	form := Form{Purpose: Routing, Connector: connector}
	o, err := object(checked(raw), "", "type", "data")
	if err != nil {
		return nil, err
	}
	a := &Algorithm{}
	if err = textInto(&a.Type, o.of("type"), "type"); err != nil {
		return nil, err
	}
	switch a.Type {
	case routed.Single:
		c, err := choice(o.of("data"), "data", form)
		a.Choices = []Choice{c}
		return a, err
	case routed.Priority, routed.VolumeSplit:
		if a.Choices, err = choices(o.of("data"), a.Type, "data", form); err != nil {
			return nil, err
		}
		if len(a.Choices) == 0 {
			name := map[routed.AlgorithmType]string{routed.Priority: "Priority", routed.VolumeSplit: "Volume split"}[a.Type]
			return nil, malformed("data", "Failed to parse struct: Connectors list can't be empty for %s Algorithm", name)
		}
		return a, nil
	case routed.ThreeDSDecides:
		form.Purpose = ThreeDSecure
	case routed.Advanced:
	default:
		return nil, unknownVariant("type", string(a.Type), algorithmTypes...)
	}
	a.Source, err = parse(o.of("data"), form)
	if bad := (*Error)(nil); errors.As(err, &bad) {
		bad.Param = member("data", bad.Param)
	}
	return a, err
}

// Selections calls f for each selection of the algorithm. place says where it stands in the program, "" for an algorithm without rules.
func (a *Algorithm) Selections(f func(place string, list []Choice)) {
	f("", a.Choices)
	if a.Source != nil {
		f("defaultSelection", a.Source.Default.Choices)
		for i := range a.Source.Rules {
			f("rule "+strconv.Quote(a.Source.Rules[i].Name), a.Source.Rules[i].Selection.Choices)
		}
	}
}

// MarshalJSON writes the algorithm as answers show it.
func (a *Algorithm) MarshalJSON() ([]byte, error) {
	var data any = a.Source
	if a.Source == nil {
		data = dataOf(a.Type, a.Choices)
	}
	return json.Marshal(struct {
		Type routed.AlgorithmType `json:"type"`
		Data any                  `json:"data"`
	}{a.Type, data})
}
