package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/sdk"
)

// The engine compares an event's account name only with values that the adapter knows, never with secrets. Otherwise anyone could test
// thousands of keys in one message, without a limit, and see in the answer which key is right.
func TestWebhookEventIsNoOracle(t *testing.T) {
	t.Parallel()
	adapter := shop(byWebhook)
	adapter.Manifest.Credentials = []sdk.Field{{Name: "merchant", Key: "key1", Label: "Merchant", Type: "text"}, {Name: "pin", Key: "api_key", Label: "PIN", Type: "secret"}}
	adapter.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", TransactionID: "tx_none", AccountID: string(c.Request.Webhook.Body)}}}, nil
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": adapter})
	a := w.mailAccount("shop", "", `{"auth_type":"BodyKey","api_key":"4711","key1":"M-17"}`)
	told := func(guess string) string {
		_, err := w.ReceiveWebhook(t.Context(), engine.WebhookInput{MerchantID: "m1", Account: a.ID,
			Message: sdk.WebhookMessage{Method: "POST", Body: []byte(guess), BodyLength: len(guess)}})
		if err == nil {
			return "taken"
		}
		return code(t, err)
	}
	require.Equal(t, told("4710"), told("4711"))
	require.Equal(t, told("another"), told(hookSecret))
	require.Equal(t, "WE_04", told("M-17"), "the merchant's own account is looked at")
	require.Equal(t, "taken", told("M-18"))
}
