package router_test

import (
	"crypto/rand"
	"crypto/rsa"
	"testing"

	"github.com/stretchr/testify/require"
)

// These tests go on where lifecycle_options_test.go ends.

// Section 9.
func TestLifecycleExtendedCardInfo(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	const (
		profile = "/account/m1/business_profile/{profile}"
		toggle  = "admin POST " + profile + "/toggle_extended_card_info"
		info    = "GET /payments/{payment_id}/extended_card_info"
		none    = "404 IR_27 Extended card info does not exist"
	)
	config := func(publicKey, ttl string) string {
		return `{"extended_card_info_config":{"public_key":` + mustJSON(t, publicKey) + ttl + `}}`
	}
	full, secure := pay("stripe"), pay("stripe", "authentication_type", `"three_ds"`, "return_url", `"https://shop.example/r"`, "capture_method", `"automatic"`)
	w := newWorld(t)
	w.section(t, nil,
		step{"config: null when unset", "GET " + profile, "", `{"extended_card_info_config":null,"is_extended_card_info_enabled":"-","extended_card_info_enabled":"-"}`},
		step{"enabled is required", toggle, `{}`, "400 IR_06 missing field `enabled`"},
		step{"toggle: admin key", "POST " + profile + "/toggle_extended_card_info", `{"enabled":true}`, "401 IR_01 "},
		step{"toggle: unknown profile", "admin POST /account/m1/business_profile/pro_none/toggle_extended_card_info", `{"enabled":true}`, "404 HE_02 Business profile with the given id pro_none does not exist"},
		step{"toggle", toggle, `{"enabled":true}`, `{"enabled":true}`},
		step{"the present value again", toggle, `{"enabled":true}`, `{"enabled":true}`},
		step{"no config", "POST /payments", full, ``},
		step{"… nothing is stored", info, "", none},
		step{"ttl above 7200", "POST " + profile, config(pemOf(t, &key.PublicKey), `,"ttl_in_secs":7201`), "400 IR_06 ttl_in_secs must be less than or equal to 7200 (2hrs)"},
		step{"ttl below 0", "POST " + profile, config(pemOf(t, &key.PublicKey), `,"ttl_in_secs":-1`), "400 IR_06 "},
		step{"public_key is required", "POST " + profile, `{"extended_card_info_config":{"ttl_in_secs":5}}`, "400 IR_06 missing field `public_key`"},
		step{"default of ttl", "POST " + profile, config(pemOf(t, &key.PublicKey), ""), `{"extended_card_info_config":{"public_key":"*","ttl_in_secs":900}}`},
		step{"… echoed in every answer", "GET " + profile, "", `{"extended_card_info_config":{"public_key":"*","ttl_in_secs":900}}`},
		step{"the switch is not set by a profile update", "POST " + profile, `{"is_extended_card_info_enabled":false}`, "400 IR_06 "},
		step{"create of a profile with a config", "POST /account/m1/business_profile", config("x", `,"ttl_in_secs":7200`)[:1] + `"profile_name":"p2",` + config("x", `,"ttl_in_secs":7200`)[1:],
			`{"extended_card_info_config":{"public_key":"x","ttl_in_secs":7200}}`},
		step{"create + confirm", "POST /payments", full, ``},
		step{"… as often as asked", info, "", `{"payload":"/^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+){4}$/"}`},
		step{"…", info, "", `{"payload":"*"}`},
		step{"publishable key", "publishable " + info, "", "401 IR_01 "},
		step{"confirm", "POST /payments", pay("stripe", "confirm", "false"), ``},
		step{"… not before", info, "", none},
		step{"…", "POST /payments/{payment_id}/confirm", `{}`, `{"status":"requires_capture"}`},
		step{"…", info, "", `{"payload":"*"}`},
		step{"whatever the result", "POST /payments", pay("stripe", "payment_method_data.card.card_number", `"4000000000000002"`), `{"status":"failed"}`},
		step{"…", info, "", `{"payload":"*"}`},
		step{"a redirect is a result too", "POST /payments", secure, `{"status":"requires_customer_action"}`},
		step{"…", info, "", `{"payload":"*"}`},
		step{"unknown payment", "GET /payments/pay_none/extended_card_info", "", none},
		step{"switch off", toggle, `{"enabled":false}`, `{"enabled":false}`},
		step{"… hides", info, "", none},
		step{"… stores nothing", "POST /payments", full, ``},
		step{"on again", toggle, `{"enabled":true}`, `{"enabled":true}`},
		step{"…", info, "", none},
		step{"with a bad key the payment goes on", "POST " + profile, config("no key", `,"ttl_in_secs":0`), `{"extended_card_info_config":{"public_key":"no key","ttl_in_secs":0}}`},
		step{"…", "POST /payments", full, `{"status":"requires_capture"}`},
		step{"… nothing is stored", info, "", none},
		step{"config {profile_id}_enable_extended_card_bin", "admin POST /configs", `{"key":"{profile}_enable_extended_card_bin","value":"true"}`, `{"key":"{profile}_enable_extended_card_bin","value":"true"}`},
		step{"…", "POST /payments", full, `{"payment_method_data":{"card":{"card_extended_bin":null}}}`},
		step{"…", "admin DELETE /configs/{profile}_enable_extended_card_bin", "", `{"value":"true"}`},
		step{"… without", "POST /payments", full, `{"payment_method_data":{"card":{"card_extended_bin":null}}}`},
		step{"kept for ttl_in_secs", "POST " + profile, config(pemOf(t, &key.PublicKey), `,"ttl_in_secs":7200`), ``},
		step{"…", "POST /payments", full, ``},
		step{"…", info, "", `{"payload":"*"}`},
		step{"…", "wait 1 days", "", ""},
		step{"… expired", info, "", none},
	)

	// What the payload holds.
	opens := func(body string) map[string]any {
		id := w.post("/payments", body).ok()["payment_id"].(string)
		return opened(t, key, w.get("/payments/" + id + "/extended_card_info").ok()["payload"].(string))
	}
	require.Equal(t, map[string]any{"card_number": "4242424242424242", "card_exp_month": "10", "card_exp_year": "50", "card_holder_name": "Ada", "card_cvc": "737",
		"card_issuer": "STRIPE PAYMENTS UK LIMITED", "card_network": "Visa", "card_type": "CREDIT", "card_issuing_country": "UNITEDKINGDOM", "bank_code": nil},
		opens(pay("stripe", "payment_method_data.card.card_holder_name", `"Ada"`)))
}

// Section 10.
func TestLifecycleAuthenticationService(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	organization := w.admin("GET", "/accounts/m1", "").ok()["organization_id"].(string)
	secure := pay("stripe", "authentication_type", `"three_ds"`, "return_url", `"https://shop.example/r"`, "capture_method", `"automatic"`)
	plainly := pay("stripe", "authentication_type", `"no_three_ds"`, "capture_method", `"automatic"`)
	answers := []step{
		{"three_ds", "POST /payments", secure, `{"status":"requires_customer_action","authentication_type":"three_ds"}`},
		{"no_three_ds", "POST /payments", plainly, `{"status":"succeeded","authentication_type":"no_three_ds"}`},
	}
	steps := answers
	for _, value := range []string{"true", "TRUE", "false", "yes"} {
		for _, key := range []string{"authentication_service_eligible_" + organization, "authentication_service_eligible_m1", "should_store_eligibility_check_data_for_authentication_m1"} {
			steps = append(steps, step{key, "admin POST /configs", `{"key":"` + key + `","value":"` + value + `"}`, `{"key":"` + key + `","value":"` + value + `"}`})
			steps = append(append(steps, step{"answers do not change", "GET /health", "", "health is good"}), answers...)
			steps = append(steps, step{key, "admin GET /configs/" + key, "", `{"value":"` + value + `"}`}, step{key, "admin DELETE /configs/" + key, "", `{"key":"` + key + `","value":"` + value + `"}`})
		}
	}
	w.section(t, nil, steps...)
}

// Section 11.
func TestLifecycleOtherFlows(t *testing.T) {
	t.Parallel()
	w := simulators(t, "peachpayments", "bankofamerica", "checkout")
	limited := func(data string, changes ...string) string {
		return with(`{"amount":999,"currency":"USD","confirm":true,"off_session":true,"recurring_details":{"type":"card_with_limited_data","data":`+data+`}}`, changes...)
	}
	const number, profile, config = `{"card_number":"4242 4242 4242 4242"}`, "/account/m1/business_profile/{profile}", "should_enable_mit_with_limited_card_data_m1"
	street := `{"address":{"line1":"1 Main St","city":"Rome","country":"IT"}}`
	boa := func(changes ...string) string {
		return pay("bankofamerica", append([]string{"capture_method", `"automatic"`}, changes...)...)
	}
	secure := pay("stripe", "authentication_type", `"three_ds"`, "return_url", `"https://shop.example/r"`, "capture_method", `"automatic"`)
	const inside = `{"status":"requires_customer_action","is_iframe_redirection_enabled":true,"next_action":{"type":"redirect_inside_popup","popup_url":"/\/payments\/redirect\//",
		"redirect_response_url":"/\/redirect\/response\/stripe/","redirect_to_url":"-"}}`
	const outside = `{"status":"requires_customer_action","next_action":{"type":"redirect_to_url","redirect_to_url":"/\/payments\/redirect\//","popup_url":"-"}}`
	partner := func(sent string) string { return pay("stripe", "partner_merchant_identifier_details", sent) }
	shown := func(v string) string { return `{"partner_merchant_identifier_details":` + v + `}` }
	whole := `{"partner_details":{"name":"Shopware","version":"6","integrator":"Ada Ltd"},"merchant_details":{"name":"shop","version":"1"}}`
	w.section(t, nil,
		step{"MIT with the card alone", "POST /payments", limited(number), `{"status":"succeeded","connector":"peachpayments","amount_received":999,"authentication_type":"no_three_ds","customer_id":null,
			"payment_method":"card","payment_method_id":null,"mandate_id":null,"next_action":null,
			"payment_method_data":{"card":{"last4":"4242","card_isin":"424242","card_network":"Visa","card_type":"CREDIT","card_issuer":"STRIPE PAYMENTS UK LIMITED"}}}`},
		step{"… every field", "POST /payments", limited(`{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_holder_name":"Ada","eci":"05"}`), `{"status":"succeeded",
			"payment_method_data":{"card":{"card_exp_month":"10","card_exp_year":"50","card_holder_name":"Ada"}}}`},
		step{"… null", "POST /payments", limited(`{"card_number":"4242424242424242","card_exp_month":null,"card_exp_year":null,"card_holder_name":null,"eci":null}`), `{"status":"succeeded"}`},
		step{"… card_number: required", "POST /payments", limited(`{}`), "400 IR_06 missing field `card_number`"},
		step{"… length", "POST /payments", limited(`{"card_number":"4242"}`), "400 IR_06 invalid card number length"},
		step{"… letters", "POST /payments", limited(`{"card_number":"4242x24242424242"}`), "400 IR_06 invalid character found in card number"},
		step{"… Luhn", "POST /payments", limited(`{"card_number":"4242424242424241"}`), "400 IR_06 card number invalid"},
		step{"… eci no string", "POST /payments", limited(`{"card_number":"4242424242424242","eci":5}`), "400 IR_06 "},
		step{"… no account of the list", "POST /payments", limited(number, "connector", `["stripe"]`), "400 IR_39 No eligible connector was found for the current payment method configuration"},
		step{"… config off", "admin POST /configs", `{"key":"` + config + `","value":"false"}`, ``},
		step{"…", "POST /payments", limited(number), `400 IR_19 Payment method type not supported + {"reason":"MIT with Limited Card Data"}`},
		step{"… config on", "admin POST /configs/" + config, `{"value":"true"}`, ``},
		step{"…", "POST /payments", limited(number), `{"status":"succeeded"}`},

		step{"clear-PAN retry: default", "GET " + profile, "", `{"is_clear_pan_retries_enabled":false,"is_auto_retries_enabled":false,"is_network_tokenization_enabled":false}`},
		step{"… echoed", "POST " + profile, `{"is_clear_pan_retries_enabled":true,"is_auto_retries_enabled":true,"max_auto_retries_enabled":2,"is_network_tokenization_enabled":true}`,
			`{"is_clear_pan_retries_enabled":true,"is_auto_retries_enabled":true,"max_auto_retries_enabled":2,"is_network_tokenization_enabled":true}`},
		step{"… a typed card never triggers it", "POST /payments", pay("stripe", "payment_method_data.card.card_number", `"4000000000009979"`), `{"status":"failed","attempt_count":1}`},
		step{"…", "GET /payments/{payment_id}?expand_attempts=true", "", `{"attempts":[{"attempt_id":"{payment_id}_1","connector":"stripe"}]}`},
		step{"… off", "POST " + profile, `{"is_clear_pan_retries_enabled":false,"is_auto_retries_enabled":false}`, `{"is_clear_pan_retries_enabled":false}`},

		step{"billing: true by default", "GET " + profile, "", `{"use_billing_as_payment_method_billing":true}`},
		step{"… the payment's billing is given", "POST /payments", boa("billing", street), `{"status":"succeeded","billing":{"address":{"city":"Rome"}},"payment_method_data":{"billing":null}}`},
		step{"… none", "POST /payments", boa(), `{"status":"failed","error_code":"MISSING_FIELD"}`},
		step{"… gaps are filled", "POST /payments", boa("billing", street, "payment_method_data.billing", `{"email":"ada@example.com"}`), `{"status":"succeeded"}`},
		step{"… false", "POST " + profile, `{"use_billing_as_payment_method_billing":false}`, `{"use_billing_as_payment_method_billing":false}`},
		step{"… stored and echoed but not sent", "POST /payments", boa("billing", street), `{"status":"failed","error_code":"MISSING_FIELD","billing":{"address":{"city":"Rome"}}}`},
		step{"… payment_method_data.billing alone", "POST /payments", boa("payment_method_data.billing", street), `{"status":"succeeded"}`},
		step{"… true", "POST " + profile, `{"use_billing_as_payment_method_billing":true}`, `{"use_billing_as_payment_method_billing":true}`},
		step{"…", "POST /payments", boa("billing", street), `{"status":"succeeded"}`},

		step{"partner: never sent", "POST /payments", pay("stripe"), `{"partner_merchant_identifier_details":null}`},
		step{"… {}", "POST /payments", partner(`{}`), shown(`{"partner_details":null,"merchant_details":null}`)},
		step{"… absent keys", "POST /payments", partner(`{"partner_details":{},"merchant_details":{"integrator":"x"},"other":1}`),
			shown(`{"partner_details":{"name":null,"version":null,"integrator":null},"merchant_details":{"name":null,"version":null,"integrator":"-"},"other":"-"}`)},
		step{"… no string", "POST /payments", partner(`{"merchant_details":{"name":1}}`), "400 IR_06 "},
		step{"… create", "POST /payments", with(partner(whole), "confirm", "false"), shown(whole)},
		step{"… confirm", "POST /payments/{payment_id}/confirm", `{}`, shown(whole)},
		step{"… GET", "GET /payments/{payment_id}", "", shown(whole)},

		step{"iframe redirection: null", "POST /payments", secure, `{"is_iframe_redirection_enabled":null,"next_action":{"type":"redirect_to_url"}}`},
		step{"… of create", "POST /payments", with(secure, "is_iframe_redirection_enabled", "true"), inside},
		step{"… approved without redirect", "POST /payments", pay("stripe", "is_iframe_redirection_enabled", "true"), `{"status":"requires_capture","next_action":null,"is_iframe_redirection_enabled":true}`},
		step{"… of confirm", "POST /payments", with(secure, "confirm", "false"), `{"is_iframe_redirection_enabled":null}`},
		step{"…", "POST /payments/{payment_id}/confirm", `{"is_iframe_redirection_enabled":true}`, inside},
		step{"… the profile's field", "POST " + profile, `{"is_iframe_redirection_enabled":true}`, `{"is_iframe_redirection_enabled":true}`},
		step{"…", "POST /payments", secure, inside},
		step{"… create comes first", "POST /payments", with(secure, "is_iframe_redirection_enabled", "false"), outside},
	)
}

// Section 12. What the sections above show of a connector is not repeated.
func TestLifecycleSimulator(t *testing.T) {
	t.Parallel()
	w := simulators(t, "archipel", "cybersource", "checkout", "bankofamerica")
	w.section(t, nil,
		step{"archipel: facts of a card", "POST /payments", pay("archipel", "payment_method_data", cardOf("5185570141917102", "12", "2030", "123")),
			`{"payment_method_data":{"card":{"card_isin":"518557","card_type":"DEBIT","card_issuer":"MASTERCARD INTERNATIONAL","card_issuing_country":"UNITEDSTATES","card_network":"Visa",
			"payment_checks":null,"authentication_data":null,"auth_code":null}}}`},
		step{"archipel: no checks on any approval", "POST /payments", pay("archipel", "capture_method", `"automatic"`), `{"status":"succeeded","payment_method_data":{"card":{"payment_checks":null,"auth_code":null}}}`},
		step{"archipel: refund", "POST /refunds", `{"payment_id":"{payment_id}"}`, `{"status":"failed"}`},
		step{"cybersource: checks", "POST /payments", pay("cybersource"), `{"payment_method_data":{"card":{"payment_checks":{"avs_response":{"code":"Y","codeRaw":"Y"},"card_verification":null}}}}`},
		step{"adyen: BRL settles at once", "POST /payments", pay("adyen", "capture_method", `"automatic"`, "currency", `"BRL"`), `{"status":"succeeded","amount_received":6000}`},
		step{"adyen: refund", "POST /refunds", `{"payment_id":"{payment_id}"}`, `{"status":"pending"}`},
		step{"… also at sync", "GET /refunds/{refund_id}?force_sync=true", "", `{"status":"pending"}`},
		step{"adyen: full capture", "POST /payments", pay("adyen"), ``},
		step{"…", "POST /payments/{payment_id}/capture", `{}`, `{"status":"processing","amount_capturable":6000,"amount_received":null}`},
		step{"… force_sync", "GET /payments/{payment_id}?force_sync=true", "", `{"status":"processing","amount_capturable":6000,"amount_received":null}`},
		step{"adyen: partial capture", "POST /payments", pay("adyen"), ``},
		step{"…", "POST /payments/{payment_id}/capture", `{"amount_to_capture":100}`, `{"status":"processing","amount_capturable":6000,"amount_received":null}`},
		step{"checkout: several captures at once", "POST /payments", pay("checkout", "capture_method", `"manual_multiple"`), ``},
		step{"…", "POST /payments/{payment_id}/capture", `{"amount_to_capture":1}`, `{"status":"partially_captured_and_capturable","amount_received":1,"amount_capturable":5999}`},
		step{"what is not said: approved at once", "POST /payments", pay("bankofamerica", "billing", `{"address":{"line1":"1 Main St"}}`), `{"status":"requires_capture"}`},
	)
}
