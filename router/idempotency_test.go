package router_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"payswitch/engine/idempotency"

	"github.com/stretchr/testify/require"
)

// Every API key accepts an Idempotency-Key up to the documented length, and no longer one.
func TestIdempotencyKeyLength(t *testing.T) {
	t.Parallel()
	doc, err := document()
	require.NoError(t, err)
	described := doc.Components.Parameters["IdempotencyKey"].Value
	require.EqualValues(t, idempotency.MaxKey, *described.Schema.Value.MaxLength)
	require.Contains(t, described.Description, fmt.Sprintf("1 to %d printable ASCII characters", idempotency.MaxKey))

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
			require.NotEqual(t, 422, call(strings.Repeat("k", idempotency.MaxKey)).status)
			const says = "Idempotency-Key must be 1 to 250 printable ASCII characters without spaces"
			call(strings.Repeat("k", idempotency.MaxKey+1)).expect(422, "IR_06", says)
			call("p order-1").expect(422, "IR_06", says)
			call("clé").expect(422, "IR_06", says)
		})
	}
}

// A caller with the payer's keys cannot block the Idempotency-Keys of the merchant's server, nor read their stored answers.
func TestIdempotencyKeysOfThePayerAreApart(t *testing.T) {
	t.Parallel()
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

// The publishable key is public. Without a client secret, an Idempotency-Key has no effect with it and uses no room in the database.
func TestIdempotencyKeysNeedTheClientSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := func() (string, string) {
		p := w.post("/payments", with(plain, "confirm", "-")).ok()
		return "/payments/" + p["payment_id"].(string) + "/confirm", `{"client_secret":"` + p["client_secret"].(string) + `"}`
	}
	path, body := open()
	other, otherBody := open()
	for _, squatting := range []string{`{"client_secret":"x"}`, `{"client_secret":"pay_x_secret_y"}`, body[:len(body)-3] + `"}`, `{}`, `garbage`, `{"client_secret":1}`,
		`{"client_secret":` + strings.TrimSuffix(otherBody[len(`{"client_secret":`):], "}") + `,"client_secret":"x"}`} {
		w.send("POST", path, w.publishable, squatting, "Idempotency-Key", "order-1")
	}
	w.send("POST", path, w.publishable, otherBody, "Idempotency-Key", "order-1").refused(400, "IR_09", "") // a payer of another payment
	w.send("POST", "/payments/session_tokens", w.publishable, `{"payment_id":"x","client_secret":"x","wallets":[]}`, "Idempotency-Key", "order-1")

	first := w.send("POST", path, w.publishable, body, "Idempotency-Key", "order-1")
	require.Equal(t, "succeeded", first.ok()["status"])
	require.Equal(t, first.body, w.send("POST", path, w.publishable, body, "Idempotency-Key", "order-1").body)
	w.send("POST", path, w.publishable, with(body, "card_cvc", `"123"`), "Idempotency-Key", "order-1").refused(400, "IR_38", "")
	w.passes(time.Hour) // the secret's time has passed, the answer is still known
	require.Equal(t, first.body, w.send("POST", path, w.publishable, body, "Idempotency-Key", "order-1").body)
	w.send("POST", other, w.publishable, otherBody, "Idempotency-Key", "order-2").refused(400, "IR_08", "")
}

// A customer's device changes things at a bounded rate, also with one key after the other. It may read as often as it likes. Other customers are not bound by it.
func TestDevicesChangeAtABoundedRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	key := func(customer string) string {
		return w.post("/ephemeral_keys", `{"customer_id":"`+customer+`"}`).ok()["secret"].(string)
	}
	change := func(key string) response {
		return w.send("POST", "/customers/cus_1/payment_methods/"+id+"/default", key, "{}")
	}
	first, second := key("cus_1"), key("cus_1")
	for range 100 {
		require.NotEqual(t, 429, change(first).status)
	}
	var last response
	require.Eventually(t, func() bool { last = change(second); return last.status == 429 }, time.Minute, time.Millisecond, "one comes back every two seconds")
	last.refused(429, "HE_00", "too many requests")
	require.NotEmpty(t, last.header.Get("Retry-After"))
	w.send("GET", "/customers/cus_1", first, "").ok()
	w.post("/customers", `{"customer_id":"cus_2"}`).ok()
	change(key("cus_2")).refused(401, "IR_15", "")
}

// A payer fills no disk either: a payment's client secret has a budget of requests with an Idempotency-Key. Each can take room for a day. Other
// payments, and the merchant, have room meanwhile.
func TestIdempotencyKeysOfAPayerRunOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := func() (string, string) {
		p := w.post("/payments", with(plain, "confirm", "-")).ok()
		return "/payments/" + p["payment_id"].(string) + "/confirm", `{"client_secret":"` + p["client_secret"].(string) + `"}`
	}
	path, body := open()
	other, otherBody := open()
	send := func(i int) response {
		return w.send("POST", path, w.publishable, body, "Idempotency-Key", fmt.Sprint("order-", i))
	}
	first := send(1).ok()
	for i := range 99 {
		require.NotEqual(t, 429, send(i+2).status)
	}
	var last response
	require.Eventually(t, func() bool { last = send(101); return last.status == 429 }, time.Minute, time.Millisecond, "one comes back every two seconds")
	last.refused(429, "HE_00", "Too many requests with an Idempotency-Key came from this payer; nothing was done: try again in a minute")
	require.Equal(t, "succeeded", w.send("POST", other, w.publishable, otherBody, "Idempotency-Key", "order-1").ok()["status"])
	require.Equal(t, 200, w.send("POST", "/payments", w.secret, plain, "Idempotency-Key", "order-1").status)
	w.passes(time.Minute)
	require.Equal(t, first, send(1).ok(), "its first answer is still known")
}
