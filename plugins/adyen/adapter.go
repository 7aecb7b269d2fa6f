// Package adyen is the adapter for Adyen's Checkout API, version 68 (docs.adyen.com/api-explorer/Checkout/68).
//
// Adyen answers an authorization at once. It only accepts captures, cancels, refunds and amount updates ("received"): a
// webhook reports their result. No call asks for a payment: the identical request again brings a lost answer.
package adyen

import (
	"cmp"

	"payswitch/sdk"
)

// A version begins every path. Partial authorizations need at least version 69.
const apiVersion, partialVersion = "/v68", "/v69"

func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "adyen", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Adyen",
			Description: "Card payments through Adyen's Checkout API.", Website: "https://www.adyen.com",
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				// both must be enabled for the merchant account: docs.adyen.com/online-payments/capture and /partial-authorizations
				MultipleCapture: true, PartialApproval: true,
				Processor3DS: true, External3DS: true, StoredCredential: true, NetworkMIT: true,
				Exemptions: sdk.ExemptionsIn(exemptions),
				// docs.adyen.com/payment-methods/cards/credit-card-installments
				Installments: []sdk.Currency{"BRL", "JPY", "MXN"}},
			Environments: map[string]sdk.Environment{
				"test": sdk.At("https://checkout-test.adyen.com", disputesTest),
				"live": sdk.At("https://{endpoint_prefix}-checkout-live.adyenpayments.com/checkout", disputesLive),
			},
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "API key", Type: "secret", Help: "Customer Area, Developers, API credentials."},
				{Name: "merchant_account", Key: "key1", Label: "Merchant account", Type: "text",
					Help: "The merchant account's code."},
				{Name: "review_key", Key: "api_secret", Label: "Review key", Type: "secret", Optional: true,
					Help: "The API key with the role for dispute management. Without it the API key answers disputes."},
				{Name: "webhook_secret", Label: "Webhook HMAC key", Type: "secret", Optional: true,
					Help: "Hexadecimal, from the standard webhook's settings. Without it the adapter accepts no webhook."},
			},
			Config: []sdk.Field{{Name: "endpoint_prefix", Label: "Live endpoint prefix", Type: "text", Optional: true,
				Help: "The live URL prefix of the Customer Area, for the live environment."}},
			Authentication: []sdk.Placement{{Secret: "api_key", In: "header", Field: "X-API-Key"}},
			Placements:     placements(),
			Reference:      sdk.ReferenceRule{MaxLength: 80},
			Webhook:        &sdk.WebhookRule{Scheme: "adyen-hmac"}, // Adyen does not sign the time
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend, sdk.ResolveByWebhook},
				IdempotencyWindowSeconds: 7 * 24 * 60 * 60}, // docs.adyen.com, API idempotency: at least 7 days
		},
		Authorize: sdk.Raisable(authorize), Verify: authorize, Complete: sdk.Raisable(complete),
		Capture: capture, Void: void, Refund: refund, IncrementalAuthorize: incrementalAuthorize,
		ExtendAuthorization: incrementalAuthorize, AcceptDispute: acceptDispute,
		AttachEvidence: attachEvidence, SubmitEvidence: submitEvidence, Webhook: webhook,
	}
}

// placements: the merchant account stands in every body, card data in that of /payments. Live paths have /checkout.
func placements() []sdk.Placement {
	all := []sdk.Placement{{Secret: "merchant_account", Method: "POST", In: "body", Field: "merchantAccount"}}
	for _, op := range []sdk.Operation{sdk.OpAcceptDispute, sdk.OpAttachEvidence, sdk.OpSubmitEvidence} {
		all = append(all, sdk.Placement{Secret: "merchant_account", Method: "POST", In: "body", Field: "merchantAccountCode",
			Operation: op}, sdk.Placement{Secret: "review_key", Method: "POST", In: "header", Field: "X-API-Key", Operation: op})
	}
	for _, version := range []string{apiVersion, "/checkout" + apiVersion, partialVersion, "/checkout" + partialVersion} {
		all = append(all, sdk.CardPlacements(version+"/payments",
			sdk.CardFields{Number: "paymentMethod.number", CVC: "paymentMethod.cvc", CAVV: "mpiData.cavv"}, sdk.OpAuthorize,
			sdk.OpVerify)...)
	}
	return all
}

// post sends one request and returns the answer. A 4xx of Adyen proves that it has not acted, and ends the operation.
// Any other failure proves nothing: 704 is a request in progress or answered before, 903 a fault inside Adyen.
func post(c *sdk.Call, path string, body *sdk.Object) sdk.JSON {
	version := sdk.Choose(c.Request.Wish().Partial, partialVersion, apiVersion)
	a := sdk.Must(c.Do(sdk.JSONSend("POST", version+path, body, sdk.H("X-API-Key", c.Account.Credentials["api_key"])).
		Keyed("Idempotency-Key")))
	j := a.JSON()
	if path == "/payments" || path == "/payments/details" {
		c.About(j.Str("pspReference"))
	}
	if a.OK() {
		return j
	}
	code, kind := j.Text("errorCode"), j.Str("errorType")
	sdk.Require(a.Refuses() && code != "" && code != "704" && code != "903" && a.Header("transient-error") != "true",
		a.Undecided("no result", "errorCode"))
	o := sdk.Declined(declines.New(code, j.Str("message"), cmp.Or(declines.Of(kind), sdk.DeclineProcessingError)))
	o.Raw = map[string]string{"error_code": code, "error_type": kind}
	c.End(o)
	return j
}

// decimals where Adyen differs from ISO 4217 (docs.adyen.com/development-resources/currency-codes). The last three are
// refused: their decimals are uncertain, and a wrong guess would change the amount a hundredfold.
var decimals = sdk.Decimals{"CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2, "CLF": -1, "IRR": -1, "MGA": -1}

// amount writes an amount in Adyen's form.
func amount(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Str("currency", string(m.Currency)).Int("value", sdk.Must(decimals.Scaled(m)))
}

// money reads an amount; nil if there is none.
func money(j sdk.JSON) *sdk.Money { return decimals.Read(j, "value", sdk.Currency(j.Str("currency"))) }
