package plugins

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Shared holds the adapters that several switches have in common, and the modules that their operations began with. Implementations must be safe
// for concurrent use. The host trusts its pins as it trusts those of a directory, and compares every module with its hash.
type Shared interface {
	// Installed returns the pins of the installed adapters.
	Installed(ctx context.Context) ([]Pin, error)
	// Module returns what PackModule made of a module.
	Module(ctx context.Context, hash string) (packed []byte, err error)
	// Use marks modules as used now, and returns those that it holds.
	Use(ctx context.Context, hashes []string) (known []string, err error)
	// Put stores a packed module.
	Put(ctx context.Context, hash string, packed []byte) error
	// Prune removes the modules that no switch has used for longer than that and that are not installed.
	Prune(ctx context.Context, unused time.Duration) error
}

// sharedTime bounds one conversation with Shared.
const sharedTime = 10 * time.Second

// errSharedModule says that a module of Shared cannot be used as it is.
var errSharedModule = errors.New("the shared module is damaged")

// PackModule compresses a module for Shared.
func PackModule(wasm []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return w.EncodeAll(wasm, nil)
}

// unpackModule inflates a packed module, which must have the hash. It inflates no more than a module may have.
func unpackModule(packed []byte, hash string) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModule))
	if err != nil {
		panic(err) // the options are constants
	}
	defer r.Close()
	wasm, err := r.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSharedModule, err)
	}
	if hashOf(wasm) != hash {
		return nil, fmt.Errorf("%w: its bytes do not have the hash %s", errSharedModule, hash)
	}
	return wasm, nil
}

// module returns the bytes of a build from the archive, else from Options.Shared, and archives those.
func (h *Host) module(ctx context.Context, hash string) ([]byte, error) {
	wasm, err := h.archive.read(hash)
	if err == nil || h.opts.Shared == nil {
		return wasm, err
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	packed, sharedErr := h.opts.Shared.Module(ctx, hash)
	if sharedErr != nil {
		return nil, errors.Join(err, sharedErr)
	}
	if wasm, err = unpackModule(packed, hash); err != nil {
		return nil, err
	}
	if err := h.archive.keep(hash, func() ([]byte, error) { return wasm, nil }); err != nil {
		h.log.Error("a shared module cannot be kept for later", "hash", hash, "error", err)
	}
	return wasm, nil
}

// scanShared loads new and changed shared adapters. It reports whether the loaded adapters changed. An adapter that does not load is reported once,
// and the build loaded before stays.
func (h *Host) scanShared(ctx context.Context) (changed bool, err error) {
	if h.opts.Shared == nil {
		return false, nil
	}
	asking, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	pins, err := h.opts.Shared.Installed(asking)
	if err != nil {
		return false, fmt.Errorf("plugins: shared adapters: %w", err)
	}
	present := map[string]bool{}
	for i := range pins {
		present[pins[i].Name] = true
		changed = h.lookShared(ctx, &pins[i]) || changed
	}
	for name, f := range h.shared {
		if !present[name] {
			f.stop()
			delete(h.shared, name)
			changed = true
		}
	}
	return changed, nil
}

// lookShared loads one shared adapter if it is new or has changed. It reports whether the loaded adapters changed.
func (h *Host) lookShared(ctx context.Context, pin *Pin) bool {
	f := h.shared[pin.Name]
	if f == nil {
		f = &file{}
		h.shared[pin.Name] = f
	}
	if now := (stamp{pin: pin.Version + "\n" + pin.SHA256 + "\n" + pin.Sums + pin.Signature}); f.stamp != now {
		f.stamp, f.settled, f.retry = now, false, retry{}
		f.stop()
	}
	if !f.wants() {
		return false
	}
	if err := h.mayLoad(pin, "the installed adapter", pin.SHA256); err != nil {
		f.settled = true
		h.log.Error("a shared adapter is refused; the build loaded before stays", "adapter", pin.Name, "error", err)
		return false
	}
	b, err := h.take(ctx, f, pin.SHA256, func(ctx context.Context) ([]byte, error) { return h.module(ctx, pin.SHA256) })
	if ctx.Err() != nil || b == nil && err == nil {
		return false
	}
	if err == nil && b.name != pin.Name {
		err = fmt.Errorf("%w: it says that it is the adapter %s", errManifest, b.name)
	}
	f.settled = err == nil || lasting(err)
	if err != nil {
		if !f.settled {
			f.retry.next(h.opts.RetryAfter)
			err = fmt.Errorf("%w (the next attempt is in %v)", err, f.retry.after)
		}
		h.log.Error("a shared adapter cannot be loaded; the build loaded before stays", "adapter", pin.Name, "error", err)
		return false
	}
	f.pin = pin
	if b == f.build {
		return false
	}
	f.build = b
	return true
}

// share stores the modules that operations began with, so that another switch can end them.
func (h *Host) share(ctx context.Context) {
	if h.opts.Shared == nil {
		return
	}
	h.mu.Lock()
	var list []*build
	for _, b := range h.builds {
		if b.driven && !b.shared {
			list = append(list, b)
		}
	}
	h.mu.Unlock()
	for _, b := range list {
		if err := h.shareOne(ctx, b); err != nil {
			if ctx.Err() == nil {
				h.reportOnce("an adapter cannot be stored for other switches", b.hash+err.Error(), "adapter", b.name, "hash", b.hash, "error", err)
			}
			return // the next tick tries again
		}
		h.mu.Lock()
		b.shared = true
		h.mu.Unlock()
	}
}

func (h *Host) shareOne(ctx context.Context, b *build) error {
	ctx, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	known, err := h.opts.Shared.Use(ctx, []string{b.hash})
	if err != nil || len(known) > 0 {
		return err
	}
	wasm, err := h.archive.read(b.hash)
	if err != nil {
		return err
	}
	return h.opts.Shared.Put(ctx, b.hash, PackModule(wasm))
}

// pruneShared marks the loaded modules as used, and removes old ones.
func (h *Host) pruneShared(ctx context.Context, hashes []string) error {
	if h.opts.Shared == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTime)
	defer cancel()
	if _, err := h.opts.Shared.Use(ctx, hashes); err != nil {
		return err
	}
	return h.opts.Shared.Prune(ctx, h.opts.RetainBuilds)
}

// source is a place that an adapter comes from: a file of the directory, by its name, or a shared adapter, by its own.
type source struct {
	name   string
	shared bool
	*file
}

// sources lists the files of the directory and then the shared adapters, each by name. The first one with an adapter's name counts.
func (h *Host) sources() (all []source) {
	for _, name := range slices.Sorted(maps.Keys(h.files)) {
		all = append(all, source{name, false, h.files[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(h.shared)) {
		all = append(all, source{name, true, h.shared[name]})
	}
	return all
}
