package plugins

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"payswitch/engine"
	"payswitch/sdk"
)

// Replayed is what a build made of a recorded operation.
type Replayed struct {
	Adapter  string // the build's own name
	Hash     string // of the build
	Manifest *sdk.Manifest
	Steps    []ReplayedStep
}

// ReplayedStep is one step as it was recorded and as it was made again. What was recorded after the last one compared is not among them.
type ReplayedStep struct {
	Recorded, Replayed *sdk.Result // nil where there was no result
	RecordedHash       string      // of the recorded request; known also of those an earlier drive made, of which nothing else is
	RecordedFault      string      // why there was no result: a kind of trap, "garbage", "host"
	ReplayedFault      string
	// Refused is the host's rule that the request made again would have broken, held against this build's manifest: it would not have left.
	Refused string
	// Same says that both are the same to the byte, and that the host takes the one as it took the other.
	Same bool
	// Answered says that the recorded answer was given to both.
	Answered bool
}

// Same says whether everything was the same.
func (r *Replayed) Same() bool {
	for i := range r.Steps {
		if !r.Steps[i].Same {
			return false
		}
	}
	return true
}

// Load adds a build that answers for no connector: it is asked for by its hash, by Replay. A build that Run is to keep must be asked for
// within Options.RetainBuilds.
func (h *Host) Load(ctx context.Context, wasm []byte) (engine.AdapterInfo, error) {
	b, err := h.load(ctx, wasm, nil, false)
	if err != nil {
		return engine.AdapterInfo{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.info(b.name, b), nil
}

// Replay runs a recorded operation again: the same inputs, clock and chance, the recorded answers, no network. hash is the build to run;
// "" is the one that was recorded. As long as its requests are those that were recorded, all is as it was. A request that differs is given
// the answer of the one in its place, which is a guess that shows how the adapter would go on; where there is no answer left, the host would
// refuse the request, or a signature is checked in another way, it ends. Faults of the adapter are results; an error is that it could not be run (ErrNoBuild).
func (h *Host) Replay(ctx context.Context, hash string, r *engine.Recording) (*Replayed, error) {
	if hash == "" {
		hash = r.Hash
	}
	b, err := h.acquire(ctx, &engine.Drive{Connector: r.Step.Account.Connector, AdapterHash: hash})
	if err != nil {
		return nil, err
	}
	defer h.release(b)
	return replay(ctx, h.opts, &b.adapter, r)
}

// Replay is as Host.Replay, with the adapter of the recording's connector, whatever build that was.
func (n *Native) Replay(ctx context.Context, r *engine.Recording) (*Replayed, error) {
	a, ok := n.adapters[r.Step.Account.Connector]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoAdapter, r.Step.Account.Connector)
	}
	return replay(ctx, n.driver.opts, &a.adapter, r)
}

func replay(ctx context.Context, opts Options, a *adapter, rec *engine.Recording) (*Replayed, error) {
	out := &Replayed{Adapter: a.name, Hash: a.hash, Manifest: a.manifest}
	o := &operation{driver: &driver{opts: opts}, adapter: a, res: &engine.DriveResult{},
		in: &engine.Drive{Operation: rec.Step.Operation, OperationID: rec.Step.OperationID, Request: rec.Step.Request}}
	if err := o.holdTo(rec); err != nil {
		return nil, err
	}
	o.scrub.card = factsOf(o.in)
	all := rec.Step.Exchanges
	seed := o.secrets.seeded.derived("random")
	for n := range rec.Resumed + len(rec.Steps) {
		step := rec.Input(n)
		step.Exchanges = o.res.Exchanges // as recorded but for what answers other requests
		step.Account.Config = withDefaults(step.Account.Config, a.manifest)
		got, err := a.stepper.step(ctx, step, seed, o.scrub.own)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := ReplayedStep{Replayed: got}
		if err != nil {
			if s.ReplayedFault = faultOf(err); s.ReplayedFault == faultHost {
				return nil, fmt.Errorf("step %d: %w", n+1, err)
			}
		}
		if err := s.compare(rec, n); err != nil {
			return nil, err
		}
		var answer *sdk.Exchange
		if n < len(all) {
			answer = &all[n]
		}
		// What was recorded and has an exchange was not refused then; what has none is as it was. The recorded build is not held to itself.
		refused := o.refuses(got, answer)
		if !s.Same || answer != nil && a.hash != rec.Hash {
			s.Refused = refused
			s.Same = s.Same && refused == ""
		}
		s.Answered = answer != nil && s.Refused == "" && s.answerable(answer)
		out.Steps = append(out.Steps, s)
		if !s.Answered {
			break
		}
		x := all[n]
		if got.Send != nil {
			x.RequestHash, x.RequestCheck = sdk.RequestSums(got.Send)
		}
		o.record(x)
	}
	return out, nil
}

// compare takes in what was recorded of step n. Of requests that an earlier drive made only the hash is known.
func (s *ReplayedStep) compare(rec *engine.Recording, n int) (err error) {
	if n < rec.Resumed {
		s.RecordedHash = rec.Step.Exchanges[n].RequestHash
		s.Same = hashOfResult(s.Replayed) == s.RecordedHash
		return nil
	}
	was := &rec.Steps[n-rec.Resumed]
	s.RecordedFault = was.Fault
	if was.Result == nil { // a fault of the host says nothing of the adapter
		s.Same = s.ReplayedFault == s.RecordedFault || s.RecordedFault == faultHost
		return nil
	}
	if s.Recorded, err = sdk.DecodeResult(was.Result); err != nil {
		return fmt.Errorf("recorded result of step %d: %w", n+1, err)
	}
	s.RecordedHash = hashOfResult(s.Recorded)
	s.Same = s.Replayed != nil && bytes.Equal(sdk.EncodeResult(s.Replayed), was.Result)
	return nil
}

// hashOfResult is the request hash of a send or verify, "" of what is neither.
func hashOfResult(r *sdk.Result) string {
	switch {
	case r == nil:
	case r.Send != nil:
		return sdk.RequestHash(r.Send)
	case r.Verify != nil:
		return sdk.VerifyHash(r.Verify)
	}
	return ""
}

// answerable says whether the recorded exchange can stand for what came of the replayed result: a verdict about one signature says nothing
// about another.
func (s *ReplayedStep) answerable(x *sdk.Exchange) bool {
	switch {
	case s.Replayed == nil:
		return false
	case s.Replayed.Send != nil:
		return x.Verified == nil
	case s.Replayed.Verify != nil:
		return s.Same
	}
	return false
}

// withDefaults adds the defaults of config fields that the recorded build did not have.
func withDefaults(config map[string]string, m *sdk.Manifest) map[string]string {
	copied := false
	for i := range m.Config {
		f := &m.Config[i]
		if _, ok := config[f.Name]; ok || f.Default == "" {
			continue
		}
		if !copied {
			config, copied = maps.Clone(config), true
		}
		setText(&config, f.Name, f.Default)
	}
	return config
}
