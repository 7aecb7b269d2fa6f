package router_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// softCard is declined by every simulated processor for lack of funds: another account may try it, and no account is at fault.
const softCard = `"4000000000009995"`

// TestRetryRows: what a merchant sees of further attempts, and which switches lead to them.
func TestRetryRows(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	profile := func(fields string) { w.post("/account/m1/business_profile/"+w.profile, fields).ok() }
	key := func(name, value string) {
		if w.send("POST", "/configs/"+name, adminKey, fmt.Sprintf(`{"value":%q}`, value)).status == 404 {
			w.send("POST", "/configs/", adminKey, fmt.Sprintf(`{"key":%q,"value":%q}`, name, value)).ok()
		}
	}
	pay := func(number string, changes ...string) map[string]any {
		return w.post("/payments", with(with(plain, "routing", "-", "currency", `"USD"`, numberOf, number, "customer_id", `"cus_1"`, "billing", `{"address":{"country":"DE"}}`), changes...)).ok()
	}
	attempts := func(number string, changes ...string) any { return pay(number, changes...)["attempt_count"] }
	require.Equal(t, 1.0, attempts(softCard), "off by default")
	profile(`{"is_auto_retries_enabled":true}`)
	require.Equal(t, 1.0, attempts(softCard), "without a number there is no retry")
	profile(`{"max_auto_retries_enabled":1}`)
	p := pay(softCard)
	id := p["payment_id"].(string)
	require.Equal(t, []any{"failed", 2.0, "adyen", w.adyen}, []any{p["status"], p["attempt_count"], p["connector"], p["merchant_connector_id"]})
	for _, query := range []string{"?expand_attempts=true", "?expand_attempts=true&force_sync=true"} {
		got := w.get("/payments/" + id + query).ok()
		list := got["attempts"].([]any)
		require.Len(t, list, 2)
		for i, want := range []string{"stripe", "adyen"} {
			a := list[i].(map[string]any)
			require.Equal(t, []any{fmt.Sprintf("%s_%d", id, i+1), "failure", want, "no_three_ds"}, []any{a["attempt_id"], a["status"], a["connector"], a["authentication_type"]})
			require.NotEmpty(t, a["error_code"])
			require.NotEmpty(t, a["unified_code"])
		}
		require.Equal(t, []any{"cus_1", "adyen", w.adyen, p["error_code"], p["error_message"], 2.0}, []any{got["customer_id"], got["connector"], got["merchant_connector_id"], got["error_code"], got["error_message"], got["attempt_count"]})
		require.NotNil(t, got["billing"])
		require.NotNil(t, got["customer"])
	}
	require.Nil(t, w.get("/payments/" + id).ok()["attempts"])

	for number, name := range map[string]string{`"4000000000000069"`: "expired", `"4000000000009979"`: "stolen", `"4000000000009987"`: "lost"} {
		require.Equal(t, 1.0, attempts(number), name)
	}
	require.Equal(t, 2.0, attempts(`"4000000000000119"`), "an error of the processor")

	// The config keys win over the profile; a value that does not parse counts as absent.
	for value, want := range map[string]float64{"0": 1, "1": 2, "300": 2, "x": 2, "-1": 2, "": 2} {
		key("max_auto_retries_enabled_m1", value)
		require.Equal(t, want, attempts(softCard), "max_auto_retries_enabled_ %q", value)
	}
	key("max_auto_retries_enabled_m1", "1")
	profile(`{"is_auto_retries_enabled":false}`)
	for value, want := range map[string]float64{"true": 2, "false": 1, "TRUE": 1, "1": 1} {
		key("should_call_gsm_m1", value)
		require.Equal(t, want, attempts(softCard), "should_call_gsm_ %q", value)
	}

	// A step-up: once, at the same account, with 3-D Secure, and nothing follows.
	key("should_call_gsm_m1", "true")
	for value, want := range map[string][]any{`["adyen"]`: {2.0, "adyen", "no_three_ds"}, `["stripe"]`: {2.0, "stripe", "three_ds"}, `stripe`: {2.0, "adyen", "no_three_ds"}, `"stripe"`: {2.0, "adyen", "no_three_ds"}} {
		key("step_up_enabled_m1", value)
		p := pay(softCard)
		require.Equal(t, want, []any{p["attempt_count"], p["connector"], p["authentication_type"]}, value)
		list := w.get("/payments/" + p["payment_id"].(string) + "?expand_attempts=true").ok()["attempts"].([]any)
		require.Equal(t, []any{"no_three_ds", want[2]}, []any{list[0].(map[string]any)["authentication_type"], list[1].(map[string]any)["authentication_type"]}, "each attempt shows its own")
	}
	key("step_up_enabled_m1", `["stripe"]`)
	require.Equal(t, "adyen", pay(softCard, "authentication_type", `"no_three_ds"`, "routing", `{"type":"single","data":"adyen"}`, "connector", `["adyen"]`)["connector"])
	key("max_auto_retries_enabled_m1", "0")
	require.Equal(t, []any{2.0, "three_ds"}, []any{pay(softCard)["attempt_count"], pay(softCard)["authentication_type"]}, "it does not count against the maximum")
	key("should_call_gsm_m1", "false")
	require.Equal(t, 1.0, attempts(softCard), "a step-up needs the switch too")
}

// TestErrorTableRows: every field and value of a rule.
func TestErrorTableRows(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	call := func(path, body string) response { return w.send("POST", path, adminKey, body) }
	whole := `{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"C","message":"M","status":"failure","decision":"retry","step_up_possible":false,"clear_pan_possible":true,
		"router_error":"r","unified_code":"UE_1","unified_message":"u","description":"d","user_guidance_message":"g","error_category":"soft_decline","feature":"retry","standardised_code":"do_not_honor"}`
	for _, field := range []string{"connector", "flow", "sub_flow", "code", "message", "status", "decision", "step_up_possible", "clear_pan_possible"} {
		call("/gsm", with(whole, field, "-")).refused(400, "IR_06", "missing field `"+field+"`")
	}
	for field, bad := range map[string]string{"connector": `"none"`, "decision": `"requeue"`, "step_up_possible": `"true"`, "error_category": `"soft"`, "standardised_code": `"declined"`, "feature": `"x"`, "status": `5`,
		"feature_data": `{"retry":{"decision":"requeue"}}`} {
		t.Log(field)
		call("/gsm", with(whole, field, bad)).refused(400, "IR_06", "")
	}
	made := call("/gsm", whole).ok()
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(whole), &sent))
	for field, v := range sent {
		require.Equal(t, v, made[field], field)
	}
	require.Equal(t, map[string]any{"retry": map[string]any{"step_up_possible": false, "clear_pan_possible": true, "alternate_network_possible": false, "decision": "retry"}}, made["feature_data"])
	key := `{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"C","message":"M"`
	require.Equal(t, made, call("/gsm/get", key+"}").ok())
	for field, values := range map[string]string{
		"error_category": "frm_decline processor_downtime processor_decline_unauthorized issue_with_payment_method processor_decline_incorrect_data hard_decline soft_decline",
		"standardised_code": "account_closed_or_invalid authentication_failed authentication_required authorization_missing_or_revoked card_lost_or_stolen card_not_supported_restricted " +
			"cfg_pm_not_enabled_or_misconfigured compliance_or_sanctions_restriction configuration_issue credit_limit_exceeded currency_or_corridor_not_enabled do_not_honor downstream_technical_issue " +
			"duplicate_request generic_unknown_error incorrect_authentication_code insufficient_funds integ_cryptographic_issue integration_issue invalid_card_number invalid_credentials invalid_cvv " +
			"invalid_expiry_date invalid_state issuer_unavailable merchant_inactive missing_or_invalid_param operation_not_allowed payment_cancelled_by_user payment_method_issue payment_session_timeout " +
			"pm_address_mismatch psp_acquirer_error psp_fraud_engine_decline rate_limit stored_credential_or_mit_not_enabled subscription_plan_inactive suspected_fraud three_ds_authentication_service_issue " +
			"three_ds_configuration_issue three_ds_data_or_protocol_invalid transaction_not_permitted transaction_timed_out velocity_limit_exceeded wallet_or_token_config_issue",
		"decision": "do_default retry", "status": "failure charged", "clear_pan_possible": "", "user_guidance_message": "x"} {
		for value := range strings.FieldsSeq(values) {
			got := call("/gsm/update", key+fmt.Sprintf(`,%q:%q}`, field, value)).ok()
			require.Equal(t, value, got[field])
		}
	}
	got := call("/gsm/update", key+`,"step_up_possible":true,"clear_pan_possible":false,"decision":"do_default"}`).ok()
	require.Equal(t, map[string]any{"retry": map[string]any{"step_up_possible": true, "clear_pan_possible": false, "alternate_network_possible": false, "decision": "do_default"}}, got["feature_data"], "the flat fields mirror it")
	got = call("/gsm/update", key+`,"feature_data":{"retry":{"step_up_possible":false,"clear_pan_possible":true,"alternate_network_possible":true,"decision":"retry"}}}`).ok()
	require.Equal(t, []any{"retry", false, true}, []any{got["decision"], got["step_up_possible"], got["clear_pan_possible"]})
	require.Equal(t, map[string]any{"gsm_rule_delete": true, "connector": "stripe", "flow": "Payment", "sub_flow": "Authorize", "code": "C"}, call("/gsm/delete", key+"}").ok())
	for _, path := range []string{"/gsm/get", "/gsm/update", "/gsm/delete"} {
		call(path, key+"}").refused(404, "IR_37", "GSM with given key does not exist in our records")
		call(path, `{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"C"}`).refused(400, "IR_06", "missing field `message`")
	}
}

// TestGuardRows: the settings of the guard against card testing, and what it answers.
func TestGuardRows(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	path := "/account/m1/business_profile/" + w.profile
	const off = `{"card_ip_blocking_status":"disabled","card_ip_blocking_threshold":3,"guest_user_card_blocking_status":"disabled","guest_user_card_blocking_threshold":10,
		"customer_id_blocking_status":"disabled","customer_id_blocking_threshold":5,"card_testing_guard_expiry":3600}`
	set := func(changes ...string) response {
		return w.post(path, `{"card_testing_guard_config":`+with(off, changes...)+`}`)
	}
	shown := func() any { return w.get(path).ok()["card_testing_guard_config"] }
	defaults := map[string]any{"card_ip_blocking_status": "disabled", "card_ip_blocking_threshold": 3.0, "guest_user_card_blocking_status": "disabled", "guest_user_card_blocking_threshold": 10.0,
		"customer_id_blocking_status": "disabled", "customer_id_blocking_threshold": 5.0, "guest_ip_blocking_status": "disabled", "guest_ip_blocking_threshold": 10.0, "card_testing_guard_expiry": 3600.0}
	require.Equal(t, defaults, shown())
	for _, field := range []string{"card_ip_blocking_status", "card_ip_blocking_threshold", "guest_user_card_blocking_status", "guest_user_card_blocking_threshold", "customer_id_blocking_status",
		"customer_id_blocking_threshold", "card_testing_guard_expiry"} {
		set(field, "-").refused(400, "IR_06", "missing field `"+field+"`")
		set(field, `"on"`).refused(400, "IR_06", "")
	}
	set("guest_ip_blocking_status", `"enabled"`, "guest_ip_blocking_threshold", "2").ok()
	set().ok()
	require.Equal(t, defaults, shown(), "it is replaced as a whole")

	const bad = "4000000000000002"
	fail := func(changes ...string) {
		require.Equal(t, "failed", w.post("/payments", typed(bad, changes...)).ok()["status"])
	}
	stopped := func(changes ...string) {
		w.post("/payments", typed(bad, changes...)).expect(400, "IR_16", "Blocked due to suspicious activity")
	}
	for name, c := range map[string]struct {
		counter              string
		fails, stops, passes []string
	}{
		"card and address": {"card_ip", []string{"browser_info", `{"ip_address":"203.0.113.7"}`}, []string{"browser_info", `{"ip_address":"203.0.113.7"}`, "customer_id", `"c1"`}, []string{"browser_info", `{"ip_address":"203.0.113.8"}`}},
		"caller's address": {"card_ip", nil, []string{"customer_id", `"c1"`}, []string{"browser_info", `{"ip_address":"203.0.113.9"}`}},
		"card of guests":   {"guest_user_card", []string{"customer_id", `"c2"`}, nil, []string{"customer_id", `"c2"`}},
		"customer":         {"customer_id", []string{"customer_id", `"c3"`}, []string{"customer_id", `"c3"`}, nil},
		"guests' address":  {"guest_ip", []string{"browser_info", `{"ip_address":"198.51.100.1"}`}, []string{"browser_info", `{"ip_address":"198.51.100.1"}`}, []string{"customer_id", `"c4"`, "browser_info", `{"ip_address":"198.51.100.1"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			set(c.counter+"_blocking_status", `"enabled"`, c.counter+"_blocking_threshold", "2").ok()
			fail(c.fails...)
			fail(c.fails...)
			stopped(c.stops...)
			fail(c.passes...)
			require.Equal(t, "requires_payment_method", w.get("/payments/" + w.get("/payments/list?limit=2").ok()["data"].([]any)[1].(map[string]any)["payment_id"].(string)).ok()["status"],
				"a refused create leaves its payment")
		})
	}
}

// TestErrorRulesInPayments: a rule of the error table decides about a simulated decline, whether its message is the processor's or the one that payments show.
func TestErrorRulesInPayments(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	w.post("/account/m1/business_profile/"+w.profile, `{"is_auto_retries_enabled":true,"max_auto_retries_enabled":1}`).ok()
	pay := func() []any {
		p := w.post("/payments", with(plain, "routing", "-", "currency", `"USD"`, numberOf, softCard)).ok()
		return []any{p["attempt_count"], p["unified_code"]}
	}
	const text = "Your card has insufficient funds."
	const shown = "message - " + text + ", decline_code - insufficient_funds"
	for _, message := range []string{text, shown} {
		require.Equal(t, 2.0, pay()[0], "a soft decline leads on")
		key := fmt.Sprintf(`{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"card_declined","message":%q`, message)
		changed := w.send("POST", "/gsm/update", adminKey, key+`,"decision":"do_default","unified_code":"UE_7","unified_message":"ours"}`).ok()
		require.Equal(t, "do_default", changed["decision"])
		require.Equal(t, []any{1.0, "UE_7"}, pay(), message)
		w.send("POST", "/gsm/delete", adminKey, key+"}").ok()
	}
	for message, code := range map[string]string{text: "UE_1", shown: "UE_2"} {
		w.send("POST", "/gsm/update", adminKey, fmt.Sprintf(`{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"card_declined","message":%q,"decision":"do_default","unified_code":%q}`, message, code)).ok()
	}
	require.Equal(t, []any{1.0, "UE_2"}, pay(), "the message that payments show is the closer one")
}

// TestSplitFallsBack: the drawn entry of a volume split comes first, and the others follow in the order of the list, before the default list.
func TestSplitFallsBack(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	second := w.withAccount("stripe", "second", "")
	w.post("/account/m1/business_profile/"+w.profile, `{"is_auto_retries_enabled":true,"max_auto_retries_enabled":5}`).ok()
	w.activated(`{"type":"volume_split","data":[{"connector":` + choice("stripe", second) + `,"split":0},{"connector":` + choice("adyen", w.adyen) + `,"split":100}]}`)
	p := w.post("/payments", with(plain, "routing", "-", "currency", `"USD"`, numberOf, softCard)).ok()
	var tried []any
	for _, a := range w.get("/payments/" + p["payment_id"].(string) + "?expand=routing").ok()["routing"].([]any) {
		tried = append(tried, a.(map[string]any)["merchant_connector_id"])
	}
	require.Equal(t, []any{w.adyen, second, w.stripe}, tried)
}
