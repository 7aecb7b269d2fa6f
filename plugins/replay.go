package plugins

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"payswitch/engine/port"
	"payswitch/sdk"
)

// Replayed is the result of a recorded operation with some build.
type Replayed struct {
	Adapter  string // the build's own name
	Hash     string // of the build
	Manifest *sdk.Manifest
	Steps    []ReplayedStep
}

// ReplayedStep is one step as recorded and as replayed. Replayed.Steps ends with the last step that could be compared.
type ReplayedStep struct {
	Recorded, Replayed *sdk.Result // nil where there was no result
	RecordedHash       string      // hash of the recorded request; of a request of an earlier drive the recording has nothing else
	RecordedFault      string      // why there was no result: a kind of trap, "garbage", "host"
	ReplayedFault      string
	// Refused is the host's rule that the replayed request breaks under this build's manifest; "" if it would leave.
	Refused string
	// Same says that both results have the same bytes, and that the host accepts the replayed one if it accepted the recorded one.
	Same bool
	// Answered says that the recorded answer was given to the replayed request too.
	Answered bool
}

// Same reports whether all steps are the same.
func (r *Replayed) Same() bool {
	for i := range r.Steps {
		if !r.Steps[i].Same {
			return false
		}
	}
	return true
}

// Load loads a build that answers for no connector; Replay finds it by its hash. Run frees a build that was not used for
// Options.RetainBuilds.
func (h *Host) Load(ctx context.Context, wasm []byte) (port.AdapterInfo, error) {
	b, err := h.load(ctx, moduleOf(wasm))
	if err != nil {
		return port.AdapterInfo{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.info(b.name, b), nil
}

// Replay runs a recorded operation again, with the recorded inputs, clock, random bytes and answers, without a network. hash is
// the build to run; "" is the recorded one.
//
// A request that differs gets the answer of the recorded request in its place: a guess at how the adapter would go on. The replay
// ends where no answer is left, where the host would refuse the request, and where a signature is checked in another way. A fault
// of the adapter is a result. An error means that the adapter could not be run (ErrNoBuild).
func (h *Host) Replay(ctx context.Context, hash string, r *port.Recording) (*Replayed, error) {
	if hash == "" {
		hash = r.Hash
	}
	b, err := h.acquire(ctx, &port.Drive{Connector: r.Step.Account.Connector, AdapterHash: hash})
	if err != nil {
		return nil, err
	}
	defer h.release(b)
	return replay(ctx, h.opts, &b.adapter, r)
}

// Replay does what Host.Replay does, with the adapter of the recording's connector in its only build.
func (n *Native) Replay(ctx context.Context, r *port.Recording) (*Replayed, error) {
	a, ok := n.adapters[r.Step.Account.Connector]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNoAdapter, r.Step.Account.Connector)
	}
	return replay(ctx, n.driver.opts, &a.adapter, r)
}

func replay(ctx context.Context, opts Options, a *adapter, rec *port.Recording) (*Replayed, error) {
	out := &Replayed{Adapter: a.name, Hash: a.hash, Manifest: a.manifest}
	o := &operation{driver: &driver{opts: opts}, adapter: a, res: &port.DriveResult{},
		in: &port.Drive{Operation: rec.Step.Operation, OperationID: rec.Step.OperationID, Request: rec.Step.Request}}
	if err := o.holdTo(rec); err != nil {
		return nil, err
	}
	o.scrub.SetCard(factsOf(o.in))
	all := rec.Step.Exchanges
	seed := o.secrets.seeded.derived("random")
	for n := range rec.Resumed + len(rec.Steps) {
		step := rec.Input(n)
		step.Exchanges = o.res.Exchanges // as recorded, but with the hashes of the replayed requests
		step.Account.Config = withDefaults(step.Account.Config, a.manifest)
		got, err := a.stepper.step(ctx, step, seed, o.scrub.Own)
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
		// A recorded exchange proves that the host accepted the request. So a refusal counts only for a step with an exchange, or for a result that
		// differs. The recorded build itself is never held against its own manifest.
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

// compare reads the recorded result of step n. Of requests of an earlier drive only the hash is known.
func (s *ReplayedStep) compare(rec *port.Recording, n int) (err error) {
	if n < rec.Resumed {
		s.RecordedHash = rec.Step.Exchanges[n].RequestHash
		s.Same = hashOfResult(s.Replayed) == s.RecordedHash
		return nil
	}
	was := &rec.Steps[n-rec.Resumed]
	s.RecordedFault = was.Fault
	if was.Result == nil { // a fault of the host proves nothing about the adapter
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

// hashOfResult returns the request hash of a send or verify, "" for other results.
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

// answerable reports whether the recorded exchange can answer the replayed result. A verdict about one signature proves nothing
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
