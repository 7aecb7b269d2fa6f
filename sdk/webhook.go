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
