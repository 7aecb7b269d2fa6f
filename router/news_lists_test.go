package router_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// atConnectors makes a world whose simulator answers for these connectors.
func atConnectors(t *testing.T, names ...string) *world {
	adapters := map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter()}
	for _, name := range names {
		adapters[name] = simulator.Adapter()
	}
	return newWorldWith(t, plugins.NativeConnectors(adapters))
}

// profileOf makes a profile with one account that has the enabled methods, as a change of a payment.
func (w *world) profileOf(connector, methods string) []string {
	w.t.Helper()
	id := w.post("/account/m1/business_profile", `{"profile_name":"`+connector+fmt.Sprint(time.Now().UnixNano())+`"}`).ok()["profile_id"].(string)
	w.enable(connector, methods, "profile_id", `"`+id+`"`)
	return []string{"profile_id", `"` + id + `"`}
}

// enable makes an account of a connector with these methods, and returns its id. more are further fields.
func (w *world) enable(connector, methods string, more ...string) string {
	w.t.Helper()
	body := `{"connector_type":"payment_processor","connector_name":"` + connector + `","connector_label":"` + connector + fmt.Sprint(time.Now().UnixNano()) +
		`","connector_account_details":{"auth_type":"HeaderKey","api_key":"k"},"payment_methods_enabled":` + methods + `}`
	return w.post("/account/m1/connectors", with(body, more...)).ok()["merchant_connector_id"].(string)
}

func enabledType(method, kind, more string) string {
	return `[{"payment_method":"` + method + `","payment_method_types":[{"payment_method_type":"` + kind + `"` + more + `}]}]`
}

// TestOfferFilters holds the built-in filters against the contract's: a type is on offer for each of its countries and currencies, and for no other.
func TestOfferFilters(t *testing.T) {
	t.Parallel()
	const (
		nobody = "LI,ISK" // a country and a currency that no filter names
		any    = ""
	)
	shape := map[string]string{"card": `,"card_networks":["Visa"]`, "wallet": `,"payment_experience":"redirect_to_url"`, "pay_later": `,"payment_experience":"redirect_to_url"`}
	w := atConnectors(t, "checkout", "cybersource")
	for _, c := range []struct{ connector, method, kind, countries, currencies string }{
		{"checkout", "bank_redirect", "ideal", "NL", "EUR"},
		{"checkout", "bank_redirect", "giropay", "DE", "EUR"},
		{"checkout", "bank_redirect", "eps", "AT", "EUR"},
		{"checkout", "bank_redirect", "sofort", "ES,GB,SE,AT,NL,DE,CH,BE,FR,FI,IT,PL", "EUR"},
		{"checkout", "pay_later", "affirm", "US", "USD"},
		{"checkout", "pay_later", "afterpay_clearpay", "US,CA,GB,AU,NZ", "GBP,AUD,NZD,CAD,USD"},
		{"checkout", "pay_later", "klarna", "AT,BE,DK,FI,FR,DE,IE,IT,NL,NO,ES,SE,GB,US,CA", "USD,GBP,EUR,CHF,DKK,SEK,NOK,AUD,PLN,CAD"},
		{"stripe", "bank_redirect", "ideal", "NL", "EUR"},
		{"stripe", "bank_redirect", "bancontact_card", "BE", "EUR"},
		{"stripe", "bank_redirect", "przelewy24", "PL", "EUR,PLN"},
		{"stripe", "bank_redirect", "blik", "PL", "PLN"},
		{"stripe", "bank_debit", "ach", "US", "USD"},
		{"stripe", "bank_debit", "bacs", "GB", "GBP"},
		{"stripe", "bank_debit", "becs", "AU", "AUD"},
		{"stripe", "bank_debit", "sepa", any, "EUR"},
		{"stripe", "wallet", "cashapp", "US", "USD"},
		{"stripe", "card", "credit", any, any},
		{"cybersource", "card", "debit", any, "USD,GBP,EUR,PLN,SEK,XOF,CAD,KWD,QAR"},
		{"adyen", "bank_redirect", "sofort", any, "CHF,EUR"},
		{"adyen", "bank_redirect", "eps", "AT", "EUR"},
		{"adyen", "pay_later", "affirm", "US", "USD"},
	} {
		name, profile := c.connector+" "+c.kind, w.profileOf(c.connector, enabledType(c.method, c.kind, shape[c.method]))
		offered := func(country, currency string) bool {
			return len(offers(w.asked(append(profile, "billing", `{"address":{"country":"`+country+`"}}`, "currency", `"`+currency+`"`)...))) > 0
		}
		foreign, other, _ := strings.Cut(nobody, ",")
		countries, currencies := strings.Split(c.countries, ","), strings.Split(c.currencies, ",")
		if c.countries == any {
			countries = []string{foreign}
		}
		if c.currencies == any {
			currencies = []string{other}
		}
		for _, country := range countries {
			require.True(t, offered(country, currencies[0]), "%s %s", name, country)
		}
		for _, currency := range currencies {
			require.True(t, offered(countries[0], currency), "%s %s", name, currency)
		}
		require.Equal(t, c.countries == any, offered(foreign, currencies[0]), name)
		require.Equal(t, c.currencies == any, offered(countries[0], other), name)
	}
}

// TestOfferedAccounts: which accounts and entries are looked at, and how an entry's own lists and the configured filter work together.
func TestOfferedAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	credit := func(more string) string { return enabledType("card", "credit", `,"card_networks":["Visa"]`+more) }
	require.Equal(t, []any{}, w.asked()["payment_methods"], "nothing is enabled")
	other := w.post("/account/m1/business_profile", `{"profile_name":"other"}`).ok()["profile_id"].(string)
	w.enable("stripe", credit(""), "profile_id", `"`+other+`"`)
	require.Equal(t, []any{}, w.asked()["payment_methods"], "of another profile")
	require.Equal(t, map[string]any{"credit Visa": []any{"stripe"}}, offers(w.asked("profile_id", `"`+other+`"`)))

	one := w.enable("adyen", credit(""))
	change := func(methods string) {
		w.post("/account/m1/connectors/"+one, `{"connector_type":"payment_processor","payment_methods_enabled":`+methods+`}`).ok()
	}
	german, french := []string{"billing", `{"address":{"country":"DE"}}`}, []string{"billing", `{"address":{"country":"FR"}}`}
	for _, c := range []struct {
		methods    string
		asked      []string
		offered    bool
		inContract string
	}{
		{credit(`,"accepted_countries":{"type":"disable_only","list":["DE"]}`), german, false, "disable_only has it"},
		{credit(`,"accepted_countries":{"type":"disable_only","list":["DE"]}`), french, true, "disable_only does not have it"},
		{credit(`,"accepted_countries":{"type":"disable_only","list":["DE"]}`), nil, true, "no billing country passes"},
		{credit(`,"accepted_countries":{"type":"enable_only","list":["DE"]}`), french, false, "enable_only does not have it"},
		{credit(`,"accepted_countries":{"type":"enable_only","list":[]}`), french, true, "an empty list filters nothing"},
		{credit(`,"accepted_currencies":{"type":"enable_only","list":[]}`), nil, true, "an empty list filters nothing"},
		{credit(`,"accepted_currencies":{"type":"disable_only","list":["EUR"]}`), nil, false, "disable_only has it"},
		{enabledType("bank_redirect", "ideal", `,"accepted_countries":{"type":"enable_only","list":["DE"]}`), german, false, "the filter must allow it, too"},
		{enabledType("bank_redirect", "ideal", `,"accepted_countries":{"type":"all_accepted"}`), german, true, "all_accepted skips the filter"},
		{enabledType("bank_redirect", "ideal", `,"accepted_currencies":{"type":"all_accepted"}`), []string{"currency", `"USD"`}, true, "all_accepted skips the filter"},
		{enabledType("bank_redirect", "ideal", ``), []string{"currency", `"USD"`}, false, "the filter of adyen"},
		{enabledType("bank_redirect", "trustly", ``), []string{"currency", `"USD"`}, true, "no table has it"},
		{enabledType("bank_redirect", "ideal", ``), []string{"capture_method", `"manual"`}, false, "not for manual capture"},
		{enabledType("card", "credit", ``), nil, false, "a card without networks is not shown"},
		{enabledType("wallet", "paypal", ``), nil, false, "a wallet without an experience is not shown"},
		{credit(`,"minimum_amount":5000,"maximum_amount":6000,"recurring_enabled":false,"installment_payment_enabled":false`), []string{"setup_future_usage", `"off_session"`, "customer_id", `"c"`}, true,
			"amounts and flags are no test"},
	} {
		change(c.methods)
		require.Equal(t, c.offered, len(offers(w.asked(c.asked...))) > 0, "%s: %s %s", c.inContract, c.methods, c.asked)
	}
	change(credit(""))
	w.post("/account/m1/connectors/"+one, `{"connector_type":"payment_processor","disabled":true}`).ok()
	require.Equal(t, []any{}, w.asked()["payment_methods"], "disabled")

	// The list has a code for each refusal of a secret.
	p := w.post("/payments", with(plain, "confirm", "false", "session_expiry", "60")).ok()
	path := "/account/payment_methods?client_secret=" + p["client_secret"].(string)
	w.send("GET", path+"x", w.publishable, "").refused(400, "IR_09", "")
	w.send("GET", "/account/payment_methods?client_secret=pay_none_secret_00000000000000000000", w.publishable, "").refused(404, "HE_02", "")
	w.passes(time.Minute)
	w.send("GET", path, w.publishable, "").refused(400, "IR_08", "The provided client_secret has expired")
}

// TestOneAccountByRouting: for types whose client starts a session with an account, one account is on offer: the one that the profile's routing puts
// first. Cards keep all.
func TestOneAccountByRouting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	methods := `[{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"google_pay","payment_experience":"invoke_sdk_client"},{"payment_method_type":"cashapp","payment_experience":"display_qr_code"}]},
		{"payment_method":"bank_redirect","payment_method_types":[{"payment_method_type":"trustly"}]},{"payment_method":"bank_debit","payment_method_types":[{"payment_method_type":"sepa"}]},
		{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit","card_networks":["Visa"]}]}]`
	adyen, stripe := w.enable("adyen", methods), w.enable("stripe", methods)
	takers := func(changes ...string) string {
		o := offers(w.asked(changes...))
		bank := o["trustly bank_names"].([]any)[0].(map[string]any)["eligible_connectors"]
		return fmt.Sprint(o["google_pay invoke_sdk_client"], bank, o["sepa bank_debits"].(map[string]any)["eligible_connectors"], o["cashapp display_qr_code"], o["credit Visa"])
	}
	cards := "[adyen] [adyen stripe]" // stripe takes cashapp in USD alone
	require.Equal(t, "[adyen] [adyen] [adyen] "+cards, takers(), "the default list has accounts by creation")
	list := w.send("GET", "/routing/default/profile", w.secret, "", "X-Profile-Id", w.profile).list()
	slices.Reverse(list)
	w.post("/routing/default/profile/"+w.profile, mustJSON(t, list)).ok()
	require.Equal(t, "[stripe] [stripe] [stripe] "+cards, takers(), "the default list")

	activate := func(algorithm string) { (&routedWorld{world: w}).activated(algorithm) }
	activate(`{"type":"priority","data":[{"connector":"adyen","merchant_connector_id":"` + adyen + `"},{"connector":"stripe","merchant_connector_id":"` + stripe + `"}]}`)
	require.Equal(t, "[adyen] [adyen] [adyen] "+cards, takers(), "the active configuration wins over the default list")
	activate(`{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":[{"connector":"adyen","merchant_connector_id":"` + adyen + `"}]},"rules":[{"name":"debits","connectorSelection":{"type":"priority",
		"data":[{"connector":"stripe","merchant_connector_id":"` + stripe + `"}]},"statements":[{"condition":[{"lhs":"payment_method","comparison":"equal","value":{"type":"enum_variant","value":"bank_debit"},"metadata":{}}]}]}],"metadata":{}}}`)
	require.Equal(t, "[adyen] [adyen] [stripe] "+cards, takers(), "rules see the method")
}

// TestRequiredFieldsOfConnectors holds the fields of each connector against the contract's table.
func TestRequiredFieldsOfConnectors(t *testing.T) {
	t.Parallel()
	card := []string{"payment_method_data.card.card_number", "payment_method_data.card.card_exp_month", "payment_method_data.card.card_exp_year", "payment_method_data.card.card_cvc"}
	names := []string{"billing.address.first_name", "billing.address.last_name"}
	address := func(parts ...string) (out []string) {
		for _, p := range parts {
			out = append(out, "billing.address."+p)
		}
		return out
	}
	full := address("city", "state", "zip", "country", "line1")
	table := map[string][]string{
		"stripe braintree authorizedotnet square checkout paypal airwallex fiserv globalpay nexinets shift4 payu redsys simulator": card,
		"adyen aci noon peachpayments forte powertranz rapyd stax":                                                                 slices.Concat(card, names),
		"cybersource hipay bankofamerica barclaycard":                                                                              slices.Concat(card, names, []string{"email"}, full),
		"novalnet":          slices.Concat(names, []string{"billing.email"}),
		"datatrans bambora": slices.Concat(card, names, []string{"email"}),
		"nuvei":             slices.Concat(card, names, []string{"email"}, address("country")),
		"worldline dlocal":  slices.Concat(card, address("country")),
		"mollie":            slices.Concat(card, names, []string{"email"}, full),
		"nmi":               slices.Concat(card, names, address("zip")),
		"trustpay":          slices.Concat(card, names, address("line1", "city", "zip", "country")),
	}
	var all []string
	for connectors := range table {
		all = append(all, strings.Fields(connectors)...)
	}
	w := atConnectors(t, all...)
	for connectors, want := range table {
		for connector := range strings.FieldsSeq(connectors) {
			profile := w.profileOf(connector, enabledType("card", "credit", `,"card_networks":["Visa"]`))
			m := w.asked(append(profile, "customer_id", `"c"`, "email", `"ada@example.com"`, "billing", `{"address":{"line1":"1 Road","city":"Bern","state":"BE","zip":"3000","country":"CH","first_name":"Ada","last_name":"L"},"email":"bill@example.com"}`)...)
			kind := m["payment_methods"].([]any)[0].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)
			fields := kind["required_fields"].(map[string]any)
			require.ElementsMatch(t, want, keysOf(fields), connector)
			require.ElementsMatch(t, []string{"payment_method_type", "payment_experience", "card_networks", "bank_names", "bank_debits", "bank_transfers", "required_fields", "surcharge_details",
				"pm_auth_connector"}, keysOf(kind), "all keys, always")
			known := map[string]any{"billing.address.first_name": "Ada", "billing.address.last_name": "L", "billing.address.line1": "1 Road", "billing.address.city": "Bern", "billing.address.state": "BE",
				"billing.address.zip": "3000", "billing.address.country": "CH", "email": "ada@example.com", "billing.email": "bill@example.com"}
			for path, f := range fields {
				require.Equal(t, known[path], f.(map[string]any)["value"], "%s %s", connector, path)
			}
		}
	}
}

// TestRequiredFieldsOfWallets: a profile that always collects addresses from wallets asks for all of their fields.
func TestRequiredFieldsOfWallets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.enable("adyen", `[{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"google_pay","payment_experience":"invoke_sdk_client"}]}]`)
	fields := func() map[string]any {
		m := w.asked("shipping", `{"address":{"city":"Bern"},"phone":{"number":"99","country_code":"+41"}}`)
		return m["payment_methods"].([]any)[0].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)["required_fields"].(map[string]any)
	}
	require.Empty(t, fields(), "configured as none")
	w.profileTo(`{"always_collect_billing_details_from_wallet_connector":true}`)
	require.Subset(t, keysOf(fields()), []string{"billing.address.line1", "billing.address.country", "billing.phone.number", "billing.email"})
	require.NotContains(t, fields(), "shipping.address.city")
	w.profileTo(`{"always_collect_shipping_details_from_wallet_connector":true}`)
	require.Equal(t, map[string]any{"required_field": "shipping.address.city", "display_name": "city", "field_type": "user_shipping_address_city", "value": "Bern"}, fields()["shipping.address.city"])
	require.Equal(t, []any{"99", "+41"}, []any{fields()["shipping.phone.number"].(map[string]any)["value"], fields()["shipping.phone.country_code"].(map[string]any)["value"]})
}

// TestOfferedTopLevel: the keys of the list, and where their values come from.
func TestOfferedTopLevel(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":`+cards)
	m := w.asked()
	require.ElementsMatch(t, []string{"redirect_url", "currency", "payment_methods", "mandate_payment", "merchant_name", "show_surcharge_breakup_screen", "payment_type",
		"request_external_three_ds_authentication", "collect_shipping_details_from_wallets", "collect_billing_details_from_wallets", "is_tax_calculation_enabled", "sdk_next_action",
		"is_guest_customer", "intent_data"}, keysOf(m))
	require.Equal(t, []any{nil, false, false, "EUR", "normal"}, []any{m["merchant_name"], m["is_tax_calculation_enabled"], m["request_external_three_ds_authentication"], m["currency"], m["payment_type"]})
	require.Subset(t, keysOf(m["intent_data"].(map[string]any)), []string{"payment_id", "status", "amount", "currency", "client_secret", "description", "customer_id", "return_url", "setup_future_usage",
		"billing", "shipping", "metadata", "order_details", "created", "expires_on", "profile_id", "merchant_order_reference_id", "attempt_count", "installment_options", "capture_method",
		"merchant_name", "mandate_payment", "payment_type", "request_external_three_ds_authentication", "is_tax_calculation_enabled", "is_guest_customer"})

	w.admin("POST", "/accounts/m1", `{"merchant_id":"m1","merchant_name":"Ada's shop"}`).ok()
	w.profileTo(`{"is_tax_connector_enabled":true,"tax_connector_id":"mca_tax"}`)
	m = w.asked("request_external_three_ds_authentication", "true", "customer_id", `"c"`, "order_details", `[{"product_name":"book","quantity":1,"amount":1000}]`, "merchant_order_reference_id", `"order 7"`)
	d := m["intent_data"].(map[string]any)
	for _, from := range []map[string]any{m, d} {
		require.Equal(t, []any{"Ada's shop", true, true, false}, []any{from["merchant_name"], from["is_tax_calculation_enabled"], from["request_external_three_ds_authentication"], from["is_guest_customer"]})
	}
	require.Equal(t, []any{"order 7", "book"}, []any{d["merchant_order_reference_id"], d["order_details"].([]any)[0].(map[string]any)["product_name"]})
	require.Equal(t, false, w.asked("skip_external_tax_calculation", "true")["is_tax_calculation_enabled"])
}

// TestListsOfAProfile: a call with a profile finds what that profile has, in every list of payments, refunds, disputes and events.
func TestListsOfAProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.delivers(t)
	second := w.post("/account/m1/business_profile", `{"profile_name":"second"}`).ok()["profile_id"].(string)
	for _, p := range []string{w.profile, second} {
		w.post("/account/m1/business_profile/"+p, `{"webhook_details":{"webhook_url":"https://shop.test/hook"}}`).ok()
	}
	w.enable("stripe", cards, "profile_id", `"`+second+`"`)
	mine := w.paid(500)
	theirs := w.post("/payments", with(plain, "currency", `"USD"`, "profile_id", `"`+second+`"`)).ok()["payment_id"].(string)
	for id, payment := range map[string]string{"mine": mine, "theirs": theirs} {
		w.post("/refunds", fmt.Sprintf(`{"payment_id":%q,"refund_id":%q,"amount":100}`, payment, id)).ok()
	}
	w.arrivals(4)
	start := `"start_time":"2020-01-01T00:00:00Z"`
	for _, c := range []struct{ method, path, body, list, id string }{
		{"GET", "/payments/list", "", "data", "payment_id"}, {"GET", "/payments/profile/list", "", "data", "payment_id"},
		{"POST", "/payments/list", "{}", "data", "payment_id"}, {"POST", "/payments/profile/list", "{}", "data", "payment_id"},
		{"POST", "/refunds/list", "{}", "data", "refund_id"}, {"POST", "/refunds/profile/list", "{}", "data", "refund_id"},
		{"POST", "/events/profile/list", "{}", "events", "profile_id"}, {"POST", "/events/m1", "{}", "events", "profile_id"},
	} {
		found := func(profile string) (out []any) {
			for _, one := range w.send(c.method, c.path, w.secret, c.body, "X-Profile-Id", profile).ok()[c.list].([]any) {
				out = append(out, one.(map[string]any)[c.id])
			}
			return out
		}
		all, own, other := found(""), found(w.profile), found(second)
		require.Len(t, all, len(own)+len(other), c.path)
		require.NotEmpty(t, own, c.path)
		require.NotEmpty(t, other, c.path)
		for _, id := range own {
			require.NotContains(t, other, id, c.path)
		}
	}
	for _, path := range []string{"/payments/aggregate", "/payments/profile/aggregate", "/refunds/aggregate", "/refunds/profile/aggregate"} {
		for profile, n := range map[string]float64{"": 2, w.profile: 1, second: 1} {
			counts := w.send("GET", path+"?start_time=2020-01-01T00:00:00Z", w.secret, "", "X-Profile-Id", profile).ok()["status_with_count"].(map[string]any)
			require.Equal(t, n, counts[map[bool]string{true: "success", false: "succeeded"}[strings.HasPrefix(path, "/refunds")]], "%s %s", path, profile)
		}
	}
	for profile, currency := range map[string]string{w.profile: "USD", second: "USD"} {
		require.Equal(t, []any{currency}, w.send("POST", "/payments/filter", w.secret, `{`+start+`}`, "X-Profile-Id", profile).ok()["currency"])
	}
	for _, path := range []string{"/payments/v2/filter", "/payments/v2/profile/filter", "/refunds/v2/filter", "/refunds/v2/profile/filter", "/disputes/filter", "/disputes/profile/filter"} {
		accounts := w.send("GET", path, w.secret, "", "X-Profile-Id", second).ok()["connector"].(map[string]any)
		require.Len(t, accounts["stripe"], 1, path)
		require.NotContains(t, accounts, "adyen", path)
	}
}

// TestEventLists finds events by every filter and page.
func TestEventLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/hook"}}`)
	w.delivers(t)
	paid := w.paid(999_999_999)
	w.arrivals(1)
	failed := w.post("/payments", typed("4000000000000002")).ok()["payment_id"].(string)
	w.arrivals(2)
	w.post("/refunds", `{"payment_id":"`+paid+`","refund_id":"r1","amount":100}`).ok()
	w.arrivals(3)
	w.hooks.answer(500)
	w.post("/refunds", `{"payment_id":"`+paid+`","refund_id":"r2","amount":900000401}`).ok()
	w.arrivals(4)
	var first map[string]any
	list := func(path, body string) (got []any, total float64) {
		t.Helper()
		l := w.post(path, body).ok()
		got = []any{}
		for _, e := range l["events"].([]any) {
			if first == nil {
				first = e.(map[string]any)
			}
			got = append(got, e.(map[string]any)["object_id"])
		}
		return got, l["total_count"].(float64)
	}
	require.Eventually(t, func() bool { got, _ := list("/events/m1", `{"is_delivered":true}`); return len(got) == 3 }, 20*time.Second, 5*time.Millisecond)
	require.ElementsMatch(t, []string{"event_id", "merchant_id", "profile_id", "object_id", "event_type", "event_class", "is_delivery_successful", "initial_attempt_id", "processor_merchant_id", "created",
		"endpoint_id", "state", "next_attempt_at"}, keysOf(first))
	id := w.post("/events/m1", `{"object_id":"r1"}`).ok()["events"].([]any)[0].(map[string]any)["event_id"].(string)
	now, hour := time.Now().UTC(), func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }
	for body, want := range map[string][]any{
		`{}`:                                 {"r2", "r1", failed, paid},
		`{"object_id":"` + paid + `"}`:       {paid},
		`{"object_id":"none"}`:               {},
		`{"event_id":"` + id + `"}`:          {"r1"},
		`{"event_id":"evt_none"}`:            {},
		`{"profile_id":"` + w.profile + `"}`: {"r2", "r1", failed, paid},
		`{"event_classes":["refunds"]}`:      {"r2", "r1"},
		`{"event_classes":["refunds","payments"],"event_types":["refund_failed","payment_failed"]}`: {"r2", failed},
		`{"event_classes":["disputes"]}`:                         {},
		`{"event_types":["payment_succeeded"]}`:                  {paid},
		`{"is_delivered":true}`:                                  {"r1", failed, paid},
		`{"is_delivered":false}`:                                 {"r2"},
		`{"created_after":"` + hour(now.Add(-time.Hour)) + `"}`:  {"r2", "r1", failed, paid},
		`{"created_before":"` + hour(now.Add(-time.Hour)) + `"}`: {},
		`{"created_after":"` + hour(now.Add(-time.Hour)) + `","created_before":"` + hour(now.Add(time.Hour)) + `","limit":100}`: {"r2", "r1", failed, paid},
	} {
		for _, path := range []string{"/events/m1", "/events/profile/list"} {
			got, total := list(path, body)
			require.Equal(t, want, got, body)
			require.EqualValues(t, len(want), total, body)
		}
	}
	got, total := list("/events/m1", `{"limit":2,"offset":1}`)
	require.Equal(t, []any{[]any{"r1", failed}, 4.0}, []any{got, total})
	got, total = list("/events/m1", `{"limit":2,"offset":9}`)
	require.Equal(t, []any{[]any{}, 4.0}, []any{got, total})

	old := hour(now.Add(-91 * 24 * time.Hour))
	for body, c := range map[string]struct {
		status              int
		code, message, name string
	}{
		`{"limit":101}`:                    {422, "IR_06", "`limit` must be a number less than 100", "limit"},
		`{"limit":0}`:                      {422, "IR_06", "limit", "limit"},
		`{"offset":-1}`:                    {400, "IR_06", "", "offset"},
		`{"created_after":"` + old + `"}`:  {422, "IR_06", "90 days", "created_after"},
		`{"created_before":"` + old + `"}`: {422, "IR_06", "90 days", "created_before"},
		`{"created_after":"` + hour(now) + `","created_before":"` + hour(now.Add(-time.Hour)) + `"}`: {422, "IR_06", "created_after", "created_after"},
		`{"event_id":"a","object_id":"b"}`:               {400, "IR_16", "", "event_id"},
		`{"event_id":"a","is_delivered":true}`:           {400, "IR_16", "", ""},
		`{"object_id":"a","event_classes":["payments"]}`: {400, "IR_16", "", ""},
		`{"profile_id":"pro_none"}`:                      {404, "HE_02", "", "profile_id"},
		`{"event_classes":["payment"]}`:                  {400, "IR_06", "unknown variant `payment`", "event_classes"},
		`{"event_types":["payment_suceeded"]}`:           {400, "IR_06", "unknown variant", "event_types"},
		`{"is_delivered":"yes"}`:                         {400, "IR_06", "", "is_delivered"},
	} {
		r := w.post("/events/m1", body)
		r.refused(c.status, c.code, c.message)
		if c.name != "" {
			require.Contains(t, r.error()["param"], c.name, body)
		}
		require.NotEmpty(t, r.error()["hint"], body)
	}
	w.send("POST", "/events/m1", w.publishable, `{}`).refused(401, "IR_01", "")
	w.send("POST", "/events/profile/list", adminKey, `{}`).refused(401, "IR_01", "")
	_, other, _ := w.merchant("m2")
	require.NotEqual(t, 200, w.send("POST", "/events/m1", other, `{}`).status)
	w.admin("POST", "/events/"+merchant+"/evt_none/retry", "").refused(404, "HE_02", "Event")
	w.post("/events/"+merchant+"/"+id+"/retry?endpoint_id=we_none", "").refused(404, "HE_02", "")
}
