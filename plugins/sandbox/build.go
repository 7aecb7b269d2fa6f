package sandbox

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/tetratelabs/wazero"
)

// code is a compiled module and the state its instances start from.
type code struct {
	*rewritten
	runtime     *Runtime
	sum         [32]byte
	compiled    wazero.CompiledModule
	memoryBytes uint64 // the most a guest may have
	manifest    []byte
	image       *image
}

// seed is what a guest's random numbers come from before its first call: the same on every machine and in every process.
func (c *code) seed() [32]byte {
	return sha256.Sum256(append([]byte("payswitch/sandbox/seed/1\x00"), c.sum[:]...))
}

// build compiles a module and runs it up to the state its calls start from. It also returns an instance in that state.
func (r *Runtime) build(m *Module) (*code, *instance, error) {
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
	maxPages := min(p.memMax, r.limits.MemoryPages)
	rewritten, err := r.rewrite(p, maxPages)
	if err != nil {
		return nil, nil, err
	}
	c := &code{rewritten: rewritten, runtime: r, sum: m.sum, memoryBytes: uint64(maxPages) * pageSize}
	var in *instance
	if m.apart {
		in, err = c.takeOver(m, wasm, p.memMin)
	} else if c.compiled, err = r.compile(rewritten.wasm); err == nil {
		in, err = c.prepare(m.warm)
	}
	rewritten.wasm = nil
	if err != nil {
		if c.compiled != nil {
			_ = c.compiled.Close(context.Background())
		}
		return nil, nil, err
	}
	r.log.Info("sandbox: module ready", "module", m.hash, "took", time.Since(began), "memory", c.image.size())
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

// compile has wazero compile a module, one at a time over the runtime. When that takes longer than allowed its callers are
// told so and may try again later; the caps on what is accepted see to it that the compiler comes to an end, and until
// then no other compilation begins. One worker only: a panic in the compiler is caught here, but would end the process in
// a worker of wazero's own.
func (r *Runtime) compile(wasm []byte) (wazero.CompiledModule, error) {
	type result struct {
		compiled wazero.CompiledModule
		err      error
	}
	r.compiling <- struct{}{}
	done := make(chan result, 1)
	go func() {
		defer func() { <-r.compiling }()
		var res result
		defer func() {
			if p := recover(); p != nil {
				res.err = &RefusedError{Function: -1, Offset: -1, Reason: "the compiler failed", Err: fmt.Errorf("%v\n%s", p, debug.Stack())}
			}
			done <- res
		}()
		res.compiled, res.err = r.wazero.CompileModule(context.Background(), wasm)
		if res.err != nil {
			res.err = &RefusedError{Function: -1, Offset: -1, Reason: "does not compile", Err: res.err}
		}
	}()
	timeout := time.NewTimer(r.limits.CompileTime)
	defer timeout.Stop()
	select {
	case res := <-done:
		return res.compiled, res.err
	case <-timeout.C:
		go func() {
			if res := <-done; res.compiled != nil {
				_ = res.compiled.Close(context.Background())
			}
		}()
		return nil, fmt.Errorf("sandbox: module takes longer than %v to compile", r.limits.CompileTime)
	}
}

// prepare runs a first instance: initialisation, manifest, warm-up. Then it takes the image.
func (c *code) prepare(warm []byte) (*instance, error) {
	in, err := c.first()
	if err != nil {
		return nil, err
	}
	if warm != nil {
		if err := in.warmUp(warm); err != nil {
			// Not fatal: a guest that cannot digest this message may well serve others.
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

// first makes the first instance and asks it for the manifest.
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

// widen gives the image more memory while a call from it still has to grow: an instance whose memory grew cannot be
// reset and is replaced, which costs many times as much. Guests that take no notice of memory they did not ask for, as
// Go's allocator does not, are left as they are. It returns an instance in the state of the image.
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
