package account

import (
	"context"
	"errors"
	"log/slog"

	"payswitch/engine/fault"
	"payswitch/engine/port"
)

// keptViolations is the number of violations that are kept per account: the newest ones.
const keptViolations = 100

// Watched wraps Connectors and stores every violation of a drive, whichever use case has started the drive.
type Watched struct {
	port.Connectors
	Registry *Registry
}

// Drive implements Connectors.
func (w Watched) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	r, err := w.Connectors.Drive(ctx, d)
	if r != nil && len(r.Violations) > 0 && d.Account.MerchantID != "" {
		w.Registry.keepViolations(ctx, d, r.Violations)
	}
	return r, err
}

// keepViolations stores a drive's violations. If the store fails, the operation goes on: metrics and log have the violations too.
func (s *Registry) keepViolations(ctx context.Context, d *port.Drive, broken []port.Violation) {
	err := s.Store.Update(context.WithoutCancel(ctx), func(tx Tx) error {
		for _, v := range broken {
			v.MerchantID, v.AccountID, v.At = d.Account.MerchantID, d.Account.ID, tx.Now()
			if err := tx.InsertViolation(&v, keptViolations); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fault.ErrNotFound) { // not found: the account was deleted meanwhile
		s.Log.LogAttrs(ctx, slog.LevelError, "the violations of an adapter could not be stored", slog.String("operation_id", d.OperationID), slog.Any("error", err))
	}
}

// Violations lists the rules that a connector account's adapter has broken, newest first, as many as are kept. Errors: HE_02.
func (s *Registry) Violations(ctx context.Context, a Auth, id string) (list []*port.Violation, err error) {
	err = s.read(ctx, "list violations", func(r Reader) error {
		if _, err := accountOf(r, a, id); err != nil {
			return err
		}
		list, err = r.Violations(a.MerchantID, id, keptViolations)
		return err
	})
	return list, err
}
