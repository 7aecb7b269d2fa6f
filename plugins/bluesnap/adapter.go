// Package bluesnap is the adapter for BlueSnap's Payment API (developers.bluesnap.com/v8976-JSON) and its webhooks.
//
// POSTs (payments, refunds, shoppers) carry an idempotency key. PUTs (captures, voids) have none and are sent once. The
// adapter settles an unknown result by retrieving the transaction: by its id, or by our reference
// (merchantTransactionId) and the merchant's id.
package bluesnap

import (
	"strings"

	"payswitch/sdk"
)

const (
	transactionsPath = "/services/2/transactions"
	shoppersPath     = "/services/2/vaulted-shoppers"
)

func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "bluesnap", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "BlueSnap",
			Description: "Card payments through BlueSnap's Payment API.", Website: "https://www.bluesnap.com",
			// An authorization has one capture.
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				External3DS: true, StoredCredential: true, NetworkMIT: true},
			Environments: sdk.TestAndLive("https://sandbox.bluesnap.com", "https://ws.bluesnap.com"),
			Credentials: []sdk.Field{
				{Name: "username", Key: "key1", Label: "API user name", Type: "secret", Help: "Settings, API Settings."},
				{Name: "password", Key: "api_key", Label: "API password", Type: "secret"},
				{Name: "webhook_secret", Label: "Webhook key", Type: "secret", Optional: true,
					Help: "The key of the webhook's security settings. Without it the adapter reads no webhook."},
			},
			Config: []sdk.Field{{Name: "merchant_id", Label: "Merchant ID", Type: "text", Optional: true,
				Help: "Needed to look up a payment after a lost answer. Without it only a webhook settles such a payment."}},
			Authentication: []sdk.Placement{{Secret: "*", In: "header", Field: "Authorization"}},
			Placements: append(
				sdk.CardPlacements(transactionsPath,
					sdk.CardFields{Number: "creditCard.cardNumber", CVC: "creditCard.securityCode", CAVV: "threeDSecure.cavv"},
					sdk.OpAuthorize),
				sdk.CardPlacements(shoppersPath, sdk.CardFields{Number: "paymentSources.creditCardInfo[].creditCard.cardNumber",
					CVC: "paymentSources.creditCardInfo[].creditCard.securityCode", CAVV: "threeDSecure.cavv"}, sdk.OpVerify)...),
			Reference: sdk.ReferenceRule{MaxLength: 50},
			Webhook:   &sdk.WebhookRule{Scheme: "bluesnap-hmac-sha256", ToleranceSeconds: toleranceSeconds},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference,
				sdk.ResolveByIdempotentResend, sdk.ResolveByWebhook},
				// BlueSnap keeps a key for up to 24 hours (developers.bluesnap.com/reference/idempotency). It documents no
				// delay until it finds a new transaction, and usually finds it at once.
				IdempotencyWindowSeconds: 12 * 3600, NotFoundFinalAfterSeconds: 3600},
		},
		Authorize: authorize, Verify: verify, Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// send sends a request and returns the object of a 2xx. A refusal ends the operation: a 4xx that names an error. A 5xx
// means nothing, whatever its body: the money may have moved.
func send(c *sdk.Call, method, path string, body *sdk.Object, more ...sdk.Header) sdk.JSON {
	s := &sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET" || method == "POST",
		Headers: append([]sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Accept", "application/json"),
			c.BasicAuth("username", "password")}, more...)}
	if body != nil {
		s.Body = body.Bytes()
	}
	if method == "POST" { // the key may have letters, digits and hyphens
		s.Headers = append(s.Headers, sdk.H("Idempotency-Key", strings.ReplaceAll(c.IdempotencyKey(), "_", "-")))
	}
	r := sdk.Must(c.Do(s))
	if r.OK() && r.JSON().IsObject() {
		return r.JSON()
	}
	messages := r.JSON().Get("message")
	code, name := messages.Text("0.code"), messages.Str("0.errorName")
	refused := r.Refuses() && messages.IsArray() && code != ""
	for m := range messages.All() { // any of the errors may leave the result open
		sdk.Expect(!declines.InDoubt(m.Str("errorName")), "the processor may have acted before the error")
	}
	switch {
	case method == "GET" && refused && name == "TRANSACTION_NOT_FOUND":
		c.End(c.NotFound())
	case method == "GET": // the error concerns the query, not the payment
	case r.Status == 401 && string(r.Body) == "Unauthorized":
		c.End(sdk.Declined(declineOf("401", "UNAUTHORIZED", "Unauthorized")))
	case refused:
		c.End(sdk.Declined(declineOf(code, name, messages.Str("0.description"))))
	}
	sdk.Check(sdk.ErrAnswer)
	return sdk.JSON{}
}
