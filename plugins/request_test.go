package plugins

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A request that passes the host's rules leaves once, to an approved host, with exactly the headers asked for.
func FuzzRequest(f *testing.F) {
	for _, s := range [][3]string{
		{"https://api.example.com/v1?a=b", "Content-Type", "application/json"},
		{"https://api.example.com:443", "X", ""}, {"https://evil.example/", "Host", "api.example.com"}, {"https://api.example.com@evil.example", "a", "b"},
		{"https://api.example.com\\@evil.example", "a", "b\r\nc: d"}, {"https://API.EXAMPLE.COM/%00", "a b", "\x00"}, {"//api.example.com", "é", "é"},
		{"https://api.example.com/../x", "Transfer-Encoding", "chunked"}, {"https://[::1]:8443/", "cookie", "a=b"}, {"https://api.example.com/ä b", "a", " x"},
		{"https://api.example.com/?a=b HTTP/1.1", "a", "b"}, {"https://api.example.com/? ", "a", "b"},
	} {
		f.Add(s[0], s[1], s[2], "body")
	}
	to := &reach{hosts: map[string]bool{"api.example.com": true}}
	f.Fuzz(func(t *testing.T, url, name, value, body string) {
		send := &sdk.Send{Method: "POST", URL: url, Headers: []sdk.Header{{Name: name, Value: value}}, Body: []byte(body), IdempotencyHeader: "Idempotency-Key"}
		o, err := fill(send, &standIns{derivePrefix: "derive-prefix"}, nil, sdk.OpAuthorize, to, "op_1-0")
		if err != nil {
			require.ErrorAs(t, err, new(*Violation))
			return
		}
		require.Equal(t, "https", o.url.Scheme)
		require.Equal(t, "api.example.com", strings.ToLower(o.url.Hostname()))
		require.Contains(t, []string{"", "443"}, o.url.Port())
		var wire bytes.Buffer
		req := &http.Request{Method: o.method, URL: o.url, Header: o.header, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
		if body == "" {
			req.Body = http.NoBody
		}
		require.NoError(t, req.Write(&wire))
		all := bufio.NewReader(&wire)
		got, err := http.ReadRequest(all)
		require.NoError(t, err)
		require.Equal(t, "api.example.com", strings.TrimSuffix(strings.ToLower(got.Host), ":443"))
		gotBody, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.Equal(t, body, string(gotBody))
		got.Header.Del("Content-Length")
		require.Equal(t, "op_1-0", got.Header.Get("Idempotency-Key"))
		require.Contains(t, got.Header[http.CanonicalHeaderKey(name)], value)
		require.Len(t, got.Header, len(o.header))
		_, err = all.ReadByte()
		require.ErrorIs(t, err, io.EOF, "nothing follows")
	})
}
