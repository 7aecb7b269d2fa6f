package rule

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// facts are the facts of one payment by the name of the key, as the naive interpreter reads them.
type facts struct {
	texts    map[string]string
	amount   *int64
	metadata map[string]string
}

func (f *facts) input() *Input {
	in := &Input{}
	for name, v := range f.texts {
		switch k := KeyNamed(name, Routing); {
		case k < enumKeys:
			in.SetEnum(k, v)
		default:
			in.SetText(k, v)
		}
	}
	if f.amount != nil {
		in.SetAmount(*f.amount)
	}
	raw, _ := json.Marshal(f.metadata)
	in.SetMetadata(raw)
	return in
}

// naive evaluates a program straight from its JSON, by the words of the documentation. It shares no code with the package.
type naive struct{ f *facts }

type (
	naiveProgram struct {
		Rules []struct {
			Statements []naiveStatement `json:"statements"`
		} `json:"rules"`
	}
	naiveStatement struct {
		Condition []naiveComparison `json:"condition"`
		Nested    *[]naiveStatement `json:"nested"`
	}
	naiveComparison struct {
		LHS        string `json:"lhs"`
		Comparison string `json:"comparison"`
		Value      struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"value"`
	}
)

func (n naive) match(p *naiveProgram) int {
	for i, r := range p.Rules {
		if slices.ContainsFunc(r.Statements, n.statement) {
			return i
		}
	}
	return -1
}

func (n naive) statement(s naiveStatement) bool {
	for _, c := range s.Condition {
		if !n.comparison(c) {
			return false
		}
	}
	return s.Nested == nil || slices.ContainsFunc(*s.Nested, n.statement)
}

func (n naive) comparison(c naiveComparison) bool {
	if c.Comparison == "not_equal" {
		return !n.equal(c)
	}
	if c.Comparison == "equal" {
		return n.equal(c)
	}
	var v int64
	if json.Unmarshal(c.Value.Value, &v) != nil || n.f.amount == nil {
		return false
	}
	return naiveOrder(c.Comparison, *n.f.amount, v)
}

func naiveOrder(how string, a, b int64) bool {
	switch how {
	case "equal":
		return a == b
	case "not_equal":
		return a != b
	case "less_than":
		return a < b
	case "less_than_equal":
		return a <= b
	case "greater_than":
		return a > b
	}
	return a >= b
}

func (n naive) equal(c naiveComparison) bool {
	switch c.Value.Type {
	case "metadata_variant":
		var m struct{ Key, Value string }
		_ = json.Unmarshal(c.Value.Value, &m)
		v, ok := n.f.metadata[m.Key]
		return ok && v == m.Value
	case "number":
		var v int64
		_ = json.Unmarshal(c.Value.Value, &v)
		return n.f.amount != nil && *n.f.amount == v
	case "number_array":
		var v []int64
		_ = json.Unmarshal(c.Value.Value, &v)
		return n.f.amount != nil && slices.Contains(v, *n.f.amount)
	case "number_comparison_array":
		var list []struct {
			ComparisonType string
			Number         int64
		}
		_ = json.Unmarshal(c.Value.Value, &list)
		for _, o := range list {
			if n.f.amount != nil && naiveOrder(o.ComparisonType, *n.f.amount, o.Number) {
				return true
			}
		}
		return false
	}
	name := c.LHS
	if name == "country" {
		name = "business_country"
	}
	have, ok := n.f.texts[name]
	if c.Value.Type == "enum_variant_array" {
		var list []string
		_ = json.Unmarshal(c.Value.Value, &list)
		return ok && slices.Contains(list, have)
	}
	var v string
	_ = json.Unmarshal(c.Value.Value, &v)
	return ok && have == v
}

// generator makes programs and payments from few values, so that they often meet.
type generator struct{ r *rand.Rand }

func (g generator) pick(list []string) string { return list[g.r.IntN(len(list))] }

func (g generator) values(k Key) []string {
	v := k.facts().values
	return v[:min(3, len(v))]
}

func (g generator) number() string { return fmt.Sprint(g.r.IntN(6)) }

func (g generator) comparison() string {
	name := g.pick(append(KeyNames(Routing), "country"))
	k := KeyNamed(name, Routing)
	equal := g.pick([]string{"equal", "not_equal"})
	switch k.facts().kind {
	case textKind:
		return compare(name, equal, "str_value", fmt.Sprintf("%q", g.text(k)))
	case metadataKind:
		return compare(name, equal, "metadata_variant", fmt.Sprintf(`{"key":%q,"value":%q}`, g.pick([]string{"a", "b"}), g.pick([]string{"1", "2"})))
	case enumKind:
		if g.r.IntN(2) == 0 {
			return compare(name, equal, "enum_variant", fmt.Sprintf("%q", g.pick(g.values(k))))
		}
		var list []string
		for range g.r.IntN(3) {
			list = append(list, fmt.Sprintf("%q", g.pick(g.values(k))))
		}
		return compare(name, equal, "enum_variant_array", "["+strings.Join(list, ",")+"]")
	}
	all := []string{"equal", "not_equal", "less_than", "less_than_equal", "greater_than", "greater_than_equal"}
	var list []string
	switch g.r.IntN(3) {
	case 0:
		return compare(name, g.pick(all), "number", g.number())
	case 1:
		for range g.r.IntN(3) {
			list = append(list, g.number())
		}
		return compare(name, equal, "number_array", "["+strings.Join(list, ",")+"]")
	}
	for range g.r.IntN(3) {
		list = append(list, fmt.Sprintf(`{"comparisonType":%q,"number":%s}`, g.pick(all), g.number()))
	}
	return compare(name, equal, "number_comparison_array", "["+strings.Join(list, ",")+"]")
}

func (g generator) text(k Key) string {
	return g.pick([]string{"12345678", "87654321"})[:max(k.facts().digits, 2)]
}

func (g generator) statements(depth int) string {
	var list []string
	for range g.r.IntN(3) {
		var conditions []string
		for range g.r.IntN(4) {
			conditions = append(conditions, g.comparison())
		}
		nested := "null"
		if depth < 3 && g.r.IntN(3) == 0 {
			nested = g.statements(depth + 1)
		}
		list = append(list, fmt.Sprintf(`{"condition":[%s],"nested":%s}`, strings.Join(conditions, ","), nested))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (g generator) program() json.RawMessage {
	var rules []string
	for i := range 1 + g.r.IntN(6) {
		rules = append(rules, fmt.Sprintf(`{"name":"r%d","connectorSelection":{"type":"priority","data":[]},"statements":%s}`, i, g.statements(0)))
	}
	return json.RawMessage(`{"defaultSelection":{"type":"priority","data":[]},"metadata":{},"rules":[` + strings.Join(rules, ",") + `]}`)
}

func (g generator) facts() *facts {
	f := &facts{texts: map[string]string{}, metadata: map[string]string{}}
	for _, name := range KeyNames(Routing) {
		k := KeyNamed(name, Routing)
		if g.r.IntN(3) == 0 {
			continue
		}
		switch k.facts().kind {
		case enumKind:
			f.texts[name] = g.pick(g.values(k))
		case textKind:
			f.texts[name] = g.text(k)
		case numberKind:
			n := int64(g.r.IntN(6))
			f.amount = &n
		default:
			f.metadata[g.pick([]string{"a", "b"})] = g.pick([]string{"1", "2"})
		}
	}
	return f
}

// TestMatchesNaiveInterpreter compares the compiled program with the naive interpreter, on generated programs and payments. A rule with a
// warning that it never matches must never match.
func TestMatchesNaiveInterpreter(t *testing.T) {
	matched, silent := 0, 0
	for seed := range uint64(1500) {
		g := generator{random(seed)}
		raw := g.program()
		s, err := Parse(raw, routingForm)
		require.NoError(t, err, "%s", raw)
		p := Compile(s)
		again, err := json.Marshal(s)
		require.NoError(t, err)
		reparsed, err := Parse(again, routingForm)
		require.NoError(t, err)
		var plain naiveProgram
		require.NoError(t, json.Unmarshal(raw, &plain))
		dead := map[string]bool{}
		for _, w := range Warnings(s) {
			if !strings.Contains(w.Message, "has a statement") {
				dead[w.Rule] = true
			}
		}
		silent += len(dead)
		for range 25 {
			f := g.facts()
			in := f.input()
			want := naive{f}.match(&plain)
			require.Equal(t, want, p.Match(in), "seed %d: %s with %+v", seed, raw, f)
			require.Equal(t, want, Compile(reparsed).Match(in))
			if want >= 0 {
				matched++
				require.False(t, dead[s.Rules[want].Name], "seed %d: rule %d has a warning and matched: %s", seed, want, raw)
			}
		}
	}
	require.Greater(t, matched, 2000)
	require.Greater(t, silent, 100)
}

// TestEveryKeyOfEveryPurpose evaluates each key with a value that fits and with one that does not.
func TestEveryKeyOfEveryPurpose(t *testing.T) {
	for _, purpose := range []Purpose{Routing, Manager, Surcharge, ThreeDSecure} {
		selection := map[Purpose]string{Routing: `{"type":"priority","data":[]}`, Manager: `{"override_3ds":null}`, Surcharge: `{"surcharge_details":null}`,
			ThreeDSecure: `{"decision":"no_three_ds"}`}[purpose]
		for _, name := range KeyNames(purpose) {
			k := KeyNamed(name, purpose)
			fits, other := &Input{}, &Input{}
			var c string
			switch k.facts().kind {
			case enumKind:
				v := k.facts().values
				require.True(t, fits.SetEnum(k, v[len(v)-1]))
				if len(v) > 1 {
					require.True(t, other.SetEnum(k, v[0]))
				}
				c = compare(name, "equal", "enum_variant", fmt.Sprintf("%q", v[len(v)-1]))
			case numberKind:
				fits.setNumber(k, 5*pow(k.facts().decimals))
				other.setNumber(k, 4*pow(k.facts().decimals))
				c = compare(name, "greater_than_equal", "number", "5")
			case textKind:
				text := strings.Repeat("4", max(k.facts().digits, 3))
				fits.SetText(k, text)
				other.SetText(k, "x")
				c = compare(name, "equal", "str_value", fmt.Sprintf("%q", text))
			case metadataKind:
				fits.AddMetadata("a", "1")
				other.AddMetadata("a", "2")
				c = compare(name, "equal", "metadata_variant", `{"key":"a","value":"1"}`)
			}
			s, err := Parse(json.RawMessage(`{"defaultSelection":`+selection+`,"metadata":{},"rules":[{"name":"r","routingOutput":`+selection+`,"statements":[{"condition":[`+
				c+`]}]}]}`), Form{Purpose: purpose})
			require.NoError(t, err, name)
			p := Compile(s)
			require.Equal(t, 0, p.Match(fits), name)
			require.Equal(t, -1, p.Match(other), name)
			require.Equal(t, -1, p.Match(&Input{}), name)
		}
	}
}

func pow(n int) int64 {
	out := int64(1)
	for range n {
		out *= 10
	}
	return out
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(program(compare("amount", "equal", "number", "5"))))
	f.Add([]byte(program(compare("metadata", "equal", "metadata_variant", `{"key":"a","value":"b"}`))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Parse(raw, routingForm)
		if err != nil {
			return
		}
		Warnings(s)
		Compile(s).Match(benchInput())
		again, err := json.Marshal(s)
		require.NoError(t, err)
		_, err = Parse(again, routingForm)
		require.NoError(t, err)
	})
}
