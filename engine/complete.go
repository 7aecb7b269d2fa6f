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
	return e.merchantReturn(v)
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

// secretGrace is how long after the end of an attempt a payer who comes back still gets the client secret: for those who reload.
const secretGrace = 10 * time.Minute

// returnsSecret says whether the merchant's return URL gets the client secret. Processors, proxies and browsers keep our URLs in their logs: once
// the payer's part is over for good, a URL from a log says no more than how the payment ended.
func (e *Engine) returnsSecret(v *PaymentView) bool {
	now := e.now()
	if !now.Before(v.Payment.ExpiresAt) {
		return false // nothing takes the client secret any more
	}
	ended := v.Attempt.Details.EndedAt
	return ended.IsZero() || now.Before(ended.Add(secretGrace))
}
