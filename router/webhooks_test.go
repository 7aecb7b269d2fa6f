package router_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hook sends a message like a processor: without a key and with its own content type.
func (w *world) hook(method, path, body string, header map[string]string) response {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for name, v := range header {
		r.Header.Set(name, v)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return response{rec.Code, rec.Header(), rec.Body.String(), w.t}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const list = "/account/m1/connectors"
	id := w.get(list).list()[0]["merchant_connector_id"].(string)
	const secret = messageSecret
	shown := w.admin("POST", list+"/"+id, `{"connector_type":"payment_processor","connector_webhook_details":{"merchant_secret":"`+secret+`"}}`).ok()
	require.NotContains(t, shown["connector_webhook_details"].(map[string]any)["merchant_secret"], secret)

	pending := w.send("POST", "/payments", w.secret, `{"amount":900000020,"currency":"USD","confirm":true,"payment_method":"card",
		"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"123"}},
		"routing":{"type":"single","data":"stripe"}}`).ok()
	require.Equal(t, "processing", pending["status"])
	message := `{"type":"payment.updated","transaction_id":"` + pending["connector_transaction_id"].(string) + `"}`
	signature := map[string]string{"X-Simulator-Signature": signedBy(secret, message), "Content-Type": "text/plain"}

	w.passes(10 * time.Second)
	w.hook("POST", "/webhooks/m1/"+id, message, nil).refused(401, "WE_01", "Webhook authentication failed")
	w.hook("POST", "/webhooks/m1/"+id, message+" ", signature).refused(401, "WE_01", "Webhook authentication failed")
	require.Contains(t, w.logs.String(), "Webhook authentication failed: ", "the log has the adapter's reason")
	require.Equal(t, "processing", w.get("/payments/" + pending["payment_id"].(string)).ok()["status"])
	got := w.hook("POST", "/webhooks/m1/"+id, message, signature)
	require.Equal(t, 200, got.status, got.body)
	require.Empty(t, got.body)
	require.Equal(t, "text/plain; charset=utf-8", got.header.Get("Content-Type"))
	require.Equal(t, "succeeded", w.get("/payments/" + pending["payment_id"].(string)).ok()["status"])

	// A message to the connector's name, and a repeated message, change nothing.
	require.Equal(t, 200, w.hook("PUT", "/webhooks/m1/stripe", message, signature).status)
	w.hook("POST", "/webhooks/m1/worldpay", message, signature).refused(401, "WE_01", "Webhook authentication failed")
	w.hook("POST", "/webhooks/other/"+id, message, signature).refused(401, "WE_01", "Webhook authentication failed")
	w.hook("GET", "/webhooks/m1/"+id+"?a=%zz", "", nil).refused(400, "IR_06", "query string is malformed")
	w.hook("POST", "/webhooks/m1/"+id, strings.Repeat("x", 256<<10+1), nil).refused(413, "IR_06", "larger than 262144 bytes")
	w.hook("POST", "/webhooks/m1/"+id, strings.Repeat("x", 64<<10), nil).refused(401, "WE_01", "")
	require.Equal(t, http.StatusMethodNotAllowed, w.hook("DELETE", "/webhooks/m1/"+id, "", nil).status)
	require.NotContains(t, w.logs.String(), secret)
}
