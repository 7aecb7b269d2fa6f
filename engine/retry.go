package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/routing"
	"payswitch/sdk"
)

// defaultRetryBudget is the time in which further attempts may begin, counted from the confirm. The customer waits for one answer.
const defaultRetryBudget = 15 * time.Second

// mayRetry lets a confirm go on at another account if its authorization fails. A stored credential belongs to its account, so that its charge
// does not go on.
func (e *Engine) mayRetry(w *change.Confirming, in *request.Input, c *card.Card, route *routing.Route) {
	if w.Instrument != nil && (w.Instrument.Stored || w.Instrument.Reference != nil) || c.Secrets.Number.IsZero() {
		return
	}
	budget := time.Duration(w.Profile.Settings.Retries.BudgetMS) * time.Millisecond
	if budget == 0 {
		budget = defaultRetryBudget
	}
	w.Retry = &change.Retry{Input: in, Card: c, Instrument: w.Instrument, Accounts: route.Rest, Until: e.now().Add(budget)}
}

// mustEnd returns the verdict to book for a further attempt of which nothing has left. The payment has an attempt that failed before, so it ends
// as failed, and does not wait for a new confirm.
func mustEnd(w *change.Loaded, v payment.Verdict) payment.Verdict {
	if w.Retry != nil && w.Retry.Tries > 0 && (v.Status == payment.OperationFailed || v.Status == payment.OperationRejected) && v.Over() {
		return v.NotActed()
	}
	return v
}

// further is the account and the manner of the attempt that follows a failed one.
type further struct {
	route  *routing.Route
	stepUp bool
}

// another decides whether another attempt follows a failed authorization, before the failure is booked. It returns nil if none follows. Only a
// verdict that is over leads to another attempt: the processor did not act, and will not.
func (e *Engine) another(ctx context.Context, w *change.Loaded, v payment.Verdict, now time.Time) (*further, error) {
	op, r := w.Operation, w.Retry
	if r == nil || r.Last || !w.Fresh || !v.Over() || v.Busy || v.Late || op.Kind != sdk.OpAuthorize && op.Kind != sdk.OpVerify ||
		w.Payment.OpenOperation != op.ID || w.Payment.AttemptID != op.AttemptID || w.Attempt.Details.CancelWanted || !now.Before(r.Until) {
		return nil, nil
	}
	bad := failureOf(w.Attempt, op, v)
	bad.Unsent = v.Status != payment.OperationDeclined
	policy, err := e.RetryPolicy(ctx, w.Profile, bad)
	if err != nil || !policy.On {
		return nil, err
	}
	if policy.StepUp && w.Adapter.Manifest.Features.Processor3DS && w.Payment.Details.AuthenticationType != payment.AuthenticationThreeDS && r.Tries == 0 && v.Status == payment.OperationDeclined {
		return &further{stepUp: true, route: &routing.Route{Account: w.Account, Adapter: w.Adapter, Trace: &payment.Routed{By: payment.RoutedByStepUp}}}, nil
	}
	if !policy.Elsewhere || r.Tries >= policy.Most {
		return nil, nil
	}
	facts := &r.Card.Facts
	route := e.routes.Next(w.Payment, facts, r.Accounts, func(a *account.Account, info port.AdapterInfo) payment.LeftWhy {
		x := w.Attempt.Details.Exemption
		switch {
		case a.ID == w.Account.ID:
			return payment.LeftTried
		case r.Input.ThreeDS != nil && !info.Manifest.Features.External3DS:
			return payment.LeftThreeDS
		case r.Input.ThreeDS == nil && w.Payment.Details.AuthenticationType == payment.AuthenticationThreeDS && !info.Manifest.Features.Processor3DS:
			return payment.LeftThreeDS
		case x.Direct() && !slices.Contains(info.Manifest.Features.Exemptions, sdk.Exemption(x.Exemption)):
			return payment.LeftThreeDS
		}
		return ""
	})
	if route == nil {
		return nil, nil
	}
	return &further{route: route}, nil
}

// failureOf describes a failed attempt to the error table.
func failureOf(a *payment.Attempt, op *payment.Operation, v payment.Verdict) routing.Failure {
	f := routing.Failure{Connector: a.Connector, Kind: op.Kind}
	if o := v.Outcome; o != nil && o.Decline != nil {
		f.Decline = *o.Decline
	}
	if a.Details.Card != nil {
		f.Network = a.Details.Card.Network
	}
	return f
}

// unify adds to a decline the unified code and message of the operator's error rule.
func (e *Engine) unify(ctx context.Context, b *payment.Booking, v payment.Verdict) {
	bad := b.Attempt.Details.Error
	if bad == nil || b.Attempt.Status != payment.AttemptFailure || v.Status != payment.OperationDeclined {
		return
	}
	var err error
	if bad.UnifiedCode, bad.UnifiedMessage, err = e.Unified(ctx, failureOf(b.Attempt, b.Operation, v)); err != nil {
		e.log.LogAttrs(ctx, slog.LevelError, "the error rule of a decline cannot be read", slog.String("operation_id", b.Operation.ID), slog.Any("error", err))
	}
}

// goOn adds the next attempt to the change that books a failure. Both are one commit: a crash leaves either no failure and no next attempt, or
// both.
func (e *Engine) goOn(ctx context.Context, w *change.Loaded, b *payment.Booking, c *change.Change, f *further, now time.Time) error {
	p, old, r := b.Payment, b.Attempt, w.Retry
	p.AttemptCount++
	a := payment.NewAttempt(p, p.AttemptCount, now)
	a.Amount, p.AttemptID = old.Amount, a.ID
	if f.stepUp {
		p.Details.AuthenticationType = payment.AuthenticationThreeDS
	}
	token := w.Token
	if token != "" {
		token += "/" + a.ID // an operation of its own, with its own seed
	}
	next := &change.Loaded{Run: drive.Run{Payment: p, Attempt: a, Account: f.route.Account, Adapter: f.route.Adapter, Token: token}, Merchant: w.Merchant,
		Profile: w.Profile, Method: w.Method}
	next.Retry = &change.Retry{Input: r.Input, Card: r.Card, Instrument: r.Instrument, Accounts: f.route.Rest, Until: r.Until, Tries: r.Tries + 1, Last: f.stepUp}
	confirming := &change.Confirming{Loaded: next, Instrument: r.Instrument, Exemption: old.Details.Exemption}
	var err error
	if a.Details.ConnectorData, err = e.ConnectorData(ctx, p, f.route.Account.ID, r.Instrument, r.Input); err != nil {
		return err
	}
	confirming.FillAttempt(r.Input, r.Card)
	if private := old.Private; private != nil {
		kept := *private
		a.Private = &kept
	}
	a.Details.Routed, a.Details.Authentication = f.route.Trace, old.Details.Authentication
	if err := payment.Move(p, a, payment.TriggerSubmit, now); err != nil {
		return fault.Internal(err, "try another account")
	}
	next.LeaseEnd = e.now().Add(e.opts.LeaseTime)
	next.Operation = e.driver.NewOperation(&next.Run, change.AuthorizeKind(next), a.Amount, now)
	next.Secrets = w.Secrets
	next.Request = e.driver.FirstRequest(&next.Run, r.Instrument, r.Input, r.Card)
	p.OpenOperation = next.Operation.ID
	c.NextAttempt = a
	c.Intend(next.Operation, f.route.Account)
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		e.log.LogAttrs(ctx, slog.LevelInfo, "another attempt follows a failed one", slog.String("payment_id", p.ID), slog.String("attempt_id", a.ID),
			slog.String("connector", a.Connector), slog.String("account_id", a.AccountID), slog.String("by", string(f.route.Trace.By)))
		told := e.perform(ctx, next)
		w.Payment, w.Attempt, w.Method, w.HTTPStatus = next.Payment, next.Attempt, next.Method, next.HTTPStatus
		w.WentOn, w.Told = true, told
		return nil
	})
	return e.driver.SealRun(&next.Run)
}

// supersede books a failure that another attempt follows.
func (e *Engine) supersede(ctx context.Context, w *change.Loaded, v payment.Verdict, f *further, now time.Time) (*change.Change, error) {
	if v.Status != payment.OperationDeclined {
		v = v.NotActed()
	}
	b := payment.Book(w.Payment, w.Attempt, w.Operation, w.Adapter.Manifest, v, now)
	if b.Attempt.Status.Payment() != payment.Failed {
		return nil, errNotSuperseded
	}
	e.unify(ctx, &b, v)
	c := &change.Change{Payment: b.Payment, Attempt: b.Attempt, Settled: b.Operation, Lease: w.Lease, Journal: w.Journal}
	holdAgainstRow(c, v)
	c.Effects = append(c.Effects, func(context.Context) error {
		w.Operation, w.Journal = b.Operation, nil
		return nil
	})
	if w.Journalled > 0 {
		c.Forget = b.Operation.ID
	}
	c.Exemption = change.CountExemption(&b)
	c.Alarms = append(c.Alarms, b.Alarms...)
	return c, e.goOn(ctx, w, &b, c, f, now)
}

// errNotSuperseded says that the failure cannot be booked as one: the payment does not go on.
var errNotSuperseded = errors.New("the attempt did not fail")
