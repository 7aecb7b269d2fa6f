// Package sdktest holds the suite that every adapter must pass. It checks that manifest and behaviour agree, determinism, money, and that
// answers without evidence decide nothing. The suite drives an adapter by messages: it runs on a native *sdk.Adapter (Native) and on a .wasm
// in any sandbox.
//
//	func TestSuite(t *testing.T) {
//		if err := sdktest.Check(t.Context(), sdktest.Native(&adapter), sdktest.Options{}); err != nil {
//			t.Error(err)
//		}
//	}
package sdktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payswitch/sdk"
)

// Stepper is an adapter behind its messages: a loaded module, or Native. An error means that the module trapped. A Stepper need not be safe
// for concurrent use.
type Stepper interface {
	// Step answers the message of a step with the message of a result.
	Step(ctx context.Context, message []byte) ([]byte, error)
	// Manifest returns the message of the manifest.
	Manifest(ctx context.Context) ([]byte, error)
}

// Native returns a as a Stepper.
func Native(a *sdk.Adapter) Stepper { return native{a} }

type native struct{ a *sdk.Adapter }

func (n native) Step(_ context.Context, message []byte) ([]byte, error) {
	return n.a.Handle(message), nil
}
func (n native) Manifest(context.Context) ([]byte, error) { return n.a.ManifestMessage(), nil }

// Options adapt the suite to one adapter. The zero value runs the checks that fit every adapter.
type Options struct {
	// Account replaces the account that the suite makes from the manifest. That account has the first environment, a stand-in for every
	// secret, and the default or first value of every other field.
	Account *sdk.Account
	// Request changes the sample request of an operation in place, if the processor needs more data; nil changes nothing.
	Request func(op sdk.Operation, r *sdk.Request)
	// Answer returns the processor's good answer to send number i of an operation: Status, Headers and Body of the exchange. Then the suite
	// also tests later sends of an operation, and cuts real answers short. nil, or an exchange without Status, means an answer of 200 and
	// "{}".
	Answer func(op sdk.Operation, i int, s *sdk.Send) sdk.Exchange
}

// A RuleError is one broken rule.
type RuleError struct {
	Rule      string        // a Rule constant
	Operation sdk.Operation // "" for the manifest
	Detail    string
}

// Error implements error.
func (e *RuleError) Error() string {
	if e.Operation == "" {
		return "rule " + e.Rule + ": " + e.Detail
	}
	return "rule " + e.Rule + ": " + string(e.Operation) + ": " + e.Detail
}

// The rules.
const (
	RuleManifest    = "manifest"    // the manifest is complete and makes sense
	RuleOperations  = "operations"  // declared operations are answered, all others are rejected as unsupported
	RuleMessage     = "message"     // every answer can be decoded, and the module never traps
	RuleDeterminism = "determinism" // the same step gives the same bytes, whatever other steps came between
	RuleIdentity    = "identity"    // two payments send neither the same request nor the same idempotency key
	RuleSend        = "send"        // requests are well formed and go to declared hosts
	RuleMoney       = "money"       // amounts are sent exactly, with their currency and its decimals, or rejected
	RuleEvidence    = "evidence"    // an answer without evidence decides nothing
	RuleOutcome     = "outcome"     // outcomes are complete and within limits
	// RuleAuthentication: an authentication repeats what the answer said, and its cryptogram is captured.
	RuleAuthentication = "authentication"
	RuleReplay         = "replay"    // a re-run repeats the earlier sends, with their own times
	RuleExemption      = "exemption" // the request to the processor names every exemption that the manifest declares
	RuleOffer          = "offer"     // the adapter rejects what the manifest does not offer, and passes on what it offers
	RuleFields         = "fields"    // the adapter reads the account's fields by the names that the manifest declares
)

// perRule is how often the suite reports one rule for one operation at most.
const perRule = 5

// Check runs the suite. It returns errors.Join of all broken rules as *RuleError, nil if the adapter passes.
func Check(ctx context.Context, s Stepper, o Options) error {
	c := &checker{ctx: ctx, stepper: s, options: o, counts: map[string]int{}}
	if !c.checkManifest() {
		return errors.Join(c.broken...)
	}
	for _, op := range sdk.Operations() {
		if !c.declared(op) {
			c.checkUndeclared(op)
			continue
		}
		c.checkHappy(op)
		if op == sdk.OpWebhook {
			c.checkWebhook()
		} else {
			c.checkEvidence(op)
		}
		if op == sdk.OpAuthenticate || op == sdk.OpResult {
			c.checkAuthentication(op)
		}
	}
	c.checkIdentity()
	c.checkMoney()
	c.checkExemptions()
	c.checkOffer()
	c.checkOffered()
	c.checkNames(c.checkVariants())
	return errors.Join(c.broken...)
}

// A checker runs the suite once.
type checker struct {
	ctx      context.Context
	stepper  Stepper
	options  Options
	manifest *sdk.Manifest
	counts   map[string]int
	broken   []error
}

// breaks records a broken rule, once for each text.
func (c *checker) breaks(rule string, op sdk.Operation, format string, args ...any) {
	e := RuleError{Rule: rule, Operation: op, Detail: fmt.Sprintf(format, args...)}
	said := slices.ContainsFunc(c.broken, func(b error) bool { return *b.(*RuleError) == e })
	if k := rule + string(op); c.counts[k] < perRule && !said {
		c.counts[k]++
		c.broken = append(c.broken, &e)
	}
}

func (c *checker) declared(op sdk.Operation) bool {
	for _, o := range c.manifest.Operations {
		if o == op {
			return true
		}
	}
	return false
}

// step performs one step and checks the rules for every answer. It returns nil if the answer is unreadable.
func (c *checker) step(in *sdk.Step) *sdk.Result {
	message := sdk.EncodeStep(in)
	out, err := c.stepper.Step(c.ctx, message)
	if err != nil {
		c.breaks(RuleMessage, in.Operation, "the module trapped: %v", err)
		return nil
	}
	out = bytes.Clone(out)
	r, err := sdk.DecodeResult(out)
	if err != nil {
		c.breaks(RuleMessage, in.Operation, "the answer cannot be decoded: %v", err)
		return nil
	}
	for range 2 {
		again, err := c.stepper.Step(c.ctx, message)
		if err != nil {
			c.breaks(RuleDeterminism, in.Operation, "a second run of the same step trapped: %v", err)
			return r
		}
		if !bytes.Equal(out, again) {
			c.breaks(RuleDeterminism, in.Operation, "two runs of the same step gave different answers: %s", differing(out, again))
			return r
		}
	}
	switch {
	case r.Send != nil:
		c.checkSend(in, r.Send)
	case r.Outcome != nil:
		c.checkOutcome(in, r.Outcome)
	case r.Reject != nil:
		c.checkReject(in, r.Reject)
	}
	return r
}

// A turn is one send or verify of an adapter with its answer.
type turn struct {
	step   *sdk.Step // the step that led to it
	asked  *sdk.Result
	answer sdk.Exchange
}

// play runs an operation to its end and answers each send and verify by calling answer. It returns the turns and the last result. The result
// is nil if it was unreadable or the operation did not end.
func (c *checker) play(in *sdk.Step, answer func(i int, r *sdk.Result) sdk.Exchange) ([]turn, *sdk.Result) {
	var turns []turn
	for i := 0; i <= sdk.MaxSends+sdk.MaxVerifies; i++ {
		now := *in
		now.Now += int64(i) * 1500
		for _, t := range turns {
			now.Exchanges = append(now.Exchanges[:len(now.Exchanges):len(now.Exchanges)], t.answer)
		}
		r := c.step(&now)
		if r == nil || (r.Send == nil && r.Verify == nil) {
			return turns, r
		}
		e := answer(i, r)
		e.Now = now.Now
		if r.Send != nil {
			e.RequestHash, e.RequestCheck = sdk.RequestHash(r.Send), sdk.RequestCheck(r.Send)
		} else {
			e.RequestHash = sdk.VerifyHash(r.Verify)
		}
		turns = append(turns, turn{&now, r, e})
	}
	c.breaks(RuleMessage, in.Operation, "the operation does not end after %d sends", sdk.MaxSends)
	return turns, nil
}

// happy returns a function that gives good answers.
func (c *checker) happy(op sdk.Operation) func(i int, r *sdk.Result) sdk.Exchange {
	return func(i int, r *sdk.Result) sdk.Exchange {
		if r.Verify != nil {
			yes := true
			return sdk.Exchange{Verified: &yes}
		}
		var e sdk.Exchange
		if c.options.Answer != nil {
			e = c.options.Answer(op, i, r.Send)
		}
		if e.Status == 0 && e.Failure == "" {
			e.Status, e.Body = 200, []byte("{}")
			e.Headers = []sdk.Header{sdk.H("Content-Type", "application/json")}
		}
		e.Sent = true
		return e
	}
}

// checkHappy runs an operation with good answers. The adapter must not reject it as unsupported, and repeated steps must give the same results.
func (c *checker) checkHappy(op sdk.Operation) {
	turns, end := c.play(c.sample(op), c.happy(op))
	if end == nil {
		return
	}
	if end.Reject != nil && len(turns) == 0 && end.Reject.Code == sdk.RejectUnsupported {
		c.breaks(RuleOperations, op, "the manifest declares the operation, but the adapter rejects a plain request as unsupported: %s%s", end.Reject.Message, c.madeUp())
	}
	for i := len(turns) - 1; i >= 0; i-- { // backwards, to expose state that a guest keeps between steps
		again := c.step(turns[i].step)
		if again != nil && !bytes.Equal(sdk.EncodeResult(again), sdk.EncodeResult(turns[i].asked)) {
			c.breaks(RuleReplay, op, "send %d differs when the step is repeated: %s", i, differing(sdk.EncodeResult(turns[i].asked), sdk.EncodeResult(again)))
		}
	}
	c.checkReplay(op, turns, end)
}

// checkReplay runs the steps of an operation again with a later clock. Earlier sends must not depend on the clock.
func (c *checker) checkReplay(op sdk.Operation, turns []turn, end *sdk.Result) {
	for i, t := range turns {
		if i == 0 {
			continue
		}
		later := *t.step
		later.Now += 7_777_777
		if r := c.step(&later); r != nil && isDiverged(r) {
			c.breaks(RuleReplay, op, "an earlier send depends on the time of a later step")
			return
		}
	}
	if isDiverged(end) {
		c.breaks(RuleReplay, op, "a re-run does not repeat the earlier sends")
	}
}

func isDiverged(r *sdk.Result) bool {
	return r.Outcome != nil && r.Outcome.Status == sdk.StatusUnknown && r.Outcome.Raw["error"] == "diverged"
}

// checkUndeclared steps an operation that the manifest does not declare.
func (c *checker) checkUndeclared(op sdk.Operation) {
	if r := c.step(c.sample(op)); r != nil && (r.Reject == nil || r.Reject.Code != sdk.RejectUnsupported) {
		c.breaks(RuleOperations, op, "the manifest does not declare the operation, but the adapter does not reject it as unsupported")
	}
}

// checkIdentity compares the first sends of two payments of the same goods with different ids.
func (c *checker) checkIdentity() {
	for _, op := range []sdk.Operation{sdk.OpAuthorize, sdk.OpRefund, sdk.OpVerify} {
		if !c.declared(op) {
			continue
		}
		first, second := c.sample(op), c.sample(op)
		second.OperationID, second.Seed = "op_0000000000000000000000000002", strings.Repeat("9a8b7c6d", 8)
		second.Request.PaymentID, second.Request.AttemptID, second.Request.Reference = "pay_2", "pay_2_1", "reference2reference2"
		a, b := c.step(first), c.step(second)
		if a == nil || b == nil || a.Send == nil || b.Send == nil {
			continue
		}
		for _, h := range a.Send.Headers {
			if strings.Contains(strings.ToLower(h.Name), "idempoten") && sdk.HeaderValue(b.Send.Headers, h.Name) == h.Value {
				c.breaks(RuleIdentity, op, "two operations send the same %s: use Call.IdempotencyKey, or Send.IdempotencyHeader", h.Name)
			}
		}
		query := a.Send.Method == "GET" || a.Send.Method == "HEAD" // two refunds of one payment may both query the payment first
		if !query && a.Send.IdempotencyHeader == "" && sdk.RequestHash(a.Send) == sdk.RequestHash(b.Send) {
			c.breaks(RuleIdentity, op, "two payments send the same request: send Request.Reference, or set Send.IdempotencyHeader")
		}
	}
}
