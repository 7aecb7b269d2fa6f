package worldpay_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/worldpay"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

const (
	card   = "card0NumberZq7Xw3Kd9Tn5Lb1Vc8Rm"
	cavv   = "cavv0Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf"
	origin = "https://try.access.worldpay.com"
	now    = 1768472430000 // 2026-01-15T10:20:30Z, the time of wire.NewStep
	secret = "worldpay-webhook-secret"
)

// answer is an answer of Worldpay's.
var answer = wire.Answer

// drive runs an operation with answers in order. It returns the requests and the result.
func drive(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) ([]*sdk.Send, *sdk.Result) {
	t.Helper()
	a := worldpay.Adapter()
	s := wire.NewStep(&a.Manifest, op, r)
	s.Account.Credentials["webhook_secret"] = hex.EncodeToString([]byte(secret))
	p := wire.End(t, a, s, answers...)
	return p.Sends, &sdk.Result{Outcome: p.Outcome, Reject: p.Reject}
}

// outcome returns the outcome of an operation that must end with one.
func outcome(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) *sdk.Outcome {
	t.Helper()
	_, result := drive(t, op, r, answers...)
	require.NotNil(t, result.Outcome, "%+v", result)
	return result.Outcome
}

// result returns the body of an answer with an outcome and the payment's link data.
func result(outcome, link, more string) string {
	return `{"outcome":"` + outcome + `","_links":{"self":{"href":"` + origin + `/api/payments/` + link + `"}}` + more + `}`
}

func purchase(minor int64, currency sdk.Currency) sdk.Request {
	return sdk.Request{Reference: "pay11", Amount: sdk.Money{Minor: minor, Currency: currency}, Capture: sdk.CaptureManual, ReturnURL: "https://switch.example/return",
		Browser:    &sdk.Browser{AcceptHeader: "text/html", UserAgent: "Mozilla/5.0"},
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: card, CVC: "cvc0Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf0", ExpMonth: 3, ExpYear: 2030, Holder: "Ada", BIN: "411111", LastFour: "1111", Length: 16}}}
}

// later returns a request about a payment of 10.00 GBP with the link data lnk1.
func later(minor, captured int64) sdk.Request {
	return sdk.Request{Reference: "pay11", TransactionID: "lnk1", Amount: sdk.Money{Minor: minor, Currency: "GBP"},
		Payment: &sdk.PaymentState{Currency: "GBP", Requested: 1000, Authorized: 1000, Captured: captured, Capture: sdk.CaptureManual}}
}

// message returns a webhook request, signed with a key.
func message(body, key string) sdk.Request {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(body))
	return sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body),
		Headers: []sdk.Header{sdk.H("Event-Signature", "1/SHA256/"+strings.Repeat("0", 64)+",2/SHA256/"+hex.EncodeToString(m.Sum(nil)))}}}
}
