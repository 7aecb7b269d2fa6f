package plugins

import (
	"errors"
	"time"

	"payswitch/engine"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
)

// recordStep keeps what a step made. The result's bytes are copied: what comes after may change what they were decoded to. Of a drive with
// plain secrets nothing is kept: its requests hold them, in whatever form the adapter gave them.
func (o *operation) recordStep(r *sdk.Result, err error, took time.Duration) {
	if !o.in.Record || o.plain {
		return
	}
	s := engine.RecordedStep{Took: took}
	if err == nil {
		s.Result = sdk.EncodeResult(r)
	} else {
		s.Fault = faultOf(err)
	}
	o.steps = append(o.steps, s)
}

// faultOf names why a step has no result; faultHost where that is not the adapter's doing.
func faultOf(err error) string {
	if trap, ok := errors.AsType[*sandbox.TrapError](err); ok {
		return string(trap.Kind)
	}
	if errors.Is(err, errGarbage) {
		return "garbage"
	}
	return faultHost
}

// errLost is why the last step of a drive whose node has ended has no result.
var errLost = errors.New("the node that drove it ended first: what it last asked for is not known")

// faultHost is why a step has no result where that is not the adapter's doing.
const faultHost = "host"

// recordExchange notes of the last step how long its exchange took.
func (o *operation) recordExchange(took time.Duration, refreshed bool) {
	if n := len(o.steps); n > 0 {
		o.steps[n-1].Exchange, o.steps[n-1].Refreshed = took, refreshed
	}
}

// recording is all there is of the drive at its end.
func (o *operation) recording(err error) *engine.Recording {
	r := &engine.Recording{Adapter: o.adapter.name, Hash: o.adapter.hash, Seed: o.in.Seed, Resumed: len(o.in.Resume), Steps: o.steps}
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

// scrubRequest takes secrets out of what came from outside unread: a processor's message, what a browser brought back. The parts that
// change are copies.
func (o *operation) scrubRequest(q *sdk.Request) (altered bool) {
	scrub := func(text string) string {
		clean, _ := o.scrub.text(text, nil)
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
