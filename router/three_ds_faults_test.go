package router_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator3ds"
	"payswitch/sdk"
)

// visaCard returns the development server's card of the digits V, M, A and C.
func visaCard(digits string) string { return simulator3ds.CardNumber(simulator3ds.Visa, digits) }

// policy sets the 3-D Secure policy of the profile.
func (b *bankWorld) policy(settings string) {
	b.t.Helper()
	b.post("/account/m1/business_profile/"+b.profile, `{"external_three_ds_policy":`+settings+`}`).ok()
}

// replaces lets f answer calls of a path instead of the bank. If f returns false, the bank answers.
func (b *bankWorld) replaces(path string, f func(w http.ResponseWriter, r *http.Request) bool) {
	g := func(w http.ResponseWriter, r *http.Request) bool { return r.URL.Path == path && f(w, r) }
	b.instead.Store(&g)
}

// rewrites changes the bank's answers to a path.
func (b *bankWorld) rewrites(path string, change func(m map[string]any)) {
	b.replaces(path, func(w http.ResponseWriter, r *http.Request) bool {
		rec := httptest.NewRecorder()
		b.bank.ServeHTTP(rec, r)
		var m map[string]any
		if json.Unmarshal(rec.Body.Bytes(), &m) != nil {
			w.WriteHeader(rec.Code)
			return true
		}
		change(m)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(m)
		return true
	})
}

// says makes every call of a path fail with an error message.
func (b *bankWorld) says(path, code string) {
	b.replaces(path, func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"messageType": "Erro", "errorCode": code, "errorComponent": "D", "errorDescription": "told so", "errorDetail": "detail",
			"messageVersion": "2.2.0"})
		return true
	})
}

// silent closes the connection without an answer, the first n times.
func (b *bankWorld) silent(path string, n int) {
	b.replaces(path, func(http.ResponseWriter, *http.Request) bool {
		if n--; n >= 0 {
			panic(http.ErrAbortHandler)
		}
		return false
	})
}

// heals removes all faults of the bank.
func (b *bankWorld) heals() { b.instead.Store(nil) }

// pay sends a payment that asks for authentication, with dotted paths of its body changed.
func (b *bankWorld) pay(digits string, changes ...string) response {
	b.t.Helper()
	return b.post("/payments", with(secure(visaCard(digits)), changes...))
}

// ends waits for the end of a payment. It checks its status, its error code ("" for none) and the number of calls of the processor.
func (b *bankWorld) ends(payment map[string]any, status, code string, authorizations int) map[string]any {
	b.t.Helper()
	got := b.ended(payment)
	require.Equal(b.t, status, got["status"], got)
	if code == "" {
		require.Nil(b.t, got["error_code"])
	} else {
		require.Equal(b.t, code, got["error_code"])
	}
	require.Equal(b.t, authorizations, b.authorizations(payment))
	require.Empty(b.t, b.record(payment["payment_id"].(string)).Instrument, "the card is gone")
	return got
}

func (b *bankWorld) authorizations(payment map[string]any) int {
	return b.counted.called(payment["payment_id"].(string), sdk.OpAuthorize)
}

// proof returns the authentication that the processor got.
func (b *bankWorld) proof(payment map[string]any) *sdk.ThreeDSResult {
	return b.counted.asked(payment["payment_id"].(string), sdk.OpAuthorize).ThreeDS
}

// waits checks that a payment still waits for its payer.
func (b *bankWorld) waits(payment map[string]any) {
	b.t.Helper()
	require.Equal(b.t, "requires_customer_action", b.get("/payments/" + payment["payment_id"].(string)).ok()["status"])
}

// challenged is a payment whose payer is at the bank's page.
type challenged struct {
	*bankWorld
	payment, data, answer map[string]any
}

// challenge begins a challenge with a card without 3DS method.
func (b *bankWorld) challenge(digits string, changes ...string) *challenged {
	b.t.Helper()
	p := b.pay(digits, changes...).ok()
	require.Equal(b.t, "requires_customer_action", p["status"], p)
	out := b.authenticate(p, "U")
	require.Equal(b.t, "C", out["trans_status"], out)
	return &challenged{b, p, p["next_action"].(map[string]any)["three_ds_data"].(map[string]any), out}
}

// confirms enters a code as the payer. The browser does not bring the CRes yet.
func (c *challenged) confirms(otp string) (to string, fields url.Values) {
	c.t.Helper()
	return c.bankWorld.answer(c.answer, otp)
}

// returns enters a code as the payer and brings back the browser, with a changed CRes.
func (c *challenged) returns(otp string, changes ...string) {
	c.t.Helper()
	to, fields := c.confirms(otp)
	fields.Set("cres", encode64(strings.NewReplacer(changes...).Replace(decode64(c.t, fields.Get("cres")))))
	require.Equal(c.t, 200, c.ours(to, fields).status)
}

// due moves the time forward by d and makes the challenge due for background work.
func (c *challenged) due(d time.Duration) {
	c.t.Helper()
	c.bankWorld.due(c.payment["payment_id"].(string), d)
}

// asked counts the calls of an endpoint of the bank.
func (b *bankWorld) asked(endpoint string) (n int) {
	b.t.Helper()
	for _, m := range b.bankLog() {
		if m.What == "switch→"+endpoint {
			n++
		}
	}
	return n
}

// pushes sends a result to the URL that the authenticator got for it. Every wrong push gets the same answer.
func (b *bankWorld) pushes(to string, result map[string]any) {
	b.t.Helper()
	body, err := json.Marshal(result)
	require.NoError(b.t, err)
	r := b.send("POST", strings.TrimPrefix(to, publicURL), "", string(bytes.TrimSpace(body)))
	require.Equal(b.t, 200, r.status, r.body)
}

// readRequest reads a request's JSON and answers with a body to read again.
func readRequest(t testing.TB, r *http.Request, m *map[string]any) io.ReadCloser {
	raw, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, m))
	return io.NopCloser(bytes.NewReader(raw))
}
