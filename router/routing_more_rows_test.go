package router_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// withAccount adds a connector account to a profile, "" for the merchant's own, and returns its id.
func (w *routedWorld) withAccount(connector, label, profile string, more ...string) string {
	w.t.Helper()
	body := fmt.Sprintf(`{"connector_type":"payment_processor","connector_name":%q,"connector_label":%q,"connector_account_details":{"auth_type":"HeaderKey","api_key":"k"},"test_mode":true%s`,
		connector, label, strings.Join(more, ""))
	if profile != "" {
		body += fmt.Sprintf(`,"profile_id":%q`, profile)
	}
	return w.post("/account/"+merchant+"/connectors", body+"}").ok()["merchant_connector_id"].(string)
}

func choice(connector, account string) string {
	return fmt.Sprintf(`{"connector":%q,"merchant_connector_id":%q}`, connector, account)
}

// TestRoutingShapes: what a record and a detail have, and how an algorithm comes back.
func TestRoutingShapes(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	algorithm := `{"type":"advanced","data":{"defaultSelection":{"type":"volume_split","data":[{"connector":"stripe","split":70},{"connector":{"connector":"adyen"},"split":30}]},"metadata":{"a":[1]},
		"rules":[{"name":"r","routingOutput":{"type":"priority","data":["adyen",{"connector":"stripe","merchant_connector_id":"` + w.stripe + `"}]},"colour":1,"statements":[{"condition":[` +
		condition("amount", "equal", "number_comparison_array", `[{"comparisonType":"less_than","number":5}]`) + `],"nested":[{"condition":[]}]}]}]}}`
	before := time.Now().Add(-2 * time.Second).Unix()
	r := w.post("/routing", w.configuration(algorithm))
	record := r.ok()
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.ElementsMatch(t, []string{"id", "profile_id", "name", "kind", "description", "created_at", "modified_at", "algorithm_for", "decision_engine_routing_id"},
		slices.Collect(maps.Keys(record)))
	require.Equal(t, []any{"advanced", "payment", nil}, []any{record["kind"], record["algorithm_for"], record["decision_engine_routing_id"]})
	for _, field := range []string{"created_at", "modified_at"} {
		seconds := record[field].(float64)
		require.True(t, seconds >= float64(before) && seconds <= float64(before+600), "%s is in seconds: %v", field, seconds)
	}
	detail := w.get("/routing/" + record["id"].(string)).ok()
	require.ElementsMatch(t, []string{"id", "profile_id", "name", "description", "algorithm", "created_at", "modified_at", "algorithm_for"}, slices.Collect(maps.Keys(detail)))
	require.JSONEq(t, `{"type":"advanced","data":{"defaultSelection":{"type":"volume_split","data":[{"connector":"stripe","split":70},{"connector":{"connector":"adyen","merchant_connector_id":null},"split":30}]},
		"metadata":{"a":[1]},"rules":[{"name":"r","connectorSelection":{"type":"priority","data":["adyen",{"connector":"stripe","merchant_connector_id":"`+w.stripe+`"}]},"statements":[{"condition":[`+
		condition("amount", "equal", "number_comparison_array", `[{"comparisonType":"less_than","number":5}]`)+`],"nested":[{"condition":[],"nested":null}]}]}]}}`, text(t, detail["algorithm"]))
	require.Equal(t, 405, w.send("DELETE", "/routing/"+record["id"].(string), w.secret, "").status, "a record stays")
	require.Empty(t, w.get("/routing?limit=0").list())
	w.get("/routing?offset=256").refused(400, "IR_06", "offset")
	w.get("/routing?transaction_type=refund").refused(400, "IR_06", "unknown variant `refund`")
}

// TestRoutingChoices: which accounts a configuration may name, and in which order its mistakes are found.
func TestRoutingChoices(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	second := w.withAccount("stripe", "second", "")
	off := w.withAccount("adyen", "off", "", `,"disabled":true`)
	profile := w.post("/account/"+merchant+"/business_profile", `{"profile_name":"other"}`).ok()["profile_id"].(string)
	elsewhere := w.withAccount("stripe", "elsewhere", profile)
	single := func(data string) string { return `{"type":"single","data":` + data + `}` }

	w.post("/routing", w.configuration(single(choice("adyen", off)))).ok() // a disabled account may be named
	for name, c := range map[string]struct{ algorithm, profile, message string }{
		"an account of another profile": {single(choice("stripe", elsewhere)), w.profile, `connector with name 'stripe' and merchant connector account id 'MerchantConnectorAccountId("` + elsewhere + `")' not found for the given profile`},
		"no account of that name":       {single(`"adyen"`), profile, "connector with name 'adyen' not found for the given profile"},
		"null is no id":                 {single(`{"connector":"adyen","merchant_connector_id":null}`), profile, "connector with name 'adyen' not found for the given profile"},
		"in the default selection":      {strings.Replace(oneRule(condition("amount", "equal", "number", "1")), `["stripe"]`, `[`+choice("stripe", "mca_x")+`]`, 1), w.profile, "mca_x"},
		"in a rule":                     {strings.Replace(oneRule(condition("amount", "equal", "number", "1")), `["adyen"]`, `["stripe",`+choice("adyen", "mca_x")+`]`, 1), w.profile, "mca_x"},
		"in a split":                    {`{"type":"volume_split","data":[{"connector":` + choice("adyen", "mca_x") + `,"split":1}]}`, w.profile, "mca_x"},
	} {
		t.Log(name)
		w.post("/routing", strings.Replace(w.configuration(c.algorithm), w.profile, c.profile, 1)).refused(422, "IR_06", c.message)
	}
	// The remedy names the place and the accounts that would do: the ids of an export are those of another switch.
	for name, c := range map[string]struct{ algorithm, profile, hint string }{
		"by id":           {single(choice("stripe", "mca_old")), w.profile, `Send one of the profile's accounts of stripe: ` + w.stripe + `, ` + second + `. Or send "stripe" alone, for all of them.`},
		"in a rule":       {strings.Replace(oneRule(condition("amount", "equal", "number", "1")), `["adyen"]`, `[`+choice("stripe", "mca_old")+`]`, 1), w.profile, `In rule "r1", send one of the profile's accounts of stripe: ` + w.stripe},
		"in the default":  {strings.Replace(oneRule(condition("amount", "equal", "number", "1")), `["stripe"]`, `[`+choice("stripe", "mca_old")+`]`, 1), w.profile, `In defaultSelection, send one of the profile's accounts of stripe: ` + w.stripe},
		"no such account": {single(`"adyen"`), profile, `Add an account of adyen to the profile, or send a connector that it has: stripe.`},
	} {
		e := w.post("/routing", strings.Replace(w.configuration(c.algorithm), w.profile, c.profile, 1)).refused(422, "IR_06", "not found for the given profile")
		require.Equal(t, "algorithm", e["param"], name)
		require.Contains(t, e["hint"], c.hint, name)
	}
	for name, data := range map[string]string{"a number": `5`, "null": `null`, "no connector": `{"merchant_connector_id":"mca_1"}`, "a list": `["stripe"]`, "another key": `{"name":"stripe"}`,
		"case": `"Stripe"`, "unicode": `"ѕtripe"`, "space": `"stripe "`} {
		t.Log(name)
		w.post("/routing", w.configuration(single(data))).refused(400, "IR_06", "data did not match any variant of untagged enum RoutableChoiceSerde")
	}
	for _, split := range []string{"-1", "256", "1.5", `"5"`, "null", "1e400"} {
		w.post("/routing", w.configuration(`{"type":"volume_split","data":[{"connector":"stripe","split":`+split+`}]}`)).refused(400, "IR_06", "")
	}
	for name, c := range map[string]struct{ body, message string }{ // each has the mistake of a later row too
		"name before shape":      {`{"name":"` + strings.Repeat("ü", 33) + `","algorithm":{"type":"priority","data":[]}}`, "Length of name field must not exceed 64 characters"},
		"shape before missing":   {`{"algorithm":{"type":"priority","data":[]}}`, "Connectors list can't be empty for Priority Algorithm"},
		"missing before profile": {`{"name":"n","description":"d","profile_id":"pro_x"}`, "Missing required param: algorithm"},
		"profile before account": {`{"name":"n","description":"d","profile_id":"pro_x","algorithm":` + single(choice("stripe", "mca_x")) + `}`, "Business profile with the given id pro_x does not exist"},
	} {
		t.Log(name)
		require.Contains(t, w.post("/routing", c.body).body, text(t, c.message)[1:len(text(t, c.message))-1])
	}

	// A name without an id stands for the accounts of that name, oldest first.
	w.activated(`{"type":"priority","data":["stripe"]}`)
	paid := func() any {
		return w.post("/payments", with(plain, "routing", "-")).ok()["merchant_connector_id"]
	}
	require.Equal(t, w.stripe, paid())
	w.post("/account/"+merchant+"/connectors/"+w.stripe, `{"connector_type":"payment_processor","disabled":true}`).ok()
	require.Equal(t, second, paid())
	w.post("/account/"+merchant+"/connectors/"+second, `{"connector_type":"payment_processor","disabled":true}`).ok()
	require.Equal(t, w.adyen, paid(), "the default list comes after it, and never an account of another profile")
	p := w.post("/payments", with(plain, "routing", "-", "profile_id", `"`+profile+`"`)).ok()
	require.Equal(t, []any{"stripe", elsewhere}, []any{p["connector"], p["merchant_connector_id"]})
	id := p["payment_id"].(string)
	for _, query := range []string{"", "?force_sync=true"} {
		got := w.get("/payments/" + id + query).ok()
		require.Equal(t, []any{"stripe", elsewhere}, []any{got["connector"], got["merchant_connector_id"]})
	}
}

// TestActivationRows: the errors of activate and deactivate that the other tests leave out.
func TestActivationRows(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	const threeDS = `{"transaction_type":"three_ds_authentication"}`
	rule := w.post("/routing", w.configuration(`{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"no_three_ds"},"metadata":{},"rules":[]}}`,
		"transaction_type", `"three_ds_authentication"`)).ok()["id"].(string)
	single := w.activated(`{"type":"single","data":"stripe"}`)
	w.post("/routing/"+rule+"/activate", "").refused(400, "IR_06", "")
	w.post("/routing/"+rule+"/activate", "[]").refused(400, "IR_06", "")
	w.post("/routing/"+rule+"/activate", threeDS).ok()
	w.post("/routing/"+rule+"/activate", threeDS).refused(400, "IR_16", "Algorithm is already active")
	require.Equal(t, single, w.get("/routing/active").list()[0]["id"], "each transaction type has its own")
	require.Equal(t, rule, w.get("/routing/active?transaction_type=three_ds_authentication&profile_id=" + w.profile).list()[0]["id"])
	body := func(more string) string { return `{"profile_id":"` + w.profile + `"` + more + `}` }
	w.post("/routing/deactivate", body(`,"transaction_type":"payout"`)).refused(400, "IR_16", "Algorithm is already inactive")
	require.Equal(t, rule, w.post("/routing/deactivate", body(`,"transaction_type":"three_ds_authentication","name":"x","algorithm":5`)).ok()["id"])
	require.Equal(t, single, w.get("/routing/active").list()[0]["id"])
	_, other, _ := w.merchant("m2")
	w.send("POST", "/routing/deactivate", other, body("")).refused(404, "HE_02", "Business profile with the given id "+w.profile+" does not exist")
	w.send("POST", "/routing/deactivate", w.secret, body(""), "X-Profile-Id", "pro_x").refused(400, "IR_16", "Profile id authentication failed")
	require.Empty(t, w.send("GET", "/routing/active", other, "").list())
	require.Empty(t, w.send("GET", "/routing", other, "").list())
}

// TestActivationRace: of activations at the same time one is in force at the end, and payments meet one of them at each time.
func TestActivationRace(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	var list []string
	for _, connector := range []string{"stripe", "adyen"} {
		list = append(list, w.post("/routing", w.configuration(`{"type":"single","data":"`+connector+`"}`)).ok()["id"].(string))
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			r := w.post("/routing/"+list[i%2]+"/activate", "{}")
			if r.status != 200 {
				require.Contains(t, r.body, "Algorithm is already active")
			}
		})
	}
	wg.Wait()
	active := w.get("/routing/active").list()
	require.Len(t, active, 1)
	connector := map[string]any{list[0]: "stripe", list[1]: "adyen"}[active[0]["id"].(string)]
	require.Equal(t, connector, w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "the next payment uses what the list shows")
	require.Equal(t, connector, w.post("/payments", with(plain, "routing", "-")).ok()["connector"])
}

// TestProgramMembers: each member that a program needs, without it.
func TestProgramMembers(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	whole := oneRule(condition("amount", "equal", "number", "5"))
	w.post("/routing", w.configuration(whole)).ok()
	remove := func(path ...any) string {
		var v any
		require.NoError(t, json.Unmarshal([]byte(whole), &v))
		at := v
		for _, step := range path[:len(path)-1] {
			if key, ok := step.(string); ok {
				at = at.(map[string]any)[key]
			} else {
				at = at.([]any)[step.(int)]
			}
		}
		delete(at.(map[string]any), path[len(path)-1].(string))
		return text(t, v)
	}
	rule := []any{"data", "rules", 0}
	statement := append(slices.Clone(rule), "statements", 0)
	comparison := append(slices.Clone(statement), "condition", 0)
	for _, path := range [][]any{{"type"}, {"data"}, {"data", "defaultSelection"}, {"data", "rules"}, {"data", "metadata"}, {"data", "defaultSelection", "type"}, {"data", "defaultSelection", "data"},
		append(slices.Clone(rule), "name"), append(slices.Clone(rule), "connectorSelection"), append(slices.Clone(rule), "statements"), append(slices.Clone(statement), "condition"),
		append(slices.Clone(comparison), "lhs"), append(slices.Clone(comparison), "comparison"), append(slices.Clone(comparison), "value"), append(slices.Clone(comparison), "metadata"),
		append(slices.Clone(comparison), "value", "type"), append(slices.Clone(comparison), "value", "value")} {
		name := path[len(path)-1].(string)
		w.post("/routing", w.configuration(remove(path...))).refused(400, "IR_06", "missing field `"+name+"`")
	}
	for name, bad := range map[string]string{
		"metadata":       strings.Replace(whole, `"metadata":{}`, `"metadata":[]`, 1),
		"rules":          strings.Replace(whole, `"rules":[`, `"rules":5,"x":[`, 1),
		"nested":         strings.Replace(whole, `"nested":null`, `"nested":{}`, 1),
		"comparison":     strings.Replace(whole, `"equal"`, `"like"`, 1),
		"value type":     strings.Replace(whole, `"number"`, `"float"`, 1),
		"negative":       strings.Replace(whole, `"value":5`, `"value":-5`, 1),
		"fraction":       strings.Replace(whole, `"value":5`, `"value":5.5`, 1),
		"text":           strings.Replace(whole, `"value":5`, `"value":"5"`, 1),
		"exponent":       strings.Replace(whole, `"value":5`, `"value":5e3`, 1),
		"over 64 bits":   strings.Replace(whole, `"value":5`, `"value":18446744073709551616`, 1),
		"twice":          strings.Replace(whole, `"lhs":"amount"`, `"lhs":"colour","lhs":"amount"`, 1),
		"unknown type":   strings.Replace(whole, `"advanced"`, `"expert"`, 1),
		"unknown choice": strings.Replace(whole, `"type":"priority","data":["adyen"]`, `"type":"single","data":"adyen"`, 1),
	} {
		t.Log(name)
		w.post("/routing", w.configuration(bad)).refused(400, "IR_06", "")
	}
}

// TestHostilePrograms: programs that are huge, deep or strange are refused or stored, and the switch goes on.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	nested := func(depth int) string {
		return oneRule(condition("amount", "equal", "number", "1000") + `],"nested":` + strings.Repeat(`[{"condition":[],"nested":`, depth) + "null" + strings.Repeat(`}]`, depth) + `},{"condition":[` +
			condition("amount", "equal", "number", "1"))
	}
	w.activated(nested(16))
	require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"])
	w.post("/routing", w.configuration(nested(17))).refused(422, "IR_06", "nested more than 16 deep")
	require.Equal(t, 400, w.post("/routing", w.configuration(nested(20_000))).status)
	require.Equal(t, 400, w.post("/routing", w.configuration(strings.Repeat("[", 50_000)+strings.Repeat("]", 50_000))).status)

	rules := func(n int, name string) string {
		one := `{"name":"` + name + `","connectorSelection":{"type":"priority","data":["adyen"]},"statements":[{"condition":[]}]},`
		return `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":[]},"metadata":{},"rules":[` + strings.TrimSuffix(strings.Repeat(one, n), ",") + `]}}`
	}
	many := w.post("/routing", w.configuration(rules(2000, "r"))).ok()
	require.NotEmpty(t, many["warnings"], "no payment reaches the second rule")
	require.Equal(t, many["id"], w.get("/routing").list()[0]["id"])
	w.post("/routing", w.configuration(rules(20_001, "r"))).refused(422, "IR_06", "a program has at most 20000 rules, and this one has 20001")
	w.post("/routing", strings.Repeat(" ", 8<<20)+"{}").refused(413, "IR_06", "larger than 8388608 bytes")
	w.put("/routing/decision", `{"name":"`+strings.Repeat("x", 40<<10)+`"}`).refused(400, "IR_04", "algorithm")

	// Names and texts come back as they were sent, and change nothing around them.
	const strange = `<script>\"';--\u202e\ud83d\ude00 ünïcode \\ %s ${x}`
	id := w.post("/routing", strings.Replace(w.configuration(rules(1, strange)), `"description":"d"`, `"description":"`+strange+`"`, 1)).ok()["id"].(string)
	detail := w.get("/routing/" + id).ok()
	var want string
	require.NoError(t, json.Unmarshal([]byte(`"`+strange+`"`), &want))
	require.Equal(t, want, detail["description"])
	require.Equal(t, want, detail["algorithm"].(map[string]any)["data"].(map[string]any)["rules"].([]any)[0].(map[string]any)["name"])
	w.post("/routing/"+id+"/activate", "{}").ok()
	p := w.post("/payments", with(plain, "routing", "-")).ok()
	require.Equal(t, want, w.get("/payments/" + p["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any)[0].(map[string]any)["rule"])
	w.post("/routing", strings.Replace(w.configuration(rules(1, "r")), `"n"`, `"a\u0000b"`, 1)).refused(400, "IR_06", "NUL")
}

// TestKeysOfMandates: the keys whose values come from how a payment may be repeated.
func TestKeysOfMandates(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	enum := func(key, value string) string { return condition(key, "equal", "enum_variant", `"`+value+`"`) }
	mandate := with(plain, "routing", "-", "customer_id", `"cus_1"`, "setup_future_usage", `"off_session"`, "mandate_data",
		`{"customer_acceptance":{"acceptance_type":"offline"},"mandate_type":{"multi_use":{"amount":5000,"currency":"EUR"}}}`)
	single := with(mandate, "mandate_data.mandate_type", `{"single_use":{"amount":5000,"currency":"EUR"}}`, "mandate_data.customer_acceptance",
		`{"acceptance_type":"online","online":{"ip_address":"203.0.113.7","user_agent":"x"}}`)
	debit := with(plain, "routing", "-", numberOf, `"4111111111111111"`)
	for name, c := range map[string]struct{ condition, body, connector string }{
		"a mandate":                {enum("payment_type", "setup_mandate"), mandate, "adyen"},
		"no mandate":               {enum("payment_type", "setup_mandate"), with(plain, "routing", "-"), "stripe"},
		"offline":                  {enum("mandate_acceptance_type", "offline"), mandate, "adyen"},
		"not offline":              {enum("mandate_acceptance_type", "offline"), single, "stripe"},
		"online":                   {enum("mandate_acceptance_type", "online"), single, "adyen"},
		"multi_use":                {enum("mandate_type", "multi_use"), mandate, "adyen"},
		"single_use":               {enum("mandate_type", "single_use"), single, "adyen"},
		"of the merchant":          {enum("transaction_initiator", "merchant"), with(plain, "routing", "-", "off_session", "true"), "adyen"},
		"of the customer":          {enum("transaction_initiator", "merchant"), with(plain, "routing", "-"), "stripe"},
		"the BIN fills the type":   {enum("card_type", "debit"), debit, "adyen"},
		"the BIN's type wins":      {enum("card_type", "credit"), with(debit, "payment_method_type", `"credit"`), "stripe"},
		"billing of the method":    {enum("billing_country", "France"), with(plain, "routing", "-", "payment_method_data.billing", `{"address":{"country":"FR"}}`, "billing", `{"address":{"country":"DE"}}`), "adyen"},
		"business_country":         {enum("business_country", "France"), with(plain, "routing", "-", "business_country", `"FR"`), "adyen"},
		"amount is the total":      {condition("amount", "equal", "number", "1180"), with(plain, "routing", "-", "shipping_cost", "100", "order_tax_amount", "50", "surcharge_details", `{"surcharge_amount":20,"tax_amount":10}`), "adyen"},
		"manual_multiple":          {enum("capture_method", "manual_multiple"), with(plain, "routing", "-", "capture_method", `"manual_multiple"`), "stripe"},
		"a type key of others":     {enum("wallet", "apple_pay"), with(plain, "routing", "-"), "stripe"},
		"an absent type key":       {condition("wallet", "not_equal", "enum_variant", `"apple_pay"`), with(plain, "routing", "-"), "adyen"},
		"authentication_type":      {enum("authentication_type", "no_three_ds"), with(plain, "routing", "-", "authentication_type", `"no_three_ds"`), "adyen"},
		"a number in the metadata": {condition("metadata", "equal", "metadata_variant", `{"key":"b","value":"x"}`), with(plain, "routing", "-", "metadata", `{"a":5,"b":"x"}`), "adyen"},
	} {
		t.Log(name)
		w.activated(oneRule(c.condition))
		require.Equal(t, c.connector, w.post("/payments", c.body).ok()["connector"], name)
	}
	w.post("/account/m1/business_profile/"+w.profile, `{"use_billing_as_payment_method_billing":false}`).ok()
	w.activated(oneRule(enum("billing_country", "Germany")))
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", "-", "billing", `{"address":{"country":"DE"}}`)).ok()["connector"])
}

// TestEligibilityRows: the rows of eligibility that concern no method's entry.
func TestEligibilityRows(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	account := "/account/" + merchant + "/connectors/" + w.stripe
	set := func(more string) {
		w.post(account, `{"connector_type":"payment_processor","disabled":false,"payment_methods_enabled":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit"`+more+`}]}]}`).ok()
	}
	pay := func(changes ...string) any {
		return w.post("/payments", with(with(plain, "routing", "-"), changes...)).ok()["connector"]
	}
	set(`,"minimum_amount":500,"accepted_countries":{"type":"enable_only","list":["US"]},"recurring_enabled":false,"installment_payment_enabled":false`)
	require.Equal(t, "stripe", pay("billing", `{"address":{"country":"DE"}}`), "these three are not looked at")
	require.Equal(t, "stripe", pay("amount", "0", "setup_future_usage", `"off_session"`, "customer_id", `"c"`, "customer_acceptance", `{"acceptance_type":"offline"}`), "amount 0 meets any minimum")
	set(`,"card_networks":["Mastercard","Visa"]`)
	require.Equal(t, "stripe", pay())
	require.Equal(t, "adyen", pay(numberOf, `"4111111111111111"`), "a debit card")
	set(``)
	require.Equal(t, "stripe", pay(numberOf, masterCard), "a card without a known type passes")
	require.Equal(t, "stripe", pay("payment_method_type", `"debit"`), "the BIN's type counts")
	w.activated(`{"type":"priority","data":["adyen","stripe"]}`)
	require.Equal(t, "adyen", pay(), "the order is kept")
	w.post(account, `{"connector_type":"payment_processor","disabled":true}`).ok()
	w.post("/account/"+merchant+"/connectors/"+w.adyen, `{"connector_type":"payment_processor","disabled":true}`).ok()
	r := w.post("/payments", with(plain, "routing", "-"))
	require.Equal(t, []any{400, "IR_39"}, []any{r.status, r.error()["code"]}, r.body)
}

// TestRoutingOfAnotherMerchant: no call reads, changes or uses what belongs to another merchant or, for a caller of one profile, to another profile.
func TestRoutingOfAnotherMerchant(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	id := w.activated(oneRule(condition("amount", "equal", "number", "5")))
	threeDS := w.threeDSRule(decides("challenge_requested"))
	dynamic := w.post(w.dynamicPath()+"/success_based/create?enable=metrics", "").ok()["id"].(string)
	second := w.post("/account/"+merchant+"/business_profile", `{"profile_name":"other"}`).ok()["profile_id"].(string)
	_, other, _ := w.merchant("m2")
	before := text(t, []any{w.get("/routing").list(), w.get("/routing/active").list(), w.get("/routing/default").list()})
	profile := `"profile_id":"` + w.profile + `"`
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/routing/" + id, ""}, {"POST", "/routing/" + id + "/activate", "{}"}, {"POST", "/routing/deactivate", "{" + profile + "}"}, {"GET", "/routing/active?profile_id=" + w.profile, ""},
		{"POST", "/routing/default/profile/" + w.profile, "[]"}, {"POST", "/routing/replay", `{"routing_id":"` + id + `"}`}, {"POST", "/routing/replay", "{" + profile + `,"algorithm":{"type":"single","data":"stripe"}}`},
		{"POST", "/routing/simulate", "{" + profile + `,"config":{"config":{"exploration_percent":0}}}`}, {"GET", "/routing/health?profile_id=" + w.profile, ""},
		{"POST", "/routing/rule/evaluate", `{"created_by":"` + w.profile + `","parameters":{},"fallback_output":[]}`}, {"POST", "/three_ds_decision/execute", `{"routing_id":"` + threeDS + `","payment":{"amount":1,"currency":"EUR"}}`},
		{"PATCH", w.dynamicPath() + "/success_based/config/" + dynamic, `{"config":{"exploration_percent":1}}`}, {"POST", w.dynamicPath() + "/set_volume_split?split=1", ""},
		{"POST", "/routing", w.configuration(`{"type":"single","data":"stripe"}`)},
	} {
		r := w.send(c.method, c.path, other, c.body)
		require.Contains(t, []int{401, 404}, r.status, "%s %s: %s", c.method, c.path, r.body)
		r = w.send(c.method, c.path, w.secret, c.body, "X-Profile-Id", second)
		require.Contains(t, []int{400, 401, 404}, r.status, "%s %s of another profile: %s", c.method, c.path, r.body)
		require.NotContains(t, r.body, "Json deserialize error", c.path)
	}
	require.Equal(t, before, text(t, []any{w.get("/routing").list(), w.get("/routing/active").list(), w.get("/routing/default").list()}))
	own := strings.Replace(w.configuration(`{"type":"single","data":`+choice("stripe", w.stripe)+`}`), w.profile, second, 1)
	w.post("/routing", own).refused(422, "IR_06", "not found for the given profile")
}

// TestCardNumbersInRules: a card number in a rule is refused, and stands in no answer and in no log.
func TestCardNumbersInRules(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	for name, body := range map[string]string{
		"name of a rule": w.configuration(strings.Replace(oneRule(condition("amount", "equal", "number", "5")), `"r1"`, `"4242 4242 4242 4242"`, 1)),
		"label":          w.configuration(oneRule(condition("business_label", "equal", "str_value", `"4242424242424242"`))),
		"metadata":       w.configuration(oneRule(condition("metadata", "equal", "metadata_variant", `{"key":"card","value":"4242-4242-4242-4242"}`))),
		"description":    strings.Replace(w.configuration(`{"type":"single","data":"stripe"}`), `"d"`, `"for 4242424242424242"`, 1),
	} {
		r := w.post("/routing", body)
		r.refused(422, "IR_06", "holds a card number")
		require.NotRegexp(t, "4242.?4242.?4242.?4242", r.body, name)
	}
	require.Empty(t, w.get("/routing").list())
	require.NotRegexp(t, "4242.?4242.?4242.?4242", w.logs.String())
}
