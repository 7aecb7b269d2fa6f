package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Module is a loaded adapter. It is safe for concurrent use.
type Module struct {
	runtime *Runtime
	wasm    []byte // as received; nil once forgotten
	source  func() ([]byte, error)
	warm    []byte
	apart   bool // compiled and initialised by a compiler
	sum     [32]byte
	hash    string
	pool    *pool
	stats   counters

	code atomic.Pointer[code] // set once the module is compiled

	mu       sync.Mutex
	building *build // the last attempt to compile
	manifest []byte // nil until known
	expected []byte // what the manifest has to be; nil where nobody has said
	closing  bool
	drained  chan struct{} // closed when everything is freed; nil before closing
}

// build is one attempt to compile a module. Everyone who needs the code waits for it.
type build struct {
	done chan struct{}
	code *code
	err  error
}

// Hash returns the SHA-256 of the module as received, in lower-case hexadecimal.
func (m *Module) Hash() string { return m.hash }

// Manifest returns what the guest's payswitch_manifest answers. It is run once, on finite fuel, and remembered, with a
// cache directory over restarts too, so that starting up compiles nothing.
func (m *Module) Manifest(ctx context.Context) ([]byte, error) {
	m.mu.Lock()
	known, closing := m.manifest, m.closing
	m.mu.Unlock()
	if closing {
		return nil, ErrClosed
	}
	if known == nil {
		if stored, ok := m.runtime.disk.manifest(m.hash); ok {
			known = stored
			m.remember(stored)
		}
	}
	if known == nil {
		c, err := m.ready(ctx)
		if err != nil {
			return nil, err
		}
		known = c.manifest
	}
	return append(make([]byte, 0, len(known)), known...), nil
}

// Expect says beforehand what the guest's manifest is, so that it is known without compiling the module. Whatever is compiled later has to
// say the very same, or the module is refused. Call it before anything else.
func (m *Module) Expect(manifest []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expected = bytes.Clone(manifest)
	m.manifest = m.expected
}

// Forget gives the module's bytes up until they are needed to compile it: source brings them again, the same ones. Call it before the
// first step. A switch with many adapters need not hold those that nobody uses in memory.
func (m *Module) Forget(source func() ([]byte, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wasm, m.source = nil, source
}

// bytes are the module as received.
func (m *Module) bytes() ([]byte, error) {
	m.mu.Lock()
	wasm, source := m.wasm, m.source
	m.mu.Unlock()
	if wasm != nil || source == nil {
		return wasm, nil
	}
	wasm, err := source()
	if err == nil && sha256.Sum256(wasm) != m.sum {
		err = &RefusedError{Reason: "its bytes are not those it was loaded from"}
	}
	return wasm, err
}

func (m *Module) remember(manifest []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.manifest = manifest
}

// Call is one step.
type Call struct {
	Now   time.Time // what the guest's clock says
	Seed  [32]byte  // of the guest's random bytes
	Input []byte
	Debug io.Writer // gets what the guest wrote to standard output and error, after the step; nil discards
}

// Step passes a message to the guest and returns its answer, which is the caller's to keep. The same call gives the same
// answer, to the bit: nothing of one step is there in the next.
//
// ctx bounds the wait for an instance and, in the first call, for the compilation. The guest itself is bounded by fuel.
// A guest that was stopped is reported as a *TrapError and its instance is thrown away.
func (m *Module) Step(ctx context.Context, c Call) ([]byte, error) {
	if len(c.Input) > m.runtime.limits.MessageBytes {
		return nil, ErrInputTooLarge
	}
	answer, debug, err := m.lent(ctx, c)
	if len(debug) > 0 {
		_, _ = c.Debug.Write(debug)
	}
	return answer, err
}

// lent runs a step in an instance of the pool, and returns what the guest wrote to the debug log beside its answer.
func (m *Module) lent(ctx context.Context, c Call) (answer, debug []byte, err error) {
	var code *code
	for { // again when the module was put to rest in between
		if code, err = m.ready(ctx); err != nil {
			return nil, nil, err
		}
		if err := m.pool.acquire(ctx); err != nil {
			return nil, nil, err
		}
		if m.code.Load() == code {
			break
		}
		m.pool.release()
	}
	defer m.pool.release()
	in := m.pool.take()
	if in == nil {
		if in, err = code.fork(code.image); err != nil {
			return nil, nil, err
		}
		m.stats.live.Add(1)
	}
	answer, err = m.step(in, c)
	m.stats.steps.Add(1)
	debug = bytes.Clone(in.debugLog)
	if err != nil {
		var t *TrapError
		if errors.As(err, &t) {
			m.stats.trapped(t.Kind)
		}
		m.discard(in)
		return nil, debug, err
	}
	restored, ok := in.reset(code.image)
	if !ok {
		m.stats.grown.Add(1)
		m.discard(in)
		return answer, debug, nil
	}
	m.stats.resets.Add(1)
	m.stats.restored.Add(int64(restored))
	m.pool.put(in)
	return answer, debug, nil
}

func (m *Module) step(in *instance, c Call) ([]byte, error) {
	in.wantDebug = c.Debug != nil
	in.begin(m.runtime.limits.StepFuel, c.Now, c.Seed)
	return in.run(c.Input)
}

func (m *Module) discard(in *instance) {
	m.stats.live.Add(-1)
	in.close()
}

// ready returns the compiled code, compiling it if nobody has. An attempt that failed for want of resources is repeated
// by the next caller; a module that was refused, or that trapped before its first step, stays so.
func (m *Module) ready(ctx context.Context) (*code, error) {
	if c := m.code.Load(); c != nil {
		return c, nil
	}
	m.mu.Lock()
	if m.closing {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	if m.building == nil || m.building.failedForNow() {
		m.building = &build{done: make(chan struct{})}
		go m.compile(m.building)
	}
	b := m.building
	m.mu.Unlock()
	select {
	case <-b.done:
		return b.code, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// failedForNow reports whether the attempt is over and another one might succeed.
func (b *build) failedForNow() bool {
	select {
	case <-b.done:
	default:
		return false
	}
	var refusal *RefusedError
	var t *TrapError
	return b.err != nil && !errors.As(b.err, &refusal) && !errors.As(b.err, &t)
}

func (m *Module) compile(b *build) {
	defer close(b.done)
	code, first, err := m.runtime.build(m)
	if err == nil && m.expected != nil && !bytes.Equal(code.manifest, m.expected) {
		first.close()
		err = &RefusedError{Reason: "its manifest is not the one that came with it"}
	}
	if err != nil {
		b.err = err
		m.runtime.log.Error("sandbox: module cannot be used", "module", m.hash, "error", err)
		return
	}
	m.remember(code.manifest)
	m.runtime.disk.storeManifest(m.hash, code.manifest, m.runtime.log)
	m.stats.live.Add(1)
	m.pool.put(first)
	b.code = code
	m.code.Store(code)
}

// Rest gives up the compiled code and all instances of a module that no step runs in, some 20 MB, until the next step, which takes the
// code from the cache directory, or compiles anew without one. It says whether there was something to give up and nobody used it.
func (m *Module) Rest() bool {
	if !m.pool.occupy() {
		return false
	}
	defer m.pool.leave()
	m.mu.Lock()
	c := m.code.Load()
	if c == nil || m.closing {
		m.mu.Unlock()
		return false
	}
	m.code.Store(nil)
	m.building = nil
	m.mu.Unlock()
	for in := m.pool.take(); in != nil; in = m.pool.take() {
		m.discard(in)
	}
	_ = c.compiled.Close(context.Background())
	return true
}

// Close refuses further calls, waits for running ones and frees everything. When ctx ends first, it returns its error
// and the rest is done as soon as the last call is over.
func (m *Module) Close(ctx context.Context) error {
	select {
	case <-m.startClose():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Module) startClose() (drained <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return m.drained
	}
	m.closing = true
	m.drained = make(chan struct{})
	m.pool.shut()
	go m.free(m.building)
	return m.drained
}

func (m *Module) free(b *build) {
	defer close(m.drained)
	if b != nil {
		<-b.done
	}
	m.pool.drain()
	m.stats.live.Store(0)
	if c := m.code.Load(); c != nil {
		_ = c.compiled.Close(context.Background())
	}
	m.runtime.mu.Lock()
	delete(m.runtime.modules, m)
	m.runtime.mu.Unlock()
}
