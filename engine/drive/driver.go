package drive

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/evidence"
	"payswitch/engine/link"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Driver performs operations at adapters: the request, the lease, the guard before each send, the journal, and the evidence about an open
// operation. It books nothing. Safe for concurrent use.
type Driver struct {
	Deps
	messages messageBudgets
	asked    queryBudgets // by messages without proof
	payers   queryBudgets // by payers
	clock    clockWatch
	held     holds
}

// Deps are the parts and settings of a Driver. All but Monotonic are required.
type Deps struct {
	Store      Store
	Vault      *vault.Vault
	Links      *link.Links
	Registry   *account.Registry
	Connectors port.Connectors
	Now        port.Clock // the node's own; its times keep their monotonic reading
	Monotonic  port.Clock // its times are compared by their monotonic readings; nil: time.Now
	Log        *slog.Logger
	Metrics    port.Metrics
	// Relayed adds to an attempt what relays have captured of its transaction.
	Relayed  func(context.Context, *payment.Payment, *payment.Attempt) error
	InFlight *sync.WaitGroup // counts the operations that Close waits for

	Node         string        // this node's name in leases
	PublicURL    string        // no trailing slash
	LeaseTime    time.Duration // how long an operation belongs to the node that drives it
	PayerWait    time.Duration // how long after its start an operation that can charge is sent again
	ResolvePause time.Duration // the longest time between two queries about an operation without an end
	JournalKeep  time.Duration // 0 or less: no journal is kept
}

// Timing returns the durations that decide about open operations, corrected for jumps of the clock.
func (d *Driver) Timing() evidence.Timing {
	return evidence.Timing{Lease: d.LeaseTime, Payer: d.PayerWait, Pause: d.ResolvePause, Age: d.age, SentBy: d.sentBy}
}

// New builds a Driver from d. It checks nothing and starts nothing.
func New(d Deps) *Driver { return &Driver{Deps: d, clock: clockWatch{mono: d.Monotonic}} }
