package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestCallResponseAlone: a recorded answer to a payment is read as the answer to the payment, whatever requests the adapter sends before it. The
// answer to an earlier request leads to the next request.
func TestCallResponseAlone(t *testing.T) {
	costly(t)
	t.Parallel()
	for name, folder := range map[string]string{"mollie": oldWords, "stripe": filepath.Join(root, "plugins", "stripe", "testdata")} {
		cases, _ := casesIn(t, folder, name)
		_, answers, err := wire.Load(os.DirFS(folder), name)
		require.NoError(t, err)
		answered := 0
		for _, s := range answers.Samples {
			if s.Flow != "authorize" || s.Kind == "error" || s.Expected.Status == string(sdk.StatusUnknown) {
				continue
			}
			c, input := object{}, object{}
			for k, v := range cases["authorize_auto"] {
				c[k] = v
			}
			for _, from := range []object{c["input"].(map[string]any), s.Input} {
				for k, v := range from {
					input[k] = v
				}
			}
			c["input"], c["response"] = input, s.Response
			a := callLines(t, c)[0]
			require.NotNil(t, a.Outcome, "%s %s: %+v", name, s.Name, a)
			require.NotEqual(t, sdk.StatusUnknown, a.Outcome.Status, "%s %s", name, s.Name)
			if a.Outcome.Status != sdk.StatusDeclined { // a refusal may name no payment
				require.NotEmpty(t, a.Outcome.TransactionID, "%s %s", name, s.Name)
			}
			answered++
		}
		require.Positive(t, answered)
	}
	cases, _ := casesIn(t, oldWords, "mollie")
	stored := cases["authorize_store_card"] // its customer is kept: the request for the card's token comes first
	stored["response"] = object{"status": 201, "body": object{"cardToken": "tkn_1"}}
	a := callLines(t, stored)[0]
	require.NotNil(t, a.Request, "%+v", a)
	require.True(t, strings.HasSuffix(a.Request.URL, "/v2/payments"), a.Request.URL)
	require.Contains(t, a.Request.Body, `"cardToken":"tkn_1"`)

	for test, mode := range map[bool]string{true: `"testmode":true`, false: `"testmode":false`} {
		token := cases["tokenize_card"]
		token["input"].(map[string]any)["test"] = test
		require.Contains(t, callLines(t, token)[0].Request.Body, mode)
	}

	verify := cases["authorize_auto"]
	verify["flow"], verify["input"].(map[string]any)["amount"] = "setup_mandate", 0
	verify["response"] = object{"status": 201, "body": object{"resource": "payment", "id": "tr_1", "status": "paid", "amount": object{"currency": "USD", "value": "0.00"},
		"customerId": "cst_1", "mandateId": "mdt_1"}}
	a = callLines(t, verify)[0]
	require.NotNil(t, a.Outcome, "%+v", a)
	require.Equal(t, sdk.StatusVerified, a.Outcome.Status)
	require.Empty(t, a.Outcome.ConnectorData.Customer, "none is made up")
}

// TestCallTells: standard error names, once, what makes a request differ from the switch's.
func TestCallTells(t *testing.T) {
	costly(t)
	line := `{"connector":"mollie","flow":"void","input":{"connector_transaction_id":"tr_1","currency":"KWD"},"credentials":{"key1":"pfl_1"}}` + "\n"
	_, _, stderr := pluginCall(t, line+line, "--cases", "-")
	require.Equal(t, "credentials: api_key missing: the request to mollie names no account\n"+
		"input.currency: mollie does not take KWD: the switch would choose another processor\n", stderr)
	cases, _ := casesIn(t, oldWords, "mollie")
	text, err := json.Marshal(cases["void_full"])
	require.NoError(t, err)
	_, _, stderr = pluginCall(t, string(text)+"\n", "--cases", "-")
	require.Empty(t, stderr)
	swapped := cases["authorize_auto"]
	swapped["exchanges"] = []any{object{"status": 201, "body": object{"cardToken": "tkn_1"}}, object{"status": 201, "body": object{"cardToken": "tkn_1"}}}
	text, err = json.Marshal(swapped)
	require.NoError(t, err)
	_, stdout, stderr := pluginCall(t, string(text)+"\n", "--cases", "-")
	require.Contains(t, stdout, `"unknown"`)
	require.Equal(t, "the outcome is unknown: the answers were read as answers to POST https://api.cc.mollie.com/v1/card-tokens, then POST https://api.mollie.com/v2/payments\n", stderr)
	require.Equal(t, ": in a case, credentials.merchant_id", inCase("metadata.merchant_id"))
}
