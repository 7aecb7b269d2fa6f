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
	StepFuel      int64         // fuel of one step; default 100 million; see ration for what that means in time
	InitFuel      int64         // fuel of initialisation, of the manifest, and of the warm-up, each; default 400 million
	ModuleBytes   int           // size of a module; default 16 MiB
	FunctionBytes int           // size of one function body, which bounds the time it takes to compile; default 256 KiB
	MessageBytes  int           // size of a message, in and out; default 1 MiB
	CompileTime   time.Duration // of one module, after which its callers get an error and may try again; default 30 s
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

// Options are what New can be told. The zero value is usable.
type Options struct {
	Limits   Limits
	CacheDir string       // of compiled code, kept over restarts; empty for none. It holds native code: see New
	Logger   *slog.Logger // nil discards

	// Compiler is the command that is started to compile a module and to run it up to the state its calls start from, as Self: a hostile
	// module then takes that process's memory and time, not ours. nil does both in this process. What LoadOwn loads is ours, and
	// compiled here.
	Compiler []string

	// Unoptimised runs modules without the rewrites of package optimise. Modules then compute the same, but slower. The two forms
	// share no files in the cache directory.
	Unoptimised bool
}

// Runtime loads modules. It is safe for concurrent use.
type Runtime struct {
	limits       Limits
	unoptimised  bool
	wazero       wazero.Runtime
	cache        wazero.CompilationCache // nil without a cache directory
	disk         *diskCache              // nil without one
	log          *slog.Logger
	moduleConfig wazero.ModuleConfig
	compiling    chan struct{} // holds a token while a module is compiled: one at a time
	compiler     []string      // nil for none
	apart        chan struct{} // holds a token while the compiler runs
	ending       chan struct{} // closed when the runtime is: the compiler is ended
	scratch      *scratchDir   // the cache directory of a runtime that was given none and has a compiler

	mu      sync.Mutex
	closed  bool
	modules map[*Module]struct{}
}

// features is what a guest may use of WebAssembly: version 2 without vector instructions.
const features = api.CoreFeaturesV2 &^ api.CoreFeatureSIMD

// New makes a runtime. It starts nothing costly.
//
// CacheDir is created if it is missing, for this user alone. A directory that belongs to another user or that others may
// write to is refused: whoever can write to it can run native code in this process.
func New(ctx context.Context, o Options) (_ *Runtime, err error) {
	limits := o.Limits.withDefaults()
	if err := limits.validate(); err != nil {
		return nil, err
	}
	r := &Runtime{
		limits:      limits,
		unoptimised: o.Unoptimised,
		log:         o.Logger,
		compiling:   make(chan struct{}, 1),
		compiler:    o.Compiler,
		apart:       make(chan struct{}, 1),
		ending:      make(chan struct{}),
		modules:     map[*Module]struct{}{},
		// Nothing of the host is given away, and no name, so that any number of instances fit into one runtime.
		moduleConfig: wazero.NewModuleConfig().WithName("").WithStartFunctions(),
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	// Not WithCloseOnContextDone: it makes calls several times slower and does not stop deep recursion; fuel does both.
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithMemoryLimitPages(limits.MemoryPages + ledgerPages(limits.MemoryPages)).
		WithDebugInfoEnabled(false)
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
	return r, nil
}

// Close closes all modules, waiting for their running steps as Module.Close does, and frees the runtime.
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
			return err // steps still run in it: nothing more may be freed
		}
	}
	err := r.wazero.Close(ctx)
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(ctx))
	}
	err = errors.Join(err, r.scratch.remove())
	return err
}

// Load validates a module exactly as received, checks that the sandbox can run it, and returns it without compiling it:
// the first Step or Manifest does that. It keeps wasm and warm, which must not change any more. A module that cannot be
// run is refused with a *RefusedError. With Options.Compiler, whether it is valid is found out with its first Step or Manifest.
//
// warm is the message of a step taken once before the state every call starts from is kept, so that what a guest sets up
// on first use is there already and its memory need not grow in each call; nil for none. It must hold nothing secret.
func (r *Runtime) Load(wasm []byte, warm []byte) (*Module, error) {
	return r.load(wasm, warm, r.compiler != nil)
}

// LoadOwn is Load for a module that this program trusts as itself. It is compiled and initialised in this process.
func (r *Runtime) LoadOwn(wasm []byte, warm []byte) (*Module, error) {
	return r.load(wasm, warm, false)
}

func (r *Runtime) load(wasm, warm []byte, apart bool) (*Module, error) {
	if len(wasm) > r.limits.ModuleBytes {
		return nil, refused(-1, "%d bytes, at most %d are allowed", len(wasm), r.limits.ModuleBytes)
	}
	if len(warm) > r.limits.MessageBytes {
		return nil, ErrInputTooLarge
	}
	m := &Module{runtime: r, wasm: wasm, warm: warm, apart: apart, sum: sha256.Sum256(wasm), pool: newPool(r.limits.Instances)}
	m.hash = hex.EncodeToString(m.sum[:])
	if !r.disk.accepted(m.hash) && !r.isClosed() {
		err := r.examine(wasm, apart)
		if err != nil {
			if r.isClosed() { // meanwhile: the verdict means nothing
				err = ErrClosed
			}
			return nil, err
		}
		if !apart { // else the compiler says so
			r.disk.accept(m.hash, r.log)
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

// Known reports whether a module's manifest is known from the cache directory, so that Load and Manifest take no time. hash is that of
// Module.Hash.
func (r *Runtime) Known(hash string) bool {
	_, known := r.disk.manifest(hash)
	return known && r.disk.accepted(hash)
}

func (r *Runtime) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// examine refuses a module that cannot be run. It first looks at it as it was received: a module that is valid only
// after instrumentation, because it names the injected globals say, must not get that far. Whether it is valid is left to the compiler of a
// module that has one.
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
