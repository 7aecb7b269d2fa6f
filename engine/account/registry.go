package account

import (
	"context"
	"log/slog"
	"sync"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Registry has the use cases for merchants, profiles, connector accounts and API keys. It also holds the directory, from which every
// payment reads its configuration. Safe for concurrent use.
type Registry struct {
	Deps
	Dir *Directory

	kept sync.Map // Version.UsedAt, by versionKey, of versions that are stored for certain
}

// Deps are the parts that a Registry is built from. All are required.
type Deps struct {
	Store      Store
	Vault      *vault.Vault
	Connectors port.Connectors
	Now        port.Clock
	Log        *slog.Logger
	Metrics    port.Metrics
	// KeyEnvironment is the environment in new API keys, such as "snd".
	KeyEnvironment string
	// SoleNode says that no other living process has the name of this node.
	SoleNode bool
	// Ephemeral authenticates an ephemeral key.
	Ephemeral func(ctx context.Context, text string) (Auth, error)
}

// New builds a Registry. It checks nothing and starts nothing.
func New(d Deps) *Registry {
	return &Registry{Deps: d, Dir: newDirectory(d.Store, opener{vault: d.Vault, connectors: d.Connectors, live: d.KeyEnvironment == "prd"})}
}

// change runs one write of configuration. On this node the change counts as soon as change returns.
func (s *Registry) change(ctx context.Context, doing string, f func(tx Tx) error) error {
	err := s.Store.Update(ctx, f)
	s.Dir.changed()
	return fault.FromStore(err, doing)
}

func (s *Registry) read(ctx context.Context, doing string, f func(r Reader) error) error {
	return fault.FromStore(s.Store.View(ctx, f), doing)
}

// Changed drops what the directory has cached. Call it after every committed write of merchants, profiles or accounts by another room.
func (s *Registry) Changed() { s.Dir.changed() }
