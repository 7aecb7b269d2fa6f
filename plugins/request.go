package plugins

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// Bounds of one request, in bytes; maxHeaders counts lines.
const (
	maxURL         = 8 << 10
	maxHeaders     = 64
	maxHeaderBytes = 32 << 10
)

// outgoing is a request as it leaves.
type outgoing struct {
	adapter      string
	method       string
	url          *url.URL
	header       http.Header
	body         []byte
	timeout      time.Duration
	maxResponse  int
	safeToRepeat bool
	certificate  *tls.Certificate // the account's, nil for none
	filled       filled
}

// check parses a URL and refuses any URL that does not lead to an approved host.
func (r *reach) check(text string) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, violation(RuleURL, "the URL has %d bytes, at most %d are allowed", len(text), maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.Host == "":
		return nil, violation(RuleURL, "the URL is not absolute: give scheme and host")
	case u.User != nil:
		return nil, violation(RuleURL, "the URL holds user information: use a header")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, violation(RuleURL, "the URL holds a fragment: leave it out")
	case strings.Contains(u.RawQuery, " "): // a server would read the end of the request's first line there
		return nil, violation(RuleURL, "the URL's query holds a space: write %%20")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopbackName(u.Hostname())):
		return nil, violation(RuleURL, "the URL's scheme is %.20q: use https", u.Scheme)
	case u.Port() != "" && !validPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return nil, violation(RuleURL, "the URL's port %.20q is not a number from 1 to 65535", u.Port())
	case !r.hosts[hostKey(u)]:
		return nil, violation(RuleHost, "host %.80q is not approved for this account", u.Host)
	}
	return u, nil
}

// headers checks the headers of a send and adds the idempotency header.
func headers(s *sdk.Send, idempotencyKey string) (http.Header, error) {
	if len(s.Headers) > maxHeaders {
		return nil, violation(RuleHeader, "%d headers, at most %d are allowed", len(s.Headers), maxHeaders)
	}
	h := make(http.Header, len(s.Headers)+2)
	size := 0
	for i := range s.Headers {
		name, value := s.Headers[i].Name, s.Headers[i].Value
		if err := checkHeader(name, value); err != nil {
			return nil, err
		}
		if s.IdempotencyHeader != "" && strings.EqualFold(name, s.IdempotencyHeader) {
			return nil, violation(RuleHeader, "%s is the idempotency header: leave it out, the host sets it", name)
		}
		if size += len(name) + len(value); size > maxHeaderBytes {
			return nil, violation(RuleHeader, "the headers have more than %d bytes", maxHeaderBytes)
		}
		h.Add(name, value)
	}
	if s.IdempotencyHeader != "" {
		if err := checkHeader(s.IdempotencyHeader, idempotencyKey); err != nil {
			return nil, err
		}
		h.Set(s.IdempotencyHeader, idempotencyKey)
	}
	if _, set := h["User-Agent"]; !set {
		h.Set("User-Agent", "payswitch")
	}
	return h, nil
}

// ours are the headers that only the host may set, by their folded names: headers of the connection (RFC 9110 section 7.6.1) and
// those that net/http sets; headers that change the form of the answer, or ask for a part or a digest of it; headers that make an
// intermediary send the request elsewhere or with another method.
var ours = scrub.FoldedSet("Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer", "Upgrade", "Expect", "HTTP2-Settings",
	"Alt-Used", "Max-Forwards", "Via", "Forwarded",
	"Accept-Encoding", "Accept-Charset", "Accept-Transfer-Encoding", "A-IM", "Range", "If-Range", "Request-Range",
	"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
	"Want-Digest", "Want-Content-Digest", "Want-Repr-Digest", "Want-Signature",
	"X-Original-URL", "X-Original-URI", "X-Original-Host", "X-Original-Method", "X-Rewrite-URL", "X-Host", "X-HTTP-Host-Override", "X-Real-IP", "X-ProxyUser-IP",
	"X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override", "X-Method", "X-HTTP-Path-Override")

// oursBegin are the beginnings of further such names, folded.
var oursBegin = []string{"proxy", "xforwarded", "xproxy", "secwebsocket"}

func isOurs(name string) bool {
	var room [64]byte
	f := scrub.AppendFolded(room[:0], name)
	return ours[string(f)] || slices.ContainsFunc(oursBegin, func(begin string) bool { return bytes.HasPrefix(f, []byte(begin)) })
}

func checkHeader(name, value string) error {
	switch {
	case !isToken(name):
		return violation(RuleHeader, "the header name %.40q is malformed", name)
	case isOurs(name):
		return violation(RuleHeader, "the header %s may only be set by the host: leave it out", name)
	case !isFieldValue(value):
		return violation(RuleHeader, "the value of %s holds a control character or begins or ends with a space", name)
	case strings.EqualFold(name, "Accept") && asksForCharset(value):
		return violation(RuleHeader, "%s asks for a charset: leave it out, the host reads UTF-8", name)
	}
	return nil
}

// asksForCharset reports whether an Accept header asks for a charset other than UTF-8.
func asksForCharset(accept string) bool {
	accept = strings.ToLower(accept)
	return strings.Count(accept, "charset") != strings.Count(accept, "charset=utf-8")
}

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// isFieldValue reports whether s is a field-value of RFC 9110: no control character but tab, no space at either end.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7F {
			return false
		}
	}
	return strings.Trim(s, " \t") == s
}
