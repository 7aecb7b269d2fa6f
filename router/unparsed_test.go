package router_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestUnparsedRequests: a request that net/http refuses before any handler runs gets the JSON error.
func TestUnparsedRequests(t *testing.T) {
	t.Parallel()
	w, address := served(t)
	const host = "Host: switch.test\r\n"
	for name, c := range map[string]struct {
		request string
		status  int
		message string
	}{
		"% in a path":           {"GET /payments/%zz HTTP/1.1\r\n" + host + "\r\n", 400, "a % must be followed by two hexadecimal digits"},
		"% at the end":          {"GET /payments/x% HTTP/1.1\r\n" + host + "\r\n", 400, "a % must be followed by two hexadecimal digits"},
		"header without colon":  {"GET /health HTTP/1.1\r\n" + host + "x\r\n\r\n", 400, "each header must be one line"},
		"no host":               {"GET /health HTTP/1.1\r\n\r\n", 400, "missing required Host header"},
		"headers too large":     {"GET /health HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", 30<<10) + "\r\n\r\n", 431, "larger than 16 KiB"},
		"transfer encoding":     {"POST /payments HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, "not chunked"},
		"unknown HTTP protocol": {"GET /health HTTP/3.7\r\n" + host + "\r\n", 505, "unsupported protocol version"},
	} {
		c0, err := net.Dial("tcp", address)
		require.NoError(t, err)
		require.NoError(t, c0.SetDeadline(time.Now().Add(time.Minute)))
		_, err = io.WriteString(c0, c.request)
		require.NoError(t, err)
		got, err := http.ReadResponse(bufio.NewReader(c0), nil)
		require.NoError(t, err, name)
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err, name)
		require.NoError(t, c0.Close())
		r := response{got.StatusCode, got.Header, string(body), t}
		require.Equal(t, c.status, r.status, name)
		require.Equal(t, "application/json", r.header.Get("Content-Type"), name)
		require.Equal(t, "no-store", r.header.Get("Cache-Control"), name)
		require.NotEmpty(t, r.header.Get("X-Request-Id"), name)
		require.True(t, got.Close, name)
		e := r.error()
		require.Equal(t, "IR_06", e["code"], name)
		require.Equal(t, "invalid_request", e["type"], name)
		require.Contains(t, e["message"], c.message, name)
	}
	require.Zero(t, w.payments())
}

// TestListenerLeavesAnswers: an answer of a handler is the same with and without Listener, whatever text stands in it.
func TestListenerLeavesAnswers(t *testing.T) {
	t.Parallel()
	w, address := served(t)
	r, err := http.Get("http://" + address + "/openapi.yaml")
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, w.send("GET", "/openapi.yaml", "", "").body, string(body))
}
