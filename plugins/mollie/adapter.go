// Package mollie is the adapter for Mollie's API v2 (docs.mollie.com, read in 2026).
//
// A card is exchanged for a card token first, then a payment is made with the token. Mollie runs 3-D Secure itself: a payment that is
// "open" has a checkout link to send the customer to. Charging a stored card needs Mollie's customer and mandate; both are in the
// stored credential's id, "cst_…/mdt_…".
package mollie

import "payswitch/sdk"

// cardTokens is where cards are exchanged for tokens; it lies on a host of its own, whatever the base URL is.
const cardTokens = "https://api.cc.mollie.com/v1/card-tokens"

// idempotencySeconds is how long Mollie answers a repeated Idempotency-Key with the first answer: one hour (API idempotency).
const idempotencySeconds = 3600

// Adapter returns the adapter. Every call returns a new one; they are alike.
func Adapter() *sdk.Adapter {
	place := func(secret string, op sdk.Operation, field string) sdk.Placement {
		return sdk.Placement{Secret: secret, Operation: op, Host: "api.cc.mollie.com", Method: "POST", Path: "/v1/card-tokens", In: "body", Field: field}
	}
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "mollie", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Mollie",
			Description: "Cards through Mollie's Payments API v2, with card tokens made on the server.", Website: "https://www.mollie.com",
			Features: sdk.Features{PartialCapture: true, PartialRefund: true, ZeroAmount: true, Processor3DS: true, StoredCredential: true},
			Environments: map[string]sdk.Environment{ // the key, test_… or live_…, tells them apart
				"test": sdk.At("https://api.mollie.com/v2", "api.cc.mollie.com"), "live": sdk.At("https://api.mollie.com/v2", "api.cc.mollie.com"),
			},
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "API key", Help: "Begins with test_ or live_.", Type: "secret"},
				{Name: "profile_token", Key: "key1", Label: "Profile token", Help: "The website profile's id, pfl_…: card tokens are made for it.", Type: "text"},
			},
			Authentication: []sdk.Placement{{Secret: "api_key", In: "header", Field: "Authorization"}},
			Placements: []sdk.Placement{
				place("card_number", sdk.OpAuthorize, "cardNumber"), place("cvc", sdk.OpAuthorize, "cardCvv"),
				place("card_number", sdk.OpVerify, "cardNumber"), place("cvc", sdk.OpVerify, "cardCvv"),
				place("profile_token", "", "profileToken"),
			},
			// Those that Mollie takes for cards, but ISK: Mollie counts whole krónur, payswitch hundredths.
			Currencies: []sdk.Currency{"AED", "AUD", "CAD", "CHF", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "JPY", "NOK", "NZD", "PLN", "RON", "SEK",
				"SGD", "USD", "ZAR"},
			Reference: sdk.ReferenceRule{MaxLength: 64},
			Webhook:   &sdk.WebhookRule{Scheme: "unsigned-id"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend},
				IdempotencyWindowSeconds: idempotencySeconds, NotFoundFinalAfterSeconds: 60},
		},
		Authorize: authorize, Verify: verify, Complete: sync, Sync: sync,
		Capture: capture, Void: void, Refund: refund, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// request sends one request with the account's key. Mollie takes an idempotency key with everything that changes something.
func request(c *sdk.Call, method, url string, body *sdk.Object) *sdk.Response {
	s := sdk.JSONSend(method, url, body, c.Bearer("api_key"))
	if method != "GET" {
		s.Keyed("Idempotency-Key")
	}
	return sdk.Must(c.Do(s))
}

// payment is the URL of the payment that the request is about, with more of the path after it.
func payment(c *sdk.Call, rest string) string {
	sdk.Require(c.Request.TransactionID != "", sdk.Missing("connector_transaction_id", "Mollie finds a payment by its own id only"))
	return "/payments/" + sdk.PathEscape(c.Request.TransactionID) + rest
}

// amount is an amount as Mollie writes it: the currency, and a text with exactly the currency's decimals.
func amount(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Str("currency", string(m.Currency)).Str("value", m.Major())
}

// money reads such an amount, nil if there is none.
func money(j sdk.JSON) *sdk.Money { return j.Major("value", sdk.Currency(j.Str("currency"))) }
