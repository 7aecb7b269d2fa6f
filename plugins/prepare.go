package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Prepare loads or compiles the adapters of connectors, one after another, so that no payment waits for a compilation. It goes on after an
// adapter that cannot be compiled, and joins the errors. A connector without a loaded adapter is an ErrNoAdapter. A nil list means all adapters.
func (h *Host) Prepare(ctx context.Context, connectors []string) error {
	if connectors == nil {
		for _, a := range h.Adapters() {
			connectors = append(connectors, a.Connector)
		}
	}
	var problems []error
	for _, connector := range connectors {
		if err := h.prepare(ctx, connector); err != nil {
			problems = append(problems, fmt.Errorf("prepare the adapter %s: %w", connector, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(problems...)
}

func (h *Host) prepare(ctx context.Context, connector string) error {
	b, err := h.acquireCurrent(connector)
	if err != nil {
		return err
	}
	defer h.release(b)
	began := time.Now()
	if err := b.module.Prepare(ctx); err != nil {
		return err
	}
	h.log.Debug("an adapter is ready", "adapter", b.name, "hash", b.hash, "took", time.Since(began))
	return nil
}

// acquireCurrent keeps the build that answers for a connector loaded until release.
func (h *Host) acquireCurrent(connector string) (*build, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.current[h.adapterName(connector)]
	if b == nil {
		return nil, ErrNoAdapter
	}
	b.users++
	return b, nil
}
