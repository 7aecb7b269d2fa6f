package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/sdk"
)

// Violation is a rule of the host's that an adapter broke, as it is kept with the connector account. It holds names of rules, hosts, headers
// and fields, never a value.
type Violation struct {
	MerchantID  string
	AccountID   string
	At          time.Time
	OperationID string
	Operation   sdk.Operation
	Adapter     string
	AdapterHash string
	Rule        string // as metrics name it
	Place       string // where, and what was wrong there; at most MaxPlace bytes
}

// MaxPlace bounds Violation.Place, in bytes.
const MaxPlace = 300

// keptViolations is how many of an account's violations are kept: the newest.
const keptViolations = 100

// violationReader reads violations.
type violationReader interface {
	// Violations of an account, newest first.
	Violations(merchantID, accountID string, limit int) ([]*Violation, error)
}

// violationTx writes violations.
type violationTx interface {
	// InsertViolation adds one and removes the account's oldest beyond keep. ErrNotFound when there is no such account. They go with it.
	InsertViolation(v *Violation, keep int) error
}

// watched are the connectors, with every violation of a drive kept, whoever asked for it.
type watched struct {
	Connectors
	engine *Engine
}

// Drive implements Connectors.
func (w watched) Drive(ctx context.Context, d *Drive) (*DriveResult, error) {
	r, err := w.Connectors.Drive(ctx, d)
	if r != nil && len(r.Violations) > 0 && d.Account.MerchantID != "" {
		w.engine.keepViolations(ctx, d, r.Violations)
	}
	return r, err
}

// keepViolations writes what a drive broke. That it cannot is no reason to fail the operation: metrics and log have it.
func (e *Engine) keepViolations(ctx context.Context, d *Drive, broken []Violation) {
	err := e.store.Update(context.WithoutCancel(ctx), func(tx Tx) error {
		for _, v := range broken {
			v.MerchantID, v.AccountID, v.At = d.Account.MerchantID, d.Account.ID, tx.Now()
			if err := tx.InsertViolation(&v, keptViolations); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) { // an account that was deleted meanwhile
		e.log.LogAttrs(ctx, slog.LevelError, "violations not kept", slog.String("operation_id", d.OperationID), slog.Any("error", err))
	}
}

// Violations lists the rules that a connector account's adapter broke, the newest first, as many as are kept. Errors: HE_02.
func (e *Engine) Violations(ctx context.Context, a Auth, id string) (list []*Violation, err error) {
	err = e.read(ctx, "list violations", func(r Reader) error {
		if _, err := accountOf(r, a, id); err != nil {
			return err
		}
		list, err = r.Violations(a.MerchantID, id, keptViolations)
		return err
	})
	return list, err
}
