package router_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// keeping is a payment that saves its card for charges without the customer.
const keeping = `{"amount":1000,"currency":"USD","confirm":true,"customer_id":"cus_1","return_url":"https://example.com/return","payment_method":"card",
"setup_future_usage":"off_session","customer_acceptance":{"acceptance_type":"online","accepted_at":"2026-01-02T03:04:05.000Z","online":{"ip_address":"in a shop","user_agent":"Mozilla"}},
"billing":{"address":{"city":"Berlin"}},
"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_holder_name":"Joseph Doe","card_cvc":"123","nick_name":"blue"}}}`

func charge(id string, changes ...string) string {
	return with(`{"amount":500,"currency":"USD","off_session":true,"recurring_details":{"type":"payment_method_id","data":"`+id+`"}}`, changes...)
}

func TestSaveAndCharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", keeping).ok()
	id := p["payment_method_id"].(string)
	require.Regexp(t, `^pm_[0-9A-Za-z]{20}$`, id)
	require.Equal(t, "active", p["payment_method_status"])
	require.NotNil(t, p["connector_mandate_id"])
	require.Equal(t, "manual", p["card_discovery"])
	require.Equal(t, map[string]any{"payment_method_id": id, "payment_method_status": "active", "psp_tokenization": true, "network_tokenization": false,
		"network_transaction_id": p["network_transaction_id"], "network_transaction_link_id": nil, "is_eligible_for_mit_payment": true}, p["payment_method_tokenization_details"])
	require.Equal(t, id, w.get("/payments/" + p["payment_id"].(string)).ok()["payment_method_id"])

	m := w.post("/payments", charge(id)).ok()
	require.Equal(t, "succeeded", m["status"])
	require.Equal(t, "cus_1", m["customer_id"])
	require.Equal(t, id, m["payment_method_id"])
	require.Equal(t, p["connector_mandate_id"], m["connector_mandate_id"])
	require.Equal(t, "saved_card", m["card_discovery"])
	require.Equal(t, "no_three_ds", m["authentication_type"])
	require.Nil(t, m["next_action"])
	require.Equal(t, "4242", m["payment_method_data"].(map[string]any)["card"].(map[string]any)["last4"])
	require.Equal(t, "Berlin", m["billing"].(map[string]any)["address"].(map[string]any)["city"])

	listed := w.get("/payments/list").ok()["data"].([]any)[0].(map[string]any)
	require.Nil(t, listed["payment_method_id"])

	on := w.post("/payments", with(keeping, "setup_future_usage", `"on_session"`, "customer_id", `"cus_2"`)).ok()
	require.NotNil(t, on["payment_method_id"])
	require.Nil(t, on["connector_mandate_id"])
	e := w.post("/payments", charge(on["payment_method_id"].(string))).refused(400, "IR_39", "No eligible connector was found for the current payment method configuration")
	require.Contains(t, e["hint"], "off_session")
	none := w.post("/payments", with(keeping, "customer_acceptance", "-", "customer_id", `"cus_3"`)).ok()
	require.Nil(t, none["payment_method_id"])
	require.Nil(t, none["payment_method_status"])
}

// TestChargeRefused: these charges without the customer are refused, and no payment is stored.
func TestChargeRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	_, other, _ := w.merchant("m2")
	for name, c := range map[string]struct {
		body       string
		status     int
		code, text string
	}{
		"no off_session":    {charge(id, "off_session", "-"), 400, "IR_04", "Missing required param: off_session"},
		"confirm false":     {charge(id, "confirm", "false"), 400, "IR_16", "`confirm` must be `true` for mandates"},
		"off_session false": {charge(id, "off_session", "false"), 400, "IR_16", "`off_session` should be `true` for mandates"},
		"unknown":           {charge("pm_none"), 404, "HE_02", "Payment method does not exist in our records"},
		"another customer":  {charge(id, "customer_id", `"cus_9"`), 404, "HE_02", "Payment method does not exist in our records"},
		"currency":          {charge(id, "currency", `"EUR"`), 400, "HE_03", "Mandate Validation Failed"},
		"mandate_data":      {charge(id, "mandate_data", `{"mandate_type":{"multi_use":null}}`), 400, "HE_03", "Mandate Validation Failed"},
		"token too":         {charge(id, "payment_token", `"token_x"`), 400, "IR_16", "more than one"},
		"unknown mandate":   {charge("man_none", "recurring_details.type", `"mandate_id"`), 404, "HE_02", "Mandate does not exist in our records"},
		"type":              {charge(id, "recurring_details.type", `"colour"`), 400, "IR_06", "unknown variant `colour`"},
		"data":              {charge(id, "recurring_details.data", `1`), 400, "IR_06", "expected a string"},
		"no data":           {charge(id, "recurring_details.data", "-"), 400, "IR_06", "missing field `data`"},
		"network token": {charge(id, "recurring_details", `{"type":"network_transaction_id_and_network_token_details","data":{"network_token":"4000000000000000"}}`), 400,
			"IR_39", "No eligible connector"},
		"limited": {charge(id, "recurring_details", `{"data":{"card_number":"4242424242424242"},"type":"card_with_limited_data"}`), 400, "IR_39", "No eligible connector"},
		"bad number": {charge(id, "recurring_details", `{"type":"network_transaction_id_and_card_details","data":{"card_number":"4242424242424241","card_exp_month":"1","card_exp_year":"50","network_transaction_id":"1"}}`),
			400, "IR_06", "card number invalid"},
	} {
		before := w.payments()
		r := w.post("/payments", c.body)
		require.Equal(t, c.status, r.status, "%s: %s", name, r.body)
		require.Equal(t, c.code, r.error()["code"], name)
		require.Contains(t, r.error()["message"], c.text, name)
		require.Equal(t, before, w.payments(), name)
	}
	w.send("POST", "/payments", other, charge(id)).refused(404, "HE_02", "Payment method does not exist in our records")
	ok := w.post("/payments", charge(id, "recurring_details", `{"data":{"network_transaction_id":"123456789012345","card_number":"4242 4242 4242 4242","card_exp_month":"1","card_exp_year":"50"},"type":"network_transaction_id_and_card_details"}`)).ok()
	require.Equal(t, "succeeded", ok["status"])
	ok = w.post("/payments", charge(id, "recurring_details", `{"type":"processor_payment_token","data":{"processor_payment_token":"simcard_4242424242_x"}}`)).ok()
	require.Equal(t, "simcard_4242424242_x", ok["connector_mandate_id"])
	require.Nil(t, ok["payment_method_data"])
}

func TestListAndPayWithToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	list := w.get("/customers/cus_1/payment_methods").ok()
	require.Nil(t, list["is_guest_customer"])
	item := list["customer_payment_methods"].([]any)[0].(map[string]any)
	token := item["payment_token"].(string)
	require.Equal(t, id, item["payment_method_id"])
	require.Equal(t, []any{true, true, true, "credit", "card", []any{"redirect_to_url"}}, []any{item["recurring_enabled"], item["requires_cvv"],
		item["default_payment_method_set"], item["payment_method_type"], item["payment_method"], item["payment_experience"]})
	require.Equal(t, map[string]any{"scheme": "Visa", "issuer_country": "UNITEDKINGDOM", "issuer_country_code": "GB", "last4_digits": "4242", "expiry_month": "10",
		"expiry_year": "50", "expired": false, "card_token": nil, "card_holder_name": "Joseph Doe", "card_fingerprint": nil, "nick_name": "blue", "card_network": "Visa",
		"card_isin": "424242", "card_issuer": "STRIPE PAYMENTS UK LIMITED", "card_type": "CREDIT", "saved_to_locker": true}, item["card"])
	require.Equal(t, "Berlin", item["billing"].(map[string]any)["address"].(map[string]any)["city"])
	w.get("/customers/nobody/payment_methods").refused(404, "HE_02", "Customer does not exist in our records")
	w.get("/customers/cus_1/payment_methods?colour=1").refused(400, "IR_06", "unknown field `colour`")
	require.Empty(t, w.get("/customers/cus_1/payment_methods?card_networks=Mastercard").ok()["customer_payment_methods"])
	require.Len(t, w.get("/customers/cus_1/payment_methods?recurring_enabled=true&limit=1").ok()["customer_payment_methods"], 1)

	open := w.post("/payments", `{"amount":700,"currency":"USD","customer_id":"cus_1"}`).ok()
	path, clientSecret := "/payments/"+open["payment_id"].(string), open["client_secret"].(string)
	mine := w.send("GET", "/customers/payment_methods?client_secret="+clientSecret, w.publishable, "").ok()
	require.Equal(t, false, mine["is_guest_customer"])
	require.NotEqual(t, token, mine["customer_payment_methods"].([]any)[0].(map[string]any)["payment_token"])
	confirm := func(changes ...string) response {
		return w.send("POST", path+"/confirm", w.publishable, with(fmt.Sprintf(`{"client_secret":%q,"payment_method":"card","payment_token":%q}`, clientSecret, token), changes...))
	}
	confirm("payment_token", `"token_00000000000000000000"`, "card_cvc", `"123"`).refused(422, "IR_29", "Token is invalid or expired")
	confirm("card_cvc", `"123"`, "is_stored_credential", "false").refused(422, "IR_06", "is_stored_credential")
	confirm().refused(400, "IR_04", "Missing required param: card_cvc")
	p := confirm("payment_method_data", `{"card_token":{"card_holder_name":"x","card_cvc":"123"}}`).ok()
	require.Equal(t, []any{"succeeded", id, "active", token, "saved_card"},
		[]any{p["status"], p["payment_method_id"], p["payment_method_status"], p["payment_token"], p["card_discovery"]})

	stored := w.post("/payments", `{"amount":700,"currency":"USD","customer_id":"cus_1","setup_future_usage":"off_session"}`).ok()
	mine = w.send("GET", "/customers/payment_methods?client_secret="+stored["client_secret"].(string), w.publishable, "").ok()
	require.Equal(t, false, mine["customer_payment_methods"].([]any)[0].(map[string]any)["requires_cvv"])
	p = w.send("POST", "/payments/"+stored["payment_id"].(string)+"/confirm", w.publishable,
		fmt.Sprintf(`{"client_secret":%q,"payment_method":"card","payment_token":%q}`, stored["client_secret"], token)).ok()
	require.Equal(t, "succeeded", p["status"])
	w.send("POST", "/payments/"+stored["payment_id"].(string)+"/confirm", w.publishable,
		fmt.Sprintf(`{"client_secret":%q,"off_session":true,"recurring_details":{"type":"payment_method_id","data":%q}}`, stored["client_secret"], id)).refused(401, "IR_01", "")
}

func TestMethodRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/customers", `{"customer_id":"cus_1"}`).ok()
	create := `{"customer_id":"cus_1","payment_method":"card","metadata":{"a":1},"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_holder_name":"J Doe"}}`
	m := w.post("/payment_methods", create).ok()
	id := m["payment_method_id"].(string)
	require.Equal(t, []any{"m1", "cus_1", "active", "card", "credit", map[string]any{"a": 1.0}, false},
		[]any{m["merchant_id"], m["customer_id"], m["status"], m["payment_method"], m["payment_method_type"], m["metadata"], m["recurring_enabled"]})
	require.Regexp(t, `^`+id+`_secret_[0-9A-Za-z]{20}$`, m["client_secret"])
	require.NotNil(t, m["last_used_at"])
	require.Equal(t, m, w.get("/payment_methods/"+id).ok())
	require.Equal(t, id, w.post("/payment_methods", create).ok()["payment_method_id"], "the same card")
	require.Equal(t, id, w.get("/customers/cus_1").ok()["default_payment_method_id"])
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"no customer":      {with(create, "customer_id", "-"), "IR_04"},
		"unknown customer": {with(create, "customer_id", `"nobody"`), "HE_02"},
		"expired":          {with(create, "card.card_exp_year", `"2020"`), "IR_16"},
		"wallet":           {with(create, "payment_method", `"wallet"`), "IR_19"},
		"number":           {with(create, "card.card_number", `"4242"`), "IR_06"},
		"no account":       {with(create, "connector_mandate_details", `{"mca_none":{"connector_mandate_id":"x"}}`), "HE_02"},
		"references":       {with(create, "connector_mandate_details", `{"mca":1}`), "IR_06"},
	} {
		require.Equal(t, c.code, w.post("/payment_methods", c.body).error()["code"], name)
	}

	u := w.post("/payment_methods/"+id+"/update", `{"card":{"card_exp_month":"11","card_exp_year":"2051","nick_name":"n"}}`).ok()["card"].(map[string]any)
	require.Equal(t, []any{"11", "2051", "n", "J Doe"}, []any{u["expiry_month"], u["expiry_year"], u["nick_name"], u["card_holder_name"]})
	client := func(path, secret, body string) response {
		return w.send("POST", path, w.publishable, with(body, "client_secret", secret))
	}
	client("/payment_methods/"+id+"/update", fmt.Sprintf("%q", m["client_secret"]), `{"card":{"nick_name":"m"}}`).ok()
	client("/payment_methods/"+id+"/update", `"x"`, `{"card":{"nick_name":"m"}}`).refused(400, "IR_09", "")
	client("/payment_methods/"+id+"/update", `null`, `{"card":{"nick_name":"m"}}`).refused(400, "IR_04", "client_secret")
	w.post("/payment_methods/pm_none/update", `{}`).refused(404, "HE_02", "Payment method does not exist in our records")

	empty := w.post("/payment_methods", `{"customer_id":"cus_1","payment_method":"card"}`).ok()
	require.Equal(t, "awaiting_data", empty["status"])
	require.Nil(t, empty["card"])
	path := "/payment_methods/" + empty["payment_method_id"].(string)
	w.post(path+"/update", `{"card":{"nick_name":"m"}}`).refused(400, "IR_16", "awaiting_data")
	secret := fmt.Sprintf("%q", empty["client_secret"])
	client(path+"/save", secret, `{}`).refused(400, "IR_04", "card")
	saved := client(path+"/save", secret, `{"card":{"card_number":"4111111111111111","card_exp_month":"1","card_exp_year":"50"}}`).ok()
	require.Equal(t, []any{"active", empty["payment_method_id"], "1111"}, []any{saved["status"], saved["payment_method_id"], saved["card"].(map[string]any)["last4_digits"]})
	client(path+"/save", secret, `{"card":{"card_number":"4111111111111111","card_exp_month":"1","card_exp_year":"50"}}`).refused(400, "IR_16", "active")
	again := w.post("/payment_methods", `{"customer_id":"cus_1","payment_method":"card"}`).ok()
	kept := client("/payment_methods/"+again["payment_method_id"].(string)+"/save", fmt.Sprintf("%q", again["client_secret"]),
		`{"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"1","card_exp_year":"52"}}}`).ok()
	require.Equal(t, id, kept["payment_method_id"], "the record of that card there is")
	w.get("/payment_methods/"+again["payment_method_id"].(string)).refused(404, "HE_02", "")
	w.passes(16 * time.Minute)
	client("/payment_methods/"+id+"/update", fmt.Sprintf("%q", m["client_secret"]), `{}`).refused(400, "IR_08", "expired")

	def := "/customers/cus_1/payment_methods/" + empty["payment_method_id"].(string) + "/default"
	require.Equal(t, map[string]any{"default_payment_method_id": empty["payment_method_id"], "customer_id": "cus_1", "payment_method": "card", "payment_method_type": "debit"}, w.post(def, `{}`).ok())
	w.post(def, ``).refused(400, "IR_16", "Payment Method is already set as default")
	w.post("/customers/cus_1/payment_methods/pm_none/default", ``).refused(400, "IR_16", "The payment_method_id is not valid")
	w.post("/customers/nobody/payment_methods/"+id+"/default", ``).refused(404, "HE_02", "Customer")

	for range 2 {
		require.Equal(t, map[string]any{"payment_method_id": empty["payment_method_id"], "deleted": true}, w.send("DELETE", path, w.secret, "").ok())
	}
	require.Nil(t, w.get("/customers/cus_1").ok()["default_payment_method_id"])
	w.get(path).refused(404, "HE_02", "Payment method does not exist in our records")
	_, other, _ := w.merchant("m2")
	for _, method := range []string{"GET", "DELETE"} {
		w.send(method, "/payment_methods/"+id, other, "").refused(404, "HE_02", "Payment method does not exist in our records")
	}
}

func TestEphemeralKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	w.post("/customers", `{"customer_id":"cus_2"}`).ok()
	k := w.post("/ephemeral_keys", `{"customer_id":"cus_1"}`).ok()
	key := k["secret"].(string)
	require.Regexp(t, `^epk_[0-9a-f]{32}$`, key)
	require.Equal(t, k["created_at"].(float64)+3600, k["expires"])
	w.post("/ephemeral_keys", `{"customer_id":"nobody"}`).refused(404, "HE_02", "Customer")
	as := func(method, path string) response { return w.send(method, path, key, "") }
	require.Len(t, as("GET", "/customers/cus_1/payment_methods").ok()["customer_payment_methods"], 1)
	require.Equal(t, false, as("GET", "/customers/payment_methods").ok()["is_guest_customer"])
	require.Equal(t, "cus_1", as("GET", "/customers/cus_1").ok()["customer_id"])
	for _, path := range []string{"/customers/cus_2/payment_methods", "/customers/cus_2"} {
		as("GET", path).refused(401, "IR_15", "Invalid Ephemeral Key for the customer")
	}
	as("POST", "/customers/cus_2/payment_methods/"+id+"/default").refused(401, "IR_15", "")
	for _, r := range [][2]string{{"GET", "/payments/list"}, {"POST", "/payments"}, {"GET", "/payments/x"}, {"GET", "/payment_methods/" + id}, {"POST", "/ephemeral_keys"},
		{"GET", "/customers/list"}, {"GET", "/account/m1/connectors"}, {"POST", "/payment_methods/" + id + "/update"}, {"GET", "/mandates/list"}} {
		require.Equal(t, 401, as(r[0], r[1]).status, r)
	}
	require.Equal(t, true, as("DELETE", "/payment_methods/"+id).ok()["deleted"])
	w.passes(time.Hour)
	as("GET", "/customers/cus_1").refused(401, "IR_01", "")
	k = w.post("/ephemeral_keys", `{"customer_id":"cus_1"}`).ok()
	require.NotContains(t, w.send("DELETE", "/ephemeral_keys/"+k["id"].(string), w.secret, "").ok(), "secret")
	w.send("GET", "/customers/cus_1", k["secret"].(string), "").refused(401, "IR_01", "")
	w.send("DELETE", "/ephemeral_keys/"+k["id"].(string), w.secret, "").refused(404, "HE_02", "")
}

func TestMandates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agree := with(keeping, "customer_acceptance", "-", "mandate_data", `{"customer_acceptance":{"acceptance_type":"online","online":{"ip_address":"1.1.1.1","user_agent":"u"}},
		"mandate_type":{"single_use":{"amount":800,"currency":"USD","start_date":"2020-01-01T00:00:00Z","end_date":"2040-01-01T00:00:00Z","metadata":{"a":1}}}}`)
	p := w.post("/payments", agree).ok()
	id := p["mandate_id"].(string)
	require.Regexp(t, `^man_[0-9A-Za-z]{20}$`, id)
	require.Equal(t, map[string]any{"single_use": map[string]any{"amount": 800.0, "currency": "USD", "start_date": "2020-01-01T00:00:00.000Z", "end_date": "2040-01-01T00:00:00.000Z", "metadata": map[string]any{"a": 1.0}}},
		p["mandate_data"].(map[string]any)["mandate_type"])
	m := w.get("/mandates/" + id).ok()
	require.Equal(t, []any{"active", p["payment_method_id"], "card", "4242"}, []any{m["status"], m["payment_method_id"], m["payment_method"], m["card"].(map[string]any)["last4_digits"]})
	require.Equal(t, "1.1.1.1", m["customer_acceptance"].(map[string]any)["online"].(map[string]any)["ip_address"])
	over := func(changes ...string) response {
		return w.post("/payments", with(fmt.Sprintf(`{"amount":500,"currency":"USD","off_session":true,"mandate_id":%q}`, id), changes...))
	}
	require.Equal(t, "request amount is greater than mandate amount", over("amount", "801").error()["reason"])
	require.Equal(t, "cross currency mandates not supported", over("currency", `"EUR"`).error()["reason"])
	over("customer_id", `"cus_9"`).refused(404, "HE_02", "Mandate does not exist in our records")
	over("off_session", "-").refused(400, "IR_04", "off_session")
	c := over("amount", "800").ok()
	require.Equal(t, []any{"succeeded", id, p["payment_method_id"]}, []any{c["status"], c["mandate_id"], c["payment_method_id"]})
	over().refused(400, "IR_16", "mandate is not active")
	require.Equal(t, "active", w.get("/mandates/" + id).ok()["status"])

	require.Len(t, w.get("/customers/cus_1/mandates").list(), 1)
	w.get("/customers/nobody/mandates").refused(404, "HE_02", "Customer")
	require.Len(t, w.get("/mandates/list?mandate_status=active").list(), 1)
	require.Empty(t, w.get("/mandates/list?mandate_status=revoked").list())
	w.get("/mandates/list?mandate_status=odd").refused(400, "IR_06", "mandate_status")
	w.send("DELETE", "/customers/cus_1", w.secret, "").refused(400, "IR_10", "")
	require.Equal(t, map[string]any{"mandate_id": id, "status": "revoked", "error_code": nil, "error_message": nil}, w.post("/mandates/revoke/"+id, "").ok())
	require.Equal(t, "Mandate has already been revoked", w.post("/mandates/revoke/"+id, "").error()["reason"])
	w.get("/mandates/man_none").refused(404, "HE_02", "Mandate does not exist in our records")

	multi := w.post("/payments", with(agree, "mandate_data.mandate_type", `{"multi_use":{"amount":800,"currency":"USD"}}`)).ok()["mandate_id"].(string)
	for range 3 {
		w.post("/payments", charge(multi, "recurring_details.type", `"mandate_id"`, "amount", "800")).ok()
	}
	free := w.post("/payments", with(agree, "mandate_data.mandate_type", `{"multi_use":null}`)).ok()
	require.Equal(t, map[string]any{"multi_use": nil}, free["mandate_data"].(map[string]any)["mandate_type"])
	w.post("/payments", charge(free["mandate_id"].(string), "recurring_details.type", `"mandate_id"`, "amount", "90000")).ok()

	for name, c := range map[string]struct{ body, code, text string }{
		"no customer":  {with(agree, "customer_id", "-"), "IR_16", "customer"},
		"usage":        {with(agree, "setup_future_usage", `"on_session"`), "IR_16", "off_session"},
		"no online":    {with(agree, "mandate_data.customer_acceptance.online", "-"), "IR_16", "online"},
		"both kinds":   {with(agree, "mandate_data.mandate_type", `{"multi_use":{"amount":8,"currency":"USD"},"single_use":{"amount":8,"currency":"USD"}}`), "IR_06", "mandate_type"},
		"unknown key":  {with(agree, "mandate_data.colour", `1`), "IR_06", "unknown field"},
		"no agreement": {with(agree, "mandate_data.customer_acceptance", "-"), "IR_04", "customer_acceptance"},
	} {
		e := w.post("/payments", c.body).error()
		require.Equal(t, c.code, e["code"], name)
		require.Contains(t, e["message"], c.text, name)
	}
}
