package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
)

// TestCapabilityTable: the operator's table limits a card type at a connector by billing country, currency and capture method. It does so in payments, in
// the dry run, in what a checkout offers and in the feature matrix.
func TestCapabilityTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) {
		o.OfferTables = []byte(`{"filters":{"stripe":{"credit":{"country":"DE,FR","currency":"EUR,CHF","not_available_flows":{"capture_method":"manual"}}},
			"default":{"credit":{"country":"DE,FR,US"}}}}`)
	})
	german, american, japanese := `{"address":{"country":"DE"}}`, `{"address":{"country":"US"}}`, `{"address":{"country":"JP"}}`
	pay := func(changes ...string) response {
		return w.post("/payments", with(with(plain, "routing", "-"), changes...))
	}
	for name, c := range map[string]struct {
		changes   []string
		connector string
	}{
		"no country":                    {nil, "stripe"},
		"a country of the row":          {[]string{"billing", german}, "stripe"},
		"another country":               {[]string{"billing", american}, "adyen"},
		"the method's billing wins":     {[]string{"billing", american, "payment_method_data.billing", german}, "stripe"},
		"the method's billing, abroad":  {[]string{"billing", german, "payment_method_data.billing", american}, "adyen"},
		"the shipping does not count":   {[]string{"billing", german, "shipping", american}, "stripe"},
		"another currency":              {[]string{"currency", `"USD"`}, "adyen"},
		"another currency of the row":   {[]string{"currency", `"CHF"`}, "stripe"},
		"capture method":                {[]string{"capture_method", `"manual"`}, "adyen"},
		"a debit card has no row":       {[]string{"billing", japanese, numberOf, `"4111111111111111"`}, "stripe"},
		"a card without a known type":   {[]string{"billing", japanese, numberOf, masterCard}, "stripe"},
		"named first, and left out":     {[]string{"billing", american, "routing", `{"type":"single","data":"stripe"}`}, "adyen"},
		"without charge, another place": {[]string{"amount", "0", "setup_future_usage", `"off_session"`, "customer_id", `"c"`, "customer_acceptance", `{"acceptance_type":"offline"}`, "billing", american}, "adyen"},
	} {
		require.Equal(t, c.connector, pay(c.changes...).ok()["connector"], name)
	}
	r := pay("billing", japanese)
	r.refused(400, "IR_39", "No eligible connector was found for the current payment method configuration")
	require.Contains(t, r.error()["reason"], "the connector does not take this card type from the billing country")
	id := pay("billing", american).ok()["payment_id"].(string)
	trace := w.get("/payments/" + id + "?expand=routing").ok()["routing"]
	require.Contains(t, text(t, trace), "the connector does not take this card type from the billing country")
	w.profileTo(`{"use_billing_as_payment_method_billing":false}`)
	require.Equal(t, "stripe", pay("billing", american).ok()["connector"], "the payment's own billing does not stand for the method's")

	routed := &routedWorld{world: w}
	routed.activated(`{"type":"priority","data":["stripe","adyen"]}`)
	eligible := func(parameters string) string {
		body := `{"created_by":"` + w.profile + `","parameters":{` + parameters + `},"fallback_output":[]}`
		return text(t, w.post("/routing/rule/evaluate", body).ok()["eligible_connectors"])
	}
	credit, country := `"payment_method_type":{"type":"enum_variant","value":"credit"}`, `"billing_country":{"type":"enum_variant","value":"`
	for parameters, stripe := range map[string]bool{credit: true, credit + "," + country + `France"}`: true, credit + "," + country + `UnitedStatesOfAmerica"}`: false, country + `Japan"}`: true,
		credit + `,"currency":{"type":"enum_variant","value":"USD"}`: false, credit + `,"capture_method":{"type":"enum_variant","value":"manual"}`: false} {
		if stripe {
			require.Contains(t, eligible(parameters), `"stripe"`, parameters)
		} else {
			require.NotContains(t, eligible(parameters), `"stripe"`, parameters)
			require.Contains(t, eligible(parameters), `"adyen"`, parameters)
		}
	}

	shown := map[string][]any{}
	for _, c := range w.get("/feature_matrix").ok()["connectors"].([]any) {
		for _, m := range c.(map[string]any)["supported_payment_methods"].([]any) {
			m := m.(map[string]any)
			shown[c.(map[string]any)["name"].(string)+" "+m["payment_method_type"].(string)] = []any{m["supported_countries"], m["supported_currencies"]}
		}
	}
	require.Equal(t, map[string][]any{"stripe credit": {[]any{"DE", "FR"}, []any{"EUR", "CHF"}}, "stripe debit": {nil, nil},
		"adyen credit": {[]any{"DE", "FR", "US"}, nil}, "adyen debit": {nil, nil}}, shown)
}

// TestMerchantCountries: an adapter that names the countries of its merchants takes no payments for a merchant of another country.
func TestMerchantCountries(t *testing.T) {
	t.Parallel()
	local := simulator.Adapter()
	local.Manifest.Countries, local.Manifest.Currencies = []string{"BR", "MX"}, []sdk.Currency{"EUR", "BRL"}
	w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": local, "adyen": simulator.Adapter()}))
	pay := func() any { return w.post("/payments", with(plain, "routing", "-")).ok()["connector"] }
	require.Equal(t, "stripe", pay(), "a merchant without a country")
	for _, c := range [][2]string{{`"DE"`, "adyen"}, {`"BR"`, "stripe"}, {`"276"`, "adyen"}, {`"076"`, "stripe"}} {
		w.profileTo(`{"merchant_country_code":` + c[0] + `}`)
		require.Equal(t, c[1], pay(), c)
	}
	r := w.post("/account/"+merchant+"/connectors", `{"connector_type":"payment_processor","connector_name":"stripe","connector_label":"abroad","business_country":"DE",
		"connector_account_details":{"auth_type":"HeaderKey","api_key":"k"}}`)
	abroad := r.ok()["merchant_connector_id"].(string)
	r = w.post("/payments", with(plain, "routing", `{"type":"single","data":{"connector":"stripe","merchant_connector_id":"`+abroad+`"}}`))
	require.NotEqual(t, abroad, r.ok()["merchant_connector_id"], "the account's country wins over the profile's")
	w.profileTo(`{"merchant_country_code":"DE"}`)
	r = w.post("/payments", with(plain, "routing", "-", "connector", `["stripe"]`))
	r.refused(400, "IR_39", "")
	require.Contains(t, r.error()["reason"], "the connector takes no merchants of the account's country")
	for _, c := range w.get("/feature_matrix").ok()["connectors"].([]any) {
		if c := c.(map[string]any); c["name"] == "stripe" {
			method := c["supported_payment_methods"].([]any)[0].(map[string]any)
			require.Equal(t, []any{[]any{"BR", "MX"}, []any{"EUR", "BRL"}}, []any{method["supported_countries"], method["supported_currencies"]})
		}
	}
}
