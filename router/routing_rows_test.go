package router_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRuleSemantics: what a rule means, by the rows of the contract. A payment of 1,000 EUR cents with a Visa card and without mandate goes to adyen if the rule
// matches.
func TestRuleSemantics(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	const yes, no = `{"lhs":"currency","comparison":"equal","value":{"type":"enum_variant","value":"EUR"},"metadata":{}}`,
		`{"lhs":"currency","comparison":"equal","value":{"type":"enum_variant","value":"USD"},"metadata":{}}`
	program := func(rules string) string {
		return `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":["stripe"]},"metadata":{},"rules":[` + rules + `]}}`
	}
	rule := func(statements string) string {
		return `{"name":"r","connectorSelection":{"type":"priority","data":["adyen"]},"statements":[` + statements + `]}`
	}
	to := func(connector, statements string) string {
		return `{"name":"to ` + connector + `","routingOutput":{"type":"priority","data":["` + connector + `"]},"statements":[` + statements + `]}`
	}
	statement := func(condition, nested string) string {
		return `{"condition":[` + condition + `],"nested":` + nested + `}`
	}
	amount := func(comparison, kind, value string) string {
		return program(rule(statement(condition("amount", comparison, kind, value), "null")))
	}
	for name, c := range map[string]struct{ algorithm, connector string }{
		"no statement never matches":        {program(rule("")), "stripe"},
		"any statement":                     {program(rule(statement(no, "null") + "," + statement(yes, "null"))), "adyen"},
		"all conditions":                    {program(rule(statement(yes+","+no, "null"))), "stripe"},
		"no condition":                      {program(rule(statement("", "null"))), "adyen"},
		"nested: none is false":             {program(rule(statement(yes, "[]"))), "stripe"},
		"nested: any":                       {program(rule(statement(yes, "["+statement(no, "null")+","+statement(yes, "null")+"]"))), "adyen"},
		"nested: false":                     {program(rule(statement(yes, "["+statement(no, "null")+"]"))), "stripe"},
		"nested twice":                      {program(rule(statement(yes, "["+statement(yes, "["+statement(yes, "null")+"]")+"]"))), "adyen"},
		"nested under a false condition":    {program(rule(statement(no, "["+statement(yes, "null")+"]"))), "stripe"},
		"the first rule that matches":       {program(to("stripe", statement(yes, "null")) + "," + to("adyen", statement(yes, "null"))), "stripe"},
		"the second rule":                   {program(to("stripe", statement(no, "null")) + "," + to("adyen", statement(yes, "null"))), "adyen"},
		"no selection is the default list":  {program(`{"name":"r","connectorSelection":{"type":"priority","data":[]},"statements":[` + statement(yes, "null") + `]}`), "stripe"},
		"absent: equal":                     {program(rule(statement(condition("business_label", "equal", "str_value", `"x"`), "null"))), "stripe"},
		"absent: not_equal":                 {program(rule(statement(condition("business_label", "not_equal", "str_value", `"x"`), "null"))), "adyen"},
		"list: any of":                      {program(rule(statement(condition("currency", "equal", "enum_variant_array", `["USD","EUR"]`), "null"))), "adyen"},
		"list: none of":                     {program(rule(statement(condition("currency", "not_equal", "enum_variant_array", `["USD","EUR"]`), "null"))), "stripe"},
		"numbers: any of":                   {amount("equal", "number_array", `[1,1000]`), "adyen"},
		"numbers: none of":                  {amount("not_equal", "number_array", `[1,1000]`), "stripe"},
		"comparisons: any holds":            {amount("equal", "number_comparison_array", `[{"comparisonType":"less_than","number":5},{"comparisonType":"greater_than","number":999}]`), "adyen"},
		"comparisons: none holds":           {amount("equal", "number_comparison_array", `[{"comparisonType":"less_than","number":5},{"comparisonType":"greater_than","number":1000}]`), "stripe"},
		"comparisons: not_equal":            {amount("not_equal", "number_comparison_array", `[{"comparisonType":"less_than","number":5},{"comparisonType":"greater_than","number":1000}]`), "adyen"},
		"amount not_equal, the same":        {amount("not_equal", "number", "1000"), "stripe"},
		"amount not_equal, another":         {amount("not_equal", "number", "1001"), "adyen"},
		"less_than, the same":               {amount("less_than", "number", "1000"), "stripe"},
		"less_than_equal, the same":         {amount("less_than_equal", "number", "1000"), "adyen"},
		"greater_than, the same":            {amount("greater_than", "number", "1000"), "stripe"},
		"greater_than_equal, the same":      {amount("greater_than_equal", "number", "1000"), "adyen"},
		"a split with no weight is default": {`{"type":"volume_split","data":[{"connector":"adyen","split":0}]}`, "stripe"},
	} {
		w.activated(c.algorithm)
		require.Equal(t, c.connector, w.post("/payments", with(plain, "routing", "-")).ok()["connector"], name)
	}

	for name, c := range map[string]string{
		"a key of other programs":       condition("issuer_name", "equal", "str_value", `"x"`),
		"a method's type":               condition("payment_method_type", "equal", "enum_variant", `"credit"`),
		"a key that no payment has":     condition("gift_card", "equal", "enum_variant", `"givex"`),
		"case of a value":               condition("card_network", "equal", "enum_variant", `"visa"`),
		"two letters of a country":      condition("billing_country", "equal", "enum_variant", `"DE"`),
		"a type that does not fit":      condition("currency", "equal", "number", `5`),
		"an ordering of names":          condition("currency", "less_than", "enum_variant", `"EUR"`),
		"an ordering of lists":          condition("amount", "less_than", "number_array", `[5]`),
		"an ordering of texts":          condition("business_label", "greater_than", "str_value", `"a"`),
		"an ordering of metadata":       condition("metadata", "greater_than", "metadata_variant", `{"key":"a","value":"b"}`),
		"five digits":                   condition("card_bin", "equal", "str_value", `"42424"`),
		"letters in a BIN":              condition("card_bin", "equal", "str_value", `"42424x"`),
		"seven digits":                  condition("extended_card_bin", "equal", "str_value", `"4242424"`),
		"one bad condition among three": yes + "," + condition("colour", "equal", "str_value", `"x"`) + "," + yes,
	} {
		t.Log(name)
		w.post("/routing", w.configuration(program(rule(statement(c, "null"))))).refused(422, "IR_06", `rule "r", lhs `)
	}
}

// TestRoutingFieldRows: routing and connector of a payment, by the rows of the contract.
func TestRoutingFieldRows(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	for name, bad := range map[string]string{"advanced": `{"type":"advanced","data":{}}`, "a number": `5`, "unknown name": `{"type":"single","data":"strype"}`,
		"unknown type": `{"type":"first","data":"stripe"}`, "no data": `{"type":"priority"}`} {
		t.Log(name)
		w.post("/payments", with(plain, "routing", bad)).refused(422, "IR_06", "Invalid straight through routing rules format")
	}
	w.post("/payments", with(plain, "connector", `["strype"]`)).refused(400, "IR_06", "strype")
	confirm := func(p map[string]any, more string) any {
		return w.post("/payments/"+p["payment_id"].(string)+"/confirm", `{`+more+`}`).ok()["connector"]
	}
	stored := func() map[string]any {
		p := w.post("/payments", with(plain, "confirm", "false", "routing", `{"type":"single","data":"adyen"}`)).ok()
		require.NotContains(t, p, "routing", "it is not echoed")
		return p
	}
	require.Equal(t, "adyen", confirm(stored(), ""), "it is kept for the confirm")
	require.Equal(t, "stripe", confirm(stored(), `"routing":{"type":"single","data":"stripe"}`), "that of the confirm wins")
	p := stored()
	w.post("/payments/"+p["payment_id"].(string), `{"routing":{"type":"single","data":"stripe"}}`).ok()
	const card = `"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_cvc":"123"}}`
	require.Equal(t, "stripe", confirm(p, card), "an update replaces it")

	// A configuration that chooses nothing that fits falls back to the default list; the account of another profile never serves.
	w.post("/account/"+merchant+"/connectors/"+w.adyen, `{"connector_type":"payment_processor","disabled":true}`).ok()
	w.activated(`{"type":"single","data":"adyen"}`)
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "a disabled account")
	w.post("/account/m1/business_profile/"+w.profile, `{"is_strict_routing_enabled":true}`).ok()
	w.post("/payments", with(plain, "routing", "-")).refused(400, "IR_39", "No eligible connector was found for the current payment method configuration")
}

// TestResultSource: the config key of the v1 API for another routing engine changes nothing, whatever its value.
func TestResultSource(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	w.activated(`{"type":"single","data":"adyen"}`)
	key := "routing_result_source_" + w.profile
	pays := func(why string) {
		require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], why)
	}
	w.send("POST", "/configs/", adminKey, fmt.Sprintf(`{"key":%q,"value":"decision_engine"}`, key)).ok()
	pays("decision_engine")
	for _, value := range []string{"hyperswitch_routing", "nonsense", ""} {
		w.send("POST", "/configs/"+key, adminKey, fmt.Sprintf(`{"value":%q}`, value)).ok()
		pays(value)
	}
	w.send("DELETE", "/configs/"+key, adminKey, "").ok()
	pays("without the key")
}

// TestSchemeRetryRows: a card that was declined as often as its scheme allows is not sent again, and the answers say when it may be.
func TestSchemeRetryRows(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	profile := "/account/m1/business_profile/" + w.profile
	require.Nil(t, w.get(profile).ok()["scheme_retry_limits"])
	w.post(profile, `{"scheme_retry_limits":"none"}`).refused(400, "IR_06", "")
	require.Equal(t, "enforce", w.post(profile, `{"scheme_retry_limits":"enforce","is_manual_retry_enabled":true}`).ok()["scheme_retry_limits"])
	card := `"payment_method":"card","payment_method_data":{"card":{"card_number":"4000000000000002","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}`
	id := w.post("/payments", `{"amount":1000,"currency":"USD","confirm":true,`+card+`}`).ok()["payment_id"].(string)
	for range 15 {
		w.post("/payments/"+id+"/confirm", `{`+card+`}`).ok()
	}
	list := w.get("/payments/" + id + "?expand=routing").ok()["routing"].([]any)
	require.Len(t, list, 16)
	first, last := list[0].(map[string]any)["scheme_retries"].(map[string]any), list[15].(map[string]any)["scheme_retries"].(map[string]any)
	require.Equal(t, map[string]any{"declined": 1.0, "most": 16.0, "seconds": 2592000.0, "warning": false, "refused": nil, "retry_after": nil}, first)
	require.Equal(t, []any{16.0, true, "limit"}, []any{last["declined"], last["warning"], last["refused"]})
	e := w.post("/payments/"+id+"/confirm", `{`+card+`}`).refused(400, "IR_16", "Visa allows no further retry: the card was declined 16 times within 30 days")
	require.Equal(t, "payment_method_data.card.card_number", e["param"])
	again, err := time.Parse(time.RFC3339, last["retry_after"].(string))
	require.NoError(t, err)
	require.Contains(t, e["hint"], "Repeat the charge from "+again.Truncate(time.Second).Add(time.Second).Format(time.RFC3339))
	w.post(profile, `{"scheme_retry_limits":"warn"}`).ok()
	require.Equal(t, 17.0, w.post("/payments/"+id+"/confirm", `{`+card+`}`).ok()["attempt_count"])
}
