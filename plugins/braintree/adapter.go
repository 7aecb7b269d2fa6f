// Package braintree is the adapter for Braintree's GraphQL API and its webhooks.
//
// A card payment takes two requests: tokenizeCreditCard turns the card into a single-use payment method, which
// chargeCreditCard or authorizeCreditCard uses. Requests that move money carry an apiRequestKey: Braintree acts once,
// and repeats the answer. Our reference is the orderId, by which a search finds a payment or refund.
package braintree

import "payswitch/sdk"

const (
	path       = "/graphql"
	apiVersion = "2019-01-01" // Braintree-Version

	publicKey       = "public_key"
	privateKey      = "private_key"
	merchantAccount = "merchant_account_id"
	accountCurrency = "merchant_config_currency"
)

func Adapter() *sdk.Adapter {
	const input = "variables.input."
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "braintree", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Braintree",
			Description: "Cards through Braintree's GraphQL API and vault.", Website: "https://www.braintreepayments.com",
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				External3DS: true, StoredCredential: true, NetworkMIT: true, Exemptions: sdk.ExemptionsIn(exemptions)},
			Environments: sdk.TestAndLive("https://payments.sandbox.braintree-api.com"+path,
				"https://payments.braintree-api.com"+path),
			Credentials: []sdk.Field{
				{Name: publicKey, Key: "api_key", Label: "Public key", Type: "text"},
				{Name: privateKey, Key: "api_secret", Label: "Private key", Help: "It also signs webhooks.", Type: "secret"},
				{Name: "merchant_id", Key: "key1", Label: "Merchant ID", Help: "Not sent: the keys identify the merchant.",
					Type: "text", Optional: true},
			},
			Config: []sdk.Field{
				{Name: merchantAccount, Label: "Merchant account ID", Type: "text",
					Help: "The merchant account that receives the money. It also decides the currency."},
				{Name: accountCurrency, Label: "Currency of the merchant account", Type: "enum", Values: currencies(),
					Help: "The merchant account's currency. The adapter rejects payments in another currency."},
			},
			Authentication: []sdk.Placement{{Secret: "*", Method: "POST", Path: path, In: "header", Field: "Authorization"}},
			Placements: append(
				sdk.CardPlacements(path, sdk.CardFields{Number: input + "creditCard.number", CVC: input + "creditCard.cvv",
					CAVV: input + "options.threeDSecureAuthentication.passThrough.cavv"}, sdk.OpAuthorize),
				sdk.CardPlacements(path, sdk.CardFields{Number: input + "creditCard.number", CVC: input + "creditCard.cvv",
					CAVV: input + "threeDSecurePassThrough.cavv"}, sdk.OpVerify)...),
			Webhook: &sdk.WebhookRule{Scheme: "bt-signature", ToleranceSeconds: 24 * 3600}, // Braintree repeats for a day
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference,
				sdk.ResolveByIdempotentResend},
				IdempotencyWindowSeconds:  30 * 24 * 3600, // how long Braintree remembers an apiRequestKey
				NotFoundFinalAfterSeconds: 15 * 60},       // how long the search may not show a new payment
		},
		Authorize: sdk.Raisable(authorize), Verify: verify,
		Capture: capture, Void: void, Refund: refund, IncrementalAuthorize: incrementalAuthorize,
		Sync: sync, RefundSync: refundSync,
		AcceptDispute: acceptDispute, AttachEvidence: attachEvidence, SubmitEvidence: submitEvidence,
		DisputeSync: disputeSync, Webhook: webhook,
	}
}

// currencies returns all but CLF, whose four decimals the API does not take. The dollar, the default, comes first.
func currencies() []string {
	all := []string{"USD"}
	for _, c := range sdk.CurrenciesExcept("USD", "CLF") {
		all = append(all, string(c))
	}
	return all
}

// amount returns the amount in Braintree's form: without its currency, which must be the merchant account's.
func amount(c *sdk.Call) string {
	m := c.Request.Amount
	of := c.Account.Config[accountCurrency]
	sdk.Require(of == string(m.Currency), sdk.Unsupported("currency", "the merchant account has the currency "+of+
		": use a connector account with a merchant account in "+string(m.Currency)))
	e, ok := m.Currency.Exponent()
	sdk.Require(ok && e <= 3, sdk.Unsupported("currency", "Braintree supports amounts of at most three decimals"))
	return m.Major()
}
