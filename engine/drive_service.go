package engine

import (
	"log/slog"
	"sync"
	"time"
)

// Driver performs operations at adapters: the request, the lease, the guard before each send, the journal, and the evidence of what an open
// operation has done. It books nothing. Safe for concurrent use.
type Driver struct {
	DriverDeps
	messages messageBudgets
}

// DriverDeps are the parts and settings of a Driver. All are required.
type DriverDeps struct {
	Store      DriveStore
	Vault      *Vault
	Links      *Links
	Registry   *Registry
	Connectors Connectors
	Now        Clock
	Log        *slog.Logger
	Metrics    Metrics
	InFlight   *sync.WaitGroup // counts what Close waits for

	Node           string        // this node's name in leases
	PublicURL      string        // no trailing slash
	KeyEnvironment string        // prd lets accounts use the live environment of their adapter
	LeaseTime      time.Duration // how long an operation belongs to the node that drives it
	JournalKeep    time.Duration // less than 0: no journal is kept
}

// newDriver checks nothing and starts nothing.
func newDriver(d DriverDeps) *Driver { return &Driver{DriverDeps: d} }
