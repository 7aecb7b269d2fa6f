package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
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
	ops, err := e.changes.OperationsOf(ctx, w.Payment)
	if err != nil {
		return nil, err
	}
	next, waiting := evidence.NextCancel(w.Payment, w.Attempt, ops, w.Attempt.Private.Invoke != nil), w.Attempt.PendingOperation(ops)
	if next == evidence.CancelRefused {
		return nil, fault.Refused("You cannot cancel this payment because it has status " + string(w.Payment.Status)).WithParam("status").WithHint(w.Payment.Status.Remedy())
	}
	if next == evidence.CancelTooSoon {
		return nil, fault.Refused("You cannot cancel this payment because the result of a capture is not known yet").WithParam("status").
			WithHint("Retrieve the payment with expand_captures=true until no capture is started or pending.")
	}
	note()
	switch next {
	case evidence.CancelNoted:
		return requestCancel(w, now), nil
	case evidence.CancelLocally:
		return e.cancelLocally(ctx, w, waiting, now)
	case evidence.CancelWaiting:
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

// requestCancel stores that the merchant wants the payment cancelled.
func requestCancel(w *change.Loaded, now time.Time) *change.Change {
	w.Attempt.Details.CancelWanted = true
	w.Payment.ModifiedAt, w.Attempt.ModifiedAt = now, now
	return &change.Change{Payment: w.Payment, Attempt: w.Attempt}
}

// cancelWaiting cancels a payment that the processor knows and that waits for the customer. waiting is the authorization.
func (e *Engine) cancelWaiting(ctx context.Context, w *change.Loaded, waiting *payment.Operation, now time.Time) (*change.Change, error) {
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return nil, err
	}
	switch evidence.NextCancelWaiting(w.Adapter.Manifest) {
	case evidence.CancelBefore:
		w.Attempt.Details.CancelWanted = true
		return e.voidIntent(w, w.Attempt.Amount, now)
	case evidence.CancelNoted:
		return requestCancel(w, now), nil
	}
	w.Operation = waiting
	defer e.driver.FlushJournal(ctx, &w.Run)
	v, err := e.driver.QueryProcessor(ctx, &w.Run)
	if err != nil {
		return nil, err
	}
	switch evidence.AfterCancelAsked(w.Attempt, v) {
	case evidence.CancelNoted:
		return requestCancel(w, now), nil
	case evidence.CancelLocally:
		return e.cancelLocally(ctx, w, waiting, now)
	}
	err = e.settle(context.WithoutCancel(ctx), w, v)
	if errors.Is(err, change.ErrStale) || errors.Is(err, change.ErrLeased) {
		return nil, fault.ErrConflict
	}
	if s := w.Payment.Status; err == nil && s.Facts().Terminal && s != payment.Cancelled {
		return nil, fault.Refused("You cannot cancel this payment because it has status " + string(s)).WithParam("status").WithHint(s.Remedy())
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
	return e.changes.Announce(ctx, w, c, now)
}

// cancelAfter adds the void of funds to the settlement that found them, if no customer waits for them any more: the merchant has asked to
// cancel, or the outcome was unknown for longer than a customer waits. It returns whether it added the void.
func (e *Engine) cancelAfter(w *change.Loaded, b *evidence.Booking, c *change.Change, now time.Time) (bool, error) {
	voids, err := b.VoidAfter(w.Operation, w.Fresh, w.Adapter.Manifest, e.driver.Timing(), now)
	if err != nil {
		return false, fault.Internal(err, "void payment")
	}
	if !voids {
		return false, nil
	}
	b.Payment.OpenOperation, err = e.changes.AddVoid(c, w, b.Attempt.Authorized-b.Attempt.Captured, "the void of a cancelled payment", now)
	return true, err
}
