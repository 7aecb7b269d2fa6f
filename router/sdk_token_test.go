package router_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/router"
)

// tokenOf returns the sdk_authorization of a payment, as its parts.
func tokenOf(t testing.TB, p map[string]any) string {
	text, err := base64.StdEncoding.DecodeString(p["sdk_authorization"].(string))
	require.NoError(t, err)
	return string(text)
}

// as sends a request with an SDK token, given by its parts, and no key.
func (w *world) as(token, method, path, body string) response {
	return w.send(method, path, "", body, "Authorization", base64.StdEncoding.EncodeToString([]byte(token)))
}

// sessionBytes returns what a payment's stored details hold for its client session.
func (w *world) sessionBytes(id string) (found string) {
	require.NoError(w.t, w.store.View(context.Background(), func(r engine.Reader) error {
		p, err := r.Payment(merchant, id)
		if err != nil {
			return err
		}
		details, err := json.Marshal(p.Details)
		found = regexp.MustCompile(`,"session":\d+`).FindString(string(details))
		return err
	}))
	return found
}

const open = `{"amount":1000,"currency":"EUR","customer_id":"cus_1","return_url":"https://example.com/return"}`

func TestSDKAuthorization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", open).ok()
	id, secret := p["payment_id"].(string), p["client_secret"].(string)
	bare := fmt.Sprintf("profile_id=%s,publishable_key=%s,client_secret=%s,customer_id=cus_1,payment_id=%s", w.profile, w.publishable, secret, id)
	token := tokenOf(t, p)
	require.Regexp(t, `^profile_id=\w+,publishable_key=\w+,client_secret=\w+,customer_id=cus_1,client_session_id=client_sess_[0-9A-Za-z]{20},payment_id=\w+$`, token)
	require.Equal(t, bare, tokenOf(t, w.get("/payments/"+id).ok()), "a retrieve opens no session")
	require.Nil(t, w.get("/payments/list").ok()["data"].([]any)[0].(map[string]any)["sdk_authorization"])
	guest := tokenOf(t, w.post("/payments", with(open, "customer_id", "-")).ok())
	require.NotContains(t, guest, "customer_id")

	// The order of a browser's calls, with each kind of token and no other secret.
	for _, token := range []string{token, bare} {
		require.Equal(t, id, w.as(token, "GET", "/payments/"+id, "").ok()["payment_id"])
		require.Equal(t, "EUR", w.as(token, "GET", "/account/payment_methods", "").ok()["currency"])
		require.Equal(t, false, w.as(token, "GET", "/customers/payment_methods", "").ok()["is_guest_customer"])
		require.Equal(t, secret, w.as(token, "POST", "/payments/session_tokens", `{"payment_id":"`+id+`","wallets":[]}`).ok()["client_secret"])
		w.as(token, "GET", "/poll/status/external_authentication_"+id, "").refused(404, "HE_02", "Poll")
		w.as(token, "POST", "/payments/"+id+"/complete_authorize", `{}`).ok()
		w.as(token, "POST", "/payments/"+id+"/3ds/authentication", `{"device_channel":"BRW","threeds_method_comp_ind":"U"}`).refused(400, "IR_16", "")
	}
	c := w.as(token, "POST", "/payments/"+id+"/confirm", with(plain, "amount", "-", "currency", "-", "confirm", "-")).ok()
	require.Equal(t, []any{"succeeded", bare}, []any{c["status"], tokenOf(t, c)})
}

// TestSDKTokenRefused: a token with a wrong part is a wrong key, and routes for the merchant's server take no token.
func TestSDKTokenRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.post("/payments", open).ok(), w.post("/payments", with(open, "customer_id", `"cus_2"`)).ok()
	id, token := p["payment_id"].(string), tokenOf(t, p)
	_, foreignSecret, foreignKey := w.merchant("m2")
	foreign := tokenOf(t, w.send("POST", "/payments", foreignSecret, open).ok())
	part := func(name, value string) string {
		parts := strings.Split(token, ",")
		for i, p := range parts {
			if strings.HasPrefix(p, name+"=") {
				parts[i] = name + "=" + value
			}
		}
		return strings.Join(parts, ",")
	}
	for name, token := range map[string]string{
		"another key": part("publishable_key", foreignKey), "a secret key": part("publishable_key", w.secret), "no key": part("publishable_key", ""),
		"unknown profile": part("profile_id", "pro_none"), "another secret": part("client_secret", other["client_secret"].(string)),
		"unknown session": part("client_session_id", "client_sess_00000000000000000000"), "empty session": part("client_session_id", ""),
		"another payment": part("payment_id", other["payment_id"].(string)), "unknown payment": part("payment_id", "pay_none"),
		"another merchant": part("publishable_key", foreignKey) + ",x=y", "twice": token + ",payment_id=" + id, "no value": token + ",x", "empty": "",
		"session of another": part("client_session_id", tokenOf(t, other)[strings.Index(tokenOf(t, other), "client_sess_"):][:32]),
	} {
		for _, path := range []string{"/payments/" + id, "/account/payment_methods", "/customers/cus_1"} {
			require.Equal(t, 401, w.as(token, "GET", path, "").status, "%s: %s", name, path)
		}
	}
	for _, header := range []string{"garbage", token, base64.RawURLEncoding.EncodeToString([]byte(token)), "Bearer x", strings.Repeat("A", 3000)} {
		w.send("GET", "/payments/"+id, "", "", "Authorization", header).refused(401, "IR_01", "")
	}
	w.send("GET", "/payments/"+id, w.secret, "", "Authorization", "garbage").refused(401, "IR_01", "") // the token wins over api-key
	w.send("GET", "/payments/"+id, w.secret, "", "Authorization", "Bearer x").ok()                     // another scheme is no token
	for _, r := range [][2]string{{"GET", "/payments/list"}, {"POST", "/payments"}, {"POST", "/payments/" + id}, {"POST", "/payments/" + id + "/cancel"},
		{"GET", "/customers/list"}, {"GET", "/account/m1/connectors"}, {"GET", "/customers/cus_1/payment_methods"}, {"POST", "/ephemeral_keys"}} {
		require.Equal(t, 401, w.as(token, r[0], r[1], "").status, r)
	}
	w.as(token, "GET", "/payments/"+other["payment_id"].(string), "").refused(400, "IR_09", "")
	w.as(token, "GET", "/poll/status/external_authentication_"+other["payment_id"].(string), "").refused(404, "HE_02", "Poll")
	require.Equal(t, 401, w.as(foreign, "GET", "/customers/cus_2", "").status)
	require.Equal(t, 404, w.as(foreign, "GET", "/payments/"+id, "").status)
}

// TestClientSession: an update voids the session before it, and a session ends with the payment's secret. A session alone opens the customer.
func TestClientSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", with(open, "session_expiry", "900")).ok()
	id, first, get := p["payment_id"].(string), tokenOf(t, p), "/payments/"+p["payment_id"].(string)
	second := tokenOf(t, w.post("/payments/"+id, `{"amount":1200}`).ok())
	require.NotEqual(t, first, second)
	require.Len(t, w.sessionBytes(id), 12, "of an updated payment")
	require.Empty(t, w.sessionBytes(w.post("/payments", open).ok()["payment_id"].(string)), "a payment that was only created stores nothing")
	w.as(first, "GET", get, "").refused(401, "IR_01", "API key not provided or invalid API key used")
	w.as(second, "GET", get, "").ok()

	require.Equal(t, "cus_1", w.as(second, "GET", "/customers/cus_1", "").ok()["customer_id"])
	w.post("/customers", `{"customer_id":"cus_2"}`).ok()
	w.as(second, "GET", "/customers/cus_2", "").refused(401, "IR_15", "")
	bare := tokenOf(t, w.get(get).ok())
	for _, forged := range []string{bare, first, strings.Replace(bare, "cus_1", "cus_2", 1)} { // any page could write it from the client secret
		w.as(forged, "GET", "/customers/cus_1", "").refused(401, "IR_01", "")
	}
	w.as(tokenOf(t, w.post("/payments", with(open, "customer_id", "-")).ok()), "GET", "/customers/cus_1", "").refused(401, "IR_01", "")

	w.passes(15 * time.Minute)
	w.as(second, "GET", get, "").refused(401, "IR_01", "")
	w.as(bare, "GET", get, "").refused(400, "IR_08", "The provided client_secret has expired")
}

// TestSDKTokenRepeats: an Idempotency-Key counts with a token, without a client secret in the body.
func TestSDKTokenRepeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", open).ok()
	body := with(plain, "amount", "-", "currency", "-", "confirm", "-")
	send := func() response {
		return w.send("POST", "/payments/"+p["payment_id"].(string)+"/confirm", "", body, "Authorization", p["sdk_authorization"].(string), "Idempotency-Key", "press-1")
	}
	require.Equal(t, send().ok(), send().ok())
}

// TestSDKTokenAndRates: payers' clients with tokens share no bucket, of one merchant or of several, and fill no place of a merchant's key.
func TestSDKTokenAndRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *router.Options) { o.RateLimit = router.RateLimit{PerSecond: 0.001, Burst: 4} })
	p := w.post("/payments", `{"amount":100,"currency":"USD","customer_id":"cus_1"}`).ok()
	token := p["sdk_authorization"].(string)
	for _, key := range []string{"", "one", "two", w.secret} { // a token wins over the header api-key
		for range 6 {
			r := w.send("GET", "/customers/cus_1", key, "", "Authorization", token)
			require.Equal(t, 200, r.status, r.body)
			require.Empty(t, r.header.Get("RateLimit-Limit"))
		}
	}
	for left := range 3 {
		require.Equal(t, strconv.Itoa(2-left), w.get("/customers/cus_1").header.Get("RateLimit-Remaining"), "the merchant's own rate")
	}
	require.Equal(t, 429, w.get("/customers/cus_1").status)
}
