package nmi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/nmi"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// played is what an operation sent and how it ended.
type played struct {
	sends []*sdk.Send
	*sdk.Outcome
	reject *sdk.Reject
}

// play runs an operation to its end; every send has its answer.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) played {
	t.Helper()
	a := nmi.Adapter()
	return end(t, a, wire.NewStep(&a.Manifest, op, r), answers...)
}

func end(t *testing.T, a *sdk.Adapter, s *sdk.Step, answers ...sdk.Exchange) played {
	t.Helper()
	sends, result, err := wire.Play(a, s, answers...)
	require.NoError(t, err)
	require.Nil(t, result.Send, "a send nobody answers")
	require.Len(t, sends, len(answers), "answers nobody asked for")
	return played{sends, result.Outcome, result.Reject}
}

// deliver gives the adapter a message under a signature header; signed says that the account has a key.
func deliver(t *testing.T, signed bool, header, body string) played {
	t.Helper()
	a := nmi.Adapter()
	s := wire.NewStep(&a.Manifest, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("Webhook-Signature", header)}, Body: []byte(body)}})
	if !signed {
		delete(s.Account.Credentials, "webhook_secret")
	}
	return end(t, a, s)
}

// signature is the header of a message that NMI sent.
func signature(body string) string {
	h := hmac.New(sha256.New, []byte("test_webhook_secret"))
	h.Write([]byte("n0nce." + body))
	return "t=n0nce,s=" + hex.EncodeToString(h.Sum(nil))
}

func answer(status int, body string) sdk.Exchange {
	return sdk.Exchange{Sent: true, Status: status, Body: []byte(body)}
}

// form is the body of a send as a map.
func form(t *testing.T, s *sdk.Send) map[string]string {
	t.Helper()
	pairs, ok := sdk.ParseForm(string(s.Body))
	require.True(t, ok)
	all := map[string]string{}
	for _, p := range pairs {
		require.NotContains(t, all, p.Name)
		all[p.Name] = p.Value
	}
	return all
}

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func card() *sdk.Instrument {
	return &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16}}
}

const approved = "response=1&responsetext=SUCCESS&authcode=123456&transactionid=9876543210&avsresponse=Y&cvvresponse=M&orderid=ref-1&type="

// transaction is an answer of the Query API with one transaction.
func transaction(inner string) sdk.Exchange {
	return answer(200, `<?xml version="1.0" encoding="UTF-8"?><nm_response><transaction><transaction_id>9876543210</transaction_id>`+inner+`</transaction></nm_response>`)
}

func action(kind, amount, success string) string {
	return "<action><amount>" + amount + "</amount><action_type>" + kind + "</action_type><success>" + success + "</success></action>"
}
