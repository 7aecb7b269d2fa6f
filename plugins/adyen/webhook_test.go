package adyen_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/adyen"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

const hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"

func notification(t *testing.T, event, success, original string) []byte {
	t.Helper()
	key, err := hex.DecodeString(hmacKey)
	require.NoError(t, err)
	h := hmac.New(sha256.New, key)
	h.Write([]byte(strings.Join([]string{"PSP1", original, "Shop", "order-1", "1130", "EUR", event, success}, ":")))
	body, err := json.Marshal(map[string]any{"live": "false", "notificationItems": []any{map[string]any{"NotificationRequestItem": map[string]any{
		"pspReference": "PSP1", "originalReference": original, "merchantAccountCode": "Shop", "merchantReference": "order-1", "reason": "Not enough balance",
		"amount": map[string]any{"currency": "EUR", "value": 1130}, "eventCode": event, "success": success,
		"additionalData": map[string]string{"hmacSignature": base64.StdEncoding.EncodeToString(h.Sum(nil))}}}}})
	require.NoError(t, err)
	return body
}

// receive runs the webhook operation with the account's HMAC key.
func receive(t *testing.T, body []byte, secret string) *sdk.Outcome {
	t.Helper()
	s := wire.NewStep(&adyen.Adapter().Manifest, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: body, BodyLength: len(body)}})
	s.Account.Credentials["webhook_secret"] = secret
	_, r, err := wire.Play(adyen.Adapter(), s)
	require.NoError(t, err)
	require.NotNil(t, r.Outcome, "%+v", r)
	return r.Outcome
}

var disputed = map[string]sdk.Dispute{"REQUEST_FOR_INFORMATION": {Status: sdk.DisputeOpened, Stage: sdk.StagePreDispute},
	"NOTIFICATION_OF_CHARGEBACK": {Status: sdk.DisputeOpened, Stage: sdk.StageDispute}, "CHARGEBACK": {Status: sdk.DisputeOpened, Stage: sdk.StageDispute},
	"INFORMATION_SUPPLIED": {Status: sdk.DisputeChallenged}, "DISPUTE_DEFENSE_PERIOD_ENDED": {Status: sdk.DisputeExpired}, "CHARGEBACK_REVERSED": {Status: sdk.DisputeWon},
	"ISSUER_RESPONSE_TIMEFRAME_EXPIRED": {Status: sdk.DisputeWon}, "SECOND_CHARGEBACK": {Status: sdk.DisputeLost, Stage: sdk.StagePreArbitration},
	"PREARBITRATION_WON": {Status: sdk.DisputeWon, Stage: sdk.StagePreArbitration}, "PREARBITRATION_LOST": {Status: sdk.DisputeLost, Stage: sdk.StagePreArbitration}}

func TestWebhookEvents(t *testing.T) {
	for _, k := range []struct {
		event, success, original string
		object                   string // "" for no event
		status                   sdk.OutcomeStatus
	}{
		{"AUTHORISATION", "true", "", "payment", sdk.StatusAuthorized},
		{"AUTHORISATION", "false", "", "payment", sdk.StatusDeclined},
		{"CAPTURE", "true", "PAY", "payment", sdk.StatusCaptured},
		{"CAPTURE", "false", "PAY", "payment", sdk.StatusDeclined},
		{"CAPTURE_FAILED", "true", "PAY", "payment", sdk.StatusDeclined},
		{"CANCELLATION", "true", "PAY", "payment", sdk.StatusVoided},
		{"CANCELLATION", "false", "PAY", "payment", sdk.StatusAuthorized},
		{"CANCEL_OR_REFUND", "true", "PAY", "payment", sdk.StatusVoided},
		{"CANCEL_OR_REFUND", "false", "PAY", "payment", sdk.StatusAuthorized},
		{"AUTHORISATION_ADJUSTMENT", "true", "PAY", "payment", sdk.StatusAuthorized},
		{"OFFER_CLOSED", "true", "", "payment", sdk.StatusDeclined},
		{"REFUND", "true", "PAY", "refund", sdk.StatusRefunded},
		{"REFUND", "false", "PAY", "refund", sdk.StatusDeclined},
		{"REFUND_FAILED", "true", "PAY", "refund", sdk.StatusDeclined},
		{"REFUNDED_REVERSED", "true", "PAY", "refund", sdk.StatusDeclined},
		{"CHARGEBACK", "true", "PAY", "dispute", ""},
		{"NOTIFICATION_OF_CHARGEBACK", "true", "PAY", "dispute", ""},
		{"CHARGEBACK_REVERSED", "true", "PAY", "dispute", ""},
		{"SECOND_CHARGEBACK", "true", "PAY", "dispute", ""},
		{"REQUEST_FOR_INFORMATION", "true", "PAY", "dispute", ""},
		{"INFORMATION_SUPPLIED", "true", "PAY", "dispute", ""},
		{"DISPUTE_DEFENSE_PERIOD_ENDED", "true", "PAY", "dispute", ""},
		{"ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "true", "PAY", "dispute", ""},
		{"PREARBITRATION_WON", "true", "PAY", "dispute", ""},
		{"PREARBITRATION_LOST", "true", "PAY", "dispute", ""},
		{"RECURRING_CONTRACT", "true", "PAY", "payment", sdk.StatusAuthorized},
		{"RECURRING_CONTRACT", "false", "PAY", "", ""},
		{"RECURRING_CONTRACT", "true", "", "", ""},
		{"OFFER_CLOSED", "false", "", "", ""},
		{"REPORT_AVAILABLE", "true", "", "", ""},
		{"CAPTURE", "true", "PAY:Shop", "", ""}, // signed, but ambiguous
	} {
		o := receive(t, notification(t, k.event, k.success, k.original), hmacKey)
		require.Equal(t, sdk.StatusHandled, o.Status)
		require.Equal(t, "[accepted]", o.Reply.Body)
		if k.object == "" {
			require.Empty(t, o.Events, k.event)
			continue
		}
		require.Len(t, o.Events, 1, k.event)
		e := o.Events[0]
		require.Equal(t, k.object, string(e.Object), k.event)
		require.Equal(t, "Shop", e.AccountID)
		if k.original != "" {
			require.Equal(t, "PAY", e.TransactionID, k.event)
		} else {
			require.Equal(t, "PSP1", e.TransactionID, k.event)
		}
		if k.object == "refund" {
			require.Equal(t, "PSP1", e.RefundID)
		}
		if k.object == "dispute" {
			require.Equal(t, "PSP1", e.Dispute.ID, "all messages about a dispute have its id")
			require.Equal(t, disputed[k.event], sdk.Dispute{Status: e.Dispute.Status, Stage: e.Dispute.Stage}, k.event)
			require.Equal(t, k.event, e.Dispute.ConnectorStatus)
			require.Positive(t, e.Dispute.Amount.Minor)
		}
		if k.status == "" {
			require.Nil(t, e.Outcome)
			continue
		}
		require.Equal(t, k.status, e.Outcome.Status, k.event)
		refused := k.success == "false" && strings.HasPrefix(k.event, "CANCEL") // the payment is as it was
		require.Equal(t, refused || k.status == sdk.StatusDeclined, e.Outcome.Decline != nil, k.event)
		require.Equal(t, refused, e.Outcome.Reference == "PSP1", k.event)
		if k.event == "RECURRING_CONTRACT" {
			require.Equal(t, &sdk.StoredCredential{ID: "PSP1"}, e.Outcome.StoredCredential)
			require.Nil(t, e.Outcome.Amount)
		} else {
			require.Nil(t, e.Outcome.StoredCredential, k.event)
		}
	}
}

func TestWebhookForged(t *testing.T) {
	body := notification(t, "CAPTURE", "true", "PAY")
	more := strings.Replace(string(body), "1130", "9999", 1)
	for name, o := range map[string]*sdk.Outcome{
		"changed amount":  receive(t, []byte(more), hmacKey),
		"other key":       receive(t, body, strings.Repeat("00", 32)),
		"no key":          receive(t, body, ""),
		"no signature":    receive(t, []byte(strings.Replace(string(body), "hmacSignature", "x", 1)), hmacKey),
		"no notification": receive(t, []byte(`{}`), hmacKey),
	} {
		require.Empty(t, o.Events, name)
		require.GreaterOrEqual(t, o.Reply.Status, 400, name)
	}
}
