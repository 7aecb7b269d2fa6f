package mollie_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/mollie"
	"payswitch/sdk"
)

const (
	key   = "api0KeyZq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6"
	card  = "card0NumberZq7Xw3Kd9Tn5Lb1Vc8Rm"
	cvc   = "cvc0Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf0"
	token = `{"cardToken":"tkn_1"}`
)

// drive runs an operation, whose sends are answered in order, and returns them and how it ended.
func drive(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) ([]*sdk.Send, *sdk.Result) {
	t.Helper()
	s := &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_1", Now: 1768472430000, Seed: strings.Repeat("5e", 32), DerivePrefix: "dZq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6J",
		Request: r, Account: sdk.Account{ID: "mca_1", Connector: "mollie", Environment: "test", BaseURL: "https://api.mollie.com/v2",
			Credentials: map[string]string{"api_key": key, "profile_token": "pfl0Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf"}}}
	var sends []*sdk.Send
	for {
		result := mollie.Adapter().Step(s)
		if result.Send == nil || len(sends) == len(answers) {
			require.Len(t, sends, len(answers), "sends")
			return sends, &result
		}
		e := answers[len(sends)]
		e.Now, e.Sent, e.RequestHash = s.Now, true, sdk.RequestHash(result.Send)
		sends, s.Exchanges = append(sends, result.Send), append(s.Exchanges, e)
	}
}

// outcome is how an operation ends that must end with an outcome.
func outcome(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) *sdk.Outcome {
	t.Helper()
	_, result := drive(t, op, r, answers...)
	require.NotNil(t, result.Outcome, "%+v", result)
	return result.Outcome
}

func answer(status int, body string) sdk.Exchange {
	return sdk.Exchange{Status: status, Body: []byte(body)}
}

// paymentBody is a payment object with more members after the usual.
func paymentBody(status, value, more string) string {
	return `{"resource":"payment","id":"tr_1","status":"` + status + `","amount":{"value":"` + value + `","currency":"EUR"}` + more + `}`
}

func purchase(minor int64, currency sdk.Currency) sdk.Request {
	return sdk.Request{Reference: "pay_1_1", Amount: sdk.Money{Minor: minor, Currency: currency}, Capture: sdk.CaptureManual, ReturnURL: "https://switch.example/return",
		WebhookURL: "https://switch.example/in", Customer: &sdk.Customer{ID: "cus_1", Name: "Ada", Email: "ada@example.com"},
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: card, CVC: cvc, ExpMonth: 3, ExpYear: 2030, Holder: "Ada", BIN: "411111", LastFour: "1111", Length: 16}}}
}

// later is a request about the payment tr_1 of 10.00 EUR.
func later(minor, captured int64) sdk.Request {
	return sdk.Request{Reference: "pay_1_1", TransactionID: "tr_1", Amount: sdk.Money{Minor: minor, Currency: "EUR"},
		Payment: &sdk.PaymentState{Currency: "EUR", Requested: 1000, Authorized: 1000, Captured: captured, Capture: sdk.CaptureManual}}
}
