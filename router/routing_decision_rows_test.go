package router_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
)

// decides returns a 3DS decision rule that decides the same for every payment.
func decides(decision string) string {
	return `{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"` + decision + `"},"metadata":{},"rules":[]}}`
}

func (w *routedWorld) threeDSRule(algorithm string) string {
	w.t.Helper()
	id := w.post("/routing", w.configuration(algorithm, "transaction_type", `"three_ds_authentication"`)).ok()["id"].(string)
	w.post("/routing/"+id+"/activate", `{"transaction_type":"three_ds_authentication"}`).ok()
	return id
}

// decided pays, and returns what a decision changes: authentication_type, the claimed exemption, which answers do not show, and force_3ds_challenge.
func (w *routedWorld) decided(body string) []any {
	w.t.Helper()
	p := w.post("/payments", body).ok()
	var stored *payment.Payment
	require.NoError(w.t, w.store.View(w.t.Context(), func(r engine.Reader) (err error) {
		stored, err = r.Payment(merchant, p["payment_id"].(string))
		return err
	}))
	return []any{p["authentication_type"], string(stored.Details.SCAExemption), p["force_3ds_challenge"]}
}

// TestThreeDSEffects: what each decision does to a payment within and outside of PSD2, and which decision comes first.
func TestThreeDSEffects(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	// No acquirer is known, so PSD2 does not hold.
	pay := func(changes ...string) []any {
		return w.decided(with(with(plain, "routing", "-", "psd2_sca_exemption_type", `"low_value"`, "force_3ds_challenge", "true"), changes...))
	}
	challenged := []any{"three_ds", "", true}
	for decision, want := range map[string][]any{
		"no_three_ds": {"no_three_ds", "", nil}, "challenge_requested": challenged, "challenge_preferred": challenged, "three_ds_exemption_requested_tra": challenged,
		"three_ds_exemption_requested_low_value": challenged, "issuer_three_ds_exemption_requested": challenged,
	} {
		w.threeDSRule(decides(decision))
		require.Equal(t, want, pay(), "%s outside of PSD2", decision)
		require.Equal(t, []any{"no_three_ds", "low_value", true}, pay("authentication_type", `"no_three_ds"`), "the request's own value ends all decisions")
	}
	w.put("/routing/decision", `{"name":"n","algorithm":{"defaultSelection":{"override_3ds":"no_three_ds"},"metadata":{},"rules":[]}}`).ok()
	require.Equal(t, []any{"no_three_ds", "low_value", true}, pay(), "the decision manager comes before the rule")
	w.put("/routing/decision", `{"name":"n","algorithm":{"defaultSelection":{"override_3ds":null},"metadata":{},"rules":[]}}`).ok()
	w.threeDSRule(decides("challenge_requested"))
	require.Equal(t, challenged, pay(), "a manager without a word leaves it to the rule")

	// Routing sees the decision, and the rule sees the order's amount.
	w.activated(oneRule(condition("authentication_type", "equal", "enum_variant", `"three_ds"`)))
	require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"])
	w.threeDSRule(`{"type":"three_ds_decision_rule","data":{"defaultSelection":{"decision":"no_three_ds"},"metadata":{},"rules":[{"name":"r","connectorSelection":{"decision":"challenge_requested"},
		"statements":[{"condition":[` + condition("amount", "greater_than", "number", "1000") + `]}]}]}}`)
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", "-", "shipping_cost", "500")).ok()["connector"])
}

// TestThreeDSWithinPSD2: an acquirer within PSD2 and the issuer of the card decide together.
func TestThreeDSWithinPSD2(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	id := w.post("/routing", w.configuration(decides("no_three_ds"), "transaction_type", `"three_ds_authentication"`)).ok()["id"].(string)
	execute := func(id, issuer, acquirer string) any {
		return w.post("/three_ds_decision/execute", fmt.Sprintf(`{"routing_id":%q,"payment":{"amount":1,"currency":"EUR"},"issuer":{"country":%q},"acquirer":{"country":%q}}`, id, issuer, acquirer)).ok()["decision"]
	}
	within := strings.Split("Austria Belgium Bulgaria Croatia Cyprus Czechia Denmark Estonia Finland France Germany Greece Hungary Ireland Italy Latvia Lithuania Luxembourg Malta Netherlands Poland "+
		"Portugal Romania Slovakia Slovenia Spain Sweden", " ")
	for i, country := range within {
		require.Equal(t, "challenge_requested", execute(id, country, within[(i+9)%len(within)]), country)
		require.Equal(t, "no_three_ds", execute(id, country, "Norway"), country)
		require.Equal(t, "no_three_ds", execute(id, "UnitedKingdomOfGreatBritainAndNorthernIreland", country), country)
	}
	for _, decision := range []string{"challenge_requested", "challenge_preferred", "three_ds_exemption_requested_tra", "three_ds_exemption_requested_low_value", "issuer_three_ds_exemption_requested"} {
		id := w.post("/routing", w.configuration(decides(decision), "transaction_type", `"three_ds_authentication"`)).ok()["id"].(string)
		require.Equal(t, decision, execute(id, "Germany", "France"))
		require.Equal(t, "challenge_requested", execute(id, "Germany", "Japan"))
	}
	keys := map[string]string{"card_network": condition("card_network", "equal", "enum_variant", `"Visa"`), "card_discovery": condition("card_discovery", "equal", "enum_variant", `"click_to_pay"`),
		"platform": condition("customer_device_platform", "equal", "enum_variant", `"ios"`), "device_type": condition("customer_device_type", "equal", "enum_variant", `"tablet"`),
		"display_size": condition("customer_device_display_size", "equal", "enum_variant", `"size320x568"`), "name": condition("issuer_name", "equal", "str_value", `"Bank"`)}
	facts := map[string]string{"card_network": `"payment_method":{"card_network":"Visa"}`, "card_discovery": `"payment_method":{"card_discovery":"click_to_pay"}`, "platform": `"customer_device":{"platform":"ios"}`,
		"device_type": `"customer_device":{"device_type":"tablet"}`, "display_size": `"customer_device":{"display_size":"size320x568"}`, "name": `"issuer":{"name":"Bank"}`}
	for key, c := range keys {
		id := w.post("/routing", w.configuration(strings.Replace(decides("no_three_ds"), `"rules":[]`, `"rules":[{"name":"r","connectorSelection":{"decision":"challenge_requested"},"statements":[{"condition":[`+c+`]}]}]`, 1),
			"transaction_type", `"three_ds_authentication"`)).ok()["id"].(string)
		execute := func(facts string) any {
			return w.post("/three_ds_decision/execute", `{"routing_id":"`+id+`","payment":{"amount":1,"currency":"EUR"}`+facts+`}`).ok()["decision"]
		}
		require.Equal(t, []any{"challenge_requested", "no_three_ds"}, []any{execute("," + facts[key]), execute("")}, key)
	}
}

// TestThreeDSOfAcquirers: in payments, the profile's acquirer for the card's network gives the facts of the acquirer, and PSD2 corrects the decision.
func TestThreeDSOfAcquirers(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	w.post("/profile_acquirer", acquirer(w.profile, "Visa", `,"acquirer_fraud_rate":0.1,"acquirer_country_code":"US"`)).ok()
	pay := func(number string) []any { return w.decided(with(plain, "routing", "-", numberOf, number)) }
	const polish, british = `"4111111111111111"`, `"4242424242424242"`
	challenged, plainly := []any{"three_ds", "", true}, []any{"no_three_ds", "", nil}
	for _, country := range []string{`"DE"`, `"276"`} { // the v1 API takes letters and numbers
		w.post("/account/m1/business_profile/"+w.profile, `{"merchant_country_code":`+country+`}`).ok()
		for decision, within := range map[string][]any{
			"no_three_ds": challenged, "challenge_requested": challenged, "challenge_preferred": {"three_ds", "", nil}, "issuer_three_ds_exemption_requested": {"three_ds", "", nil},
			"three_ds_exemption_requested_tra": {"three_ds", "transaction_risk_analysis", nil}, "three_ds_exemption_requested_low_value": {"three_ds", "low_value", nil},
		} {
			w.threeDSRule(decides(decision))
			require.Equal(t, within, pay(polish), "%s within PSD2, %s", decision, country)
			want := challenged
			if decision == "no_three_ds" {
				want = plainly
			}
			require.Equal(t, want, pay(british), "%s for an issuer outside of PSD2, %s", decision, country)
		}
		for key, c := range map[string]string{"country": condition("acquirer_country", "equal", "enum_variant", `"Germany"`), "fraud rate": condition("acquirer_fraud_rate", "less_than", "number", "0.13")} {
			w.threeDSRule(strings.Replace(decides("no_three_ds"), `"rules":[]`, `"rules":[{"name":"r","connectorSelection":{"decision":"challenge_requested"},"statements":[{"condition":[`+c+`]}]}]`, 1))
			require.Equal(t, []any{challenged, plainly}, []any{pay(british), pay(masterCard)}, "%s: the profile has no acquirer for Mastercard", key)
		}
	}
}

// TestEvaluateRows: what the dry run takes and answers beyond TestRoutingEvaluate.
func TestEvaluateRows(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	const path = "/routing/rule/evaluate"
	body := func(parameters string) string {
		return fmt.Sprintf(`{"created_by":%q,"parameters":%s,"fallback_output":[]}`, w.profile, parameters)
	}
	for key, c := range map[string]struct{ condition, matches, not string }{
		"number":                  {condition("amount", "equal", "number_array", `[5,6]`), `{"amount":{"type":"number","value":6}}`, `{"amount":{"type":"number","value":7}}`},
		"enum_variant":            {condition("billing_country", "not_equal", "enum_variant", `"Germany"`), `{"billing_country":{"type":"enum_variant","value":"France"}}`, `{"billing_country":{"type":"enum_variant","value":"Germany"}}`},
		"str_value":               {condition("card_bin", "equal", "str_value", `"424242"`), `{"card_bin":{"type":"str_value","value":"424242"}}`, `{"card_bin":{"type":"str_value","value":"424243"}}`},
		"metadata_variant":        {condition("metadata", "equal", "metadata_variant", `{"key":"a","value":"b"}`), `{"metadata":{"type":"metadata_variant","value":{"key":"a","value":"b"}}}`, `{"metadata":{"type":"metadata_variant","value":{"key":"a","value":"c"}}}`},
		"a missing one":           {condition("currency", "not_equal", "enum_variant", `"EUR"`), `{}`, `{"currency":{"type":"enum_variant","value":"EUR"}}`},
		"a null one":              {condition("currency", "not_equal", "enum_variant", `"EUR"`), `{"currency":null}`, `{"currency":{"type":"enum_variant","value":"EUR"}}`},
		"keys that no rule has":   {condition("amount", "equal", "number", `5`), `{"amount":{"type":"number","value":5},"card":{"type":"enum_variant","value":"credit"},"issuer_name":{"type":"str_value","value":"x"}}`, `{}`},
		"the alias of a business": {condition("country", "equal", "enum_variant", `"France"`), `{"business_country":{"type":"enum_variant","value":"France"}}`, `{}`},
	} {
		w.activated(oneRule(c.condition))
		require.Equal(t, []any{"success", "adyen"}, []any{w.post(path, body(c.matches)).ok()["status"],
			w.post(path, body(c.matches)).ok()["evaluated_output"].([]any)[0].(map[string]any)["connector"]}, key)
		require.Equal(t, "default_selection", w.post(path, body(c.not)).ok()["status"], key)
	}
	for name, bad := range map[string]string{"no profile": `{"parameters":{},"fallback_output":[]}`, "no parameters": `{"created_by":"` + w.profile + `","fallback_output":[]}`,
		"no fallback": `{"created_by":"` + w.profile + `","parameters":{}}`, "parameters": body(`[]`), "a type that does not fit": body(`{"amount":{"type":"str_value","value":"5"}}`),
		"a bare value": body(`{"amount":5}`), "unknown type": body(`{"amount":{"type":"float","value":5}}`)} {
		t.Log(name)
		w.post(path, bad).refused(400, "IR_06", "")
	}
	_, other, _ := w.merchant("m2")
	w.send("POST", path, other, body(`{}`)).refused(404, "HE_02", w.profile)
	require.Equal(t, 0, w.payments(), "no payment is touched")
}

// TestDecisionPrograms: which keys the programs of a merchant take, and what their answers have.
func TestDecisionPrograms(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	value := map[string]string{"metadata": `{"type":"metadata_variant","value":{"key":"a","value":"b"}}`, "amount": `{"type":"number","value":5}`, "card_bin": `{"type":"str_value","value":"424242"}`,
		"extended_card_bin": `{"type":"str_value","value":"42424242"}`, "business_label": `{"type":"str_value","value":"x"}`, "issuer_name": `{"type":"str_value","value":"x"}`,
		"acquirer_fraud_rate": `{"type":"number","value":5}`}
	enums := map[string]string{"payment_method": "card", "card_type": "credit", "card_network": "Visa", "currency": "EUR", "capture_method": "manual", "billing_country": "Germany", "business_country": "Germany",
		"network_token": "network_token", "pay_later": "klarna", "wallet": "apple_pay", "bank_transfer": "pix", "bank_redirect": "ideal", "bank_debit": "ach", "crypto": "crypto_currency", "real_time_payment": "fps",
		"authentication_type": "three_ds", "setup_future_usage": "on_session", "payment_type": "setup_mandate", "mandate_acceptance_type": "online", "mandate_type": "single_use",
		"transaction_initiator": "customer", "issuer_country": "Germany", "upi": "upi_qr", "voucher": "oxxo", "card_redirect": "knet", "reward": "evoucher", "card_discovery": "manual",
		"customer_device_platform": "ios", "customer_device_type": "tablet", "customer_device_display_size": "size320x568", "acquirer_country": "Germany"}
	for key, name := range enums {
		value[key] = `{"type":"enum_variant","value":"` + name + `"}`
	}
	for name, c := range map[string]struct {
		put       func(program string) response
		selection string
		keys      string
	}{
		"manager": {func(p string) response { return w.put("/routing/decision", `{"name":"n","algorithm":`+p+`}`) }, `{"override_3ds":"three_ds"}`,
			"payment_method card_type card_network metadata amount currency capture_method billing_country business_country network_token"},
		"surcharge": {func(p string) response {
			return w.put("/routing/decision/surcharge", `{"name":"n","merchant_surcharge_configs":{},"algorithm":`+p+`}`)
		}, `{"surcharge_details":{"surcharge":{"type":"fixed","value":{"amount":1}}}}`,
			"payment_method metadata amount currency billing_country card_network pay_later wallet bank_transfer bank_redirect bank_debit crypto real_time_payment"},
		"3ds": {func(p string) response {
			return w.post("/routing", w.configuration(`{"type":"three_ds_decision_rule","data":`+p+`}`, "transaction_type", `"three_ds_authentication"`))
		}, `{"decision":"challenge_requested"}`,
			"card_network amount currency issuer_name issuer_country card_discovery customer_device_platform customer_device_type customer_device_display_size acquirer_country acquirer_fraud_rate"},
		"routing": {func(p string) response {
			return w.post("/routing", w.configuration(`{"type":"advanced","data":`+p+`}`))
		}, `{"type":"priority","data":["adyen"]}`,
			"payment_method card_type card_network metadata amount currency capture_method billing_country business_country network_token pay_later wallet bank_transfer bank_redirect bank_debit crypto " +
				"real_time_payment card_bin extended_card_bin business_label authentication_type setup_future_usage payment_type mandate_acceptance_type mandate_type transaction_initiator issuer_country " +
				"upi voucher card_redirect reward"},
	} {
		allowed := strings.Fields(c.keys)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			program := `{"defaultSelection":` + c.selection + `,"metadata":{},"rules":[{"name":"r","routingOutput":` + c.selection + `,"statements":[{"condition":[{"lhs":"` + key +
				`","comparison":"not_equal","value":` + value[key] + `,"metadata":{}}]}]}]}`
			r := c.put(program)
			if slices.Contains(allowed, key) {
				require.Equal(t, 200, r.status, "%s: %s: %s", name, key, r.body)
				continue
			}
			require.Equal(t, []any{422, "IR_06"}, []any{r.status, r.error()["code"]}, "%s: %s", name, key)
			require.Contains(t, r.body, "lhs "+key, name)
		}
	}
	for path, body := range map[string]string{"/routing/decision": `{"name":"n","algorithm":%s}`, "/routing/decision/surcharge": `{"name":"n","merchant_surcharge_configs":{},"algorithm":%s}`} {
		d := w.get(path).ok()
		want := []string{"name", "created_at", "modified_at", "program"}
		if path != "/routing/decision" {
			want = []string{"name", "created_at", "modified_at", "algorithm", "merchant_surcharge_configs"}
		}
		require.ElementsMatch(t, want, slices.Collect(maps.Keys(d)))
		require.Less(t, d["modified_at"].(float64), 1e11, "seconds")
		w.put(path, strings.Replace(fmt.Sprintf(body, "{}"), `"name"`, `"colour":1,"name"`, 1)).refused(400, "IR_06", "unknown field `colour`")
		w.put(path, fmt.Sprintf(body, "{}")).refused(422, "IR_06", "Invalid Request Data")
		require.Equal(t, "", w.send("DELETE", path, w.secret, "").body, "empty")
		w.send("DELETE", path, w.secret, "").refused(404, "HE_02", "Resource ID does not exist in our records")
		_, other, _ := w.merchant("of" + strings.ReplaceAll(path, "/", "_"))
		w.send("GET", path, other, "").refused(404, "HE_02", "Resource ID does not exist in our records")
		w.send("PUT", path, w.publishable, fmt.Sprintf(body, "{}")).refused(401, "IR_01", "")
	}
}

// TestConfigurationsOfAnotherKind: a configuration may be activated for a transaction type that its kind does not fit. It then decides nothing, and payments go on.
func TestConfigurationsOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	pay := func() []any {
		p := w.post("/payments", with(plain, "routing", "-")).ok()
		return []any{p["status"], p["authentication_type"], p["connector"]}
	}
	for name, algorithm := range map[string]string{"single": `{"type":"single","data":"adyen"}`, "priority": `{"type":"priority","data":["adyen"]}`,
		"volume_split": `{"type":"volume_split","data":[{"connector":"adyen","split":1}]}`, "advanced": oneRule(condition("amount", "greater_than", "number", "5"))} {
		made := w.post("/routing", w.configuration(algorithm, "transaction_type", `"three_ds_authentication"`)).ok()
		require.Equal(t, []any{map[string]any{"rule": "", "key": "transaction_type", "message": "a configuration of kind " + name +
			" decides nothing about 3-D Secure: it counts as no_three_ds"}}, made["warnings"])
		w.post("/routing/"+made["id"].(string)+"/activate", `{"transaction_type":"three_ds_authentication"}`).ok()
		require.Equal(t, []any{"succeeded", "no_three_ds", "stripe"}, pay(), "%s as a 3DS decision rule", name)
	}
	made := w.post("/routing", w.configuration(decides("challenge_requested"))).ok()
	require.Contains(t, made["warnings"].([]any)[0].(map[string]any)["message"], "a three_ds_decision_rule routes nothing")
	w.post("/routing/"+made["id"].(string)+"/activate", `{}`).ok()
	require.Equal(t, []any{"succeeded", "no_three_ds", "stripe"}, pay(), "a 3DS decision rule as routing")
}
