package plugins

import (
	"bytes"
	"context"
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

// loadBuiltIn loads the built-in adapters.
func (h *Host) loadBuiltIn(ctx context.Context) {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	names, _ := fs.Glob(h.opts.BuiltIn, "*.wasm")
	for _, name := range names {
		var b *build
		m, err := h.builtInModule(name)
		if err == nil {
			b, err = h.load(ctx, m)
		}
		if err != nil {
			h.log.Error("built-in adapter cannot be loaded", "file", name, "error", err)
			continue
		}
		h.builtIn = append(h.builtIn, b)
		h.keep(b, m.read)
	}
}

// builtInModule finds a module in Options.BuiltIn. The host trusts the hash in an embedded description, so that a start inflates no
// module that the cache directory knows.
func (h *Host) builtInModule(name string) (module, error) {
	m := module{own: h.opts.embedded, read: func() ([]byte, error) { return fs.ReadFile(h.opts.BuiltIn, name) }}
	m.description, _ = fs.ReadFile(h.opts.BuiltIn, DescriptionName(name)) // optional
	if hash, _, ok := bytes.Cut(m.description, []byte("\n")); ok && m.own {
		m.hash = string(hash)
		return m, nil
	}
	wasm, err := m.read()
	m.hash = hashOf(wasm)
	return m, err
}

// file is one module in the directory.
type file struct {
	stamp   stamp  // at the last look
	settled bool   // the file of this stamp was loaded, or cannot be loaded
	build   *build // the last build that loaded; nil for none
	pin     *Pin   // the pin of that build; nil for none
	missing bool   // the file was missing in the last scan

	loading *loading // the compilation of the file of this stamp; nil for none
	retry   retry
}

// stamp changes with a file or its pin.
type stamp struct {
	size, pinSize         int64
	modified, pinModified time.Time
	pin                   string // of a shared adapter
}

// stampOf looks at a module's file. ok is false without a regular file.
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

// scan looks at the directory and loads what has changed. It loads a file that looked the same in two scans, because the first may
// find it half written. It forgets a file that was missing in two scans, because the first may fall into its replacement. The
// first scan of all takes every file as it is. scan reports a file that does not load once, and keeps what was loaded from it
// before.
func (h *Host) scan(ctx context.Context, first bool) error {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	changed, err := h.scanDirectory(ctx, first)
	more, sharedErr := h.scanShared(ctx)
	if err = errors.Join(err, sharedErr); err != nil && first {
		return err
	}
	if changed || more || first {
		h.install()
	}
	return err
}

func (h *Host) scanDirectory(ctx context.Context, first bool) (changed bool, err error) {
	if h.opts.Directory != "" {
		entries, err := os.ReadDir(h.opts.Directory)
		if err != nil {
			return false, fmt.Errorf("plugins: adapters directory: %w", err)
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
	return changed, nil
}

// wants reports whether a source is to be loaded now.
func (f *file) wants() bool {
	return !f.settled && (f.loading == nil || f.loading.ended()) && !time.Now().Before(f.retry.at)
}

// look examines one file, and loads it if it has changed. It reports whether the loaded adapters changed.
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
	if !f.wants() {
		return false
	}
	pin, pinErr := ReadPin(path)
	wasm, err := os.ReadFile(path)
	if err != nil {
		h.reportOnce("an adapter cannot be read", path+err.Error(), "file", path, "error", err)
		return false
	}
	if again, _ := stampOf(path); again != now {
		return false // somebody is replacing the file: module and pin may not belong together
	}
	if pinErr == nil {
		pinErr = h.mayLoad(pin, PinName(name), hashOf(wasm))
	}
	if pinErr != nil {
		f.settled = true
		h.log.Error("an adapter is refused; the build loaded before stays", "file", path, "error", pinErr)
		return false
	}
	b, err := h.take(ctx, f, hashOf(wasm), func(context.Context) ([]byte, error) { return os.ReadFile(path) })
	if ctx.Err() != nil || b == nil && err == nil {
		return false // the file is not ready, or the host ends: look again
	}
	f.settled = err == nil || lasting(err)
	if err != nil {
		if !f.settled {
			f.retry.next(h.opts.RetryAfter)
			err = fmt.Errorf("%w (the next attempt is in %v)", err, f.retry.after)
		}
		h.log.Error("an adapter cannot be loaded; the build loaded before stays", "file", path, "error", err)
		return false
	}
	f.pin = pin
	if b == f.build {
		return false
	}
	f.build = b
	h.keep(b, func() ([]byte, error) { return wasm, nil })
	return true
}

// take loads a module that the cache directory holds compiled. Otherwise it starts a compilation, and returns nil, nil until that
// has ended.
func (h *Host) take(ctx context.Context, f *file, hash string, read func(context.Context) ([]byte, error)) (*build, error) {
	if l := f.loading; l != nil {
		f.loading = nil
		if l.hash == hash && l.err != nil {
			return nil, l.err
		}
	}
	if h.opts.Compiler == nil || h.loaded(hash) != nil || h.runtime.Known(hash) {
		if b := h.loaded(hash); b != nil {
			return b, nil
		}
		wasm, err := read(ctx)
		if err == nil && hashOf(wasm) != hash {
			err = errors.New("the module changed while it was read")
		}
		if err != nil {
			return nil, err
		}
		return h.load(ctx, moduleOf(wasm))
	}
	f.loading = h.loadLater(hash, read)
	return nil, nil
}

// stop cancels the compilation of a file.
func (f *file) stop() {
	if f.loading != nil {
		f.loading.cancel()
		f.loading = nil
	}
}

// mayLoad checks a module of the directory against its pin; p is nil for a module without one.
func (h *Host) mayLoad(p *Pin, file, hash string) error {
	if p != nil {
		pinned := p.SHA256
		if p = p.of(hash); p == nil {
			return fmt.Errorf("%w: its sha256 is %s, the pin names %s: install it with  payswitch plugin install,  or delete %s to accept the module", ErrPinned,
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
		return fmt.Errorf("plugins.signed_only admits signed adapters alone: %w", err)
	}
	return nil
}

// ErrPinned says that a module is not the build that its pin names.
var ErrPinned = errors.New("the module is not the installed one")

// File returns the file name and the pin of the adapter that answers for a connector. The name is "" for a built-in adapter, and for a
// shared one, which has a pin. The pin is nil without one.
func (h *Host) File(connector string) (name string, pin *Pin) {
	h.scanning.Lock()
	defer h.scanning.Unlock()
	b := h.current[h.adapterName(connector)] // scanning guards changes of current
	for _, f := range h.sources() {
		if b != nil && f.build == b {
			if f.shared {
				return "", f.pin
			}
			return f.name, f.pin
		}
	}
	return "", nil
}

// keep archives a build's bytes. It calls read for the bytes if the archive does not have them yet.
func (h *Host) keep(b *build, read func() ([]byte, error)) {
	if err := h.archive.keep(b.hash, read); err != nil {
		h.log.Error("adapter cannot be kept for later", "adapter", b.name, "hash", b.hash, "error", err)
	}
}

// install makes the loaded builds the current ones. A file of the directory replaces a built-in adapter of its name. Of two files
// with one name the first counts.
func (h *Host) install() {
	current := map[string]*build{}
	for _, b := range h.builtIn {
		if other := current[b.name]; other != nil {
			h.reportOnce("two built-in adapters have one name", b.hash, "adapter", b.name, "used", other.hash, "ignored", b.hash)
			continue
		}
		current[b.name] = b
	}
	for _, f := range h.sources() {
		b, name := f.build, f.name
		switch {
		case b == nil:
			continue
		case current[b.name] == nil || current[b.name] == b:
		case slices.Contains(h.builtIn, current[b.name]):
			h.reportOnce("an installed adapter replaces the built-in one", name+b.hash, "adapter", b.name, "file", name, "hash", b.hash)
		default:
			h.reportOnce("two installed adapters have one name", name+b.hash, "adapter", b.name, "ignored", name, "hash", b.hash)
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
			if builtIn { // the binary's own adapters are known from its version
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

// reportOnce logs a warning once.
func (h *Host) reportOnce(message, about string, attrs ...any) {
	if id := message + about; !h.reported[id] {
		h.reported[id] = true
		h.log.Warn(message, attrs...)
	}
}

// prune removes archived builds that were not used for Options.RetainBuilds.
func (h *Host) prune(ctx context.Context) {
	h.mu.Lock()
	builds := maps.Clone(h.builds)
	h.mu.Unlock()
	for hash := range builds {
		h.archive.touch(hash)
	}
	if err := h.archive.prune(func(hash string) bool { return builds[hash] != nil }); err != nil {
		h.log.Warn("archived builds cannot be removed", "error", err)
	}
	if err := h.pruneShared(ctx, slices.Sorted(maps.Keys(builds))); err != nil && ctx.Err() == nil {
		h.log.Warn("shared builds cannot be removed", "error", err)
	}
}
