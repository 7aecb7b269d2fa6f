package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins/sandbox"
	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// idleBeforeUnload is how long a replaced build stays in memory after its last use, if the archive holds it.
const idleBeforeUnload = time.Minute

// build is one loaded module. It stays available by its hash after it has been replaced, because operations may have begun with
// it.
type build struct {
	adapter
	module *sandbox.Module
	log    *slog.Logger

	as map[string]*sdk.Manifest // of the simulator: manifestAs, by connector; guarded by Host.mu

	users int       // drives under way; guarded by Host.mu
	used  time.Time // time of the last use; guarded by Host.mu

	driven bool // an operation used it; guarded by Host.mu
	shared bool // Options.Shared has it; guarded by Host.mu
}

// loadNow makes the build of a module.
func (h *Host) loadNow(ctx context.Context, from module) (_ *build, err error) {
	m, err := h.sandboxed(from)
	if err != nil {
		return nil, err
	}
	if message, ok := described(from.hash, from.description); ok {
		m.Expect(message)
	}
	defer func() {
		if err != nil {
			_ = m.Close(ctx)
		}
	}()
	message, err := m.Manifest(ctx)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	manifest, err := sdk.DecodeManifest(message)
	if err == nil {
		err = CheckManifest(manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errManifest, err)
	}
	b := &build{module: m, log: h.log, used: time.Now()}
	b.adapter = adapter{name: manifest.Name, hash: m.Hash(), manifest: manifest, places: placesOf(manifest), names: scrub.NamesOf(manifest), stepper: b}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.builds[b.hash] = b
	return b, nil
}

// sandboxed hands a module to the sandbox.
func (h *Host) sandboxed(from module) (*sandbox.Module, error) {
	if from.own {
		return h.runtime.LoadOwn(from.hash, from.read, WarmUp())
	}
	wasm, err := from.read()
	if err != nil {
		return nil, err
	}
	return h.runtime.Load(wasm, WarmUp())
}

// WarmUp is the step that every guest takes once, on invented data, before its memory is snapshotted: what it sets up on first use is
// there from then on.
func WarmUp() []byte {
	in := &port.Drive{Connector: "warm_up", Operation: sdk.OpAuthorize, OperationID: "op_warm_up",
		Account: port.DriveAccount{ID: "mca_warm_up", Environment: "test"},
		Request: sdk.Request{PaymentID: "pay_warm_up", AttemptID: "pay_warm_up_1", Reference: "warmup1",
			Amount: sdk.Money{Minor: 1000, Currency: "USD"}, Capture: sdk.CaptureAutomatic,
			Instrument: &sdk.Instrument{Card: &sdk.Card{ExpMonth: 12, ExpYear: 2030, Holder: "Warm Up", BIN: "411111", LastFour: "1111", Length: 16, Network: sdk.Visa}},
			Customer:   &sdk.Customer{ID: "cus_warm_up", Name: "Warm Up", Email: "warm.up@example.com"},
			Billing:    &sdk.Address{FirstName: "Warm", LastName: "Up", Line1: "1 Main Street", City: "Town", Zip: "12345", Country: "US"},
			ReturnURL:  "https://example.com/return"},
		Secrets: card.Secrets{Number: secret.New("warm-up"), CVC: secret.New("warm-up")}}
	step, _ := newStep(in, &sdk.Manifest{}, "https://example.com")
	return sdk.EncodeStep(step)
}

// step implements stepper.
func (b *build) step(ctx context.Context, s *sdk.Step, seed [32]byte, clean func(string) string) (*sdk.Result, error) {
	call := sandbox.Call{Now: time.UnixMilli(s.Now), Seed: seed, Input: sdk.EncodeStep(s), Patient: s.Operation == sdk.OpWebhook} // anyone can send messages
	if clean != nil && b.log.Enabled(ctx, slog.LevelDebug) {
		call.Debug = &debugLog{log: b.log, adapter: b.name, operation: s.OperationID, clean: clean}
	}
	out, err := b.module.Step(ctx, call)
	if err != nil {
		return nil, err
	}
	r, err := sdk.DecodeResult(out)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	return r, nil
}

// debugLog logs what a guest writes to its standard output and error.
type debugLog struct {
	log                *slog.Logger
	adapter, operation string
	clean              func(string) string
}

func (d *debugLog) Write(p []byte) (int, error) {
	d.log.Debug("output of an adapter", "adapter", d.adapter, "operation_id", d.operation, "text", d.clean(string(p)))
	return len(p), nil
}

// acquire finds the build for a drive and keeps it loaded until release.
func (h *Host) acquire(ctx context.Context, d *port.Drive) (*build, error) {
	for {
		if b, err := h.acquireLoaded(d); b != nil || err != nil {
			return b, err
		}
		wasm, err := h.module(ctx, d.AdapterHash)
		if err != nil {
			return nil, fmt.Errorf("%w: %s of %q: %w", ErrNoBuild, d.AdapterHash, d.Connector, err)
		}
		b, err := h.load(ctx, moduleOf(wasm))
		if err != nil {
			return nil, fmt.Errorf("load an earlier build of %q: %w", d.Connector, err)
		}
		h.log.Info("an earlier build of an adapter is loaded for an operation that began with it", "adapter", b.name, "hash", b.hash)
	}
}

// loaded returns the build with a hash, nil if it is not in memory.
func (h *Host) loaded(hash string) *build {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.builds[hash]
}

// acquireLoaded returns nil, nil if the build must be loaded first.
func (h *Host) acquireLoaded(d *port.Drive) (*build, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errors.New("plugins: the host is closed")
	}
	var b *build
	if d.AdapterHash != "" {
		b = h.builds[d.AdapterHash]
	} else if b = h.current[h.adapterName(d.Connector)]; b == nil {
		return nil, fmt.Errorf("%w: %q", ErrNoAdapter, d.Connector)
	}
	if b != nil {
		b.users++
		b.driven = true
	}
	return b, nil
}

func (h *Host) release(b *build) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b.users--
	b.used = time.Now()
}

// keepLoaded returns how long an unused replaced build stays in memory. Without an archive, memory is its only copy.
func (h *Host) keepLoaded() time.Duration {
	if h.archive == nil {
		return h.opts.RetainBuilds
	}
	return idleBeforeUnload
}

// unload frees the memory of replaced builds that no drive has used for idle.
func (h *Host) unload(idle time.Duration) {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	needed := map[*build]bool{} // now, or once a file of the same name is removed
	for _, b := range h.builtIn {
		needed[b] = true
	}
	for _, f := range h.sources() {
		needed[f.build] = true
	}
	h.mu.Lock()
	var gone []*build
	for hash, b := range h.builds {
		if b.users == 0 && !needed[b] && time.Since(b.used) > idle {
			gone = append(gone, b)
			delete(h.builds, hash)
		}
	}
	h.mu.Unlock()
	for _, b := range gone {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_ = b.module.Close(ctx) // no drive uses it, so Close does not wait
		cancel()
		h.log.Info("a replaced build of an adapter is unloaded", "adapter", b.name, "hash", b.hash)
	}
}

// rest frees the compiled code of adapters that no drive has used for idle. The next payment loads it from the cache directory in
// about 0.1 s. Without a cache directory the code stays: compiling takes seconds.
func (h *Host) rest(idle time.Duration) {
	if h.opts.CacheDir == "" {
		return
	}
	h.mu.Lock()
	var idlers []*build
	for _, b := range h.builds {
		if b.users == 0 && time.Since(b.used) > idle {
			idlers = append(idlers, b)
		}
	}
	h.mu.Unlock()
	for _, b := range idlers {
		if b.module.Rest() {
			h.log.Info("an idle adapter gives up its memory", "adapter", b.name, "hash", b.hash)
		}
	}
}

func hashOf(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return hex.EncodeToString(sum[:])
}
