package sdk

import (
	"strings"
	"time"
)

// Refuse is the outcome of a message that is not believed or cannot be read: it tells nothing of it, and answers with the HTTP status.
// why is for the log, in the adapter's own words: nothing of the message.
func Refuse(status int, why string) *Outcome {
	return &Outcome{Status: StatusHandled, Reply: &Reply{Status: status}, Raw: map[string]string{"error": why}}
}

// Handled is the outcome of a message that was read: what it tells, and the answer 200. Events that name nothing (neither a transaction
// nor a refund nor a reference) are left out.
func Handled(events ...Event) *Outcome {
	o := &Outcome{Status: StatusHandled, Reply: &Reply{Status: 200}}
	for i := range events {
		if e := &events[i]; e.TransactionID != "" || e.RefundID != "" || e.Reference != "" {
			o.Events = append(o.Events, *e)
		}
	}
	return o
}

// HeaderPairs takes a signature header of the form "t=1700000000,v1=6f2c…" apart; the separator is "," or ";". A value may hold "=".
func HeaderPairs(header, separator string) (pairs []Header) {
	for part := range strings.SplitSeq(header, separator) {
		if name, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			pairs = append(pairs, Header{Name: name, Value: value})
		}
	}
	return pairs
}

// VerifyAny is Verify for a message with several signatures, of which one has to be right, as while a key is renewed. At most MaxVerifies
// are looked at, and none that is "".
func (c *Call) VerifyAny(e Expr, signatures ...string) (bool, error) {
	for _, s := range signatures[:min(len(signatures), MaxVerifies)] {
		if s == "" {
			continue
		}
		if ok, err := c.Verify(e, s); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// Near says that a time is at most the tolerance before or after now.
func (c *Call) Near(at time.Time, tolerance time.Duration) bool {
	return c.Now().Sub(at).Abs() <= tolerance
}

// Signed ends a webhook operation with 401 unless one of the signatures is the value of the expression, or where there is no secret, the name
// of a credential, to verify it with: see VerifyAny.
func (c *Call) Signed(secret string, e Expr, signatures ...string) {
	if c.Account.Credentials[secret] == "" || !Must(c.VerifyAny(e, signatures...)) {
		c.End(Refuse(401, "signature missing or wrong, or no key to verify it with"))
	}
}

// PairSignature is how a processor signs a message that holds its time: a header such as "t=1700000000,v1=6f2c…" has, beside the text t,
// the HMAC-SHA256 over t, a dot and the body.
type PairSignature struct {
	Header    string // its name
	Separator string // between the pairs: "," or ";"
	Name      string // of the signature's pair; it may be there more than once, while a secret is renewed
	Secret    string // the name of the credential that is the key
	Key       string // how the credential is written: FnUnbase64 or FnUnhex, "" for as it is
	Code      string // how the signature is written: FnHex, in either case of letters, or FnBase64
}

// SignedPairs ends a webhook operation with 401 unless it is signed so, and returns t, which may be a time: see Fresh.
func (c *Call) SignedPairs(s PairSignature) (t string) {
	var signatures []string
	pairs := HeaderPairs(HeaderValue(c.Request.Webhook.Headers, s.Header), s.Separator)
	for _, p := range pairs {
		switch {
		case p.Name != s.Name:
		case s.Code == FnHex:
			signatures = append(signatures, strings.ToLower(p.Value))
		default:
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

// maxAhead is how far the clock of a message's sender may be before ours.
const maxAhead = 10 * time.Minute

// Fresh ends a webhook operation with 401 unless the message's time is at most the tolerance before now, and at most ten minutes (the
// tolerance, if that is less) after it. The zero time, as of one that could not be read, is too old.
func (c *Call) Fresh(at time.Time, tolerance time.Duration) {
	if age := c.Now().Sub(at); age > tolerance || age < -min(tolerance, maxAhead) {
		c.End(Refuse(401, "the message is too old, or of the future"))
	}
}

// Message is the JSON object that a webhook's message is. Any other body ends the operation with 400.
func (c *Call) Message() JSON {
	j, err := ParseJSON(c.Request.Webhook.Body)
	if err != nil || !j.IsObject() {
		c.End(Refuse(400, "not a message"))
	}
	return j
}
