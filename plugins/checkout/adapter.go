// Package checkout is the adapter for Checkout.com's Unified Payments API (api-reference.checkout.com).
//
// Checkout.com answers a payment request at once. It accepts captures, voids and refunds with an action id and performs
// them later: a sync finds their result.
package checkout

import "payswitch/sdk"

// Names of the account's fields. estimated is the authorization_type that can be raised later.
const (
	secretKey         = "api_secret"
	channelID         = "processing_channel_id"
	webhookSecret     = "webhook_secret"
	authorizationType = "authorization_type"
	estimated         = "Estimated"
)

func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "checkout", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Checkout.com",
			Description: "Card payments through Checkout.com's Unified Payments API.", Website: "https://www.checkout.com",
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, OverCapture: true, ReleasesRest: true,
				PartialRefund: true, ZeroAmount: true, PartialApproval: true,
				Processor3DS: true, External3DS: true, StoredCredential: true, NetworkMIT: true,
				Exemptions: sdk.ExemptionsIn(exemptions)},
			Environments: sdk.TestAndLive("https://api.sandbox.checkout.com", "https://api.checkout.com"),
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "Public key", Type: "secret", Optional: true,
					Help: "The key for calls from browsers. This adapter does not use it."},
				{Name: channelID, Key: "key1", Label: "Processing channel id", Type: "text", Help: "pc_…"},
				{Name: secretKey, Label: "Secret key", Type: "secret", Help: "sk_…"},
				{Name: webhookSecret, Label: "Webhook signature key", Type: "secret", Optional: true,
					Help: "The key of the workflow's webhook action. Without it the adapter reads no webhook."},
			},
			Config: []sdk.Field{{Name: authorizationType, Label: "Authorization type", Type: "enum",
				Values: []string{"Final", estimated}, Default: "Final", Optional: true,
				Help: "Estimated asks for authorizations that can be raised later, for manually captured payments."}},
			Authentication: []sdk.Placement{{Secret: secretKey, In: "header", Field: "Authorization"}},
			// The processing channel stands in payments and captures, card data in payments.
			Placements: append(sdk.CardPlacements("/payments",
				sdk.CardFields{Number: "source.number", CVC: "source.cvv", CAVV: "3ds.cryptogram"}, sdk.OpAuthorize, sdk.OpVerify),
				sdk.Placement{Secret: channelID, Method: "POST", Path: "/payments", In: "body", Field: "processing_channel_id"},
				sdk.Placement{Secret: channelID, Method: "POST", Path: "/payments/*/captures", In: "body",
					Field: "processing_channel_id"}),
			Reference: sdk.ReferenceRule{MaxLength: 50},
			// Checkout.com repeats a failed message with the same time and signature for up to 30 hours.
			Webhook: &sdk.WebhookRule{Scheme: "cko-signature", ToleranceSeconds: 36 * 3600},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				// Checkout.com does not promise that the list by reference shows a payment at once.
				NotFoundFinalAfterSeconds: 15 * 60},
		},
		Authorize: sdk.Raisable(authorize), Verify: authorize, Complete: sdk.Raisable(complete), Sync: sync,
		Capture: capture, Void: void, IncrementalAuthorize: incrementalAuthorize,
		Refund: refund, RefundSync: refundSync,
		AcceptDispute: acceptDispute, AttachEvidence: attachEvidence, SubmitEvidence: submitEvidence,
		DisputeSync: disputeSync, Webhook: webhook,
	}
}

// post sends one request and returns the new object. A refusal ends the operation. Nothing is sent twice despite the
// key: "if the original request returns a 4xx or 5xx response code, no idempotent result is saved and the payment is
// reattempted" (checkout.com/docs/payments/manage-payments/retry-a-payment), and a payment may exist despite a 5xx.
func post(c *sdk.Call, path string, body *sdk.Object) sdk.JSON {
	resp := sdk.Must(c.Do(sdk.JSONSend("POST", path, body, c.Bearer(secretKey)).KeyedOnce("Cko-Idempotency-Key")))
	c.About(resp.JSON().Str("id"))
	c.EndIf(!resp.OK(), func() *sdk.Outcome { return refusal(resp) })
	return resp.JSON()
}

func paymentPath(c *sdk.Call) string { return "/payments/" + sdk.PathEscape(c.Request.TransactionID) }

// decimals that differ from ISO 4217 (checkout.com/docs/resources/calculating-the-amount). CLF is not supported.
var decimals = sdk.Decimals{"ISK": 0, "CLP": 2, "IRR": 2, "MGA": 2, "CLF": -1}

// amount returns an amount in Checkout.com's form.
func amount(m sdk.Money) int64 {
	value := sdk.Must(decimals.Scaled(m))
	if decimals.Of(m.Currency) == 3 && value%10 != 0 {
		sdk.Check(sdk.Invalid("amount", "the last decimal of "+string(m.Currency)+" must be 0"))
	}
	return value
}

// stated reads an amount of a payment at a path; nil if the payment lacks it.
func stated(c *sdk.Call, j sdk.JSON, path string) *sdk.Money {
	return decimals.Stated(j, path, "currency", c.Request.Amount.Currency)
}
