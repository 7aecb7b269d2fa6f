package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/routing"
	"payswitch/sdk"
)

// settle books a verdict: payment, attempt, operation and the merchant's event move together. It is idempotent and retried until durable; when that
// takes longer than Options.SettleTimeout it goes on in the background, and the answer shows the payment as the store has it (processing).
// change.ErrStale and, to a run without a lease, change.ErrLeased say that nothing was booked. An operation that another run has closed is not closed
// again: settle keeps the verdict as evidence.
func (e *Engine) settle(ctx context.Context, w *change.Loaded, v evidence.Verdict) error {
	if v.Outcome == nil && v.Text != "" || v.Alarm != "" {
		e.log.LogAttrs(ctx, slog.LevelWarn, "operation did not end cleanly", slog.String("operation_id", w.Operation.ID), slog.String("kind", string(w.Operation.Kind)),
			slog.String("connector", w.Operation.Connector), slog.String("status", string(v.Status)), slog.String("alarm", string(v.Alarm)), slog.String("text", v.Text))
	}
	started, count := e.driver.Now(), e.routes.Observe(w, v, w.Fresh)
	for try := 0; ; try++ {
		err := e.settleOnce(ctx, w, v)
		if err == nil {
			break
		}
		if errors.Is(err, change.ErrStale) && w.Fresh {
			return e.yieldToResolution(ctx, w, v)
		}
		if errors.Is(err, change.ErrStale) || errors.Is(err, change.ErrLeased) && w.Lease.IsZero() {
			return err
		}
		e.log.LogAttrs(ctx, slog.LevelError, "settle failed, trying again", slog.String("operation_id", w.Operation.ID), slog.Any("error", err))
		if e.driver.Now().Sub(started) > e.opts.SettleTimeout {
			e.inFlight.Add(1)
			late, end := *w, func() {}
			if !w.Lease.IsZero() { // a run without a lease waits for the runs with one, and must not pass for one of them
				end, _ = e.driver.Hold(w.Operation.ID)
			}
			go func() {
				defer e.inFlight.Done()
				end := sync.OnceFunc(end)
				defer end()
				e.settleLater(ctx, &late, v, end)
				e.driver.FlushJournal(ctx, &late.Run)
			}()
			w.Journal = nil
			return nil
		}
		time.Sleep(min(time.Second, 10*time.Millisecond<<min(try, 7)))
	}
	count()
	e.driver.FlushJournal(ctx, &w.Run)
	if w.Retried {
		return w.RetryErr
	}
	return drive.CallerError(routing.EndFailed(w, v), w.Operation.Kind, w.Account.Connector)
}

// settleLater goes on until the verdict is booked. After one lease time, an error may last: then release ends the hold, so that resolution can look for
// the outcome. A verdict with an answer is still tried, as one of a run without a lease: it is booked, or kept as evidence of what is known by then.
func (e *Engine) settleLater(ctx context.Context, w *change.Loaded, v evidence.Verdict, release func()) {
	pause, until := time.Second, time.Now().Add(e.opts.LeaseTime)
	for {
		select {
		case <-e.closing:
			return // the lease ends, and recovery resolves the operation
		case <-time.After(pause):
		}
		err := e.settleOnce(ctx, w, v)
		if err == nil || errors.Is(err, change.ErrStale) {
			return
		}
		if time.Now().Before(until) {
			continue
		}
		if !w.Lease.IsZero() {
			e.log.LogAttrs(ctx, slog.LevelError, "a result could not be booked for a lease time; resolution looks for the outcome too",
				slog.String("operation_id", w.Operation.ID), slog.String("payment_id", w.Payment.ID), slog.Any("error", err))
			release()
			w.Lease = time.Time{}
		}
		if v.Silent() {
			return // resolution finds more
		}
		pause = min(2*pause, time.Minute)
	}
}

// yieldToResolution ends a first run that knows nothing, after resolution has taken its operation: resolution books what happened. The answer shows the
// payment as the store has it.
func (e *Engine) yieldToResolution(ctx context.Context, w *change.Loaded, v evidence.Verdict) error {
	e.log.LogAttrs(ctx, slog.LevelWarn, "a run ended after its lease; resolution goes on", slog.String("operation_id", w.Operation.ID), slog.String("status", string(v.Status)))
	e.driver.FlushJournal(ctx, &w.Run)
	if err := e.reload(ctx, w); err != nil && !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

var errClosed = errors.New("the operation is closed already")

// settleOnce decides the change of a verdict and commits it. It decides again after each conflict with another writer.
func (e *Engine) settleOnce(ctx context.Context, w *change.Loaded, v evidence.Verdict) error {
	for {
		c, err := e.settlement(ctx, w, v)
		if err != nil {
			return err
		}
		err = e.changes.Commit(ctx, c)
		if failed := (change.NotSaved{}); errors.As(err, &failed) {
			w.SaveTries.Count(err)
		}
		if errors.Is(err, change.ErrOtherID) {
			v = evidence.OfAnother(v, w.Operation)
			continue
		}
		if errors.Is(err, fault.ErrConflict) {
			if err := e.reload(ctx, w); errors.Is(err, errClosed) && w.Refund != nil && v.Outcome != nil {
				return e.Refunds.BookMessage(ctx, w, v.Outcome)
			} else if errors.Is(err, errClosed) && w.Dispute != nil {
				return e.Disputes.BookLate(ctx, w, v)
			} else if errors.Is(err, errClosed) {
				return e.reports.Keep(ctx, w, drive.SourceSettle, v.Outcome)
			} else if err != nil {
				return err
			}
			continue
		}
		return err
	}
}

// settlement returns the change of a verdict: the payment, its attempt and operation, the customer's saved card, and the effects.
func (e *Engine) settlement(ctx context.Context, w *change.Loaded, v evidence.Verdict) (*change.Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	if w.Operation.OfRefund() {
		return e.Refunds.Settlement(w, v, now)
	}
	if w.Operation.OfDispute() {
		return e.Disputes.Settlement(w, v, now)
	}
	if w.Payment.Occupied(w.Attempt, w.Operation) {
		return nil, change.ErrStale
	}
	v = routing.EndFailed(w, v)
	declined, err := e.SchemeDecline(ctx, w, v, now)
	if err != nil {
		return nil, err
	}
	taken, err := e.changes.EarlierCharge(ctx, w)
	if err != nil {
		return nil, err
	}
	if next, err := e.routes.NextAttempt(ctx, w, v, now, declined.NoRetry() || taken != nil); err != nil {
		e.log.LogAttrs(ctx, slog.LevelError, "the decision about another attempt failed; none follows", slog.String("operation_id", w.Operation.ID), slog.Any("error", err))
	} else if next != nil {
		if c, err := e.bookFailedAttempt(ctx, w, v, next, declined, now); !errors.Is(err, errNotFailed) {
			return c, err
		}
	}
	if !w.Fresh {
		evidence.MarkUnattended(w.Attempt, w.Operation)
	}
	if !w.Operation.Charges() {
		if err := e.Relays.Know(ctx, w.Payment, w.Attempt); err != nil {
			return nil, err
		}
	}
	b := evidence.Book(w.Payment, w.Attempt, w.Operation, w.Adapter.Manifest, v, now)
	e.routes.Unify(ctx, &b, v)
	b.Operation.QueryBy(now.Add(e.opts.ResolvePause))
	c := &change.Change{Payment: b.Payment, Attempt: b.Attempt, Claims: b.Claims}
	c.Settle(w, b.Operation, v)
	relay.AskAfter(c, w.Attempt, now)
	if op := c.Settled; op.Kind == sdk.OpVoid && e.Holds(op.StartedAt) { // a relay or capture that was lost with the database may have taken a part before
		op.QueryNow(now)
	}
	c.Effects = append(c.Effects, func(context.Context) error { // the answer shows the payment as the store has it
		w.Payment, w.Attempt, w.Operation, w.Journal = b.Payment, b.Attempt, b.Operation, nil
		return nil
	})
	cancels, err := e.addFollowing(w, &b, c, now)
	if err != nil {
		return nil, err
	}
	if err := e.saveSettled(ctx, w, &b, c, now); err != nil {
		return nil, err
	}
	c.Exemption, c.Guard = change.CountExemption(&b), change.CountGuard(b.Attempt, now)
	e.CountSchemeDecline(ctx, declined, b.Attempt, c, now)
	if cancels {
		return c, nil // the end of the void is announced
	}
	return e.announceSettled(ctx, w, &b, c, taken, declined.NoRetry(), now)
}

// addFollowing adds the operations that a verdict leads to. It voids the funds of a cancelled payment, and funds that are too little. It releases the
// rest of a partial capture, and replaces an operation that did not happen. cancels is true if the payment is being cancelled.
func (e *Engine) addFollowing(w *change.Loaded, b *evidence.Booking, c *change.Change, now time.Time) (cancels bool, err error) {
	if cancels, err = e.cancelAfter(w, b, c, now); err != nil {
		return false, err
	}
	if b.Release {
		if b.Payment.OpenOperation, err = e.changes.AddVoid(c, w, b.Attempt.Authorized-b.Attempt.Captured, "the release of a partial capture's rest", now); err != nil {
			return false, err
		}
	}
	if b.VoidLess {
		if b.Attempt.Details.LateVoid, err = e.changes.AddVoid(c, w, b.Attempt.Authorized, "the void of funds that are too little", now); err != nil {
			return false, err
		}
	}
	return cancels, e.addReplacement(w, b, c, now)
}

// announceSettled ends the change of a settlement with the next step of the payment, or with the merchant's event. taken is an earlier attempt whose money was
// taken, nil for none. noRetry says that the scheme forbids another try of the card.
func (e *Engine) announceSettled(ctx context.Context, w *change.Loaded, b *evidence.Booking, c *change.Change, taken *payment.Attempt, noRetry bool, now time.Time) (_ *change.Change, err error) {
	if c.NextAttempt, err = b.BookEarlierCharge(taken, now); err != nil {
		return nil, fault.Internal(err, "book the money of an earlier attempt")
	} else if c.NextAttempt != nil {
		c.Effects = append(c.Effects, func(context.Context) error { w.Attempt = c.NextAttempt; return nil })
		return e.changes.Announce(ctx, w, c, now)
	}
	if err := e.supersedeWaiting(ctx, b, c); err != nil {
		return nil, err
	}
	if !noRetry {
		if goesOn, err := e.StepUpAfter(ctx, w, b, c, now); goesOn || err != nil {
			return c, err
		}
	}
	return e.changes.Announce(ctx, w, c, now)
}

// saveSettled adds what the settlement saves of the card, and the alarms of the settlement.
func (e *Engine) saveSettled(ctx context.Context, w *change.Loaded, b *evidence.Booking, c *change.Change, now time.Time) (err error) {
	if c.Saved, err = e.DecideSaved(ctx, saveInput(w, b.Payment, b.Attempt), now); err != nil {
		return err
	}
	c.Alarms = append(c.Alarms, b.Alarms...)
	if c.Saved != nil {
		w.Method = cmp.Or(c.Saved.Method, w.Method)
		if c.Saved.Alarm != "" {
			c.Alarms = append(c.Alarms, c.Saved.Alarm)
		}
	}
	return nil
}

// saveInput returns the input of DecideSaved for w. p and a are the rows after the decision.
func saveInput(w *change.Loaded, p *payment.Payment, a *payment.Attempt) method.SaveInput {
	return method.SaveInput{Payment: p, Attempt: a, Operation: w.Operation, Number: w.Secrets.Number, Tries: &w.SaveTries}
}

// supersedeWaiting ends the authorization that waited for the customer, once its void has succeeded.
func (e *Engine) supersedeWaiting(ctx context.Context, b *evidence.Booking, c *change.Change) error {
	if b.Operation.Kind != sdk.OpVoid || b.Attempt.Status != payment.Voided {
		return nil
	}
	waiting, err := e.pendingOperation(ctx, &change.Loaded{Run: drive.Run{Payment: b.Payment, Attempt: b.Attempt}})
	if waiting != nil && waiting.ID != b.Operation.ID {
		c.Superseded = waiting.ID
	}
	return err
}

// reload reads the rows again after a conflict. It returns errClosed if another writer has closed the operation.
func (e *Engine) reload(ctx context.Context, w *change.Loaded) error {
	var p *payment.Payment
	var a *payment.Attempt
	var op *payment.Operation
	f, d := w.Refund, w.Dispute
	err := e.store.View(ctx, func(r Reader) (err error) {
		if p, err = r.Payment(w.Payment.MerchantID, w.Payment.ID); err != nil {
			return err
		}
		if a, err = r.Attempt(w.Attempt.MerchantID, w.Attempt.ID); err != nil {
			return err
		}
		if f != nil {
			if f, err = r.Refund(f.MerchantID, f.ID); err != nil {
				return err
			}
		}
		if d != nil {
			if d, err = r.Dispute(d.MerchantID, d.ID); err != nil {
				return err
			}
		}
		op, err = r.Operation(w.Operation.ID)
		return err
	})
	if err != nil {
		return fault.Internal(err, "read payment again")
	}
	if err := errors.Join(e.vault.OpenPayment(p), e.vault.OpenAttempt(a)); err != nil {
		return err
	}
	open := op.Status.Open() || op.Status == payment.OperationPending
	if w.Operation.LastSendAt.After(op.LastSendAt) {
		op.LastSendAt = w.Operation.LastSendAt
	}
	w.Payment, w.Attempt, w.Refund, w.Dispute, w.Operation = p, a, f, d, op
	if !open {
		return errClosed
	}
	return nil
}

// addReplacement adds the operation that takes the place of one that did not happen.
func (e *Engine) addReplacement(w *change.Loaded, b *evidence.Booking, c *change.Change, now time.Time) error {
	if !b.Again {
		return nil
	}
	next := &drive.Run{Payment: b.Payment, Attempt: b.Attempt, Account: w.Account, Adapter: w.Adapter}
	e.driver.Begin(next, b.Operation.Kind, b.Operation.Amount, now)
	b.Succeed(next.Operation, now)
	next.Operation.QueryBy(now.Add(e.opts.ResolvePause))
	c.Intend(next.Operation, w.Account)
	return e.driver.SealRun(next)
}
