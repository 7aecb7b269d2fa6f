package sdk

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Call is the context of an adapter's function: the request (Request, Account) and the ways to the outside (Do, Get, Post, Verify).
// A Call is valid during the function only, and only in the function's goroutine.
type Call struct {
	// Request holds the data of the operation. The adapter must not change it.
	Request *Request
	// Account is the merchant's account. Credentials are stand-ins, config is plain.
	Account *Account

	adapter *Adapter
	step    *Step
	next    int          // number of exchanges used so far
	sends   int          // number of sends among them
	sent    bool         // whether a send may have reached the processor
	verify  int          // number of verifies among them
	ids     uint32       // counter of ID
	randoms uint32       // counter of Random
	derived []Derivation // minted by Derive
	stop    *Result      // the step's result, if known before the function's end
	about   string       // the processor's id of the payment, from an answer
}

// stopped is the value of the panic that ends a step at its first new send. Step recovers it.
type stopped struct{}

// halt ends the step with a result. It does not return. If the adapter recovers the panic, the next call halts again with the first
// result.
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

// Errors of Do and Verify without an exchange: the limits of the protocol.
var (
	ErrTooManySends    = errors.New("the operation sends more than 8 requests (MaxSends)")
	ErrTooManyVerifies = errors.New("the operation verifies more than 4 times (MaxVerifies)")
	ErrNoWebhook       = errors.New("Verify works in webhook operations only")
	ErrNoCAVV          = errors.New("the request holds no authentication value (three_ds.cavv)")
)

// ExchangeError is the error of Do without a whole answer.
type ExchangeError struct {
	// Sent is false only if nothing can have reached the processor.
	Sent bool
	// Failure is Exchange.Failure: timeout, connect, tls, reset, too_large, unreadable, refused; "no answer" if the host gave no reason.
	Failure string
}

// Error implements error.
func (e *ExchangeError) Error() string {
	if e.Sent {
		return "request failed, may have been received: " + e.Failure
	}
	return "request failed, not sent: " + e.Failure
}

// Error implements error. A function can return a *Reject.
func (r *Reject) Error() string {
	s := string(r.Code) + ": " + r.Message
	if r.Parameter != "" {
		s += " (" + r.Parameter + ")"
	}
	return s
}

// Operation returns the operation that the adapter performs.
func (c *Call) Operation() Operation { return c.step.Operation }

// OperationID returns the id of the operation: unique for ever, the same in all steps, [a-z0-9_], at most 40 characters.
func (c *Call) OperationID() string { return c.step.OperationID }

// Now returns the time in milliseconds, UTC. It is the time of the step in which the function first reached this point. So every
// re-run of the operation sees the same time.
func (c *Call) Now() time.Time {
	ms := c.step.Now
	if c.next < len(c.step.Exchanges) {
		ms = c.step.Exchanges[c.next].Now
	}
	return time.UnixMilli(ms).UTC()
}

// ID returns prefix and 26 characters of [a-z2-7]: 130 bits made from the operation's seed. Each call returns another id; a re-run
// of the operation returns the same ids.
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

// Random returns n bytes made from the operation's seed. Each call returns other bytes; a re-run of the operation returns the same
// bytes. The bytes are unguessable without the seed.
func (c *Call) Random(n int) []byte {
	b := make([]byte, 0, n+32)
	for len(b) < n {
		sum := c.block("random", c.randoms)
		c.randoms++
		b = append(b, sum[:]...)
	}
	return b[:n:n]
}

// block returns the SHA-256 of the seed's text, a label and a counter.
func (c *Call) block(label string, n uint32) [32]byte {
	b := append(make([]byte, 0, 128), c.step.Seed...)
	b = append(b, label...)
	return sha256Sum(appendUint32(b, n))
}

// Asks reports whether the operation asks for a state and changes nothing: sync, refund_sync and dispute_sync. A refusal of such a request says nothing about
// the payment.
func (c *Call) Asks() bool {
	return c.step.Operation == OpSync || c.step.Operation == OpRefundSync || c.step.Operation == OpDisputeSync
}

// About records the processor's id of the payment that an answer is about. "" records nothing. If the operation then ends with an
// error, its unknown outcome holds the id, and a later sync can ask by the id.
func (c *Call) About(transactionID string) {
	if transactionID != "" {
		c.about = transactionID
	}
}

// IdempotencyKey returns the key of the next send: the operation's id, "-" and the send's index from 0. The host writes the same
// key into the header Send.IdempotencyHeader.
func (c *Call) IdempotencyKey() string {
	return c.step.OperationID + "-" + strconv.Itoa(c.sends)
}

// Do sends one HTTP request and returns its answer, whatever its status. Do joins a URL without a scheme to Account.BaseURL. It calls
// Adapter.Signing, and declares the derivations whose stand-ins occur in the request. Do does not change s.
//
// The error is an *ExchangeError or ErrTooManySends. If the host has not sent the request yet, Do does not return: the step ends here.
func (c *Call) Do(s *Send) (*Response, error) {
	c.haltAgain()
	if c.sends >= MaxSends {
		return nil, ErrTooManySends
	}
	send := *s
	send.URL = c.absolute(send.URL)
	if c.adapter != nil && c.adapter.Signing != nil {
		c.adapter.Signing(c, &send)
	}
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

// Get sends a GET and declares it safe to repeat.
func (c *Call) Get(url string, headers ...Header) (*Response, error) {
	return c.Do(&Send{Method: "GET", URL: url, Headers: headers, SafeToRepeat: true})
}

// Post sends a POST with a body and its content type. Post does not declare the request safe to repeat: use Do for that.
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

// Derive returns a stand-in for the value of an expression over secrets. Use the stand-in like the value: the host computes the expression
// and replaces the stand-in when it sends.
func (c *Call) Derive(e Expr) string {
	s := c.step.DerivePrefix + strconv.Itoa(len(c.derived))
	c.derived = append(c.derived, Derivation{StandIn: s, Expr: e})
	return s
}

// declare returns the send's own derivations, then the minted derivations that the send uses, directly or in an expression, in the order of minting.
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

// mark sets used for every derivation whose stand-in occurs in the text.
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

// Verify has the host compare, in constant time, the value of an expression with the signature that a message carries. The
// expression is over credentials and the message's raw body. Verify works in webhook operations only, at most MaxVerifies times. If
// the host has not compared yet, Verify does not return: the step ends here.
func (c *Call) Verify(e Expr, equal string) (bool, error) {
	c.haltAgain()
	if c.step.Operation != OpWebhook {
		return false, ErrNoWebhook
	}
	return c.compare(&Verify{Expr: e, Equal: equal})
}

// VerifyCAVV has the host compare the authentication value of Request.ThreeDS with a value that the adapter computed. The adapter
// never sees the authentication value. Only an issuer, or a simulated issuer in tests, can compute one. The error is ErrNoCAVV if
// the request has no authentication value. If the host has not compared yet, VerifyCAVV does not return: the step ends here.
func (c *Call) VerifyCAVV(expected string) (bool, error) {
	c.haltAgain()
	t := c.Request.ThreeDS
	if t == nil || t.CAVV == "" {
		return false, ErrNoCAVV
	}
	return c.compare(&Verify{Expr: Text(t.CAVV), Equal: expected})
}

// compare returns the verdict of a verify, or ends the step with the verify.
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
