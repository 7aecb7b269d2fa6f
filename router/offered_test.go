package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// offering makes a world whose accounts have enabled methods. Each text is the rest of an account's body.
func offering(t *testing.T, accounts ...string) *world {
	w := newWorld(t)
	for _, a := range accounts {
		w.post("/account/m1/connectors", `{"connector_type":"payment_processor","connector_account_details":{"auth_type":"HeaderKey","api_key":"k"},`+a+`}`).ok()
	}
	return w
}

// asked returns the answer to the list for a payment with these changes.
func (w *world) asked(changes ...string) map[string]any {
	p := w.post("/payments", with(with(plain, "confirm", "false"), changes...)).ok()
	return w.send("GET", "/account/payment_methods?client_secret="+p["client_secret"].(string), w.publishable, "").ok()
}

// offers returns the connectors of a list, by method, type and group.
func offers(m map[string]any) map[string]any {
	out := map[string]any{}
	for _, method := range m["payment_methods"].([]any) {
		for _, kind := range method.(map[string]any)["payment_method_types"].([]any) {
			k := kind.(map[string]any)
			name := k["payment_method_type"].(string)
			for key, of := range map[string]string{"card_networks": "card_network", "payment_experience": "payment_experience_type"} {
				if list, ok := k[key].([]any); ok {
					for _, n := range list {
						group := n.(map[string]any)
						out[name+" "+group[of].(string)] = group["eligible_connectors"]
					}
				}
			}
			for _, key := range []string{"bank_names", "bank_debits", "bank_transfers"} {
				if k[key] != nil {
					out[name+" "+key] = k[key]
				}
			}
		}
	}
	return out
}

const cards = `[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit","card_networks":["Visa","Mastercard"]},{"payment_method_type":"debit","card_networks":["Visa"]}]}]`

func TestOfferedMethods(t *testing.T) {
	t.Parallel()
	w := offering(t,
		`"connector_name":"stripe","connector_label":"a","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
			{"payment_method_type":"credit","card_networks":["Visa","Mastercard"],"accepted_currencies":{"type":"enable_only","list":["EUR"]},"minimum_amount":100,"maximum_amount":5000},
			{"payment_method_type":"debit","card_networks":["Visa"],"accepted_currencies":{"type":"disable_only","list":["EUR"]}}]},
			{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"paypal"}]}]`,
		`"connector_name":"adyen","connector_label":"b","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
			{"payment_method_type":"credit","card_networks":["Visa"],"recurring_enabled":false,"accepted_countries":{"type":"enable_only","list":["CH"]}}]}]`,
		`"connector_name":"adyen","connector_label":"c","disabled":true,"payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
			{"payment_method_type":"debit","card_networks":["Visa"]}]}]`,
		`"connector_name":"adyen","connector_label":"d","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"debit"}]}]`)
	both, stripe := []any{"stripe", "adyen"}, []any{"stripe"}
	all := map[string]any{"credit Visa": both, "credit Mastercard": stripe}
	m := w.asked()
	require.Equal(t, all, offers(m))
	require.Equal(t, []any{true, "normal", nil, map[string]any{"next_action": "confirm", "should_block_confirm": false}},
		[]any{m["is_guest_customer"], m["payment_type"], m["mandate_payment"], m["sdk_next_action"]})
	require.Equal(t, map[string]any{"credit Visa": stripe, "credit Mastercard": stripe}, offers(w.asked("billing", `{"address":{"country":"DE"}}`)))
	require.Equal(t, map[string]any{"credit Visa": []any{"adyen"}, "debit Visa": stripe}, offers(w.asked("currency", `"USD"`)))
	require.Empty(t, offers(w.asked("allowed_payment_method_types", `["ideal"]`)))
	for name, change := range map[string][]string{
		"amount too low": {"amount", "99"}, "amount too high": {"amount", "9999"}, "shipping": {"shipping", `{"address":{"country":"DE"}}`},
		"off session":   {"setup_future_usage", `"off_session"`, "customer_id", `"c"`},
		"allowed":       {"allowed_payment_method_types", `["credit"]`},
		"manual":        {"capture_method", `"manual"`},
		"other country": {"billing", `{"address":{"country":"CH"}}`},
	} {
		require.Equal(t, all, offers(w.asked(change...)), name)
	}

	p := w.post("/payments", with(plain, "confirm", "false")).ok()
	path := "/account/payment_methods?client_secret=" + p["client_secret"].(string)
	query := w.send("GET", path+"&amount=1&limit=1&recurring_enabled=true&installment_payment_enabled=true&accepted_countries=DE&accepted_countries=US"+
		"&accepted_currencies=USD&accepted_currencies=JPY&card_network=JCB&card_network=Visa&colour=blue", w.publishable, "").ok()
	require.Equal(t, all, offers(query), "the query is no test")
	for _, bad := range []string{"amount=x", "recurring_enabled=yes", "installment_payment_enabled=1", "limit=x", "accepted_countries=XX", "accepted_currencies=usd",
		"accepted_currencies=USD&accepted_currencies=x", "card_network=Vis", "amount=1&amount=2"} {
		w.send("GET", path+"&"+bad, w.publishable, "").refused(400, "IR_06", "")
	}
	w.get("/account/payment_methods").expect(404, "IR_37", "Profile id not found")
	w.send("GET", "/account/payment_methods", w.publishable, "").expect(400, "IR_04", "Missing required param: client_secret")
	w.get(path).expect(422, "IR_06", "client_secret is not a valid parameter")
}

// TestOfferedTypes: every shape of a type, the configured filters, and one account where the client starts a session with it.
func TestOfferedTypes(t *testing.T) {
	t.Parallel()
	const wallets = `{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"paypal","payment_experience":"redirect_to_url"},{"payment_method_type":"cashapp","payment_experience":"display_qr_code"}]}`
	banks := func(more string) string {
		return `"payment_methods_enabled":[` + wallets + `,{"payment_method":"bank_redirect","payment_method_types":[{"payment_method_type":"ideal"` + more + `},{"payment_method_type":"eps"}]},
			{"payment_method":"bank_debit","payment_method_types":[{"payment_method_type":"sepa"}]},{"payment_method":"bank_transfer","payment_method_types":[{"payment_method_type":"sepa"}]}]`
	}
	w := offering(t, `"connector_name":"adyen","connector_label":"one",`+banks(""), `"connector_name":"stripe","connector_label":"two",`+banks(`,"accepted_countries":{"type":"all_accepted"}`))
	adyen := []any{"adyen"}
	eligible := map[string]any{"eligible_connectors": adyen}
	no := func(connector string) []any {
		return []any{map[string]any{"bank_name": []any{}, "eligible_connectors": []any{connector}}}
	}
	require.Equal(t, map[string]any{"paypal redirect_to_url": adyen, "cashapp display_qr_code": adyen, "ideal bank_names": no("adyen"), "eps bank_names": no("adyen"),
		"sepa bank_debits": eligible, "sepa bank_transfers": eligible}, offers(w.asked()), "no billing country passes")
	dutch := w.asked("billing", `{"address":{"country":"NL"}}`)
	require.Contains(t, offers(dutch), "ideal bank_names")
	require.NotContains(t, offers(dutch), "eps bank_names")
	german := offers(w.asked("billing", `{"address":{"country":"DE"}}`))
	require.Equal(t, "abn_amro", german["ideal bank_names"].([]any)[0].(map[string]any)["bank_name"].([]any)[0], "all_accepted skips the filter: stripe is left")
	require.Equal(t, []any{"stripe"}, offers(w.asked("capture_method", `"manual"`))["ideal bank_names"].([]any)[0].(map[string]any)["eligible_connectors"])
	usd := offers(w.asked("currency", `"USD"`))
	require.NotContains(t, usd, "ideal bank_names")
	require.Contains(t, usd, "cashapp display_qr_code")
	methods := w.asked()["payment_methods"].([]any)
	require.Equal(t, "wallet", methods[0].(map[string]any)["payment_method"])
	require.Nil(t, methods[0].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)["required_fields"].(map[string]any)["email"])
	require.Nil(t, methods[1].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)["required_fields"], "nothing is known about ideal")
}

// TestOfferedPaymentType: what the payment sets up decides payment_type, and for a set-up without a charge which connectors are on offer.
func TestOfferedPaymentType(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":`+strings.Replace(cards, `]}]}]`, `]}]},{"payment_method":"bank_redirect","payment_method_types":[{"payment_method_type":"ideal"}]}]`, 1))
	terms := `{"multi_use":{"amount":800,"currency":"EUR"}}`
	agreed := `{"customer_acceptance":{"acceptance_type":"offline"},"mandate_type":` + terms + `}`
	off := []string{"setup_future_usage", `"off_session"`, "customer_id", `"c"`}
	m := w.asked(off...)
	require.Equal(t, "new_mandate", m["payment_type"])
	require.Contains(t, offers(m), "ideal bank_names")
	m = w.asked(append(off, "amount", "0")...)
	require.Equal(t, "setup_mandate", m["payment_type"])
	require.NotContains(t, offers(m), "ideal bank_names")
	require.Contains(t, offers(m), "credit Visa")
	m = w.asked(append(off, "mandate_data", agreed)...)
	require.Equal(t, "new_mandate", m["payment_type"])
	require.Equal(t, 800.0, m["mandate_payment"].(map[string]any)["multi_use"].(map[string]any)["amount"])
	require.Equal(t, m["mandate_payment"], m["intent_data"].(map[string]any)["mandate_payment"])
	require.Equal(t, "normal", w.asked("setup_future_usage", `"on_session"`, "customer_id", `"c"`)["payment_type"])
}

// TestRequiredFields: each connector adds its fields, and what the payment has is filled in.
func TestRequiredFields(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":`+cards,
		`"connector_name":"adyen","connector_label":"b","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"debit","card_networks":["Visa"]}]}]`)
	fields := func(kind int, changes ...string) map[string]any {
		types := w.asked(changes...)["payment_methods"].([]any)[0].(map[string]any)["payment_method_types"].([]any)
		return types[kind].(map[string]any)["required_fields"].(map[string]any)
	}
	require.Len(t, fields(0), 4)
	require.Equal(t, map[string]any{"required_field": "payment_method_data.card.card_number", "display_name": "card_number", "field_type": "user_card_number", "value": nil},
		fields(0)["payment_method_data.card.card_number"])
	require.Len(t, fields(1), 6, "adyen needs the names too")
	known := []string{"billing", `{"address":{"first_name":"Ada","last_name":"Lovelace"}}`}
	require.Equal(t, map[string]any{"required_field": "payment_method_data.billing.address.first_name", "display_name": "card_holder_name", "field_type": "user_full_name", "value": "Ada"},
		fields(1, known...)["billing.address.first_name"])
	w.post("/account/m1/business_profile/"+w.profile, `{"use_billing_as_payment_method_billing":false}`).ok()
	require.Nil(t, fields(1, known...)["billing.address.first_name"].(map[string]any)["value"])
}

// TestIntentData: the payment's own fields are in the list, for the right client secret alone.
func TestIntentData(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":`+cards)
	p := w.post("/payments", with(full, "confirm", "false", "payment_method_data", "-", "payment_method", "-", "payment_method_type", "-")).ok()
	other := w.post("/payments", with(full, "confirm", "false", "customer_id", `"cus_other"`, "email", `"other@example.com"`)).ok()
	r := w.send("GET", "/account/payment_methods?client_secret="+p["client_secret"].(string), w.publishable, "")
	d := r.ok()["intent_data"].(map[string]any)
	for _, key := range []string{"payment_id", "status", "amount", "currency", "client_secret", "description", "customer_id", "return_url", "billing", "shipping",
		"metadata", "created", "expires_on", "profile_id", "attempt_count", "capture_method"} {
		require.Equal(t, p[key], d[key], key)
	}
	require.NotContains(t, r.body, "other@example.com")
	require.NotContains(t, r.body, other["payment_id"])
	_, _, foreign := w.merchant("m2")
	w.send("GET", "/account/payment_methods?client_secret="+p["client_secret"].(string), foreign, "").refused(404, "HE_02", "Payment")
	w.send("GET", "/account/payment_methods?client_secret="+p["payment_id"].(string)+"_secret_x", w.publishable, "").refused(400, "IR_09", "")
}

// TestClientPayment: one call has all that a checkout shows, in the order of a browser's calls.
func TestClientPayment(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit","card_networks":["Visa"]}]}]`)
	saved := w.post("/payments", with(keeping, "routing", `{"type":"single","data":"stripe"}`)).ok()["payment_method_id"].(string)
	w.post("/payments", with(keeping, "customer_id", `"cus_other"`)).ok()
	w.post("/payments", with(keeping, "payment_method_data.card.card_number", `"4111111111111111"`, "payment_method_type", `"debit"`)).ok() // a type that is not on offer

	p := w.post("/payments", with(open, "currency", `"USD"`, "routing", `{"type":"single","data":"stripe"}`)).ok()
	path := "/payments/" + p["payment_id"].(string)
	token := tokenOf(t, p)
	require.Equal(t, "skip", w.as(token, "GET", "/v1/sdk/configs/web/sdk_config.json", "").ok()["account_config"].(map[string]any)["profile"].(map[string]any)["vaulting_action"])
	byToken := w.as(token, "GET", path+"/client", "").ok()
	bySecret := w.send("GET", path+"/client?client_secret="+p["client_secret"].(string), w.publishable, "").ok()
	require.Equal(t, byToken["payment_methods_enabled"], bySecret["payment_methods_enabled"])
	require.Equal(t, byToken["intent_data"], bySecret["intent_data"])
	enabled := byToken["payment_methods_enabled"].([]any)
	require.Len(t, enabled, 1)
	require.Equal(t, []any{"card", "credit", []any{map[string]any{"card_network": "Visa", "surcharge_details": nil, "eligible_connectors": []any{"stripe"}}}, nil},
		[]any{enabled[0].(map[string]any)["payment_method"], enabled[0].(map[string]any)["payment_method_type"], enabled[0].(map[string]any)["card_networks"], enabled[0].(map[string]any)["payment_experience"]})
	list := byToken["customer_payment_methods"].([]any)
	require.Len(t, list, 1)
	item := list[0].(map[string]any)
	require.Equal(t, "4242", item["payment_method_data"].(map[string]any)["card"].(map[string]any)["last4_digits"])
	require.NotContains(t, item, "payment_method_id")
	data := byToken["intent_data"].(map[string]any)
	require.Equal(t, []any{p["payment_id"], "normal", nil, false}, []any{data["payment_id"], data["payment_type"], data["mandate_payment"], data["is_guest_customer"]})
	require.Equal(t, map[string]any{"count": 0.0, "total_count": 0.0, "data": []any{}}, w.as(token, "GET", "/blocklist?data_kind=card_bin", "").ok())

	c := w.as(token, "POST", path+"/confirm", fmt.Sprintf(`{"payment_method":"card","payment_token":%q,"card_cvc":"123"}`, item["payment_token"])).ok()
	require.Equal(t, []any{"succeeded", saved}, []any{c["status"], c["payment_method_id"]})
	require.Equal(t, "succeeded", w.as(token, "GET", path+"/client", "").ok()["intent_data"].(map[string]any)["status"], "a reload after the payment")

	// A page with the publishable key and one secret learns nothing else.
	other := w.post("/payments", with(open, "customer_id", `"cus_other"`)).ok()
	w.get(path+"/client").refused(401, "IR_01", "")
	w.send("GET", path+"/client", w.publishable, "").refused(400, "IR_04", "Missing required param: client_secret")
	w.send("GET", "/payments/"+other["payment_id"].(string)+"/client?client_secret="+p["client_secret"].(string), w.publishable, "").refused(400, "IR_09", "")
	w.as(token, "GET", "/payments/"+other["payment_id"].(string)+"/client", "").refused(400, "IR_09", "")
	w.send("GET", "/blocklist?data_kind=card_bin", w.publishable, "").refused(400, "IR_04", "client_secret")
	w.as(token, "GET", "/blocklist", "").refused(400, "IR_06", "data_kind")
	w.as(token, "GET", "/blocklist?data_kind=x", "").refused(400, "IR_06", "unknown variant")
	w.get("/blocklist?data_kind=payment_method&limit=70000").refused(400, "IR_06", "limit")
	w.get("/blocklist?data_kind=payment_method").ok()
	require.NotContains(t, w.send("GET", "/v1/sdk/configs/web/sdk_config.json", w.publishable, "").body, w.profile)
	w.send("GET", "/v1/sdk/configs/web/sdk_config.json", "", "").refused(401, "IR_01", "")
}

// TestOfferTables: an operator's tables replace the built-in ones, and a mistake in them is found at the start.
func TestOfferTables(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, want := range map[string]string{`{`: "OfferTables", `{"filter":{}}`: "unknown field", `{"filters":{"stripe":{"credi":{}}}}`: `payment_method_type "credi" is unknown`,
		`{"filters":{"stripe":{"credit":{"country":"USA"}}}}`: `country "USA" is unknown`, `{"filters":{"stripe":{"credit":{"currency":"usd"}}}}`: `currency "usd" is unknown`,
		`{"fields":{"card":{"":"card nam"}}}`: `field "nam" is unknown`} {
		_, err := router.New(w.server.Deps, router.Options{PublicURL: publicURL, OfferTables: []byte(text)})
		require.ErrorContains(t, err, want, text)
	}
	_, err := router.New(w.server.Deps, router.Options{PublicURL: publicURL, OfferTables: []byte(`{"filters":{},"fields":{"card":{"":"card zip"}}}`)})
	require.NoError(t, err)
}
