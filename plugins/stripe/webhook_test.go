package stripe_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

const now = 1_768_472_430 // the time of wire.NewStep

// message returns a message of Stripe at a time, signed with a secret.
func message(t *testing.T, at int64, secret, body string) *sdk.WebhookMessage {
	code, err := wire.Evaluate(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(secret), sdk.Text(strconv.FormatInt(at, 10)+"."+body))), nil)
	require.NoError(t, err)
	return &sdk.WebhookMessage{Method: "POST", Body: []byte(body), Headers: []sdk.Header{
		sdk.H("stripe-signature", "t="+strconv.FormatInt(at, 10)+",v1="+strings.Repeat("0", 64)+",v1="+string(code)+",v0=x")}}
}

func receive(t *testing.T, m *sdk.WebhookMessage, secret string) *sdk.Outcome {
	a := stripe.Adapter()
	step := wire.NewStep(&a.Manifest, sdk.OpWebhook, sdk.Request{Webhook: m})
	step.Account.Credentials["webhook_secret"] = secret
	if secret == "" {
		delete(step.Account.Credentials, "webhook_secret")
	}
	sends, end, err := wire.Play(a, step)
	require.NoError(t, err)
	require.Empty(t, sends)
	require.Equal(t, sdk.StatusHandled, end.Outcome.Status)
	return end.Outcome
}

func eventOf(kind, object string) string {
	return `{"id":"evt_1","object":"event","created":1768472400,"type":"` + kind + `","data":{"object":` + object + `}}`
}

func TestWebhookSignature(t *testing.T) {
	body := eventOf("payment_intent.succeeded", succeeded)
	for name, row := range map[string]struct {
		message *sdk.WebhookMessage
		taken   bool
	}{
		"good":          {message(t, now, "whsec", body), true},
		"almost old":    {message(t, now-300, "whsec", body), true},
		"too old":       {message(t, now-301, "whsec", body), false},
		"of the future": {message(t, now+301, "whsec", body), false},
		"other secret":  {message(t, now, "whsek", body), false},
		"no signature":  {&sdk.WebhookMessage{Method: "POST", Body: []byte(body)}, false},
		"no time":       {&sdk.WebhookMessage{Method: "POST", Body: []byte(body), Headers: []sdk.Header{sdk.H("Stripe-Signature", "v1=00")}}, false},
		"no JSON":       {message(t, now, "whsec", body[:20]), false},
	} {
		o := receive(t, row.message, "whsec")
		require.Equal(t, row.taken, len(o.Events) == 1, name)
		refused := 401
		if name == "no JSON" {
			refused = 400
		}
		require.Equal(t, !row.taken, o.Reply != nil && o.Reply.Status == refused, name)
	}
	o := receive(t, &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}, "")
	require.True(t, o.Events[0].Sync, "nothing to verify with: asked, not believed")
	require.Nil(t, o.Events[0].Outcome)
}

func TestEvents(t *testing.T) {
	take := func(kind, object string) *sdk.Outcome {
		return receive(t, message(t, now, "whsec", eventOf(kind, object)), "whsec")
	}
	paid := take("payment_intent.succeeded", `{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":1000,"currency":"usd","status":"succeeded","metadata":{"order_id":"pay_1_1"}}`).Events[0]
	require.Equal(t, []any{sdk.EventPayment, "pi_1", "pay_1_1", false, int64(1768472400000)}, []any{paid.Object, paid.TransactionID, paid.Reference, paid.Sync, paid.Time})
	require.Equal(t, sdk.StatusCaptured, paid.Outcome.Status)
	require.Equal(t, sdk.StatusVoided, take("payment_intent.canceled", `{"id":"pi_1","object":"payment_intent","status":"canceled"}`).Events[0].Outcome.Status)
	for kind, object := range map[string]string{
		"payment_intent.payment_failed": `{"id":"pi_1","object":"payment_intent","status":"requires_payment_method"}`,
		"payment_intent.processing":     `{"id":"pi_1","object":"payment_intent","status":"processing"}`,
		"charge.refunded":               `{"id":"ch_1","object":"charge","payment_intent":"pi_1"}`,
		"setup_intent.succeeded":        `{"id":"pi_1","object":"setup_intent"}`,
	} {
		e := take(kind, object).Events[0]
		require.Equal(t, []any{sdk.EventPayment, "pi_1", true}, []any{e.Object, e.TransactionID, e.Sync}, kind)
		require.Nil(t, e.Outcome)
	}
	back := take("refund.updated", `{"id":"re_1","object":"refund","amount":300,"currency":"usd","payment_intent":"pi_1","metadata":{"order_id":"ref_1"},"status":"failed","failure_reason":"lost_or_stolen_card"}`).Events[0]
	require.Equal(t, []string{"refund", "re_1", "pi_1", "ref_1"}, []string{string(back.Object), back.RefundID, back.TransactionID, back.Reference})
	require.Equal(t, sdk.StatusDeclined, back.Outcome.Status)
	require.Equal(t, sdk.EventDispute, take("charge.dispute.created", `{"id":"dp_1","object":"dispute","payment_intent":{"id":"pi_1"}}`).Events[0].Object)
	for status, want := range map[string]sdk.DisputeStatus{"needs_response": sdk.DisputeOpened, "under_review": sdk.DisputeChallenged, "won": sdk.DisputeWon,
		"lost": sdk.DisputeLost, "prevented": sdk.DisputeCancelled, "warning_needs_response": sdk.DisputeOpened, "warning_under_review": sdk.DisputeChallenged,
		"warning_closed": sdk.DisputeCancelled} {
		e := take("charge.dispute.updated", `{"id":"dp_1","object":"dispute","amount":300,"currency":"usd","payment_intent":"pi_1","status":"`+status+`",
			"reason":"fraudulent","network_reason_code":"10.4","created":1700000000,"evidence_details":{"due_by":1700600000}}`).Events[0]
		stage := sdk.StageDispute
		if strings.HasPrefix(status, "warning_") {
			stage = sdk.StagePreDispute
		}
		require.Equal(t, &sdk.Dispute{ID: "dp_1", Status: want, Amount: sdk.Money{Minor: 300, Currency: "USD"}, Stage: stage, ConnectorStatus: status, Reason: "fraudulent",
			ReasonCode: "10.4", RespondBy: 1700600000_000, CreatedAt: 1700000000_000}, e.Dispute, status)
		require.Equal(t, "pi_1", e.TransactionID)
	}
	for name, object := range map[string]string{
		"another status":   `{"id":"dp_1","amount":300,"currency":"usd","payment_intent":"pi_1","status":"made_up"}`,
		"no amount":        `{"id":"dp_1","currency":"usd","payment_intent":"pi_1","status":"lost"}`,
		"amount as a text": `{"id":"dp_1","amount":"three","currency":"usd","payment_intent":"pi_1","status":"lost"}`,
		"no id":            `{"amount":300,"currency":"usd","payment_intent":"pi_1","status":"lost"}`,
	} {
		require.Nil(t, take("charge.dispute.created", object).Events[0].Dispute, name)
	}
	require.Empty(t, take("customer.created", `{"id":"cus_1"}`).Events)
}
