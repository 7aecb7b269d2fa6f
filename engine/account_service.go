package engine

import (
	"context"
	"log/slog"
	"time"
)

// Registry has the use cases for merchants, profiles, connector accounts and API keys. It also holds the directory, from which every
// payment reads its configuration. Safe for concurrent use.
type Registry struct {
	RegistryDeps
	dir *directory
}

// RegistryDeps are the parts that a Registry is built from. All are required.
type RegistryDeps struct {
	Store      AccountStore
	Vault      *Vault
	Connectors Connectors
	Now        Clock
	Log        *slog.Logger
	Metrics    Metrics
	// KeyEnvironment is the environment in new API keys, such as "snd".
	KeyEnvironment string
	// LockWait is how long a repeated request waits for the first request with the same Idempotency-Key.
	LockWait time.Duration
	// Ephemeral authenticates an ephemeral key.
	Ephemeral func(ctx context.Context, text string) (Auth, error)
}

// newRegistry builds a Registry. It checks nothing and starts nothing.
func newRegistry(d RegistryDeps) *Registry {
	return &Registry{RegistryDeps: d, dir: newDirectory(d.Store, d.Vault)}
}

// change runs one write of configuration. On this node the change counts as soon as change returns.
func (s *Registry) change(ctx context.Context, doing string, f func(tx AccountTx) error) error {
	err := s.Store.Update(ctx, f)
	s.dir.changed()
	return ours(err, doing)
}

func (s *Registry) read(ctx context.Context, doing string, f func(r AccountReader) error) error {
	return ours(s.Store.View(ctx, f), doing)
}
