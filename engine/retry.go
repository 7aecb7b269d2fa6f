package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/risk"
	"payswitch/engine/routing"
)

// addNextAttempt adds the next attempt to the change that books a failure. Both are one commit: a crash leaves either no failure and no next attempt, or
// both.
func (e *Engine) addNextAttempt(ctx context.Context, w *change.Loaded, b *evidence.Booking, c *change.Change, f *routing.Further, now time.Time) error {
	p, old, r := b.Payment, b.Attempt, w.Retry
	if f.StepUp {
		p.Details.KeepAuthentication(p.AttemptCount, p.Details.ShownAuthentication())
	}
	p.AttemptCount++
	a := payment.NewAttempt(p, p.AttemptCount, now)
	a.Amount, p.AttemptID = old.Amount, a.ID
	if f.StepUp {
		p.Details.AuthenticationType = payment.AuthenticationThreeDS
	}
	token := w.Token
	if token != "" {
		token += "/" + a.ID // an operation of its own, with its own seed
	}
	next := &change.Loaded{Run: drive.Run{Payment: p, Attempt: a, Account: f.Route.Account, Adapter: f.Route.Adapter, Token: token}, Merchant: w.Merchant,
		Profile: w.Profile, Method: w.Method, Customer: w.Customer}
	next.Retry = &change.Retry{Input: r.Input, Card: r.Card, Instrument: r.Instrument, Accounts: f.Route.Rest, Until: r.Until, Tries: r.Tries + 1, Last: f.StepUp, Authenticated: r.Authenticated}
	confirming := &change.Confirming{Loaded: next, Instrument: r.Instrument, Exemption: old.Details.Exemption}
	var err error
	if a.Details.ConnectorData, err = e.ConnectorData(ctx, p, f.Route.Account.ID, r.Instrument, r.Input); err != nil {
		return err
	}
	confirming.FillAttempt(r.Input, r.Card)
	a.Details.Guard, old.Details.Guard = old.Details.Guard, nil // the payment counts once, by its last attempt
	if private := old.Private; private != nil {
		kept := *private
		a.Private = &kept
	}
	a.Details.Scheme = old.Details.Scheme.Next()
	a.Details.Routed, a.Details.Authentication = f.Route.Trace, old.Details.Authentication
	if err := payment.Move(p, a, payment.TriggerSubmit, now); err != nil {
		return fault.Internal(err, "try another account")
	}
	next.LeaseEnd = e.driver.LeaseEnd()
	next.Operation = e.driver.NewOperation(&next.Run, change.AuthorizeKind(next), a.Amount, now)
	next.Secrets = w.Secrets
	next.Request = e.driver.FirstRequest(&next.Run, w.Profile, r.Instrument, r.Input, r.Card)
	r.Authenticated.AddTo(&next.Request)
	p.OpenOperation = next.Operation.ID
	c.NextAttempt = a
	c.Intend(next.Operation, f.Route.Account)
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		e.log.LogAttrs(ctx, slog.LevelInfo, "another attempt follows a failed one", slog.String("payment_id", p.ID), slog.String("attempt_id", a.ID),
			slog.String("connector", a.Connector), slog.String("account_id", a.AccountID), slog.String("by", string(f.Route.Trace.By)))
		err := e.perform(ctx, next)
		w.Payment, w.Attempt, w.Method, w.HTTPStatus = next.Payment, next.Attempt, next.Method, next.HTTPStatus
		w.Retried, w.RetryErr = true, err
		return nil
	})
	return e.driver.SealRun(&next.Run)
}

// bookFailedAttempt books a failure that another attempt follows.
func (e *Engine) bookFailedAttempt(ctx context.Context, w *change.Loaded, v evidence.Verdict, f *routing.Further, declined *risk.SchemeDecline, now time.Time) (*change.Change, error) {
	if v.Status != payment.OperationDeclined {
		v = v.NotActed()
	}
	b := evidence.Book(w.Payment, w.Attempt, w.Operation, w.Adapter.Manifest, v, now)
	if b.Attempt.Status.Payment() != payment.Failed {
		return nil, errNotFailed
	}
	e.routes.Unify(ctx, &b, v)
	c := &change.Change{Payment: b.Payment, Attempt: b.Attempt, Claims: b.Claims}
	c.Settle(w, b.Operation, v)
	c.Effects = append(c.Effects, func(context.Context) error {
		w.Operation, w.Journal = b.Operation, nil
		return nil
	})
	c.Exemption = change.CountExemption(&b)
	e.CountSchemeDecline(ctx, declined, b.Attempt, c, now)
	c.Alarms = append(c.Alarms, b.Alarms...)
	return c, e.addNextAttempt(ctx, w, &b, c, f, now)
}

// errNotFailed says that the failure cannot be booked as one: the payment does not go on.
var errNotFailed = errors.New("the attempt did not fail")
