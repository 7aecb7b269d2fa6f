package plugins_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk"
)

func packed(open func(io.Writer) io.WriteCloser, text string) string {
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func gzipped(text string) string {
	return packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, text)
}

func inUTF16(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(u >> 8))
		b.WriteByte(byte(u))
	}
	return b.String()
}

// What the host cannot look through no adapter gets, whatever the processor calls it. The request has arrived, so the operation ends unknown.
func TestUnreadableAnswers(t *testing.T) {
	const text = `{"number":"` + cardNumber + `","cvc":"` + cardCVC + `","key":"` + secretKey + `","filling":"words and words and words and words"}`
	deflated := packed(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f }, text)
	for name, c := range map[string]struct {
		header, value, body string
		readable            bool
	}{
		"gzip":                       {"Content-Encoding", "gzip", gzipped(text), false},
		"gzip, in capitals":          {"content-encoding", "GZIP", gzipped(text), false},
		"gzip, not named":            {"X", "y", gzipped(text), false},
		"gzip, called identity":      {"Content-Encoding", "identity", gzipped(text), false},
		"gzip, called octets":        {"Content-Type", "application/octet-stream", gzipped(text), false},
		"zlib":                       {"Content-Encoding", "deflate", packed(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, text), false},
		"deflate":                    {"Content-Encoding", "deflate", deflated, false},
		"deflate, not named":         {"X", "y", deflated, false},
		"br":                         {"Content-Encoding", "br", text, false},
		"zstd":                       {"Content-Encoding", "zstd", text, false},
		"two encodings":              {"Content-Encoding", "identity, gzip", text, false},
		"aws-chunked":                {"Content-Encoding", "aws-chunked", text, false},
		"utf-16":                     {"Content-Type", "application/json; charset=utf-16be", inUTF16(text), false},
		"utf-16, not named":          {"Content-Type", "application/json", inUTF16(text), false},
		"utf-16, by its mark":        {"Content-Type", "application/json", "\xfe\xff" + inUTF16(text), false},
		"utf-7":                      {"Content-Type", `text/plain; charset="UTF-7"`, text, false},
		"ebcdic":                     {"Content-Type", "text/plain;charset=IBM037", "\xf4\xf1\xf1\xf1", false},
		"an unreadable charset":      {"Content-Type", "text/plain; charset==x", text, false},
		"xml in utf-16":              {"Content-Type", "text/xml", `<?xml version="1.0" encoding="UTF-16"?><a/>`, false},
		"a part":                     {"Content-Range", "bytes 0-1/10", "{}", false},
		"utf-8":                      {"Content-Type", "application/json; charset=utf-8", "{}", true},
		"UTF-8 in quotes":            {"Content-Type", `application/json; charset="UTF-8"`, "{}", true},
		"latin 1":                    {"Content-Type", "text/html; charset=ISO-8859-1", "caf\xe9", true},
		"windows-1252":               {"Content-Type", "text/html;charset=Windows-1252", "caf\xe9", true},
		"identity":                   {"Content-Encoding", "identity", "{}", true},
		"xml in utf-8":               {"Content-Type", "text/xml", `<?xml version="1.0" encoding="utf-8"?><a/>`, true},
		"a mark of utf-8":            {"Content-Type", "text/xml", "\xef\xbb\xbf" + `<?xml version="1.0" encoding='us-ascii'?><a/>`, true},
		"with separators of records": {"Content-Type", "text/plain", "1\x1c2\x1d3\x1e4", true},
		"empty":                      {"Content-Type", "application/json", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRecorder(t)
			p.answer = func(w http.ResponseWriter, r recorded) {
				w.Header()[c.header] = []string{c.value}
				_, _ = io.WriteString(w, c.body)
			}
			var log logged
			var failed error
			res, err := driveBlind(t, plugins.Options{Logger: log.logger()}, func(c *sdk.Call) (*sdk.Outcome, error) {
				if _, failed = c.Do(post("/", nil, bearer(c))); failed != nil {
					return nil, failed
				}
				return authorized, nil
			}, authorize("scripted", p.URL))
			require.NoError(t, err)
			require.Equal(t, []string{"identity"}, p.take()[0].header["Accept-Encoding"])
			if c.readable {
				require.NoError(t, failed)
				require.Equal(t, c.body, string(res.Exchanges[0].Body))
				return
			}
			require.Equal(t, &sdk.ExchangeError{Sent: true, Failure: "unreadable"}, failed)
			require.Equal(t, sdk.StatusUnknown, res.Outcome.Status, "the request has arrived, and nothing proves what became of it")
			x := res.Exchanges[0]
			require.Zero(t, x.Status)
			require.Empty(t, x.Body)
			require.Empty(t, x.Headers)
			require.True(t, x.Sent)
			require.False(t, res.AnsweredLast)
			require.Contains(t, log.String(), `failure=unreadable`)
			require.Contains(t, log.String(), "adapter=scripted")
			require.Contains(t, log.String(), "host="+strings.TrimPrefix(p.URL, "http://"))
			require.Contains(t, log.String(), "cannot search the answer for secrets")
			require.NotContains(t, log.String(), cardNumber)
		})
	}
}

// Headers by which a guest would choose the form of the answer, or where and as what a request arrives, are the host's.
func TestTransportIsTheHosts(t *testing.T) {
	p := newRecorder(t)
	for _, h := range []string{"Accept-Encoding: gzip", "accept-encoding: identity", "Accept_Encoding: gzip", "ACCEPT-ENCODING: br", "Range: bytes=0-3", "If-Range: x", "TE: trailers, deflate", "Accept-Charset: utf-16",
		"Accept: application/json; charset=utf-16", "Accept: text/plain;CHARSET=utf-7", "A-IM: gzip", "Trailer: X", "Upgrade: h2c", "Connection: x", "Keep-Alive: 1", "Proxy-Connection: x", "Via: x", "Forwarded: host=evil.example",
		"X-Forwarded-Host: evil.example", "X_Forwarded_For: 1", "x-forwarded-proto: http", "X-Original-URL: /log", "X-Rewrite-URL: /log", "X-HTTP-Method: PUT", "X-HTTP-Method-Override: GET", "X_HTTP_Method_Override: GET",
		"X-Method-Override: GET", "X.Method.Override: GET", "If-None-Match: x", "If-Match: x", "Want-Digest: md5", "Want-Repr-Digest: sha-256=1", "Expect: 100-continue", "Max-Forwards: 0", "X-Host: evil.example"} {
		name, value, _ := strings.Cut(h, ": ")
		_, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send { return post("/", nil, bearer(c), sdk.H(name, value)) }), authorize("scripted", p.URL))
		v := new(plugins.Violation)
		require.ErrorAs(t, err, &v, h)
		require.Equal(t, plugins.RuleHeader, v.Rule, h)
	}
	_, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send {
		s := post("/", nil, bearer(c))
		s.IdempotencyHeader = "Accept-Encoding"
		return s
	}), authorize("scripted", p.URL))
	require.ErrorContains(t, err, "may only be set by the host")
	require.Empty(t, p.take())
	for _, h := range []string{"Accept: application/json", "Prefer: return=representation", "Date: Thu, 01 Jan 1970 00:00:00 GMT", "Digest: SHA-256=x", "X-Request-Id: 1"} {
		name, value, _ := strings.Cut(h, ": ")
		_, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send { return post("/", nil, bearer(c), sdk.H(name, value)) }), authorize("scripted", p.URL))
		require.NoError(t, err, h)
	}
}
