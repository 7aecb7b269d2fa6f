package nmi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"payswitch/plugins/nmi"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// play runs an operation to its end; every send has its answer.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) wire.Played {
	t.Helper()
	a := nmi.Adapter()
	return wire.End(t, a, wire.NewStep(&a.Manifest, op, r), answers...)
}

// deliver gives the adapter a message with a signature header; signed says whether the account has a key.
func deliver(t *testing.T, signed bool, header, body string) wire.Played {
	t.Helper()
	a := nmi.Adapter()
	s := wire.NewStep(&a.Manifest, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("Webhook-Signature", header)}, Body: []byte(body)}})
	if !signed {
		delete(s.Account.Credentials, "webhook_secret")
	}
	return wire.End(t, a, s)
}

// signature returns the header of a message of NMI.
func signature(body string) string {
	h := hmac.New(sha256.New, []byte("test_webhook_secret"))
	h.Write([]byte("n0nce." + body))
	return "t=n0nce,s=" + hex.EncodeToString(h.Sum(nil))
}

// answer is an answer of NMI's.
var answer = wire.Answer

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func card() *sdk.Instrument {
	return &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16}}
}

const approved = "response=1&responsetext=SUCCESS&authcode=123456&transactionid=9876543210&avsresponse=Y&cvvresponse=M&orderid=ref-1&type="

func transaction(inner string) sdk.Exchange {
	return answer(200, `<?xml version="1.0" encoding="UTF-8"?><nm_response><transaction><transaction_id>9876543210</transaction_id>`+inner+`</transaction></nm_response>`)
}

func action(kind, amount, success string) string {
	return "<action><amount>" + amount + "</amount><action_type>" + kind + "</action_type><success>" + success + "</success></action>"
}
