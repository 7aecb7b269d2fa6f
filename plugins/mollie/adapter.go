// Package mollie is the adapter for Mollie's API v2 (docs.mollie.com, read in 2026).
//
// The adapter first exchanges a card for a card token, and then makes a payment with the token. Mollie runs 3-D Secure
// itself: a payment with the status "open" has a checkout page for the customer. A charge of a stored card needs
// Mollie's customer and mandate; the id of the stored credential holds both, "cst_…/mdt_…".
package mollie

import "payswitch/sdk"

// cardTokens exchanges cards for tokens. It has a host of its own, whatever the base URL.
const cardTokens = "https://api.cc.mollie.com/v1/card-tokens"

func Adapter() *sdk.Adapter {
	place := func(secret string, op sdk.Operation, field string) sdk.Placement {
		return sdk.Placement{Secret: secret, Operation: op, Host: "api.cc.mollie.com", Method: "POST",
			Path: "/v1/card-tokens", In: "body", Field: field}
	}
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "mollie", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Mollie",
			Description: "Cards through Mollie's Payments API v2, with card tokens made on the server.",
			Website:     "https://www.mollie.com",
			Features: sdk.Features{PartialCapture: true, PartialRefund: true, ZeroAmount: true, Processor3DS: true,
				StoredCredential: true},
			// the key, test_… or live_…, decides
			Environments: sdk.TestAndLive("https://api.mollie.com/v2", "https://api.mollie.com/v2", "api.cc.mollie.com"),
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "API key", Help: "Begins with test_ or live_.", Type: "secret"},
				{Name: "profile_token", Key: "key1", Label: "Profile token",
					Help: "The website profile's id, pfl_…: card tokens are made for it.", Type: "text"},
			},
			Authentication: []sdk.Placement{{Secret: "api_key", In: "header", Field: "Authorization"}},
			Placements: []sdk.Placement{
				place("card_number", sdk.OpAuthorize, "cardNumber"), place("cvc", sdk.OpAuthorize, "cardCvv"),
				place("card_number", sdk.OpVerify, "cardNumber"), place("cvc", sdk.OpVerify, "cardCvv"),
				place("profile_token", "", "profileToken"),
			},
			// Mollie's currencies for cards, without ISK: Mollie counts whole krónur, payswitch hundredths.
			Currencies: []sdk.Currency{"AED", "AUD", "CAD", "CHF", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "JPY", "NOK",
				"NZD", "PLN", "RON", "SEK", "SGD", "USD", "ZAR"},
			Reference: sdk.ReferenceRule{MaxLength: 64},
			Webhook:   &sdk.WebhookRule{Scheme: "unsigned-id"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend},
				IdempotencyWindowSeconds: 3600, NotFoundFinalAfterSeconds: 60}, // docs.mollie.com, API idempotency
		},
		Authorize: authorize, Verify: verify, Complete: sync, Sync: sync,
		Capture: capture, Void: void, Refund: refund, RefundSync: refundSync,
		Webhook: webhook,
	}
}

// request sends one request with the account's key. The refusal of a change ends the operation.
func request(c *sdk.Call, method, url string, body *sdk.Object) *sdk.Response {
	s := sdk.JSONSend(method, url, body, c.Bearer("api_key"))
	if method != "GET" {
		s.Keyed("Idempotency-Key")
	}
	answer := sdk.Must(c.Do(s))
	d := refusal(answer)
	c.EndIf(d != nil && method != "GET", func() *sdk.Outcome { return declined(c, d) })
	return answer
}

// payment returns the URL of the request's payment, with rest after it.
func payment(c *sdk.Call, rest string) string {
	sdk.Check(c.Request.NeedTransaction())
	return "/payments/" + sdk.PathEscape(c.Request.TransactionID) + rest
}

// amount returns an amount in Mollie's form: the currency, and a text with exactly the currency's decimals.
func amount(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Str("currency", string(m.Currency)).Str("value", m.Major())
}
