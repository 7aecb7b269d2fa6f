package nmi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/nmi"
	"payswitch/sdk"
)

const now = 1_768_472_430_000 // 2026-01-15T10:20:30Z

// played is what an operation sent and how it ended.
type played struct {
	sends []*sdk.Send
	*sdk.Outcome
	reject *sdk.Reject
}

// play runs an operation to its end; its sends are answered in order.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) played {
	t.Helper()
	return playWith(t, op, r, map[string]string{"api_key": "STANDINkey"}, answers...)
}

func playWith(t *testing.T, op sdk.Operation, r sdk.Request, credentials map[string]string, answers ...sdk.Exchange) played {
	t.Helper()
	s := &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_1", Now: now, Seed: strings.Repeat("ab", 32), DerivePrefix: "DERIVEprefix", Request: r,
		Account: sdk.Account{ID: "mca_1", Environment: "test", BaseURL: "https://secure.nmi.com", Credentials: credentials}}
	var p played
	for {
		result := nmi.Adapter().Step(s)
		x := sdk.Exchange{Now: now, Sent: true, Status: 200}
		switch {
		case result.Send != nil:
			p.sends = append(p.sends, result.Send)
			require.NotEmpty(t, answers, "a send nobody answers")
			x, answers = answers[0], answers[1:]
			x.Now, x.RequestHash = now, sdk.RequestHash(result.Send)
		case result.Verify != nil:
			require.NotEmpty(t, answers, "a verify nobody answers")
			x, answers = answers[0], answers[1:]
			x.Now, x.RequestHash = now, sdk.VerifyHash(result.Verify)
		default:
			require.Empty(t, answers, "answers nobody asked for")
			p.Outcome, p.reject = result.Outcome, result.Reject
			return p
		}
		s.Exchanges = append(s.Exchanges, x)
	}
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
	return &sdk.Instrument{Card: &sdk.Card{Number: "STANDINnumber", CVC: "STANDINcvc", ExpMonth: 3, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16}}
}

const approved = "response=1&responsetext=SUCCESS&authcode=123456&transactionid=9876543210&avsresponse=Y&cvvresponse=M&orderid=ref-1&type="

// transaction is an answer of the Query API with one transaction.
func transaction(inner string) sdk.Exchange {
	return answer(200, `<?xml version="1.0" encoding="UTF-8"?><nm_response><transaction><transaction_id>9876543210</transaction_id>`+inner+`</transaction></nm_response>`)
}

func action(kind, amount, success string) string {
	return "<action><amount>" + amount + "</amount><action_type>" + kind + "</action_type><success>" + success + "</success></action>"
}
