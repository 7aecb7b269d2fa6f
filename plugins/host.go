package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"payswitch/engine/port"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
)

// Host implements port.Connectors. It is safe for concurrent use.
type Host struct {
	opts     Options
	log      *slog.Logger
	driver   *driver
	runtime  *sandbox.Runtime
	archive  *archive
	simulate map[string]bool

	scanning sync.Mutex // held while the set of loaded adapters changes
	builtIn  []*build   // by name
	files    map[string]*file
	shared   map[string]*file // by name of the adapter
	reported map[string]bool  // conflicts that the log already names

	loads  singleflight.Group // by hash
	turn   chan struct{}      // holds a token while a module of the directory is compiled
	ctx    context.Context    // of compilations in the background; Close cancels it
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	current map[string]*build // by adapter name; answers for new operations
	builds  map[string]*build // by hash, with the replaced ones
}

// New loads the built-in adapters and the adapters in Options.Directory. It logs an adapter that does not load and leaves it out.
// A directory that cannot be read is an error. New waits up to Options.LoadWait for adapters that must be compiled; with a warm
// cache directory it compiles nothing. Call Run afterwards to watch for changes, and Close at the end.
func New(ctx context.Context, o Options) (_ *Host, err error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	so := sandbox.Options{Limits: o.Sandbox, Compiler: o.Compiler, Unoptimised: o.Unoptimised, Soon: o.Soon, Logger: o.Logger}
	if o.CacheDir != "" {
		so.CacheDir = filepath.Join(o.CacheDir, "compiled")
	}
	rt, err := sandbox.New(ctx, so)
	if err != nil {
		return nil, fmt.Errorf("plugins: %w", err)
	}
	h := &Host{opts: o, log: o.Logger, driver: newDriver(o), runtime: rt, simulate: map[string]bool{}, files: map[string]*file{}, shared: map[string]*file{},
		reported: map[string]bool{}, current: map[string]*build{}, builds: map[string]*build{}, turn: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			_ = h.Close(ctx)
		}
	}()
	for _, name := range o.Simulate {
		h.simulate[name] = true
	}
	if h.archive, err = openArchive(o.CacheDir, o.RetainBuilds); err != nil {
		return nil, err
	}
	h.loadBuiltIn(ctx)
	if err := h.scan(ctx, true); err != nil {
		return nil, err
	}
	if err := h.await(ctx); err != nil {
		return nil, err
	}
	if _, loaded := h.current[SimulatorName]; len(o.Simulate) > 0 && !loaded {
		h.log.Warn("the configuration simulates connectors, but the adapter simulator is not loaded: build it with make plugins", "connectors", o.Simulate)
	}
	return h, nil
}

func (o *Options) validate() error {
	switch {
	case o.RetainBuilds < 0 || o.PollInterval < 0 || o.RestAfter < 0 || o.OperationTimeout < 0 || o.SendTimeout < 0 || o.LoadWait < 0 || o.RetryAfter < 0 || o.DialTimeout < 0 || o.AccountWait < 0:
		return errors.New("plugins: a duration in Options is negative: give zero for its default")
	case o.AccountConcurrency < 0 || o.MaxResponse < 0:
		return errors.New("plugins: AccountConcurrency or MaxResponse is negative: give zero for its default")
	}
	for _, name := range o.Simulate {
		if !adapterName.MatchString(name) {
			return fmt.Errorf("plugins: Simulate: %q is not a connector name: use lower-case letters, digits and _, at most 32 characters, a letter first", name)
		}
	}
	return nil
}

// Run watches the directory and frees builds that are no longer used. It returns nil when ctx ends.
func (h *Host) Run(ctx context.Context) error {
	tick := time.NewTicker(h.opts.PollInterval)
	defer tick.Stop()
	housekeeping := time.NewTicker(time.Hour)
	defer housekeeping.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-housekeeping.C:
			h.prune(ctx)
		case <-tick.C:
			if err := h.scan(ctx, false); err != nil && ctx.Err() == nil {
				h.reportOnce("the installed adapters cannot be read", err.Error(), "error", err)
			}
			h.share(ctx)
			h.unload(h.keepLoaded())
			h.rest(h.opts.RestAfter)
		}
	}
}

// Close refuses further drives, waits until the drives under way have left the sandbox, and frees all memory.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.driver.egress.close()
	return h.runtime.Close(ctx)
}

// Adapter implements port.Connectors.
func (h *Host) Adapter(connector string) (port.AdapterInfo, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b, ok := h.current[h.adapterName(connector)]
	if !ok {
		return port.AdapterInfo{}, false
	}
	return h.info(connector, b), true
}

// Adapters lists each loaded adapter once for every connector it answers for. A simulated connector has its own entry.
func (h *Host) Adapters() []port.AdapterInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := make(map[string]bool, len(h.current)+len(h.simulate))
	for name := range h.current {
		names[name] = true
	}
	for name := range h.simulate {
		names[name] = true
	}
	names[Simulator3DSName] = true
	all := make([]port.AdapterInfo, 0, len(names))
	for name := range names {
		if b := h.current[h.adapterName(name)]; b != nil {
			all = append(all, h.info(name, b))
		}
	}
	slices.SortFunc(all, func(a, b port.AdapterInfo) int { return strings.Compare(a.Connector, b.Connector) })
	return all
}

func (h *Host) info(connector string, b *build) port.AdapterInfo {
	m := b.manifest
	if b.name == SimulatorName && connector != SimulatorName {
		if m = b.as[connector]; m == nil {
			m = manifestAs(connector, b.manifest)
			if b.as == nil {
				b.as = map[string]*sdk.Manifest{}
			}
			b.as[connector] = m
		}
	}
	return port.AdapterInfo{Connector: connector, Name: b.name, Hash: b.hash, Manifest: m, BuiltIn: slices.Contains(h.builtIn, b),
		Simulated: h.simulate[connector] || connector == Simulator3DSName}
}

// Drive performs one operation. Its errors are ErrNoAdapter, ErrNoBuild, fault.ErrBusy, *Violation, *sandbox.TrapError, the error of
// BeforeSend, and faults of the host itself. An error for which the adapter is to blame is wrapped in an *fault.Adapter.
func (h *Host) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	b, err := h.acquire(ctx, d)
	if err != nil {
		return &port.DriveResult{AdapterHash: d.AdapterHash}, err
	}
	defer h.release(b)
	h.mu.Lock()
	local := h.simulates3DS(d.Connector)
	h.mu.Unlock()
	if local {
		d = simulated(d, b.manifest)
	}
	return h.driver.drive(ctx, &b.adapter, d)
}

// Turn implements port.Connectors.
func (h *Host) Turn(ctx context.Context, accountID string) (context.Context, func(), error) {
	return h.driver.Turn(ctx, accountID)
}

// AdapterStats are the figures of one loaded build.
type AdapterStats struct {
	Name    string
	Hash    string
	Current bool // new operations use this build
	Driving int  // operations under way
	Sandbox sandbox.Stats
}

// Stats lists all loaded builds by name, with the replaced ones.
func (h *Host) Stats() []AdapterStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]AdapterStats, 0, len(h.builds))
	for _, b := range h.builds {
		all = append(all, AdapterStats{Name: b.name, Hash: b.hash, Current: h.current[b.name] == b, Driving: b.users, Sandbox: b.module.Stats()})
	}
	slices.SortFunc(all, func(a, b AdapterStats) int { return strings.Compare(a.Name+a.Hash, b.Name+b.Hash) })
	return all
}
