package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/sdk"
)

// CancelPayment releases a payment that is not captured: by a void at the processor where funds are held, else locally.
func (e *Engine) CancelPayment(ctx context.Context, auth Auth, id, reason string) (*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	return e.withSlot(ctx, auth, id, func(w *work) (*PaymentView, error) {
		if !w.p.Status.facts().Cancel {
			return nil, Refused("You cannot cancel this payment because it has status " + string(w.p.Status))
		}
		now := e.now().UTC().Truncate(time.Millisecond)
		w.p.Details.CancellationReason, w.a.Details.CancelReason = reason, reason
		if w.a.Authorized == 0 {
			return e.cancelLocally(ctx, w, now)
		}
		if err := e.withAccount(ctx, w); err != nil {
			return nil, err
		}
		if !slices.Contains(w.adapter.Manifest.Operations, sdk.OpVoid) {
			return nil, &Error{Kind: KindInvalid, Code: "IR_20", Message: "void flow not supported", Connector: w.account.Connector}
		}
		if err := e.prepareLater(ctx, w, sdk.OpVoid, TriggerVoidStart, w.a.Authorized-w.a.Captured, now, func() {}); err != nil {
			return nil, err
		}
		if err := e.perform(ctx, w); err != nil {
			return nil, err
		}
		return e.view(w), nil
	})
}

// cancelLocally ends a payment of which no funds are held: nobody but us knows of it, or the customer has not acted yet.
func (e *Engine) cancelLocally(ctx context.Context, w *work, now time.Time) (*PaymentView, error) {
	if err := move(w.p, w.a, TriggerVoided, now); err != nil {
		return nil, Internal(err, "cancel payment")
	}
	auth, err := e.cancelAuthentication(ctx, w, now)
	if err != nil {
		return nil, err
	}
	token := w.p.Details.Token
	w.p.Details.Token = ""
	b := booking{p: w.p, a: w.a}
	event, err := e.eventOf(w, &b, now)
	if err != nil {
		return nil, err
	}
	waiting, err := e.pendingOperation(ctx, w)
	if err != nil {
		return nil, err
	}
	err = e.store.Update(ctx, func(tx Tx) error {
		if err := errors.Join(tx.UpdatePayment(w.p.clone()), tx.UpdateAttempt(w.a.clone())); err != nil {
			return err
		}
		if err := dropCardToken(tx, w.p.MerchantID, token); err != nil {
			return err
		}
		if waiting != nil { // the authorization has ended, and the card with it
			if err := closePending(tx, waiting.ID, now); err != nil {
				return err
			}
		}
		if auth != nil {
			stored := *auth.auth
			if err := tx.UpdateAuthentication(&stored); err != nil {
				return err
			}
		}
		return tx.InsertEvent(event)
	})
	if err != nil {
		return nil, err
	}
	e.metrics.PaymentMoved(w.p.Status, w.a.Connector)
	if auth != nil {
		e.authenticationEnded(ctx, auth.auth)
		e.afterChangeLater(ctx, auth)
	}
	return e.view(w), nil
}
