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
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/resolve"
	"payswitch/engine/threeds/flow"
)

// Run resolves what is open, at once and then every Options.ResolveEvery, and clears what has expired. It blocks until ctx ends.
// Any number of nodes may run it: leases keep them apart.
//
// Each kind of work has a loop of its own, so that a processor or authenticator that does not answer delays only its own operations.
func (e *Engine) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !e.beginLoops() {
		return nil
	}
	defer e.inFlight.Done()
	go func() {
		select {
		case <-e.closing:
			stop()
		case <-ctx.Done():
		}
	}()
	var loops sync.WaitGroup
	due := resolve.Loop{Store: e.changes.Store, Driver: e.driver, Metrics: e.metrics, Log: e.log, Node: e.opts.Node, Every: e.opts.ResolveEvery,
		LeaseTime: e.opts.LeaseTime, Wake: e.wake, InFlight: e.inFlight, Resolve: e.resolve}
	loops.Go(func() { due.Run(ctx) })
	loops.Go(func() { e.Webhooks.Run(ctx) })
	loops.Go(func() { e.Registry.Dir.Watch(ctx, e.opts.ConfigEvery) })
	for _, l := range []struct {
		name  string
		every time.Duration
		run   func(context.Context) error
		wake  <-chan struct{} // asks for a run before its time; nil: nothing does
	}{
		{"authentications", e.opts.ResolveEvery, e.SweepAuthentications, nil},
		{"expiry", 12 * e.opts.ResolveEvery, e.clearExpired, nil},
		{"blocklist", e.opts.ResolveEvery, e.RunJobs, nil},
		{"journal", 12 * e.opts.ResolveEvery, e.driver.ClearJournal, nil},
		{"health", 3 * e.opts.ResolveEvery, e.health.Sweep, e.health.Wake()},
		{"lists", 6 * e.opts.ResolveEvery, e.filler.Fill, nil},
		{"relays", 12 * e.opts.ResolveEvery, e.Relays.Sweep, nil},
	} {
		loops.Go(func() {
			tick := time.NewTicker(l.every)
			defer tick.Stop()
			for {
				calm, err := e.driver.ClockIsCalm(ctx) // after a jump, living work looks abandoned and valid rows look expired
				if calm {
					err = l.run(ctx)
				}
				switch {
				case ctx.Err() != nil:
					return
				case err == nil && !calm:
				case err != nil:
					e.log.LogAttrs(ctx, slog.LevelError, "a background loop failed; its lateness grows until a run succeeds", slog.String("loop", l.name), slog.Any("error", err))
				default:
					e.metrics.Swept(l.name, 0, l.every) // a run handles all that is due
				}
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				case <-l.wake:
				}
			}
		})
	}
	loops.Wait()
	return nil
}

// clearExpired removes expired rows, and credentials that no payment needs any more. It removes some at a time, so that no request waits long
// for the writer.
func (e *Engine) clearExpired(ctx context.Context) error {
	for gone := 1; gone > 0 && ctx.Err() == nil; {
		err := e.store.Update(ctx, func(tx Tx) (err error) { gone, err = tx.DeleteExpired(); return err })
		if err != nil {
			return err
		}
	}
	return e.SweepVersions(ctx)
}

// beginLoops makes Close wait for the background loops, which begin operations. It returns false once Close has been called.
func (e *Engine) beginLoops() bool {
	e.loops.Lock()
	defer e.loops.Unlock()
	select {
	case <-e.closing:
		return false
	default:
		e.inFlight.Add(1)
		return true
	}
}

// Close waits for operations in flight, until ctx ends. The next start resolves the operations that are still open then.
func (e *Engine) Close(ctx context.Context) error {
	e.closed.Do(func() {
		e.loops.Lock()
		defer e.loops.Unlock()
		close(e.closing)
	})
	done := make(chan struct{})
	go func() { e.inFlight.Wait(); close(done) }()
	select {
	case <-done:
		if err := e.health.Save(ctx); err != nil { // the counts since the latest sweep are lost, and nothing else
			e.log.LogAttrs(ctx, slog.LevelWarn, "the health of connector accounts was not saved", slog.Any("error", err))
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resolveQueued performs an operation that was committed under a lease of this node, to be sent right after.
func (e *Engine) resolveQueued(ctx context.Context, op *payment.Operation, leaseEnd time.Time) error {
	end, _ := e.driver.Hold(op.ID)
	defer end()
	return e.resolve(ctx, op, leaseEnd)
}

// resolve settles one claimed operation by evidence, or schedules the next try.
func (e *Engine) resolve(ctx context.Context, op *payment.Operation, leaseEnd time.Time) error {
	if flow.AsksAuthenticator(op.Kind) {
		return e.AbandonCall(ctx, op)
	}
	w, next, err := e.loadOpen(ctx, op, leaseEnd)
	if w != nil {
		defer e.driver.FlushJournal(ctx, &w.Run)
	}
	if err != nil {
		e.driver.Reschedule(ctx, op, drive.UnknownRule, "not reachable: "+err.Error(), time.Time{})
		return err
	}
	switch next {
	case evidence.ResolveRecheck:
		return e.reports.Recheck(ctx, w, op)
	case evidence.ResolveClose:
		return e.closeStale(ctx, op)
	case evidence.ResolveWait:
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, "another operation on the payment is under way", time.Time{})
		return nil
	}
	e.driver.JournalLostRun(ctx, &w.Run)
	e.saveCardOfLostRun(ctx, w)
	unsent := op.Unsent() // its first request leaves now
	v, how, err := evidence.Verdict{}, evidence.Way(""), error(nil)
	if given, ends := evidence.GiveUpRefund(w.Payment, op); ends {
		v, unsent = given, false
	} else {
		v, how, err = e.driver.FindEvidence(ctx, &w.Run)
	}
	if err != nil {
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, err.Error(), time.Time{})
		return err
	}
	if v.Busy { // nothing was sent now: the account's limit proves nothing about the operation
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, v.Text, time.Time{})
		return nil
	}
	if unsent {
		w.Retry = e.RetryAuthenticated(ctx, w)
		e.routes.Observe(w, v, true)()
	}
	if w.Attempt.Authenticated() && (v.Status == payment.OperationRejected || v.Status == payment.OperationFailed) {
		v = evidence.Verdict{Status: payment.OperationNotActed, Text: v.Text} // the customer has left, so the answer must not ask the customer to pay in another way
	}
	return e.settleFound(ctx, w, v, how)
}

// loadOpen reads what resolve needs of a claimed operation, and decides the next step. A recheck needs no account.
func (e *Engine) loadOpen(ctx context.Context, op *payment.Operation, leaseEnd time.Time) (w *change.Loaded, next evidence.ResolveStep, err error) {
	if w, err = e.changes.Load(ctx, op.MerchantID, op.PaymentID); err != nil {
		return w, next, err
	}
	if err = e.changes.AttemptOf(ctx, w, op.AttemptID); err != nil {
		return w, next, err
	}
	if next = evidence.NextResolve(w.Payment, w.Attempt, op); next == evidence.ResolveRecheck {
		return w, next, nil
	}
	switch {
	case op.OfRefund():
		w.Refund, err = e.Refunds.Of(ctx, op)
	case op.OfDispute():
		w.Dispute, err = e.Disputes.Of(ctx, op)
	}
	if err != nil {
		return w, next, err
	}
	w.Operation, w.LeaseEnd, w.Lease = op, leaseEnd, op.LeaseUntil
	return w, next, e.changes.WithAccount(ctx, w)
}

// settleFound books the evidence about a claimed operation, or schedules the next query if the evidence brings nothing new. how names the evidence in
// the log.
func (e *Engine) settleFound(ctx context.Context, w *change.Loaded, v evidence.Verdict, how evidence.Way) error {
	op := w.Operation
	if changesNothing(w, v) {
		if v.Alarm != "" && v.Text != op.ErrorText { // once
			e.metrics.Alarm(v.Alarm)
			e.log.LogAttrs(ctx, slog.LevelError, "the processor's report does not fit an open operation", slog.String("operation_id", op.ID),
				slog.String("payment_id", op.PaymentID), slog.String("alarm", string(v.Alarm)), slog.String("text", v.Text))
		}
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, v.Text, v.Again)
		if w.Attempt.Details.CancelWanted && w.Payment.Status == payment.RequiresCustomerAction && v.Status == payment.OperationPending {
			_, err := e.CancelPayment(ctx, account.Auth{MerchantID: op.MerchantID}, op.PaymentID, w.Attempt.Details.CancelReason)
			return err
		}
		return nil
	}
	err := e.settle(ctx, w, v)
	if err == nil {
		e.changes.LogResolved(ctx, w, v, how)
	}
	if errors.Is(err, change.ErrStale) {
		e.driver.Reschedule(ctx, op, w.Adapter.Manifest.Resolve, err.Error(), time.Time{})
		return nil
	}
	return err
}

// changesNothing reports whether a verdict on an open operation leaves it as it is. Messages and answers repeat, and come in any order.
func changesNothing(w *change.Loaded, v evidence.Verdict) bool {
	return v.Status == payment.OperationUnknown ||
		w.Operation.Status == payment.OperationPending && v.Status == payment.OperationPending && !hasNews(w, v)
}

// hasNews reports whether a pending answer has new facts about a pending operation.
func hasNews(w *change.Loaded, v evidence.Verdict) bool {
	if w.Operation.OfRefund() {
		return evidence.BringsRefundNews(w.Refund, v)
	}
	if w.Operation.OfDispute() {
		return v.Status != payment.OperationPending
	}
	return evidence.BringsNews(w.Attempt, v)
}

// closeStale ends a pending operation of a payment that has moved on.
func (e *Engine) closeStale(ctx context.Context, op *payment.Operation) error {
	return e.store.Update(ctx, func(tx Tx) error { return change.ClosePending(tx, op.ID, tx.Now()) })
}

// saveCardOfLostRun saves the card of an operation whose node has died, while the card can still be read. Evidence about the payment may
// arrive only after the card and CVC are destroyed.
func (e *Engine) saveCardOfLostRun(ctx context.Context, w *change.Loaded) {
	if w.Attempt.Details.Save == "" || w.Attempt.Details.MethodID != "" || len(w.Operation.Instrument) == 0 || w.Attempt.Status.Refused() || w.Attempt.Status.Approved() {
		return
	}
	if w.Operation.Status == payment.OperationUnknown && w.Operation.LastSendAt.IsZero() {
		return // the next drive sends the operation and saves the card
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	p, a := w.Payment.Clone(), w.Attempt.Clone()
	saved, err := e.DecideSaved(ctx, saveInput(w, p, a), now)
	if err == nil && saved != nil && saved.Method != nil {
		if err = e.changes.Commit(ctx, &change.Change{Payment: p, Attempt: a, Saved: saved}); err == nil {
			w.Payment, w.Attempt, w.Method = p, a, saved.Method
		}
	}
	if err != nil { // the next try, or the settlement, saves the card
		e.log.LogAttrs(ctx, slog.LevelWarn, "card not kept yet", slog.String("operation_id", w.Operation.ID), slog.Any("error", err))
	}
}
