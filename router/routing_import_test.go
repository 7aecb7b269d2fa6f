package router_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exportedKeys are the keys of payment routing in the v1 API, each with conditions of every value type that it takes: "type value; …". A bare list of words is an enum's.
var exportedKeys = map[string]string{
	"payment_method": "card card_redirect pay_later wallet bank_redirect bank_transfer crypto bank_debit reward real_time_payment upi voucher gift_card open_banking mobile_payment network_token",
	"card_type":      "credit debit",
	"card_network":   "Visa Mastercard AmericanExpress JCB DinersClub Discover CartesBancaires UnionPay Interac RuPay Maestro Star Pulse Accel Nyce",
	"pay_later":      "affirm afterpay_clearpay alma klarna pay_bright walley flexiti atome breadpay payjustnow",
	"wallet": "bluecode google_pay amazon_pay skrill paysera apple_pay paypal ali_pay ali_pay_hk mb_way mobile_pay we_chat_pay samsung_pay go_pay kakao_pay twint gcash vipps momo dana touch_n_go swish " +
		"cashapp venmo mifinity paze revolut_pay",
	"bank_redirect": "bizum giropay ideal sofort eft eps bancontact_card blik interac local_bank_redirect online_banking_czech_republic online_banking_finland online_banking_poland " +
		"online_banking_slovakia online_banking_fpx online_banking_thailand open_banking_uk przelewy24 trustly open_banking",
	"bank_transfer": "multibanco ach sepa_bank_transfer bacs bca_bank_transfer bni_va bri_va cimb_va danamon_va mandiri_va permata_bank_transfer pix pix_key pix_emv pix_qr pix_automatico_push " +
		"pix_automatico_qr pse local_bank_transfer instant_bank_transfer instant_bank_transfer_finland instant_bank_transfer_poland indonesian_bank_transfer",
	"bank_debit":              "ach eft_debit_order sepa sepa_guarenteed_debit bacs becs",
	"voucher":                 "boleto efecty pago_efectivo red_compra red_pagos alfamart indomaret seven_eleven lawson mini_stop family_mart seicomart pay_easy oxxo",
	"card_redirect":           "benefit knet momo_atm card_redirect",
	"crypto":                  "crypto_currency",
	"reward":                  "classic_reward evoucher",
	"network_token":           "network_token",
	"real_time_payment":       "fps duit_now prompt_pay viet_qr qris",
	"upi":                     "upi_collect upi_intent upi_qr",
	"currency":                "AED EUR USD JPY KWD ZWL",
	"authentication_type":     "three_ds no_three_ds",
	"capture_method":          "automatic manual sequential_automatic manual_multiple scheduled",
	"setup_future_usage":      "on_session off_session",
	"payment_type":            "setup_mandate non_mandate new_mandate update_mandate ppt_mandate",
	"mandate_acceptance_type": "online offline",
	"mandate_type":            "single_use multi_use",
	"transaction_initiator":   "customer merchant",
	"billing_country":         "Germany UnitedStatesOfAmerica CotedIvoire SaintMartinFrenchpart KoreaDemocraticPeoplesRepublic",
	"issuer_country":          "AlandIslands BoliviaPlurinationalState SintMaartenDutchpart",
	"business_country":        "SaintHelenaAscensionAndTristandaCunha",
	"country":                 "Zimbabwe",
	"amount":                  `number 1000; number_array [1, 2]; number_comparison_array [{"comparisonType":"greater_than","number":5},{"comparisonType":"not_equal","number":9}]`,
	"card_bin":                `str_value "424242"`,
	"extended_card_bin":       `str_value "42424242"`,
	"business_label":          `str_value "shop"`,
	"metadata":                `metadata_variant {"key":"udf1","value":"x"}`,
}

// exported returns the detail of a configuration as the v1 API shows it, with a rule for each key.
func exported(w *routedWorld) string {
	var rules []string
	rule := func(key, kind, value string) {
		comparisons := []string{"equal", "not_equal"}
		if kind == "number" {
			comparisons = append(comparisons, "less_than", "less_than_equal", "greater_than", "greater_than_equal")
		}
		for _, c := range comparisons {
			rules = append(rules, fmt.Sprintf(`{"name":"%s %s %s","connectorSelection":{"type":"priority","data":[%s,"stripe"]},"statements":[{"condition":[{"lhs":%q,"comparison":%q,
				"value":{"type":%q,"value":%s},"metadata":{"exported":true}},{"lhs":"amount","comparison":"greater_than","value":{"type":"number","value":999999998},"metadata":{}}],"nested":null}]}`,
				key, c, kind, choice("adyen", w.adyen), key, c, kind, value))
		}
	}
	for key, values := range exportedKeys {
		first, _, _ := strings.Cut(values, " ")
		if !strings.HasPrefix(first, "number") && first != "str_value" && first != "metadata_variant" {
			rule(key, "enum_variant", `"`+first+`"`)
			rule(key, "enum_variant_array", `["`+strings.ReplaceAll(values, " ", `","`)+`"]`)
			continue
		}
		for typed := range strings.SplitSeq(values, "; ") {
			kind, value, _ := strings.Cut(typed, " ")
			rule(key, kind, value)
		}
	}
	return `{"id":"routing_A1b2C3d4E5f6G7h8I9j0","profile_id":"` + w.profile + `","name":"exported","description":"of the v1 API","created_at":1718000000,"modified_at":1718000001,"algorithm_for":"payment",
		"algorithm":{"type":"advanced","data":{"defaultSelection":{"type":"volume_split","data":[{"connector":` + choice("stripe", w.stripe) + `,"split":0},{"connector":` + choice("adyen", w.adyen) +
		`,"split":100}]},"metadata":{},"rules":[` + strings.Join(rules, ",") + `]}}}`
}

// TestImportOfAnExport: a configuration that the v1 API shows is accepted as it is, comes back the same, and routes.
func TestImportOfAnExport(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	export := exported(w)
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(export), &sent))
	for range 2 { // the second time it is payswitch's own export
		id := w.post("/routing", export).ok()["id"].(string)
		detail := w.get("/routing/" + id).ok()
		require.Equal(t, sent["algorithm"], detail["algorithm"])
		require.NotEqual(t, sent["id"], detail["id"], "ids are payswitch's own")
		w.post("/routing/"+id+"/activate", "{}").ok()
		require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "the default selection")
		require.Equal(t, w.adyen, w.post("/payments", with(plain, "routing", "-", "amount", "999999999")).ok()["merchant_connector_id"], "a rule")
		export = text(t, detail)
	}
	for _, kind := range []string{`{"type":"single","data":` + choice("adyen", w.adyen) + `}`, `{"type":"priority","data":[` + choice("adyen", w.adyen) + `,` + choice("stripe", w.stripe) + `]}`,
		`{"type":"volume_split","data":[{"connector":` + choice("adyen", w.adyen) + `,"split":100}]}`} {
		w.activated(kind)
		require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], kind)
	}
}

// TestImportOfAMerchant sends what the v1 API shows of a merchant, part by part, with the changes of the guide in engine/routing/README.md. Payments then go where
// the rules say. What is sent without those changes is refused, and the answer names the field.
func TestImportOfAMerchant(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	shown := `{"merchant_id":"merchant_1","profile_id":"pro_old","profile_name":"imported","return_url":"https://shop.example/return","enable_payment_response_hash":true,
		"redirect_to_merchant_with_http_post":false,"webhook_details":null,"metadata":null,"routing_algorithm":null,"intent_fulfillment_time":900,"session_expiry":900,"payment_link_config":null,
		"use_billing_as_payment_method_billing":true,"is_auto_retries_enabled":true,"max_auto_retries_enabled":1,"is_manual_retry_enabled":null,"is_debit_routing_enabled":true,
		"is_clear_pan_retries_enabled":false,"card_testing_guard_config":{"card_ip_blocking_status":"disabled","card_ip_blocking_threshold":3,"guest_user_card_blocking_status":"disabled",
		"guest_user_card_blocking_threshold":10,"customer_id_blocking_status":"disabled","customer_id_blocking_threshold":5,"card_testing_guard_expiry":3600},"payment_method_blocking":null,
		"acquirer_configs":null,"acquirer_config_bucket":null}`
	const profiles = "/account/" + merchant + "/business_profile"
	without := func(body string, send func(body string) response, fields ...string) string { // leaves fields out as the answers say
		for range fields {
			e := send(body).refused(400, "IR_06", "unknown field `")
			require.Contains(t, fields, e["param"])
			body = with(body, e["param"].(string), "-")
		}
		return body
	}
	shown = without(shown, func(body string) response { return w.post(profiles, body) }, "merchant_id", "profile_id", "acquirer_configs", "acquirer_config_bucket")
	profile := w.post(profiles, shown).ok()["profile_id"].(string)

	account := func(id, connector string) {
		body := `{"connector_type":"payment_processor","connector_name":"` + connector + `","connector_label":"` + id + `","merchant_connector_id":"` + id + `","profile_id":"` + profile + `",
			"connector_account_details":{"auth_type":"HeaderKey","api_key":"k"},"payment_methods_enabled":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit",
			"payment_experience":null,"card_networks":["Visa","AmericanExpress"],"accepted_currencies":{"type":"enable_only","list":["USD","EUR"]},"accepted_countries":null,"minimum_amount":1,
			"maximum_amount":68607706,"recurring_enabled":true,"installment_payment_enabled":true}]}],"metadata":null,"test_mode":true,"disabled":false,"frm_configs":null,"business_country":null,
			"business_label":null,"business_sub_label":null,"pm_auth_config":null,"status":"active","additional_merchant_data":null,"connector_wallets_details":null}`
		require.Equal(t, id, w.post("/account/"+merchant+"/connectors", body).ok()["merchant_connector_id"], "the id of the export stays")
	}
	account("mca_old_1", "stripe")
	account("mca_old_2", "adyen")
	account("mca_old_3", "stripe")

	pay := func(changes ...string) map[string]any {
		return w.post("/payments", with(with(plain, "routing", "-", "profile_id", `"`+profile+`"`, "currency", `"USD"`), changes...)).ok()
	}
	routed := func(p map[string]any) any { return p["merchant_connector_id"] }
	rule := func(name, selection, conditions string) string {
		return `{"name":"` + name + `","connectorSelection":` + selection + `,"statements":[{"condition":[` + conditions + `],"nested":null}]}`
	}
	to := func(connector, id string) string { return `{"type":"priority","data":[` + choice(connector, id) + `]}` }
	config := func(kind, transaction, program string) {
		id := w.post("/routing", `{"id":"routing_old","profile_id":"`+profile+`","name":"n","description":"","created_at":1718000000,"modified_at":1718000001,"algorithm_for":"`+transaction+`","transaction_type":"`+
			transaction+`","algorithm":{"type":"`+kind+`","data":`+program+`}}`).ok()["id"].(string)
		w.post("/routing/"+id+"/activate", `{"transaction_type":"`+transaction+`"}`).ok()
	}
	config("advanced", "payment", `{"defaultSelection":`+to("stripe", "mca_old_3")+`,"metadata":{},"rules":[`+
		rule("large", to("adyen", "mca_old_2"), condition("amount", "greater_than", "number", "5000")+","+condition("currency", "equal", "enum_variant", `"USD"`))+`]}`)
	require.Equal(t, []any{"mca_old_3", "mca_old_2", "mca_old_3"}, []any{routed(pay()), routed(pay("amount", "5001")), routed(pay("amount", "5001", "currency", `"EUR"`))})
	require.Equal(t, "mca_old_1", w.post("/routing/default/profile/"+profile, "["+choice("stripe", "mca_old_1")+","+choice("stripe", "mca_old_3")+","+choice("adyen", "mca_old_2")+"]").
		ok()["connectors"].([]any)[0].(map[string]any)["merchant_connector_id"])

	// Error table and config keys. A retry follows the new default list.
	p := pay(numberOf, softCard)
	require.Equal(t, []any{2.0, "mca_old_1"}, []any{p["attempt_count"], routed(p)})
	gsm := `{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"card_declined","message":"Your card has insufficient funds.","status":"Failure","router_error":null,"decision":"do_default",
		"step_up_possible":false,"unified_code":"UE_1000","unified_message":"m","error_category":null,"clear_pan_possible":false,"feature":"retry","feature_data":{"retry":{"step_up_possible":false,
		"clear_pan_possible":false,"alternate_network_possible":false,"decision":"do_default"}},"standardised_code":null,"description":null,"user_guidance_message":null}`
	require.Equal(t, "do_default", w.send("POST", "/gsm", adminKey, gsm).ok()["decision"])
	require.Equal(t, 1.0, pay(numberOf, softCard)["attempt_count"])
	require.Equal(t, "connector", w.send("POST", "/gsm", adminKey, with(gsm, "connector", `"bankofamerica"`)).refused(400, "IR_06", "unknown variant `bankofamerica`")["param"])
	w.send("POST", "/configs/", adminKey, `{"key":"guard_blocklist_for_m1","value":"true"}`).ok()

	w.post("/blocklist", `{"fingerprint_id":"378282","data_kind":"card_bin","created_at":"2024-06-01T00:00:00.000Z"}`).refused(400, "IR_06", "missing field `type`")
	w.block("card_bin", "378282").ok()
	require.Contains(t, w.post("/payments", with(plain, "routing", "-", numberOf, amexCard)).body, `"code":"HE_03"`)

	for path, program := range map[string]string{
		"/routing/decision": `"program":{"defaultSelection":{"override_3ds":null},"metadata":{},"rules":[` + rule("r", `{"override_3ds":"three_ds"}`, condition("amount", "equal", "number", "777")) + `]}`,
		"/routing/decision/surcharge": `"merchant_surcharge_configs":{"show_surcharge_breakup_screen":true},"algorithm":{"defaultSelection":{"surcharge_details":null},"metadata":{},"rules":[` +
			rule("r", `{"surcharge_details":{"surcharge":{"type":"rate","value":{"percentage":2}},"tax_on_surcharge":null}}`, condition("amount", "equal", "number", "1000")) + `]}`,
	} {
		body := `{"name":"n",` + program + `,"created_at":1718000000,"modified_at":1718000001}`
		put := func(body string) response { return w.send("PUT", path, w.secret, body) }
		put(without(body, put, "created_at", "modified_at")).ok()
	}
	require.Equal(t, []any{"three_ds", 777.0}, []any{pay("amount", "777")["authentication_type"], pay("amount", "777")["net_amount"]})
	require.Equal(t, []any{"no_three_ds", 1020.0}, []any{pay()["authentication_type"], pay()["net_amount"]})
	config("three_ds_decision_rule", "three_ds_authentication", `{"defaultSelection":{"decision":"no_three_ds"},"metadata":{},"rules":[`+
		rule("r", `{"decision":"challenge_requested"}`, condition("amount", "equal", "number", "888"))+`]}`)
	require.Equal(t, []any{"three_ds", "no_three_ds"}, []any{pay("amount", "888")["authentication_type"], pay()["authentication_type"]})
}
