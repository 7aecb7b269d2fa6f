package router_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/gpayments"
)

const (
	gpaymentsMetadata = `{"endpoint_prefix":"acme","merchant_id":"M1","acquirer_bin":"412345","acquirer_merchant_id":"MID1","mcc":"5411","merchant_name":"Shop","merchant_country_code":"208"}`
	gpaymentsIDs      = `"threeDSServerTransID":"s-1","dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","acsTransID":"a-1","messageVersion":"2.2.0"`
)

// gpaymentsAnswers returns the answers of ActiveServer for a card with a challenge that has no result yet.
func gpaymentsAnswers() map[string]string {
	return map[string]string{
		"/api/v2/auth/enrol":            `{"enrolmentStatus":"01","supportedMessageVersions":["2.1.0","2.2.0"]}`,
		"/api/v2/auth/brw/init":         `{"threeDSServerTransID":"s-1","threeDSServerCallbackUrl":"BASE/frame/method?t=1","monUrl":"BASE/frame/monitor?t=1","authUrl":"BASE/api/v2/auth/brw?t=1"}`,
		"/api/v2/auth/brw":              `{` + gpaymentsIDs + `,"transStatus":"C","challengeUrl":"BASE/frame/challenge?t=1&x=2","resultMonUrl":"BASE/api/v2/mon?t=1"}`,
		"/api/v2/mon":                   `{"event":"AuthResultNotReady"}`,
		"/api/v2/auth/brw/result":       `{` + gpaymentsIDs + `,"transStatus":"C"}`,
		"/api/v2/auth/challenge/status": `{}`,
	}
}

func gpaymentsResult(status string) string {
	return `{` + gpaymentsIDs + `,"transStatus":"` + status + `","eci":"05","authenticationValue":"` + pushedValue + `"}`
}

func event(name string) url.Values {
	return url.Values{"requestorTransId": {"r-1"}, "event": {name}, "param": {"eyJ9"}}
}

var frameSource = regexp.MustCompile(`<iframe src="([^"]*)"`)

// ActiveServer runs the 3DS method and the challenge on pages of its own, loaded with GET, which report progress by events. Shops' clients still post
// forms.
func TestGPaymentsFrames(t *testing.T) {
	t.Parallel()
	w := newVendorWorld(t, gpayments.Adapter(), gpaymentsMetadata, gpaymentsAnswers())
	p, data := w.invoke("4242424242424242")
	details := data["three_ds_method_details"].(map[string]any)
	require.Equal(t, true, details["three_ds_method_data_submission"])
	require.Equal(t, "threeDSMethodData", details["three_ds_method_key"])
	frames := details["three_ds_method_url"].(string)
	require.Contains(t, frames, publicURL+"/3ds/f/")
	page := w.ours(frames, url.Values{"threeDSMethodData": {details["three_ds_method_data"].(string)}})
	require.Equal(t, 200, page.status)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "frame-src http: https:;")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "; frame-ancestors 'self' https://shop.example "+publicURL+" "+w.vendor.server.URL, "shops frame it")
	var loaded []string
	for _, m := range frameSource.FindAllStringSubmatch(page.body, -1) {
		loaded = append(loaded, html.UnescapeString(m[1]))
	}
	require.Equal(t, []string{w.vendor.server.URL + "/frame/method?t=1", w.vendor.server.URL + "/frame/monitor?t=1"}, loaded)
	require.Equal(t, 404, w.ours(frames[:len(frames)-1]+"_", nil).status, "a URL that leads nowhere")

	// The page reports the end of the 3DS method.
	tell := w.vendor.body(t, "/api/v2/auth/brw/init")["eventCallbackUrl"].(string)
	require.Contains(t, tell, publicURL+"/3ds/e/")
	page = w.ours(tell, event("3DSMethodHasError"))
	require.NotContains(t, page.body, "3ds_method_done", "for the record only")
	page = w.ours(tell, event("3DSMethodFinished"))
	require.Equal(t, 200, page.status)
	require.Contains(t, html.UnescapeString(page.body), `[{"payment_id":"`+p["payment_id"].(string)+`","type":"3ds_method_done"}]`)
	require.Contains(t, html.UnescapeString(page.body), `data-origins="["https://shop.example","`+publicURL+`"]"`)
	require.Equal(t, 400, w.ours(tell, url.Values{"event": {"Paid"}}).status)

	// The browser opens the challenge with GET, whatever method the client used.
	out := w.authenticate(p, "Y")
	require.Equal(t, "C", out["trans_status"], out)
	require.Nil(t, out["challenge_request"])
	open := out["acs_url"].(string)
	require.Contains(t, open, publicURL+"/3ds/g/")
	require.Equal(t, out, w.authenticate(p, "Y"), "the same answer")
	for _, hop := range []response{w.ours(open, url.Values{out["challenge_request_key"].(string): {""}}), w.send("GET", strings.TrimPrefix(open, publicURL), "", "")} {
		require.Equal(t, 303, hop.status)
		require.Equal(t, w.vendor.server.URL+"/frame/challenge?t=1&x=2", hop.header.Get("Location"))
	}
	require.Empty(t, frameSource.FindString(w.ours(frames, nil).body), "the method's time is over")
	require.Equal(t, 200, w.ours(tell, event("3DSMethodFinished")).status, "and what comes late changes nothing")

	// An event proves nothing, so the engine asks for the result.
	page = w.ours(tell, event("AuthResultReady"))
	require.Contains(t, html.UnescapeString(page.body), `"type":"3ds_challenge_done"`)
	require.Contains(t, html.UnescapeString(page.body), `"return_url_with_query_params":"https://shop.example/done?order=7"`)
	require.Contains(t, page.body, `data-nested="1"`, "the shop's page is around the authenticator's")
	require.Contains(t, page.body, html.EscapeString("/authorize/stripe/"), "where the page goes when nothing frames it")
	require.Equal(t, "requires_customer_action", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])
	w.vendor.answer("/api/v2/mon", `{"event":"AuthResultReady"}`)
	w.vendor.answer("/api/v2/auth/brw/result", gpaymentsResult("Y"))
	got := w.ended(p)
	require.Equal(t, "succeeded", got["status"], got)
	require.Equal(t, "05", got["external_authentication_details"].(map[string]any)["electronic_commerce_indicator"])
	require.Zero(t, w.vendor.count("POST /frame/challenge"), "never posted to")

	for _, name := range []string{"AuthResultReady", "3DSMethodFinished", "InitAuthTimedOut"} {
		require.Equal(t, 200, w.ours(tell, event(name)).status, "replayed")
	}
	hop := w.ours(open, nil)
	require.Equal(t, 200, hop.status, "there is nothing to open any more")
	require.Contains(t, html.UnescapeString(hop.body), "3ds_challenge_done")
	require.Equal(t, 404, w.ours(open[:len(open)-1]+"_", nil).status)
	require.Equal(t, 1, w.vendor.count("POST /api/v2/auth/brw"))
}

// The page's message only wakes up the engine. The authenticator's result decides.
func TestGPaymentsResultDecides(t *testing.T) {
	t.Parallel()
	w := newVendorWorld(t, gpayments.Adapter(), gpaymentsMetadata, gpaymentsAnswers())
	p, _ := w.invoke("4242424242424242")
	tell := w.vendor.body(t, "/api/v2/auth/brw/init")["eventCallbackUrl"].(string)
	require.Equal(t, 200, w.ours(tell, event("AuthResultReady")).status, "before there is a challenge")
	require.Equal(t, 200, w.ours(tell, event("3DSMethodSkipped")).status)
	require.Zero(t, w.vendor.count("GET /api/v2/auth/brw/result"))
	require.Equal(t, "C", w.authenticate(p, "Y")["trans_status"])
	w.vendor.answer("/api/v2/mon", `{"event":"AuthResultReady"}`)
	w.vendor.answer("/api/v2/auth/brw/result", gpaymentsResult("N"))
	require.Equal(t, 200, w.ours(tell, event("AuthResultReady")).status)
	got := w.ended(p)
	require.Equal(t, "failed", got["status"])
	require.Equal(t, "authentication_failed", got["error_code"])
}

// The hosted page needs no special case: it posts to the URL that it gets.
func TestGPaymentsOnTheHostedPage(t *testing.T) {
	t.Parallel()
	w := newVendorWorld(t, gpayments.Adapter(), gpaymentsMetadata, gpaymentsAnswers())
	p, _ := w.invoke("4242424242424242")
	run := strings.TrimPrefix(p["next_action"].(map[string]any)["redirect_to_url"].(string), publicURL)
	page := w.send("GET", run, "", "")
	require.Contains(t, page.body, `<form id="method" method="post" action="`+publicURL+"/3ds/f/")
	w.vendor.answer("/api/v2/auth/brw/result", gpaymentsResult("Y"))
	require.Equal(t, 303, w.ours(publicURL+run, url.Values{"completion": {"N"}, "java_script": {"true"}, "width": {"1200"}, "height": {"800"}}).status)
	page = w.send("GET", run, "", "")
	m := formAction.FindStringSubmatch(page.body)
	require.NotNil(t, m, page.body)
	require.Contains(t, m[1], publicURL+"/3ds/g/")
	require.Equal(t, 303, w.ours(html.UnescapeString(m[1]), nil).status)
}
