package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// Every key takes Idempotency-Keys up to the documented length, and none above it.
func TestIdempotencyKeyLength(t *testing.T) {
	doc, err := document()
	require.NoError(t, err)
	described := doc.Components.Parameters["IdempotencyKey"].Value
	require.EqualValues(t, engine.MaxIdempotencyKey, *described.Schema.Value.MaxLength)
	require.Contains(t, described.Description, fmt.Sprintf("1 to %d printable ASCII characters", engine.MaxIdempotencyKey))

	w := newWorld(t)
	id := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	ephemeral := w.post("/ephemeral_keys", `{"customer_id":"cus_1"}`).ok()["secret"].(string)
	confirm := func(key string) response {
		p := w.post("/payments", with(plain, "confirm", "-")).ok()
		return w.send("POST", "/payments/"+p["payment_id"].(string)+"/confirm", w.publishable, `{"client_secret":"`+p["client_secret"].(string)+`"}`, "Idempotency-Key", key)
	}
	for who, call := range map[string]func(key string) response{
		"secret":      func(key string) response { return w.send("POST", "/payments", w.secret, plain, "Idempotency-Key", key) },
		"publishable": confirm,
		"ephemeral": func(key string) response {
			return w.send("POST", "/customers/cus_1/payment_methods/"+id+"/default", ephemeral, "{}", "Idempotency-Key", key)
		},
	} {
		t.Run(who, func(t *testing.T) {
			require.NotEqual(t, 422, call(strings.Repeat("k", engine.MaxIdempotencyKey)).status)
			const says = "Idempotency-Key must be 1 to 250 printable ASCII characters without spaces"
			call(strings.Repeat("k", engine.MaxIdempotencyKey+1)).expect(422, "IR_06", says)
			call("p order-1").expect(422, "IR_06", says)
			call("clé").expect(422, "IR_06", says)
		})
	}
}

// The payer's keys cannot take the Idempotency-Keys that the merchant's server is about to use, nor read what it was answered.
func TestIdempotencyKeysOfThePayerAreApart(t *testing.T) {
	w := newWorld(t)
	id := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	path := "/customers/cus_1/payment_methods/" + id + "/default"
	key := func(customer string) string {
		return w.post("/ephemeral_keys", `{"customer_id":"`+customer+`"}`).ok()["secret"].(string)
	}
	w.send("POST", path, key("cus_1"), "{}", "Idempotency-Key", "order-1").refused(400, "IR_16", "already set as default")
	w.send("POST", "/payments", w.secret, plain, "Idempotency-Key", "order-1").ok()

	first := w.send("POST", path, w.secret, "{}", "Idempotency-Key", "order-2")
	first.refused(400, "IR_16", "already set as default")
	w.post("/customers", `{"customer_id":"cus_2"}`).ok()
	w.send("POST", path, key("cus_2"), "{}", "Idempotency-Key", "order-2").refused(401, "IR_15", "")
}
