// Package bluesnap speaks to BlueSnap's Payment API (card transactions, JSON; developers.bluesnap.com/v8976-JSON) and reads its webhooks.
//
// POSTs (payments, refunds, shoppers) carry an idempotency key. PUTs (captures, voids) take none, and are sent once. An unknown result is settled by
// retrieving the transaction, by its id or, where the answer with it was lost, by our reference (merchantTransactionId) and the merchant's id; or
// by the identical request with its key again.
package bluesnap

import (
	"errors"
	"strings"

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

// keySeconds is how long an idempotency key is relied on: BlueSnap keeps it for up to 24 hours (developers.bluesnap.com/reference/idempotency).
const keySeconds = 12 * 60 * 60

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
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference, sdk.ResolveByIdempotentResend, sdk.ResolveByWebhook},
				IdempotencyWindowSeconds: keySeconds, NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		Authorize: authorize, Verify: verify, Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// send sends a request and returns its answer where there is one that says something: 2xx, or 4xx that names an error. 5xx say nothing,
// whatever their body: the money may have moved.
func send(c *sdk.Call, method, path string, body *sdk.Object, more ...sdk.Header) answer {
	s := &sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET" || method == "POST",
		Headers: append([]sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Accept", "application/json"), c.BasicAuth(username, password)}, more...)}
	if body != nil {
		s.Body = body.Bytes()
	}
	if method == "POST" { // the key takes letters, digits and hyphens
		s.Headers = append(s.Headers, sdk.H("Idempotency-Key", strings.ReplaceAll(c.IdempotencyKey(), "_", "-")))
	}
	r := sdk.Must(c.Do(s))
	a := answer{JSON: r.JSON()}
	switch {
	case r.OK() && a.IsObject():
	case r.Status == 401 && string(r.Body) == "Unauthorized":
		a.decline = declineOf("401", "UNAUTHORIZED", "Unauthorized")
	case doubtful(a.Get("message")):
		sdk.Check(errInDoubt)
	case r.Refuses() && a.Get("message").IsArray() && a.Text("message.0.code") != "":
		a.decline = declineOf(a.Text("message.0.code"), a.Str("message.0.errorName"), a.Str("message.0.description"))
		a.missing = a.Str("message.0.errorName") == "TRANSACTION_NOT_FOUND"
	default:
		sdk.Check(errAnswer)
	}
	return a
}

// inDoubt are the names of errors after which BlueSnap, or the processor behind it, may have acted all the same: no refusals. A transaction that
// exists already has our reference: only a query tells what became of it.
var inDoubt = sdk.Names{{"in doubt", "PROCESSING_TIMEOUT SYSTEM_TECHNICAL_ERROR BLS_CONNECTION_PROBLEM SERVER_GENERAL_FAILURE TRANSACTION_ALREADY_EXISTS REFUND_IN_PROCESS " +
	"IDEMPOTENCY_SERVICE_TIMEOUT REQUEST_WITH_SAME_IDEMPOTENCY_KEY_ALREADY_IN_PROGRESS SAME_IDEMPOTENCY_KEY_WAS_ALREADY_IN_USE_WITH_PREVIOUS_DIFFERENT_REQUEST"}}

// doubtful says whether one of the errors leaves it open what was done.
func doubtful(messages sdk.JSON) bool {
	for m := range messages.All() {
		if inDoubt.Of(m.Str("errorName")) != "" {
			return true
		}
	}
	return false
}

// answer is what BlueSnap says.
type answer struct {
	sdk.JSON
	decline *sdk.Decline // an error instead of a transaction
	missing bool         // the error that there is no such transaction
}

var (
	errAnswer  = errors.New("not an answer to the request")
	errInDoubt = errors.New("an error after which the processor may have acted")
	errStatus  = errors.New("a status that decides nothing")
)
