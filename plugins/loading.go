package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"payswitch/plugins/sandbox"
)

// loading is a module of the directory that a compiler has to make ready first. That may take as long as a hostile module likes, up to the
// compiler's limits: neither scans nor payments wait for it.
type loading struct {
	hash   string
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// loadLater has a module of the directory loaded in its turn. Its bytes are read again then, so that those that wait take no memory.
func (h *Host) loadLater(path, hash string) *loading {
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
		wasm, err := os.ReadFile(path)
		if err == nil && hashOf(wasm) != hash {
			err = errors.New("the file changed while it waited to be compiled")
		}
		if err == nil {
			_, err = h.load(ctx, wasm, nil, false)
		}
		l.err = err
	}()
	return l
}

// ended reports whether it is known what became of the module.
func (l *loading) ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// await waits for what the first scan found to be compiled, and takes it in. It goes on without the rest when nothing was loaded for
// Options.LoadWait.
func (h *Host) await(ctx context.Context) error {
	patience := time.NewTimer(h.opts.LoadWait)
	defer patience.Stop()
	late := 0
	for name, f := range h.files {
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
			h.log.Warn("an adapter is still being compiled: until it is loaded, its payments are refused or go by the adapter of its name that is built in", "file", name)
		}
	}
	return h.scan(ctx, false)
}

// retry is when a module that could not be made ready is tried again: what was in the way may pass.
type retry struct {
	at    time.Time
	after time.Duration
}

func (r *retry) next(first time.Duration) {
	r.after = min(max(2*r.after, first), max(time.Hour, first))
	r.at = time.Now().Add(r.after)
}

// errManifest says that a module's manifest is not one.
var errManifest = errors.New("manifest")

// lasting reports whether a module that failed so would fail so again. A compiler that was killed or had too little time, or a full disk, may
// pass.
func lasting(err error) bool {
	_, refused := errors.AsType[*sandbox.RefusedError](err)
	_, trapped := errors.AsType[*sandbox.TrapError](err)
	return refused || trapped || errors.Is(err, errManifest)
}

// load finds or makes the build of a module's bytes. It compiles only what has never been loaded before and came without a description
// (nil). An adapter of the binary itself (own) is compiled in this process, any other where Options.Compiler says. Callers of one
// module share what the first of them makes.
func (h *Host) load(ctx context.Context, wasm, description []byte, own bool) (*build, error) {
	hash := hashOf(wasm)
	answer := h.loads.DoChan(hash, func() (any, error) {
		if b := h.loaded(hash); b != nil {
			return b, nil
		}
		return h.loadNow(ctx, hash, wasm, description, own)
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
