package engine

import (
	"bytes"
	"context"
)

// busy says whether an operation on the payment is being driven right now.
func (e *Engine) busy(ctx context.Context, p *Payment) (bool, error) {
	if p.OpenOperation == "" {
		return false, nil
	}
	busy := false
	err := e.store.View(ctx, func(r Reader) error {
		op, err := r.Operation(p.OpenOperation)
		if err == nil {
			busy = op.Status == OperationStarted && r.Now().Before(op.LeaseUntil)
		}
		return err
	})
	if err != nil {
		return false, Internal(err, "read operation")
	}
	return busy, nil
}

// didAlready says whether an earlier try of the same request (by its Idempotency-Key) has made an operation on the payment. Its seed,
// derived from the request's token, gives it away.
func (e *Engine) didAlready(ctx context.Context, w *loaded) (bool, error) {
	ops, err := e.operationsOf(ctx, w.p)
	if err != nil {
		return false, err
	}
	for _, op := range ops {
		if bytes.Equal(op.Seed, e.driver.seed(w.token, op.Kind)) {
			return true, nil
		}
	}
	return false, nil
}
