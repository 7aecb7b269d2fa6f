// Package acme is an adapter for a processor that exists only in tests: JSON over HTTP, one POST per operation, an idempotency
// header, and a query by the merchant's reference. Its requests hold no card data.
package acme

import (
	"net/url"

	"payswitch/sdk"
)

// Adapter is the adapter. Adapters hold no state, so all tests share one value.
var Adapter = sdk.Adapter{
	Manifest: sdk.Manifest{
		Name: "acme", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Acme",
		Description: "A processor that exists in tests only.",
		Environments: map[string]sdk.Environment{
			"test": {BaseURL: "https://test.acme.example", Hosts: []string{"test.acme.example"}},
			"live": {BaseURL: "https://api.acme.example", Hosts: []string{"api.acme.example"}},
		},
		Credentials: []sdk.Field{{Name: "secret_key", Key: "api_key", Label: "Secret key", Type: "secret"}},
		Config:      []sdk.Field{{Name: "merchant_id", Label: "Merchant id", Type: "text", Default: "acme_test"}},
		Features:    sdk.Features{PartialCapture: true, PartialRefund: true, External3DS: true},
		Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference, sdk.ResolveByIdempotentResend},
			IdempotencyWindowSeconds: 86400, NotFoundFinalAfterSeconds: 2},
	},
	Authorize:  authorize,
	Capture:    capture,
	Void:       void,
	Refund:     refund,
	Sync:       sync,
	RefundSync: refundSync,
}

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	body := sdk.NewObject().Str("merchant", c.Account.Config["merchant_id"]).Str("reference", r.Reference).
		Int("amount", r.Amount.Minor).Str("currency", string(r.Amount.Currency)).Bool("capture", r.Capture != sdk.CaptureManual)
	if r.Instrument != nil && r.Instrument.Card != nil {
		card := r.Instrument.Card
		body.Str("bin", card.BIN).Str("last_four", card.LastFour)
	}
	if t := r.ThreeDS; t != nil {
		body.Str("eci", t.ECI)
	}
	return post(c, "/payments", body)
}

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	return post(c, "/payments/"+url.PathEscape(c.Request.TransactionID)+"/capture",
		sdk.NewObject().Str("reference", c.Request.Reference).Int("amount", c.Request.Amount.Minor))
}

func void(c *sdk.Call) (*sdk.Outcome, error) {
	return post(c, "/payments/"+url.PathEscape(c.Request.TransactionID)+"/void", sdk.NewObject().Str("reference", c.Request.Reference))
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	return post(c, "/payments/"+url.PathEscape(c.Request.TransactionID)+"/refund",
		sdk.NewObject().Str("reference", c.Request.Reference).Int("amount", c.Request.Amount.Minor))
}

func sync(c *sdk.Call) (*sdk.Outcome, error) { return query(c, "/payments") }

func refundSync(c *sdk.Call) (*sdk.Outcome, error) { return query(c, "/refunds") }

// post sends one keyed request.
func post(c *sdk.Call, path string, body *sdk.Object) (*sdk.Outcome, error) {
	answer, err := c.Do(&sdk.Send{Method: "POST", URL: path, Headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}},
		Body: body.Bytes(), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"})
	if err != nil {
		return nil, err
	}
	return outcome(answer)
}

// query asks for the payment by our reference.
func query(c *sdk.Call, path string) (*sdk.Outcome, error) {
	answer, err := c.Get(path + "?reference=" + url.QueryEscape(c.Request.Reference))
	if err != nil {
		return nil, err
	}
	if answer.Status == 404 && answer.JSON().Str("error") == "not_found" {
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	}
	return outcome(answer)
}

// outcomes of the processor's states.
var outcomes = map[string]sdk.OutcomeStatus{"authorized": sdk.StatusAuthorized, "captured": sdk.StatusCaptured, "voided": sdk.StatusVoided,
	"refunded": sdk.StatusRefunded, "declined": sdk.StatusDeclined, "pending": sdk.StatusPending}

func outcome(answer *sdk.Response) (*sdk.Outcome, error) {
	body := answer.JSON()
	status, known := outcomes[body.Str("status")]
	if !answer.OK() || !known {
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}
	out := &sdk.Outcome{Status: status, TransactionID: body.Str("id"), RefundID: body.Str("refund")}
	if status == sdk.StatusDeclined {
		out.Decline = &sdk.Decline{Code: body.Str("code"), Message: body.Str("message"), Reason: sdk.DeclineGeneric, RetryElsewhere: true}
	}
	return out, nil
}
