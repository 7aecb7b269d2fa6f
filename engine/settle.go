package engine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"payswitch/sdk"
)

// settle books a verdict: payment, attempt, operation and the merchant's event move together. It is idempotent and retried until
// durable; when that takes longer than Options.SettleTimeout it goes on in the background, and the caller is shown the payment as it
// is durable (processing). An operation that someone else has closed is not closed again: what was learned is kept as evidence.
func (e *Engine) settle(ctx context.Context, w *loaded, v verdict) error {
	if v.outcome == nil && v.text != "" || v.alarm != "" {
		e.log.LogAttrs(ctx, slog.LevelWarn, "operation did not end cleanly", slog.String("operation_id", w.op.ID), slog.String("kind", string(w.op.Kind)),
			slog.String("connector", w.op.Connector), slog.String("status", string(v.status)), slog.String("alarm", v.alarm), slog.String("text", v.text))
	}
	started := e.now()
	for try := 0; ; try++ {
		err := e.settleOnce(ctx, w, v)
		if err == nil {
			break
		}
		e.log.LogAttrs(ctx, slog.LevelError, "settle failed, trying again", slog.String("operation_id", w.op.ID), slog.Any("error", err))
		if e.now().Sub(started) > e.opts.SettleTimeout {
			e.inFlight.Add(1)
			late := *w
			go func() {
				defer e.inFlight.Done()
				e.settleLater(ctx, &late, v)
				e.driver.keepRest(ctx, &late.run)
			}()
			w.journal = nil
			return nil
		}
		time.Sleep(min(time.Second, 10*time.Millisecond<<min(try, 7)))
	}
	e.driver.keepRest(ctx, &w.run)
	return toldOf(v, w)
}

func (e *Engine) settleLater(ctx context.Context, w *loaded, v verdict) {
	for {
		select {
		case <-e.closing:
			return // the lease ends, and recovery resolves it
		case <-time.After(time.Second):
		}
		if err := e.settleOnce(ctx, w, v); err == nil {
			return
		}
	}
}

var errClosed = errors.New("the operation is closed already")

// settleOnce decides what a verdict changes and commits it, anew whenever another writer was faster.
func (e *Engine) settleOnce(ctx context.Context, w *loaded, v verdict) error {
	for {
		c, err := e.settlement(ctx, w, v)
		if err != nil {
			return err
		}
		err = e.changes.commit(ctx, c)
		if failed := (notSaved{}); errors.As(err, &failed) {
			w.saveTries.count(err)
		}
		if errors.Is(err, ErrConflict) {
			if err := e.reload(ctx, w); errors.Is(err, errClosed) {
				return e.keepEvidence(ctx, w, "settle", v.outcome)
			} else if err != nil {
				return err
			}
			continue
		}
		return err
	}
}

// settlement is what a verdict changes: the payment, its attempt and the operation, the customer's saved card, and what follows at once.
func (e *Engine) settlement(ctx context.Context, w *loaded, v verdict) (*Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	b := book(w.p, w.a, w.op, w.adapter.Manifest, v, now)
	c := &Change{Payment: b.p, Attempt: b.a, Settled: b.op, Journal: w.journal}
	c.Effects = append(c.Effects, func(context.Context) error { // the caller shows the payment as it is durable
		w.p, w.a, w.op, w.journal = b.p, b.a, b.op, nil
		return nil
	})
	if !b.op.Status.Open() && (w.journalled > 0 || !w.fresh) {
		c.Forget = b.op.ID
	}
	if err := e.releaseRest(w, &b, c, now); err != nil {
		return nil, err
	}
	var err error
	if c.Saved, err = e.decideSaved(ctx, saveInput(w, b.p, b.a), now); err != nil {
		return nil, err
	}
	c.Exemption = countExemption(&b)
	c.Alarms = b.alarms
	if c.Saved != nil {
		if c.Saved.Method != nil {
			w.method = c.Saved.Method
		}
		if c.Saved.Alarm != "" {
			c.Alarms = append(c.Alarms, c.Saved.Alarm)
		}
	}
	goesOn, err := e.stepUpAfter(ctx, w, &b, c, now)
	if goesOn || err != nil {
		return c, err
	}
	return e.changes.announced(w, c, now)
}

// reload reads the rows again after someone else changed them; errClosed when the operation is not ours to close any more.
func (e *Engine) reload(ctx context.Context, w *loaded) error {
	var p *Payment
	var a *Attempt
	var op *Operation
	err := e.store.View(ctx, func(r Reader) (err error) {
		if p, err = r.Payment(w.p.MerchantID, w.p.ID); err != nil {
			return err
		}
		if a, err = r.Attempt(w.a.MerchantID, w.a.ID); err != nil {
			return err
		}
		op, err = r.Operation(w.op.ID)
		return err
	})
	if err != nil {
		return Internal(err, "read payment again")
	}
	if err := errors.Join(e.vault.openPayment(p), e.vault.openAttempt(a)); err != nil {
		return err
	}
	open := op.Status.Open() || op.Status == OperationPending
	op.LastSendAt = later(op.LastSendAt, w.op.LastSendAt)
	w.p, w.a, w.op = p, a, op
	if !open {
		return errClosed
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// keepEvidence records what was learned of a closed operation, and raises it where it says something else than what was booked.
func (e *Engine) keepEvidence(ctx context.Context, w *loaded, source string, o *sdk.Outcome) error {
	var booked sdk.Outcome
	if o == nil || len(w.op.Outcome) > 0 && json.Unmarshal(w.op.Outcome, &booked) == nil && booked.Status == o.Status {
		return nil // nothing new
	}
	b, err := json.Marshal(o)
	if err != nil {
		return Internal(err, "encode evidence")
	}
	e.metrics.Alarm("late_evidence")
	e.log.LogAttrs(ctx, slog.LevelError, "evidence against a closed operation", slog.String("operation_id", w.op.ID), slog.String("booked", string(w.op.Status)),
		slog.String("evidence", string(o.Status)), slog.String("source", source))
	return e.store.Update(ctx, func(tx Tx) error {
		return tx.InsertEvidence(Evidence{OperationID: w.op.ID, MerchantID: w.op.MerchantID, At: tx.Now(), Source: source, Outcome: b, Note: "operation was " + string(w.op.Status)})
	})
}

// releaseRest adds the void of a partial capture's rest to the capture's own change: a crash in between loses nothing.
func (e *Engine) releaseRest(w *loaded, b *booking, c *Change, now time.Time) error {
	if !b.release {
		return nil
	}
	next := &loaded{run: run{p: b.p, a: b.a, account: w.account, adapter: w.adapter, leaseEnd: e.now().Add(e.opts.LeaseTime)}, merchant: w.merchant, profile: w.profile}
	next.op = e.driver.newOperation(&next.run, sdk.OpVoid, b.a.Authorized-b.a.Captured, now)
	next.req = e.driver.laterRequest(&next.run, b.a.Authorized-b.a.Captured)
	b.p.OpenOperation = next.op.ID
	c.Intents = append(c.Intents, next.op)
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		if err := e.perform(ctx, next); err != nil {
			e.metrics.Alarm("release_failed")
		}
		w.p, w.a = next.p, next.a
		return nil
	})
	return e.driver.sealRun(&next.run)
}
