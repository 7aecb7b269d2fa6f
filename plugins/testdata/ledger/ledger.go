// Package ledger holds two adapters for the recording processors of the crash test. The processors differ in one point: keyed acts once per
// idempotency key, keyless acts on each request that it gets. Requests hold no card data.
package ledger

import (
	"net/url"

	"payswitch/sdk"
)

// NotFoundFinalSeconds is the time after which the processors hide and delay nothing any more.
const NotFoundFinalSeconds = 4

// Adapter returns the adapter of the processor with idempotency keys, or without them.
func Adapter(keyed bool) *sdk.Adapter {
	a := adapter{keyed}
	m := sdk.Manifest{
		Name: "keyless", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Ledger", Description: "A processor that exists in tests only.",
		Environments: map[string]sdk.Environment{"test": {BaseURL: "https://ledger.example", Hosts: []string{"ledger.example"}}},
		Credentials: []sdk.Field{{Name: "secret_key", Key: "api_key", Label: "Secret key", Type: "secret"},
			{Name: "webhook_secret", Label: "Webhook secret", Type: "secret", Optional: true}},
		Authentication: []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}},
		Features:       sdk.Features{PartialCapture: true, MultipleCapture: true, PartialRefund: true, Processor3DS: true},
		Reference:      sdk.ReferenceRule{MaxLength: 64},
		Webhook:        &sdk.WebhookRule{Scheme: "hmac-sha256"},
		Resolve:        sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference}, NotFoundFinalAfterSeconds: NotFoundFinalSeconds},
	}
	if keyed {
		m.Name, m.Features.PreAuthVoid = "keyed", true
		m.Resolve.By, m.Resolve.IdempotencyWindowSeconds = append(m.Resolve.By, sdk.ResolveByIdempotentResend), 86400
	}
	return &sdk.Adapter{Manifest: m, Authorize: a.authorize, Capture: a.capture, Void: a.void, Refund: a.refund, Sync: sync, RefundSync: refundSync, Webhook: webhook}
}

type adapter struct{ keyed bool }

func (a adapter) authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	return a.post(c, "/payments", sdk.NewObject().Str("reference", r.Reference).Int("amount", r.Amount.Minor).Str("currency", string(r.Amount.Currency)).
		Bool("capture", r.Capture != sdk.CaptureManual).Bool("three_ds", r.Request3DS).Str("return_url", r.ReturnURL).Str("webhook_url", r.WebhookURL))
}

func (a adapter) capture(c *sdk.Call) (*sdk.Outcome, error) {
	return a.post(c, "/payments/"+url.PathEscape(c.Request.TransactionID)+"/capture", sdk.NewObject().Int("amount", c.Request.Amount.Minor))
}

func (a adapter) void(c *sdk.Call) (*sdk.Outcome, error) {
	return a.post(c, "/payments/"+url.PathEscape(c.Request.TransactionID)+"/void", sdk.NewObject())
}

func (a adapter) refund(c *sdk.Call) (*sdk.Outcome, error) {
	return a.post(c, "/payments/"+url.PathEscape(c.Request.TransactionID)+"/refund",
		sdk.NewObject().Str("reference", c.Request.Reference).Int("amount", c.Request.Amount.Minor))
}

// post sends one request, with a key where the processor has keys.
func (a adapter) post(c *sdk.Call, path string, body *sdk.Object) (*sdk.Outcome, error) {
	s := &sdk.Send{Method: "POST", URL: path, Headers: []sdk.Header{c.Bearer("secret_key"), sdk.H("Content-Type", "application/json")}, Body: body.Bytes()}
	if a.keyed {
		s.SafeToRepeat, s.IdempotencyHeader = true, "Idempotency-Key"
	}
	answer, err := c.Do(s)
	if err != nil {
		return nil, err
	}
	return read(c, answer)
}

func sync(c *sdk.Call) (*sdk.Outcome, error) {
	if id := c.Request.TransactionID; id != "" {
		return query(c, "/payments/"+url.PathEscape(id))
	}
	return query(c, "/payments?reference="+url.QueryEscape(c.Request.Reference))
}

func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	return query(c, "/refunds?reference="+url.QueryEscape(c.Request.Reference))
}

func query(c *sdk.Call, path string) (*sdk.Outcome, error) {
	answer, err := c.Get(path, c.Bearer("secret_key"))
	if err != nil {
		return nil, err
	}
	if answer.Status == 404 && answer.JSON().Str("error") == "not_found" {
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	return read(c, answer)
}

func read(c *sdk.Call, answer *sdk.Response) (*sdk.Outcome, error) {
	if !answer.OK() {
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}
	return outcome(answer.JSON(), c.Request.Resolves), nil
}

// statuses are the processor's statuses of payments and refunds.
var statuses = map[string]sdk.OutcomeStatus{"authorized": sdk.StatusAuthorized, "captured": sdk.StatusCaptured, "voided": sdk.StatusVoided,
	"waiting": sdk.StatusCustomerAction, "refunded": sdk.StatusRefunded, "declined": sdk.StatusDeclined, "pending": sdk.StatusPending}

func outcome(j sdk.JSON, resolves sdk.Operation) *sdk.Outcome {
	status, known := statuses[j.Str("status")]
	if !known {
		return &sdk.Outcome{Status: sdk.StatusUnknown}
	}
	o := &sdk.Outcome{Status: status, TransactionID: j.Str("id"), RefundID: j.Str("refund")}
	money := func(minor int64) *sdk.Money {
		return &sdk.Money{Minor: minor, Currency: sdk.Currency(j.Str("currency"))}
	}
	if o.RefundID != "" {
		o.Amount = money(j.Int("amount"))
	} else if status == sdk.StatusAuthorized || status == sdk.StatusCaptured {
		t := &sdk.Totals{Authorized: j.Int("authorized"), Captured: j.Int("captured"), Refunded: j.Int("refunded")}
		o.Totals, o.Amount, o.Released = t, money(t.Authorized), j.Bool("released")
		if status == sdk.StatusCaptured {
			o.Amount = money(t.Captured)
		}
	}
	if j.Has("captured_now") { // the answer to a capture: what this one has taken
		o.Amount, o.Totals = money(j.Int("captured_now")), nil
	}
	if resolves == sdk.OpVoid && j.Bool("released") {
		o.Status, o.Totals, o.Amount = sdk.StatusVoided, nil, nil
	}
	switch o.Status {
	case sdk.StatusCustomerAction:
		o.NextAction = &sdk.NextAction{Type: sdk.NextActionRedirect, URL: j.Str("redirect_url")}
	case sdk.StatusDeclined:
		o.Decline = &sdk.Decline{Code: "refused", Message: "Refused", Reason: sdk.DeclineGeneric}
	}
	return o
}

// webhook reads a message. With a secret the message is evidence; without one the switch asks.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	signed := c.Account.Credentials["webhook_secret"] != ""
	if signed {
		c.Signed("webhook_secret", sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["webhook_secret"]), sdk.Body())),
			sdk.HeaderValue(c.Request.Webhook.Headers, "Signature"))
	}
	j := c.Message()
	e := sdk.Event{Object: sdk.EventPayment, TransactionID: j.Str("id"), Reference: j.Str("reference"), Sync: !signed}
	if r := j.Str("refund"); r != "" {
		e = sdk.Event{Object: sdk.EventRefund, TransactionID: j.Str("id"), RefundID: r, Reference: j.Str("reference"), Sync: !signed}
	}
	if signed {
		e.Outcome = outcome(j, "")
	}
	return sdk.Handled(e), nil
}
