// Package cybersource speaks to Cybersource's REST API: Payments (/pts/v2), Payer Authentication (/risk/v1), Transaction Search (/tss/v2)
// and webhooks (developer.cybersource.com/docs).
//
// Cybersource takes no idempotency key, so nothing is sent twice: an unknown result is settled by Transaction Search, by the
// transaction's id or, where the answer with it was lost, by our reference, which goes along as clientReferenceInformation.code.
package cybersource

import "payswitch/sdk"

// Names of the fields of an account.
const (
	apiKey          = "api_key"
	merchantAccount = "merchant_account"
	apiSecret       = "api_secret"
	webhookSecret   = "webhook_secret"
	disableAVS      = "disable_avs"
	disableCVN      = "disable_cvn"
)

// Paths of the API.
const (
	paymentsPath     = "/pts/v2/payments/"
	capturesPath     = "/pts/v2/captures/"
	setupsPath       = "/risk/v1/authentication-setups"
	enrollmentsPath  = "/risk/v1/authentications"
	transactionsPath = "/tss/v2/transactions/"
	searchesPath     = "/tss/v2/searches"
)

// notFoundFinalSeconds is how long a transaction may take to be found by Transaction Search. Its guide names no time; as a rule it is
// there within a minute.
const notFoundFinalSeconds = 60 * 60

// Adapter returns the adapter.
func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "cybersource", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Cybersource",
			Description: "Card payments through Cybersource's REST API.", Website: "https://www.cybersource.com",
			// A capture is the only one of its authorization. What it leaves is released by Cybersource, or lapses: no call does it.
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true, Processor3DS: true,
				External3DS: true, StoredCredential: true, NetworkMIT: true, Exemptions: []sdk.Exemption{sdk.ExemptionLowValue, sdk.ExemptionRiskAnalysis,
					sdk.ExemptionTrustedBeneficiary, sdk.ExemptionSecureCorporate, sdk.ExemptionDelegation}},
			Environments: map[string]sdk.Environment{
				"test": sdk.At("https://apitest.cybersource.com"), "live": sdk.At("https://api.cybersource.com", "api.in.cybersource.com"),
			},
			Credentials: []sdk.Field{
				{Name: apiKey, Label: "Key ID", Type: "secret", Help: "Business Center, Key Management: the id of a REST shared secret key."},
				{Name: merchantAccount, Key: "key1", Label: "Merchant ID", Type: "text", Help: "The merchant id that the key belongs to."},
				{Name: apiSecret, Label: "Shared secret", Type: "secret", Help: "The key itself, in base64 as it was downloaded."},
				{Name: webhookSecret, Label: "Webhook signature key", Type: "secret", Optional: true,
					Help: "In base64, as returned when the digital signature key was made. Without it no webhook is read."},
			},
			Config: []sdk.Field{
				{Name: disableAVS, Label: "Accept failed address checks", Type: "enum", Values: []string{"false", "true"}, Default: "false",
					Help: "Approve although the address check failed."},
				{Name: disableCVN, Label: "Accept failed CVC checks", Type: "enum", Values: []string{"false", "true"}, Default: "false",
					Help: "Approve although the CVC check failed."},
			},
			Authentication: authentication(),
			Placements:     placements(),
			Reference:      sdk.ReferenceRule{MaxLength: 50},
			Webhook:        &sdk.WebhookRule{Scheme: "cybersource-hmac-sha256", ToleranceSeconds: toleranceSeconds},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		Authorize: authorize, Verify: authorize, Complete: complete,
		Capture: capture, Void: void, Refund: refund, IncrementalAuthorize: incrementalAuthorize,
		Sync: sync, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// authentication is HTTP Signature: the signature covers the digest of the body, where there is one.
func authentication() []sdk.Placement {
	all := []sdk.Placement{{Secret: "*", Method: "GET", In: "header", Field: "Signature", Format: signatureHeader("{}", signedNames, "{}")}}
	for _, method := range []string{"POST", "PATCH"} {
		all = append(all,
			sdk.Placement{Secret: "*", Method: method, In: "header", Field: "Signature", Format: signatureHeader("{}", signedNamesBody, "{}")},
			sdk.Placement{Secret: "*", Method: method, In: "header", Field: "Digest", Format: digestPrefix + "{}"})
	}
	return all
}

// placements: card data stands in payments and in the two requests of payer authentication that hold the card.
func placements() []sdk.Placement {
	const authentication = "consumerAuthenticationInformation."
	card := sdk.CardFields{Number: "paymentInformation.card.number", CVC: "paymentInformation.card.securityCode"}
	all := append(sdk.CardPlacements(paymentsPath, card, sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete), sdk.CardPlacements(setupsPath, card, sdk.OpAuthorize, sdk.OpVerify)...)
	all = append(all, sdk.CardPlacements(enrollmentsPath, card, sdk.OpComplete)...)
	for _, name := range cryptograms {
		all = append(all, sdk.CardPlacements(paymentsPath, sdk.CardFields{CAVV: authentication + name}, sdk.OpAuthorize, sdk.OpVerify)...)
		// Captured from the enrollment's answer.
		all = append(all, sdk.Placement{Secret: "*", Operation: sdk.OpComplete, Method: "POST", Path: paymentsPath, In: "body", Field: authentication + name})
	}
	return all
}
