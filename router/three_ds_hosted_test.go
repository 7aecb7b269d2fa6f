package router_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator3ds"
)

// hosted makes a payment. It returns the payment and the URL of its hosted page.
func (b *bankWorld) hosted(digits string, more ...string) (payment map[string]any, to string) {
	b.t.Helper()
	payment, _ = b.invoke(simulator3ds.CardNumber(simulator3ds.Visa, digits), more...)
	to, _ = payment["next_action"].(map[string]any)["redirect_to_url"].(string)
	return payment, to
}

// form is the first form of a page: its action and its fields. The action of a hosted page is on the same server.
func formOf(t testing.TB, page string) (action string, fields url.Values) {
	t.Helper()
	m := formAction.FindStringSubmatch(page)
	require.NotNil(t, m, page)
	fields = url.Values{}
	for _, f := range formField.FindAllStringSubmatch(page, -1) {
		fields.Set(html.UnescapeString(f[1]), html.UnescapeString(f[2]))
	}
	return html.UnescapeString(m[1]), fields
}

// TestHostedWithoutScripts goes through the pages with their forms alone, like a browser without JavaScript.
func TestHostedWithoutScripts(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	payment, to := b.hosted("0070")
	page := b.send("GET", strings.TrimPrefix(to, publicURL), "", "")
	require.Equal(t, http.StatusOK, page.status)
	policy := page.header.Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "frame-ancestors 'none'", "connect-src 'self'", "base-uri 'none'"} {
		require.Contains(t, policy, rule)
	}
	require.NotContains(t, policy, "unsafe")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Equal(t, "no-referrer", page.header.Get("Referrer-Policy"))
	require.Contains(t, page.body, "65.40 EUR")
	require.NotContains(t, page.body, payment["client_secret"])

	action, fields := formOf(t, page.body)
	require.Equal(t, "N", fields.Get("completion"), "the 3DS method needs scripts")
	next := b.ours(publicURL+action, fields)
	require.Equal(t, http.StatusSeeOther, next.status)
	require.Equal(t, strings.TrimPrefix(to, publicURL), next.header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, b.ours(publicURL+action, fields).status, "pressed twice")

	page = b.send("GET", next.header.Get("Location"), "", "")
	require.NotContains(t, page.body, "<iframe", "the bank has the page for itself")
	acs, creq := formOf(t, page.body)
	require.Equal(t, "05", decodeField(t, creq.Get("creq"), "challengeWindowSize"))
	require.Equal(t, `{"waiting":true}`, b.send("GET", next.header.Get("Location")+"/state", "", "").body)
	_, challenge, _ := b.bankForm(acs, creq)
	challenge.Set("otp", "1234")
	challenge.Set("action", "submit")
	notify, cres, _ := b.bankForm("/sim/acs/challenge/submit", challenge)
	notice := b.ours(notify, cres)
	require.Contains(t, notice.body, `<meta http-equiv="refresh"`, "there is a way on without scripts")
	require.Equal(t, "succeeded", b.ended(payment)["status"])
	require.Equal(t, `{"waiting":false}`, b.send("GET", next.header.Get("Location")+"/state", "", "").body)

	over := b.send("GET", strings.TrimPrefix(to, publicURL), "", "")
	require.Equal(t, http.StatusSeeOther, over.status)
	require.Contains(t, over.header.Get("Location"), "/authorize/")
}

// TestHostedFrame: with scripts and enough room, the page shows the bank in a frame of the promised size.
func TestHostedFrame(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	_, to := b.hosted("0170")
	page := b.send("GET", strings.TrimPrefix(to, publicURL), "", "")
	action, fields := formOf(t, page.body)
	require.Equal(t, "U", fields.Get("completion"))
	for name, v := range map[string]string{"java_script": "true", "language": "de-CH", "color_depth": "24", "screen_height": "1080", "screen_width": "1920",
		"time_zone": "-120", "width": "1200", "height": "900"} {
		fields.Set(name, v)
	}
	require.Equal(t, http.StatusSeeOther, b.ours(publicURL+action, fields).status)
	page = b.send("GET", action, "", "")
	require.Regexp(t, `<iframe[^>]* width="500" height="600" sandbox="allow-forms allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"`, page.body)
	require.NotContains(t, page.body, "allow-top-navigation")
	_, creq := formOf(t, page.body)
	require.Equal(t, "03", decodeField(t, creq.Get("creq"), "challengeWindowSize"))
}

// A browser can send any data about itself. Wrong data can do no more than fail the authentication.
func TestHostedHostileFields(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	for name, change := range map[string]url.Values{
		"no fields": {}, "texts instead of numbers": {"java_script": {"true"}, "color_depth": {"x"}, "screen_width": {"1e9"}, "time_zone": {"99999999999999999999"}},
		"negative": {"java_script": {"true"}, "screen_height": {"-5"}, "width": {"-1"}},
		"markup":   {"java_script": {"true"}, "language": {"<script>"}, "completion": {"<script>"}},
	} {
		payment, to := b.hosted("0170")
		change.Set("completion", "U")
		answer := b.ours(to, change)
		require.Equal(t, http.StatusSeeOther, answer.status, "%s: %s", name, answer.body)
		now := b.get("/payments/" + payment["payment_id"].(string)).ok()
		require.Contains(t, []any{"requires_customer_action", "failed"}, now["status"], name)
	}
}

func TestHostedPageOfNobody(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	_, to := b.hosted("0000")
	path := strings.TrimPrefix(to, publicURL)
	forged := path[:len(path)-1] + map[bool]string{true: "b", false: "a"}[path[len(path)-1] == 'a']
	for _, p := range []string{"/3ds/run/x", forged} {
		for _, method := range []string{"GET", "POST"} {
			r := b.send(method, p, "", "completion=Y", "Content-Type", "application/x-www-form-urlencoded")
			require.Equal(t, http.StatusNotFound, r.status, method+" "+p)
			require.Contains(t, r.body, "This page has expired")
		}
		require.Equal(t, http.StatusNotFound, b.send("GET", p+"/state", "", "").status)
	}
}

// TestNoReturnURL: without a return_url, the page of the payment shows the payer the result.
func TestNoReturnURL(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	for digits, want := range map[string]string{"0100": "Thank you, your payment went through", "0110": "Your payment did not go through"} {
		body := strings.Replace(secure(simulator3ds.CardNumber(simulator3ds.Visa, digits)), `"return_url":"https://shop.example/done?order=7",`, "", 1)
		payment := b.post("/payments", body).ok()
		require.Equal(t, "requires_customer_action", payment["status"], payment)
		b.authenticate(payment, "U")
		data := payment["next_action"].(map[string]any)["three_ds_data"].(map[string]any)
		to := strings.TrimPrefix(data["three_ds_authorize_url"].(string), publicURL)
		page := b.send("GET", to, "", "", "Sec-Fetch-Dest", "document")
		require.Equal(t, http.StatusOK, page.status, page.body)
		require.Contains(t, page.body, want)
		require.Contains(t, page.body, "65.40 EUR")
		bare := b.send("GET", regexp.MustCompile(`/[^/]*$`).ReplaceAllString(to, ""), "", "", "Sec-Fetch-Dest", "document")
		require.Equal(t, http.StatusNotFound, bare.status, "without the token the answer shows nothing")
		require.NotContains(t, bare.body, "payment")
	}
}

// decodeField is one text of a message as a browser carries it.
func decodeField(t testing.TB, encoded, name string) string {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(decode64(t, encoded)), &m))
	s, _ := m[name].(string)
	return s
}
