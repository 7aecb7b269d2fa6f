package change

import (
	"log/slog"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/link"
	"payswitch/engine/method"
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
	Now        port.Clock
	Log        *slog.Logger
	Metrics    port.Metrics

	Wake      func()        // makes the background work look for operations whose node has died
	News      func()        // makes the background work look for events to deliver
	PublicURL string        // no trailing slash
	LockWait  time.Duration // how long a second operation on a payment waits for the first
	Mocks     bool          // several payments may rest on one id of a processor
}
