package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payswitch/plugins/sandbox"
)

// loading is a module of the directory that a compiler is preparing. A hostile module can take the compiler up to its limits, so
// neither scans nor payments wait for it.
type loading struct {
	hash   string
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// loadLater loads an installed module in its turn. It reads the bytes again then, so waiting modules use no memory.
func (h *Host) loadLater(hash string, read func(context.Context) ([]byte, error)) *loading {
	ctx, cancel := context.WithCancel(h.ctx)
	l := &loading{hash: hash, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		select {
		case h.turn <- struct{}{}:
			defer func() { <-h.turn }()
		case <-ctx.Done():
			l.err = ctx.Err()
			return
		}
		wasm, err := read(ctx)
		if err == nil && hashOf(wasm) != hash {
			err = errors.New("the file changed while it waited to be compiled")
		}
		if err == nil {
			_, err = h.load(ctx, moduleOf(wasm))
		}
		l.err = err
	}()
	return l
}

// ended reports whether the load has succeeded or failed.
func (l *loading) ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// await waits for the modules that the first scan gave to a compiler, and loads them. It goes on without the rest once no module
// was ready for Options.LoadWait.
func (h *Host) await(ctx context.Context) error {
	patience := time.NewTimer(h.opts.LoadWait)
	defer patience.Stop()
	late := 0
	for _, f := range h.sources() {
		if f.loading == nil {
			continue
		}
		if late == 0 {
			select {
			case <-f.loading.done:
				if f.loading.err == nil {
					patience.Reset(h.opts.LoadWait)
				}
				continue
			case <-patience.C:
			case <-ctx.Done():
				return nil
			}
		}
		if !f.loading.ended() {
			late++
			h.log.Warn("an adapter is still being compiled: until then its payments use the built-in adapter of the same name, or are refused", "file", f.name)
		}
	}
	return h.scan(ctx, false)
}

// retry says when a module that could not be prepared is tried again: the obstacle may be temporary.
type retry struct {
	at    time.Time
	after time.Duration
}

func (r *retry) next(first time.Duration) {
	r.after = min(max(2*r.after, first), max(time.Hour, first))
	r.at = time.Now().Add(r.after)
}

// errManifest says that a module's manifest is invalid.
var errManifest = errors.New("manifest")

// lasting reports whether the same module would fail again in the same way. A killed compiler, a compiler out of time and a full
// disk are temporary.
func lasting(err error) bool {
	_, refused := errors.AsType[*sandbox.RefusedError](err)
	_, trapped := errors.AsType[*sandbox.TrapError](err)
	return refused || trapped || errors.Is(err, errManifest)
}

// module is what an adapter is loaded from.
type module struct {
	hash        string                 // SHA-256 of the bytes, in lower-case hexadecimal
	read        func() ([]byte, error) // brings the bytes
	description []byte                 // the result of Describe, or nil
	own         bool                   // part of this program: compiled in this process
}

// moduleOf returns a module from its bytes alone.
func moduleOf(wasm []byte) module {
	return module{hash: hashOf(wasm), read: func() ([]byte, error) { return wasm, nil }}
}

// load finds or makes the build of a module. It compiles only a module that was never loaded before and has no description. An adapter
// that is part of this program is compiled in this process, any other where Options.Compiler says. Callers of one module share what the
// first caller makes.
func (h *Host) load(ctx context.Context, m module) (*build, error) {
	answer := h.loads.DoChan(m.hash, func() (any, error) {
		if b := h.loaded(m.hash); b != nil {
			return b, nil
		}
		return h.loadNow(ctx, m)
	})
	select {
	case a := <-answer:
		if a.Err != nil {
			return nil, a.Err
		}
		return a.Val.(*build), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("load an adapter: %w", ctx.Err())
	}
}
