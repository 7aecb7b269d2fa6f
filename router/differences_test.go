package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A deleted customer pays no more: create, update and confirm are refused. What was agreed before still ends: a capture, a refund.
func TestNoPaymentForADeletedCustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := func(changes ...string) string {
		return w.post("/payments", with(plain, append(changes, "customer_id", `"ada"`)...)).ok()["payment_id"].(string)
	}
	open, held := made("confirm", "-"), made("capture_method", `"manual"`)
	other := w.post("/payments", with(plain, "confirm", "-")).ok()["payment_id"].(string)
	w.send("DELETE", "/customers/ada", w.secret, "").ok()
	const refused = "Customer has already been redacted"
	before := w.payments()
	for _, body := range []string{with(plain, "customer_id", `"ada"`), with(plain, "customer", `{"id":"ada","name":"Ada"}`), with(plain, "customer_id", `"ada"`, "confirm", "-")} {
		e := w.post("/payments", body).refused(400, "IR_11", refused)
		require.Equal(t, "customer_id", e["param"])
	}
	require.Equal(t, before, w.payments(), "nothing is stored")
	w.post("/payments/"+other, `{"customer_id":"ada"}`).refused(400, "IR_11", refused)
	w.post("/payments/"+open, `{"description":"x"}`).refused(400, "IR_11", refused)
	w.post("/payments/"+open+"/confirm", with(plain, "amount", "-", "currency", "-", "confirm", "-")).refused(400, "IR_11", refused)
	require.Equal(t, "requires_confirmation", w.get("/payments/" + open).ok()["status"])
	require.Equal(t, "cancelled", w.post("/payments/"+open+"/cancel", `{}`).ok()["status"])
	require.Equal(t, "succeeded", w.post("/payments/"+held+"/capture", `{}`).ok()["status"])
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+held+`"}`).ok()["status"])
}

// A confirm repeats the payment's currency, and an update the payment's profile: another value is refused instead of dropped.
func TestCurrencyAndProfileAreRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.post("/account/"+merchant+"/business_profile", `{"profile_name":"other"}`).ok()["profile_id"].(string)
	p := w.post("/payments", with(plain, "confirm", "-")).ok()
	id, clientSecret := p["payment_id"].(string), p["client_secret"].(string)
	confirm := with(plain, "amount", "-", "confirm", "-", "currency", `"USD"`)
	e := w.post("/payments/"+id+"/confirm", confirm).refused(400, "IR_16", "You cannot change the currency of this payment in a confirm")
	require.Equal(t, "currency", e["param"])
	w.send("POST", "/payments/"+id+"/confirm", w.publishable, with(confirm, "client_secret", `"`+clientSecret+`"`)).refused(422, "IR_06", "currency is for the merchant's server")
	for _, path := range []string{"/payments/" + id, "/payments/" + id + "/confirm"} {
		e := w.post(path, with(confirm, "currency", "-", "profile_id", `"`+other+`"`)).refused(400, "IR_16", "You cannot change the profile of this payment")
		require.Equal(t, "profile_id", e["param"])
	}
	require.Equal(t, "USD", w.post("/payments/"+id, `{"currency":"USD","profile_id":"`+w.profile+`"}`).ok()["currency"])
	client := with(confirm, "client_secret", `"`+clientSecret+`"`, "profile_id", `"`+w.profile+`"`, "amount", "1")
	require.Equal(t, "succeeded", w.send("POST", "/payments/"+id+"/confirm", w.publishable, client).ok()["status"])

	id = w.post("/payments", with(plain, "confirm", "-")).ok()["payment_id"].(string)
	p = w.post("/payments/"+id, with(plain, "currency", `"USD"`)).ok()
	require.Equal(t, []any{"succeeded", "USD"}, []any{p["status"], p["currency"]}, "an update that confirms may change the currency")
}

// payment_channel is a value of the list, or an object that names another channel.
func TestPaymentChannels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, sent := range []string{`"ecommerce"`, `"mail_order"`, `"telephone_order"`, `{"other":"kiosk"}`} {
		p := w.post("/payments", with(plain, "confirm", "-", "payment_channel", sent))
		p.ok()
		require.Contains(t, p.body, `"payment_channel":`+sent)
	}
	for sent, message := range map[string]string{
		`"kiosk"`:   "unknown variant `kiosk`, expected one of `ecommerce`, `mail_order`, `telephone_order`, `other`",
		`7`:         "invalid type: integer `7`",
		`{}`:        "missing field `other`",
		`{"a":"b"}`: "unknown field `a`",
		`["other"]`: "invalid type: sequence",
	} {
		e := w.post("/payments", with(plain, "payment_channel", sent)).refused(400, "IR_06", message)
		require.Contains(t, e["param"], "payment_channel")
	}
}

// browser_info answers null for what was not sent, and 0 and false for what was sent as such.
func TestBrowserInfoShowsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shown := func(sent string) map[string]any {
		p := w.post("/payments", with(plain, "confirm", "-", "browser_info", sent)).ok()
		b := p["browser_info"].(map[string]any)
		require.Equal(t, b, w.get("/payments/" + p["payment_id"].(string)).ok()["browser_info"])
		return b
	}
	keys := []string{"color_depth", "java_enabled", "java_script_enabled", "language", "screen_height", "screen_width", "time_zone", "accept_header", "user_agent"}
	b := shown(`{"user_agent":"x"}`)
	for _, key := range keys[:8] {
		require.Contains(t, b, key)
		require.Nil(t, b[key], key)
	}
	b = shown(`{"color_depth":0,"java_enabled":false,"java_script_enabled":false,"screen_height":0,"screen_width":0,"time_zone":0}`)
	require.Equal(t, []any{0.0, false, false, 0.0, 0.0, 0.0}, []any{b["color_depth"], b["java_enabled"], b["java_script_enabled"], b["screen_height"], b["screen_width"], b["time_zone"]})
	about := `{"os_type":"iOS","os_version":"17.2","device_model":"iPhone15","accept_language":"de-CH","referer":"https://shop.example/cart"}`
	got := shown(about)
	for key, value := range (response{body: about, t: t}).object() {
		require.Equal(t, value, got[key], key)
		require.NotContains(t, b, key, "few callers send it")
	}
	b = shown(`{"java_enabled":true,"time_zone":-60}`)
	require.Equal(t, []any{true, nil, -60.0}, []any{b["java_enabled"], b["java_script_enabled"], b["time_zone"]})

	p := w.post("/payments", with(plain, "confirm", "-", "browser_info", `{"time_zone":0}`)).ok()
	client := with(plain, "amount", "-", "currency", "-", "confirm", "-", "browser_info", `{"java_enabled":false}`, "client_secret", `"`+p["client_secret"].(string)+`"`)
	b = w.send("POST", "/payments/"+p["payment_id"].(string)+"/confirm", w.publishable, client).ok()["browser_info"].(map[string]any)
	require.Equal(t, []any{false, nil}, []any{b["java_enabled"], b["time_zone"]})
}

// The codes of a profile's business go to banks as they are: the category has four digits, the country is one of ISO 3166-1.
func TestMerchantCodesOfProfiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/account/" + merchant + "/business_profile/" + w.profile
	for field, sent := range map[string][]string{"merchant_category_code": {"5411", "0763", ""}, "merchant_country_code": {"DE", "276", "840", ""}} {
		for _, code := range sent {
			require.Equal(t, code, w.post(path, `{"`+field+`":"`+code+`"}`).ok()[field])
		}
	}
	for field, sent := range map[string][]string{"merchant_category_code": {"x", "541", "54111", "54l1"}, "merchant_country_code": {"XX", "de", "999", "Germany"}} {
		for _, code := range sent {
			e := w.post(path, `{"`+field+`":"`+code+`"}`).refused(400, "IR_06", code)
			require.Equal(t, field, e["param"])
		}
	}
}

// A client secret in a query that names no payment is a wrong secret, as in every other place.
func TestSecretWithoutAPayment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/account/payment_methods", "/customers/payment_methods"} {
		for _, secret := range []string{"x", "_secret_", "a%20b_secret_c"} {
			w.send("GET", path+"?client_secret="+secret, w.publishable, "").refused(400, "IR_09", "The client_secret provided does not match")
		}
	}
}

// A limit of 0 lists no key.
func TestKeyListOfNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, "[]", w.send("GET", "/api_keys/"+merchant+"/list?limit=0", adminKey, "").body)
	require.NotEqual(t, "[]", w.send("GET", "/api_keys/"+merchant+"/list", adminKey, "").body)
}
