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
func (e *Engine) settle(ctx context.Context, w *work, v verdict) error {
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
				e.keepRest(ctx, &late)
			}()
			w.journal = nil
			return nil
		}
		time.Sleep(min(time.Second, 10*time.Millisecond<<min(try, 7)))
	}
	e.keepRest(ctx, w)
	return toldOf(v, w)
}

func (e *Engine) settleLater(ctx context.Context, w *work, v verdict) {
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

func (e *Engine) settleOnce(ctx context.Context, w *work, v verdict) error {
	for {
		now := e.now().UTC().Truncate(time.Millisecond)
		b := book(w.p, w.a, w.op, w.adapter.Manifest, v, now)
		next, err := e.followUp(w, &b, now)
		if err != nil {
			return err
		}
		saved, err := e.bookMethod(ctx, w, &b, now)
		if err != nil {
			return err
		}
		if saved != nil && saved.method != nil {
			w.method = saved.method
		}
		counts := countExemption(&b)
		step, err := e.stepUpAfter(ctx, w, &b, now)
		if err != nil {
			return err
		}
		var event *Event
		if step == nil { // else the payment goes on
			if event, err = e.eventOf(w, &b, now); err != nil {
				return err
			}
		}
		var p *Payment
		var a *Attempt
		unsaved := false
		err = e.store.Update(ctx, func(tx Tx) (err error) {
			unsaved = false
			p, a = b.p.clone(), b.a.clone() // a run that is undone must not have raised their versions
			if err := writeBooking(tx, p, a, b.op, event, next); err != nil {
				return err
			}
			if err := e.writeJournal(tx, b.op, w); err != nil {
				return err
			}
			if err := step.write(tx); err != nil {
				return err
			}
			if err := counts.write(tx); err != nil {
				return err
			}
			err = saved.write(tx)
			unsaved = err != nil
			return err
		})
		if unsaved && errors.Is(err, ErrConflict) {
			w.saveTries++
		} else if unsaved && err != nil {
			w.saveTries += saveFailure
		}
		switch {
		case errors.Is(err, ErrConflict):
			if err := e.reload(ctx, w); errors.Is(err, errClosed) {
				return e.keepEvidence(ctx, w, "settle", v.outcome)
			} else if err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		w.p, w.a, w.op, w.journal = p, a, b.op, nil
		for _, alarm := range b.alarms {
			e.metrics.Alarm(alarm)
		}
		e.settledExemption(ctx, counts)
		if event != nil {
			e.metrics.PaymentMoved(p.Status, w.a.Connector)
		}
		if next != nil {
			next.p, next.a = p, a
			if err := e.perform(ctx, next); err != nil {
				e.metrics.Alarm("release_failed")
			}
			w.p, w.a = next.p, next.a
		}
		if step != nil {
			c, err := e.prepare(ctx, step.c.auth.ID, step.call)
			if err != nil {
				e.log.LogAttrs(ctx, slog.LevelWarn, "step-up not begun yet", slog.String("payment_id", w.p.ID), slog.Any("error", err))
				return nil
			}
			w.p, w.a = c.w.p, c.w.a
		}
		return nil
	}
}

func writeBooking(tx Tx, p *Payment, a *Attempt, op *Operation, event *Event, next *work) error {
	if err := tx.UpdatePayment(p); err != nil {
		return err
	}
	if err := tx.UpdateAttempt(a); err != nil {
		return err
	}
	if err := tx.UpdateOperation(op); err != nil {
		return err
	}
	if next != nil {
		if err := tx.InsertOperation(next.op); err != nil {
			return err
		}
	}
	if event != nil {
		return tx.InsertEvent(event)
	}
	return nil
}

// reload reads the rows again after someone else changed them; errClosed when the operation is not ours to close any more.
func (e *Engine) reload(ctx context.Context, w *work) error {
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
	if err := errors.Join(e.openPayment(p), e.openAttempt(a)); err != nil {
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
func (e *Engine) keepEvidence(ctx context.Context, w *work, source string, o *sdk.Outcome) error {
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

// followUp makes the void of a partial capture's rest, durable with the capture itself: a crash in between loses nothing.
func (e *Engine) followUp(w *work, b *booking, now time.Time) (*work, error) {
	if !b.release {
		return nil, nil
	}
	next := &work{merchant: w.merchant, profile: w.profile, account: w.account, adapter: w.adapter, p: b.p, a: b.a, leaseEnd: e.now().Add(e.opts.LeaseTime)}
	next.op = e.newOperation(next, sdk.OpVoid, b.a.Authorized-b.a.Captured, now)
	next.req = e.laterRequest(next, b.a.Authorized-b.a.Captured)
	b.p.OpenOperation = next.op.ID
	return next, e.sealWork(next)
}

// eventOf makes the merchant's event of a change; nil when nothing changed that merchants are told of.
func (e *Engine) eventOf(w *work, b *booking, now time.Time) (*Event, error) {
	kind := b.p.Status.facts().Event
	announced := announcement(b.p, b.a)
	if kind == "" || announced == b.p.Details.Announced {
		return nil, nil
	}
	b.p.Details.Announced = announced
	v := e.view(&work{p: b.p, a: b.a, method: w.method, merchant: w.merchant, profile: w.profile})
	v.ManualRetryAllowed = e.retryAllowed(b.p, w.profile, now)
	return e.paymentEvent(kind, now, v)
}

// paymentEvent renders and seals an event of a payment.
func (e *Engine) paymentEvent(kind string, now time.Time, v *PaymentView) (*Event, error) {
	ev := &Event{ID: newEventID(now), MerchantID: v.Payment.MerchantID, ProfileID: v.Payment.ProfileID, ObjectID: v.Payment.ID, Class: "payments", Type: kind, CreatedAt: now}
	body, err := e.present.PaymentEvent(ev.ID, ev.Type, now, v)
	if err != nil {
		return nil, Internal(err, "render event")
	}
	if ev.Body, err = e.vault.Seal(body, eventAD(ev.MerchantID, ev.ID)); err != nil {
		return nil, Internal(err, "seal event")
	}
	return ev, nil
}
