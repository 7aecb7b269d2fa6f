package engine

import (
	"log/slog"
	"time"
)

// Changes reads payments and commits what is decided about them: the one way in which a payment changes. Safe for concurrent use.
type Changes struct{ ChangesDeps }

// ChangesDeps are the parts and settings of Changes. All are required.
type ChangesDeps struct {
	Store      ChangeStore
	Vault      *Vault
	Links      *Links
	Registry   *Registry
	Methods    *Methods
	Driver     *Driver
	Connectors Connectors
	Presenter  Presenter
	Now        Clock
	Log        *slog.Logger
	Metrics    Metrics

	PublicURL string        // no trailing slash
	LockWait  time.Duration // how long a second operation on a payment waits for the first
}
