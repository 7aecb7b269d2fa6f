package engine

import (
	"context"
	"log/slog"
)

// Methods keeps what customers save: their records, saved payment methods, mandates, and the keys of their devices. Safe for concurrent use.
type Methods struct {
	store     StoreOf[MethodReader, MethodTx]
	vault     *Vault
	directory *directory
	now       Clock
	log       *slog.Logger
	bins      *BINTable // issuers' facts of cards that are typed; nil: those built in
}

// newMethods makes the service. bins may be nil; every other part is required.
func newMethods(store StoreOf[MethodReader, MethodTx], v *Vault, dir *directory, now Clock, log *slog.Logger, bins *BINTable) *Methods {
	return &Methods{store: store, vault: v, directory: dir, now: now, log: log, bins: bins}
}

// read runs f over one consistent snapshot; doing names the reading in the error of a store that fails.
func (s *Methods) read(ctx context.Context, doing string, f func(r MethodReader) error) error {
	return ours(s.store.View(ctx, f), doing)
}
