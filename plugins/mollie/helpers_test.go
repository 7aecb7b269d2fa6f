package mollie_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/mollie"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// answer is an answer of Mollie's.
var answer = wire.Answer

const (
	card  = "card0NumberZq7Xw3Kd9Tn5Lb1Vc8Rm"
	cvc   = "cvc0Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf0"
	token = `{"cardToken":"tkn_1"}`
)

// drive runs an operation with answers in order. It returns the requests and the result.
func drive(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) ([]*sdk.Send, *sdk.Result) {
	t.Helper()
	a := mollie.Adapter()
	p := wire.End(t, a, wire.NewStep(&a.Manifest, op, r), answers...)
	return p.Sends, &sdk.Result{Outcome: p.Outcome, Reject: p.Reject}
}

// outcome returns the outcome of an operation that must end with one.
func outcome(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) *sdk.Outcome {
	t.Helper()
	_, result := drive(t, op, r, answers...)
	require.NotNil(t, result.Outcome, "%+v", result)
	return result.Outcome
}

// paymentBody returns a payment object with additional members.
func paymentBody(status, value, more string) string {
	return `{"resource":"payment","id":"tr_1","status":"` + status + `","amount":{"value":"` + value + `","currency":"EUR"}` + more + `}`
}

func purchase(minor int64, currency sdk.Currency) sdk.Request {
	return sdk.Request{Reference: "pay_1_1", Amount: sdk.Money{Minor: minor, Currency: currency}, Capture: sdk.CaptureManual, ReturnURL: "https://switch.example/return",
		WebhookURL: "https://switch.example/in", Customer: &sdk.Customer{ID: "cus_1", Name: "Ada", Email: "ada@example.com"},
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: card, CVC: cvc, ExpMonth: 3, ExpYear: 2030, Holder: "Ada", BIN: "411111", LastFour: "1111", Length: 16}}}
}

// later returns a request about the payment tr_1 of 10.00 EUR.
func later(minor, captured int64) sdk.Request {
	return sdk.Request{Reference: "pay_1_1", TransactionID: "tr_1", Amount: sdk.Money{Minor: minor, Currency: "EUR"},
		Payment: &sdk.PaymentState{Currency: "EUR", Requested: 1000, Authorized: 1000, Captured: captured, Capture: sdk.CaptureManual}}
}
