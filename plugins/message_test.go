package plugins_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/plugins"
	"payswitch/sdk"
)

// A processor's message with a card number reaches the adapter masked, although the checked signature covers the original message.
func TestMessagesHoldNoCardNumbers(t *testing.T) {
	const body = `{"card":"4111 1111 1111 1111","n":4111111111111111,"id":"tx_4111111111111111x","amount":1050}`
	mac := hmac.New(sha256.New, []byte(secretKey))
	mac.Write([]byte(body))
	d := authorize("scripted", "")
	d.Operation, d.Secrets = sdk.OpWebhook, card.Secrets{}
	message := sdk.WebhookMessage{Method: "POST", Body: []byte(body), BodyLength: len(body), Query: []sdk.Header{{Name: "pan", Value: cardNumber}}}
	d.Request = sdk.Request{Webhook: &message}
	res, err := native(t, plugins.Options{}, func(c *sdk.Call) (*sdk.Outcome, error) {
		w := c.Request.Webhook
		ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["secret_key"]), sdk.Body())), hex.EncodeToString(mac.Sum(nil)))
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, len(w.Body), w.BodyLength)
		return &sdk.Outcome{Status: sdk.StatusHandled, Raw: map[string]string{"body": string(w.Body), "query": w.Query[0].Value}}, nil
	}, d)
	require.NoError(t, err)
	require.Equal(t, `{"card":"4111 11** **** 1111","n":4111110000001111,"id":"tx_4111111111111111x","amount":1050}`, res.Outcome.Raw["body"])
	require.Equal(t, "411111******1111", res.Outcome.Raw["query"])
	told, err := json.Marshal(res)
	require.NoError(t, err)
	require.NotContains(t, string(told), `"pan":"`+cardNumber)
	require.Equal(t, cardNumber, message.Query[0].Value, "the caller's message is unchanged")
	require.Equal(t, body, string(message.Body))
}
