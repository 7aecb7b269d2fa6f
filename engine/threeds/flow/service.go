package flow

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/link"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// Authentications runs 3-D Secure before a payment is authorized: the authenticator is asked, the payer's browser led through, and the result
// handed to exactly one authorization. Safe for concurrent use.
type Authentications struct {
	Deps
	collecting collecting
}

// Deps are the parts and settings of Authentications. All are required.
type Deps struct {
	Store      change.Store
	Vault      *vault.Vault
	Links      *link.Links
	Registry   *account.Registry
	Methods    *method.Methods
	Driver     *drive.Driver
	Changes    *change.Changes
	Connectors port.Connectors
	Now        port.Clock // the database's (drive.Driver.StoreNow)
	Log        *slog.Logger
	Metrics    port.Metrics
	InFlight   *sync.WaitGroup // counts what Close waits for
	Closing    <-chan struct{} // closed when the engine closes
	// Resolve performs an authorization that was queued with the result of its authentication. leaseEnd is the end of this node's right to send.
	Resolve func(ctx context.Context, op *payment.Operation, leaseEnd time.Time) error
	// RecheckCard fails a payment whose card the merchant has blocked during the authentication, and reports whether it did.
	RecheckCard func(ctx context.Context, w *change.Loaded, number secret.Value, now time.Time) (bool, error)

	Node              string        // this node's name in leases
	PublicURL         string        // no trailing slash
	SDKOrigins        []string      // as of Options
	LeaseTime         time.Duration // how long an operation belongs to the node that drives it
	LockWait          time.Duration // how long a request waits for an authenticator that another request asks
	AuthenticatorTime time.Duration // how long an authenticator may take for one answer
}
