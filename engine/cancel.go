package engine

import (
	"context"
	"slices"
	"time"

	"payswitch/sdk"
)

// CancelPayment releases a payment that is not captured: by a void at the processor where funds are held, else locally.
func (e *Engine) CancelPayment(ctx context.Context, auth Auth, id, reason string) (*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	return e.changes.changePayment(ctx, auth, id, func(w *loaded) (*Change, error) {
		if !w.p.Status.facts().Cancel {
			return nil, Refused("You cannot cancel this payment because it has status " + string(w.p.Status))
		}
		now := e.now().UTC().Truncate(time.Millisecond)
		w.p.Details.CancellationReason, w.a.Details.CancelReason = reason, reason
		if w.a.Authorized == 0 {
			return e.cancelLocally(ctx, w, now)
		}
		if err := e.changes.withAccount(ctx, w); err != nil {
			return nil, err
		}
		if !slices.Contains(w.adapter.Manifest.Operations, sdk.OpVoid) {
			return nil, &Error{Kind: KindInvalid, Code: "IR_20", Message: "void flow not supported", Connector: w.account.Connector}
		}
		e.driver.begin(&w.run, sdk.OpVoid, w.a.Authorized-w.a.Captured, now)
		return e.intent(w, TriggerVoidStart, now)
	})
}

// cancelLocally ends a payment that holds no funds: no processor knows of it, or the payer has not acted yet.
func (e *Engine) cancelLocally(ctx context.Context, w *loaded, now time.Time) (*Change, error) {
	if err := move(w.p, w.a, TriggerVoided, now); err != nil {
		return nil, Internal(err, "cancel payment")
	}
	c := &Change{Payment: w.p, Attempt: w.a, DropCard: w.p.Details.Token}
	w.p.Details.Token = ""
	waiting, err := e.pendingOperation(ctx, w)
	if err != nil {
		return nil, err
	}
	if waiting != nil { // the authorization has ended, and the card with it
		c.Superseded = waiting.ID
	}
	if err := e.cancelAuthentication(ctx, w, c, now); err != nil {
		return nil, err
	}
	return e.changes.announced(w, c, now)
}
