// Package bluesnap speaks to BlueSnap's Payment API (card transactions, JSON; developers.bluesnap.com/v8976-JSON) and reads its webhooks.
//
// BlueSnap takes no idempotency key, so nothing is sent twice: an unknown result is settled by retrieving the transaction, by its id or,
// where the answer with it was lost, by our reference (merchantTransactionId) and the merchant's id.
package bluesnap

import (
	"errors"

	"payswitch/sdk"
)

// Names of the fields of an account.
const (
	username      = "username"
	password      = "password"
	webhookSecret = "webhook_secret"
	merchantID    = "merchant_id"
)

const (
	transactionsPath = "/services/2/transactions"
	shoppersPath     = "/services/2/vaulted-shoppers"
)

// notFoundFinalSeconds is how long a transaction may take to be retrieved by our reference. BlueSnap names no time; as a rule it is
// there at once.
const notFoundFinalSeconds = 60 * 60

// Adapter returns the adapter.
func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "bluesnap", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "BlueSnap",
			Description: "Card payments through BlueSnap's Payment API.", Website: "https://www.bluesnap.com",
			// There is one capture of an authorization.
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true, External3DS: true, StoredCredential: true,
				NetworkMIT: true},
			Environments: map[string]sdk.Environment{"test": sdk.At("https://sandbox.bluesnap.com"), "live": sdk.At("https://ws.bluesnap.com")},
			Credentials: []sdk.Field{
				{Name: username, Key: "key1", Label: "API user name", Type: "secret", Help: "Settings, API Settings."},
				{Name: password, Key: "api_key", Label: "API password", Type: "secret"},
				{Name: webhookSecret, Label: "Webhook key", Type: "secret", Optional: true,
					Help: "The key of the webhook's security settings. Without it no webhook is read."},
			},
			Config: []sdk.Field{{Name: merchantID, Label: "Merchant ID", Type: "text", Optional: true,
				Help: "Needed to look a payment up whose answer was lost: without it only a webhook tells."}},
			Authentication: []sdk.Placement{{Secret: "*", In: "header", Field: "Authorization"}},
			Placements: append(
				sdk.CardPlacements(transactionsPath, sdk.CardFields{Number: "creditCard.cardNumber", CVC: "creditCard.securityCode", CAVV: "threeDSecure.cavv"},
					sdk.OpAuthorize),
				sdk.CardPlacements(shoppersPath, sdk.CardFields{Number: "paymentSources.creditCardInfo[].creditCard.cardNumber",
					CVC: "paymentSources.creditCardInfo[].creditCard.securityCode", CAVV: "threeDSecure.cavv"}, sdk.OpVerify)...),
			Reference: sdk.ReferenceRule{MaxLength: 50},
			Webhook:   &sdk.WebhookRule{Scheme: "bluesnap-hmac-sha256", ToleranceSeconds: toleranceSeconds},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference, sdk.ResolveByWebhook},
				NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		Authorize: authorize, Verify: verify, Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// send sends a request and returns its answer where there is one that says something: 2xx, or 4xx that names an error. 5xx say nothing,
// whatever their body: the money may have moved.
func send(c *sdk.Call, method, path string, body *sdk.Object, more ...sdk.Header) answer {
	s := &sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET",
		Headers: append([]sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Accept", "application/json"), c.BasicAuth(username, password)}, more...)}
	if body != nil {
		s.Body = body.Bytes()
	}
	r := sdk.Must(c.Do(s))
	a := answer{JSON: r.JSON()}
	switch {
	case r.OK() && a.IsObject():
	case r.Status == 401 && string(r.Body) == "Unauthorized":
		a.decline = declineOf("401", "UNAUTHORIZED", "Unauthorized")
	case a.Get("message").Where("errorName", "TRANSACTION_ALREADY_EXISTS").Exists(): // one with our reference: only a query tells what became of it
		sdk.Check(errAnswer)
	case r.Refuses() && a.Get("message").IsArray() && a.Text("message.0.code") != "":
		a.decline = declineOf(a.Text("message.0.code"), a.Str("message.0.errorName"), a.Str("message.0.description"))
		a.missing = a.Str("message.0.errorName") == "TRANSACTION_NOT_FOUND"
	default:
		sdk.Check(errAnswer)
	}
	return a
}

// answer is what BlueSnap says.
type answer struct {
	sdk.JSON
	decline *sdk.Decline // an error instead of a transaction
	missing bool         // the error that there is no such transaction
}

var (
	errAnswer = errors.New("not an answer to the request")
	errStatus = errors.New("a status that decides nothing")
)
