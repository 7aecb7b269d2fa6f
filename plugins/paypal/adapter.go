// Package paypal is the adapter for cards through PayPal's REST APIs: Orders v2 for payments, Payments v2 for captures,
// voids and refunds, and Payment Method Tokens v3 for stored cards.
//
// Every POST carries PayPal-Request-Id. PayPal answers a repetition with the result of the first request, which settles
// an unknown result. PayPal cannot find a payment by a merchant's reference.
package paypal

import "payswitch/sdk"

const (
	ordersPath = "/v2/checkout/orders"
	tokensPath = "/v3/vault/payment-tokens/"
	oauthPath  = "/v1/oauth2/token"
)

// notFoundFinalSeconds is the longest life of an unpaid order. An order that is gone after it took no money.
const notFoundFinalSeconds = 72 * 60 * 60

func Adapter() *sdk.Adapter {
	const card = "payment_source.card."
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "paypal", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "PayPal",
			Description: "Cards through PayPal's Orders, Payments and Payment Method Tokens APIs.",
			Website:     "https://www.paypal.com",
			// developer.paypal.com/docs/checkout/advanced/authorization-honor
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, ReleasesRest: true, PartialRefund: true,
				OverCapture: true, // up to the account's limit, 115% by default (error MAX_CAPTURE_AMOUNT_EXCEEDED)
				ZeroAmount:  true, Processor3DS: true, StoredCredential: true, NetworkMIT: true},
			Environments: sdk.TestAndLive("https://api-m.sandbox.paypal.com", "https://api-m.paypal.com"),
			Credentials: []sdk.Field{
				{Name: "client_id", Key: "key1", Label: "Client id", Help: "Of the REST app.", Type: "secret"},
				{Name: "client_secret", Key: "api_key", Label: "Client secret", Help: "Of the REST app.", Type: "secret"},
				{Name: "payer_id", Key: "api_secret", Label: "Payer id",
					Help: "The merchant's PayPal id; not used by this adapter.", Type: "text", Optional: true},
			},
			Authentication: []sdk.Placement{
				{Secret: "*", Operation: sdk.OpAccessToken, Method: "POST", Path: oauthPath, In: "header", Field: "Authorization",
					Format: "Basic {}"},
				{Secret: "access_token", Method: "POST", Path: oauthPath, In: "response", Field: "access_token"},
				{Secret: "access_token", In: "header", Field: "Authorization", Format: "Bearer {}"},
			},
			Placements: append(sdk.CardPlacements(ordersPath,
				sdk.CardFields{Number: card + "number", CVC: card + "security_code"}, sdk.OpAuthorize),
				sdk.CardPlacements(tokensPath, sdk.CardFields{Number: card + "number"}, sdk.OpVerify)...),
			Currencies: currencies,
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend, sdk.ResolveByProcessorID},
				// How long Orders v2 remembers a PayPal-Request-Id. Payments v2 remembers it for 45 days.
				IdempotencyWindowSeconds: 6 * 60 * 60, NotFoundFinalAfterSeconds: notFoundFinalSeconds},
		},
		AccessToken: token,
		Authorize:   sdk.Raisable(authorize), Verify: verify, Complete: sdk.Raisable(complete),
		Capture: capture, Void: void, Refund: refund, IncrementalAuthorize: reauthorize, ExtendAuthorization: reauthorize,
		Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// currencies are those that PayPal accepts.
var currencies = []sdk.Currency{"AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS",
	"JPY", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "SEK", "SGD", "THB", "TWD", "USD"}

// decimals where PayPal differs from ISO 4217: no decimals for forint and Taiwan dollars.
var decimals = sdk.Decimals{"HUF": 0, "TWD": 0}

// money returns an amount in the operation's currency, in PayPal's form.
func money(r *sdk.Request, minor int64) *sdk.Object {
	c := r.Amount.Currency
	n := sdk.Must(decimals.Scaled(sdk.Money{Minor: minor, Currency: c}))
	return sdk.NewObject().Str("currency_code", string(c)).Str("value", sdk.Decimal(n, decimals.Of(c)))
}

// token fetches the access token for all other operations (OAuth 2.0, client credentials).
func token(c *sdk.Call) (*sdk.Outcome, error) {
	return c.Token(sdk.FormSend(oauthPath, sdk.NewForm().Add("grant_type", "client_credentials"),
		c.BasicAuth("client_id", "client_secret")), "access_token", "expires_in")
}

// headers ask for the whole resource: the short form lacks the payments.
func headers(c *sdk.Call) []sdk.Header {
	return []sdk.Header{c.Bearer("access_token"), sdk.H("Content-Type", "application/json"),
		sdk.H("Prefer", "return=representation")}
}

// change sends a change with a PayPal-Request-Id. body may be nil.
func change(c *sdk.Call, path string, body *sdk.Object) *sdk.Response {
	s := &sdk.Send{Method: "POST", URL: path, Headers: headers(c)}
	if body != nil {
		s.Body = body.Bytes()
	}
	return sdk.Must(c.Do(s.Keyed("PayPal-Request-Id")))
}

// post sends a change that makes a resource, and returns the resource. A refusal ends the operation.
func post(c *sdk.Call, path string, body *sdk.Object) sdk.JSON {
	a := change(c, path, body)
	if !a.OK() || a.JSON().Str("id") == "" {
		c.End(refused(a))
	}
	return a.JSON()
}

// get fetches a resource. Without one the operation ends with absent, or undecided where absent is nil.
func get(c *sdk.Call, path string, absent *sdk.Outcome) sdk.JSON {
	a := sdk.Must(c.Get(path, headers(c)...))
	if a.Status == 404 && a.JSON().Str("name") == "RESOURCE_NOT_FOUND" {
		c.End(absent)
	}
	sdk.Require(a.OK() && a.JSON().Str("id") != "", undecided(a))
	return a.JSON()
}
