// Package authorizedotnet is the adapter for Authorize.net's JSON API. Every request goes to one URL, as an object of
// its kind that holds the merchant's login.
//
// The API has no idempotency key, so nothing is sent twice. The adapter looks for a payment whose answer was lost among
// the transactions since then, by our reference, which is the invoice number.
package authorizedotnet

import (
	"strings"

	"payswitch/sdk"
)

// Requests with card data.
const (
	createTransaction    = "createTransactionRequest"
	createPaymentProfile = "createCustomerPaymentProfileRequest"
)

func Adapter() *sdk.Adapter {
	const transaction, profile = createTransaction + ".transactionRequest.", createPaymentProfile + ".paymentProfile."
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "authorizedotnet", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Authorize.net",
			Description: "Cards through Authorize.net's payment gateway.", Website: "https://www.authorize.net",
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				PartialApproval: true, External3DS: true, StoredCredential: true, NetworkMIT: true, VoidCaptured: true},
			Environments: sdk.TestAndLive("https://apitest.authorize.net/xml/v1/request.api",
				"https://api.authorize.net/xml/v1/request.api"),
			Credentials: []sdk.Field{
				{Name: "name", Key: "api_key", Label: "API login ID", Type: "text"},
				{Name: "transaction_key", Key: "key1", Label: "Transaction key", Type: "secret"},
				{Name: "webhook_secret", Label: "Signature key", Help: "Signs webhooks. Without it messages only cause a query.",
					Type: "secret", Optional: true},
			},
			Authentication: authentication(),
			Placements: append(
				sdk.CardPlacements("", sdk.CardFields{Number: transaction + "payment.creditCard.cardNumber",
					CVC:  transaction + "payment.creditCard.cardCode",
					CAVV: transaction + "cardholderAuthentication.cardholderAuthenticationValue"}, sdk.OpAuthorize, sdk.OpVerify),
				sdk.CardPlacements("", sdk.CardFields{Number: profile + "payment.creditCard.cardNumber",
					CVC: profile + "payment.creditCard.cardCode"}, sdk.OpVerify)...),
			Reference: sdk.ReferenceRule{MaxLength: 20}, // refId and invoiceNumber
			Webhook:   &sdk.WebhookRule{Scheme: "x-anet-signature"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				NotFoundFinalAfterSeconds: 15 * 60}, // the lists may not show a new transaction at once
		},
		Authorize: authorize, Verify: verify, Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// authentication names the place of the login in each request.
func authentication() (all []sdk.Placement) {
	for _, kind := range []string{createTransaction, createPaymentProfile, "createCustomerProfileRequest",
		"getTransactionDetailsRequest", "getUnsettledTransactionListRequest", "getSettledBatchListRequest",
		"getTransactionListRequest"} {
		login := kind + ".merchantAuthentication."
		all = append(all, sdk.Placement{Secret: "name", Method: "POST", In: "body", Field: login + "name"},
			sdk.Placement{Secret: "transaction_key", Method: "POST", In: "body", Field: login + "transactionKey"})
	}
	return all
}

func request(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Obj("merchantAuthentication", sdk.NewObject().
		Str("name", c.Account.Credentials["name"]).Str("transactionKey", c.Account.Credentials["transaction_key"]))
}

// send posts a request of a kind and returns its answer without the byte order mark. A reading request may be repeated.
func send(c *sdk.Call, kind string, body *sdk.Object) (text string, ok bool) {
	s := sdk.JSONSend("POST", "", sdk.NewObject().Obj(kind, body))
	s.SafeToRepeat = strings.HasPrefix(kind, "get")
	r := sdk.Must(c.Do(s))
	sdk.Require(r.OK() || r.Refuses(), sdk.ErrAnswer)
	return strings.TrimPrefix(string(r.Body), "\xef\xbb\xbf"), r.OK()
}

func post(c *sdk.Call, kind string, body *sdk.Object) sdk.JSON {
	text, ok := send(c, kind, body)
	j := sdk.Must(sdk.ParseJSON([]byte(text)))
	result := j.Str("messages.resultCode")
	sdk.Require(result == "Error" || result == "Ok" && ok, sdk.ErrAnswer)
	return j
}
