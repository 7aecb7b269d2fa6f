// Package worldpay is the adapter for Access Worldpay: the Payments API of version 2024-06-01
// (docs.worldpay.com/access, read in 2026).
//
// Worldpay names a payment by its link data: the part of its links after /api/payments/. The link data changes with
// each operation; the latest is the transaction id. A payment that waits for 3-D Secure has none yet. Until then our
// reference is the transaction id, and the link of the next step is stored with the payment.
package worldpay

import "payswitch/sdk"

// Media types and the version of the API.
const (
	apiVersion = "2024-06-01"
	mediaJSON  = "application/json"
	// mediaCard is the media type of the Card Payments API, the only one that finds a payment by our reference.
	mediaCard = "application/vnd.worldpay.payments-v7+json"
)

func Adapter() *sdk.Adapter {
	const path, instruction = "/api/payments", "instruction."
	card := sdk.CardFields{Number: instruction + "paymentInstrument.cardNumber",
		CVC: instruction + "paymentInstrument.cvc", CAVV: instruction + "threeDS.authenticationValue"}
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "worldpay", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Worldpay",
			Description: "Cards through Access Worldpay's Payments API.", Website: "https://www.worldpay.com",
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, PartialRefund: true, ZeroAmount: true,
				PartialApproval: true, Processor3DS: true, External3DS: true, StoredCredential: true, NetworkMIT: true},
			Environments: sdk.TestAndLive("https://try.access.worldpay.com", "https://access.worldpay.com"),
			Credentials: []sdk.Field{
				{Name: "username", Key: "key1", Label: "User name", Help: "Of the API credentials.", Type: "text"},
				{Name: "password", Key: "api_key", Label: "Password", Type: "secret"},
				{Name: "entity_id", Key: "api_secret", Label: "Entity", Help: "merchant.entity, the receiver of the payment.",
					Type: "text"},
				{Name: "webhook_secret", Label: "Webhook secret", Type: "secret", Optional: true,
					Help: "Hex text. Worldpay signs webhooks with it."},
			},
			Config: []sdk.Field{{Name: "merchant_name", Label: "Narrative",
				Help: "The text on the statement for a payment without a descriptor.", Type: "text", Optional: true}},
			Authentication: []sdk.Placement{{Secret: "*", In: "header", Field: "Authorization"}},
			Placements: append(sdk.CardPlacements(path, card, sdk.OpAuthorize, sdk.OpVerify),
				sdk.Placement{Secret: "entity_id", Method: "POST", Path: path, In: "body", Field: "merchant.entity"},
				sdk.Placement{Secret: "entity_id", Method: "GET", Path: "/payments/events", In: "query", Field: "entity"}),
			// Worldpay may count these by ISO 4217, with other decimals than payswitch: a hundredfold amount.
			Currencies: sdk.CurrenciesExcept("ISK", "IRR", "MGA"),
			// No underscores: Worldpay does not accept them in references of settlements and refunds.
			Reference: sdk.ReferenceRule{MaxLength: 64, Characters: "alphanumeric"},
			// Worldpay repeats an unacknowledged message for a week.
			Webhook: &sdk.WebhookRule{Scheme: "event-signature", ToleranceSeconds: 8 * 24 * 3600},
			// A query by reference may lag by 15 minutes.
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference, sdk.ResolveByWebhook},
				NotFoundFinalAfterSeconds: 1800},
		},
		Authorize: authorize, Verify: verify, Complete: complete,
		Capture: capture, Void: void, Refund: refund, Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// call sends one request. Worldpay supports no idempotency key, so a change is sent once.
func call(c *sdk.Call, method, url, accept string, body *sdk.Object) *sdk.Response {
	s := sdk.JSONSend(method, url, body, c.BasicAuth("username", "password"), sdk.H("Accept", accept))
	if accept == mediaJSON {
		s.Headers = append(s.Headers, sdk.H("WP-Api-Version", apiVersion))
	}
	return sdk.Must(c.Do(s))
}

// act asks for an action on a payment.
func act(c *sdk.Call, link, action string, body *sdk.Object) *sdk.Response {
	return call(c, "POST", "/api/payments/"+link+"/"+action, mediaJSON, body)
}
