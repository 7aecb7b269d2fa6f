package engine

import (
	"context"
	"errors"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// RetrievePayment reads a payment. With ForceSync it asks the processor first, if the status leaves a result open. A payer's client gets the payment as it is
// stored if it has asked too often.
func (e *Engine) RetrievePayment(ctx context.Context, auth account.Auth, id string, in request.RetrieveInput) (*change.View, error) {
	w, err := e.changes.Load(ctx, auth.MerchantID, id)
	if err != nil {
		return nil, err
	}
	if auth.ProfileID != "" && auth.ProfileID != w.Payment.ProfileID {
		return nil, fault.NotFound("Payment")
	}
	if in.HasClientSecret && !auth.Publishable {
		return nil, fault.Unprocessable("client_secret", "client_secret is not a valid parameter").WithHint("Leave it out, or use the publishable key.")
	}
	if auth.Publishable {
		if err := auth.CheckSecret(w.Payment, in.ClientSecret, e.now()); err != nil {
			return nil, err
		}
	}
	if in.ForceSync && w.Payment.Status.Facts().Sync && (!auth.Publishable || e.driver.PayerMayAsk(w.Payment.MerchantID, id)) {
		if err := e.forceSync(ctx, w); err != nil {
			return nil, err
		}
	}
	v := e.changes.View(w)
	v.ShowAttempts, v.ShowCaptures, v.Public = in.Attempts, in.Captures, auth.Publishable
	if w.Payment.Details.RefundCount > 0 && !auth.Publishable {
		err = e.read(ctx, "read refunds", func(r Reader) (err error) {
			v.Refunds, err = r.RefundsOf(w.Payment.MerchantID, w.Payment.ID)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(w.Payment.Details.Disputes) > 0 && !auth.Publishable {
		err = e.read(ctx, "read disputes", func(r Reader) (err error) {
			v.Disputes, err = r.DisputesOf(w.Payment.MerchantID, w.Payment.ID)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if in.Attempts || in.Routing {
		err = e.store.View(ctx, func(r Reader) (err error) {
			v.Attempts, err = r.Attempts(w.Payment.MerchantID, w.Payment.ID)
			return err
		})
		for _, a := range v.Attempts {
			err = errors.Join(err, e.vault.OpenAttempt(a))
		}
		if err != nil {
			return nil, fault.Internal(err, "read attempts")
		}
	}
	if in.Routing && !auth.Publishable {
		v.Routed = e.RoutedOf(ctx, v.Attempts)
	}
	return v, nil
}

// forceSync asks the processor for the payment's result and books the answer. It sends no request that could act.
func (e *Engine) forceSync(ctx context.Context, w *change.Loaded) error {
	if w.Attempt.AccountID == "" {
		return nil
	}
	if w.Attempt.Private.Invoke != nil || w.Attempt.Authenticated() && w.Attempt.Status == payment.Authorizing {
		if err := e.SyncAuthentication(ctx, w); err != nil || w.Attempt.Private.Invoke != nil || !w.Payment.Status.Facts().Sync {
			return err
		}
	}
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return nil // without its account or adapter the payment is shown as stored
	}
	defer e.driver.FlushJournal(ctx, &w.Run)
	op, ops, err := e.openOperation(ctx, w)
	if err != nil {
		return err
	}
	w.Operation = op
	if captures := w.Attempt.OpenCaptures(ops); op != nil && op.Kind == sdk.OpCapture && len(captures) > 1 {
		for _, op := range captures {
			w.Operation = op
			if err := e.syncOpen(ctx, w, op); err != nil {
				return err
			}
		}
		return nil
	}
	if op == nil {
		return e.reports.Sync(ctx, w)
	}
	return e.syncOpen(ctx, w, op)
}

// syncOpen asks the processor about an open operation and books the answer.
func (e *Engine) syncOpen(ctx context.Context, w *change.Loaded, op *payment.Operation) error {
	if op.Unsent() {
		return nil // a drive will begin: its answer has more facts than a query
	}
	if driven, err := e.driver.UnderWay(ctx, op); driven || err != nil {
		return err
	}
	v, err := e.driver.QueryProcessor(ctx, &w.Run)
	if err != nil || changesNothing(w, v) {
		return err
	}
	err = e.settle(context.WithoutCancel(ctx), w, v)
	if errors.Is(err, change.ErrLeased) || errors.Is(err, change.ErrStale) {
		return nil // the run that is sending it knows more: the payment is shown as it was read
	}
	return err
}

// pendingOperation returns the operation that waits for the customer or the processor, or nil.
func (e *Engine) pendingOperation(ctx context.Context, w *change.Loaded) (*payment.Operation, error) {
	if w.Attempt.AccountID == "" {
		return nil, nil
	}
	ops, err := e.changes.OperationsOf(ctx, w.Payment)
	return w.Attempt.PendingOperation(ops), err
}

// openOperation returns the attempt's latest operation that is in flight, unknown or pending, or nil, and all operations of the payment.
func (e *Engine) openOperation(ctx context.Context, w *change.Loaded) (op *payment.Operation, all []*payment.Operation, err error) {
	all, err = e.changes.OperationsOf(ctx, w.Payment)
	return w.Attempt.OpenOperation(all), all, err
}
