package router_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// clientRoutes are the routes that pages of any origin may call. A new route for clients must be entered here.
var clientRoutes = []string{
	"GET /payments/{payment_id}", "POST /payments/{payment_id}/confirm", "POST /payments/{payment_id}/complete_authorize",
	"POST /payments/{payment_id}/3ds/authentication", "POST /payments/session_tokens", "GET /poll/status/{poll_id}",
	"GET /payments/{payment_id}/client", "GET /v1/sdk/configs/web/sdk_config.json", "GET /blocklist", "GET /checkout/v1/networks", "POST /payments/{payment_id}/eligibility", "POST /payments/{payment_id}/eligibility_check",
	"GET /account/payment_methods", "GET /customers/payment_methods", "GET /customers/{customer_id}", "GET /customers/{customer_id}/payment_methods",
	"POST /customers/{customer_id}/payment_methods/{payment_method_id}/default", "DELETE /payment_methods/{payment_method_id}",
	"GET /v1/payment-method-sessions/{session_id}", "GET /v1/payment-method-sessions/{session_id}/list-payment-methods",
	"POST /v1/payment-method-sessions/{session_id}/confirm", "PUT /v1/payment-method-sessions/{session_id}/update-saved-payment-method",
	"DELETE /v1/payment-method-sessions/{session_id}",
	"POST /payment_methods/{payment_method_id}/update", "POST /payment_methods/{payment_method_id}/save",
	"GET /payment_link/{payment_link_id}", "POST /payments/{payment_id}/post_session_tokens", "POST /payments/{payment_id}/calculate_tax",
}

// TestCORS: every page may call the routes for payers' clients, the pages of cors.origins all others, and no answer allows cookies.
func TestCORS(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string][]string{"none": nil, "the shop": {"https://shop.example"}} {
		w := newWorld(t, func(o *router.Options) { o.CORS.Origins = allowed })
		for _, r := range w.server.Routes() {
			for _, origin := range []string{"https://any.example", "https://shop.example", "null"} {
				want := ""
				switch {
				case slices.Contains(clientRoutes, r[0]+" "+r[1]):
					want = "*"
				case slices.Contains(allowed, origin):
					want = origin
				}
				ahead := w.send("OPTIONS", r[1], "", "", "Origin", origin, "Access-Control-Request-Method", r[0], "Access-Control-Request-Headers", "api-key")
				require.Equal(t, 204, ahead.status)
				require.Equal(t, want, ahead.header.Get("Access-Control-Allow-Origin"), "%s: %s %s", name, r, origin)
				require.Empty(t, ahead.header.Get("Access-Control-Allow-Credentials"))
				if want != "" {
					require.Contains(t, ahead.header.Get("Access-Control-Allow-Headers"), "authorization")
				}
			}
		}
	}
	w := newWorld(t)
	p := w.post("/payments", open).ok()
	path := "/payments/" + p["payment_id"].(string)
	shown := w.send("GET", path, "", "", "Origin", "https://any.example", "Authorization", p["sdk_authorization"].(string))
	shown.ok()
	require.Equal(t, "*", shown.header.Get("Access-Control-Allow-Origin"))
	require.Empty(t, shown.header.Get("Access-Control-Allow-Credentials"))
	refused := w.send("GET", path, "", "", "Origin", "https://any.example", "Cookie", "api-key="+w.secret)
	refused.refused(401, "IR_01", "")
	require.Equal(t, "*", refused.header.Get("Access-Control-Allow-Origin"), "a page can read why it was refused")
	require.Empty(t, w.send("GET", "/payments/list", w.secret, "", "Origin", "https://any.example").header.Get("Access-Control-Allow-Origin"))
}
