package rule

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func known(name string) bool { return name == "stripe" || name == "adyen" || name == "simulator" }

var routingForm = Form{Purpose: Routing, Connector: known}

// program returns a program with one rule that has these conditions.
func program(conditions string) json.RawMessage {
	return json.RawMessage(`{"defaultSelection":{"type":"priority","data":["stripe"]},"metadata":{},"rules":[{"name":"r1",
		"connectorSelection":{"type":"priority","data":["adyen"]},"statements":[{"condition":[` + conditions + `],"nested":null}]}]}`)
}

func compare(lhs, operator, kind, value string) string {
	return fmt.Sprintf(`{"lhs":%q,"comparison":%q,"value":{"type":%q,"value":%s},"metadata":{}}`, lhs, operator, kind, value)
}

func TestKeysAreComplete(t *testing.T) {
	for k := NoKey + 1; k < lastKey; k++ {
		f := k.facts()
		if k == enumKeys {
			continue
		}
		assert.NotEmpty(t, f.name)
		assert.NotZero(t, f.purposes, f.name)
		assert.Equal(t, k < enumKeys, f.kind == enumKind, f.name)
		assert.Equal(t, k < enumKeys, len(f.values) > 0, f.name)
		assert.Less(t, len(f.values), 256, f.name)
	}
	require.Len(t, countryValues(), 249)
	require.Equal(t, BusinessCountry, KeyNamed("country", Routing))
	require.Equal(t, NoKey, KeyNamed("issuer_name", Routing))
	require.Len(t, KeyNames(Routing), 31-1+1)
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		conditions string
		malformed  bool
		message    string
	}{
		"unknown key":         {compare("colour", "equal", "str_value", `"red"`), false, `rule "r1", lhs colour (rules[0].statements[0].condition[0].lhs): no such key`},
		"key of decisions":    {compare("issuer_name", "equal", "str_value", `"x"`), false, "this key is not allowed in payment routing"},
		"enum value":          {compare("currency", "equal", "enum_variant", `"usd"`), false, `"usd" is no value of currency; expected USD`},
		"country letters":     {compare("billing_country", "equal", "enum_variant", `"DE"`), false, `"DE" is no value of billing_country; expected Germany`},
		"network case":        {compare("card_network", "equal", "enum_variant", `"visa"`), false, `expected Visa`},
		"enum in array":       {compare("currency", "equal", "enum_variant_array", `["USD","XXY"]`), false, `"XXY" is no value`},
		"type of value":       {compare("amount", "equal", "str_value", `"5"`), false, "a value of type str_value does not fit this key, expected number or number_array"},
		"unknown type":        {compare("amount", "equal", "global_ref", `"5"`), true, "unknown value type `global_ref`"},
		"bin length":          {compare("card_bin", "equal", "str_value", `"42424"`), false, `"42424" has not exactly 6 digits`},
		"bin letters":         {compare("card_bin", "equal", "str_value", `"42424x"`), false, "has not exactly 6 digits"},
		"extended bin":        {compare("extended_card_bin", "equal", "str_value", `"424242"`), false, "has not exactly 8 digits"},
		"ordering of enum":    {compare("currency", "less_than", "enum_variant", `"USD"`), false, "less_than needs a value of type number"},
		"ordering of array":   {compare("amount", "greater_than", "number_array", `[5]`), false, "greater_than needs a value of type number"},
		"ordering of text":    {compare("business_label", "less_than", "str_value", `"a"`), false, "less_than needs"},
		"ordering of members": {compare("metadata", "less_than", "metadata_variant", `{"key":"a","value":"b"}`), false, "less_than needs"},
		"negative":            {compare("amount", "equal", "number", `-5`), true, "expected a whole number of 0 or more"},
		"decimals":            {compare("amount", "equal", "number", `5.5`), true, "expected a whole number of 0 or more"},
		"text as number":      {compare("amount", "equal", "number", `"5"`), true, "expected a whole number"},
		"too large":           {compare("amount", "equal", "number", `9223372036854775808`), true, "expected a whole number"},
		"unknown comparison":  {compare("amount", "equals", "number", `5`), true, "unknown comparison `equals`"},
		"member comparison":   {compare("amount", "equal", "number_comparison_array", `[{"comparisonType":"about","number":5}]`), true, "unknown comparison `about`"},
		"no metadata":         {`{"lhs":"amount","comparison":"equal","value":{"type":"number","value":5}}`, true, "missing field `metadata`"},
		"no value":            {`{"lhs":"amount","comparison":"equal","metadata":{}}`, true, "missing field `value`"},
		"no lhs":              {`{"comparison":"equal","metadata":{}}`, true, "missing field `lhs`"},
		"no object":           {`5`, true, "expected an object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(program(c.conditions), routingForm)
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.Contains(t, err.Error(), c.message)
			require.Equal(t, c.malformed, bad.Malformed)
			require.Equal(t, "r1", bad.Rule)
		})
	}
	for text, message := range map[string]string{
		`[]`:                                    "expected an object",
		`{"rules":[],"metadata":{}}`:            "missing field `defaultSelection`",
		`{"defaultSelection":{},"metadata":{}}`: "missing field `rules`",
		`{"defaultSelection":{"type":"priority","data":[]},"rules":[]}`:                                                                                           "missing field `metadata`",
		`{"defaultSelection":{"type":"single","data":"stripe"},"rules":[],"metadata":{}}`:                                                                         "unknown variant `single`",
		`{"defaultSelection":{"type":"priority","data":["nope"]},"rules":[],"metadata":{}}`:                                                                       "untagged enum RoutableChoiceSerde",
		`{"defaultSelection":{"type":"volume_split","data":[{"connector":"stripe","split":256}]},"rules":[],"metadata":{}}`:                                       "from 0 to 255",
		`{"defaultSelection":{"type":"priority","data":[]},"rules":[{"name":"a","statements":[]}],"metadata":{}}`:                                                 "missing field `connectorSelection`",
		`{"defaultSelection":{"type":"priority","data":[]},"rules":[{"name":"a","connectorSelection":{"type":"priority","data":[]}}],"metadata":{}}`:              "missing field `statements`",
		`{"defaultSelection":{"type":"priority","data":[]},"rules":[{"connectorSelection":{"type":"priority","data":[]},"statements":[]}],"metadata":{}}`:         "missing field `name`",
		`{"defaultSelection":{"type":"priority","data":[]},"rules":[],"metadata":5}`:                                                                              "expected an object",
		`{"defaultSelection":{"type":"priority","data":[]},"rules":[{"name":"a","routingOutput":{"type":"priority","data":[]},"statements":[{}]}],"metadata":{}}`: "missing field `condition`",
	} {
		_, err := Parse(json.RawMessage(text), routingForm)
		require.ErrorContains(t, err, message, text)
	}
	deep := strings.Repeat(`{"condition":[],"nested":[`, maxNesting+2) + strings.Repeat(`]}`, maxNesting+2)
	_, err := Parse(json.RawMessage(`{"defaultSelection":{"type":"priority","data":[]},"metadata":{},"rules":[{"name":"a","connectorSelection":{"type":"priority","data":[]},
		"statements":[`+deep+`]}]}`), routingForm)
	require.ErrorContains(t, err, "nested more than")
}

func TestAlgorithms(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"single","data":"stripe"}`:                                                           `{"type":"single","data":"stripe"}`,
		`{"type":"single","data":{"connector":"stripe"}}`:                                             `{"type":"single","data":{"connector":"stripe","merchant_connector_id":null}}`,
		`{"type":"priority","data":["stripe",{"connector":"adyen","merchant_connector_id":"mca_1"}]}`: `{"type":"priority","data":["stripe",{"connector":"adyen","merchant_connector_id":"mca_1"}]}`,
		`{"type":"volume_split","data":[{"connector":"stripe","split":70,"x":1}]}`:                    `{"type":"volume_split","data":[{"connector":"stripe","split":70}]}`,
		`{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":[]},"x":1,"metadata":{"y":2},"rules":[{"name":"a","routingOutput":{"type":"priority","data":["stripe"]},"statements":[{"condition":[]}]}]}}`: `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":[]},"metadata":{"y":2},"rules":[{"name":"a","connectorSelection":{"type":"priority","data":["stripe"]},"statements":[{"condition":[],"nested":null}]}]}}`,
		`{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"no_three_ds"},"metadata":{},"rules":[]}}`:                                                                                                   `{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"no_three_ds"},"metadata":{},"rules":[]}}`,
	} {
		a, err := ParseAlgorithm(json.RawMessage(text), known)
		require.NoError(t, err, text)
		got, err := json.Marshal(a)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
		again, err := ParseAlgorithm(got, known)
		require.NoError(t, err)
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(got), string(twice))
	}
	for text, message := range map[string]string{
		`{"type":"priority","data":[]}`:     "Failed to parse struct: Connectors list can't be empty for Priority Algorithm",
		`{"type":"volume_split","data":[]}`: "Failed to parse struct: Connectors list can't be empty for Volume split Algorithm",
		`{"type":"single","data":"nope"}`:   "data did not match any variant of untagged enum RoutableChoiceSerde",
		`{"type":"single","data":5}`:        "data did not match any variant of untagged enum RoutableChoiceSerde",
		`{"type":"dynamic","data":{}}`:      "unknown variant `dynamic`",
		`{"data":{}}`:                       "missing field `type`",
		`{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"maybe"},"metadata":{},"rules":[]}}`: "unknown variant `maybe`",
	} {
		_, err := ParseAlgorithm(json.RawMessage(text), known)
		var bad *Error
		require.ErrorAs(t, err, &bad, text)
		require.True(t, bad.Malformed)
		require.Contains(t, err.Error(), message)
	}
}

func TestDecisionSelections(t *testing.T) {
	for purpose, list := range map[Purpose][]string{
		Manager: {`{"override_3ds":"three_ds"}`, `{"override_3ds":"no_three_ds"}`, `{"override_3ds":null}`},
		Surcharge: {`{"surcharge_details":null}`, `{"surcharge_details":{"surcharge":{"type":"fixed","value":{"amount":50}},"tax_on_surcharge":null}}`,
			`{"surcharge_details":{"surcharge":{"type":"rate","value":{"percentage":2.5}},"tax_on_surcharge":{"percentage":19}}}`},
	} {
		for _, s := range list {
			p, err := Parse(json.RawMessage(`{"defaultSelection":`+s+`,"metadata":{},"rules":[]}`), Form{Purpose: purpose})
			require.NoError(t, err, s)
			got, err := json.Marshal(p.Default)
			require.NoError(t, err)
			require.JSONEq(t, s, string(got))
		}
	}
	for purpose, s := range map[Purpose]string{Manager: `{"override_3ds":"maybe"}`,
		Surcharge: `{"surcharge_details":{"surcharge":{"type":"rate","value":{"percentage":101}}}}`} {
		_, err := Parse(json.RawMessage(`{"defaultSelection":`+s+`,"metadata":{},"rules":[]}`), Form{Purpose: purpose})
		require.Error(t, err)
	}
}

func TestWarnings(t *testing.T) {
	usd := compare("currency", "equal", "enum_variant", `"USD"`)
	for name, c := range map[string]struct {
		rules []string // conditions of each rule
		want  []Warning
	}{
		"no fault":         {[]string{usd, compare("currency", "equal", "enum_variant", `"EUR"`)}, nil},
		"two currencies":   {[]string{usd + "," + compare("currency", "equal", "enum_variant", `"EUR"`)}, []Warning{{"r0", "currency", "contradicts itself"}}},
		"amounts":          {[]string{compare("amount", "greater_than", "number", "10") + "," + compare("amount", "less_than", "number", "11")}, []Warning{{"r0", "amount", "contradicts itself"}}},
		"below zero":       {[]string{compare("amount", "less_than", "number", "0")}, []Warning{{"r0", "amount", "contradicts itself"}}},
		"a range":          {[]string{compare("amount", "greater_than", "number", "10") + "," + compare("amount", "less_than", "number", "12")}, nil},
		"members":          {[]string{compare("metadata", "equal", "metadata_variant", `{"key":"a","value":"1"}`) + "," + compare("metadata", "equal", "metadata_variant", `{"key":"b","value":"2"}`)}, nil},
		"one member twice": {[]string{compare("metadata", "equal", "metadata_variant", `{"key":"a","value":"1"}`) + "," + compare("metadata", "equal", "metadata_variant", `{"key":"a","value":"2"}`)}, []Warning{{"r0", "metadata", "contradicts itself"}}},
		"absent remains":   {[]string{compare("card_type", "not_equal", "enum_variant_array", `["credit","debit"]`)}, nil},
		"after all":        {[]string{"", usd}, []Warning{{"r1", "", `is unreachable: rule "r0" comes first`}}},
		"after wider":      {[]string{compare("amount", "greater_than", "number", "10"), usd + "," + compare("amount", "equal", "number", "11")}, []Warning{{"r1", "", `is unreachable: rule "r0"`}}},
		"after narrower":   {[]string{usd + "," + compare("amount", "equal", "number", "11"), usd}, nil},
		"not the absent":   {[]string{compare("card_type", "equal", "enum_variant_array", `["credit","debit"]`), compare("card_type", "not_equal", "enum_variant", `"credit"`)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var rules []string
			for i, r := range c.rules {
				rules = append(rules, fmt.Sprintf(`{"name":"r%d","connectorSelection":{"type":"priority","data":[]},"statements":[{"condition":[%s]}]}`, i, r))
			}
			s, err := Parse(json.RawMessage(`{"defaultSelection":{"type":"priority","data":[]},"metadata":{},"rules":[`+strings.Join(rules, ",")+`]}`), routingForm)
			require.NoError(t, err)
			got := Warnings(s)
			require.Len(t, got, len(c.want), "%v", got)
			for i, w := range c.want {
				require.Equal(t, w.Rule, got[i].Rule)
				require.Equal(t, w.Key, got[i].Key)
				require.Contains(t, got[i].Message, w.Message)
			}
		})
	}
}

// TestDrawIsFair counts the draws of many payments and compares them with the weights by the chi-square test.
func TestDrawIsFair(t *testing.T) {
	weights := []int{50, 30, 15, 0, 5}
	const n = 100_000
	var counts [5]int
	for i := range n {
		counts[Draw(weights, fmt.Sprintf("pay_%020d", i), "routing_1")]++
	}
	chi := 0.0
	for i, w := range weights {
		if w == 0 {
			require.Zero(t, counts[i])
			continue
		}
		e := float64(n*w) / 100
		chi += (float64(counts[i]) - e) * (float64(counts[i]) - e) / e
	}
	require.Less(t, chi, 16.27, "3 degrees of freedom, probability 0.001: %v", counts)
	require.Equal(t, -1, Draw([]int{0, 0}, "pay_1", ""))
	for i := range 100 {
		id := fmt.Sprint("pay_", i)
		require.Equal(t, Draw(weights, id, "a"), Draw(weights, id, "a"))
	}
	same := 0
	for i := range 1000 { // another configuration draws independently: 50 % for two halves
		id := fmt.Sprint("pay_", i)
		if Draw([]int{1, 1}, id, "a") == Draw([]int{1, 1}, id, "b") {
			same++
		}
	}
	require.InDelta(t, 500, same, 80)
}

// largeProgram has n rules that no input of the benchmark matches.
func largeProgram(n int) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"defaultSelection":{"type":"priority","data":["stripe"]},"metadata":{},"rules":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"r%d","connectorSelection":{"type":"priority","data":["adyen"]},"statements":[{"condition":[%s,%s,%s]}]}`, i,
			compare("currency", "equal", "enum_variant_array", `["USD","EUR"]`), compare("amount", "greater_than", "number", fmt.Sprint(1_000_000+i)),
			compare("card_network", "equal", "enum_variant", `"Visa"`))
	}
	b.WriteString("]}")
	return json.RawMessage(b.String())
}

func benchInput() *Input {
	in := &Input{}
	in.SetEnum(Currency, "USD")
	in.SetEnum(CardNetwork, "Visa")
	in.SetAmount(6540)
	return in
}

func TestMatchAllocatesNothing(t *testing.T) {
	s, err := Parse(largeProgram(100), routingForm)
	require.NoError(t, err)
	p, in := Compile(s), benchInput()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if p.Match(in) != -1 {
			t.Error("a rule matched")
		}
	}))
}

func BenchmarkMatch100Rules(b *testing.B) {
	s, err := Parse(largeProgram(100), routingForm)
	require.NoError(b, err)
	p, in := Compile(s), benchInput()
	b.ReportAllocs()
	for b.Loop() {
		p.Match(in)
	}
}

func BenchmarkLoad10000Rules(b *testing.B) {
	raw := largeProgram(10_000)
	for b.Loop() {
		s, err := Parse(raw, routingForm)
		if err != nil {
			b.Fatal(err)
		}
		Compile(s)
	}
}

func BenchmarkCheck10000Rules(b *testing.B) {
	s, err := Parse(largeProgram(10_000), routingForm)
	require.NoError(b, err)
	for b.Loop() {
		Warnings(s)
	}
}

var random = func(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
