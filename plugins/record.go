package plugins

import (
	"errors"
	"time"

	"payswitch/engine/port"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
)

// recordStep keeps the result of a step. It copies the bytes, because later code changes the decoded result. It keeps nothing of a
// drive with plain secrets: its requests hold them in unknown forms.
func (o *operation) recordStep(r *sdk.Result, err error, took time.Duration) {
	if !o.in.Record || o.plain {
		return
	}
	s := port.RecordedStep{Took: took}
	if err == nil {
		s.Result = sdk.EncodeResult(r)
	} else {
		s.Fault = faultOf(err)
	}
	o.steps = append(o.steps, s)
}

// faultOf names why a step has no result: the kind of trap, "garbage", or faultHost.
func faultOf(err error) string {
	if trap, ok := errors.AsType[*sandbox.TrapError](err); ok {
		return string(trap.Kind)
	}
	if errors.Is(err, errGarbage) {
		return "garbage"
	}
	return faultHost
}

// errLost explains why the last step has no result when the node that drove it has ended.
var errLost = errors.New("the node that drove it ended before it recorded the last step")

// faultHost says that a step has no result for a reason that is not the adapter's fault.
const faultHost = "host"

// recordExchange notes how long the exchange of the last step took.
func (o *operation) recordExchange(took time.Duration, refreshed bool) {
	if n := len(o.steps); n > 0 {
		o.steps[n-1].Exchange, o.steps[n-1].Refreshed = took, refreshed
	}
}

// recording is everything recorded of the drive.
func (o *operation) recording(err error) *port.Recording {
	r := &port.Recording{Adapter: o.adapter.name, Hash: o.adapter.hash, Seed: o.in.Seed, Resumed: len(o.in.Resume), Steps: o.steps}
	switch {
	case err != nil:
		r.Error = err.Error()
	case o.in.RecordOnly:
		r.Error = errLost.Error()
	}
	step := *o.step
	step.Exchanges = o.res.Exchanges
	r.Altered = o.scrubRequest(&step.Request)
	r.Step = &step
	return r
}

// scrubRequest masks secrets in texts from outside: a processor's message, and what a payer's browser brought back. It copies the
// parts that it changes.
func (o *operation) scrubRequest(q *sdk.Request) (altered bool) {
	scrub := func(text string) string {
		clean, _ := o.scrub.Text(text, nil)
		altered = altered || clean != text
		return clean
	}
	pairs := func(all []sdk.Header) []sdk.Header {
		out := make([]sdk.Header, len(all))
		for i := range all {
			out[i] = sdk.Header{Name: all[i].Name, Value: scrub(all[i].Value)}
		}
		return out
	}
	if q.Webhook != nil {
		w := *q.Webhook
		w.Headers, w.Query, w.Body = pairs(w.Headers), pairs(w.Query), []byte(scrub(string(w.Body)))
		q.Webhook = &w
	}
	if q.Return != nil {
		r := *q.Return
		r.Query, r.Form = pairs(r.Query), pairs(r.Form)
		q.Return = &r
	}
	return altered
}
