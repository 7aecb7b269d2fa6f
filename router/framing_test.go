package router_test

import (
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/gpayments"
	"payswitch/router"
	"payswitch/sdk"
)

// pageFile maps each template to a text that no other template has.
var pageFile = map[string]string{
	"form.html": "your payment continues on the next page", "hosted_challenge.html": "Confirm with your bank", "hosted_result.html": `class="mark`,
	"index.html": "payswitch is running", "hosted_run.html": "Checking with your bank", "simulator.html": "Do you approve this payment?", "three_ds.html": "your payment goes on", "three_ds_frames.html": "looks at this browser</title>",
}

var ancestors = regexp.MustCompile(`(?:^|; )frame-ancestors ([^;]*)$`)

// framing checks the headers that every HTML answer must have, and returns the value of frame-ancestors.
func framing(t *testing.T, r response) string {
	t.Helper()
	require.Equal(t, "text/html; charset=utf-8", r.header.Get("Content-Type"), r.body)
	require.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	require.Equal(t, "no-referrer", r.header.Get("Referrer-Policy"))
	require.Len(t, r.header.Values("Content-Security-Policy"), 1)
	found := ancestors.FindStringSubmatch(r.header.Get("Content-Security-Policy"))
	require.NotNil(t, found, r.header)
	if found[1] == "'none'" {
		require.Equal(t, "DENY", r.header.Get("X-Frame-Options"))
	} else {
		require.Empty(t, r.header.Get("X-Frame-Options"), "it would forbid what frame-ancestors allows")
	}
	require.NotContains(t, found[1], "*")
	return found[1]
}

// TestFraming opens every page in each of its uses. No page may be framed, except those that 3-D Secure shows in the shop's page. Only the origins of
// the shop, of payswitch, of the issuer and of the authenticator may frame these.
func TestFraming(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	check := func(r response, want string) {
		t.Helper()
		require.Equal(t, want, framing(t, r), r.body)
		for name, text := range pageFile {
			if strings.Contains(r.body, text) {
				seen[name] = true
			}
		}
	}
	const nobody = "'none'"
	b := newBankWorld(t)
	shop := "'self' https://shop.example " + publicURL
	bank := shop + " " + b.server.URL

	payment, to := b.hosted("0170")
	run := strings.TrimPrefix(to, publicURL)
	check(b.send("GET", run, "", ""), nobody)
	require.Equal(t, 303, b.send("POST", run, "", "completion=U&width=1200&height=900&java_script=true", "Content-Type", form).status)
	check(b.send("GET", run, "", ""), nobody)
	check(b.send("GET", run[:len(run)-1], "", ""), nobody)
	asked := b.counted.asked(payment["payment_id"].(string), sdk.OpAuthenticate).Authentication
	check(b.send("GET", strings.TrimPrefix(asked.NotificationURL, publicURL), "", ""), bank)
	check(b.ours(asked.NotificationURL, url.Values{"cres": {"garbage"}}), bank)
	check(b.ours(asked.MethodNotificationURL, url.Values{"threeDSMethodData": {"garbage"}}), bank)
	check(b.ours(asked.MethodNotificationURL, nil), bank)
	p, data := b.invoke("4000003001700000")
	out := b.authenticate(p, "U")
	authorize := strings.TrimPrefix(data["three_ds_authorize_url"].(string), publicURL)
	end, fields := b.answer(out, "1234")
	check(b.ours(end, fields), bank)
	check(b.send("POST", authorize, "", "", "Sec-Fetch-Dest", "iframe"), shop)
	check(b.send("POST", authorize, "", ""), shop)
	require.Equal(t, 303, b.send("GET", authorize, "", "", "Sec-Fetch-Dest", "document").status)
	b.post("/account/m1/business_profile/"+b.profile, `{"redirect_to_merchant_with_http_post":true}`).ok()
	check(b.send("POST", authorize, "", "", "Sec-Fetch-Dest", "document"), shop)

	native := b.post("/payments", with(plain, "authentication_type", `"three_ds"`)).ok()
	page := strings.TrimPrefix(native["next_action"].(map[string]any)["redirect_to_url"].(string), publicURL)
	hop := b.send("GET", page, "", "")
	require.Equal(t, 302, hop.status)
	require.Empty(t, hop.header.Get("X-Frame-Options"), "a redirect shows nothing")
	sim := b.send("GET", strings.TrimPrefix(hop.header.Get("Location"), publicURL), "", "")
	check(sim, nobody)
	action := html.UnescapeString(formAction.FindStringSubmatch(sim.body)[1])
	check(b.ours(action, url.Values{"result": {"approve"}}), nobody)
	f := &fake{nextAction: func() (*sdk.NextAction, error) {
		return &sdk.NextAction{Type: "form_post", URL: "https://acs.test/x"}, nil
	}}
	check(f.send(t, "GET", "/payments/redirect/p/m1/p_1/t", ""), nobody)

	w := newVendorWorld(t, gpayments.Adapter(), gpaymentsMetadata, gpaymentsAnswers())
	vendor := "'self' https://shop.example " + publicURL + " " + w.vendor.server.URL
	p, data = w.invoke("4242424242424242")
	frames := data["three_ds_method_details"].(map[string]any)["three_ds_method_url"].(string)
	check(w.ours(frames, nil), vendor)
	check(w.ours(w.vendor.body(t, "/api/v2/auth/brw/init")["eventCallbackUrl"].(string), event("3DSMethodFinished")), vendor)
	w.authenticate(p, "Y")
	check(w.ours(frames, nil), vendor)

	check(w.send("GET", "/", "", "", "Accept", "text/html"), nobody)

	files, err := os.ReadDir("pages")
	require.NoError(t, err)
	for _, file := range files {
		if file.Name() != "hosted_base.html" { // the template holds parts of the other pages
			require.True(t, seen[file.Name()], "%s has not been seen: show it here", file.Name())
		}
	}
}

// TestEveryAnswerIsPrivate: no page may frame a JSON answer, no cache stores it, and browsers send its address nowhere.
func TestEveryAnswerIsPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range []response{w.post("/payments", plain), w.get("/payments/none"), w.get("/nothing"), w.send("POST", "/payments", "", ""), w.send("GET", "/health", "", ""),
		w.send("DELETE", "/health", "", ""), w.get("/payments/list"), w.send("GET", "/openapi.yaml", "", ""), w.send("POST", "/webhooks/m1/stripe", "", "{}")} {
		require.Equal(t, "no-store", r.header.Get("Cache-Control"))
		require.Equal(t, "no-referrer", r.header.Get("Referrer-Policy"))
		require.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
		policy := strings.Replace(r.header.Get("Content-Security-Policy"), "sandbox; form-action 'none'; base-uri 'none'; ", "", 1) // a URL that an adapter wrote
		require.Equal(t, "default-src 'none'; frame-ancestors 'none'", policy)
		require.Equal(t, "DENY", r.header.Get("X-Frame-Options"))
	}
}

// TestFramersAreOrigins: a return_url adds nothing but its origin to the policy.
func TestFramersAreOrigins(t *testing.T) {
	t.Parallel()
	require.Equal(t, "'none'", router.FrameAncestors())
	require.Equal(t, "*", router.FrameAncestors("https://shop.example", "*"), "the operator lets every page call")
	require.Equal(t, "'self' https://shop.example http://localhost:3000", router.FrameAncestors("https://shop.example", "http://localhost:3000"))
	for _, evil := range []string{"https://*", "https://*.example", "https://a;script-src", "https://a b", "https://a,default-src *", "https://a'", "https://", "data:", "https://a\nX: y", "'unsafe-inline'",
		"https://a/../*", "https:", "http://[::1]", "https://a:", "https://a:*", "https://ä.example"} {
		require.Equal(t, "'self'", router.FrameAncestors(evil), evil)
	}
	b := newBankWorld(t)
	taken := 0
	for _, evil := range []string{"https://*/", "https://x;sandbox/", "https://x,*/", "https://'none'/"} {
		r := b.post("/payments", strings.Replace(secure("4000003001700000"), "https://shop.example/done?order=7", evil, 1))
		if r.status != 200 {
			continue
		}
		taken++
		b.authenticate(r.object(), "U")
		asked := b.counted.asked(r.object()["payment_id"].(string), sdk.OpAuthenticate).Authentication
		notice := b.ours(asked.NotificationURL, url.Values{"cres": {"garbage"}})
		require.Equal(t, "'self' https://shop.example "+publicURL+" "+b.server.URL, framing(t, notice), "%s: the requestor's origin is left", evil)
	}
	require.NotZero(t, taken)
}
