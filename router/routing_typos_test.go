package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoutingTypos: an error in a routing program names the path of the part at fault, and its hint has the name that the merchant probably meant.
func TestRoutingTypos(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	usd := condition("currency", "equal", "enum_variant", `"USD"`)
	const lhs, value = "algorithm.data.rules[0].statements[0].condition[0]", "algorithm.data.rules[0].statements[0].condition[0].value"
	for name, c := range map[string]struct {
		algorithm   string
		status      int
		param, hint string
	}{
		"type":               {`{"type":"prioritty","data":["stripe"]}`, 400, "algorithm.type", `Did you mean "priority"?`},
		"connector":          {`{"type":"single","data":"strpe"}`, 400, "algorithm.data", `Did you mean "stripe"?`},
		"connector of list":  {`{"type":"priority","data":["stripe",{"connector":"adyn","merchant_connector_id":null}]}`, 400, "algorithm.data[1].connector", `Did you mean "adyen"?`},
		"member of split":    {`{"type":"volume_split","data":[{"connector":"stripe","spilt":5}]}`, 400, "algorithm.data[0].split", `The field "spilt" is unknown here. Did you mean "split"?`},
		"algorithm's member": {`{"type":"single"}`, 400, "algorithm.data", "Add the field to the object."},
		"program's member":   {`{"type":"advanced","data":{"default_selection":{"type":"priority","data":[]},"rules":[],"metadata":{}}}`, 400, "algorithm.data.defaultSelection", `The field "default_selection" is unknown here. Did you mean "defaultSelection"?`},
		"selection's type":   {`{"type":"advanced","data":{"defaultSelection":{"type":"volumesplit","data":[]},"rules":[],"metadata":{}}}`, 400, "algorithm.data.defaultSelection.type", `Did you mean "volume_split"?`},
		"key":                {oneRule(condition("amout", "equal", "number", "1")), 422, lhs + ".lhs", `Did you mean "amount"?`},
		"comparison":         {oneRule(condition("amount", "greater", "number", "1")), 400, lhs + ".comparison", `Did you mean "greater_than" or "greater_than_equal"?`},
		"value type":         {oneRule(condition("currency", "equal", "enum_varient", `"USD"`)), 400, value + ".type", `Did you mean "enum_variant"?`},
		"value type's kind":  {oneRule(condition("currency", "equal", "number", `5`)), 422, value + ".type", `Send one of "enum_variant" or "enum_variant_array".`},
		"case of a value":    {oneRule(condition("currency", "equal", "enum_variant", `"usd"`)), 422, value + ".value", `Did you mean "USD"?`},
		"value":              {oneRule(condition("card_network", "equal", "enum_variant", `"Master Card"`)), 422, value + ".value", `Did you mean "Mastercard"?`},
		"value of a list":    {oneRule(condition("card_network", "equal", "enum_variant_array", `["Visa","Amex"]`)), 422, value + ".value[1]", "Send one of the values that the message lists."},
		"short country":      {oneRule(condition("billing_country", "equal", "enum_variant", `"US"`)), 422, value + ".value", `Send "UnitedStatesOfAmerica".`},
		"second condition":   {oneRule(usd + "," + condition("card_bin", "equal", "str_value", `"4242"`)), 422, "algorithm.data.rules[0].statements[0].condition[1].value.value", "Mend the program as the message says."},
		"ordering":           {oneRule(condition("amount", "equal", "number_comparison_array", `[{"comparisonType":"lessthan","number":5}]`)), 400, value + ".value[0].comparisonType", `Did you mean "less_than"?`},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.post("/routing", w.configuration(c.algorithm))
			r.t = t
			e := r.refused(c.status, "IR_06", "")
			require.Equal(t, c.param, e["param"], "%v", e)
			require.Equal(t, c.hint, e["hint"], "%v", e)
		})
	}

	const program = `{"defaultSelection":{"override_3ds":"no_threeds"},"metadata":{},"rules":[]}`
	e := w.put("/routing/decision", `{"name":"n","algorithm":`+program+`}`).refused(422, "IR_06", "Invalid Request Data")
	require.Equal(t, "algorithm.defaultSelection.override_3ds", e["param"])
	require.Equal(t, `Did you mean "no_three_ds"?`, e["hint"])
	require.Contains(t, e["reason"], "unknown variant `no_threeds`")
}
