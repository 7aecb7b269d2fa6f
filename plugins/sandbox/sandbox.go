package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Limits bound what a module may be and do. Zero fields take the defaults.
type Limits struct {
	MemoryPages   uint32        // pages of 64 KiB an instance may have; default 1024 (64 MiB)
	StepFuel      int64         // fuel of one step; default 100 million; doc.go, "Time", says how long that is
	InitFuel      int64         // fuel of initialisation, of the manifest, and of the warm-up, each; default 400 million
	ModuleBytes   int           // size of a module; default 16 MiB
	FunctionBytes int           // size of one function body, which bounds the time it takes to compile; default 256 KiB
	MessageBytes  int           // size of a message, in and out; default 1 MiB
	CompileTime   time.Duration // for one module; beyond it callers get an error and may try again; default 30 s
	CompileMemory int64         // bytes that a compiler process may take; default 1 GiB
	Instances     int           // per module; callers beyond it wait; default 2*GOMAXPROCS
}

func (l Limits) withDefaults() Limits {
	set(&l.MemoryPages, 1024)
	set(&l.StepFuel, 100e6)
	set(&l.InitFuel, 400e6)
	set(&l.ModuleBytes, 16<<20)
	set(&l.FunctionBytes, 256<<10)
	set(&l.MessageBytes, 1<<20)
	set(&l.CompileTime, 30*time.Second)
	set(&l.CompileMemory, 1<<30)
	set(&l.Instances, 2*runtime.GOMAXPROCS(0))
	return l
}

func set[T uint32 | int | int64 | time.Duration](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// maxMemoryPages leaves room for the ledger within 4 GiB.
const maxMemoryPages = 64_000

func (l Limits) validate() error {
	switch {
	case l.MemoryPages > maxMemoryPages:
		return fmt.Errorf("sandbox: Limits.MemoryPages %d is above %d", l.MemoryPages, maxMemoryPages)
	case l.StepFuel < 0, l.InitFuel < 0, l.ModuleBytes < 0, l.FunctionBytes < 0, l.MessageBytes < 0, l.CompileTime < 0, l.CompileMemory < 0, l.Instances < 0:
		return fmt.Errorf("sandbox: negative limit in %+v", l)
	case l.MessageBytes > 1<<30:
		return fmt.Errorf("sandbox: Limits.MessageBytes %d is above 1 GiB", l.MessageBytes)
	}
	return nil
}

// Options configure a Runtime. The zero value is usable.
type Options struct {
	Limits   Limits
	CacheDir string       // keeps compiled code over restarts; "" keeps none. It holds native code: see New
	Logger   *slog.Logger // nil discards

	// Compiler is the command, as Self returns it, of a process that compiles a module. It runs it up to the state from which its calls
	// start. A hostile module then uses the memory and time of that process. nil does both in this process. Modules of LoadOwn are
	// always compiled in this process.
	Compiler []string

	// Unoptimised runs modules without the rewrites of package optimise. Modules then compute the same, but slower. The two forms
	// share no files in the cache directory.
	Unoptimised bool

	// Soon interprets a module of Load while Compiler compiles it: its first step is ready in an eighth of the time. The interpreter runs the same
	// instrumented module under the same limits, some ten times slower. soon.go says what this means for callers.
	Soon bool

	// Interpreted interprets all modules, and compiles none.
	Interpreted bool
}

// Runtime loads modules. It is safe for concurrent use.
type Runtime struct {
	limits       Limits
	unoptimised  bool
	wazero       wazero.Runtime
	interpreter  wazero.Runtime          // nil without Options.Soon
	cache        wazero.CompilationCache // nil without a cache directory
	disk         *diskCache              // nil without one
	log          *slog.Logger
	moduleConfig wazero.ModuleConfig
	compiling    chan struct{} // holds a token while a module is compiled: one at a time
	interpreting chan struct{} // the same for the interpreter's form of modules
	compiler     []string      // may be nil
	apart        chan struct{} // holds a token while the compiler runs
	ending       chan struct{} // closed with the runtime, which ends the compiler
	scratch      *scratchDir   // the cache directory of a runtime that has a compiler and no CacheDir

	mu      sync.Mutex
	closed  bool
	modules map[*Module]struct{}
}

// features are the parts of WebAssembly that a guest may use: version 2 without vector instructions.
const features = api.CoreFeaturesV2 &^ api.CoreFeatureSIMD

// New makes a runtime. It compiles nothing.
//
// New creates CacheDir if it is missing, for this user alone. It refuses a directory that belongs to another user or that others may
// write to. A user who can write there could run native code in this process.
func New(ctx context.Context, o Options) (_ *Runtime, err error) {
	limits := o.Limits.withDefaults()
	if err := limits.validate(); err != nil {
		return nil, err
	}
	r := &Runtime{
		limits:       limits,
		unoptimised:  o.Unoptimised,
		log:          o.Logger,
		compiling:    make(chan struct{}, 1),
		interpreting: make(chan struct{}, 1),
		compiler:     o.Compiler,
		apart:        make(chan struct{}, 1),
		ending:       make(chan struct{}),
		modules:      map[*Module]struct{}{},
		// The guest gets nothing of the host. Instances have no name, so that any number fit into one runtime.
		moduleConfig: wazero.NewModuleConfig().WithName("").WithStartFunctions(),
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	// Fuel ends calls. wazero's WithCloseOnContextDone would make them several times slower, and not stop deep recursion.
	engine := wazero.NewRuntimeConfigCompiler()
	if o.Interpreted {
		engine = wazero.NewRuntimeConfigInterpreter()
	}
	config := r.configure(engine)
	dir := o.CacheDir
	if dir == "" && r.compiler != nil {
		if r.scratch, err = newScratch(); err != nil {
			return nil, fmt.Errorf("sandbox: a directory for compiled code: %w", err)
		}
		dir = r.scratch.path
		defer func() {
			if err != nil {
				_ = r.scratch.remove()
			}
		}()
	}
	if dir != "" {
		disk, err := openDiskCache(dir, limits, o.Unoptimised)
		if err != nil {
			return nil, err
		}
		cache, err := wazero.NewCompilationCacheWithDir(disk.dir)
		if err != nil {
			return nil, fmt.Errorf("sandbox: cache directory: %w", err)
		}
		r.disk, r.cache = disk, cache
		config = config.WithCompilationCache(cache)
	}
	r.wazero = wazero.NewRuntimeWithConfig(ctx, config)
	if err := instantiateWASI(ctx, r.wazero); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	if o.Soon && r.compiler != nil {
		r.interpreter = wazero.NewRuntimeWithConfig(ctx, r.configure(wazero.NewRuntimeConfigInterpreter()))
		if err := instantiateWASI(ctx, r.interpreter); err != nil {
			return nil, errors.Join(err, r.Close(ctx))
		}
	}
	return r, nil
}

// configure sets what the compiler and the interpreter have in common.
func (r *Runtime) configure(c wazero.RuntimeConfig) wazero.RuntimeConfig {
	return c.WithCoreFeatures(features).WithMemoryLimitPages(r.limits.MemoryPages + ledgerPages(r.limits.MemoryPages)).WithDebugInfoEnabled(false)
}

// Close closes all modules, waiting for their running steps as Module.Close does, and frees the runtime. It also waits for a compilation in
// this process. If ctx ends while steps run, Close returns its error. If only a compilation goes on then, Close returns nil and leaves the
// runtime's memory to the end of the process: no caller waits for that compilation.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	if !r.closed {
		close(r.ending)
	}
	r.closed = true
	modules := make([]*Module, 0, len(r.modules))
	for m := range r.modules {
		modules = append(modules, m)
	}
	r.mu.Unlock()
	for _, m := range modules {
		m.startClose()
	}
	for _, m := range modules {
		if err := m.Close(ctx); err != nil {
			return err // its steps still run and need the runtime
		}
	}
	for _, turn := range []chan struct{}{r.compiling, r.interpreting} {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return nil
		}
	}
	err := r.wazero.Close(ctx)
	if r.interpreter != nil {
		err = errors.Join(err, r.interpreter.Close(ctx))
	}
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(ctx))
	}
	err = errors.Join(err, r.scratch.remove())
	return err
}

// Load validates a module exactly as received, checks that the sandbox can run it, and returns it. The first Step or Manifest compiles
// it. Load keeps wasm and warm, which must not change any more. It refuses a module that cannot run with a *RefusedError. With
// Options.Compiler, the first Step or Manifest validates the module.
//
// warm is the message of a step that runs once, before the sandbox keeps the state from which every call starts. Calls then find ready
// what the guest sets up on first use, and need not grow the memory. nil runs no such step. warm must hold no secret.
func (r *Runtime) Load(wasm []byte, warm []byte) (*Module, error) {
	return r.load(&Module{wasm: wasm, warm: warm, apart: r.compiler != nil, sum: sha256.Sum256(wasm)})
}

// LoadOwn is Load for a module that is part of this program. This process compiles and initialises the module. If the module says that
// the Go compiler made it, LoadOwn believes it, and prunes the module's jump tables (optimise/README.md, "Pruned entries"). hash is the SHA-256 of
// the module's bytes in lower-case hexadecimal. LoadOwn keeps source instead of the bytes, and calls source when it needs them: at once,
// unless the cache directory holds the verdict on the module, and again for each compilation. source may be called from several
// goroutines. When source brings bytes that have another hash, the module is refused.
func (r *Runtime) LoadOwn(hash string, source func() ([]byte, error), warm []byte) (*Module, error) {
	m := &Module{own: true, source: source, warm: warm}
	if n, err := hex.Decode(m.sum[:], []byte(hash)); err != nil || n != len(m.sum) {
		return nil, fmt.Errorf("sandbox: %q is not a SHA-256 in hexadecimal", hash)
	}
	return r.load(m)
}

// load completes m, which has its bytes or their source, and its hash.
func (r *Runtime) load(m *Module) (*Module, error) {
	if len(m.wasm) > r.limits.ModuleBytes {
		return nil, refused(-1, "%d bytes, at most %d are allowed", len(m.wasm), r.limits.ModuleBytes)
	}
	if len(m.warm) > r.limits.MessageBytes {
		return nil, ErrInputTooLarge
	}
	m.runtime, m.hash, m.pool = r, hex.EncodeToString(m.sum[:]), newPool(r.limits.Instances)
	if !r.disk.accepted(m.key()) && !r.isClosed() {
		wasm, err := m.bytes()
		if err == nil {
			err = r.examine(wasm, m.apart)
		}
		if err != nil {
			if r.isClosed() { // wazero fails for any module then
				err = ErrClosed
			}
			return nil, err
		}
		if !m.apart { // else the compiler says so
			r.disk.accept(m.key(), r.log)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	r.modules[m] = struct{}{}
	return m, nil
}

// Known reports whether the cache directory has the verdict and the manifest of a module that Load loaded. Then Load and Manifest
// take no time. hash is the one of Module.Hash.
func (r *Runtime) Known(hash string) bool {
	_, known := r.disk.manifest(hash)
	return known && r.disk.accepted(hash)
}

func (r *Runtime) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// examine refuses a module that the sandbox cannot run. It examines the module as received, because instrumentation can make an
// invalid module valid, for example one that names the injected globals. Where apart is set, the compiler validates the module.
func (r *Runtime) examine(wasm []byte, apart bool) error {
	p, err := parse(wasm)
	if err != nil {
		return err
	}
	if err := p.check(r.limits); err != nil {
		return err
	}
	if err := p.scanBodies(func(int, *functionScan) {}); err != nil || apart {
		return err
	}
	return r.validate(p.withoutCustom())
}
