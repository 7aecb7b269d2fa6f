package router_test

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/plugins/simulator3ds"
	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
)

// bankWorld is a world that authenticates payments at the simulated 3DS server, with the adapter of 3dsecure.io.
type bankWorld struct {
	*world
	bank   *simulator3ds.Simulator
	server *httptest.Server
	client *http.Client
	// instead answers instead of the bank if it returns true.
	instead atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

// newBankWorld makes a bankWorld. change may replace adapters.
func newBankWorld(t testing.TB, change ...func(adapters map[string]*sdk.Adapter)) *bankWorld {
	return newBankWorldOf(t, engine.Options{}, change...)
}

// newBankWorldOf is newBankWorld with options of the engine.
func newBankWorldOf(t testing.TB, settings engine.Options, change ...func(adapters map[string]*sdk.Adapter)) *bankWorld {
	b := &bankWorld{client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := b.instead.Load(); f == nil || !(*f)(w, r) {
			b.bank.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(b.server.Close)
	var err error
	b.bank, err = simulator3ds.New(simulator3ds.Options{PublicURL: b.server.URL, Clock: func() time.Time { return b.now() }})
	require.NoError(t, err)
	adapters := map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter(), "threedsecureio": threedsecureio.Adapter()}
	for _, f := range change {
		f(adapters)
	}
	b.world = newWorldOf(t, plugins.NativeConnectors(adapters), settings)
	b.authenticator("threedsecureio", "demo", b.server.URL+"/sim/3ds")
	b.post("/account/m1/business_profile/"+b.profile, `{"authentication_connector_details":{"authentication_connectors":["threedsecureio"],
		"three_ds_requestor_url":"https://shop.example"}}`).ok()
	return b
}

// authenticator makes an account at an authenticator with the base URL url.
func (b *bankWorld) authenticator(connector, key, url string) {
	b.t.Helper()
	acct, err := b.engine.CreateAccount(b.t.Context(), b.auth, account.AccountInput{Type: "authentication_processor", Connector: connector, Label: connector,
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"` + key + `"}`),
		Metadata:    json.RawMessage(`{"acquirer_bin":"412345","acquirer_merchant_id":"MID1","mcc":"5411","merchant_name":"Shop","merchant_country_code":"208"}`)})
	require.NoError(b.t, err)
	_, err = b.engine.SetEgress(b.t.Context(), b.auth, acct.ID, account.EgressInput{BaseURL: url})
	require.NoError(b.t, err)
}

// bankGet reads from the API of the simulated 3DS server.
func (b *bankWorld) bankGet(path string) string { b.t.Helper(); return b.bankCall("GET", path, "") }

func (b *bankWorld) bankPost(path, body string) string {
	b.t.Helper()
	return b.bankCall("POST", path, body)
}

func (b *bankWorld) bankCall(method, path, body string) string {
	b.t.Helper()
	r, err := http.NewRequest(method, b.server.URL+path, strings.NewReader(body))
	require.NoError(b.t, err)
	r.Header.Set("APIKey", "demo")
	resp, err := b.client.Do(r)
	require.NoError(b.t, err)
	defer resp.Body.Close()
	return readAll(b.t, resp)
}

// secure returns a payment that asks for external 3-D Secure.
func secure(number string, more ...string) string {
	return `{"amount":6540,"currency":"EUR","confirm":true,"authentication_type":"three_ds","request_external_three_ds_authentication":true,
		"return_url":"https://shop.example/done?order=7","payment_method":"card","payment_method_data":{"card":{"card_number":"` + number + `","card_exp_month":"12",
		"card_exp_year":"2040","card_holder_name":"Ana Perez","card_cvc":"123"}},"billing":{"address":{"line1":"1 Main St","city":"Aarhus","zip":"8000","country":"DK",
		"first_name":"Ana","last_name":"Perez"}},"browser_info":{"user_agent":"Mozilla/5.0","accept_header":"text/html","language":"en-GB","color_depth":24,"screen_height":900,
		"screen_width":1440,"time_zone":-60,"java_enabled":false,"java_script_enabled":true,"ip_address":"203.0.113.7"}` + strings.Join(more, "") + `}`
}

// invoke makes a payment. It returns the payment and the data of its next_action.
func (b *bankWorld) invoke(number string, more ...string) (payment, data map[string]any) {
	b.t.Helper()
	payment = b.post("/payments", secure(number, more...)).ok()
	require.Equal(b.t, "requires_customer_action", payment["status"], payment)
	next := payment["next_action"].(map[string]any)
	require.Equal(b.t, "three_ds_invoke", next["type"])
	require.Contains(b.t, next["redirect_to_url"], publicURL+"/3ds/run/")
	return payment, next["three_ds_data"].(map[string]any)
}

// authenticate calls 3ds/authentication with the publishable key, like a client.
func (b *bankWorld) authenticate(payment map[string]any, completion string) map[string]any {
	b.t.Helper()
	id, _ := payment["payment_id"].(string)
	secret, _ := payment["client_secret"].(string)
	return b.send("POST", "/payments/"+id+"/3ds/authentication", b.publishable,
		`{"client_secret":"`+secret+`","device_channel":"BRW","threeds_method_comp_ind":"`+completion+`"}`).ok()
}

var (
	formAction = regexp.MustCompile(`<form[^>]*action="([^"]*)"`)
	formField  = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// bankForm posts a form to the bank, like the browser, and returns the form on the next page.
func (b *bankWorld) bankForm(to string, fields url.Values) (action string, out url.Values, page string) {
	b.t.Helper()
	if strings.HasPrefix(to, "/") {
		to = b.server.URL + to
	}
	r, err := b.client.PostForm(to, fields)
	require.NoError(b.t, err)
	defer r.Body.Close()
	page = readAll(b.t, r)
	require.Equal(b.t, 200, r.StatusCode, page)
	out = url.Values{}
	if m := formAction.FindStringSubmatch(page); m != nil {
		action = html.UnescapeString(m[1])
	}
	for _, m := range formField.FindAllStringSubmatch(page, -1) {
		out.Set(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return action, out, page
}

// ours posts a form to a page of payswitch.
func (b *bankWorld) ours(to string, fields url.Values) response {
	b.t.Helper()
	require.Contains(b.t, to, publicURL)
	return b.send("POST", strings.TrimPrefix(to, publicURL), "", fields.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// runMethod runs the 3DS method, like the hidden frame.
func (b *bankWorld) runMethod(data map[string]any) {
	b.t.Helper()
	d := data["three_ds_method_details"].(map[string]any)
	require.Equal(b.t, true, d["three_ds_method_data_submission"])
	to, fields, page := b.bankForm(d["three_ds_method_url"].(string), url.Values{d["three_ds_method_key"].(string): {d["three_ds_method_data"].(string)}})
	require.Contains(b.t, to, "/3ds/m/", page)
	require.Equal(b.t, 200, b.ours(to, fields).status)
}

// answer enters a one-time code in a challenge, like the payer. It returns the URL of payswitch that the ACS posts to, and the fields.
func (b *bankWorld) answer(out map[string]any, otp string) (string, url.Values) {
	b.t.Helper()
	require.Equal(b.t, "C", out["trans_status"], out)
	fields := url.Values{out["challenge_request_key"].(string): {out["challenge_request"].(string)}, "threeDSSessionData": {out["three_ds_session_data"].(string)}}
	_, next, page := b.bankForm(out["acs_url"].(string), fields)
	submit := formAction.FindStringSubmatch(page)
	require.NotNil(b.t, submit, page)
	next.Set("otp", otp)
	to, fields, page := b.bankForm(html.UnescapeString(submit[1]), next)
	require.Contains(b.t, to, "/3ds/c/", page)
	return to, fields
}

// ended waits until a payment needs neither the payer nor background work.
func (b *bankWorld) ended(payment map[string]any) map[string]any {
	b.t.Helper()
	var p map[string]any
	require.Eventually(b.t, func() bool {
		p = b.get("/payments/" + payment["payment_id"].(string) + "?force_sync=true").ok()
		return p["status"] != "processing" && p["status"] != "requires_customer_action"
	}, 20*time.Second, 20*time.Millisecond)
	return p
}

// TestThreeDSFlow runs the three-step flow over HTTP. The test plays the browser's part.
func TestThreeDSFlow(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	t.Run("frictionless with the 3DS method", func(t *testing.T) {
		p, data := b.invoke("4000003000000006")
		require.Equal(t, publicURL+"/payments/"+p["payment_id"].(string)+"/3ds/authentication", data["three_ds_authentication_url"])
		require.Equal(t, "threedsecureio", data["three_ds_connector"])
		require.Equal(t, "2.3.1", data["message_version"])
		b.runMethod(data)
		out := b.authenticate(p, "Y")
		require.Equal(t, "Y", out["trans_status"], out)
		require.Nil(t, out["acs_url"])
		require.Equal(t, "creq", out["challenge_request_key"], "the default, also without a challenge")
		require.Equal(t, out["three_dsserver_trans_id"], out["three_ds_server_trans_id"])
		require.Equal(t, "https://shop.example", out["three_ds_requestor_url"])
		got := b.ended(p)
		require.Equal(t, "succeeded", got["status"], got)
		require.Nil(t, got["next_action"])
		require.Equal(t, true, got["external_3ds_authentication_attempted"])
		d := got["external_authentication_details"].(map[string]any)
		require.Equal(t, "frictionless", d["authentication_flow"])
		require.Equal(t, "05", d["electronic_commerce_indicator"])
		require.Equal(t, "success", d["status"])
		require.Equal(t, "expected", d["liability_shift"])
		require.NotEmpty(t, d["ds_transaction_id"])

		theirs := b.send("GET", "/payments/"+p["payment_id"].(string)+"?client_secret="+p["client_secret"].(string), b.publishable, "").ok()
		d = theirs["external_authentication_details"].(map[string]any)
		require.Nil(t, d["electronic_commerce_indicator"], "the payer's own client is not shown the proof")
		require.Nil(t, d["ds_transaction_id"])

		page := b.send("GET", strings.TrimPrefix(data["three_ds_authorize_url"].(string), publicURL), "", "", "Sec-Fetch-Dest", "document")
		require.Equal(t, 303, page.status)
		require.Contains(t, page.header.Get("Location"), "https://shop.example/done?")
		require.Contains(t, page.header.Get("Location"), "order=7")
		require.Contains(t, page.header.Get("Location"), "status=succeeded")
		require.Contains(t, page.header.Get("Location"), "signature=")
	})
	t.Run("challenge, manual capture", func(t *testing.T) {
		p, data := b.invoke("4000003001700000", `,"capture_method":"manual"`)
		require.Equal(t, false, data["three_ds_method_details"].(map[string]any)["three_ds_method_data_submission"])
		poll := data["poll_config"].(map[string]any)["poll_id"].(string)
		out := b.authenticate(p, "U")
		status := func() any { return b.send("GET", "/poll/status/"+poll, b.publishable, "").ok()["status"] }
		require.Equal(t, "pending", status())
		to, fields := b.answer(out, "1234")
		page := b.ours(to, fields)
		require.Equal(t, 200, page.status)
		require.Contains(t, html.UnescapeString(page.body), `{"poll_status":{"delay_in_secs":"2","frequency":"30","poll_id":"`+poll+`","return_url_with_query_params":"https://shop.example/done?order=7"}}`)
		require.NotContains(t, page.body, "openurl_if_required", "the result is not known yet")
		require.Contains(t, html.UnescapeString(page.body), `data-origins="["https://shop.example","`+publicURL+`"]"`)
		require.NotContains(t, page.body, "client_secret")
		got := b.ended(p)
		require.Equal(t, "requires_capture", got["status"], got)
		require.Equal(t, "challenge", got["external_authentication_details"].(map[string]any)["authentication_flow"])
		require.Equal(t, "completed", status())
		require.Equal(t, page.body[:200], b.ours(to, fields).body[:200], "replayed: the same page")
		require.Equal(t, "succeeded", b.post("/payments/"+p["payment_id"].(string)+"/capture", `{"amount_to_capture":6540}`).ok()["status"])
	})
}

// TestThreeDSCards pays with the test cards and checks the default result of each.
func TestThreeDSCards(t *testing.T) {
	for number, want := range map[string][3]string{ // trans_status, status, error_code
		"4000003001000005": {"Y", "succeeded", ""},
		"4000003001200001": {"A", "succeeded", ""},
		"4000003001100003": {"N", "failed", "authentication_failed"},
		"4000003001300009": {"R", "failed", "authentication_rejected"},
		"4000003001500004": {"U", "succeeded", ""},
		"4000003001400007": {"I", "succeeded", ""},
		"5200003001600007": {"U", "succeeded", ""},
		"4000003001900006": {"U", "failed", "authentication_error"},
		"4000003001020003": {"Y", "succeeded", ""}, // without a value: as unavailable
		"4000003001790001": {"U", "failed", "authentication_protocol_error"},
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			b := newBankWorld(t)
			p, _ := b.invoke(number)
			out := b.authenticate(p, "U")
			require.Equal(t, want[0], out["trans_status"], out)
			got := b.ended(p)
			require.Equal(t, want[1], got["status"], got)
			if want[2] != "" {
				require.Equal(t, want[2], got["error_code"])
			}
		})
	}
	b := newBankWorld(t)
	p := b.post("/payments", secure("4000003090000007")).ok()
	require.Equal(t, "succeeded", p["status"], "not enrolled: at once")
	require.Equal(t, "not_enrolled", p["external_authentication_details"].(map[string]any)["outcome"])
	p = b.post("/payments", secure("4000003070000001")).ok()
	require.Equal(t, "failed", p["status"])
	require.Equal(t, "authenticator_unreachable", p["error_code"])
}

// TestThreeDSChallenges ends challenges in every way.
func TestThreeDSChallenges(t *testing.T) {
	for otp, want := range map[string][2]string{
		"1111": {"failed", "authentication_failed"},
		"2222": {"failed", "authentication_rejected"},
		"3333": {"failed", "authentication_unavailable"},
		"6666": {"failed", "authentication_unavailable"}, // Y without a value
		"7777": {"succeeded", ""},                        // attempted
	} {
		t.Run(otp, func(t *testing.T) {
			t.Parallel()
			b := newBankWorld(t)
			p, _ := b.invoke("4000003001700000")
			to, fields := b.answer(b.authenticate(p, "U"), otp)
			require.Equal(t, 200, b.ours(to, fields).status)
			got := b.ended(p)
			require.Equal(t, want[0], got["status"], got)
			if want[1] != "" {
				require.Equal(t, want[1], got["error_code"])
			}
		})
	}
}

// TestThreeDSForged: a browser's message proves nothing.
func TestThreeDSForged(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	p, data := b.invoke("4000003001700000")
	out := b.authenticate(p, "U")
	to, fields := b.answer(out, "1111") // the issuer says no
	forged := strings.NewReplacer(`"transStatus":"N"`, `"transStatus":"Y"`).Replace(decode64(t, fields.Get("cres")))
	fields.Set("cres", encode64(forged))
	b.ours(to, fields)
	got := b.ended(p)
	require.Equal(t, "failed", got["status"])
	require.Equal(t, "authentication_failed", got["error_code"])
	for range 3 {
		b.send("POST", strings.TrimPrefix(data["three_ds_authorize_url"].(string), publicURL), "", "status=succeeded", "Content-Type", "application/x-www-form-urlencoded")
	}
	require.Equal(t, "failed", b.get("/payments/" + p["payment_id"].(string)).ok()["status"])

	p, _ = b.invoke("4000003001700000")
	b.authenticate(p, "U")
	unknown := b.send("POST", "/3ds/c/"+strings.Repeat("x", 42), "", "cres=abc", "Content-Type", "application/x-www-form-urlencoded")
	known := b.ours(to, url.Values{"cres": {"abc"}})
	require.Equal(t, 404, unknown.status)
	require.Equal(t, 200, known.status)
	require.Equal(t, "requires_customer_action", b.get("/payments/" + p["payment_id"].(string)).ok()["status"])
	require.Equal(t, 404, b.send("GET", "/poll/status/external_authentication_nobody", b.publishable, "").status)
	require.Equal(t, 401, b.send("GET", "/poll/status/x", b.secret, "").status)
}

func readAll(t testing.TB, r *http.Response) string {
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(b)
}

func decode64(t testing.TB, s string) string {
	b, err := base64.RawURLEncoding.DecodeString(s)
	require.NoError(t, err)
	return string(b)
}

func encode64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
