package checkout_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/checkout"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// receive runs the webhook operation on a body signed with key, that long after its time, with the account's key.
func receive(t *testing.T, body, key, secret string, age time.Duration) *sdk.Outcome {
	t.Helper()
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(body))
	s := wire.NewStep(&checkout.Adapter().Manifest, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body),
		BodyLength: len(body), Headers: []sdk.Header{sdk.H("cko-signature", hex.EncodeToString(h.Sum(nil)))}}})
	s.Now = time.Date(2026, 1, 15, 10, 20, 31, 0, time.UTC).Add(age).UnixMilli()
	s.Account.Credentials["webhook_secret"] = secret
	_, r, err := wire.Play(checkout.Adapter(), s)
	require.NoError(t, err)
	require.NotNil(t, r.Outcome, "%+v", r)
	return r.Outcome
}

func message(kind string) string {
	return `{"id":"evt_1","type":"` + kind + `","created_on":"2026-01-15T10:20:31Z","data":{"id":"pay_1","payment_id":"pay_9","action_id":"act_1","reference":"ref-1"}}`
}

func TestWebhookEvents(t *testing.T) {
	const at = 1768472431000
	for kind, want := range map[string]*sdk.Event{
		"payment_captured":        {Object: "payment", TransactionID: "pay_1", Reference: "ref-1", Sync: true, Time: at},
		"payment_declined":        {Object: "payment", TransactionID: "pay_1", Reference: "ref-1", Sync: true, Time: at},
		"card_verified":           {Object: "payment", TransactionID: "pay_1", Reference: "ref-1", Sync: true, Time: at},
		"payment_refunded":        {Object: "refund", TransactionID: "pay_1", RefundID: "act_1", Reference: "ref-1", Sync: true, Time: at},
		"payment_refund_declined": {Object: "refund", TransactionID: "pay_1", RefundID: "act_1", Reference: "ref-1", Sync: true, Time: at},
		"dispute_received":        {Object: "dispute", TransactionID: "pay_9", Sync: true, Time: at},
		"report_generated":        nil,
	} {
		o := receive(t, message(kind), "key", "key", time.Minute)
		require.Equal(t, sdk.StatusHandled, o.Status)
		require.Equal(t, 200, o.Reply.Status)
		if want == nil {
			require.Empty(t, o.Events, kind)
			continue
		}
		require.Equal(t, []sdk.Event{*want}, o.Events, kind)
	}
}

func TestWebhookDisputes(t *testing.T) {
	for kind, want := range map[string]sdk.DisputeStatus{"dispute_received": sdk.DisputeOpened, "dispute_evidence_required": sdk.DisputeOpened,
		"dispute_evidence_submitted": sdk.DisputeChallenged, "dispute_won": sdk.DisputeWon, "dispute_canceled": sdk.DisputeCancelled, "dispute_resolved": sdk.DisputeCancelled,
		"dispute_lost": sdk.DisputeLost, "dispute_accepted": sdk.DisputeAccepted, "dispute_expired": sdk.DisputeExpired, "dispute_arbitration_won": sdk.DisputeWon,
		"dispute_arbitration_lost": sdk.DisputeLost, "dispute_arbitration_sent_to_scheme": sdk.DisputeChallenged} {
		body := `{"id":"evt_1","type":"` + kind + `","created_on":"2026-01-15T10:20:31Z","data":{"id":"dsp_1","payment_id":"pay_9","payment_reference":"r","amount":700,"currency":"USD",
			"category":"fraudulent","reason_code":"10.4","date":"2026-01-14T00:00:00Z","evidence_required_by":"2026-01-25T18:00:00+00:00"}}`
		e := receive(t, body, "key", "key", time.Minute).Events[0]
		stage := sdk.DisputeStage("")
		if strings.HasPrefix(kind, "dispute_arbitration_") {
			stage = sdk.StageArbitration
		}
		require.Equal(t, &sdk.Dispute{ID: "dsp_1", Status: want, Amount: sdk.Money{Minor: 700, Currency: "USD"}, Stage: stage, ConnectorStatus: kind, Reason: "fraudulent",
			ReasonCode: "10.4", RespondBy: time.Date(2026, 1, 25, 18, 0, 0, 0, time.UTC).UnixMilli(), CreatedAt: time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC).UnixMilli()},
			e.Dispute, kind)
		require.Equal(t, []string{"pay_9", "r"}, []string{e.TransactionID, e.Reference})
		body = strings.Replace(body, `"amount":700`, `"amount":"x"`, 1)
		require.Nil(t, receive(t, body, "key", "key", time.Minute).Events[0].Dispute, "an unreadable amount")
	}
}

func TestWebhookRefused(t *testing.T) {
	body := message("payment_captured")
	for name, o := range map[string]*sdk.Outcome{
		"other key":   receive(t, body, "key", "another", time.Minute),
		"no key":      receive(t, body, "key", "", time.Minute),
		"too old":     receive(t, body, "key", "key", 37*time.Hour),
		"too early":   receive(t, body, "key", "key", -time.Hour),
		"without day": receive(t, `{"type":"payment_captured","data":{"id":"pay_1"}}`, "key", "key", 0),
		"no event":    receive(t, `<html>`, "key", "key", 0),
	} {
		require.Empty(t, o.Events, name)
		require.GreaterOrEqual(t, o.Reply.Status, 400, name)
	}
	require.Len(t, receive(t, body, "key", "key", 35*time.Hour).Events, 1, "sent again for up to 30 hours")
}
