package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/link"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// NextAction returns the action that a payment's redirect page performs: it sends the payer to the processor. Errors: HE_02 if the URL's
// token is wrong or the payment has a newer attempt, IR_16 if the payment waits for no action.
func (e *Engine) NextAction(ctx context.Context, u link.URL) (*sdk.NextAction, error) {
	if u.Use != authentication.URLRedirect || !e.links.OpensURL(u) {
		return nil, fault.NotFound("Payment")
	}
	w, err := e.changes.Load(ctx, u.MerchantID, u.PaymentID)
	if err != nil {
		return nil, err
	}
	if w.Attempt.ID != u.AttemptID {
		return nil, fault.NotFound("Payment")
	}
	if w.Payment.Status != payment.RequiresCustomerAction || w.Attempt.Details.NextAction == nil {
		return nil, fault.Refused("This payment needs no action of the customer because it has status " + string(w.Payment.Status)).WithParam("status").WithHint(w.Payment.Status.Remedy())
	}
	return w.Attempt.Details.NextAction, nil
}

// PaymentReturn takes the payer back from the processor's page. It completes the operation or asks the processor, and returns the payer's
// next page. A second return changes nothing. Errors: HE_02 as in NextAction.
func (e *Engine) PaymentReturn(ctx context.Context, in request.ReturnInput) (*change.ReturnView, error) {
	attempt, ok := e.links.ReturnAttempt(link.URL{MerchantID: in.MerchantID, PaymentID: in.PaymentID, Connector: in.Connector, Token: in.Token})
	if !ok {
		return nil, fault.NotFound("Payment")
	}
	auth := account.Auth{MerchantID: in.MerchantID}
	v, err := e.changes.Decide(ctx, auth, in.PaymentID, func(w *change.Loaded) (*change.Change, error) {
		if w.Attempt.ID != attempt || w.Attempt.Connector != in.Connector {
			return nil, fault.NotFound("Payment")
		}
		if w.Payment.Status != payment.RequiresCustomerAction {
			return nil, nil
		}
		return e.complete(ctx, w, &in.Return, in.Complete)
	})
	if err != nil {
		return nil, err
	}
	if n := v.Attempt.Details.NextAction; v.Payment.Status == payment.RequiresCustomerAction && n != nil && in.Complete {
		return &change.ReturnView{View: v, NextURL: v.RedirectURL}, nil
	}
	return e.changes.PayerReturn(v)
}

// CompleteAuthorize continues a payment after device data collection. It needs the publishable key and the client secret.
func (e *Engine) CompleteAuthorize(ctx context.Context, auth account.Auth, id, clientSecret, deviceData string) (*change.View, error) {
	return e.changes.Decide(ctx, auth, id, func(w *change.Loaded) (*change.Change, error) {
		if err := auth.CheckSecret(w.Payment, clientSecret, e.now()); err != nil {
			return nil, err
		}
		switch w.Payment.Status {
		case payment.Failed, payment.Succeeded, payment.Review:
			return nil, fault.Refused("You cannot complete_authorize this payment because it has status " + string(w.Payment.Status)).WithParam("status").WithHint(w.Payment.Status.Remedy())
		case payment.RequiresCustomerAction:
			return e.complete(ctx, w, &sdk.Return{Method: "POST", DeviceData: deviceData}, true)
		}
		return nil, nil
	})
}

// complete begins the adapter's complete operation. If the adapter has no such operation, or wanted is false because the payer came by the
// plain return URL: complete asks the processor for the result instead.
func (e *Engine) complete(ctx context.Context, w *change.Loaded, r *sdk.Return, wanted bool) (*change.Change, error) {
	if w.Attempt.Private.Invoke != nil {
		return nil, nil // the processor does not know the payment yet: payswitch's own authentication has not ended
	}
	if !e.driver.PayerMayAsk(w.Payment.MerchantID, "return of "+w.Payment.ID) { // polls of a client leave the return its own questions
		return nil, nil
	}
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return nil, err
	}
	if !wanted || !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpComplete) {
		return nil, e.forceSync(ctx, w)
	}
	first, _, err := e.openOperation(ctx, w)
	if err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	e.driver.Begin(&w.Run, sdk.OpComplete, w.Attempt.Amount, now)
	superseded := ""
	if first != nil {
		superseded = first.ID
		if err := e.inheritRequest(ctx, w, first); err != nil {
			return nil, err
		}
	}
	w.Request.Return = r
	c, err := e.intent(w, payment.TriggerResume, now)
	if err != nil {
		return nil, err
	}
	c.Superseded = superseded
	return c, nil
}

// inheritRequest copies the request and the card of the completed operation into the run of the complete operation.
func (e *Engine) inheritRequest(ctx context.Context, w *change.Loaded, first *payment.Operation) error {
	later := w.Request
	if err := e.vault.OpenJSON(first.Request, vault.RequestAD(first.ID), &w.Request); err != nil {
		return err
	}
	var err error
	w.Secrets, err = e.vault.OpenSecrets(ctx, first.Instrument, first.MerchantID, first.ShortTermID())
	if err != nil && !errors.Is(err, vault.ErrShredded) { // the payer came after the card was destroyed: the processor must complete without it
		return err
	}
	w.Request.TransactionID, w.Request.Payment, w.Request.ConnectorData = later.TransactionID, later.Payment, later.ConnectorData
	return nil
}
