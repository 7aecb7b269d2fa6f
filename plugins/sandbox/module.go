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
	wasm    []byte                 // as received; nil where source brings them
	source  func() ([]byte, error) // nil where wasm is kept
	warm    []byte
	own     bool // part of this program: what the module says of its compiler is true
	apart   bool // a compiler compiles and initialises it
	sum     [32]byte
	hash    string
	pool    *pool
	stats   counters

	code atomic.Pointer[code] // set once the module is compiled

	mu         sync.Mutex
	building   *build        // the last attempt to compile
	uncompiled error         // why compiled code does not replace interpreted code, except for a refusal
	improved   chan struct{} // closed when compiled code has replaced interpreted code, or cannot; nil without Options.Soon
	manifest   []byte        // nil until known
	expected   []byte        // the manifest by Expect, or nil
	closing    bool
	drained    chan struct{} // closed when everything is freed; nil before closing
}

// build is one attempt to compile a module. All callers that need the code wait for it.
type build struct {
	done chan struct{}
	code *code
	err  error
}

// Hash returns the SHA-256 of the module as received, in lower-case hexadecimal.
func (m *Module) Hash() string { return m.hash }

// key returns the name of the module in the keys of the cache directory. The code of a module of this program differs from that of the
// same bytes loaded by Load.
func (m *Module) key() string {
	if m.own {
		return m.hash + "\x00own"
	}
	return m.hash
}

// Manifest returns the answer of the guest's payswitch_manifest. The guest runs once for it, on finite fuel. A cache directory keeps the
// answer over restarts, so that a start compiles nothing.
func (m *Module) Manifest(ctx context.Context) ([]byte, error) {
	m.mu.Lock()
	known, closing := m.manifest, m.closing
	m.mu.Unlock()
	if closing {
		return nil, ErrClosed
	}
	if known == nil {
		if stored, ok := m.runtime.disk.manifest(m.key()); ok {
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

// Expect sets the guest's manifest, so that Manifest need not compile the module. A guest that answers another manifest once it is
// compiled is refused. Call Expect before any other method.
func (m *Module) Expect(manifest []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expected = bytes.Clone(manifest)
	m.manifest = m.expected
}

// bytes returns the module as received, from its source where the module does not keep its bytes.
func (m *Module) bytes() ([]byte, error) {
	if m.source == nil {
		return m.wasm, nil
	}
	wasm, err := m.source()
	if err == nil && len(wasm) > m.runtime.limits.ModuleBytes {
		err = refused(-1, "%d bytes, at most %d are allowed", len(wasm), m.runtime.limits.ModuleBytes)
	}
	if err == nil && sha256.Sum256(wasm) != m.sum {
		err = &RefusedError{Reason: "the bytes do not have the hash that the module is known by"}
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
	Now   time.Time // the time that the guest's clock shows
	Seed  [32]byte  // of the guest's random bytes
	Input []byte
	Debug io.Writer // receives, after the step, the guest's standard output and error; nil discards them
	// Patient calls take at most half of the instances, so that many of them do not keep other calls waiting.
	Patient bool
}

// Step passes a message to the guest and returns its answer, which the caller may keep. The same call gives the same answer, to the bit:
// no step sees anything of an earlier one.
//
// ctx bounds the wait for an instance and, in the first call, for the compilation. Fuel bounds the guest itself. A guest that was
// stopped is reported as a *TrapError. Other errors: ErrClosed, ErrInputTooLarge, *RefusedError, *CompileError and ctx.Err().
func (m *Module) Step(ctx context.Context, c Call) ([]byte, error) {
	if len(c.Input) > m.runtime.limits.MessageBytes {
		return nil, ErrInputTooLarge
	}
	answer, debug, err := m.lent(ctx, c)
	if errors.Is(err, errTooDeep) {
		if err := m.Compiled(ctx); err != nil {
			return nil, err
		}
		answer, debug, err = m.lent(ctx, c)
	}
	if len(debug) > 0 {
		_, _ = c.Debug.Write(debug)
	}
	return answer, err
}

// lent runs a step in an instance of the pool. It returns the guest's answer and debug log.
func (m *Module) lent(ctx context.Context, c Call) (answer, debug []byte, err error) {
	if c.Patient {
		leave, err := m.pool.stand(ctx)
		if err != nil {
			return nil, nil, err
		}
		defer leave()
	}
	var code *code
	for { // again if Rest gave up the code in between
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
		switch {
		case !errors.As(err, &t):
		case t.Kind == TrapStack && code.interpreted():
			debug, err = nil, errTooDeep
		default:
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

// Prepare loads the module's code from the cache directory, or compiles it, unless it is in memory. The first step then waits for neither. ctx bounds
// the wait alone: a compilation goes on. Its errors are those of Step.
func (m *Module) Prepare(ctx context.Context) error {
	_, err := m.ready(ctx)
	return err
}

// ready returns the compiled code, and compiles it first if necessary. If an attempt failed for want of resources, the next caller
// tries again. A module that was refused, or that trapped before its first step, is not tried again.
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

// failedForNow reports whether the attempt failed and another one might succeed.
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
	if m.apart && m.runtime.interpreter != nil && m.interpret(b) {
		return
	}
	code, first, err := m.built()
	if err != nil {
		b.err = err
		return
	}
	m.install(b, code, first)
}

// built compiles the module. It logs why that fails, unless the runtime closes.
func (m *Module) built() (*code, *instance, error) {
	code, first, err := m.runtime.build(m)
	if err == nil && m.expected != nil && !bytes.Equal(code.manifest, m.expected) {
		first.close()
		err = &RefusedError{Reason: "the module's manifest is not the one that came with it"}
	}
	if err != nil && !errors.Is(err, ErrClosed) {
		m.runtime.log.Error("sandbox: module cannot be used", "module", m.hash, "error", err)
	}
	if err != nil {
		return nil, nil, err
	}
	m.runtime.disk.storeManifest(m.key(), code.manifest, m.runtime.log)
	return code, first, nil
}

// install makes code the result of the attempt b, and of the module.
func (m *Module) install(b *build, code *code, first *instance) {
	m.remember(code.manifest)
	m.stats.live.Add(1)
	m.pool.put(first)
	b.code = code
	m.code.Store(code)
}

// Rest gives up the compiled code and all instances of a module, some 20 MB. It does nothing and returns false while a step runs, or
// if there is no code. The next step loads the code from the cache directory, or compiles it again where there is no such directory.
func (m *Module) Rest() bool {
	if !m.pool.occupy() {
		return false
	}
	defer m.pool.leave()
	m.mu.Lock()
	c := m.code.Load()
	if c == nil || m.closing || m.improving() {
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

// Close refuses further calls, waits for running ones and frees the module. If ctx ends first, Close returns its error, and the module
// is freed after the last call.
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
	m.mu.Lock()
	improved := m.improved
	m.mu.Unlock()
	if improved != nil {
		<-improved
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
