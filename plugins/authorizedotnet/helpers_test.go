package authorizedotnet_test

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// now is the time of wire.NewStep.
const now = 1_768_472_430_000 // 2026-01-15T10:20:30Z

// play runs an operation to its end; every send has its answer.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) wire.Played {
	t.Helper()
	return playIn(t, "test", op, r, answers...)
}

func playIn(t *testing.T, environment string, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) wire.Played {
	t.Helper()
	a := authorizedotnet.Adapter()
	s := wire.NewStep(&a.Manifest, op, r)
	s.Account.Environment, s.Account.BaseURL = environment, a.Manifest.Environments[environment].BaseURL
	return end(t, a, s, answers...)
}

func end(t *testing.T, a *sdk.Adapter, s *sdk.Step, answers ...sdk.Exchange) wire.Played {
	t.Helper()
	p := wire.End(t, a, s, answers...)
	for _, send := range p.Sends {
		require.Equal(t, s.Account.BaseURL, send.URL)
	}
	return p
}

// deliver gives the adapter a message with a signature header; signed says whether the account has a key.
func deliver(t *testing.T, signed bool, header, body string) wire.Played {
	t.Helper()
	a := authorizedotnet.Adapter()
	s := wire.NewStep(&a.Manifest, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("x-anet-signature", header)}, Body: []byte(body)}})
	if !signed {
		delete(s.Account.Credentials, "webhook_secret")
	}
	return end(t, a, s)
}

// signature returns the header of a message of Authorize.net.
func signature(body string) string {
	h := hmac.New(sha512.New, []byte("test_webhook_secret"))
	h.Write([]byte(body))
	return "sha512=" + strings.ToUpper(hex.EncodeToString(h.Sum(nil)))
}

// answer returns an answer in the API's form: after a byte order mark.
func answer(status int, body string) sdk.Exchange {
	return sdk.Exchange{Sent: true, Status: status, Body: []byte("\xef\xbb\xbf" + body)}
}

// body is the only member of a request's body.
func body(t *testing.T, s *sdk.Send, kind string) sdk.JSON {
	t.Helper()
	j, err := sdk.ParseJSON(s.Body)
	require.NoError(t, err)
	require.True(t, j.Has(kind), string(s.Body))
	require.Equal(t, []string{"test_name", "test_transaction_key"}, []string{j.Str(kind + ".merchantAuthentication.name"), j.Str(kind + ".merchantAuthentication.transactionKey")})
	return j.Get(kind)
}

const (
	ok     = `"messages":{"resultCode":"Ok","message":[{"code":"I00001","text":"Successful."}]}`
	create = "createTransactionRequest"
)

func failure(code string) string {
	return `{"messages":{"resultCode":"Error","message":[{"code":"` + code + `","text":"text of ` + code + `"}]}}`
}

// result returns the answer to a transaction.
func result(code, more string) string {
	return `{"transactionResponse":{"responseCode":"` + code + `","transId":"60198495566","authCode":"2WXB0S","accountNumber":"XXXX1111","networkTransId":"016"` + more + `},` + ok + `}`
}

const errors = `,"errors":[{"errorCode":"2","errorText":"This transaction has been declined."}]`

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func instrument() *sdk.Instrument {
	return &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16}}
}

func purchase() sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: instrument(), Customer: &sdk.Customer{ID: "cust_100", Email: "a@example.com"}}
}
