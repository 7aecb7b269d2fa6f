package plugins

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// reservedBytes of a step's message are kept for its other parts. A send needs room for an answer of at least leastRoom.
const (
	reservedBytes = 128 << 10
	leastRoom     = 16 << 10
)

// verify computes and compares what an adapter asked for: the signature of a message, or the authentication value.
func (o *operation) verify(v *sdk.Verify, now time.Time) error {
	if o.verifies >= sdk.MaxVerifies {
		return violation(RuleLimit, "the adapter asks for more than %d verifies", sdk.MaxVerifies)
	}
	var body []byte
	if w := o.in.Request.Webhook; w != nil {
		body = w.Body
	}
	var ok bool
	var err error
	if o.in.Operation == sdk.OpWebhook {
		ok, err = verify(v, o.secrets, body)
	} else {
		ok, err = verifyCAVV(v, o.secrets)
	}
	o.tellWrong()
	if err != nil {
		return err
	}
	o.record(sdk.Exchange{Now: now.UnixMilli(), RequestHash: sdk.VerifyHash(v), Verified: &ok})
	return nil
}

// send performs one send. done reports that the operation ends here, with its end in res.
func (o *operation) send(ctx context.Context, s *sdk.Send, now time.Time) (done bool, err error) {
	hash, check := sdk.RequestSums(s)
	key, rule, text := o.mayFollow(s, hash)
	if rule != "" {
		o.unknown(rule, text)
		return true, nil
	}
	if err := ctx.Err(); err != nil {
		return true, o.outOfTime(err)
	}
	if o.needsToken(s) {
		if err := o.token(ctx, secret.Value{}); err != nil {
			return o.withoutToken(err)
		}
	}
	start := time.Now()
	out, a, err := o.transmit(ctx, s, now, hash, key)
	if err != nil {
		return true, err
	}
	refreshed := o.refreshed(ctx, s, &a)
	if refreshed {
		if out, a, err = o.transmit(ctx, s, now, hash, key); err != nil {
			return true, err
		}
	}
	o.recordExchange(time.Since(start), refreshed)
	o.hide(s, out, &a)
	o.record(sdk.Exchange{Now: now.UnixMilli(), RequestHash: hash, RequestCheck: check, Sent: a.sent, Status: a.status, Headers: a.headers,
		BodyLength: len(a.body), Body: a.body, Failure: a.failure})
	return false, nil
}

// withoutToken ends an operation whose access token could not be fetched. The send that needed it has not left.
func (o *operation) withoutToken(err error) (done bool, _ error) {
	if r, ok := errors.AsType[refusal](err); ok && !o.left {
		o.res.Reject = r.Reject
		return true, nil
	}
	return true, err
}

// transmit fills a request in, announces it to BeforeSend, and sends it.
func (o *operation) transmit(ctx context.Context, s *sdk.Send, now time.Time, hash, key string) (*outgoing, answer, error) {
	out, err := fill(s, o.secrets, o.places, o.in.Operation, o.reach, key)
	o.tellWrong()
	if err != nil {
		return nil, answer{}, err
	}
	o.bound(out, s)
	if o.in.BeforeSend != nil {
		intent := port.SendIntent{Index: len(o.res.Exchanges), Now: now, RequestHash: hash, Method: s.Method, URL: o.cleanURL(s.URL), Host: out.url.Host,
			Exchanges: o.res.Exchanges, Captured: o.res.Captured, SafeToRepeat: s.SafeToRepeat}
		if err := o.in.BeforeSend(ctx, intent); err != nil {
			return nil, answer{}, fmt.Errorf("before send %d: %w", intent.Index, err)
		}
	}
	mayHaveLeft := o.res.MayHaveLeft
	o.res.MayHaveLeft = true // in case anything below panics
	start := time.Now()
	a := o.egress.do(ctx, out)
	o.asked, o.troubled = true, o.troubled || a.inTrouble()
	o.res.MayHaveLeft = mayHaveLeft || a.sent
	o.observe(out, &a, time.Since(start))
	return out, a, nil
}

// hide masks the secrets in an answer before the adapter, the journal or the log see it. A secret that came back is a violation;
// the answer still counts.
func (o *operation) hide(s *sdk.Send, out *outgoing, a *answer) {
	addSent(&o.scrub, out.filled.put)
	o.capture(s, out, a)
	body := string(a.body)
	clean, known := o.scrub.Text(body, s)
	if clean != body {
		a.body = []byte(clean)
	}
	a.headers, known = o.scrub.Headers(a.headers, s, clean != body, known)
	if known {
		o.broke(RuleAnswer, "a secret in the answer of "+out.url.Host+", blanked")
		o.opts.Logger.Warn("a processor's answer held a secret, which the host blanked", "adapter", o.adapter.name, "host", out.url.Host,
			"operation", string(o.in.Operation), "operation_id", o.in.OperationID)
	}
}

// mayFollow decides whether a send may leave after the earlier ones, and returns the value of its idempotency key. rule is "" if
// the send may leave.
//
// A request that is not declared safe to repeat leaves once. After a send that may have arrived and has no answer, only two kinds
// of request may follow: the identical request, declared safe to repeat, or a query. Any other request would rest on a guess.
func (o *operation) mayFollow(s *sdk.Send, hash string) (key, rule, text string) {
	switch {
	case o.sends >= sdk.MaxSends:
		return "", RuleLimit, fmt.Sprintf("the adapter asks for more than %d sends", sdk.MaxSends)
	case o.room() < leastRoom:
		return "", RuleLimit, "the answers so far leave no room for one more"
	}
	index, n := o.sends, 0
	for i := range o.res.Exchanges {
		x := &o.res.Exchanges[i]
		if x.Verified != nil {
			continue
		}
		if x.RequestHash == hash {
			if x.Sent && !s.SafeToRepeat {
				return "", RuleRepeat, "the adapter repeats a send without declaring it safe to repeat"
			}
			index = min(index, n) // the same request, the same key
		}
		n++
	}
	query := s.Method == http.MethodGet || s.Method == http.MethodHead
	if len(o.open) > 0 && !(s.SafeToRepeat && (query || slices.Contains(o.open, hash))) {
		return "", RuleRepeat, "the adapter asks for a different send after one that may have arrived and has no answer"
	}
	return o.in.OperationID + "-" + strconv.Itoa(index), "", ""
}

// room returns how many bytes the next answer may have: one message to the adapter holds all answers.
func (o *operation) room() int { return sdk.MaxMessage - reservedBytes - o.bytes }

// bound sets a request's time-out, the largest answer, and its client certificate.
func (o *operation) bound(out *outgoing, s *sdk.Send) {
	out.adapter = o.adapter.name
	out.maxResponse = min(o.opts.MaxResponse, o.room())
	out.timeout = o.opts.SendTimeout
	if t := time.Duration(s.TimeoutMillis) * time.Millisecond; t > 0 {
		out.timeout = min(out.timeout, t)
	}
	out.certificate = o.reach.certificate
}

// outOfTime ends an operation whose deadline has passed. The result is unknown if something may have left; otherwise it is an
// error.
func (o *operation) outOfTime(err error) error {
	if !o.left {
		return fmt.Errorf("the deadline passed before the first send: %w", err)
	}
	o.res.Outcome = unknownOutcome("the operation ran out of time")
	return nil
}

func (o *operation) observe(out *outgoing, a *answer, took time.Duration) {
	class := a.failure
	if class == "" {
		class = strconv.Itoa(a.status/100) + "xx"
	}
	o.opts.Observer.Sent(out.adapter, out.url.Host, class, took)
	if a.failure != "" {
		o.opts.Logger.Warn("no answer from a processor", "adapter", out.adapter, "host", out.url.Host, "failure", a.failure, "sent", a.sent,
			"operation", string(o.in.Operation), "operation_id", o.in.OperationID, "error", o.clean(a.err))
	}
}
