package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A case in the SDK's vocabulary makes the same request as one in the old words, and its mistakes are named.
func TestCallInTheSDKsVocabulary(t *testing.T) {
	t.Parallel()
	keys := object{"api_key": "sk_test_1"}
	card := func(month, year any) object {
		return object{"number": "4111111111111111", "exp_month": month, "exp_year": year, "cvc": "737"}
	}
	all := callLines(t,
		object{"connector": "stripe", "operation": "authorize", "credentials": keys, "input": object{"reference": "order-1", "amount": 1050,
			"currency": "USD", "capture": "manual", "card": card(12, 2030)}},
		object{"connector": "stripe", "flow": "authorize", "credentials": keys, "input": object{"reference": "order-1", "amount": 1050,
			"currency": "USD", "capture": "manual", "card": card("12", "2030")}},
		object{"connector": "stripe", "operation": "sync", "credentials": keys, "input": object{"amount": 1050, "currency": "USD", "transaction_id": "pi_1"}},
		object{"connector": "stripe", "operation": "capture", "credentials": keys, "input": object{"amount": 1050, "currency": "USD"}},
		object{"connector": "stripe", "operation": "authorise", "credentials": keys},
		object{"connector": "stripe", "operation": "prepare", "credentials": keys},
		object{"connector": "stripe", "operation": "sync", "flow": "payment_sync", "credentials": keys},
		object{"connector": "stripe", "operation": "sync", "credentials": keys, "input": object{"amout": 1}},
		object{"connector": "stripe", "operation": "webhook", "credentials": keys},
	)
	for _, a := range all[:2] {
		delete(a.Request.Headers, "idempotency-key") // made from the case's text
	}
	require.Equal(t, all[1].Request, all[0].Request)
	require.Equal(t, "GET", all[2].Request.Method)
	for i, want := range map[int]string{
		3: "input.transaction_id: is missing", 4: `operation: "authorise" is not an operation: choose one of authorize, capture,`,
		5: "operation: stripe does not offer prepare: choose one of authorize,", 6: "flow: the case names its operation already",
		7: `input: "amout" is not a field here: did you mean "amount"?`, 8: "message: missing: a case of webhook holds the message",
	} {
		require.Contains(t, all[i].Error, want)
	}
}

// A value that the host computes is marked with its number.
func TestCallMarksDerivedValues(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(object{"connector": "worldpay", "operation": "sync", "credentials": object{"username": "user", "password": "password", "entity_id": "default", "merchant_name": "shop"},
		"input": object{"reference": "order-1", "transaction_id": "tx_1", "amount": 1050, "currency": "USD"}})
	require.NoError(t, err)
	code, stdout, stderr := pluginCall(t, string(text))
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "Authorization: Basic «derived 0»\n")
	require.NotContains(t, stdout, "«derived »")
}

// plugin call reads a webhook message, and says why the adapter refuses it.
func TestCallOfAWebhook(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(object{"connector": "stripe", "operation": "webhook", "credentials": object{"api_key": "sk_test_1", "webhook_secret": "whsec_1"},
		"clock": "2026-01-15T10:20:30Z", "message": object{"headers": object{"Stripe-Signature": "t=1768472430,v1=00"}, "body": `{"id":"evt_1"}`}})
	require.NoError(t, err)
	code, stdout, stderr := pluginCall(t, string(text))
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, `"status": 401`)
	require.Contains(t, stderr, "the adapter refuses the message with status 401: the signature is missing or wrong")
}
