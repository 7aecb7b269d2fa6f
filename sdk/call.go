package sdk

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Call is what an adapter's function works on: what it is asked (Request, Account) and its ways to the outside (Do, Get, Post, Verify).
// It is valid during the function only and must be used from its goroutine only.
type Call struct {
	// Request is what the operation is about. It must not be changed.
	Request *Request
	// Account is the merchant's account: credentials are stand-ins, config is plain.
	Account *Account

	step    *Step
	next    int          // how many exchanges have been used
	sends   int          // how many of them were sends
	sent    bool         // one of them may have reached the processor
	verify  int          // how many of them were verifies
	ids     uint32       // counter of ID
	randoms uint32       // counter of Random
	derived []Derivation // what Derive has minted
	stop    *Result      // set once the step's result is known before the function's end
	about   string       // the payment that an answer named
}

// stopped is what Do panics with at the first new send. Step recovers it.
type stopped struct{}

// halt ends the step with a result. It does not return; if the adapter recovers, the next call halts again with the first result.
func (c *Call) halt(r Result) {
	if c.stop == nil {
		c.stop = &r
	}
	panic(stopped{})
}

func (c *Call) haltAgain() {
	if c.stop != nil {
		panic(stopped{})
	}
}

// Errors of Do and Verify that no exchange stands behind: the limits of the protocol.
var (
	ErrTooManySends    = errors.New("more than MaxSends sends in one operation")
	ErrTooManyVerifies = errors.New("more than MaxVerifies verifies in one operation")
	ErrNoWebhook       = errors.New("verify is for webhook operations only")
	ErrNoCAVV          = errors.New("the request holds no authentication value")
)

// ExchangeError is what Do returns when there is no whole answer.
type ExchangeError struct {
	// Sent is false only where nothing can have reached the processor.
	Sent bool
	// Failure is Exchange.Failure: timeout, connect, tls, reset, too_large, unreadable, refused; "no answer" where the host did not say.
	Failure string
}

// Error implements error.
func (e *ExchangeError) Error() string {
	if e.Sent {
		return "request failed, may have been received: " + e.Failure
	}
	return "request failed, not sent: " + e.Failure
}

// Error implements error, so that a function can return a *Reject.
func (r *Reject) Error() string {
	s := string(r.Code) + ": " + r.Message
	if r.Parameter != "" {
		s += " (" + r.Parameter + ")"
	}
	return s
}

// Operation is what the adapter is asked to do.
func (c *Call) Operation() Operation { return c.step.Operation }

// OperationID is unique to this operation for ever and the same in all its steps: [a-z0-9_], at most 40 characters.
func (c *Call) OperationID() string { return c.step.OperationID }

// Now is the time, in milliseconds, UTC: that of the step in which this part of the function was first reached, so that it is the same
// whenever the operation is run again.
func (c *Call) Now() time.Time {
	ms := c.step.Now
	if c.next < len(c.step.Exchanges) {
		ms = c.step.Exchanges[c.next].Now
	}
	return time.UnixMilli(ms).UTC()
}

// ID returns prefix and 26 characters of [a-z2-7], 130 bits made from the operation's seed: another one with every call, the same
// ones whenever the operation is run again.
func (c *Call) ID(prefix string) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	sum := c.block("id", c.ids)
	c.ids++
	b := make([]byte, 0, len(prefix)+26)
	b = append(b, prefix...)
	for i := range 26 {
		b = append(b, alphabet[sum[i]&31])
	}
	return string(b)
}

// Random returns n bytes made from the operation's seed: others with every call, the same ones whenever the operation is run again.
// They are unguessable for everybody who does not know the seed.
func (c *Call) Random(n int) []byte {
	b := make([]byte, 0, n+32)
	for len(b) < n {
		sum := c.block("random", c.randoms)
		c.randoms++
		b = append(b, sum[:]...)
	}
	return b[:n:n]
}

// block is SHA-256 over the seed's text, a label and a counter.
func (c *Call) block(label string, n uint32) [32]byte {
	b := append(make([]byte, 0, 128), c.step.Seed...)
	b = append(b, label...)
	return sha256Sum(appendUint32(b, n))
}

// About takes down the processor's id of the payment that an answer is about; "" takes down nothing. If the operation then ends with an error,
// because the answer decides nothing, its outcome has the id, by which the payment can be asked for.
func (c *Call) About(transactionID string) {
	if transactionID != "" {
		c.about = transactionID
	}
}

// IdempotencyKey is the key of the next send: the operation's id, "-" and the send's index from 0. It is what the host writes into
// Send.IdempotencyHeader.
func (c *Call) IdempotencyKey() string {
	return c.step.OperationID + "-" + strconv.Itoa(c.sends)
}

// Do sends one HTTP request and returns its answer, whatever its status. A URL that does not begin with a scheme is joined to
// Account.BaseURL. Derivations whose stand-ins occur in the request are declared in it. Do does not change s.
//
// The error is an *ExchangeError, or ErrTooManySends. Where the request has not been made yet, Do does not return: the step ends here.
func (c *Call) Do(s *Send) (*Response, error) {
	c.haltAgain()
	if c.sends >= MaxSends {
		return nil, ErrTooManySends
	}
	send := *s
	send.URL = c.absolute(send.URL)
	send.BodyLength = len(send.Body)
	send.Derive = c.declare(&send)
	if c.next >= len(c.step.Exchanges) {
		c.halt(Result{Send: &send})
	}
	e := &c.step.Exchanges[c.next]
	if !e.asked(&send) {
		c.halt(unknown(diverged))
	}
	c.next++
	c.sends++
	c.sent = c.sent || e.Sent
	if e.Failure != "" || e.Status == 0 {
		return nil, failure(e)
	}
	return &Response{Status: e.Status, Headers: e.Headers, Body: e.Body}, nil
}

func failure(e *Exchange) error {
	if e.Failure == "" {
		return &ExchangeError{Sent: e.Sent, Failure: "no answer"}
	}
	return &ExchangeError{Sent: e.Sent, Failure: e.Failure}
}

// Get sends a GET, which is declared safe to repeat.
func (c *Call) Get(url string, headers ...Header) (*Response, error) {
	return c.Do(&Send{Method: "GET", URL: url, Headers: headers, SafeToRepeat: true})
}

// Post sends a POST of a body with its content type. It is not declared safe to repeat: use Do where it is.
func (c *Call) Post(url, contentType string, body []byte, headers ...Header) (*Response, error) {
	all := append(make([]Header, 0, len(headers)+1), Header{Name: "Content-Type", Value: contentType})
	return c.Do(&Send{Method: "POST", URL: url, Headers: append(all, headers...), Body: body})
}

// absolute joins a URL without a scheme to the account's base URL.
func (c *Call) absolute(url string) string {
	if i := strings.Index(url, "://"); i > 0 && scheme(url[:i]) {
		return url
	}
	if url == "" || url[0] == '/' || url[0] == '?' {
		return c.Account.BaseURL + url
	}
	return c.Account.BaseURL + "/" + url
}

func scheme(s string) bool {
	for i := range len(s) {
		if c := s[i] | 32; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// Derive returns a stand-in for the value of an expression over secrets, which the host computes when sending. It is used like the
// value; the sends that hold it declare the expression.
func (c *Call) Derive(e Expr) string {
	s := c.step.DerivePrefix + strconv.Itoa(len(c.derived))
	c.derived = append(c.derived, Derivation{StandIn: s, Expr: e})
	return s
}

// declare returns what the send declares itself and the derivations it uses, directly or in an expression, in the order of minting.
func (c *Call) declare(s *Send) []Derivation {
	if len(c.derived) == 0 {
		return s.Derive
	}
	used := make([]bool, len(c.derived))
	c.mark(used, s.URL)
	for i := range s.Headers {
		c.mark(used, s.Headers[i].Value)
	}
	c.mark(used, textOf(s.Body))
	for i := range s.Derive {
		c.markExpr(used, &s.Derive[i].Expr)
	}
	all := append([]Derivation(nil), s.Derive...)
	for i := len(used) - 1; i >= 0; i-- { // an expression can hold earlier stand-ins only
		if used[i] {
			c.markExpr(used, &c.derived[i].Expr)
		}
	}
	for i := range used {
		if used[i] {
			all = append(all, c.derived[i])
		}
	}
	return all
}

func (c *Call) markExpr(used []bool, e *Expr) {
	c.mark(used, e.Text)
	for i := range e.Args {
		c.markExpr(used, &e.Args[i])
	}
}

// mark notes which stand-ins of derivations occur in a text.
func (c *Call) mark(used []bool, text string) {
	prefix := c.step.DerivePrefix
	if prefix == "" {
		return
	}
	for {
		at := strings.Index(text, prefix)
		if at < 0 {
			return
		}
		text = text[at+len(prefix):]
		n, digits := 0, 0
		for digits < len(text) && digits < 6 && text[digits]-'0' <= 9 {
			n = n*10 + int(text[digits]-'0')
			digits++
		}
		if digits > 0 && n < len(used) {
			used[n] = true
		}
	}
}

// Verify has the host compare the value of an expression over credentials and the message's raw body with the text that the message
// carries as its signature, in constant time. Webhook operations only; at most MaxVerifies in one. Where the comparison has not been
// made yet, Verify does not return: the step ends here.
func (c *Call) Verify(e Expr, equal string) (bool, error) {
	c.haltAgain()
	if c.step.Operation != OpWebhook {
		return false, ErrNoWebhook
	}
	return c.compare(&Verify{Expr: e, Equal: equal})
}

// VerifyCAVV has the host compare the authentication value of Request.ThreeDS, which an adapter never sees, with one that it computed. Only an
// issuer, or whoever stands in for one in tests, can compute one. ErrNoCAVV where the request has none. Like Verify, it does not
// return before the comparison has been made.
func (c *Call) VerifyCAVV(expected string) (bool, error) {
	c.haltAgain()
	t := c.Request.ThreeDS
	if t == nil || t.CAVV == "" {
		return false, ErrNoCAVV
	}
	return c.compare(&Verify{Expr: Text(t.CAVV), Equal: expected})
}

// compare is one verify, made or to be made.
func (c *Call) compare(v *Verify) (bool, error) {
	if c.verify >= MaxVerifies {
		return false, ErrTooManyVerifies
	}
	if c.next >= len(c.step.Exchanges) {
		c.halt(Result{Verify: v})
	}
	x := &c.step.Exchanges[c.next]
	if x.Verified == nil && x.Failure == "" || x.RequestHash != VerifyHash(v) {
		c.halt(unknown(diverged))
	}
	c.next++
	c.verify++
	if x.Verified == nil {
		return false, failure(x)
	}
	return *x.Verified, nil
}
