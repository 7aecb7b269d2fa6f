// Package nmi is the adapter for NMI's gateway: the Payment API (transact.php), the Query API (query.php), webhooks.
//
// NMI supports no idempotency key, so nothing is sent twice. The Query API settles an unknown result by our reference,
// the orderid, which stays unique.
package nmi

import "payswitch/sdk"

const (
	transactPath = "/api/transact.php"
	queryPath    = "/api/query.php"
)

func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "nmi", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "NMI",
			Description: "Cards through NMI's gateway and the gateways that resell it.", Website: "https://www.nmi.com",
			Features: sdk.Features{PartialCapture: true, ReleasesRest: true, PartialRefund: true, ZeroAmount: true,
				PartialApproval: true, External3DS: true, StoredCredential: true, VoidCaptured: true},
			Environments: sdk.TestAndLive("https://secure.nmi.com", "https://secure.nmi.com"),
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "Security key", Help: "The private API key of the merchant's account.", Type: "secret"},
				{Name: "public_key", Key: "key1", Label: "Public key", Help: "For pages in the browser; not used by this adapter.",
					Type: "text", Optional: true},
				{Name: "webhook_secret", Label: "Webhook signing key", Type: "secret", Optional: true,
					Help: "Without it messages only cause a query."},
			},
			Config: []sdk.Field{{Name: "dup_seconds", Label: "Duplicate check (seconds)", Type: "text", Optional: true,
				Help: "Seconds in which the gateway refuses a second payment with the same card and amount. 0 switches the check " +
					"off; if left out, the account's setting applies."}},
			Authentication: []sdk.Placement{
				{Secret: "api_key", Method: "POST", Path: transactPath, In: "body", Field: "security_key"},
				{Secret: "api_key", Method: "POST", Path: queryPath, In: "body", Field: "security_key"},
			},
			Placements: sdk.CardPlacements(transactPath, sdk.CardFields{Number: "ccnumber", CVC: "cvv", CAVV: "cavv"},
				sdk.OpAuthorize, sdk.OpVerify),
			// NMI's amounts have the form x.xx.
			Currencies: sdk.CurrenciesExcept("BHD", "CLF", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"),
			Webhook:    &sdk.WebhookRule{Scheme: "nmi-hmac-sha256"},
			// Usually the Query API shows an order at once; the margin is for a request that is still in progress.
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 15 * 60},
		},
		Authorize: authorize, Verify: verify, Capture: capture, Void: void, Refund: refund,
		Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// amount returns the amount in NMI's form.
func amount(m sdk.Money) string {
	e, ok := m.Currency.Exponent()
	sdk.Require(ok && e <= 2, sdk.Unsupported("currency", "NMI supports amounts of two decimals at most"))
	return m.Major()
}

func request(c *sdk.Call, kind string) *sdk.Form {
	return sdk.NewForm().Add("security_key", c.Account.Credentials["api_key"]).Add("type", kind)
}
