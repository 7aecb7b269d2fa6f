package plugins

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"payswitch/engine/port"
	"payswitch/plugins/sandbox"
	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// adapter is one build that is ready to be driven.
type adapter struct {
	name     string
	hash     string
	manifest *sdk.Manifest
	places   []place
	names    *scrub.Names
	stepper  stepper
}

// fieldNames returns the field names of the manifest.
func (a *adapter) fieldNames() *scrub.Names {
	if a.names == nil {
		return scrub.NamesOf(a.manifest)
	}
	return a.names
}

// stepper performs one step of an adapter: in the sandbox, or natively in tests.
type stepper interface {
	// step sends one message to the adapter. clean masks the text that the adapter writes to its standard error; with nil the host drops that text.
	step(ctx context.Context, s *sdk.Step, seed [32]byte, clean func(string) string) (*sdk.Result, error)
}

// driver performs operations for Host and Native.
type driver struct {
	opts   Options
	egress *egress
	limits *limiter
	tokens *tokens
}

func newDriver(o Options) *driver {
	return &driver{opts: o, egress: newEgress(o), limits: newLimiter(o.AccountConcurrency, o.AccountWait, func(account string, from, to int) {
		o.Logger.Warn("a processor is overloaded or out of reach: fewer operations of the connector account run at a time", "account_id", account,
			"from", from, "to", to)
	}), tokens: new(tokens)}
}

// operation is one drive under way.
type operation struct {
	*driver
	adapter *adapter
	in      *port.Drive
	res     *port.DriveResult

	step    *sdk.Step
	secrets *standIns
	random  [32]byte // the guest's random source
	scrub   scrub.Scrubber
	reach   *reach
	places  []place // the positions where secrets may stand
	plain   bool    // the adapter receives the real secrets

	sends, verifies int
	bytes           int      // of the bodies and headers so far
	left            bool     // a request may have reached the processor, in this drive or an earlier one
	open            []string // hashes of sends that may have arrived and have no answer
	steps           []port.RecordedStep
	started         time.Time
	asked, troubled bool // asked: a request was sent; troubled: the processor could not cope with one
}

// drive performs one operation. res is never nil, even with an error.
func (d *driver) drive(ctx context.Context, a *adapter, in *port.Drive) (res *port.DriveResult, err error) {
	o := &operation{driver: d, adapter: a, in: in, res: &port.DriveResult{AdapterHash: a.hash}, started: time.Now()}
	res = o.res
	defer func() {
		if p := recover(); p != nil { // a defect of the host: faults of a guest do not panic here
			d.opts.Logger.Error("panic while driving an adapter", "adapter", a.name, "operation_id", in.OperationID,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("panic while driving an adapter")
		}
		if v, ok := errors.AsType[*Violation](err); ok {
			if v.Adapter == "" { // an error of an access token's fetch is shared: it has its name already
				v.Adapter = a.name
			}
			o.broke(v.Rule, v.Detail)
		}
		if err != nil {
			res.Outcome, res.Reject = nil, nil
			err = a.blame(o.clean(fmt.Errorf("drive %s of adapter %s: %w", in.Operation, a.name, err)))
		}
		if len(o.steps) > 0 && !o.plain {
			res.Recordings = append(res.Recordings, o.recording(err))
		}
		res.Duration = time.Since(o.started)
	}()
	ctx, cancel := context.WithTimeout(ctx, d.opts.OperationTimeout)
	defer cancel()
	if err := o.prepare(); err != nil {
		return res, err
	}
	if in.RecordOnly {
		o.step.Now = in.Started.UnixMilli()
		o.recordStep(nil, errLost, 0)
		return res, nil
	}
	if in.Operation == sdk.OpWebhook { // no turn for queries: evidence must get in while a silent processor holds all turns
		return res, o.run(ctx)
	}
	return res, d.inTurn(ctx, o, func() error { return o.run(ctx) })
}

// prepare makes the first step and replays the exchanges of an earlier drive.
func (o *operation) prepare() (err error) {
	account, places, err := o.withinApproval()
	if err != nil {
		return err
	}
	if o.reach, err = newReach(account, o.adapter.manifest); err != nil {
		return err
	}
	o.places = places
	o.step, o.secrets = newStep(o.in, o.adapter.manifest, o.reach.baseURL)
	o.random = o.secrets.seeded.derived("random")
	o.scrub = newScrubber(factsOf(o.in), o.adapter.fieldNames(), o.secrets)
	if o.plain && !o.in.RecordOnly {
		o.reveal()
	}
	o.captureMessage()
	o.recapture()
	if w := o.step.Request.Webhook; w != nil {
		o.bytes += len(w.Body)
	}
	for i := range o.in.Resume {
		o.record(o.in.Resume[i])
	}
	return nil
}

// record adds an exchange.
func (o *operation) record(x sdk.Exchange) {
	o.res.Exchanges = append(o.res.Exchanges, x)
	o.bytes += len(x.Body)
	for i := range x.Headers {
		o.bytes += len(x.Headers[i].Name) + len(x.Headers[i].Value) + 32
	}
	if x.Verified != nil {
		o.verifies++
		return
	}
	o.sends++
	o.left = o.left || x.Sent
	answered := x.Status != 0
	o.res.AnsweredLast, o.res.HTTPStatus = answered, x.Status
	switch {
	case answered: // one answer settles all identical sends: the processor acts on them at most once
		o.open = without(o.open, x.RequestHash)
	case x.Sent:
		o.open = append(o.open, x.RequestHash)
	}
}

func without(all []string, s string) []string {
	kept := all[:0]
	for _, v := range all {
		if v != s {
			kept = append(kept, v)
		}
	}
	return kept
}

// run steps the adapter until the operation ends.
func (o *operation) run(ctx context.Context) error {
	now := o.in.Started
	for {
		now = o.nextTime(now)
		r, err := o.next(ctx, now)
		if err != nil {
			return err
		}
		done := true
		switch {
		case r.Send != nil:
			done, err = o.send(ctx, r.Send, now)
		case r.Verify != nil:
			done, err = false, o.verify(r.Verify, now)
		case r.Reject != nil && o.left:
			o.unknown(RuleReject, "the adapter rejected the operation after a request may have left")
		case r.Reject != nil:
			o.res.Reject = r.Reject
		default:
			err = o.finish(r.Outcome)
		}
		if err != nil || done {
			return err
		}
		now = time.Time{}
	}
}

// nextTime returns the time of a step in whole milliseconds: given, or the clock's if given is zero. It never precedes the last exchange.
func (o *operation) nextTime(given time.Time) time.Time {
	if given.IsZero() {
		given = o.opts.Clock()
	}
	ms := given.UnixMilli()
	if n := len(o.res.Exchanges); n > 0 {
		ms = max(ms, o.res.Exchanges[n-1].Now)
	}
	return time.UnixMilli(ms)
}

// grace is how long after the operation's deadline the last step may still wait for a sandbox. Fuel bounds the step itself.
const grace = 5 * time.Second

func (o *operation) next(ctx context.Context, now time.Time) (*sdk.Result, error) {
	o.step.Now = now.UnixMilli()
	o.step.Exchanges = o.res.Exchanges
	o.res.Steps++
	if o.left { // the adapter still reads an answer that came at the deadline, or after the caller left
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(context.WithoutCancel(ctx), o.started.Add(o.opts.OperationTimeout+grace))
		defer cancel()
	}
	start := time.Now()
	clean := o.cleanText
	if o.plain { // an adapter with plain secrets knows them, and could write them in any form
		clean = nil
	}
	r, err := o.adapter.stepper.step(ctx, o.step, o.random, clean)
	took := time.Since(start)
	if err == nil {
		o.cleanResult(r)
	}
	o.opts.Observer.Stepped(o.adapter.name, took)
	o.recordStep(r, err, took)
	if trap, ok := errors.AsType[*sandbox.TrapError](err); ok {
		o.opts.Observer.Trapped(o.adapter.name, string(trap.Kind))
	} else if errors.Is(err, errGarbage) {
		o.opts.Observer.Trapped(o.adapter.name, "garbage")
	}
	return r, err
}

// unknown ends the operation with the status unknown: the adapter broke a rule after a request may have left.
func (o *operation) unknown(rule, text string) {
	o.broke(rule, text)
	o.opts.Logger.Warn("an operation ends unknown: the adapter broke a rule", "adapter", o.adapter.name, "operation", string(o.in.Operation),
		"operation_id", o.in.OperationID, "rule", rule)
	o.res.Outcome = unknownOutcome(text)
}

func unknownOutcome(text string) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": text}}
}

// finish checks and takes an outcome.
func (o *operation) finish(out *sdk.Outcome) error {
	if err := checkOutcome(out); err != nil {
		return err
	}
	if out.Status == sdk.StatusUnknown && out.Raw["error"] == "diverged" {
		o.unknown(RuleDivergence, "the adapter did not repeat the requests that it had sent")
		return nil
	}
	o.handOver(out)
	o.searchOutcome(out)
	o.res.Outcome = out
	return nil
}

// searchOutcome reports stand-ins in an outcome. The host never replaces them there, so the adapter carries off random text only,
// and the outcome stands. Tokens and cryptograms are meant to be stand-ins.
func (o *operation) searchOutcome(out *sdk.Outcome) {
	rest := *out
	rest.Token = nil
	rest.Authentication = withoutCryptogram(rest.Authentication)
	rest.Events = slices.Clone(rest.Events)
	for i := range rest.Events {
		if e := rest.Events[i].Outcome; e != nil {
			other := *e
			other.Authentication = withoutCryptogram(other.Authentication)
			rest.Events[i].Outcome = &other
		}
	}
	if name := o.secrets.found(string(sdk.EncodeResult(&sdk.Result{Outcome: &rest}))); name != "" {
		o.broke(RuleSecret, "the stand-in of "+name+" in the outcome")
		o.opts.Logger.Warn("an outcome holds a stand-in", "adapter", o.adapter.name, "operation", string(o.in.Operation),
			"operation_id", o.in.OperationID, "secret", name)
	}
}

func withoutCryptogram(a *sdk.AuthenticationOutcome) *sdk.AuthenticationOutcome {
	if a == nil {
		return nil
	}
	other := *a
	other.CAVV = ""
	return &other
}
