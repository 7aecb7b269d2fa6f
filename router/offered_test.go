package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOfferedMethods(t *testing.T) {
	w := newWorld(t)
	for _, connector := range []string{
		`"connector_name":"stripe","connector_label":"a","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
			{"payment_method_type":"credit","card_networks":["Visa","Mastercard"],"accepted_currencies":{"type":"enable_only","list":["EUR"]},"minimum_amount":100,"maximum_amount":5000},
			{"payment_method_type":"debit","card_networks":["Visa"],"accepted_currencies":{"type":"disable_only","list":["EUR"]}}]},
			{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"paypal"}]}]`,
		`"connector_name":"adyen","connector_label":"b","payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
			{"payment_method_type":"credit","card_networks":["Visa"],"recurring_enabled":false,"accepted_countries":{"type":"enable_only","list":["CH"]}}]}]`,
		`"connector_name":"adyen","connector_label":"c","disabled":true,"payment_methods_enabled":[{"payment_method":"card","payment_method_types":[
			{"payment_method_type":"debit","card_networks":["Visa"]}]}]`,
	} {
		w.post("/account/m1/connectors", `{"connector_type":"payment_processor","connector_account_details":{"auth_type":"HeaderKey","api_key":"k"},`+connector+`}`).ok()
	}
	ask := func(changes ...string) map[string]any {
		p := w.post("/payments", with(with(plain, "confirm", "false"), changes...)).ok()
		return w.send("GET", "/account/payment_methods?client_secret="+p["client_secret"].(string), w.publishable, "").ok()
	}
	// offers are the connectors by type and network.
	offers := func(m map[string]any) map[string]any {
		out := map[string]any{}
		for _, method := range m["payment_methods"].([]any) {
			for _, kind := range method.(map[string]any)["payment_method_types"].([]any) {
				for _, n := range kind.(map[string]any)["card_networks"].([]any) {
					network := n.(map[string]any)
					out[kind.(map[string]any)["payment_method_type"].(string)+" "+network["card_network"].(string)] = network["eligible_connectors"]
				}
			}
		}
		return out
	}
	both, stripe := []any{"stripe", "adyen"}, []any{"stripe"}
	m := ask()
	require.Equal(t, map[string]any{"credit Visa": both, "credit Mastercard": stripe}, offers(m))
	require.Equal(t, true, m["is_guest_customer"])
	require.Equal(t, map[string]any{"credit Visa": stripe, "credit Mastercard": stripe}, offers(ask("billing", `{"address":{"country":"DE"}}`)))
	require.Equal(t, map[string]any{"credit Visa": stripe, "credit Mastercard": stripe}, offers(ask("setup_future_usage", `"off_session"`, "customer_id", `"c"`)))
	require.Equal(t, map[string]any{"credit Visa": []any{"adyen"}}, offers(ask("amount", "99")))
	require.Equal(t, map[string]any{"credit Visa": []any{"adyen"}, "debit Visa": stripe}, offers(ask("currency", `"USD"`)))

	w.get("/account/payment_methods").expect(404, "IR_37", "Profile id not found")
	w.send("GET", "/account/payment_methods", w.publishable, "").expect(400, "IR_04", "Missing required param: client_secret")
	p := w.post("/payments", with(plain, "confirm", "false")).ok()
	w.get("/account/payment_methods?client_secret="+p["client_secret"].(string)).expect(422, "IR_06", "client_secret is not a valid parameter")
}
