// Package globalpay is the adapter for cards through Global Payments' GP API (Unified Payments).
//
// Every change carries X-GP-Idempotency. GP API refuses a known key and names the id that the first request made
// (DUPLICATE_ACTION); the adapter then asks for that id.
package globalpay

import (
	"strings"

	"payswitch/sdk"
)

const (
	transactionsPath = "/transactions"
	methodsPath      = "/payment-methods"
	tokenPath        = "/accesstoken"
)

func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "globalpay", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Global Payments",
			Description: "Cards through Global Payments' GP API.", Website: "https://developer.globalpay.com",
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				PartialApproval: true, VoidCaptured: true,
				External3DS: true, StoredCredential: true, NetworkMIT: true, Exemptions: sdk.ExemptionsIn(exemptions)},
			Environments: sdk.TestAndLive("https://apis.sandbox.globalpay.com/ucp", "https://apis.globalpay.com/ucp"),
			Credentials: []sdk.Field{
				{Name: "app_id", Key: "key1", Label: "App id", Type: "secret"},
				{Name: "app_key", Key: "api_key", Label: "App key",
					Help: "The adapter sends only a digest with it. It also signs webhooks.", Type: "secret"},
			},
			Config: []sdk.Field{
				{Name: "account_name", Label: "Account name", Help: "Of the transaction processing account.", Type: "text",
					Optional: true, Default: "transaction_processing"},
				{Name: "country", Label: "Country",
					Help: "The country that the merchant sells from, ISO 3166 alpha-2. If left out: the country of the billing " +
						"address, else US.", Type: "text", Optional: true},
			},
			Authentication: []sdk.Placement{
				{Secret: "app_key", Operation: sdk.OpAccessToken, Method: "POST", Path: "/ucp" + tokenPath, In: "body",
					Field: "secret"},
				{Secret: "access_token", Method: "POST", Path: "/ucp" + tokenPath, In: "response", Field: "token"},
				{Secret: "access_token", In: "header", Field: "Authorization", Format: "Bearer {}"},
			},
			Placements: append(append(
				sdk.CardPlacements("/ucp"+transactionsPath,
					sdk.CardFields{Number: "payment_method.card.number", CVC: "payment_method.card.cvv",
						CAVV: "payment_method.authentication.three_ds.value"}, sdk.OpAuthorize),
				sdk.CardPlacements("/ucp"+methodsPath, sdk.CardFields{Number: "card.number", CVC: "card.cvv"}, sdk.OpVerify)...),
				sdk.Placement{Secret: "app_id", Operation: sdk.OpAccessToken, Method: "POST", Path: "/ucp" + tokenPath, In: "body",
					Field: "app_id"}),
			// GP API may count these by ISO 4217, with other decimals than payswitch: a hundredfold amount.
			Currencies: sdk.CurrenciesExcept("ISK", "IRR", "MGA"),
			Webhook:    &sdk.WebhookRule{Scheme: "globalpay-sha512"},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend, sdk.ResolveByProcessorID,
				sdk.ResolveByReference},
				IdempotencyWindowSeconds:  3600,  // GP API remembers a key longer
				NotFoundFinalAfterSeconds: 3600}, // how long the list of transactions may not show a new one
		},
		AccessToken: token,
		Authorize:   authorize, Verify: verify,
		Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// token fetches the access token. The app key is not sent: the request holds the SHA-512 of a nonce and the key.
func token(c *sdk.Call) (*sdk.Outcome, error) {
	k, nonce := c.Account.Credentials, c.ID("")
	secret := c.Derive(sdk.SHA512(sdk.Text(nonce + k["app_key"])).Hex())
	return c.Token(sdk.JSONSend("POST", tokenPath,
		sdk.NewObject().Str("app_id", k["app_id"]).Str("nonce", nonce).Str("secret", secret).
			Str("grant_type", "client_credentials"), version), "token", "seconds_to_expire")
}

var version = sdk.H("X-GP-Version", "2021-03-22")

// post sends a change with an idempotency key. If GP API knows the key, post fetches what the first request made.
func post(c *sdk.Call, path string, body *sdk.Object) *sdk.Response {
	a := sdk.Must(c.Do(sdk.JSONSend("POST", path, body, c.Bearer("access_token"), version).Keyed("X-GP-Idempotency")))
	if a.Status != 409 || a.JSON().Str("error_code") != "DUPLICATE_ACTION" {
		return a
	}
	_, id, _ := strings.Cut(a.JSON().Str("detailed_error_description"), "id=")
	if id, _, _ = strings.Cut(id, ","); id == "" {
		return a
	}
	if path != methodsPath {
		path = transactionsPath
	}
	return get(c, path+"/"+sdk.PathEscape(id))
}

func get(c *sdk.Call, path string) *sdk.Response {
	return sdk.Must(c.Get(path, c.Bearer("access_token"), version))
}

// failed returns the error for an answer that decides nothing.
func failed(a *sdk.Response) error {
	return a.Undecided("no decision", "error_code", "detailed_error_code")
}

// refused reads an answer without the requested resource. A 4xx with GP API's own error is a refusal.
func refused(a *sdk.Response) *sdk.Outcome {
	j := a.JSON()
	code := j.Str("error_code")
	sdk.Require(a.Refuses() && code != "", failed(a))
	o := sdk.Declined(declines.New(code, j.Str("detailed_error_description"), ""))
	o.Raw = map[string]string{"detailed_error_code": j.Str("detailed_error_code")}
	return o
}
