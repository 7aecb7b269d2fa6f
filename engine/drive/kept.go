package drive

import (
	"context"

	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// UnderWay reports whether a run may be sending the operation now.
func (d *Driver) UnderWay(ctx context.Context, op *payment.Operation) (driven bool, err error) {
	if !op.Status.Open() {
		return false, nil
	}
	err = d.Store.View(ctx, func(r Reader) error { driven = op.UnderWay(r.Now()); return nil })
	if err != nil {
		return false, fault.Internal(err, "read the clock")
	}
	return driven, nil
}

// RecheckLater gives the lease back and sets the time of the next query, an hour away without an answer.
func (d *Driver) RecheckLater(ctx context.Context, op *payment.Operation, a *payment.Attempt, answered bool) error {
	return d.Store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil || fresh.Owner != d.Node || fresh.Status.Open() || fresh.Status == payment.OperationPending {
			return err
		}
		evidence.RecheckLater(fresh, a, answered, tx.Now())
		return tx.UpdateOperation(fresh)
	})
}
