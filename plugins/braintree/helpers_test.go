package braintree_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/braintree"
	"payswitch/sdk"
)

const now = 1_768_472_430_000 // 2026-01-15T10:20:30Z

// played are an operation's requests and its end.
type played struct {
	sends    []*sdk.Send
	verifies []*sdk.Verify
	*sdk.Outcome
	reject *sdk.Reject
}

// play runs an operation to its end; its sends and verifies are answered in order.
func play(t *testing.T, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) played {
	t.Helper()
	currency := "USD"
	if r.Amount.Currency != "" {
		currency = string(r.Amount.Currency)
	}
	return playIn(t, currency, op, r, answers...)
}

// playIn runs an operation with a merchant account of that currency.
func playIn(t *testing.T, currency string, op sdk.Operation, r sdk.Request, answers ...sdk.Exchange) played {
	t.Helper()
	s := &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_1", Now: now, Seed: strings.Repeat("ab", 32), DerivePrefix: "DERIVEprefix", Request: r,
		Account: sdk.Account{ID: "mca_1", Environment: "test", BaseURL: "https://payments.sandbox.braintree-api.com/graphql",
			Credentials: map[string]string{"public_key": "pub", "private_key": "STANDINprivate"},
			Config:      map[string]string{"merchant_account_id": "acct", "merchant_config_currency": currency}}}
	var p played
	for {
		result := braintree.Adapter().Step(s)
		x := sdk.Exchange{}
		hash := ""
		switch {
		case result.Send != nil:
			p.sends = append(p.sends, result.Send)
			hash = sdk.RequestHash(result.Send)
		case result.Verify != nil:
			p.verifies = append(p.verifies, result.Verify)
			hash = sdk.VerifyHash(result.Verify)
		default:
			require.Empty(t, answers, "answers without a request")
			p.Outcome, p.reject = result.Outcome, result.Reject
			return p
		}
		require.NotEmpty(t, answers, "no answer for %s", hash)
		x, answers = answers[0], answers[1:]
		x.Now, x.RequestHash = now, hash
		s.Exchanges = append(s.Exchanges, x)
	}
}

func answer(status int, body string) sdk.Exchange {
	return sdk.Exchange{Sent: true, Status: status, Body: []byte(body)}
}

// data returns an answer without errors.
func data(body string) sdk.Exchange { return answer(200, `{"data":`+body+`}`) }

// failure returns an answer with one error.
func failure(class, code, message string) sdk.Exchange {
	return answer(200, `{"data":{"chargeCreditCard":null},"errors":[{"message":"`+message+`","extensions":{"errorClass":"`+class+`","legacyCode":"`+code+`"}}]}`)
}

var token = data(`{"tokenizeCreditCard":{"paymentMethod":{"id":"tokencc_1"}}}`)

// transaction returns a transaction as Braintree returns it; inner begins with a comma.
func transaction(status, amount, currency, inner string) string {
	return `{"id":"dHJhbnNhY3Rpb25fYWJj","legacyId":"abc","status":"` + status + `","amount":{"value":"` + amount + `","currencyCode":"` + currency + `"}` + inner + `}`
}

// charged returns the answer to a charge.
func charged(t string) sdk.Exchange { return data(`{"chargeCreditCard":{"transaction":` + t + `}}`) }

// found returns the answer to a search.
func found(what string, nodes ...string) sdk.Exchange {
	edges := make([]string, len(nodes))
	for i, n := range nodes {
		edges[i] = `{"node":` + n + `}`
	}
	return data(`{"search":{"` + what + `":{"edges":[` + strings.Join(edges, ",") + `]}}}`)
}

// input returns the query and the input of a send.
func input(t *testing.T, s *sdk.Send) (query string, in map[string]any) {
	t.Helper()
	var body struct {
		Query     string `json:"query"`
		Variables struct {
			Input map[string]any `json:"input"`
		} `json:"variables"`
	}
	require.NoError(t, json.Unmarshal(s.Body, &body))
	return body.Query, body.Variables.Input
}

// at returns the value at a path of an input; nil for none.
func at(in map[string]any, path string) any {
	var v any = in
	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

func card() *sdk.Instrument {
	return &sdk.Instrument{Card: &sdk.Card{Number: "STANDINnumber", CVC: "STANDINcvc", ExpMonth: 3, ExpYear: 2030, Holder: "John Doe", BIN: "411111", LastFour: "1111", Length: 16}}
}

func payment() sdk.Request {
	return sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card()}
}
