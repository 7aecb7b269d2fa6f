package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Authentications runs 3-D Secure before a payment is authorized: the authenticator is asked, the payer's browser led through, and the result
// handed to exactly one authorization. Safe for concurrent use.
type Authentications struct {
	AuthenticationsDeps
	collecting collecting
}

// AuthenticationsDeps are the parts and settings of Authentications. All are required.
type AuthenticationsDeps struct {
	Store      ChangeStore
	Vault      *Vault
	Links      *Links
	Registry   *Registry
	Methods    *Methods
	Driver     *Driver
	Changes    *Changes
	Connectors Connectors
	Now        Clock
	Log        *slog.Logger
	Metrics    Metrics
	InFlight   *sync.WaitGroup // counts what Close waits for
	Closing    <-chan struct{} // closed when the engine closes
	// Resolve performs an authorization that was queued with the result of its authentication. leaseEnd is the end of this node's right to send.
	Resolve func(ctx context.Context, op *Operation, leaseEnd time.Time) error

	Node              string        // this node's name in leases
	PublicURL         string        // no trailing slash
	SDKOrigins        []string      // as of Options
	LeaseTime         time.Duration // how long an operation belongs to the node that drives it
	LockWait          time.Duration // how long a request waits for an authenticator that another request asks
	AuthenticatorTime time.Duration // how long an authenticator may take for one answer
}
