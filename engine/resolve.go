package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Run resolves what is open, at once and then every Options.ResolveEvery, and clears what has expired. It blocks until ctx ends.
// Any number of nodes may run it: leases keep them apart.
func (e *Engine) Run(ctx context.Context) error {
	tick := time.NewTicker(e.opts.ResolveEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		e.resolveDue(ctx)
		e.sweepAuthentications(ctx)
		if n%12 == 0 {
			e.clearExpired(ctx)
			e.driver.clearJournal(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-e.closing:
			return nil
		case <-tick.C:
		}
	}
}

// clearExpired removes what has expired, some at a time so that nobody waits long for the writer.
func (e *Engine) clearExpired(ctx context.Context) {
	for gone := 1; gone > 0 && ctx.Err() == nil; {
		err := e.store.Update(ctx, func(tx Tx) (err error) { gone, err = tx.DeleteExpired(); return err })
		if err != nil {
			if ctx.Err() == nil {
				e.log.LogAttrs(ctx, slog.LevelError, "clearing expired rows failed", slog.Any("error", err))
			}
			return
		}
	}
}

// Close waits for operations in flight, until ctx ends. What is open then is resolved after the next start.
func (e *Engine) Close(ctx context.Context) error {
	e.closed.Do(func() { close(e.closing) })
	done := make(chan struct{})
	go func() { e.inFlight.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resolveDue claims and resolves everything that is due now.
func (e *Engine) resolveDue(ctx context.Context) {
	for ctx.Err() == nil {
		var ops []*Operation
		leaseEnd := e.now().Add(e.opts.LeaseTime)
		err := e.store.Update(ctx, func(tx Tx) (err error) {
			ops, err = tx.ClaimOperations(e.opts.Node, tx.Now().Add(e.opts.LeaseTime), resolveBatch)
			_, err = leftOut(nil, err) // the others go on
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				e.log.LogAttrs(ctx, slog.LevelError, "claiming open operations failed", slog.Any("error", err))
			}
			return
		}
		var wg sync.WaitGroup
		for _, op := range ops {
			wg.Add(1)
			e.inFlight.Add(1)
			go func() {
				defer wg.Done()
				defer e.inFlight.Done()
				if err := e.resolve(context.WithoutCancel(ctx), op, leaseEnd); err != nil {
					e.log.LogAttrs(ctx, slog.LevelWarn, "operation not resolved yet", slog.String("operation_id", op.ID), slog.Any("error", err))
				}
			}()
		}
		wg.Wait()
		if len(ops) < resolveBatch {
			return
		}
	}
}

// resolve settles one claimed operation by evidence, or schedules the next try.
func (e *Engine) resolve(ctx context.Context, op *Operation, leaseEnd time.Time) error {
	if asksAuthenticator(op.Kind) {
		return e.abandonCall(ctx, op)
	}
	w, err := e.changes.load(ctx, op.MerchantID, op.PaymentID)
	if w != nil {
		defer e.driver.keepRest(ctx, &w.run)
	}
	if err == nil && w.a.ID != op.AttemptID {
		w.a, err = e.loadAttempt(ctx, op)
	}
	if err == nil {
		w.op, w.leaseEnd = op, leaseEnd
		err = e.changes.withAccount(ctx, w)
	}
	if err != nil {
		e.driver.reschedule(ctx, op, unknownRule, "not reachable: "+err.Error(), time.Time{})
		return err
	}
	if op.Status == OperationPending && !waits(w.a.Status) {
		return e.closeStale(ctx, op)
	}
	e.driver.recordLost(ctx, &w.run)
	e.keepCardOf(ctx, w)
	v, how, err := e.driver.evidence(ctx, &w.run)
	if err != nil {
		e.driver.reschedule(ctx, op, w.adapter.Manifest.Resolve, err.Error(), time.Time{})
		return err
	}
	if w.a.authenticated() && (v.status == OperationRejected || v.status == OperationFailed) {
		v = verdict{status: OperationNotActed, text: v.text} // the customer is gone: nobody is told to send it again in another way
	}
	if v.status == OperationUnknown || op.Status == OperationPending && v.status == OperationPending && !moves(w.a, v) {
		e.driver.reschedule(ctx, op, w.adapter.Manifest.Resolve, v.text, v.again)
		return nil
	}
	e.log.LogAttrs(ctx, slog.LevelInfo, "operation resolved", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.String("by", how), slog.String("status", string(v.status)))
	return e.settle(ctx, w, v)
}

// closeStale ends a pending operation that the payment has moved beyond.
func (e *Engine) closeStale(ctx context.Context, op *Operation) error {
	return e.store.Update(ctx, func(tx Tx) error { return closePending(tx, op.ID, tx.Now()) })
}

func (e *Engine) loadAttempt(ctx context.Context, op *Operation) (a *Attempt, err error) {
	err = e.store.View(ctx, func(r Reader) error { a, err = r.Attempt(op.MerchantID, op.AttemptID); return err })
	if errors.Is(err, ErrNotFound) {
		return nil, NotFound("Payment attempt")
	}
	if err != nil {
		return nil, Internal(err, "read attempt")
	}
	return a, e.vault.openAttempt(a)
}
