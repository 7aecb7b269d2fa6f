package cybersource_test

import (
	"testing"

	"payswitch/plugins/cybersource"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// secret is the account's shared secret and the key of its webhooks.
const secret = "cHJvYmVfc2VjcmV0"

// now is the time of all tests: 2026-01-15T10:20:30Z, in milliseconds.
const now = 1_768_472_430_000

// play runs an operation to its end; its sends are answered in order.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) wire.Played {
	t.Helper()
	a := cybersource.Adapter()
	s := wire.NewStep(&a.Manifest, op, r)
	s.Now = now
	s.Account.Credentials["api_secret"], s.Account.Credentials["webhook_secret"] = secret, secret
	return wire.End(t, a, s, answers...)
}

// answer is an answer of Cybersource's.
var answer = wire.Answer

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func card(n sdk.CardNetwork) *sdk.Instrument {
	return &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16,
		Network: n}}
}

func payment() sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card(""), Capture: sdk.CaptureManual, ReturnURL: "https://pay.example/return"}
}

// later returns a request about an authorized payment of 24.99.
func later(minor int64) sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(minor), TransactionID: "7001", Capture: sdk.CaptureManual,
		Payment: &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, Capture: sdk.CaptureManual}}
}

const approved = `{"id":"7001","status":"AUTHORIZED","processorInformation":{"approvalCode":"831000","avs":{"code":"Z"},"cardVerification":{"resultCode":"N"}}}`
