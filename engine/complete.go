package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/sdk"
)

// NextAction is what the redirect page of a payment has to do: send the payer on to the processor. HE_02 for a URL without its token and for
// an attempt that another has followed, IR_16 when the payment waits for no action (any more).
func (e *Engine) NextAction(ctx context.Context, u PublicURL) (*sdk.NextAction, error) {
	if u.Use != URLRedirect || !e.links.OpensURL(u) {
		return nil, NotFound("Payment")
	}
	w, err := e.changes.load(ctx, u.MerchantID, u.PaymentID)
	if err != nil {
		return nil, err
	}
	if w.a.ID != u.AttemptID {
		return nil, NotFound("Payment")
	}
	if w.p.Status != RequiresCustomerAction || w.a.Details.NextAction == nil {
		return nil, Refused("This payment needs no action of the customer because it has status " + string(w.p.Status))
	}
	return w.a.Details.NextAction, nil
}

// PaymentReturn takes the customer back from the processor's page: the operation is completed, or the processor asked, and the answer
// says where the customer goes next. Coming back again changes nothing. HE_02 as of NextAction.
func (e *Engine) PaymentReturn(ctx context.Context, in ReturnInput) (*ReturnView, error) {
	attempt, ok := e.links.returnAttempt(PublicURL{MerchantID: in.MerchantID, PaymentID: in.PaymentID, Connector: in.Connector, Token: in.Token})
	if !ok {
		return nil, NotFound("Payment")
	}
	auth := Auth{MerchantID: in.MerchantID}
	v, err := e.changes.changePayment(ctx, auth, in.PaymentID, func(w *loaded) (*Change, error) {
		if w.a.ID != attempt || w.a.Connector != in.Connector {
			return nil, NotFound("Payment")
		}
		if w.p.Status != RequiresCustomerAction {
			return nil, nil
		}
		return e.complete(ctx, w, &in.Return, in.Complete)
	})
	if err != nil {
		return nil, err
	}
	if n := v.Attempt.Details.NextAction; v.Payment.Status == RequiresCustomerAction && n != nil && in.Complete {
		return &ReturnView{View: v, NextURL: v.RedirectURL}, nil
	}
	return e.changes.merchantReturn(v)
}

// CompleteAuthorize goes on after device data collection: with the publishable key and the client secret.
func (e *Engine) CompleteAuthorize(ctx context.Context, auth Auth, id, clientSecret, deviceData string) (*PaymentView, error) {
	return e.changes.changePayment(ctx, auth, id, func(w *loaded) (*Change, error) {
		if err := checkSecret(auth, w.p, clientSecret, e.now()); err != nil {
			return nil, err
		}
		switch w.p.Status {
		case Failed, Succeeded, Review:
			return nil, Refused("You cannot complete_authorize this payment because it has status " + string(w.p.Status))
		case RequiresCustomerAction:
			return e.complete(ctx, w, &sdk.Return{Method: "POST", DeviceData: deviceData}, true)
		}
		return nil, nil
	})
}

// complete begins the adapter's complete operation. Where the adapter has none, or the payer came by the plain return URL, the processor is
// asked instead.
func (e *Engine) complete(ctx context.Context, w *loaded, r *sdk.Return, wanted bool) (*Change, error) {
	if w.a.Private.Invoke != nil {
		return nil, nil // the processor has not heard of the payment yet: an authentication of ours is waited for
	}
	if err := e.changes.withAccount(ctx, w); err != nil {
		return nil, err
	}
	if !wanted || !slices.Contains(w.adapter.Manifest.Operations, sdk.OpComplete) {
		return nil, e.forceSync(ctx, w)
	}
	first, err := e.openOperation(ctx, w)
	if err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	e.driver.begin(&w.run, sdk.OpComplete, w.a.Amount, now)
	superseded := ""
	if first != nil {
		superseded = first.ID
		if err := e.takeOver(ctx, w, first); err != nil {
			return nil, err
		}
	}
	w.req.Return = r
	c, err := e.intent(w, TriggerResume, now)
	if err != nil {
		return nil, err
	}
	c.Superseded = superseded
	return c, nil
}

// takeOver gives complete the request and the card of the operation that it completes.
func (e *Engine) takeOver(ctx context.Context, w *loaded, first *Operation) error {
	later := w.req
	if err := e.vault.openJSON(first.Request, requestAD(first.ID), &w.req); err != nil {
		return err
	}
	var err error
	w.secrets, err = e.vault.openSecrets(ctx, first.Instrument, first.MerchantID, first.ShortTermID())
	if err != nil && !errors.Is(err, errShredded) { // the payer came too late for the card: the processor has to do without
		return err
	}
	w.req.TransactionID, w.req.Payment, w.req.ConnectorData = later.TransactionID, later.Payment, later.ConnectorData
	return nil
}
