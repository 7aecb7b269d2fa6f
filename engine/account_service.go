package engine

import (
	"context"
	"log/slog"
	"time"
)

// Registry keeps merchants with their profiles, connector accounts and keys: their use cases, and the directory that every payment reads them
// from. Safe for concurrent use.
type Registry struct {
	RegistryDeps
	dir *directory
}

// RegistryDeps are the parts that accounts work with. All are required.
type RegistryDeps struct {
	Store      AccountStore
	Vault      *Vault
	Connectors Connectors
	Now        Clock
	Log        *slog.Logger
	Metrics    Metrics
	// KeyEnvironment is what API keys begin with.
	KeyEnvironment string
	// LockWait is how long a repeated request waits for the first with its Idempotency-Key.
	LockWait time.Duration
	// Ephemeral finds out whose ephemeral key a text is.
	Ephemeral func(ctx context.Context, text string) (Auth, error)
}

// newRegistry checks nothing and starts nothing.
func newRegistry(d RegistryDeps) *Registry {
	return &Registry{RegistryDeps: d, dir: newDirectory(d.Store, d.Vault)}
}

// change runs one write of configuration; what it changed counts here from its return on.
func (s *Registry) change(ctx context.Context, doing string, f func(tx AccountTx) error) error {
	err := s.Store.Update(ctx, f)
	s.dir.changed()
	return ours(err, doing)
}

func (s *Registry) read(ctx context.Context, doing string, f func(r AccountReader) error) error {
	return ours(s.Store.View(ctx, f), doing)
}
