package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// NextAction is what the redirect page of a payment has to do: send the payer on to the processor. HE_02 for a URL without its token and for
// an attempt that another has followed, IR_16 when the payment waits for no action (any more).
func (e *Engine) NextAction(ctx context.Context, u PublicURL) (*sdk.NextAction, error) {
	if u.Use != URLRedirect || !e.OpensURL(u) {
		return nil, NotFound("Payment")
	}
	w, err := e.load(ctx, u.MerchantID, u.PaymentID)
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
	attempt, ok := e.returnAttempt(PublicURL{MerchantID: in.MerchantID, PaymentID: in.PaymentID, Connector: in.Connector, Token: in.Token})
	if !ok {
		return nil, NotFound("Payment")
	}
	auth := Auth{MerchantID: in.MerchantID}
	v, err := e.withSlot(ctx, auth, in.PaymentID, func(w *work) (*PaymentView, error) {
		if w.a.ID != attempt || w.a.Connector != in.Connector {
			return nil, NotFound("Payment")
		}
		if w.p.Status != RequiresCustomerAction {
			return e.view(w), nil
		}
		return e.complete(ctx, w, &in.Return, in.Complete)
	})
	if err != nil {
		return nil, err
	}
	if n := v.Attempt.Details.NextAction; v.Payment.Status == RequiresCustomerAction && n != nil && in.Complete {
		return &ReturnView{View: v, NextURL: v.RedirectURL}, nil
	}
	return e.merchantReturn(v)
}

// CompleteAuthorize goes on after device data collection: with the publishable key and the client secret.
func (e *Engine) CompleteAuthorize(ctx context.Context, auth Auth, id, clientSecret, deviceData string) (*PaymentView, error) {
	return e.withSlot(ctx, auth, id, func(w *work) (*PaymentView, error) {
		if err := checkSecret(auth, w.p, clientSecret, e.now()); err != nil {
			return nil, err
		}
		switch w.p.Status {
		case Failed, Succeeded, Review:
			return nil, Refused("You cannot complete_authorize this payment because it has status " + string(w.p.Status))
		case RequiresCustomerAction:
			return e.complete(ctx, w, &sdk.Return{Method: "POST", DeviceData: deviceData}, true)
		}
		return e.view(w), nil
	})
}

// complete performs the adapter's complete operation, or a sync where it has none or the customer came by the plain return URL.
func (e *Engine) complete(ctx context.Context, w *work, r *sdk.Return, wanted bool) (*PaymentView, error) {
	if w.a.Private.Invoke != nil {
		return e.view(w), nil // the processor has not heard of it yet: an authentication of ours is waited for
	}
	if err := e.withAccount(ctx, w); err != nil {
		return nil, err
	}
	if !wanted || !slices.Contains(w.adapter.Manifest.Operations, sdk.OpComplete) {
		if err := e.forceSync(ctx, w); err != nil {
			return nil, err
		}
		return e.view(w), nil
	}
	first, err := e.openOperation(ctx, w)
	if err != nil {
		return nil, err
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	if err := e.prepareComplete(ctx, w, first, r, now); err != nil {
		return nil, err
	}
	if err := e.perform(ctx, w); err != nil {
		return nil, err
	}
	return e.view(w), nil
}

// prepareComplete makes the intent of complete durable and takes over the request and the card of the operation it completes.
func (e *Engine) prepareComplete(ctx context.Context, w *work, first *Operation, r *sdk.Return, now time.Time) error {
	w.leaseEnd = e.now().Add(e.opts.LeaseTime)
	w.op = e.newOperation(w, sdk.OpComplete, w.a.Amount, now)
	later := e.laterRequest(w, w.a.Amount)
	w.req = later
	if first != nil {
		if err := e.openJSON(first.Request, requestAD(first.ID), &w.req); err != nil {
			return err
		}
		var err error
		w.secrets, err = e.openSecrets(ctx, first.Instrument, first.MerchantID, first.ShortTermID())
		if err != nil && !errors.Is(err, errShredded) { // the customer came too late for the card: the processor has to do without
			return err
		}
		w.req.TransactionID, w.req.Payment, w.req.ConnectorData = later.TransactionID, later.Payment, later.ConnectorData
	}
	w.req.Return = r
	if err := move(w.p, w.a, TriggerResume, now); err != nil {
		return Internal(err, "complete payment")
	}
	w.p.OpenOperation = w.op.ID
	if err := e.sealWork(w); err != nil {
		return err
	}
	var p *Payment
	var a *Attempt
	err := e.store.Update(ctx, func(tx Tx) error {
		p, a = w.p.clone(), w.a.clone()
		if err := tx.UpdatePayment(p); err != nil {
			return err
		}
		if err := tx.UpdateAttempt(a); err != nil {
			return err
		}
		if first != nil {
			fresh, err := tx.Operation(first.ID)
			if err != nil {
				return err
			}
			if fresh.Status == OperationPending {
				endPending(fresh, now)
				if err := tx.UpdateOperation(fresh); err != nil {
					return err
				}
			}
		}
		return tx.InsertOperation(w.op)
	})
	if err != nil {
		return err // ErrConflict: withSlot reads again
	}
	w.p, w.a = p, a
	return nil
}

// merchantReturn is the merchant's return URL with the result, signed where the profile wants it (contract: redirects).
func (e *Engine) merchantReturn(v *PaymentView) (*ReturnView, error) {
	to := v.Payment.Details.ReturnURL
	if to == "" && v.Profile != nil {
		to = v.Profile.Settings.ReturnURL
	}
	if to == "" {
		return nil, Missing("return_url")
	}
	u, err := url.Parse(to)
	if err != nil {
		return nil, InvalidValue("return_url")
	}
	post := v.Profile.Settings.RedirectWithPost
	fields := []sdk.Header{{Name: "status", Value: string(v.Payment.Status)}, {Name: "payment_id", Value: v.Payment.ID}}
	if e.returnsSecret(v) {
		fields = append(fields, sdk.Header{Name: "payment_intent_client_secret", Value: v.Payment.Private.ClientSecret})
	}
	if !post {
		fields = append(fields, sdk.Header{Name: "amount", Value: strconv.FormatInt(v.Payment.Amount, 10)})
	}
	fields = append(fields, sdk.Header{Name: "manual_retry_allowed", Value: strconv.FormatBool(v.ManualRetryAllowed)})
	if key := v.Profile.ResponseHash.Reveal(); v.Profile.Settings.EnableResponseHash && key != "" {
		fields = append(fields, sdk.Header{Name: "signature", Value: signReturn(fields, key)}, sdk.Header{Name: "signature_algorithm", Value: "HMAC-SHA512"})
	}
	if post {
		return &ReturnView{View: v, URL: to, Fields: fields}, nil
	}
	q := u.Query()
	for _, name := range []string{"payment_intent_client_secret", "signature", "signature_algorithm"} {
		q.Del(name) // the switch adds its own below, where it has them
	}
	for _, f := range fields {
		q.Set(f.Name, f.Value)
	}
	u.RawQuery = q.Encode()
	return &ReturnView{View: v, URL: u.String()}, nil
}

// signReturn is hex HMAC-SHA512 over the k=v pairs sorted by key and joined with &.
func signReturn(fields []sdk.Header, key string) string {
	pairs := make([]string, len(fields))
	for i, f := range fields {
		pairs[i] = f.Name + "=" + f.Value
	}
	slices.Sort(pairs)
	h := hmac.New(sha512.New, []byte(key))
	h.Write([]byte(strings.Join(pairs, "&")))
	return hex.EncodeToString(h.Sum(nil))
}
