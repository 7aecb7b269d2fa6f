package router_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/router"
)

// expect checks status, code and message of an error.
func (r response) expect(status int, code, message string) {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.body)
	e := r.error()
	require.Equal(r.t, code, e["code"], r.body)
	require.Equal(r.t, message, e["message"])
	require.Contains(r.t, []any{"invalid_request", "api"}, e["type"])
}

// TestRefusedCreate: these well-formed requests are refused, and nothing is stored.
func TestRefusedCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	year := time.Now().Year()
	for _, c := range []struct {
		name, body string
		status     int
		code, text string
	}{
		{"nothing", `{}`, 400, "IR_04", "Missing required param: currency"},
		{"no amount", `{"currency":"USD"}`, 400, "IR_04", "Missing required param: amount"},
		{"null amount", `{"currency":"USD","amount":null}`, 400, "IR_04", "Missing required param: amount"},
		{"data without method", with(plain, "payment_method", "-"), 400, "IR_04", "Missing required param: payment_method"},
		{"method without data", with(plain, "payment_method_data", "-"), 400, "IR_04", "Missing required param: payment_method_data"},
		{"wallet without type", with(plain, "payment_method", `"wallet"`), 400, "IR_04", "Missing required param: payment_method_type"},
		{"confirm with nothing", `{"amount":1,"currency":"USD","confirm":true}`, 422, "IR_06", "A payment token or payment method data or ctp service details is required"},
		{"usage without customer", with(plain, "setup_future_usage", `"on_session"`), 400, "IR_16", "customer_id is mandatory when setup_future_usage is given"},
		{"amount to capture", with(plain, "amount_to_capture", "1001"), 422, "IR_05", "amount_to_capture contains invalid data. Expected format is amount_to_capture lesser than amount"},
		{"scheduled", with(plain, "capture_method", `"scheduled"`), 501, "IR_00", ""},
		{"CVC", with(plain, "payment_method_data.card.card_cvc", `"12"`), 400, "IR_16", "Invalid card_cvc length"},
		{"CVC letters", with(plain, "payment_method_data.card.card_cvc", `"12a"`), 400, "IR_16", "Invalid Card CVC"},
		{"month", with(plain, "payment_method_data.card.card_exp_month", `"13"`), 400, "IR_16", "Invalid Expiry Month"},
		{"year", with(plain, "payment_method_data.card.card_exp_year", fmt.Sprintf(`"%d"`, year-1)), 400, "IR_16", "Invalid Expiry Year"},
		{"month and CVC on create without confirm", with(plain, "confirm", "false", "payment_method_data.card.card_exp_month", `"00"`, "payment_method_data.card.card_cvc", `"12345"`), 400, "IR_16", "Invalid card_cvc length"},
		{"profile", with(plain, "profile_id", `"pro_none"`), 404, "HE_02", "Business profile with the given id pro_none does not exist"},
		{"routing to an unknown connector", with(plain, "routing", `{"type":"single","data":"strype"}`), 422, "IR_06", "Invalid straight through routing rules format"},
		{"routing to an account of another", with(plain, "routing", `{"type":"single","data":{"connector":"stripe","merchant_connector_id":"mca_x"}}`), 404, "HE_04", "The connector provided in the request is incorrect or not available"},

		{"return_url length", with(plain, "return_url", `"https://e.com/`+strings.Repeat("a", 2048)+`"`), 422, "IR_06", "return_url must be at most 2048 characters long. Received 2062 characters"},
		{"mandate_id length", with(plain, "mandate_id", long(65)), 422, "IR_06", "mandate_id must be at most 64 characters long. Received 65 characters"},
		{"descriptor length", with(plain, "statement_descriptor_name", long(256)), 422, "IR_06", "statement_descriptor_name must be at most 255 characters long. Received 256 characters"},
		{"suffix length in bytes", with(plain, "statement_descriptor_suffix", `"`+strings.Repeat("ä", 128)+`"`), 422, "IR_06", "statement_descriptor_suffix must be at most 255 characters long. Received 256 characters"},
		{"phone code length", with(plain, "phone_country_code", long(256)), 422, "IR_06", "phone_country_code must be at most 255 characters long. Received 256 characters"},
		{"order reference length", with(plain, "merchant_order_reference_id", long(300)), 422, "IR_06", "merchant_order_reference_id must be at most 255 characters long. Received 300 characters"},
		{"lengths before rules", with(plain, "currency", "-", "mandate_id", long(65)), 422, "IR_06", "mandate_id must be at most 64 characters long. Received 65 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := w.post("/payments", c.body)
			r.t = t
			if c.text == "" {
				require.Equal(t, c.status, r.status, r.body)
				require.Equal(t, c.code, r.error()["code"])
				return
			}
			r.expect(c.status, c.code, c.text)
			require.NotContains(t, r.body, "error_type")
		})
	}
	for _, routing := range []string{`"stripe"`, `[]`, `{}`, `{"type":"single"}`, `{"type":"x","data":1}`, `{"type":"single","data":1}`,
		`{"type":"priority","data":[]}`, `{"type":"volume_split","data":[{"connector":"stripe"}]}`, `{"type":"volume_split","data":[{"connector":"stripe","split":256}]}`} {
		r := w.post("/payments", with(plain, "routing", routing))
		require.Equal(t, 422, r.status, r.body)
		require.Equal(t, "IR_06", r.error()["code"])
		require.Contains(t, r.error()["message"], "Invalid straight through routing rules format")
	}
	require.Zero(t, w.payments(), "nothing is stored")
}

func TestRoutingForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, routing := range []string{`{"type":"single","data":"adyen"}`, `{"type":"single","data":{"connector":"adyen"}}`,
		`{"type":"priority","data":["adyen",{"connector":"stripe"}]}`, `{"type":"volume_split","data":[{"connector":{"connector":"adyen"},"split":100}]}`} {
		require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", routing)).ok()["connector"], routing)
	}
}

// TestKeys checks which keys open which routes.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, otherSecret, otherPublishable := w.merchant("m2")
	p := w.post("/payments", with(plain, "confirm", "false")).ok()
	id, clientSecret := p["payment_id"].(string), p["client_secret"].(string)
	const (
		unauthorized = "API key not provided or invalid API key used"
		forbidden    = "client_secret is not a valid parameter"
	)
	none, wrong := "", "dev_wrong"
	for _, c := range []struct {
		method, path, key, body string
		status                  int
		code, text              string
	}{
		{"POST", "/payments", none, plain, 401, "IR_01", unauthorized},
		{"POST", "/payments", wrong, plain, 401, "IR_01", unauthorized},
		{"POST", "/payments", adminKey, plain, 401, "IR_01", unauthorized},
		{"POST", "/payments", w.publishable, plain, 401, "IR_01", unauthorized},
		{"POST", "/payments/" + id, w.publishable, "{}", 401, "IR_01", unauthorized},
		{"POST", "/payments/" + id + "/capture", w.publishable, "{}", 401, "IR_01", unauthorized},
		{"POST", "/payments/" + id + "/cancel", w.publishable, "{}", 401, "IR_01", unauthorized},
		{"GET", "/payments/list", w.publishable, "", 401, "IR_01", unauthorized},
		{"GET", "/customers/c/payment_methods", w.publishable, "", 401, "IR_01", unauthorized},

		{"POST", "/payments/" + id + "/confirm", none, "{}", 401, "IR_01", unauthorized},
		{"GET", "/payments/" + id, none, "", 401, "IR_01", unauthorized},
		{"GET", "/payments/" + id, w.publishable, "", 400, "IR_04", "Missing required param: client_secret"},
		{"POST", "/payments/" + id + "/confirm", w.publishable, "{}", 400, "IR_04", "Missing required param: client_secret"},
		{"GET", "/payments/" + id + "?client_secret=" + clientSecret, w.secret, "", 422, "IR_06", forbidden},
		{"GET", "/payments/" + id + "?client_secret=", w.secret, "", 422, "IR_06", forbidden},
		{"POST", "/payments/" + id + "/confirm", w.secret, `{"client_secret":"` + clientSecret + `"}`, 422, "IR_06", forbidden},
		{"GET", "/payments/" + id + "?client_secret=" + id + "_secret_x", w.publishable, "", 400, "IR_09", "The client_secret provided does not match the client_secret associated with the Payment"},
		{"POST", "/payments/" + id + "/confirm", w.publishable, `{"client_secret":"x"}`, 400, "IR_09", "The client_secret provided does not match the client_secret associated with the Payment"},

		{"POST", "/payments/session_tokens", w.secret, "{}", 401, "IR_01", unauthorized},
		{"POST", "/payments/" + id + "/complete_authorize", w.secret, "{}", 401, "IR_01", unauthorized},
		{"GET", "/poll/status/x", w.secret, "", 401, "IR_01", unauthorized},
		{"GET", "/poll/status/x", wrong, "", 401, "IR_01", unauthorized},
		{"GET", "/poll/status/external_authentication_x", w.publishable, "", 404, "HE_02", "Poll does not exist in our records"},
		{"GET", "/customers/payment_methods?client_secret=" + clientSecret, w.secret, "", 401, "IR_01", unauthorized},
		{"GET", "/customers/payment_methods", w.publishable, "", 400, "IR_04", "Missing required param: client_secret"},
		{"GET", "/customers/payment_methods?client_secret=x", w.publishable, "", 400, "IR_09", "The client_secret provided does not match the client_secret associated with the Payment"},

		{"GET", "/payments/" + id, otherSecret, "", 404, "HE_02", "Payment does not exist in our records"},
		{"GET", "/payments/" + id + "?client_secret=" + clientSecret, otherPublishable, "", 404, "HE_02", "Payment does not exist in our records"},
		{"POST", "/payments/" + id + "/capture", otherSecret, "{}", 404, "HE_02", "Payment does not exist in our records"},
		{"POST", "/payments/none/cancel", w.secret, "{}", 404, "HE_02", "Payment does not exist in our records"},
		{"GET", "/customers/none/payment_methods", w.secret, "", 404, "HE_02", "Customer does not exist in our records"},

		{"POST", "/payments/none/3ds/authentication", w.secret, `{"client_secret":"x","device_channel":"BRW","threeds_method_comp_ind":"Y"}`, 404, "HE_02", "Payment does not exist in our records"},
		{"POST", "/payments/" + id + "/3ds/authentication", w.secret, `{"device_channel":"BRW","threeds_method_comp_ind":"Y"}`, 400, "IR_04", "Missing required param: client_secret"},
		{"POST", "/payments/" + id + "/3ds/authentication", w.secret, `{"client_secret":"x","device_channel":"BRW","threeds_method_comp_ind":"Y"}`, 400, "IR_09", "The client_secret provided does not match the client_secret associated with the Payment"},
		{"POST", "/payments/" + id + "/3ds/authentication", w.publishable, `{"client_secret":"` + clientSecret + `","device_channel":"BRW","threeds_method_comp_ind":"Y","browser_info":1}`, 400, "IR_16", "You cannot authenticate this payment because payment_attempt.external_three_ds_authentication_attempted is false"},
		{"POST", "/payments/" + id + "/3ds/authentication", w.secret, `{"client_secret":"x"}`, 400, "IR_06", "Json deserialize error: missing field `device_channel` at line 1 column 21"},
		{"POST", "/payments/session_tokens", w.publishable, `{"client_secret":"x"}`, 400, "IR_06", "Json deserialize error: missing field `payment_id` at line 1 column 21"},
	} {
		r := w.send(c.method, c.path, c.key, c.body)
		require.Equal(t, c.status, r.status, "%s %s: %s", c.method, c.path, r.body)
		require.Equal(t, c.code, r.error()["code"], "%s %s", c.method, c.path)
		require.Equal(t, c.text, r.error()["message"], "%s %s", c.method, c.path)
	}

	w.passes(901 * time.Second)
	for _, c := range [][2]string{
		{"/payments/" + id + "/confirm", `{"client_secret":"` + clientSecret + `"}`},
		{"/payments/" + id + "/3ds/authentication", `{"client_secret":"` + clientSecret + `","device_channel":"APP","threeds_method_comp_ind":"U"}`},
	} {
		w.send("POST", c[0], w.publishable, c[1]).expect(400, "IR_08", "The provided client_secret has expired")
	}
}

// TestWrongState: the status of a payment forbids these operations.
func TestWrongState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := w.post("/payments", plain).ok()["payment_id"].(string)
	held := w.post("/payments", with(plain, "capture_method", `"manual"`)).ok()["payment_id"].(string)
	failed := w.post("/payments", with(plain, "payment_method_data.card.card_number", `"4000000000000002"`)).ok()["payment_id"].(string)
	for _, c := range []struct {
		path, body string
		status     int
		code, text string
	}{
		{done + "/capture", "{}", 400, "IR_14", "This Payment could not be captured because it has a payment.status of succeeded. The expected state is requires_capture, partially_captured_and_capturable, processing"},
		{done + "/cancel", "{}", 400, "IR_16", "You cannot cancel this payment because it has status succeeded"},
		{done + "/confirm", "{}", 400, "IR_16", "You cannot confirm this payment because it has status succeeded"},
		{done, "{}", 400, "IR_16", "You cannot update this payment because it has status succeeded"},
		{failed + "/confirm", "{}", 400, "IR_16", "You cannot confirm this payment because it has status failed, you can enable `manual_retry` in profile to try this payment again"},
		{held + "/capture", `{"amount_to_capture":0}`, 422, "IR_05", "amount contains invalid data. Expected format is positive integer"},
		{held + "/capture", `{"amount_to_capture":-9223372036854775808}`, 422, "IR_05", "amount contains invalid data. Expected format is positive integer"},
		{held + "/capture", `{"amount_to_capture":1001}`, 422, "IR_06", "amount_to_capture is greater than amount"},
		{held + "/capture", `{"amount_to_capture":1.5}`, 400, "IR_06", "Json deserialize error: invalid type: floating point `1.5`, expected an integer at line 1 column 24"},
		{held + "/capture", `[]`, 400, "IR_06", "Json deserialize error: invalid type: sequence, expected an object at line 1 column 2"},
		{held + "/capture", `{"statement_descriptor_prefix":"` + strings.Repeat("a", 256) + `"}`, 422, "IR_06", "statement_descriptor_name must be at most 255 characters long. Received 256 characters"},
		{"none/capture", `{"statement_descriptor_suffix":"` + strings.Repeat("a", 256) + `"}`, 422, "IR_06", "statement_descriptor_suffix must be at most 255 characters long. Received 256 characters"},
		{held + "/cancel", `{"cancellation_reason":1}`, 400, "IR_06", "Json deserialize error: invalid type: integer `1`, expected a string at line 1 column 24"},
	} {
		w.post("/payments/"+c.path, c.body).expect(c.status, c.code, c.text)
	}
	require.Equal(t, done+" already exists", w.post("/payments", with(plain, "payment_id", `"`+done+`"`)).error()["reason"])
	w.post("/payments", with(plain, "payment_id", `"`+done+`"`)).expect(400, "HE_01", "The payment with the specified payment_id already exists in our records")
	w.post("/payments", with(`{"amount":5,"currency":"USD"}`, "payment_id", `"`+done+`"`)).expect(400, "HE_01", "The payment with the specified payment_id already exists in our records")
	require.Equal(t, "requires_capture", w.get("/payments/" + held).ok()["status"])
}

// TestSurface checks requests that are refused before any handler runs.
func TestSurface(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/", "/nothing", "/payments/", "/payments//", "//payments", "/Payments", "/payments/x/unknown/y/z/a/b", "/payments/x/../y", "/payments/redirect//m/a"} {
		r := w.get(path)
		r.expect(404, "IR_02", "Unrecognized request URL")
		require.Empty(t, r.header.Get("Location"), path)
	}
	for _, c := range [][3]string{{"GET", "/payments", "POST"}, {"DELETE", "/payments/x", "GET, POST"}, {"POST", "/health", "GET"}, {"HEAD", "/health", "GET"}, {"GET", "/payments/x/capture", "POST"}} {
		r := w.send(c[0], c[1], w.secret, "")
		require.Equal(t, 405, r.status, c[1])
		require.Equal(t, c[2], r.header.Get("Allow"))
		if c[0] != "HEAD" {
			r.expect(405, "IR_03", "The HTTP method is not applicable for this API")
		}
	}
	for _, path := range []string{"/payments/a%20b", "/payments/%00", "/payments/%ff", "/payments/" + strings.Repeat("a", 65), "/payments/a.b"} {
		r := w.get(path)
		require.Equal(t, 400, r.status, path)
		require.Equal(t, "IR_06", r.error()["code"])
	}
	for _, query := range []string{"force_sync=yes", "force_sync=true&force_sync=false", "expand_attempts=", "%zz=1", "client_secret=%00", "a;b=1"} {
		require.Equal(t, 400, w.get("/payments/x?"+query).status, query)
	}
	for query, want := range map[string]int{"limit=0": 422, "limit=101": 422, "limit=-1": 422, "limit=x": 400, "page=2": 400, "created=today": 400, "customer_id=a%20b": 400, "limit=1.5": 400,
		"limit=100": 200, "created.gte=2022-09-10T10:11:12Z": 200, "created.lt=2022-09-10T10:11:12.123Z": 200, "": 200} {
		require.Equal(t, want, w.get("/payments/list?"+query).status, query)
	}
	w.get("/payments/list?limit=101").expect(422, "IR_06", "limit should be in between 1 and 100")
}

// TestNotReady: health answers 503 with an error of type api.
func TestNotReady(t *testing.T) {
	t.Parallel()
	var notReady error = &fault.Error{Message: "starting"}
	w := newWorld(t, func(o *router.Options) { o.Ready = func() error { return notReady } })
	r := w.send("GET", "/health", "", "")
	r.expect(503, "HE_00", "not ready")
	require.Equal(t, "1", r.header.Get("Retry-After"))
	require.Equal(t, "api", r.error()["type"])
	r = w.send("GET", "/health/live", "", "")
	require.Equal(t, 200, r.status, "a restart would not help")
	require.Equal(t, "alive", r.body)
	notReady = nil
	r = w.send("GET", "/health", "", "")
	require.Equal(t, 200, r.status)
	require.Equal(t, "health is good", r.body)
	require.Equal(t, "text/plain; charset=utf-8", r.header.Get("Content-Type"))
}
