package router_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/router"
)

// TestRequestLog: each request is logged once, with the error's code and the id of its key, and with nothing that its caller wrote freely.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []router.LoggedRequest
	w := newWorld(t, func(o *router.Options) {
		o.Log = func(r router.LoggedRequest) { mu.Lock(); defer mu.Unlock(); lines = append(lines, r) }
	})
	taken := func() (out []router.LoggedRequest) { mu.Lock(); defer mu.Unlock(); out, lines = lines, nil; return out }
	marked := with(plain, "customer_id", `"marked_customer"`, "metadata", `{"a":"marked metadata"}`, "payment_method_data.card.card_holder_name", `"Marked Holder"`)
	r := w.send("POST", "/payments?marked=query", w.secret, marked, "Idempotency-Key", "marked-idempotency", "User-Agent", "marked agent", "X-Request-Id", "marked-request")
	p := r.ok()
	one := taken()
	require.Len(t, one, 1)
	require.Regexp(t, "^[0-9a-f-]{36}$", one[0].RequestID)
	require.Equal(t, r.header.Get("X-Request-Id"), one[0].RequestID)
	key := one[0].KeyID
	require.NotEmpty(t, key)
	require.False(t, one[0].At.IsZero())
	require.Positive(t, one[0].Took)

	const pan = "4242424242424242"
	short := func(r router.LoggedRequest) string {
		return strings.ReplaceAll(fmt.Sprint(r.Method, " ", r.Route, " ", r.Status, " ", r.Code, " ", r.MerchantID, " ", r.KeyID, " ", r.PaymentID), key, "KEY")
	}
	id := p["payment_id"].(string)
	for _, c := range []struct{ method, path, key, body, want string }{
		{"GET", "/payments/" + id, w.secret, "", "GET /payments/{payment_id} 200  m1 KEY " + id},
		{"GET", "/payments/" + id + "?client_secret=" + p["client_secret"].(string), w.publishable, "", "GET /payments/{payment_id} 200  m1 publishable " + id},
		{"GET", "/payments/" + pan, w.secret, "", "GET /payments/{payment_id} 404 HE_02 m1 KEY "},
		{"GET", "/" + pan + "/marked", w.secret, "", "GET  404 IR_02   "},
		{"MARKED", "/payments", w.secret, "", "  405 IR_03   "},
		{"POST", "/payments", w.secret, `{"` + pan + `":"marked"}`, "POST /payments 400 IR_06 m1 KEY "},
		{"POST", "/payments", "marked_" + pan, plain, "POST /payments 401 IR_01   "},
		{"POST", "/payments/" + id + "/capture", w.secret, `{}`, "POST /payments/{payment_id}/capture 400 IR_14 m1 KEY "},
		{"GET", "/accounts/" + merchant, adminKey, "", "GET /accounts/{merchant_id} 200   admin "},
		{"GET", "/health", "", "", ""},
	} {
		w.send(c.method, c.path, c.key, c.body)
		got := taken()
		if c.want == "" {
			require.Empty(t, got, c.path)
			continue
		}
		require.Len(t, got, 1)
		require.Equal(t, c.want, short(got[0]), c.path)
		one = append(one, got...)
	}
	for range 2 { // a repeated refusal keeps its code
		w.send("POST", "/payments", w.secret, `{"currency":"USD"}`, "Idempotency-Key", "k").refused(400, "IR_04", "")
		got := taken()
		require.Equal(t, "IR_04", got[0].Code)
		one = append(one, got...)
	}
	all := strings.ToLower(fmt.Sprintf("%+v %s", one, w.logs))
	for _, hidden := range []string{pan, "marked", w.secret, w.publishable, adminKey, p["client_secret"].(string)} {
		require.NotContains(t, all, strings.ToLower(hidden))
	}
	require.True(t, slices.ContainsFunc(strings.Split(w.logs.String(), "\n"), func(l string) bool { return strings.Contains(l, "code=IR_14") && strings.Contains(l, "key_id="+key) }))
}
