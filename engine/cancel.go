package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// CancelPayment releases a payment that is not captured. Where the processor holds funds, payswitch voids them. Where the processor knows the
// payment and the customer may still act, payswitch voids the payment or asks the processor. A payment that no processor knows is cancelled at
// once. While an authorization is unknown, and where the processor gives no answer, the wish is stored and carried out later.
func (e *Engine) CancelPayment(ctx context.Context, auth account.Auth, id, reason string) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	voiding := false
	cancel := func(w *change.Loaded) (*change.Change, error) {
		c, err := e.cancel(ctx, w, reason)
		voiding = c != nil && w.Attempt.Status == payment.VoidInitiated && w.Attempt.Authorized == 0
		return c, err
	}
	v, err := e.changes.Decide(ctx, auth, id, cancel)
	if err != nil || !voiding || v.Payment.Status != payment.RequiresCustomerAction {
		return v, err
	}
	// The processor refused to void: the customer may have finished.
	v, err = e.RetrievePayment(ctx, auth, id, request.RetrieveInput{ForceSync: true})
	if err != nil || v.Payment.Status == payment.RequiresCustomerAction || !v.Payment.Status.Facts().Cancel {
		return v, err
	}
	return e.changes.Decide(ctx, auth, id, cancel)
}

// cancel is the decision of CancelPayment.
func (e *Engine) cancel(ctx context.Context, w *change.Loaded, reason string) (*change.Change, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	d := &w.Attempt.Details
	note := func() { w.Payment.Details.CancellationReason, d.CancelReason = reason, reason }
	if !w.Payment.Status.Facts().Cancel {
		unknown, err := e.authorizationUnknown(ctx, w)
		if err != nil {
			return nil, err
		}
		if unknown {
			note()
			return wantCancel(w, now), nil
		}
		return nil, fault.Refused("You cannot cancel this payment because it has status " + string(w.Payment.Status))
	}
	note()
	if w.Attempt.Authorized == 0 {
		waiting, err := e.pendingOperation(ctx, w)
		if err != nil {
			return nil, err
		}
		if waiting == nil || w.Attempt.Private.Invoke != nil {
			return e.cancelLocally(ctx, w, waiting, now)
		}
		return e.cancelWaiting(ctx, w, waiting, now)
	}
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return nil, err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVoid) {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "void flow not supported", Connector: w.Account.Connector}
	}
	return e.voidIntent(w, w.Attempt.Authorized-w.Attempt.Captured, now)
}

func (e *Engine) voidIntent(w *change.Loaded, amount int64, now time.Time) (*change.Change, error) {
	e.driver.Begin(&w.Run, sdk.OpVoid, amount, now)
	return e.intent(w, payment.TriggerVoidStart, now)
}

// wantCancel stores that the merchant wants the payment cancelled.
func wantCancel(w *change.Loaded, now time.Time) *change.Change {
	w.Attempt.Details.CancelWanted = true
	w.Payment.ModifiedAt, w.Attempt.ModifiedAt = now, now
	return &change.Change{Payment: w.Payment, Attempt: w.Attempt}
}

// authorizationUnknown reports whether the payment is processing because its authorization is unknown.
func (e *Engine) authorizationUnknown(ctx context.Context, w *change.Loaded) (bool, error) {
	if w.Attempt.Status != payment.Authorizing {
		return false, nil
	}
	op, err := e.openOperation(ctx, w)
	return op != nil && op.Status == payment.OperationUnknown, err
}

// cancelWaiting cancels a payment that the processor knows and that waits for the customer. waiting is the authorization.
func (e *Engine) cancelWaiting(ctx context.Context, w *change.Loaded, waiting *payment.Operation, now time.Time) (*change.Change, error) {
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return nil, err
	}
	m := w.Adapter.Manifest
	if m.Features.PreAuthVoid && slices.Contains(m.Operations, sdk.OpVoid) {
		w.Attempt.Details.CancelWanted = true
		return e.voidIntent(w, w.Attempt.Amount, now)
	}
	if !slices.Contains(m.Operations, sdk.OpSync) {
		return wantCancel(w, now), nil
	}
	w.Operation = waiting
	defer e.driver.KeepRest(ctx, &w.Run)
	v, err := e.driver.AskProcessor(ctx, &w.Run)
	switch {
	case err != nil:
		return nil, err
	case v.Status == payment.OperationUnknown:
		return wantCancel(w, now), nil
	case v.Status == payment.OperationPending && v.Outcome.Status == sdk.StatusCustomerAction:
		return e.cancelLocally(ctx, w, waiting, now)
	case v.Status == payment.OperationPending:
		return wantCancel(w, now), nil // the customer has acted: the end is not known yet
	}
	if v.Status == payment.OperationNotActed || v.Outcome != nil && v.Outcome.Status == sdk.StatusAuthorized {
		w.Attempt.Details.CancelWanted = true // settling voids what is held
	}
	err = e.settle(context.WithoutCancel(ctx), w, v)
	if errors.Is(err, change.ErrStale) || errors.Is(err, change.ErrLeased) {
		return nil, fault.ErrConflict
	}
	if s := w.Payment.Status; err == nil && s.Facts().Terminal && s != payment.Cancelled {
		return nil, fault.Refused("You cannot cancel this payment because it has status " + string(s))
	}
	return nil, err
}

// cancelLocally ends a payment that holds no funds. waiting is the authorization that the processor knows, nil without one: the customer may still
// finish it at the processor, so the engine goes on asking.
func (e *Engine) cancelLocally(ctx context.Context, w *change.Loaded, waiting *payment.Operation, now time.Time) (*change.Change, error) {
	if err := payment.Move(w.Payment, w.Attempt, payment.TriggerVoided, now); err != nil {
		return nil, fault.Internal(err, "cancel payment")
	}
	c := &change.Change{Payment: w.Payment, Attempt: w.Attempt, DropCard: w.Payment.Details.Token, Journal: w.Journal}
	w.Payment.Details.Token = ""
	if waiting != nil { // the authorization has ended, and the card with it
		c.Superseded, c.Watch = waiting.ID, true
	}
	if err := e.CancelAuthentication(ctx, w, c, now); err != nil {
		return nil, err
	}
	return e.changes.Announced(w, c, now)
}

// cancelAfter adds the void of funds to the settlement that found them, if no customer waits for them any more: the merchant has asked to
// cancel, or the outcome was unknown for longer than a customer waits. It returns whether it added the void.
func (e *Engine) cancelAfter(w *change.Loaded, b *payment.Booking, c *change.Change, now time.Time) (bool, error) {
	late := !w.Fresh && w.Operation.Status.Open() && w.Operation.Charges() && now.Sub(w.Operation.StartedAt) > e.opts.PayerWait
	if b.Attempt.ID != b.Payment.AttemptID || !late && !b.Attempt.Details.CancelWanted {
		return false, nil
	}
	switch b.Attempt.Status {
	case payment.Authorized, payment.PartiallyAuthorized:
	case payment.Charged, payment.PartialCharged:
		if b.Attempt.Details.CancelWanted && b.Operation.Charges() {
			c.Alarms = append(c.Alarms, payment.AlarmTooLate)
		}
		return false, nil
	default:
		return false, nil
	}
	if b.Operation.Kind == sdk.OpVoid || !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVoid) {
		return false, nil // refused, or not offered: the merchant sees the funds
	}
	if !b.Attempt.Details.CancelWanted {
		const reason = "the outcome was unknown for longer than a customer waits"
		b.Payment.Details.CancellationReason, b.Attempt.Details.CancelReason = reason, reason
	}
	if err := payment.Move(b.Payment, b.Attempt, payment.TriggerVoidStart, now); err != nil {
		return false, fault.Internal(err, "void payment")
	}
	next := &change.Loaded{Run: drive.Run{Payment: b.Payment, Attempt: b.Attempt, Account: w.Account, Adapter: w.Adapter}, Merchant: w.Merchant, Profile: w.Profile}
	e.driver.Begin(&next.Run, sdk.OpVoid, b.Attempt.Authorized-b.Attempt.Captured, now)
	b.Payment.OpenOperation = next.Operation.ID
	c.Intents = append(c.Intents, next.Operation)
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		err := e.perform(ctx, next)
		w.Payment, w.Attempt = next.Payment, next.Attempt
		e.changes.Postponed(ctx, "the void of a cancelled payment", next.Payment.ID, err)
		return nil
	})
	return true, e.driver.SealRun(&next.Run)
}
