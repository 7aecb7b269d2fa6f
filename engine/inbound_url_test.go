package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A signature may cover the URL that the processor called: the adapter gets it, under the switch's public address.
func TestWebhookSignatureCoversTheURL(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	a := mailing(byWebhook)
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		text := sdk.Fn(sdk.FnConcat, sdk.Text(c.Request.WebhookURL), sdk.Body())
		c.Signed("webhook_secret", sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["webhook_secret"]), text)),
			sdk.HeaderValue(c.Request.Webhook.Headers, "Signature"))
		return readMail(c)
	}
	const publicURL = "http://switch.test"
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
	account := w.mailAccount("shop", p.URL, "")
	in := mail(account.ID, hookSecret, map[string]any{"reference": "none"})
	in.Path = "/webhooks/m1/" + account.ID
	sign := func(url string) {
		in.Message.Headers = []sdk.Header{{Name: "Signature", Value: hmacHex(hookSecret, append([]byte(url), in.Message.Body...))}}
	}
	for _, other := range []string{"", "https://elsewhere.example" + in.Path, publicURL, publicURL + "/webhooks/m1/shop", publicURL + in.Path + "?a=1"} {
		sign(other)
		_, err := w.ReceiveWebhook(t.Context(), in)
		require.Equal(t, "WE_01", code(t, err), other)
		require.ErrorContains(t, err, "the signature is missing or wrong", "the adapter's reason is for the log")
	}
	sign(publicURL + in.Path)
	_, err := w.ReceiveWebhook(t.Context(), in)
	require.Equal(t, "WE_04", code(t, err), "it is genuine, and about an unknown payment")
}
