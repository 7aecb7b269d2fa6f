package sdk

import "errors"

// Adapter is one processor or authenticator: its manifest and one function for each operation it offers. An Adapter holds no state
// and its functions may be called concurrently.
type Adapter struct {
	// Manifest says what the adapter is. ABI and Operations are filled in from the SDK and the functions that are set.
	Manifest Manifest

	// A processor's operations; nil is an operation that is not offered.
	Authorize, Capture, Void, Refund, Sync, RefundSync, Verify, Complete, IncrementalAuthorize, AccessToken Func
	// Webhook reads what the processor or authenticator sent on its own.
	Webhook Func
	// An authenticator's operations.
	Prepare, Authenticate, Result, CancelChallenge Func
}

// Func performs one operation. It is ordinary straight-line code and must be a pure function of the Call: no state of its own, no
// clock but Call.Now, no randomness but Call.ID and Call.Random, no goroutines, no iteration over a map where the order shows in what
// is sent. It is run again from its beginning for every step of the operation; Call.Do answers what was sent before.
//
// An error is always safe to return, or to end with (Must, Check): *Reject says that the adapter cannot do this (while nothing has been
// sent); any other error, a nil Outcome and a panic become an Outcome with StatusUnknown and the error's text in Raw["error"].
type Func func(c *Call) (*Outcome, error)

// operations in the order of the manifest.
var operations = [...]Operation{OpAuthorize, OpCapture, OpVoid, OpRefund, OpSync, OpRefundSync, OpVerify, OpComplete,
	OpIncrementalAuthorize, OpAccessToken, OpPrepare, OpAuthenticate, OpResult, OpCancelChallenge, OpWebhook}

// fn is the function of an operation, nil if it is not offered.
func (a *Adapter) fn(op Operation) Func {
	switch op {
	case OpAuthorize:
		return a.Authorize
	case OpCapture:
		return a.Capture
	case OpVoid:
		return a.Void
	case OpRefund:
		return a.Refund
	case OpSync:
		return a.Sync
	case OpRefundSync:
		return a.RefundSync
	case OpVerify:
		return a.Verify
	case OpComplete:
		return a.Complete
	case OpIncrementalAuthorize:
		return a.IncrementalAuthorize
	case OpAccessToken:
		return a.AccessToken
	case OpWebhook:
		return a.Webhook
	case OpPrepare:
		return a.Prepare
	case OpAuthenticate:
		return a.Authenticate
	case OpResult:
		return a.Result
	case OpCancelChallenge:
		return a.CancelChallenge
	}
	return nil
}

// Operations returns every operation of the protocol, in the order in which manifests list them.
func Operations() []Operation { return append([]Operation(nil), operations[:]...) }

// Operations returns those that an adapter of the kind may offer, in the order in which manifests list them; nil for a kind that is not
// known.
func (k Kind) Operations() (all []Operation) {
	if k != KindProcessor && k != KindAuthenticator {
		return nil
	}
	for _, op := range operations {
		shared := op == OpAccessToken || op == OpWebhook
		authenticates := op == OpPrepare || op == OpAuthenticate || op == OpResult || op == OpCancelChallenge
		if shared || authenticates == (k == KindAuthenticator) {
			all = append(all, op)
		}
	}
	return all
}

// manifest is the manifest with what the SDK fills in.
func (a *Adapter) manifest() *Manifest {
	m := a.Manifest
	m.ABI = ABI
	m.Operations = nil
	for _, op := range operations {
		if a.fn(op) != nil {
			m.Operations = append(m.Operations, op)
		}
	}
	return &m
}

// ManifestMessage returns the message of the adapter's manifest.
func (a *Adapter) ManifestMessage() []byte { return EncodeManifest(a.manifest()) }

// Handle answers the message of a step with the message of its result. A message that cannot be read is answered with an Outcome of
// StatusUnknown.
func (a *Adapter) Handle(message []byte) []byte { return a.appendHandle(nil, message) }

// appendHandle is Handle into a buffer that is empty but may have room.
func (a *Adapter) appendHandle(out, message []byte) []byte {
	in, err := decodeHosts(message)
	if err != nil {
		r := unknown("step: " + err.Error())
		return appendResult(out, &r)
	}
	r := a.Step(in)
	return appendResult(out, &r)
}

// Step performs one step: it runs the operation's function from its beginning, answers the calls it makes from in.Exchanges, and
// returns its first new send or verify, or how it ended. It does not change in and depends on nothing else.
//
// An operation without a function, another ABI, and a payment that asks for 3-D Secure, a result of one, or a reference to an earlier payment
// that Manifest.Features do not offer are a Reject (unsupported); a verification of an amount is one, too (invalid). If what the function asks for is not what the exchanges
// say was asked for, or it ends before it has used all of them, the Outcome is unknown with Raw["error"] "diverged".
func (a *Adapter) Step(in *Step) Result {
	if in.ABI != ABI {
		return Result{Reject: &Reject{Code: RejectUnsupported, Message: "this adapter speaks another version of the protocol"}}
	}
	f := a.fn(in.Operation)
	if f == nil {
		return Result{Reject: &Reject{Code: RejectUnsupported, Message: "operation not offered: " + string(in.Operation)}}
	}
	if reject := a.refuses(in); reject != nil {
		return Result{Reject: reject}
	}
	c := &Call{Request: &in.Request, Account: &in.Account, step: in}
	result := c.run(f)
	switch {
	case c.stop != nil:
		return *c.stop
	case c.next < len(in.Exchanges):
		return unknown(diverged)
	}
	return result
}

// run calls the function and catches its panics, the stop and the end among them. A panic of the adapter's is an error like any other, in
// WASM too; what Go cannot recover from (stack or memory exhausted) is a trap there, which the host answers for.
func (c *Call) run(f Func) (result Result) {
	defer func() {
		switch p := recover().(type) {
		case nil, stopped:
		case ended:
			result = c.result(p.outcome, p.err)
		case error:
			result = unknown("panic: " + errorText(p))
		case string:
			result = unknown("panic: " + p)
		default:
			result = unknown("panic")
		}
	}()
	return c.result(f(c))
}

// result is what the function's outcome or error comes to.
func (c *Call) result(outcome *Outcome, err error) Result {
	if err == nil && outcome == nil {
		return unknown("the adapter returned neither outcome nor error")
	}
	if err == nil {
		return Result{Outcome: outcome}
	}
	reject, ok := errors.AsType[*Reject](err)
	switch {
	case !ok:
		r := unknown(errorText(err))
		r.Outcome.TransactionID = c.about
		return r
	case reject == nil:
		return unknown("the adapter returned a nil reject")
	case c.sent:
		return unknown("reject after sending: " + reject.Error())
	}
	return Result{Reject: reject}
}

// errorText is the text of an error whose method may itself panic.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "error without text"
		}
	}()
	return err.Error()
}

// maxErrorText bounds Raw["error"], in bytes.
const maxErrorText = 200

const diverged = "diverged"

// unknown is the result of whatever went wrong on our side.
func unknown(text string) Result {
	if len(text) > maxErrorText {
		n := maxErrorText
		for n > 0 && text[n]&0xC0 == 0x80 {
			n--
		}
		text = text[:n]
	}
	return Result{Outcome: &Outcome{Status: StatusUnknown, Raw: map[string]string{"error": text}}}
}
