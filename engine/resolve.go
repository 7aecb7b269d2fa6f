package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/threeds/flow"
)

// Run resolves open operations, at once and then every Options.ResolveEvery, and deletes expired rows. It blocks until ctx ends. Several
// nodes may run it at once: leases keep them apart.
func (e *Engine) Run(ctx context.Context) error {
	tick := time.NewTicker(e.opts.ResolveEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		e.resolveDue(ctx)
		e.SweepAuthentications(ctx)
		if n%12 == 0 {
			e.clearExpired(ctx)
			e.driver.ClearJournal(ctx)
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

// clearExpired deletes expired rows in small batches, so that other writers do not wait long.
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

// Close waits for operations in flight, until ctx ends. The next start resolves the operations that are still open then.
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

// resolveDue claims and resolves every operation that is due now.
func (e *Engine) resolveDue(ctx context.Context) {
	for ctx.Err() == nil {
		var ops []*payment.Operation
		leaseEnd := e.now().Add(e.opts.LeaseTime)
		err := e.store.Update(ctx, func(tx Tx) (err error) {
			ops, err = tx.ClaimOperations(e.opts.Node, tx.Now().Add(e.opts.LeaseTime), drive.ResolveBatch)
			_, err = account.LeftOut(nil, err) // an altered row must not stop the others
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
		if len(ops) < drive.ResolveBatch {
			return
		}
	}
}

// resolve settles one claimed operation by evidence, or schedules the next try.
func (e *Engine) resolve(ctx context.Context, op *payment.Operation, leaseEnd time.Time) error {
	if flow.AsksAuthenticator(op.Kind) {
		return e.AbandonCall(ctx, op)
	}
	w, err := e.changes.Load(ctx, op.MerchantID, op.PaymentID)
	if w != nil {
		defer e.driver.KeepRest(ctx, &w.Run)
	}
	if err == nil && w.Attempt.ID != op.AttemptID {
		w.Attempt, err = e.loadAttempt(ctx, op)
	}
	if err == nil && op.OfRefund() {
		w.Refund, err = e.refundOf(ctx, op)
	}
	if err == nil {
		w.Operation, w.LeaseEnd = op, leaseEnd
		err = e.changes.WithAccount(ctx, w)
	}
	if err != nil {
		e.driver.Reschedule(ctx, op, drive.UnknownRule, "not reachable: "+err.Error(), time.Time{})
		return err
	}
	if op.Status == payment.OperationPending && !op.OfRefund() && !payment.AwaitsEnd(w.Attempt.Status) {
		return e.closeStale(ctx, op)
	}
	e.driver.RecordLost(ctx, &w.Run)
	e.saveCardOfLostRun(ctx, w)
	v, how, err := e.driver.FindEvidence(ctx, &w.Run)
	if err != nil {
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, err.Error(), time.Time{})
		return err
	}
	if v.Busy { // nothing was sent now: the account's limit says nothing of the operation
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, v.Text, time.Time{})
		return nil
	}
	if w.Attempt.Authenticated() && (v.Status == payment.OperationRejected || v.Status == payment.OperationFailed) {
		v = payment.Verdict{Status: payment.OperationNotActed, Text: v.Text} // the customer has left, so the answer must not ask the customer to pay in another way
	}
	if v.Status == payment.OperationUnknown || op.Status == payment.OperationPending && v.Status == payment.OperationPending && !tellsNews(w, v) {
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, v.Text, v.Again)
		return nil
	}
	e.log.LogAttrs(ctx, slog.LevelInfo, "operation resolved", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.String("by", how), slog.String("status", string(v.Status)))
	return e.settle(ctx, w, v)
}

// closeStale ends a pending operation of a payment that has moved on.
func (e *Engine) closeStale(ctx context.Context, op *payment.Operation) error {
	return e.store.Update(ctx, func(tx Tx) error { return change.ClosePending(tx, op.ID, tx.Now()) })
}

func (e *Engine) loadAttempt(ctx context.Context, op *payment.Operation) (a *payment.Attempt, err error) {
	err = e.store.View(ctx, func(r Reader) error { a, err = r.Attempt(op.MerchantID, op.AttemptID); return err })
	if errors.Is(err, fault.ErrNotFound) {
		return nil, fault.NotFound("Payment attempt")
	}
	if err != nil {
		return nil, fault.Internal(err, "read attempt")
	}
	return a, e.vault.OpenAttempt(a)
}
