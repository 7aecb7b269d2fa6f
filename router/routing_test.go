package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// routedWorld is a world with the ids of its two accounts.
type routedWorld struct {
	*world
	stripe, adyen string
}

func newRouted(t *testing.T) *routedWorld {
	w := &routedWorld{world: newWorld(t)}
	list := w.get("/routing/default").list()
	w.stripe, w.adyen = list[0]["merchant_connector_id"].(string), list[1]["merchant_connector_id"].(string)
	return w
}

func (w *routedWorld) configuration(algorithm string, more ...string) string {
	body := fmt.Sprintf(`{"name":"n","description":"d","profile_id":%q,"algorithm":%s`, w.profile, algorithm)
	for i := 0; i < len(more); i += 2 {
		body += fmt.Sprintf(",%q:%s", more[i], more[i+1])
	}
	return body + "}"
}

// activated creates and activates a configuration, and returns its id.
func (w *routedWorld) activated(algorithm string) string {
	id := w.post("/routing", w.configuration(algorithm)).ok()["id"].(string)
	w.post("/routing/"+id+"/activate", "{}").ok()
	return id
}

func oneRule(conditions string) string {
	return `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":["stripe"]},"metadata":{},"rules":[{"name":"r1","connectorSelection":
		{"type":"priority","data":["adyen"]},"statements":[{"condition":[` + conditions + `],"nested":null}]}]}}`
}

func condition(lhs, comparison, kind, value string) string {
	return fmt.Sprintf(`{"lhs":%q,"comparison":%q,"value":{"type":%q,"value":%s},"metadata":{}}`, lhs, comparison, kind, value)
}

func TestRoutingConfigurationsRefused(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	other, _, _ := w.merchant("m2")
	profiles, err := w.engine.Profiles(t.Context(), other)
	require.NoError(t, err)
	single := `{"type":"single","data":"stripe"}`
	for name, c := range map[string]struct {
		body          string
		status        int
		code, message string
	}{
		"name":               {w.configuration(single, "name", `"`+strings.Repeat("x", 65)+`"`), 400, "IR_06", "duplicate"},
		"long name":          {fmt.Sprintf(`{"name":%q,"algorithm":%s}`, strings.Repeat("x", 65), single), 400, "IR_06", "Json deserialize error: Length of name field must not exceed 64 characters"},
		"no priority":        {w.configuration(`{"type":"priority","data":[]}`), 400, "IR_06", "Json deserialize error: Failed to parse struct: Connectors list can't be empty for Priority Algorithm"},
		"no split":           {w.configuration(`{"type":"volume_split","data":[]}`), 400, "IR_06", "Connectors list can't be empty for Volume split Algorithm"},
		"unknown connector":  {w.configuration(`{"type":"single","data":"strype"}`), 400, "IR_06", "data did not match any variant of untagged enum RoutableChoiceSerde"},
		"large split":        {w.configuration(`{"type":"volume_split","data":[{"connector":"stripe","split":256}]}`), 400, "IR_06", "from 0 to 255"},
		"no name":            {`{"description":"d"}`, 400, "IR_04", "Missing required param: name"},
		"no description":     {`{"name":"n"}`, 400, "IR_04", "Missing required param: description"},
		"no algorithm":       {`{"name":"n","description":"d"}`, 400, "IR_04", "Missing required param: algorithm"},
		"no profile":         {`{"name":"n","description":"d","algorithm":` + single + `}`, 400, "IR_04", "Missing required param: profile_id"},
		"unknown profile":    {`{"name":"n","description":"d","profile_id":"pro_x","algorithm":` + single + `}`, 404, "HE_02", "Business profile with the given id pro_x does not exist"},
		"of another":         {`{"name":"n","description":"d","profile_id":"` + profiles[0].ID + `","algorithm":` + single + `}`, 404, "HE_02", "does not exist"},
		"unknown account":    {w.configuration(`{"type":"single","data":{"connector":"stripe","merchant_connector_id":"mca_x"}}`), 422, "IR_06", `connector with name 'stripe' and merchant connector account id 'MerchantConnectorAccountId("mca_x")' not found for the given profile`},
		"account of another": {w.configuration(`{"type":"single","data":{"connector":"stripe","merchant_connector_id":"` + w.adyen + `"}}`), 422, "IR_06", "not found for the given profile"},
		"unknown key":        {w.configuration(oneRule(condition("colour", "equal", "str_value", `"red"`))), 422, "IR_06", `rule "r1", lhs colour`},
		"wrong value":        {w.configuration(oneRule(condition("currency", "equal", "enum_variant", `"usd"`))), 422, "IR_06", `"usd" is no value of currency; expected USD`},
		"no statements":      {w.configuration(`{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":[]},"metadata":{},"rules":[{"name":"r1","connectorSelection":{"type":"priority","data":[]}}]}}`), 400, "IR_06", "missing field `statements`"},
		"transaction type":   {w.configuration(single, "transaction_type", `"refund"`), 400, "IR_06", "unknown variant"},
	} {
		t.Run(name, func(t *testing.T) { w.post("/routing", c.body).refused(c.status, c.code, c.message) })
	}
	w.send("POST", "/routing", w.secret, w.configuration(single), "X-Profile-Id", "pro_other").refused(400, "IR_16", "Profile id authentication failed. Please use the correct JWT token")
	w.send("POST", "/routing", w.publishable, w.configuration(single)).refused(401, "IR_01", "")
	for range 100 {
		w.post("/routing", w.configuration(single)).ok()
	}
	w.post("/routing", w.configuration(single)).refused(400, "IR_16", "at most 100 routing configurations")
}

func TestRoutingConfigurations(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	single := w.post("/routing", w.configuration(`{"type":"single","data":"adyen"}`, "unknown", "1")).ok()
	id := single["id"].(string)
	require.Regexp(t, "^routing_[0-9A-Za-z]{20}$", id)
	require.Equal(t, []any{"single", "payment", w.profile, nil}, []any{single["kind"], single["algorithm_for"], single["profile_id"], single["decision_engine_routing_id"]})
	detail := w.get("/routing/" + id).ok()
	require.Equal(t, map[string]any{"type": "single", "data": "adyen"}, detail["algorithm"])
	require.NotContains(t, detail, "kind")
	w.get("/routing/routing_none").refused(404, "HE_02", "Resource ID does not exist in our records")
	_, secret, _ := w.merchant("m2")
	w.send("GET", "/routing/"+id, secret, "").refused(404, "HE_02", "Resource ID")
	w.send("POST", "/routing/"+id+"/activate", secret, "{}").refused(404, "HE_02", "Resource ID")

	require.Empty(t, w.get("/routing/active").list())
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", "-")).ok()["connector"])
	w.post("/routing/"+id+"/activate", `{"transaction_type":"payout"}`).refused(400, "IR_16", "Cannot use payment's routing algorithm for payout operation")
	w.post("/routing/"+id+"/activate", `{}`).ok()
	w.post("/routing/"+id+"/activate", `{}`).refused(400, "IR_16", "Algorithm is already active")
	require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "the next confirm uses it")
	require.Equal(t, id, w.get("/routing/active").list()[0]["id"])
	require.Empty(t, w.get("/routing/active?transaction_type=payout").list())
	w.get("/routing/active?profile_id=pro_x").refused(404, "HE_02", "pro_x")

	split := w.activated(`{"type":"volume_split","data":[{"connector":"stripe","split":0},{"connector":"adyen","split":1}]}`)
	require.Equal(t, split, w.get("/routing/active").list()[0]["id"], "it replaces the one before")
	require.Equal(t, split, w.get("/routing").list()[0]["id"])
	require.Len(t, w.get("/routing?limit=1").list(), 1)
	require.Len(t, w.get("/routing?limit=10&offset=1").list(), 1)
	require.Empty(t, w.get("/routing?transaction_type=payout").list())
	require.Len(t, w.send("GET", "/routing/list/profile", w.secret, "", "X-Profile-Id", w.profile).list(), 2)
	w.get("/routing?limit=65536").refused(400, "IR_06", "limit")

	w.post("/routing/deactivate", `{}`).refused(400, "IR_04", "profile_id")
	w.post("/routing/deactivate", `{"profile_id":"pro_x"}`).refused(404, "HE_02", "pro_x")
	require.Equal(t, split, w.post("/routing/deactivate", `{"profile_id":"`+w.profile+`","name":1}`).ok()["id"])
	w.post("/routing/deactivate", `{"profile_id":"`+w.profile+`"}`).refused(400, "IR_16", "Algorithm is already inactive")
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", "-")).ok()["connector"])

	warned := w.post("/routing", w.configuration(oneRule(condition("amount", "less_than", "number", "5")+","+condition("amount", "greater_than", "number", "5")))).ok()
	require.Equal(t, []any{map[string]any{"rule": "r1", "key": "amount", "message": "contradicts itself: no payment can meet all of its conditions about amount"}}, warned["warnings"])
}

// TestRoutingRulesInPayments routes payments by every key that a card payment has.
func TestRoutingRulesInPayments(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	sent := with(plain, "routing", "-", "metadata", `{"udf1":"value1","n":5}`, "business_country", `"FR"`, "business_label", `"shop"`,
		"billing", `{"address":{"country":"DE"}}`, "payment_method_type", `"debit"`, "customer_id", `"cus_1"`, "setup_future_usage", `"on_session"`, "capture_method", `"manual"`)
	for key, c := range map[string]struct{ matches, not string }{
		"payment_method":        {condition("payment_method", "equal", "enum_variant", `"card"`), condition("payment_method", "equal", "enum_variant", `"wallet"`)},
		"card_type":             {condition("card_type", "equal", "enum_variant", `"credit"`), condition("card_type", "equal", "enum_variant", `"debit"`)},
		"card_network":          {condition("card_network", "equal", "enum_variant_array", `["Visa","JCB"]`), condition("card_network", "equal", "enum_variant", `"Mastercard"`)},
		"card_bin":              {condition("card_bin", "equal", "str_value", `"424242"`), condition("card_bin", "equal", "str_value", `"424243"`)},
		"extended_card_bin":     {condition("extended_card_bin", "equal", "str_value", `"42424242"`), condition("extended_card_bin", "equal", "str_value", `"42424243"`)},
		"amount":                {condition("amount", "greater_than_equal", "number", "1000"), condition("amount", "not_equal", "number", "1000")},
		"currency":              {condition("currency", "equal", "enum_variant", `"EUR"`), condition("currency", "not_equal", "enum_variant", `"EUR"`)},
		"authentication_type":   {condition("authentication_type", "not_equal", "enum_variant", `"no_three_ds"`), condition("authentication_type", "equal", "enum_variant", `"no_three_ds"`)},
		"capture_method":        {condition("capture_method", "equal", "enum_variant", `"manual"`), condition("capture_method", "equal", "enum_variant", `"automatic"`)},
		"setup_future_usage":    {condition("setup_future_usage", "equal", "enum_variant", `"on_session"`), condition("setup_future_usage", "equal", "enum_variant", `"off_session"`)},
		"payment_type":          {condition("payment_type", "equal", "enum_variant", `"non_mandate"`), condition("payment_type", "equal", "enum_variant", `"setup_mandate"`)},
		"transaction_initiator": {condition("transaction_initiator", "equal", "enum_variant", `"customer"`), condition("transaction_initiator", "equal", "enum_variant", `"merchant"`)},
		"billing_country":       {condition("billing_country", "equal", "enum_variant", `"Germany"`), condition("billing_country", "equal", "enum_variant", `"France"`)},
		"issuer_country":        {condition("issuer_country", "equal", "enum_variant", `"UnitedKingdomOfGreatBritainAndNorthernIreland"`), condition("issuer_country", "equal", "enum_variant", `"Poland"`)},
		"country":               {condition("country", "equal", "enum_variant", `"France"`), condition("country", "equal", "enum_variant", `"Germany"`)},
		"business_label":        {condition("business_label", "equal", "str_value", `"shop"`), condition("business_label", "equal", "str_value", `"Shop"`)},
		"metadata":              {condition("metadata", "equal", "metadata_variant", `{"key":"udf1","value":"value1"}`), condition("metadata", "equal", "metadata_variant", `{"key":"n","value":"5"}`)},
		"mandate_type":          {condition("mandate_type", "not_equal", "enum_variant", `"single_use"`), condition("mandate_type", "equal", "enum_variant", `"single_use"`)},
	} {
		t.Run(key, func(t *testing.T) {
			id := w.activated(oneRule(c.matches))
			paid := w.post("/payments", sent).ok()
			require.Equal(t, []any{"adyen", w.adyen}, []any{paid["connector"], paid["merchant_connector_id"]})
			shown := w.get("/payments/" + paid["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any)[0].(map[string]any)
			require.Equal(t, []any{"config", id, "r1", w.adyen}, []any{shown["stage"], shown["routing_id"], shown["rule"], shown["merchant_connector_id"]})
			w.activated(oneRule(c.not))
			paid = w.post("/payments", sent).ok()
			require.Equal(t, "stripe", paid["connector"])
			shown = w.get("/payments/" + paid["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any)[0].(map[string]any)
			require.Equal(t, []any{"config", nil}, []any{shown["stage"], shown["rule"]}, "the default selection")
		})
	}
	w.get("/payments/x?expand=colour").refused(400, "IR_06", "unknown variant `colour`")
}

func TestRoutingFieldAndFilter(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	w.activated(`{"type":"single","data":"adyen"}`)
	pay := func(changes ...string) map[string]any {
		return w.post("/payments", with(with(plain, "routing", "-"), changes...)).ok()
	}
	require.Equal(t, "stripe", pay("routing", `{"type":"single","data":"stripe"}`)["connector"], "the payment's field comes before the configuration")
	require.Equal(t, "stripe", pay("routing", `{"algorithm":{"type":"priority","data":["stripe"]}}`)["connector"])
	require.Equal(t, "stripe", pay("connector", `["stripe"]`)["connector"], "connector filters what the configuration chose")
	require.Equal(t, "adyen", pay("connector", `["stripe","adyen"]`)["connector"], "its order does not matter")
	p := pay("connector", `["stripe"]`)
	shown := w.get("/payments/" + p["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any)[0].(map[string]any)
	require.Equal(t, []any{map[string]any{"merchant_connector_id": w.adyen, "reason": "fil", "message": "the payment's field connector does not name it"}}, shown["left_out"])
	require.Equal(t, []any{"default", float64(1)}, []any{shown["stage"], shown["candidate"]})
}

func TestRoutingEligibility(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	account := "/account/" + merchant + "/connectors/" + w.stripe
	set := func(methods string) {
		w.post(account, `{"connector_type":"payment_processor","payment_methods_enabled":`+methods+`}`).ok()
	}
	entry := func(more string) string {
		return `[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit"` + more + `}]}]`
	}
	for name, c := range map[string]struct{ methods, connector string }{
		"fits":              {entry(""), "stripe"},
		"other type":        {`[{"payment_method":"card","payment_method_types":[{"payment_method_type":"debit"}]}]`, "adyen"},
		"no types":          {`[{"payment_method":"card"}]`, "adyen"},
		"other method":      {`[{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"google_pay"}]}]`, "adyen"},
		"network":           {entry(`,"card_networks":["Mastercard"]`), "adyen"},
		"no networks":       {entry(`,"card_networks":[]`), "stripe"},
		"currency":          {entry(`,"accepted_currencies":{"type":"enable_only","list":["USD"]}`), "adyen"},
		"currency refused":  {entry(`,"accepted_currencies":{"type":"disable_only","list":["EUR"]}`), "adyen"},
		"currency accepted": {entry(`,"accepted_currencies":{"type":"enable_only","list":["EUR"]}`), "stripe"},
		"too small":         {entry(`,"minimum_amount":1001`), "adyen"},
		"too large":         {entry(`,"maximum_amount":999`), "adyen"},
		"within":            {entry(`,"minimum_amount":1000,"maximum_amount":1000`), "stripe"},
	} {
		t.Run(name, func(t *testing.T) {
			set(c.methods)
			require.Equal(t, c.connector, w.post("/payments", with(plain, "routing", "-")).ok()["connector"])
		})
	}
	set(entry(`,"maximum_amount":1`))
	w.post("/payments", with(plain, "routing", "-", "connector", `["stripe"]`)).refused(400, "IR_39", "No eligible connector was found for the current payment method configuration")
}

func TestRoutingEvaluate(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	const path = "/routing/rule/evaluate"
	body := func(parameters, fallback string) string {
		return fmt.Sprintf(`{"created_by":%q,"payment_id":"pay_1","parameters":%s,"fallback_output":%s}`, w.profile, parameters, fallback)
	}
	w.post(path, body(`{}`, `[]`)).refused(404, "HE_02", "Resource ID does not exist in our records")
	w.activated(oneRule(condition("amount", "greater_than", "number", "100")))
	hit := w.post(path, body(`{"amount":{"type":"number","value":101},"payment_method_type":{"type":"enum_variant","value":"credit"},"currency":null}`, `[]`)).ok()
	require.Equal(t, []any{"success", "r1"}, []any{hit["status"], hit["rule"]})
	require.Equal(t, map[string]any{"type": "priority", "connectors": []any{map[string]any{"gateway_name": "adyen", "gateway_id": nil}}}, hit["output"])
	require.Equal(t, []any{map[string]any{"connector": "adyen", "merchant_connector_id": nil}}, hit["evaluated_output"])
	miss := w.post(path, body(`{"amount":{"type":"number","value":100}}`, `[]`)).ok()
	require.Equal(t, "default_selection", miss["status"])
	require.Equal(t, "stripe", miss["evaluated_output"].([]any)[0].(map[string]any)["connector"])
	fallback := w.post(path, body(`{}`, `[{"gateway_name":"adyen","gateway_id":"mca_9"}]`)).ok()
	require.Equal(t, "mca_9", fallback["evaluated_output"].([]any)[0].(map[string]any)["merchant_connector_id"])
	w.post(path, body(`{"colour":{"type":"str_value","value":"red"}}`, `[]`)).refused(400, "IR_06", "unknown key")
	w.post(path, body(`{"currency":{"type":"enum_variant","value":"usd"}}`, `[]`)).refused(400, "IR_06", "expected USD")
	w.post(path, `{"created_by":"pro_x","parameters":{},"fallback_output":[]}`).refused(404, "HE_02", "pro_x")
	w.activated(`{"type":"volume_split","data":[{"connector":"stripe","split":0},{"connector":"adyen","split":9}]}`)
	split := w.post(path, body(`{}`, `[]`)).ok()
	require.Equal(t, "volume_split", split["output"].(map[string]any)["type"])
	require.Equal(t, "adyen", split["evaluated_output"].([]any)[0].(map[string]any)["connector"], "the drawn entry first")
	w.activated(`{"type":"single","data":"stripe"}`)
	require.Equal(t, "straight_through", w.post(path, body(`{}`, `[]`)).ok()["output"].(map[string]any)["type"])
}

func TestRoutingReplay(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	for _, currency := range []string{`"EUR"`, `"EUR"`, `"USD"`} {
		w.post("/payments", with(plain, "routing", "-", "currency", currency)).ok()
	}
	w.post("/payments", with(plain, "routing", `{"type":"single","data":"stripe"}`)).ok()
	w.post("/payments", with(plain, "routing", "-", "confirm", "false")).ok()
	r := w.post("/routing/replay", `{"algorithm":`+oneRule(condition("currency", "equal", "enum_variant", `"EUR"`))+`}`).ok()
	require.Equal(t, []any{4.0, 2.0, 2.0, 0.0}, []any{r["payments"], r["same"], r["changed"], r["unroutable"]})
	require.Equal(t, []any{map[string]any{"from": w.stripe, "to": w.adyen, "rule": "r1", "currency": "EUR", "payments": 2.0, "amount": 2000.0}}, r["moves"])
	require.Len(t, r["by_rule"], 2)
	one := w.post("/routing/replay", `{"payments":1,"algorithm":{"type":"single","data":"adyen"}}`).ok()
	require.Equal(t, 0.0, one["payments"], "the latest payment is not confirmed")
	w.post("/routing/replay", `{}`).refused(400, "IR_04", "algorithm")
	w.post("/routing/replay", `{"routing_id":"routing_x"}`).refused(404, "HE_02", "Resource ID")
	w.post("/routing/replay", `{"algorithm":`+oneRule(condition("x", "equal", "str_value", `"y"`))+`}`).refused(422, "IR_06", "lhs x")
}

func TestDecisionManager(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	const path = "/routing/decision"
	program := `{"defaultSelection":{"override_3ds":null},"metadata":{},"rules":[{"name":"large","connectorSelection":{"override_3ds":"three_ds"},"statements":[{"condition":[` +
		condition("amount", "greater_than", "number", "500") + `]}]}]}`
	w.get(path).refused(404, "HE_02", "Resource ID does not exist in our records")
	w.send("DELETE", path, w.secret, "").refused(404, "HE_02", "Resource ID")
	w.put(path, `{}`).refused(400, "IR_04", "Missing required param: algorithm")
	w.put(path, `{"name":"n"}`).refused(400, "IR_04", "Missing required param: algorithm")
	w.put(path, `{"name":"n","program":null}`).refused(400, "IR_04", "Missing required param:")
	w.put(path, `{"program":`+program+`}`).refused(400, "IR_04", "Missing required param: name")
	w.put(path, `{"name":"n","colour":1}`).refused(400, "IR_06", "unknown field `colour`")
	w.put(path, `{"name":"n","algorithm":`+strings.Replace(program, "amount", "card_bin", 1)+`}`).refused(422, "IR_06", "Invalid Request Data")
	first := w.put(path, `{"name":"n","program":`+program+`}`).ok()
	require.Equal(t, "n", first["name"])
	require.Equal(t, "n", w.put(path, `{"name":"other","algorithm":`+program+`}`).ok()["name"], "the first name stays")
	require.Equal(t, "large", w.get(path).ok()["program"].(map[string]any)["rules"].([]any)[0].(map[string]any)["name"])
	pay := func(changes ...string) map[string]any {
		return w.post("/payments", with(with(plain, "routing", "-"), changes...)).ok()
	}
	require.Equal(t, []any{"three_ds", "requires_customer_action"}, []any{pay()["authentication_type"], pay()["status"]})
	require.Equal(t, "no_three_ds", pay("amount", "500")["authentication_type"])
	require.Equal(t, "no_three_ds", pay("authentication_type", `"no_three_ds"`)["authentication_type"], "the request's own value stays")
	created := pay("confirm", "false")
	confirmed := w.send("POST", "/payments/"+created["payment_id"].(string)+"/confirm", w.publishable,
		`{"client_secret":"`+created["client_secret"].(string)+`","authentication_type":"no_three_ds"}`).ok()
	require.Equal(t, "three_ds", confirmed["authentication_type"], "the payer's device cannot lower it")
	require.Equal(t, 200, w.send("DELETE", path, w.secret, "").status)
	require.Equal(t, "no_three_ds", pay()["authentication_type"])
}

func TestSurchargeDecision(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	const path = "/routing/decision/surcharge"
	program := `{"defaultSelection":{"surcharge_details":null},"metadata":{},"rules":[{"name":"visa","connectorSelection":{"surcharge_details":{"surcharge":{"type":"rate","value":{"percentage":2.5}},
		"tax_on_surcharge":{"percentage":19}}},"statements":[{"condition":[` + condition("card_network", "equal", "enum_variant", `"Visa"`) + `]}]}]}`
	w.put(path, `{"name":"n","algorithm":`+program+`}`).refused(400, "IR_04", "merchant_surcharge_configs")
	w.put(path, `{"merchant_surcharge_configs":{},"algorithm":`+program+`}`).refused(400, "IR_04", "name")
	w.put(path, `{"name":"n","merchant_surcharge_configs":{}}`).refused(400, "IR_04", "algorithm")
	w.put(path, `{"name":"n","merchant_surcharge_configs":{},"algorithm":`+strings.Replace(program, "card_network", "card_bin", 1)+`}`).refused(422, "IR_06", "Invalid Request Data")
	w.put(path, `{"name":"n","merchant_surcharge_configs":{"show_surcharge_breakup_screen":true},"algorithm":`+program+`}`).ok()
	changed := w.put(path, `{"name":"m","merchant_surcharge_configs":{}}`).ok()
	require.Equal(t, "m", changed["name"], "the name can change, and the program stays")
	require.Equal(t, 2.5, w.get(path).ok()["algorithm"].(map[string]any)["rules"].([]any)[0].(map[string]any)["connectorSelection"].(map[string]any)["surcharge_details"].(map[string]any)["surcharge"].(map[string]any)["value"].(map[string]any)["percentage"])
	require.Equal(t, 200, w.send("DELETE", path, w.secret, "").status)
	w.get(path).refused(404, "HE_02", "Resource ID")
}

func TestThreeDSDecision(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	rule := `{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"no_three_ds"},"metadata":{},"rules":[{"name":"large","connectorSelection":{"decision":"three_ds_exemption_requested_tra"},
		"statements":[{"condition":[` + condition("amount", "greater_than", "number", "500") + `,` + condition("acquirer_fraud_rate", "less_than", "number", "0.13") + `]},
		{"condition":[` + condition("amount", "greater_than", "number", "9000") + `]}]}]}}`
	id := w.post("/routing", w.configuration(rule, "transaction_type", `"three_ds_authentication"`)).ok()["id"].(string)
	decide := func(more string) string {
		return w.post("/three_ds_decision/execute", `{"routing_id":"`+id+`","payment":{"amount":1000,"currency":"EUR"}`+more+`}`).ok()["decision"].(string)
	}
	require.Equal(t, "no_three_ds", decide(""))
	require.Equal(t, "three_ds_exemption_requested_tra", decide(`,"acquirer":{"country":"Germany","fraud_rate":0.12},"issuer":{"country":"France"}`))
	require.Equal(t, "challenge_requested", decide(`,"acquirer":{"country":"Germany","fraud_rate":0.13},"issuer":{"country":"France"}`), "within PSD2")
	require.Equal(t, "challenge_requested", decide(`,"acquirer":{"fraud_rate":0.12}`), "outside PSD2 no exemption exists")
	w.post("/three_ds_decision/execute", `{"routing_id":"routing_x","payment":{"amount":1,"currency":"EUR"}}`).refused(404, "HE_02", "Resource ID")
	w.post("/three_ds_decision/execute", `{"routing_id":"`+id+`","payment":{"amount":1,"currency":"EUR"},"colour":1}`).refused(400, "IR_06", "unknown field")
	w.post("/three_ds_decision/execute", `{"routing_id":"`+id+`","payment":{"amount":1,"currency":"EUR"},"issuer":{"country":"DE"}}`).refused(400, "IR_06", "unknown variant `DE`")
	other := w.post("/routing", w.configuration(`{"type":"single","data":"stripe"}`)).ok()["id"].(string)
	w.post("/three_ds_decision/execute", `{"routing_id":"`+other+`","payment":{"amount":1,"currency":"EUR"}}`).refused(400, "IR_16", "is of kind single")

	w.post("/routing/"+id+"/activate", `{}`).refused(400, "IR_16", "Cannot use three_ds_authentication's routing algorithm for payment operation")
	w.post("/routing/"+id+"/activate", `{"transaction_type":"three_ds_authentication"}`).ok()
	pay := func(changes ...string) map[string]any {
		return w.post("/payments", with(with(plain, "routing", "-"), changes...)).ok()
	}
	require.Equal(t, "no_three_ds", pay()["authentication_type"])
	large := pay("amount", "9500")
	require.Equal(t, "three_ds", large["authentication_type"], "outside PSD2 the claim becomes a challenge")
}

func TestErrorTable(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	call := func(path, body string) response { return w.send("POST", path, adminKey, body) }
	key := `"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"card_declined","message":"%s"`
	soft, stolen := fmt.Sprintf(key, "message - Your card was declined., decline_code - do_not_honor"), fmt.Sprintf(key, "message - Your card was declined., decline_code - stolen_card")
	built := call("/gsm/get", "{"+soft+"}").ok()
	require.Equal(t, []any{"retry", true, "soft_decline", "do_not_honor"}, []any{built["decision"], built["step_up_possible"], built["error_category"], built["standardised_code"]})
	require.Equal(t, []any{"do_default", false}, []any{call("/gsm/get", "{"+stolen+"}").ok()["decision"], call("/gsm/get", "{"+stolen+"}").ok()["step_up_possible"]})
	require.Equal(t, "retry", call("/gsm/get", "{"+fmt.Sprintf(key, "Your card was declined.")+"}").ok()["decision"])
	call("/gsm/get", `{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"x","message":"y"}`).refused(404, "IR_37", "GSM with given key does not exist in our records")
	call("/gsm/get", `{"connector":"stripe"}`).refused(400, "IR_06", "missing field `flow`")
	call("/gsm/get", strings.Replace("{"+soft+"}", "stripe", "strype", 1)).refused(400, "IR_06", "unknown variant `strype`")
	w.post("/gsm/get", "{"+soft+"}").refused(401, "IR_01", "")

	values := `,"status":"failure","decision":"do_default","step_up_possible":false,"clear_pan_possible":false,"unified_code":"UE_1","unified_message":"ours","error_category":"hard_decline"`
	made := call("/gsm", "{"+soft+values+`,"feature":"retry","feature_data":{"retry":{"step_up_possible":true,"clear_pan_possible":false,"alternate_network_possible":true,"decision":"retry"}}}`).ok()
	require.Equal(t, []any{"retry", true}, []any{made["decision"], made["step_up_possible"]}, "feature_data wins")
	call("/gsm", "{"+soft+values+"}").refused(400, "IR_38", "GSM with given key already exists in our records")
	call("/gsm", "{"+stolen+"}").refused(400, "IR_06", "missing field `status`")
	call("/gsm", "{"+stolen+values+`,"standardised_code":"x"}`).refused(400, "IR_06", "unknown variant")
	changed := call("/gsm/update", "{"+soft+`,"decision":"do_default","user_guidance_message":"call us"}`).ok()
	require.Equal(t, []any{"do_default", "call us", "UE_1"}, []any{changed["decision"], changed["user_guidance_message"], changed["unified_code"]})
	require.Equal(t, "do_default", changed["feature_data"].(map[string]any)["retry"].(map[string]any)["decision"])
	gone := call("/gsm/delete", "{"+soft+"}").ok()
	require.Equal(t, true, gone["gsm_rule_delete"])
	call("/gsm/delete", "{"+soft+"}").refused(404, "IR_37", "")
	require.Equal(t, "retry", call("/gsm/get", "{"+soft+"}").ok()["decision"], "the built-in rule takes effect again")
}

func TestConfigKeys(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	call := func(method, path, body string) response { return w.send(method, path, adminKey, body) }
	pair := map[string]any{"key": "should_call_gsm_m1", "value": "true"}
	require.Equal(t, pair, call("POST", "/configs", `{"key":"should_call_gsm_m1","value":"true"}`).ok())
	call("POST", "/configs", `{"key":"should_call_gsm_m1","value":"false"}`).refused(400, "HE_01", "The config with the specified key already exists in our records")
	call("POST", "/configs", `{"key":"k","value":5}`).refused(400, "IR_06", "")
	call("POST", "/configs", `{"key":"a b","value":"x"}`).refused(400, "IR_06", "invalid character")
	require.Equal(t, pair, call("GET", "/configs/should_call_gsm_m1", "").ok())
	require.Equal(t, "false", call("POST", "/configs/should_call_gsm_m1", `{"value":"false"}`).ok()["value"])
	require.Equal(t, "false", call("GET", "/configs/should_call_gsm_m1", "").ok()["value"])
	require.Equal(t, "false", call("DELETE", "/configs/should_call_gsm_m1", "").ok()["value"])
	for _, method := range []string{"GET", "DELETE"} {
		call(method, "/configs/should_call_gsm_m1", "").refused(404, "HE_02", "Config key does not exist in our records.")
	}
	call("POST", "/configs/none", `{"value":"x"}`).refused(404, "HE_02", "Config key does not exist in our records.")
	w.get("/configs/none").refused(401, "IR_01", "")
	require.Equal(t, "x", call("POST", "/configs/", `{"key":"slash","value":"x"}`).ok()["value"], "the v1 API has the slash")
}

func (w *routedWorld) put(path, body string) response { return w.send("PUT", path, w.secret, body) }

// Every attempt counts once for its account, in its slice.
func TestAccountHealth(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	for _, number := range []string{"4242424242424242", "4000000000000002"} {
		w.post("/payments", strings.ReplaceAll(with(plain, "routing", "-", "currency", `"USD"`), "4242424242424242", number)).ok()
	}
	list := w.get("/routing/health").list()
	require.Len(t, list, 2)
	h := list[0]
	require.Equal(t, []any{w.stripe, "in", nil, nil, 2.0, 1.0, 1.0, 0.0, 50.0}, []any{h["merchant_connector_id"], h["standing"], h["out_since"], h["next_trial"], h["attempts"],
		h["approved"], h["declined"], h["timed_out"], h["success_rate"]})
	require.Len(t, h["slices"], 2, "their issuers are in two countries")
	slice := h["slices"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"Visa", "USD", 1.0}, []any{slice["card_network"], slice["currency"], slice["attempts"]})
	require.Len(t, h["declines"], 1)
	require.Equal(t, []any{w.adyen, 0.0, nil}, []any{list[1]["merchant_connector_id"], list[1]["attempts"], list[1]["success_rate"]})
	require.Len(t, w.get("/routing/health?profile_id="+w.profile).list(), 2)
	w.get("/routing/health?profile_id=pro_x").refused(404, "HE_02", "Business profile with the given id pro_x does not exist")
	_, other, _ := w.merchant("m2")
	for _, h := range w.send("GET", "/routing/health", other, "").list() {
		require.NotContains(t, []any{w.stripe, w.adyen}, h["merchant_connector_id"])
	}
}

// Routing by success is off until the profile switches it on, and ranks what the other stages have chosen.
func TestRoutingBySuccess(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	path := "/account/" + merchant + "/business_profile/" + w.profile + "/dynamic_routing"
	create := path + "/success_based/create?enable="
	pay := func() (string, any) {
		v := w.post("/payments", with(plain, "routing", "-")).ok()
		shown := w.get("/payments/" + v["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any)[0].(map[string]any)
		return v["connector"].(string), shown["stage"]
	}
	connector, stage := pay()
	require.Equal(t, []any{"stripe", "default"}, []any{connector, stage})
	w.post(create+"none", "").refused(400, "IR_16", "Success rate based routing is already disabled")
	w.post(create+"sometimes", "").refused(400, "IR_06", "unknown variant `sometimes`")
	record := w.post(create+"metrics", "").ok()
	require.Equal(t, []any{"dynamic", "Success rate based dynamic routing algorithm", ""}, []any{record["kind"], record["name"], record["description"]})
	_, stage = pay()
	require.Equal(t, "default", stage, "metrics routes nothing")

	body := func(config string) string { return `{"config":{"exploration_percent":0},"costs":` + config + `}` }
	dear := w.post(create+"dynamic_connector_selection", body(`{"margin_percent":10,"fees":[{"merchant_connector_id":"`+w.stripe+`","percent":5}]}`)).ok()
	_, stage = pay()
	require.Equal(t, "default", stage, "a configuration with a body is not active yet")
	w.post("/routing/"+dear["id"].(string)+"/activate", `{}`).ok()
	w.post("/routing/"+dear["id"].(string)+"/activate", `{}`).refused(400, "IR_16", "Algorithm is already active")
	connector, stage = pay()
	require.Equal(t, []any{"adyen", "success"}, []any{connector, stage})
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", `{"type":"single","data":"stripe"}`)).ok()["connector"], "the payment's own wish comes first")

	require.Equal(t, 100.0, w.get(path + "/get_volume_split").ok()["split"])
	require.Equal(t, map[string]any{"routing_type": "dynamic", "split": 0.0}, w.post(path+"/set_volume_split?split=0", "").ok())
	connector, stage = pay()
	require.Equal(t, []any{"stripe", "default"}, []any{connector, stage})
	w.post(path+"/set_volume_split?split=101", "").refused(422, "IR_06", "Dynamic routing volume split should be less than 100")
	w.post(path+"/set_volume_split", "").refused(400, "IR_06", "split")
	w.post(path+"/set_volume_split?split=100", "").ok()

	_, other, _ := w.merchant("m2")
	w.send("POST", create+"none", other, "").refused(401, "IR_01", "")
	off := w.post(create+"none", "").ok()
	require.Equal(t, dear["id"], off["id"])
	connector, stage = pay()
	require.Equal(t, []any{"stripe", "default"}, []any{connector, stage})
	w.post("/routing/replay", `{"routing_id":"`+dear["id"].(string)+`"}`).refused(400, "IR_16", "has no rules to replay")
}
