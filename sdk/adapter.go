package sdk

import "errors"

// Adapter is one processor or authenticator: its manifest and one function for each operation that it offers. An Adapter holds no
// state, and its functions may be called concurrently.
type Adapter struct {
	// Manifest describes the adapter. The SDK fills in ABI, and Operations from the functions that are set.
	Manifest Manifest

	// The operations of a processor. nil means that the adapter does not offer the operation.
	Authorize, Capture, Void, Refund, UnreferencedRefund, Sync, RefundSync, Verify, Complete, IncrementalAuthorize, ExtendAuthorization, AccessToken Func
	// The answers of a processor's merchant to a dispute, and the query for its state. nil means that the adapter does not offer the operation.
	AcceptDispute, AttachEvidence, SubmitEvidence, DisputeSync Func
	// Webhook reads a message that the processor or authenticator sent on its own.
	Webhook Func
	// The operations of an authenticator.
	Prepare, Authenticate, Result, CancelChallenge Func

	// Signing adds the signature to a request. Call.Do calls it once for each send, with the whole URL, the headers and the body. It may change
	// the headers alone; nil signs nothing. sdk/SIGNING.md has the recipe.
	Signing func(c *Call, s *Send)
}

// Func performs one operation. A Func is straight-line code and a pure function of the Call. It has no state of its own, no clock
// except Call.Now, no randomness except Call.ID and Call.Random, and no goroutines. The order of a map must not show in what it
// sends. The SDK runs the Func again from its beginning for every step of the operation; Call.Do returns the answers to earlier
// sends.
//
// An error is always safe to return, or to end with (Must, Check). A *Reject says that the adapter cannot do this, as long as
// nothing was sent. Any other error, a nil Outcome and a panic become an Outcome with StatusUnknown and the error's text in
// Raw["error"].
type Func func(c *Call) (*Outcome, error)

// operations lists all operations in the order of the manifest.
var operations = [...]Operation{OpAuthorize, OpCapture, OpVoid, OpRefund, OpUnreferencedRefund, OpSync, OpRefundSync, OpVerify, OpComplete,
	OpIncrementalAuthorize, OpExtendAuthorization, OpAcceptDispute, OpAttachEvidence, OpSubmitEvidence, OpDisputeSync,
	OpAccessToken, OpPrepare, OpAuthenticate, OpResult, OpCancelChallenge, OpWebhook}

// fn returns the function of an operation, nil if the adapter does not offer the operation.
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
	case OpUnreferencedRefund:
		return a.UnreferencedRefund
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
	case OpExtendAuthorization:
		return a.ExtendAuthorization
	case OpAcceptDispute:
		return a.AcceptDispute
	case OpAttachEvidence:
		return a.AttachEvidence
	case OpSubmitEvidence:
		return a.SubmitEvidence
	case OpDisputeSync:
		return a.DisputeSync
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

// Operations returns the operations that an adapter of this kind may offer, in the order of manifests. It returns nil for an
// unknown kind.
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

// manifest returns the manifest with the fields that the SDK fills in.
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

// Handle answers the message of a step with the message of its result. The answer to an unreadable message is an Outcome of
// StatusUnknown.
func (a *Adapter) Handle(message []byte) []byte { return a.appendHandle(nil, message) }

// appendHandle is Handle with a buffer for the result. The buffer is empty and may have capacity.
func (a *Adapter) appendHandle(out, message []byte) []byte {
	in, err := decodeHosts(message)
	if err != nil {
		r := unknown("step: " + err.Error())
		return appendResult(out, &r)
	}
	r := a.Step(in)
	return appendResult(out, &r)
}

// Step performs one step. It runs the operation's function from its beginning and answers the function's calls from in.Exchanges.
// It returns the first new send or verify, or the end of the operation. Step does not change in and depends on nothing else.
//
// Step rejects some requests without calling the function. Another ABI and an operation without a function are unsupported. So is a payment
// that needs a feature which Manifest.Features does not offer: 3-D Secure, a 3DS result, a network transaction id. A verification with an
// amount is invalid.
//
// The Outcome is unknown with Raw["error"] "diverged" if the function asks for something else than the exchanges record. The same holds if
// the function ends before it has used all of them.
func (a *Adapter) Step(in *Step) Result {
	if in.ABI != ABI {
		return Result{Reject: &Reject{Code: RejectUnsupported, Message: "the adapter speaks another version of the protocol than the host"}}
	}
	f := a.fn(in.Operation)
	if f == nil {
		return Result{Reject: &Reject{Code: RejectUnsupported, Message: "operation not offered: " + string(in.Operation)}}
	}
	if reject := a.refuses(in); reject != nil {
		return Result{Reject: reject}
	}
	c := &Call{Request: &in.Request, Account: &in.Account, adapter: a, step: in}
	result := c.run(f)
	switch {
	case c.stop != nil:
		return *c.stop
	case c.next < len(in.Exchanges):
		return unknown(diverged)
	}
	return result
}

// run calls the function and recovers its panics. Some of them are the SDK's own way to end a step. A panic of the adapter counts
// as an error, in WASM too. Go cannot recover from an exhausted stack or memory: in WASM the host sees a trap.
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

// result turns the function's outcome or error into a Result.
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

// errorText returns the text of an error. The error's method may itself panic.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "error without text"
		}
	}()
	return err.Error()
}

// maxErrorText is the greatest length of Raw["error"] in bytes.
const maxErrorText = 200

const diverged = "diverged"

// unknown returns the Result of an error of the adapter or the SDK.
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
