package router_test

import (
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
	"payswitch/sdk"
)

// home returns the path of the return URL of a payment with the processor's own 3-D Secure.
func (w *world) home(p map[string]any) string {
	next := p["next_action"].(map[string]any)
	link, inside := next["popup_url"].(string)
	if !inside {
		link = next["redirect_to_url"].(string)
	}
	page := strings.TrimPrefix(link, publicURL)
	to, err := url.Parse(w.send("GET", page, "", "").header.Get("Location"))
	require.NoError(w.t, err)
	return strings.TrimPrefix(to.Query().Get("return_url"), publicURL)
}

// TestNoURLOfOursFollowsTheHost: the host headers of a caller never change the URLs in answers.
func TestNoURLOfOursFollowsTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	send := func(method, path, body string) response {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "evil.example"
		for name, v := range map[string]string{"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "javascript", "Forwarded": "host=evil.example", "X-Original-URL": "/metrics",
			"X-Rewrite-URL": "/accounts", "X-HTTP-Method-Override": "DELETE", "api-key": w.secret, "Content-Type": "application/json"} {
			r.Header.Set(name, v)
		}
		rec := record(w.handler, r)
		return response{rec.Code, rec.Header(), rec.Body.String(), t}
	}
	p := send("POST", "/payments", with(plain, "authentication_type", `"three_ds"`))
	require.NotContains(t, p.body, "evil")
	page := strings.TrimPrefix(p.ok()["next_action"].(map[string]any)["redirect_to_url"].(string), publicURL)
	hop := send("GET", page, "")
	require.Equal(t, 302, hop.status)
	require.True(t, strings.HasPrefix(hop.header.Get("Location"), publicURL+"/sim/redirect?"))
	require.NotContains(t, html.UnescapeString(hop.header.Get("Location")), "evil")
	back := send("GET", w.home(p.object())+"?result=approve", "")
	require.Equal(t, 302, back.status)
	require.True(t, strings.HasPrefix(back.header.Get("Location"), "https://example.com/return?"))
}

// TestReturnURLsLeadWhereTheMerchantSaid: neither a browser's additions to a return URL nor the text of a return_url redirect the payer elsewhere or
// inject a header.
func TestReturnURLsLeadWhereTheMerchantSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, evil := range []string{"javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/\\evil.example", "https://",
		"https://a\r\nSet-Cookie: x=1", "https://a/\nx", "https://a/ b", "https:///x", "blob:https://a/x", "file:///etc/passwd", "https://a/%0d\n"} {
		body := with(plain, "return_url", quote(evil))
		require.NotEqual(t, 200, w.post("/payments", body).status, evil)
		require.NotEqual(t, 200, w.post("/account/m1/business_profile/"+w.profile, `{"return_url":`+quote(evil)+`}`).status, evil)
	}
	// Escapes stay escapes, and payswitch overwrites its own parameters in the query.
	p := w.post("/payments", with(plain, "authentication_type", `"three_ds"`, "return_url",
		quote("https://shop.example/done%0d%0aX:y?status=succeeded&signature=forged&payment_intent_client_secret=theirs&order=7&x=%0d%0a"))).ok()
	home := w.home(p)
	for _, query := range []string{"?result=decline&return_url=https://evil.example&url=//evil.example&next=javascript:x", "?status=succeeded&redirect=https://evil.example"} {
		r := w.send("GET", home+query, "", "", "Referer", "https://evil.example/")
		require.Equal(t, 302, r.status, r.body)
		require.Len(t, r.header.Values("Location"), 1)
		location := r.header.Get("Location")
		require.True(t, strings.HasPrefix(location, "https://shop.example/done%0d%0aX:y?"), location)
		require.NotContains(t, location, "evil")
		require.NotContains(t, location, "\r")
		to, err := url.Parse(location)
		require.NoError(t, err)
		q := to.Query()
		require.Equal(t, []string{"failed"}, q["status"])
		require.Equal(t, []string{p["client_secret"].(string)}, q["payment_intent_client_secret"])
		require.Len(t, q["signature"], 1)
		require.NotEqual(t, "forged", q.Get("signature"))
		require.Equal(t, "7", q.Get("order"))
		require.Equal(t, "no-store", r.header.Get("Cache-Control"))
		require.Equal(t, "no-referrer", r.header.Get("Referrer-Policy"))
		require.Empty(t, r.header.Values("Set-Cookie"))
	}
}

// TestPathsWrittenOtherwise: no other spelling of a path opens a page without its token, or an endpoint without its key.
func TestPathsWrittenOtherwise(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "authentication_type", `"three_ds"`)).ok()
	id, home := p["payment_id"].(string), w.home(p)
	cut := home[:strings.LastIndex(home, "/")]
	before := w.state(id)
	for _, path := range []string{"/" + home, home + "/", home + "/x", home + ";x", home + "%00", home + "%2f", cut, cut + "/", cut + "/%2e", cut + "/..", cut + "//" + home[len(cut)+1:], "/x/.." + home,
		"/./" + home[1:], strings.Replace(home, "/payments/", "/Payments/", 1), strings.Replace(home, "/complete/", "/COMPLETE/", 1), strings.Replace(home, "/complete/", "/complete;/", 1),
		strings.Replace(home, "/m1/", "/m1%00/", 1), strings.Replace(home, "/m1/", "/m1/../m1/", 1), home[:len(home)-1] + "%31%31"} {
		for _, method := range []string{"GET", "POST"} {
			r := httptest.NewRequest(method, "/", nil)
			u, err := url.ParseRequestURI(path)
			require.NoError(t, err, path)
			r.URL = u
			rec := record(w.server, r)
			require.Equal(t, 404, rec.Code, "%s %s: %s", method, path, rec.Body)
			require.NotContains(t, rec.Body.String()+rec.Header().Get("Location"), "client_secret")
		}
	}
	for _, path := range []string{"/payments%2f" + id, "//payments/" + id, "/payments//" + id, "/payments/./" + id, "/health/../payments/" + id, "/health%2f..%2fpayments%2f" + id, "/payments/" + id + ";x"} {
		r := httptest.NewRequest("GET", "/", nil)
		u, err := url.ParseRequestURI(path)
		require.NoError(t, err, path)
		r.URL = u
		require.Contains(t, []int{401, 404}, record(w.server, r).Code, path)
	}
	require.Equal(t, before, w.state(id), "nothing has changed")
}

// TestOpenRoutesAcrossOrigins: pages of other origins can read no answer and send no credentials of the payer.
func TestOpenRoutesAcrossOrigins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		allowed []string
		want    string
	}{"none": {nil, ""}, "the shop": {[]string{"https://shop.example"}, ""}, "all": {[]string{"*"}, "*"}} {
		w := newWorld(t, func(o *router.Options) { o.CORS.Origins = c.allowed })
		p := w.post("/payments", with(plain, "authentication_type", `"three_ds"`)).ok()
		home := w.home(p)
		for _, path := range []string{home, home[:len(home)-3], "/3ds/run/x", "/webhooks/m1/stripe"} {
			for _, origin := range []string{"https://evil.example", "null", "https://shop.example.evil.example", "https://evil.example, https://shop.example"} {
				r := w.send("GET", path, "", "", "Origin", origin)
				require.Equal(t, c.want, r.header.Get("Access-Control-Allow-Origin"), name)
				require.Empty(t, r.header.Get("Access-Control-Allow-Credentials"))
			}
		}
	}
}

// TestWebhookAnswersShowNoAccounts: an unproven message does not show which merchants exist and which processors they use.
func TestWebhookAnswersShowNoAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string)
	w.admin("POST", "/account/m1/connectors/"+id, `{"connector_type":"payment_processor","connector_webhook_details":{"merchant_secret":"a webhook secret of the merchant's"}}`).ok()
	for _, body := range []string{"", "{}", "garbage", `{"type":"payment.updated","transaction_id":"x"}`, strings.Repeat("x", 200<<10), `{"type":1}`} {
		nothing := bare(w.hook("POST", "/webhooks/nobody/mca_00000000000000000000", body, nil))
		require.Equal(t, 401, nothing.status)
		for _, path := range []string{"/webhooks/m1/" + id, "/webhooks/m1/mca_00000000000000000000", "/webhooks/m1/worldpay", "/webhooks/nobody/" + id, "/webhooks/nobody/stripe"} {
			for _, method := range []string{"POST", "PUT", "GET"} {
				r := w.hook(method, path, body, map[string]string{"X-Simulator-Signature": "00"})
				require.Equal(t, nothing, bare(r), "%s %s %.20s", method, path, body)
			}
		}
	}
}

// quote returns a JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestTokensAreNotLogged: the log has no token, right or wrong.
func TestTokensAreNotLogged(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	k := b.tokens()
	p := b.post("/payments", with(plain, "authentication_type", `"three_ds"`)).ok()
	home := b.home(p)
	guess := strings.Repeat("G", 22) + "1"
	require.Equal(t, 302, b.send("GET", home+"?result=approve", "", "").status)
	require.Equal(t, 404, b.send("GET", home[:strings.LastIndex(home, "/")+1]+guess, "", "").status)
	b.hook("POST", "/webhooks/nobody/stripe", "{}", nil)
	require.Contains(t, b.logs.String(), "a webhook message was refused")
	require.Contains(t, b.logs.String(), "/redirect/complete/{connector}/{token}")
	for _, token := range append(slices.Collect(maps.Values(k.uses)), guess, home[strings.LastIndex(home, "/")+1:]) {
		require.NotContains(t, b.logs.String(), token)
	}
}

// TestAdaptersGetNoCookies: a browser that is signed in at a dashboard on another port of the host sends its cookie along. No adapter and no journal gets it.
func TestAdaptersGetNoCookies(t *testing.T) {
	t.Parallel()
	got := router.Headers(http.Header{"Cookie": {"ps=the-session", "__Host-ps=the-session"}, "X-Signature": {"b", "a"}, "Authorization": {"Basic x"}})
	require.Equal(t, []sdk.Header{{Name: "Authorization", Value: "Basic x"}, {Name: "X-Signature", Value: "b"}, {Name: "X-Signature", Value: "a"}}, got)
}
