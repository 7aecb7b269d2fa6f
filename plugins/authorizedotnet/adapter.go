// Package authorizedotnet speaks to Authorize.net's JSON API: one address, to which every request is posted as an object of its kind with
// the merchant's login in it.
//
// There is no idempotency key. The duplicate window refuses a second request instead of answering it like the first, so nothing is sent
// twice: a payment whose answer was lost is looked up by our reference, which is its invoice number, among the transactions since then.
package authorizedotnet

import (
	"errors"
	"strings"

	"payswitch/sdk"
)

// Requests with card data.
const (
	createTransaction    = "createTransactionRequest"
	createPaymentProfile = "createCustomerPaymentProfileRequest"
)

// Adapter returns the adapter.
func Adapter() *sdk.Adapter {
	const transaction, profile = createTransaction + ".transactionRequest.", createPaymentProfile + ".paymentProfile."
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "authorizedotnet", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Authorize.net",
			Description: "Cards through Authorize.net's payment gateway.", Website: "https://www.authorize.net",
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true, External3DS: true,
				StoredCredential: true, NetworkMIT: true},
			Environments: map[string]sdk.Environment{
				"test": sdk.At("https://apitest.authorize.net/xml/v1/request.api"), "live": sdk.At("https://api.authorize.net/xml/v1/request.api"),
			},
			Credentials: []sdk.Field{
				{Name: "name", Key: "api_key", Label: "API login ID", Type: "text"},
				{Name: "transaction_key", Key: "key1", Label: "Transaction key", Type: "secret"},
				{Name: "webhook_secret", Label: "Signature key", Help: "Signs webhooks. Without it messages only cause a query.", Type: "secret", Optional: true},
			},
			Authentication: authentication(),
			Placements: append(
				sdk.CardPlacements("", sdk.CardFields{Number: transaction + "payment.creditCard.cardNumber", CVC: transaction + "payment.creditCard.cardCode",
					CAVV: transaction + "cardholderAuthentication.cardholderAuthenticationValue"}, sdk.OpAuthorize, sdk.OpVerify),
				sdk.CardPlacements("", sdk.CardFields{Number: profile + "payment.creditCard.cardNumber", CVC: profile + "payment.creditCard.cardCode"}, sdk.OpVerify)...),
			Reference: sdk.ReferenceRule{MaxLength: 20}, // refId and invoiceNumber
			Webhook:   &sdk.WebhookRule{Scheme: "x-anet-signature"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				NotFoundFinalAfterSeconds: 15 * 60}, // a transaction that no list shows may still be on its way into one
		},
		Authorize: authorize, Verify: verify,
		Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// authentication is where the login stands in each request.
func authentication() (all []sdk.Placement) {
	for _, kind := range []string{createTransaction, createPaymentProfile, "createCustomerProfileRequest", "getTransactionDetailsRequest",
		"getUnsettledTransactionListRequest", "getSettledBatchListRequest", "getTransactionListRequest"} {
		login := kind + ".merchantAuthentication."
		all = append(all, sdk.Placement{Secret: "name", Method: "POST", In: "body", Field: login + "name"},
			sdk.Placement{Secret: "transaction_key", Method: "POST", In: "body", Field: login + "transactionKey"})
	}
	return all
}

// request begins a request of a kind.
func request(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Obj("merchantAuthentication", sdk.NewObject().
		Str("name", c.Account.Credentials["name"]).Str("transactionKey", c.Account.Credentials["transaction_key"]))
}

var errAnswer = errors.New("not a whole answer of the API")

// send posts a request of a kind and returns its answer, which is text behind a byte order mark. What only reads may be sent again.
func send(c *sdk.Call, kind string, body *sdk.Object) (text string, ok bool) {
	s := sdk.JSONSend("POST", "", sdk.NewObject().Obj(kind, body))
	s.SafeToRepeat = strings.HasPrefix(kind, "get")
	r := sdk.Must(c.Do(s))
	sdk.Require(r.OK() || r.Refuses(), errAnswer)
	return strings.TrimPrefix(string(r.Body), "\xef\xbb\xbf"), r.OK()
}

// post sends a request and reads its answer.
func post(c *sdk.Call, kind string, body *sdk.Object) sdk.JSON {
	text, ok := send(c, kind, body)
	j := sdk.Must(sdk.ParseJSON([]byte(text)))
	result := j.Str("messages.resultCode")
	sdk.Require(result == "Error" || result == "Ok" && ok, errAnswer)
	return j
}
