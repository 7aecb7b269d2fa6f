// Package cybersource is the adapter for Cybersource's REST API: Payments (/pts/v2), Payer Authentication (/risk/v1),
// Transaction Search (/tss/v2) and webhooks (developer.cybersource.com/docs).
//
// No idempotency key exists, so nothing is sent twice. Transaction Search settles an unknown result by id or reference.
package cybersource

import (
	"strings"

	"payswitch/sdk"
)

// Paths of requests with card data.
const (
	paymentsPath    = "/pts/v2/payments/"
	setupsPath      = "/risk/v1/authentication-setups"
	enrollmentsPath = "/risk/v1/authentications"
)

func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "cybersource", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Cybersource",
			Description: "Card payments through Cybersource's REST API.", Website: "https://www.cybersource.com",
			// Cybersource releases the rest of a last capture, or the rest lapses; no call releases it.
			Features: sdk.Features{PartialCapture: true, MultipleCapture: true, ReleasesRest: true, PartialRefund: true,
				ZeroAmount: true, PartialApproval: true, Processor3DS: true,
				External3DS: true, StoredCredential: true, NetworkMIT: true, Exemptions: sdk.ExemptionsIn(exemptions)},
			Environments: map[string]sdk.Environment{
				"test": sdk.At("https://apitest.cybersource.com"),
				"live": sdk.At("https://api.cybersource.com", "api.in.cybersource.com"),
			},
			Credentials: []sdk.Field{
				{Name: "api_key", Label: "Key ID", Type: "secret",
					Help: "Business Center, Key Management: the id of a REST shared secret key."},
				{Name: "merchant_account", Key: "key1", Label: "Merchant ID", Type: "text",
					Help: "The merchant id that the key belongs to."},
				{Name: "api_secret", Label: "Shared secret", Type: "secret",
					Help: "The key itself, in base64 as it was downloaded."},
				{Name: "webhook_secret", Label: "Webhook signature key", Type: "secret", Optional: true,
					Help: "In base64, as returned with the new digital signature key. Without it the adapter reads no webhook."},
			},
			Config: []sdk.Field{
				{Name: "disable_avs", Label: "Accept failed address checks", Type: "enum", Values: []string{"false", "true"},
					Default: "false", Help: "Approve even if the address check fails."},
				{Name: "disable_cvn", Label: "Accept failed CVC checks", Type: "enum", Values: []string{"false", "true"},
					Default: "false", Help: "Approve even if the CVC check fails."},
			},
			Authentication: authentication(),
			Placements:     placements(),
			Reference:      sdk.ReferenceRule{MaxLength: 50},
			Webhook:        &sdk.WebhookRule{Scheme: "cybersource-hmac-sha256", ToleranceSeconds: 300},
			Resolve: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByReference},
				NotFoundFinalAfterSeconds: 60 * 60}, // Transaction Search documents no delay; usually it is under a minute
		},
		Authorize: sdk.Raisable(authorize), Verify: authorize, Complete: sdk.Raisable(complete),
		Capture: capture, Void: void, Refund: refund, IncrementalAuthorize: incrementalAuthorize,
		Sync: sync, RefundSync: refundSync, Webhook: webhook,
	}
}

// placements: card data stands in payments and in the two payer authentication requests with the card.
func placements() []sdk.Placement {
	const authentication = "consumerAuthenticationInformation."
	card := sdk.CardFields{Number: "paymentInformation.card.number", CVC: "paymentInformation.card.securityCode"}
	all := append(sdk.CardPlacements(paymentsPath, card, sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete),
		sdk.CardPlacements(setupsPath, card, sdk.OpAuthorize, sdk.OpVerify)...)
	all = append(all, sdk.CardPlacements(enrollmentsPath, card, sdk.OpComplete)...)
	for _, name := range cryptograms {
		all = append(all, sdk.CardPlacements(paymentsPath, sdk.CardFields{CAVV: authentication + name}, sdk.OpAuthorize,
			sdk.OpVerify)...)
		// Captured from the answer to the enrollment.
		all = append(all, sdk.Placement{Secret: "*", Operation: sdk.OpComplete, Method: "POST", Path: paymentsPath,
			In: "body", Field: authentication + name})
	}
	return all
}

// authentication is HTTP Signature. The signature covers the digest of the body, if there is a body.
func authentication() []sdk.Placement {
	all := []sdk.Placement{{Secret: "*", Method: "GET", In: "header", Field: "Signature",
		Format: signatureHeader("{}", signed, "{}")}}
	for _, method := range []string{"POST", "PATCH"} {
		all = append(all, sdk.Placement{Secret: "*", Method: method, In: "header", Field: "Digest",
			Format: digestPrefix + "{}"},
			sdk.Placement{Secret: "*", Method: method, In: "header", Field: "Signature",
				Format: signatureHeader("{}", signedWithBody, "{}")})
	}
	return all
}

// The parts of a signature, and the form of it and of the digest.
const (
	signed         = "host date (request-target) v-c-merchant-id"
	signedWithBody = "host date (request-target) digest v-c-merchant-id"
	digestPrefix   = "SHA-256="
	httpDate       = "Mon, 02 Jan 2006 15:04:05 GMT" // RFC 1123, as the guide requires
)

func signatureHeader(key, names, signature string) string {
	return `keyid="` + key + `", algorithm="HmacSHA256", headers="` + names + `", signature="` + signature + `"`
}

// send sends a request with its HTTP Signature: an HMAC-SHA256 with the shared secret over the named headers, one per
// line, as name, colon, space and value. GETs have no body and no digest.
func send(c *sdk.Call, method, path string, body *sdk.Object, capture ...sdk.Capture) *sdk.Response {
	_, address, _ := strings.Cut(c.Account.BaseURL, "://")
	at := strings.IndexByte(address+"/", '/') // where the path begins
	k, date, names := c.Account.Credentials, c.Now().Format(httpDate), signed
	lines := "host: " + address[:at] + "\ndate: " + date + "\n(request-target): " + strings.ToLower(method) + " " +
		address[at:] + path
	s := &sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET" || path == searchesPath, Capture: capture,
		Headers: []sdk.Header{sdk.H("Accept", "application/hal+json;charset=utf-8"), sdk.H("Date", date),
			sdk.H("v-c-merchant-id", k["merchant_account"])}}
	if body != nil {
		digest := digestPrefix + c.Derive(sdk.SHA256(sdk.Body()).Base64())
		lines, names, s.Body = lines+"\ndigest: "+digest, signedWithBody, body.Bytes()
		s.Headers = append(s.Headers, sdk.H("Content-Type", "application/json;charset=utf-8"), sdk.H("Digest", digest))
	}
	text := sdk.Text(lines + "\nv-c-merchant-id: " + k["merchant_account"])
	signature := c.Derive(sdk.HMACSHA256(sdk.Text(k["api_secret"]).Unbase64(), text).Base64())
	s.Headers = append(s.Headers, sdk.H("Signature", signatureHeader(k["api_key"], names, signature)))
	return sdk.Must(c.Do(s))
}
