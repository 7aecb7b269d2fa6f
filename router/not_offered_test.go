package router_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCallsNotOffered: post_session_tokens and calculate_tax answer 501 with the way out. Before that they refuse what other calls of a payer's client refuse.
func TestCallsNotOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(plain, "confirm", "-")).ok()
	id, clientSecret, other := p["payment_id"].(string), p["client_secret"].(string), w.post("/payments", with(plain, "confirm", "-")).ok()["client_secret"].(string)
	_, _, otherKey := w.merchant("shop_2")
	for _, c := range []struct{ call, needs, fields, message, param, hint string }{
		{"/post_session_tokens", "payment_method", `"payment_method":"wallet","payment_method_type":"paypal"`, "post_session_tokens for paypal is not implemented",
			"payment_method_type", "Confirm the payment with a card: POST /payments/{payment_id}/confirm."},
		{"/calculate_tax", "shipping", `"payment_method_type":"paypal","shipping":{"address":{"zip":"94122","country":"US"}},"session_id":"s1"`, "calculate_tax is not implemented",
			"shipping", "Send the tax from your server, before the payer confirms: POST /payments/{payment_id} with order_tax_amount."},
	} {
		path, proven := "/payments/"+id+c.call, `,"client_secret":"`+clientSecret+`"}`
		send := func(key, body string) response { return w.send("POST", path, key, body) }
		for _, r := range []response{send(w.publishable, "{"+c.fields+proven), w.as(tokenOf(t, p), "POST", path, "{"+c.fields+"}")} {
			r.refused(501, "IR_00", c.message)
			require.Equal(t, []any{"invalid_request", c.param, c.hint}, []any{r.error()["type"], r.error()["param"], r.error()["hint"]})
		}
		for _, refusal := range []struct {
			name, key, body string
			status          int
			code, param     string
		}{
			{"no key", "", "{" + c.fields + proven, 401, "IR_01", "api-key"},
			{"secret key", w.secret, "{" + c.fields + "}", 401, "IR_01", "api-key"},
			{"no client_secret", w.publishable, "{" + c.fields + "}", 400, "IR_04", "client_secret"},
			{"secret of another payment", w.publishable, "{" + c.fields + `,"client_secret":"` + other + `"}`, 400, "IR_09", "client_secret"},
			{"another merchant", otherKey, "{" + c.fields + proven, 404, "HE_02", "payment_id"},
			{"field missing", w.publishable, `{"payment_method_type":"paypal"` + proven, 400, "IR_06", c.needs},
			{"unknown type", w.publishable, "{" + c.fields + `,"payment_method_type":"x"` + proven, 400, "IR_06", "payment_method_type"},
			{"no body", w.publishable, "", 400, "IR_06", ""},
		} {
			r := send(refusal.key, refusal.body)
			require.Equal(t, []any{refusal.status, refusal.code}, []any{r.status, r.error()["code"]}, "%s %s: %s", c.call, refusal.name, r.body)
			if refusal.param != "" {
				require.Equal(t, refusal.param, r.error()["param"], refusal.name)
			}
			require.NotEmpty(t, r.error()["hint"], refusal.name)
		}
		require.Equal(t, 404, w.send("POST", "/payments/none"+c.call, w.publishable, "{"+c.fields+proven).status)
	}
	after := w.get("/payments/" + id).ok()
	require.Equal(t, []any{nil, nil, 1000.0}, []any{after["order_tax_amount"], after["shipping"], after["net_amount"]}, "a refused call changes nothing")

	// The remedy works.
	taxed := w.post("/payments/"+id, `{"order_tax_amount":190}`).ok()
	require.Equal(t, []any{190.0, 1190.0}, []any{taxed["order_tax_amount"], taxed["net_amount"]})
	w.passes(901 * time.Second)
	w.send("POST", "/payments/"+id+"/calculate_tax", w.publishable, `{"payment_method_type":"paypal","shipping":{},"client_secret":"`+clientSecret+`"}`).refused(400, "IR_08", "")
}
