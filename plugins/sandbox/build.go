package sandbox

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/tetratelabs/wazero"
)

// code is a compiled module and the state from which its instances start.
type code struct {
	*rewritten
	runtime     *Runtime
	wazero      wazero.Runtime // that compiled it, or interprets it
	sum         [32]byte
	compiled    wazero.CompiledModule
	memoryBytes uint64 // the largest memory of a guest
	manifest    []byte
	image       *image
}

// seed returns the seed of a guest's random bytes before its first call. It is the same on every machine and in every process.
func (c *code) seed() [32]byte {
	return sha256.Sum256(append([]byte("payswitch/sandbox/seed/1\x00"), c.sum[:]...))
}

// build compiles a module and runs it up to the state from which its calls start. It also returns an instance in that state.
func (r *Runtime) build(m *Module) (*code, *instance, error) { return r.buildIn(r.wazero, m) }

// buildIn is build for one of the runtimes of wazero.
func (r *Runtime) buildIn(engine wazero.Runtime, m *Module) (*code, *instance, error) {
	began := time.Now()
	wasm, err := m.bytes()
	if err != nil {
		return nil, nil, err
	}
	p, err := parse(wasm)
	if err != nil {
		return nil, nil, err
	}
	if err := p.check(r.limits); err != nil {
		return nil, nil, err
	}
	if engine == r.interpreter && m.apart { // else Load or a compiler has validated it
		if err := r.validate(p.withoutCustom()); err != nil {
			return nil, nil, err
		}
	}
	p.goMade = m.own && p.producedByGo()
	maxPages := min(p.memMax, r.limits.MemoryPages)
	rewritten, err := r.rewrite(p, maxPages)
	if err != nil {
		return nil, nil, err
	}
	c := &code{rewritten: rewritten, runtime: r, wazero: engine, sum: m.sum, memoryBytes: uint64(maxPages) * pageSize}
	var in *instance
	if m.apart && !c.interpreted() {
		in, err = c.takeOver(m, wasm, p.memMin)
	} else if c.compiled, err = r.compile(engine, rewritten.wasm); err == nil {
		in, err = c.prepare(m.warm)
	}
	rewritten.wasm, rewritten.source, rewritten.data = nil, nil, nil // forks start from the image
	if err != nil {
		if c.compiled != nil {
			_ = c.compiled.Close(context.Background())
		}
		return nil, nil, err
	}
	r.log.Info("sandbox: module ready", "module", m.hash, "took", time.Since(began), "memory", c.image.size(), "interpreted", c.interpreted())
	return c, in, nil
}

// rewrite instruments a module, in the optimised form unless Options.Unoptimised is set. A module whose optimised form cannot be
// instrumented runs as it was received.
func (r *Runtime) rewrite(m *parsed, maxPages uint32) (*rewritten, error) {
	if r.unoptimised {
		return m.rewrite(maxPages)
	}
	res, err := m.rewriteOptimised(maxPages)
	if err == nil {
		return res, nil
	}
	r.log.Warn("sandbox: the module runs without optimisations", "error", err)
	return m.rewrite(maxPages)
}

// compile lets wazero compile a module, one module at a time in a runtime. If that takes longer than Limits.CompileTime, callers get an
// error and may try again. The caps on modules make sure that the compiler ends; until then no other compilation begins. When the runtime
// closes, callers get ErrClosed at once; wazero cannot be interrupted, and Close waits for it. wazero gets one worker: this function recovers
// from a panic of the compiler, but a panic in another worker of wazero would end the process.
func (r *Runtime) compile(engine wazero.Runtime, wasm []byte) (wazero.CompiledModule, error) {
	type result struct {
		compiled wazero.CompiledModule
		err      error
	}
	turn := r.compiling
	if engine == r.interpreter {
		turn = r.interpreting
	}
	select {
	case turn <- struct{}{}:
	case <-r.ending:
		return nil, ErrClosed
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-turn }()
		var res result
		defer func() {
			if p := recover(); p != nil {
				res.err = &RefusedError{Function: -1, Offset: -1, Reason: "the compiler failed", Err: fmt.Errorf("%v\n%s", p, debug.Stack())}
			}
			done <- res
		}()
		res.compiled, res.err = engine.CompileModule(context.Background(), wasm)
		if res.err != nil {
			res.err = &RefusedError{Function: -1, Offset: -1, Reason: "does not compile", Err: res.err}
		}
	}()
	timeout := time.NewTimer(r.limits.CompileTime)
	defer timeout.Stop()
	var err error
	select {
	case res := <-done:
		return res.compiled, res.err
	case <-r.ending:
		err = ErrClosed
	case <-timeout.C:
		err = fmt.Errorf("sandbox: the module takes longer than %v to compile: try again later", r.limits.CompileTime)
	}
	go func() {
		if res := <-done; res.compiled != nil {
			_ = res.compiled.Close(context.Background())
		}
	}()
	return nil, err
}

// prepare runs a first instance (initialisation, manifest, warm-up) and takes the image.
func (c *code) prepare(warm []byte) (*instance, error) {
	in, err := c.first()
	if err != nil {
		return nil, err
	}
	if warm != nil {
		if err := in.warmUp(warm); err != nil {
			// The guest may still serve other messages.
			c.runtime.log.Warn("sandbox: warm-up failed; every step pays for first-use work", "error", err)
			in.close()
			if in, err = c.first(); err != nil {
				return nil, err
			}
			warm = nil
		}
	}
	c.image = in.snapshot()
	if warm == nil {
		return in, nil
	}
	return c.widen(in, warm)
}

// first makes the first instance and reads its manifest.
func (c *code) first() (*instance, error) {
	in, err := c.newInstance()
	if err != nil {
		return nil, err
	}
	if err = in.initialise(); err == nil {
		err = in.readManifest()
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

func (in *instance) readManifest() error {
	in.begin(in.code.runtime.limits.InitFuel, initialTime, in.code.seed())
	err := in.call(in.mod.ExportedFunction(exportManifest), 0)
	if err == nil {
		in.code.manifest, err = in.answer(exportManifest)
	}
	if err != nil {
		return fmt.Errorf("sandbox: manifest: %w", err)
	}
	return nil
}

func (in *instance) warmUp(message []byte) error {
	in.begin(in.code.runtime.limits.InitFuel, initialTime, in.code.seed())
	_, err := in.run(message)
	return err
}

// widen gives the image more memory until the warm-up step need not grow it: an instance whose memory grew must be replaced, which costs
// many times as much as a reset. Some guests, such as Go's allocator, do not use memory that they did not ask for; they keep their
// image. widen returns an instance in the state of the image.
func (c *code) widen(in *instance, warm []byte) (*instance, error) {
	original := c.image
	im := original
	for room := uint32(4); ; room *= 2 {
		err := in.warmUp(warm)
		if err == nil {
			if _, ok := in.reset(im); ok {
				c.image = im
				return in, nil
			}
		}
		in.close()
		if err != nil || room > 256 || original.size()+uint64(room)*pageSize > c.memoryBytes {
			break
		}
		im = original.widened(room)
		if in, err = c.fork(im); err != nil {
			return nil, err
		}
	}
	c.runtime.log.Info("sandbox: every step grows the guest's memory", "memory", original.size())
	return c.fork(original)
}
