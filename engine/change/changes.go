package change

import (
	"context"
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/link"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Changes reads payments and commits decisions about them. A payment changes in no other way. Safe for concurrent use.
type Changes struct {
	Deps
	guards    guards
	customers seenCustomers
}

// Deps are the parts and settings of Changes. All are required.
type Deps struct {
	Store      Store
	Vault      *vault.Vault
	Links      *link.Links
	Registry   *account.Registry
	Methods    *method.Methods
	Driver     *drive.Driver
	Connectors port.Connectors
	Presenter  Presenter
	Now        port.Clock // the database's (drive.Driver.StoreNow)
	Log        *slog.Logger
	Metrics    port.Metrics

	// Perform drives an operation whose intent is durable, and settles it. Settle books a verdict on an operation. Both are the engine's: an effect of a
	// Change calls them after the commit.
	Perform func(ctx context.Context, w *Loaded) error
	Settle  func(ctx context.Context, w *Loaded, v evidence.Verdict) error
	// GivenBack returns what relays have given back of a payment's transaction, or may give back. The sum follows from the state of the relays.
	GivenBack func(ctx context.Context, p *payment.Payment, a *payment.Attempt) (sum int64, state *Relays, err error)

	Wake      func()        // makes the background work look for operations whose node has died
	News      func()        // makes the background work look for events to deliver
	PublicURL string        // no trailing slash
	LockWait  time.Duration // how long a second operation on a payment waits for the first
	Mocks     bool          // several payments may rest on one id of a processor
}

// Read runs f over one consistent snapshot. Its error is one that callers may see; doing says what failed.
func (s *Changes) Read(ctx context.Context, doing string, f func(r Reader) error) error {
	return fault.FromStore(s.Store.View(ctx, f), doing)
}
