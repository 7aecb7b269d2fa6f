package sdk

import (
	"strings"
	"time"
)

// Refuse returns the outcome of a message that is not genuine or not readable. It has no events and answers with the HTTP status. why is for
// the log, in the adapter's own words: never quote the message.
func Refuse(status int, why string) *Outcome {
	return &Outcome{Status: StatusHandled, Reply: &Reply{Status: status}, Raw: map[string]string{"error": why}}
}

// Handled returns the outcome of a message with its events and the answer 200. It leaves out events without a transaction id, refund id and
// reference.
func Handled(events ...Event) *Outcome {
	o := &Outcome{Status: StatusHandled, Reply: &Reply{Status: 200}}
	for i := range events {
		if e := &events[i]; e.TransactionID != "" || e.RefundID != "" || e.Reference != "" {
			o.Events = append(o.Events, *e)
		}
	}
	return o
}

// Header returns the value of the message's first header of that name in any case, "" if there is no such header.
func (w *WebhookMessage) Header(name string) string { return HeaderValue(w.Headers, name) }

// HeaderPairs splits a signature header of the form "t=1700000000,v1=6f2c…". The separator is "," or ";". A value may hold "=".
func HeaderPairs(header, separator string) (pairs []Header) {
	for part := range strings.SplitSeq(header, separator) {
		if name, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			pairs = append(pairs, Header{Name: name, Value: value})
		}
	}
	return pairs
}

// VerifyAny is Verify for a message with several signatures, as during the renewal of a key. One signature must be right. VerifyAny checks
// the first MaxVerifies signatures and skips empty ones. A signature in hexadecimal may be in upper case.
func (c *Call) VerifyAny(e Expr, signatures ...string) (bool, error) {
	for _, s := range signatures[:min(len(signatures), MaxVerifies)] {
		if s == "" {
			continue
		}
		if e.Fn == FnHex {
			s = lower(s)
		}
		if ok, err := c.Verify(e, s); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// Near reports whether a time is at most the tolerance before or after now.
func (c *Call) Near(at time.Time, tolerance time.Duration) bool {
	return c.Now().Sub(at).Abs() <= tolerance
}

// Signed ends a webhook operation with 401 unless one of the signatures equals the value of the expression: see VerifyAny. secret is the
// name of the credential that verifies; Signed also answers 401 if the account lacks this credential.
func (c *Call) Signed(secret string, e Expr, signatures ...string) {
	if c.Account.Credentials[secret] == "" || !Must(c.VerifyAny(e, signatures...)) {
		c.End(Refuse(401, "the signature is missing or wrong, or the account has no key to verify it"))
	}
}

// PairSignature describes a signature of time and body. A header such as "t=1700000000,v1=6f2c…" holds the time t and the HMAC-SHA256 over
// t, a dot and the body.
type PairSignature struct {
	Header    string // its name
	Separator string // between the pairs: "," or ";"
	Name      string // of the signature's pair, which may stand several times during the renewal of a secret
	Secret    string // the name of the credential that is the key
	Key       string // encoding of the credential: FnUnbase64 or FnUnhex, "" for none
	Code      string // encoding of the signature: FnHex (in upper or lower case) or FnBase64
}

// SignedPairs ends a webhook operation with 401 unless its message has such a signature. It returns t, which may be a time: see Fresh.
func (c *Call) SignedPairs(s PairSignature) (t string) {
	var signatures []string
	pairs := HeaderPairs(c.Request.Webhook.Header(s.Header), s.Separator)
	for _, p := range pairs {
		if p.Name == s.Name {
			signatures = append(signatures, p.Value)
		}
	}
	t = HeaderValue(pairs, "t")
	key := Text(c.Account.Credentials[s.Secret])
	if s.Key != "" {
		key = Fn(s.Key, key)
	}
	c.Signed(s.Secret, Fn(s.Code, Fn(FnHMACSHA256, key, Fn(FnConcat, Text(t+"."), Body()))), signatures...)
	return t
}

// maxAhead is how far the clock of a message's sender may be ahead of the host's.
const maxAhead = 10 * time.Minute

// Fresh ends a webhook operation with 401 if the message's time is too old or too far ahead. The time may be at most the tolerance before
// now, and at most ten minutes (or the tolerance, if less) after now. The zero time, such as from an unreadable text, is too old.
func (c *Call) Fresh(at time.Time, tolerance time.Duration) {
	if age := c.Now().Sub(at); age > tolerance || age < -min(tolerance, maxAhead) {
		c.End(Refuse(401, "the message's time is too old or in the future"))
	}
}

// FreshAt is Fresh for a time in Unix milliseconds, as Millis reads it, with the tolerance that the manifest declares in
// WebhookRule.ToleranceSeconds. 0, such as from an unreadable text, is too old.
func (c *Call) FreshAt(milliseconds int64) {
	tolerance := int64(0)
	if rule := c.adapter.Manifest.Webhook; rule != nil {
		tolerance = int64(rule.ToleranceSeconds)
	}
	c.Fresh(time.UnixMilli(milliseconds), time.Duration(tolerance)*time.Second)
}

// Message returns the JSON object in the webhook's body. Any other body ends the operation with 400.
func (c *Call) Message() JSON {
	j, err := ParseJSON(c.Request.Webhook.Body)
	if err != nil || !j.IsObject() {
		c.End(Refuse(400, "the body is not a JSON object"))
	}
	return j
}
