package router_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// A browser must not run an adapter's reply as a page of payswitch: any page can post a form to the webhook's URL and so show the reply in a
// browser, at the address of payswitch.
func TestWebhookReplyIsNoPage(t *testing.T) {
	t.Parallel()
	const page = `<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(document.domain)</script><form action="https://author.example"/></html>`
	hostile := simulator.Adapter()
	var reply sdk.Reply
	hostile.Webhook = func(*sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &reply}, nil
	}
	w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": hostile}))
	w.handler = w.server // the validator of the API's document reads no XML
	for _, media := range []string{"text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/xml", "text/plain", ""} {
		for _, status := range []int{100, 200, 201, 204, 300, 302, 304, 307, 399, -1} {
			t.Run(media+" "+strconv.Itoa(status), func(t *testing.T) {
				reply = sdk.Reply{Status: status, Body: page, Headers: []sdk.Header{sdk.H("Content-Type", media), sdk.H("Location", "https://author.example"),
					sdk.H("Set-Cookie", "a=b"), sdk.H("Access-Control-Allow-Origin", "*"), sdk.H("Content-Security-Policy", ""), sdk.H("Refresh", "0;url=https://author.example")}}
				got := w.hook("POST", "/webhooks/m1/adyen", "{}", nil)
				require.True(t, got.status >= 200 && got.status < 300, "%d: browsers show the body of a redirect without Location", got.status)
				policy := got.header.Get("Content-Security-Policy")
				for _, p := range []string{"default-src 'none'", "sandbox", "form-action 'none'", "frame-ancestors 'none'"} {
					require.Contains(t, policy, p)
				}
				require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
				for _, name := range []string{"Location", "Set-Cookie", "Access-Control-Allow-Origin", "Refresh"} {
					require.Empty(t, got.header.Get(name), name)
				}
				require.Regexp(t, `^(text/plain|text/xml|application/xml)`, got.header.Get("Content-Type"))
			})
		}
	}
}
