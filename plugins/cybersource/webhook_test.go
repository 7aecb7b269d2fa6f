package cybersource_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// message returns a signed message with that time.
func message(t *testing.T, at int64, body string) sdk.Request {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(secret)
	require.NoError(t, err)
	ms := strconv.FormatInt(at, 10)
	h := hmac.New(sha256.New, key)
	h.Write([]byte(ms + "." + body))
	signature := "t=" + ms + ";keyId=k;sig=" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	return sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body), Headers: []sdk.Header{sdk.H("V-C-Signature", signature)}}}
}

func TestWebhook(t *testing.T) {
	refund := `{"eventType":"payments.refunds.accept","payload":[{"data":{"id":"9001","clientReferenceInformation":{"code":"ref-9"}}}]}`
	p := play(t, sdk.OpWebhook, message(t, now, refund))
	require.Equal(t, sdk.StatusHandled, p.Status)
	require.Equal(t, []sdk.Event{{Object: "refund", RefundID: "9001", Reference: "ref-9", Sync: true, Time: now}}, p.Events)

	p = play(t, sdk.OpWebhook, message(t, now, `{"eventType":"payments.capture.accept","payload":{"data":{"id":"8001"}}}`))
	require.Equal(t, []sdk.Event{{Object: "payment", TransactionID: "8001", Sync: true, Time: now}}, p.Events)

	p = play(t, sdk.OpWebhook, message(t, now, `{"eventType":"risk.casemanagement.decision.accept","payload":{"data":{"id":"7001"}}}`))
	require.Equal(t, []sdk.Event{{Object: "payment", TransactionID: "7001", Sync: true, Time: now}}, p.Events, "a person has decided what was held for review")
	p = play(t, sdk.OpWebhook, message(t, now, `{"eventType":"tms.networktoken.updated","payload":{"data":{"id":"T1"}}}`))
	require.Empty(t, p.Events)
	p = play(t, sdk.OpWebhook, message(t, now, `{"eventType":"risk.profile.update","payload":[]}`))
	require.Equal(t, sdk.StatusHandled, p.Status)
	require.Empty(t, p.Events)

	forged := message(t, now, refund)
	forged.Webhook.Body = []byte(strings.Replace(refund, "9001", "9002", 1))
	for name, r := range map[string]sdk.Request{"forged": forged, "old": message(t, now-301_000, refund), "from the future": message(t, now+301_000, refund)} {
		t.Run(name, func(t *testing.T) {
			p := play(t, sdk.OpWebhook, r)
			require.Equal(t, 401, p.Reply.Status)
			require.Empty(t, p.Events)
		})
	}
	unsigned := sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(refund)}}
	require.Equal(t, 401, play(t, sdk.OpWebhook, unsigned).Reply.Status)
}
