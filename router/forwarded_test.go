package router_test

import (
	"bytes"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/router"
)

// TestForwardedAddress: behind a proxy the payer's address is the last one of X-Forwarded-For, because the payer can invent the others. Without a proxy the
// header says nothing.
func TestForwardedAddress(t *testing.T) {
	t.Parallel()
	f := &fake{create: func() (*change.View, error) { return nil, fault.Missing("amount") }}
	seen := func(s *router.Server, from string, headers ...string) (caller, browser string) {
		r := httptest.NewRequest("POST", "/payments", strings.NewReader(`{"amount":100,"currency":"USD","browser_info":{"user_agent":"x"}}`))
		r.RemoteAddr = from
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("api-key", "key")
		for _, h := range headers {
			r.Header.Add("X-Forwarded-For", h)
		}
		s.ServeHTTP(httptest.NewRecorder(), r)
		return f.created.CallerIP, f.created.Browser.IP
	}
	behind := f.server(t, router.Options{BehindProxy: true}, io.Discard)
	for _, c := range []struct {
		want    string
		headers []string
	}{
		{"192.0.2.9", []string{"192.0.2.9"}},
		{"192.0.2.9", []string{"198.51.100.1, 192.0.2.9"}},
		{"192.0.2.9", []string{"198.51.100.1", "203.0.113.5,192.0.2.9 "}},
		{"192.0.2.9", []string{"192.0.2.9:4711"}},
		{"192.0.2.9", []string{"::ffff:192.0.2.9"}},
		{"2001:db8::1", []string{"2001:db8::1"}},
		{"2001:db8::1", []string{"[2001:db8::1]"}},
		{"2001:db8::1", []string{"[2001:db8::1]:4711"}},
		{"127.0.0.1", []string{"unknown"}},
		{"127.0.0.1", []string{"192.0.2.9,"}},
		{"127.0.0.1", nil},
	} {
		caller, browser := seen(behind, "127.0.0.1:1234", c.headers...)
		require.Equal(t, []string{c.want, c.want}, []string{caller, browser}, "%q", c.headers)
	}

	var logs bytes.Buffer
	open := f.server(t, router.Options{}, &logs)
	caller, _ := seen(open, "203.0.113.7:1234", "192.0.2.9")
	require.Equal(t, "203.0.113.7", caller, "a stranger cannot choose an address")
	require.NotContains(t, logs.String(), "server.behind_proxy", "strangers write no warnings")
	for range 3 {
		caller, _ = seen(open, "127.0.0.1:1234", "192.0.2.9")
		require.Equal(t, "127.0.0.1", caller)
	}
	require.Equal(t, 1, strings.Count(logs.String(), "server.behind_proxy"), "the log says once that the setting is missing")
}
