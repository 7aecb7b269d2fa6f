package plugins

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// builtin holds a README.md and whatever `make plugins` has built into the folder.
//
//go:embed builtin
var builtin embed.FS

// loadBuiltIn loads the built-in adapters.
func (h *Host) loadBuiltIn(ctx context.Context) {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	names, _ := fs.Glob(h.opts.BuiltIn, "*.wasm")
	for _, name := range names {
		wasm, err := fs.ReadFile(h.opts.BuiltIn, name)
		if err == nil {
			var b *build
			description, _ := fs.ReadFile(h.opts.BuiltIn, DescriptionName(name)) // optional
			if b, err = h.load(ctx, wasm, description, h.opts.embedded); err == nil {
				h.builtIn = append(h.builtIn, b)
				h.keep(b, wasm)
				if h.opts.embedded {
					b.module.Forget(func() ([]byte, error) { return fs.ReadFile(h.opts.BuiltIn, name) })
				}
				continue
			}
		}
		h.log.Error("built-in adapter cannot be loaded", "file", name, "error", err)
	}
}

// file is one module in the directory.
type file struct {
	stamp   stamp  // as last seen
	settled bool   // what stamp says has been loaded, or was found not to load
	build   *build // the last that loaded; nil if none has
	pin     *Pin   // under which it did; nil without one
	missing bool   // in the last scan

	loading *loading // what stamp says is compiled; nil where it is not
	retry   retry
}

// stamp changes when a file or its pin does.
type stamp struct {
	size, pinSize         int64
	modified, pinModified time.Time
}

// stampOf looks at a module's file; false when there is no regular one.
func stampOf(path string) (s stamp, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	s.size, s.modified = info.Size(), info.ModTime()
	if pin, err := os.Stat(PinName(path)); err == nil {
		s.pinSize, s.pinModified = pin.Size(), pin.ModTime()
	}
	return s, true
}

// scan looks at the directory and takes in what has changed. A file is loaded once it has looked the same in two scans, so that one being
// written is left alone, and forgotten once it was missing in two, so that one being replaced is not missed; the first scan takes
// everything as it is. A file that does not load is reported once and leaves what was loaded from it before in place.
func (h *Host) scan(ctx context.Context, first bool) error {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	changed := first
	if h.opts.Directory != "" {
		entries, err := os.ReadDir(h.opts.Directory)
		if err != nil {
			return fmt.Errorf("plugins: adapters directory: %w", err)
		}
		present := map[string]bool{}
		for _, e := range entries {
			if name := e.Name(); strings.HasSuffix(name, ".wasm") && !strings.HasPrefix(name, ".") {
				present[name] = true
				changed = h.look(ctx, name, first) || changed
			}
		}
		for name, f := range h.files {
			if f.missing && !present[name] {
				f.stop()
				delete(h.files, name)
				changed = true
			}
			f.missing = !present[name]
		}
	}
	if changed {
		h.install()
	}
	return nil
}

// look takes in one file. It says whether that made a difference.
func (h *Host) look(ctx context.Context, name string, first bool) bool {
	path := filepath.Join(h.opts.Directory, name)
	now, ok := stampOf(path)
	if !ok {
		return false
	}
	f := h.files[name]
	if f == nil {
		f = &file{}
		h.files[name] = f
	}
	if f.stamp != now {
		f.stamp, f.settled, f.retry = now, false, retry{}
		f.stop()
		if !first {
			return false
		}
	}
	if f.settled || f.loading != nil && !f.loading.ended() || time.Now().Before(f.retry.at) {
		return false
	}
	pin, pinErr := ReadPin(path)
	wasm, err := os.ReadFile(path)
	if err != nil {
		h.reportOnce("adapter cannot be read", path+err.Error(), "file", path, "error", err)
		return false
	}
	if again, _ := stampOf(path); again != now {
		return false // being replaced: module and pin may not belong together
	}
	if pinErr == nil {
		pinErr = h.mayLoad(pin, PinName(name), hashOf(wasm))
	}
	if pinErr != nil {
		f.settled = true
		h.log.Error("adapter is not loaded; what was loaded before stays", "file", path, "error", pinErr)
		return false
	}
	b, err := h.take(ctx, f, path, wasm)
	if ctx.Err() != nil || b == nil && err == nil {
		return false // nobody's fault: look again
	}
	f.settled = err == nil || lasting(err)
	if err != nil {
		if !f.settled {
			f.retry.next(h.opts.RetryAfter)
			err = fmt.Errorf("%w (the next attempt is in %v)", err, f.retry.after)
		}
		h.log.Error("adapter cannot be loaded; what was loaded before stays", "file", path, "error", err)
		return false
	}
	f.pin = pin
	if b == f.build {
		return false
	}
	f.build = b
	h.keep(b, wasm)
	return true
}

// take loads what is ready in the cache directory, has the rest made ready, and answers nil, nil until it is.
func (h *Host) take(ctx context.Context, f *file, path string, wasm []byte) (*build, error) {
	hash := hashOf(wasm)
	if l := f.loading; l != nil {
		f.loading = nil
		if l.hash == hash && l.err != nil {
			return nil, l.err
		}
	}
	if h.opts.Compiler == nil || h.loaded(hash) != nil || h.runtime.Known(hash) {
		return h.load(ctx, wasm, nil, false)
	}
	f.loading = h.loadLater(path, hash)
	return nil, nil
}

// stop gives up what is being made ready of a file.
func (f *file) stop() {
	if f.loading != nil {
		f.loading.cancel()
		f.loading = nil
	}
}

// mayLoad holds a module of the directory against its pin; nil is none.
func (h *Host) mayLoad(p *Pin, file, hash string) error {
	if p != nil {
		pinned := p.SHA256
		if p = p.of(hash); p == nil {
			return fmt.Errorf("%w: sha256 %s, pinned is %s: install it with  payswitch plugin install,  or delete %s to let in what lies there", ErrPinned,
				hash, pinned, file)
		}
	}
	if !h.opts.SignedOnly {
		return nil
	}
	err := ErrUnsigned
	if p != nil {
		_, err = p.Verify(h.opts.Trusted)
	}
	if err != nil {
		return fmt.Errorf("only signed adapters are loaded (plugins.signed_only): %w", err)
	}
	return nil
}

// ErrPinned says that a module is not the build that its pin names.
var ErrPinned = errors.New("the module is not the one that was installed")

// File is where the adapter of a connector comes from: the name of its file in the directory, "" for a built-in one, and its pin, nil
// where it has none.
func (h *Host) File(connector string) (name string, pin *Pin) {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	b := h.current[h.adapterName(connector)] // changed under scanning only
	for _, name := range slices.Sorted(maps.Keys(h.files)) {
		if f := h.files[name]; b != nil && f.build == b {
			return name, f.pin
		}
	}
	return "", nil
}

func (h *Host) keep(b *build, wasm []byte) {
	if err := h.archive.keep(b.hash, wasm); err != nil {
		h.log.Error("adapter cannot be kept for later", "adapter", b.name, "hash", b.hash, "error", err)
	}
}

// install makes the loaded builds the current ones. A file of the directory wins over a built-in of its name, and the first of two files.
func (h *Host) install() {
	current := map[string]*build{}
	for _, b := range h.builtIn {
		if other := current[b.name]; other != nil {
			h.reportOnce("two built-in adapters have one name", b.hash, "adapter", b.name, "used", other.hash, "ignored", b.hash)
			continue
		}
		current[b.name] = b
	}
	for _, name := range slices.Sorted(maps.Keys(h.files)) {
		b := h.files[name].build
		switch {
		case b == nil:
			continue
		case current[b.name] == nil || current[b.name] == b:
		case slices.Contains(h.builtIn, current[b.name]):
			h.reportOnce("an adapter of the directory takes the place of the built-in one", name+b.hash, "adapter", b.name, "file", name, "hash", b.hash)
		default:
			h.reportOnce("two adapters of the directory have one name", name+b.hash, "adapter", b.name, "ignored", name, "hash", b.hash)
			continue
		}
		current[b.name] = b
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, b := range h.current {
		if current[name] == nil {
			b.used = time.Now()
			h.log.Info("adapter removed", "adapter", name, "hash", b.hash)
		}
	}
	for name, b := range current {
		if old := h.current[name]; old != b {
			if old != nil {
				old.used = time.Now()
			}
			level, builtIn := slog.LevelInfo, slices.Contains(h.builtIn, b)
			if builtIn { // they are the binary's own: which they are is known
				level = slog.LevelDebug
			}
			h.log.Log(context.Background(), level, "adapter loaded", "adapter", name, "version", b.manifest.Version, "hash", b.hash, "built_in", builtIn)
		}
	}
	if len(current) != len(h.current) {
		h.log.Info("adapters ready", "count", len(current))
	}
	h.current = current
}

// reportOnce warns of something unless it was the last thing said about it.
func (h *Host) reportOnce(message, about string, attrs ...any) {
	if id := message + about; !h.reported[id] {
		h.reported[id] = true
		h.log.Warn(message, attrs...)
	}
}

// prune removes archived builds that are past their time.
func (h *Host) prune() {
	h.mu.Lock()
	builds := maps.Clone(h.builds)
	h.mu.Unlock()
	for hash := range builds {
		h.archive.touch(hash)
	}
	if err := h.archive.prune(func(hash string) bool { return builds[hash] != nil }); err != nil {
		h.log.Warn("archived adapters cannot be removed", "error", err)
	}
}
