package engine

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// CancelPayment releases a payment that is not captured. If funds are held, it voids them at the processor; otherwise it only ends the payment.
func (e *Engine) CancelPayment(ctx context.Context, auth account.Auth, id, reason string) (*change.View, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	return e.changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		if !w.Payment.Status.Facts().Cancel {
			return nil, fault.Refused("You cannot cancel this payment because it has status " + string(w.Payment.Status))
		}
		now := e.now().UTC().Truncate(time.Millisecond)
		w.Payment.Details.CancellationReason, w.Attempt.Details.CancelReason = reason, reason
		if w.Attempt.Authorized == 0 {
			return e.cancelLocally(ctx, w, now)
		}
		if err := e.changes.WithAccount(ctx, w); err != nil {
			return nil, err
		}
		if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVoid) {
			return nil, &fault.Error{Kind: fault.KindInvalid, Code: "IR_20", Message: "void flow not supported", Connector: w.Account.Connector}
		}
		e.driver.Begin(&w.Run, sdk.OpVoid, w.Attempt.Authorized-w.Attempt.Captured, now)
		return e.intent(w, payment.TriggerVoidStart, now)
	})
}

// cancelLocally ends a payment that holds no funds: no processor knows the payment, or the payer has not acted yet.
func (e *Engine) cancelLocally(ctx context.Context, w *change.Loaded, now time.Time) (*change.Change, error) {
	if err := payment.Move(w.Payment, w.Attempt, payment.TriggerVoided, now); err != nil {
		return nil, fault.Internal(err, "cancel payment")
	}
	c := &change.Change{Payment: w.Payment, Attempt: w.Attempt, DropCard: w.Payment.Details.Token}
	w.Payment.Details.Token = ""
	waiting, err := e.pendingOperation(ctx, w)
	if err != nil {
		return nil, err
	}
	if waiting != nil { // the payment's end also ends the authorization that waits for the payer, and destroys its card
		c.Superseded = waiting.ID
	}
	if err := e.CancelAuthentication(ctx, w, c, now); err != nil {
		return nil, err
	}
	return e.changes.Announced(w, c, now)
}
