package router_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/change"
	"payswitch/router"
)

func TestManualCapture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "confirm", "false", "payment_method_data", "-", "payment_method", "-", "capture_method", `"manual"`)).ok()
	require.Equal(t, "requires_payment_method", p["status"])
	require.Nil(t, p["payment_method_data"])
	path := "/payments/" + p["payment_id"].(string)
	r := w.send("POST", path+"/confirm", w.publishable, with(plain, "client_secret", `"`+p["client_secret"].(string)+`"`, "amount", "-", "confirm", "-"))
	p = r.ok()
	require.Equal(t, "requires_capture", p["status"])
	require.Equal(t, 1000.0, p["amount_capturable"])
	require.Nil(t, p["amount_received"])

	p = w.post(path+"/capture", `{"amount_to_capture":600,"statement_descriptor_prefix":"a","ignored":[1]}`).ok()
	require.Equal(t, "partially_captured", p["status"])
	require.Equal(t, 600.0, p["amount_received"])
	require.Equal(t, 0.0, p["amount_capturable"])

	p = w.get(path + "?expand_attempts=true&expand_captures=true&force_sync=true&all_keys_required=true").ok()
	attempts, captures := p["attempts"].([]any), p["captures"].([]any)
	require.Len(t, attempts, 1)
	require.Equal(t, "partial_charged", attempts[0].(map[string]any)["status"])
	require.Len(t, captures, 1)
	require.Equal(t, 600.0, captures[0].(map[string]any)["amount"])
	p = w.get(path).ok()
	require.NotContains(t, p, "attempts")
	require.NotContains(t, p, "captures")
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", with(plain, "capture_method", `"manual"`)).ok()["payment_id"].(string)
	p := w.post("/payments/"+id+"/cancel", `{"cancellation_reason":"changed my mind"}`).ok()
	require.Equal(t, "cancelled", p["status"])
	require.Equal(t, "changed my mind", p["cancellation_reason"])
	require.Equal(t, 0.0, p["amount_capturable"])
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "payment_method_data.card.card_number", `"4000000000000002"`)).ok()
	require.Equal(t, "failed", p["status"])
	require.Equal(t, "card_declined", p["error_code"])
	require.Equal(t, "message - Your card was declined., decline_code - generic_decline", p["error_message"])
	require.Equal(t, "UE_9000", p["unified_code"])
	require.Equal(t, true, p["manual_retry_allowed"], "the attempt leaves room, whatever the profile says")
	require.Nil(t, p["next_action"])
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.post("/payments", with(full, "payment_id", `"one"`)).ok()
	w.post("/payments", plain).ok()
	list := w.get("/payments/list").ok()
	require.Equal(t, 2.0, list["size"])
	listed := list["data"].([]any)[1].(map[string]any)
	require.Equal(t, "one", listed["payment_id"])
	require.Len(t, listed, len(first), "the same keys")
	for _, key := range []string{"amount_received", "error_code", "error_message", "payment_method_id", "next_action", "email", "name", "phone", "return_url"} {
		require.Contains(t, listed, key)
		require.Nil(t, listed[key], key)
	}
	require.Equal(t, first["metadata"], listed["metadata"])
	require.Equal(t, 1.0, w.get("/payments/list?customer_id=cus_1").ok()["size"])
	require.Equal(t, 1.0, w.get("/payments/list?limit=1").ok()["size"])
	require.Equal(t, 0.0, w.get("/payments/list?created.lt=2020-01-01T00:00:00Z").ok()["size"])
}

// TestRedirect takes the payer through the processor's 3-D Secure, like a browser without scripts.
func TestRedirect(t *testing.T) {
	t.Parallel()
	for result, status := range map[string]string{"approve": "succeeded", "decline": "failed"} {
		w := newWorld(t)
		p := w.post("/payments", with(plain, "authentication_type", `"three_ds"`)).ok()
		require.Equal(t, "requires_customer_action", p["status"])
		require.Nil(t, p["payment_method_data"].(map[string]any)["card"].(map[string]any)["payment_checks"])
		next := p["next_action"].(map[string]any)
		id := p["payment_id"].(string)
		require.Equal(t, "redirect_to_url", next["type"])
		require.Regexp(t, "^"+publicURL+"/payments/redirect/"+id+"/m1/"+id+"_1/[A-Za-z0-9_-]{22}$", next["redirect_to_url"])

		r := w.send("GET", strings.TrimPrefix(next["redirect_to_url"].(string), publicURL), "", "")
		require.Equal(t, 302, r.status, r.body)
		r = w.send("GET", strings.TrimPrefix(r.header.Get("Location"), publicURL), "", "")
		require.Equal(t, 200, r.status, r.body)
		require.Contains(t, r.header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Contains(t, r.body, "10.00 EUR")
		action := regexp.MustCompile(`action="([^"]*)"><input type="hidden" name="result" value="` + result + `">`).FindStringSubmatch(r.body)
		require.NotNil(t, action, r.body)

		back := strings.TrimPrefix(strings.ReplaceAll(action[1], "&amp;", "&"), publicURL)
		for range 2 { // a second time changes nothing
			r = w.send("POST", back, "", "result="+result, "Content-Type", "application/x-www-form-urlencoded")
			require.Equal(t, 302, r.status, r.body)
			to, err := url.Parse(r.header.Get("Location"))
			require.NoError(t, err)
			require.Equal(t, "https://example.com/return", to.Scheme+"://"+to.Host+to.Path)
			require.Equal(t, status, to.Query().Get("status"))
			require.Equal(t, id, to.Query().Get("payment_id"))
			require.Equal(t, "HMAC-SHA512", to.Query().Get("signature_algorithm"))
		}
		require.Equal(t, status, w.get("/payments/" + id).ok()["status"])
		response := strings.Replace(back, "/complete/", "/response/", 1)
		require.Equal(t, 302, w.send("GET", response, "", "").status)
		w.send("GET", strings.Replace(response, "/m1/", "/m2/", 1), "", "").expect(404, "HE_02", "Payment does not exist in our records")
		require.Equal(t, 400, w.send("GET", strings.TrimPrefix(next["redirect_to_url"].(string), publicURL), "", "").status, "no action is left")
	}
}

func TestSimulatorPageLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, to := range []string{
		"", "https://evil.test/payments/p/m1/redirect/complete/stripe/t", "//evil.test/payments/p/m1/redirect/complete/stripe/t",
		publicURL + ".evil.test/payments/p/m1/redirect/complete/stripe/t", publicURL + "@evil.test/payments/p/m1/redirect/complete/stripe/t",
		publicURL + "/health", publicURL + "/payments/p/m1/redirect/response/stripe/t", publicURL + "/payments/p/m1/redirect/complete/stripe", publicURL + "/payments/p/m1/redirect/complete/stripe/t/../../x",
		"javascript:alert(1)", publicURL + "\\@evil.test/payments/p/m1/redirect/complete/stripe/t",
	} {
		w.send("GET", "/sim/redirect?return_url="+url.QueryEscape(to), "", "").expect(400, "IR_07", "Invalid value provided: return_url")
	}
	r := w.send("GET", "/sim/redirect?amount=%3Cscript%3E&currency=%3Cb%3E&return_url="+url.QueryEscape(publicURL+"/payments/p/m1/redirect/complete/stripe/t?a=1&b=2"), "", "")
	require.Equal(t, 200, r.status)
	require.NotContains(t, r.body, "<script>")
	require.NotContains(t, r.body, "<b>")
	require.Contains(t, r.body, `action="http://switch.test/payments/p/m1/redirect/complete/stripe/t?a=1&amp;b=2"`)
	live := newWorld(t, func(o *router.Options) { o.DevPages = false })
	require.Equal(t, 404, live.send("GET", "/sim/redirect", "", "").status)
}

func TestSavedMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(full, "confirm", "false")).ok()
	require.Equal(t, `{"customer_payment_methods":[],"is_guest_customer":null}`, w.get("/customers/cus_1/payment_methods?limit=3").body)
	r := w.send("GET", "/customers/payment_methods?client_secret="+p["client_secret"].(string), w.publishable, "")
	require.Equal(t, `{"customer_payment_methods":[],"is_guest_customer":false}`, r.body)
	p = w.post("/payments", with(plain, "confirm", "false")).ok()
	r = w.send("GET", "/customers/payment_methods?client_secret="+p["client_secret"].(string), w.publishable, "")
	require.Equal(t, `{"customer_payment_methods":[],"is_guest_customer":true}`, r.body)
}

func TestSessionTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "confirm", "false")).ok()
	id, clientSecret := p["payment_id"].(string), p["client_secret"].(string)
	r := w.send("POST", "/payments/session_tokens", w.publishable, `{"payment_id":"`+id+`","client_secret":"`+clientSecret+`","wallets":["google_pay"]}`)
	require.Equal(t, `{"payment_id":"`+id+`","client_secret":"`+clientSecret+`","session_token":[],"vault_details":null}`, r.body)
	r = w.send("POST", "/payments/"+id+"/complete_authorize", w.publishable, `{"client_secret":"`+clientSecret+`","threeds_method_comp_ind":"Y"}`)
	require.Equal(t, "requires_confirmation", r.ok()["status"])
}

func TestFeatureMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.send("GET", "/feature_matrix", "", "").ok()
	require.Equal(t, 2.0, m["connector_count"])
	for _, c := range m["connectors"].([]any) {
		for key, v := range c.(map[string]any) {
			require.NotEmpty(t, v, key)
		}
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	once := func(path, key, body, idempotency string) response {
		return w.send("POST", path, key, body, "Idempotency-Key", idempotency)
	}
	first := once("/payments", w.secret, plain, "k1")
	first.ok()
	again := once("/payments", w.secret, plain, "k1")
	require.Equal(t, first.body, again.body)
	require.Equal(t, first.header.Get("Content-Type"), again.header.Get("Content-Type"))
	require.Equal(t, 1, w.payments())
	r := once("/payments", w.secret, with(plain, "amount", "1001"), "k1")
	require.Equal(t, 400, r.status)
	require.Equal(t, "IR_38", r.error()["code"])
	id := first.object()["payment_id"].(string)
	require.Equal(t, "IR_38", once("/payments/"+id, w.secret, plain, "k1").error()["code"], "another path is another request")

	refused := once("/payments", w.secret, `{"amount":1}`, "k2")
	refused.expect(400, "IR_04", "Missing required param: currency")
	require.Equal(t, refused.body, once("/payments", w.secret, `{"amount":1}`, "k2").body)
	_, other, _ := w.merchant("m2")
	once("/payments", other, plain, "k1").ok()
	require.Equal(t, 401, once("/payments", "wrong", plain, "k3").status)
	require.Equal(t, 422, once("/payments", w.secret, plain, strings.Repeat("k", 251)).status)
	once("/payments", w.secret, plain, strings.Repeat("k", 250)).ok()
	require.Equal(t, 422, once("/payments", w.secret, plain, "two words").status)
	require.Equal(t, 2, w.payments())

	// An answer with the publishable key, which is public, lacks fields that the secret key shows.
	p := w.post("/payments", with(plain, "confirm", "false")).ok()
	confirm := "/payments/" + p["payment_id"].(string) + "/confirm"
	once(confirm, w.secret, "{}", "k4").ok()
	once(confirm, w.publishable, "{}", "k4").expect(400, "IR_04", "Missing required param: client_secret")
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) { o.CORS.Origins = []string{"https://shop.test"} })
	r := w.send("POST", "/payments", w.secret, plain, "X-Hs-Latency", "true", "Origin", "https://shop.test", "X-Request-Id", "mine")
	r.ok()
	require.Len(t, r.header.Get("X-Request-Id"), 36)
	require.Equal(t, "max-age=31536000", r.header.Get("Strict-Transport-Security"))
	require.Equal(t, "payswitch", r.header.Get("Via"))
	require.Equal(t, "application/json", r.header.Get("Content-Type"))
	require.Regexp(t, `^\d+$`, r.header.Get("X-Hs-Latency"))
	require.Equal(t, "https://shop.test", r.header.Get("Access-Control-Allow-Origin"))
	require.Empty(t, w.send("GET", "/health", "", "", "Origin", "https://evil.test").header.Get("Access-Control-Allow-Origin"))
	r = w.send("OPTIONS", "/payments/x/confirm", "", "", "Origin", "https://shop.test", "Access-Control-Request-Method", "POST")
	require.Equal(t, 204, r.status)
	require.Equal(t, "30", r.header.Get("Access-Control-Max-Age"))
	require.Equal(t, "GET, POST, PUT, DELETE", r.header.Get("Access-Control-Allow-Methods"))
	require.Empty(t, w.send("GET", "/health", "", "").header.Get("X-Hs-Latency"))

	trusting := newWorld(t, func(o *router.Options) { o.TrustRequestID = true; o.CORS.Origins = []string{"*"} })
	r = trusting.send("GET", "/health", "", "", "X-Request-Id", "mine", "Origin", "https://any.test")
	require.Equal(t, "mine", r.header.Get("X-Request-Id"))
	require.Equal(t, "*", r.header.Get("Access-Control-Allow-Origin"))
	require.Len(t, trusting.send("GET", "/health", "", "", "X-Request-Id", "a b\n").header.Get("X-Request-Id"), 36)
	require.Empty(t, w.send("GET", "/health", "", "").header.Get("connector_http_status_code"))
}

// TestLog: the log has one line for a request, with the pattern of the route and without any value of the request.
func TestLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/payments", full).ok()
	w.get("/payments/secret_id?client_secret=hidden")
	logs := w.logs.String()
	require.Equal(t, 2, strings.Count(logs, "\n"), logs)
	require.Contains(t, logs, "route=/payments/{payment_id}")
	for _, s := range []string{"4242", "hidden", "secret_id", "example.com", w.secret} {
		require.NotContains(t, logs, s)
	}
}

func TestConfirmSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, 422, w.send("POST", "/payments", w.secret, plain, "X-Payment-Confirm-Source", "webhook").status)
	require.Equal(t, 200, w.send("POST", "/payments", w.secret, plain, "X-Payment-Confirm-Source", "merchant_server").status)
}

func TestProfileHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", plain).ok()["payment_id"].(string)
	require.Equal(t, 200, w.send("GET", "/payments/"+id, w.secret, "", "X-Profile-Id", w.profile).status)
	require.Equal(t, http.StatusNotFound, w.send("GET", "/payments/"+id, w.secret, "", "X-Profile-Id", "pro_other").status)
	require.Equal(t, 400, w.send("GET", "/payments/"+id, w.secret, "", "X-Profile-Id", "a b").status)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deps := w.server.Deps
	for _, publicURL := range []string{"", "switch.test", "http://switch.test/", "ftp://switch.test", "http://switch.test?x=1"} {
		_, err := router.New(deps, router.Options{PublicURL: publicURL})
		require.ErrorContains(t, err, "PublicURL", publicURL)
	}
	_, err := router.New(router.Deps{}, router.Options{PublicURL: publicURL})
	require.ErrorContains(t, err, "required")
	var _ change.Presenter = router.Presenter{}
}
