// Package authorizedotnet speaks to Authorize.net's JSON API: one address, to which every request is posted as an object of its kind with
// the merchant's login in it.
//
// There is no idempotency key. The duplicate window refuses a second request instead of answering it like the first, so nothing is sent
// twice: a payment whose answer was lost is looked up by our reference, which is its invoice number, among the transactions since then.
package authorizedotnet

import "payswitch/sdk"

const (
	loginName      = "name"
	transactionKey = "transaction_key"
	webhookSecret  = "webhook_secret"
)

// The requests of the API that are used.
const (
	createTransaction     = "createTransactionRequest"
	createCustomer        = "createCustomerProfileRequest"
	createPaymentProfile  = "createCustomerPaymentProfileRequest"
	getTransactionDetails = "getTransactionDetailsRequest"
	getUnsettled          = "getUnsettledTransactionListRequest"
	getBatches            = "getSettledBatchListRequest"
	getBatchTransactions  = "getTransactionListRequest"
)

// notFoundFinalSeconds is how long a transaction that no list shows may still be on its way into one.
const notFoundFinalSeconds = 15 * 60

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
				{Name: loginName, Key: "api_key", Label: "API login ID", Type: "text"},
				{Name: transactionKey, Key: "key1", Label: "Transaction key", Type: "secret"},
				{Name: webhookSecret, Label: "Signature key", Help: "Signs webhooks. Without it messages only cause a query.", Type: "secret", Optional: true},
			},
			Authentication: authentication(),
			Placements: append(
				sdk.CardPlacements("", sdk.CardFields{Number: transaction + "payment.creditCard.cardNumber", CVC: transaction + "payment.creditCard.cardCode",
					CAVV: transaction + "cardholderAuthentication.cardholderAuthenticationValue"}, sdk.OpAuthorize, sdk.OpVerify),
				sdk.CardPlacements("", sdk.CardFields{Number: profile + "payment.creditCard.cardNumber", CVC: profile + "payment.creditCard.cardCode"}, sdk.OpVerify)...),
			Reference: sdk.ReferenceRule{MaxLength: 20}, // refId and invoiceNumber
			Webhook:   &sdk.WebhookRule{Scheme: "x-anet-signature"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		Authorize: authorize, Verify: verify,
		Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// authentication is where the login stands in each request.
func authentication() []sdk.Placement {
	var all []sdk.Placement
	for _, request := range []string{createTransaction, createPaymentProfile, createCustomer, getTransactionDetails, getUnsettled, getBatches, getBatchTransactions} {
		all = append(all,
			sdk.Placement{Secret: loginName, Method: "POST", In: "body", Field: request + ".merchantAuthentication.name"},
			sdk.Placement{Secret: transactionKey, Method: "POST", In: "body", Field: request + ".merchantAuthentication.transactionKey"})
	}
	return all
}
