package method

import (
	"context"
	"log/slog"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Methods keeps the data that customers save: their records, saved payment methods, mandates, and the keys of their devices. Safe for
// concurrent use.
type Methods struct {
	store     port.StoreOf[Reader, Tx]
	vault     *vault.Vault
	directory *account.Directory
	now       port.Clock
	log       *slog.Logger
	bins      *card.BINTable // issuers' facts about typed cards; nil: built-in facts only
}

// New builds the service. bins may be nil; every other part is required.
func New(store port.StoreOf[Reader, Tx], v *vault.Vault, dir *account.Directory, now port.Clock, log *slog.Logger, bins *card.BINTable) *Methods {
	return &Methods{store: store, vault: v, directory: dir, now: now, log: log, bins: bins}
}

// read runs f over one consistent snapshot. doing names the reading in the error of a store that fails.
func (s *Methods) read(ctx context.Context, doing string, f func(r Reader) error) error {
	return fault.FromStore(s.store.View(ctx, f), doing)
}
