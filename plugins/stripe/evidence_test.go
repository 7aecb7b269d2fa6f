package stripe_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestUnreadableAmounts: the adapter never takes a missing, unreadable or foreign amount for the requested one.
func TestUnreadableAmounts(t *testing.T) {
	intent := func(fields string) string { return `{"id":"pi_1","object":"payment_intent",` + fields + `}` }
	refund := func(fields string) string {
		return `{"id":"re_1","object":"refund","payment_intent":"pi_1","status":"succeeded"` + fields + `}`
	}
	known := asked(sdk.OpRefundSync)
	known.RefundID = "re_1"
	for _, row := range []struct {
		op   sdk.Operation
		r    sdk.Request
		body string
	}{
		{sdk.OpAuthorize, asked(sdk.OpAuthorize), intent(`"status":"succeeded","amount":1000,"currency":"usd"`)},
		{sdk.OpAuthorize, asked(sdk.OpAuthorize), intent(`"status":"succeeded","amount":1000,"amount_received":0,"currency":"usd"`)},
		{sdk.OpSync, asked(sdk.OpSync), intent(`"status":"succeeded","amount":1000,"amount_received":"sixty","currency":"usd"`)},
		{sdk.OpSync, asked(sdk.OpSync), intent(`"status":"succeeded","amount":1000,"amount_received":1000,"currency":{}`)},
		{sdk.OpSync, asked(sdk.OpSync), intent(`"status":"requires_capture","amount":1000,"amount_capturable":0,"currency":"usd"`)},
		{sdk.OpCapture, asked(sdk.OpCapture), intent(`"status":"succeeded","amount":1000,"amount_received":{},"currency":"usd"`)},
		{sdk.OpRefund, asked(sdk.OpRefund), refund(``)},
		{sdk.OpRefund, asked(sdk.OpRefund), refund(`,"amount":"sixty","currency":"usd"`)},
		{sdk.OpRefundSync, known, refund(`,"amount":{},"currency":"usd"`)},
		{sdk.OpRefundSync, known, refund(`,"amount":1000,"currency":"eur"`)},
		{sdk.OpRefundSync, known, refund(`,"amount":1000,"currency":[]`)},
	} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, row.op, row.r, wire.Answer(200, row.body)).Status, "%s %s", row.op, row.body)
	}
}

// TestOtherMode: an intent or refund that the key cannot see belongs to another mode or account. It never counts as "not found".
func TestOtherMode(t *testing.T) {
	const live = `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"intent",
		"message":"No such payment_intent: 'pi_1'; a similar object exists in live mode, but a test mode key was used to make this request."}}`
	known := asked(sdk.OpRefundSync)
	known.RefundID = "re_1"
	lost := asked(sdk.OpRefundSync)
	lost.RefundID = ""
	for i, r := range []sdk.Request{known, lost} {
		o := outcome(t, sdk.OpRefundSync, r, wire.Answer(404, live))
		require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{o.Status, o.Raw["alarm"]}, i)
	}
	for _, id := range []string{"pi_1", "seti_1"} {
		r := asked(sdk.OpSync)
		r.TransactionID = id
		o := outcome(t, sdk.OpSync, r, wire.Answer(404, live))
		require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount, id}, []any{o.Status, o.Raw["alarm"], o.TransactionID})
	}
}

// TestUnreadableMessages: a message with unreadable amounts asks for a query.
func TestUnreadableMessages(t *testing.T) {
	read := func(kind, object string) sdk.Event {
		events := receive(t, message(t, now, "whsec", eventOf(kind, object)), "whsec").Events
		require.Len(t, events, 1, object)
		return events[0]
	}
	for _, amounts := range []string{``, `,"amount":1000,"amount_received":"x","currency":"usd"`, `,"amount":1000,"amount_received":0,"currency":"usd"`,
		`,"amount":{},"amount_received":1000,"currency":"usd"`, `,"amount":1000,"amount_received":1000,"currency":"nothing"`} {
		e := read("payment_intent.succeeded", `{"id":"pi_1","object":"payment_intent","status":"succeeded"`+amounts+`}`)
		require.True(t, e.Sync && e.Outcome == nil && e.TransactionID == "pi_1", amounts)
	}
	for _, amounts := range []string{``, `,"amount":"sixty","currency":"usd"`, `,"amount":1000,"currency":{}`} {
		e := read("refund.updated", `{"id":"re_1","object":"refund","payment_intent":"pi_1","status":"succeeded"`+amounts+`}`)
		require.True(t, e.Sync && e.Outcome == nil && e.RefundID == "re_1", amounts)
	}
}

// TestClientKnowsNoOtherErrors: every error code of the client that can concern a payment has a reason.
func TestClientKnowsNoOtherErrors(t *testing.T) {
	others := regexp.MustCompile(`^(acss_|account_(country|error|information|token)|alipay_|bank_account_(bad|exists|unverified|verification)|balance_invalid|bitcoin_|coupon_|customer_(max_subscriptions|session|tax)|` +
		`financial_connections_|forwarding_api_|instant_payouts_|invalid_tax|invoice_(no|not|on|upcoming)|ownership_|payment_intent_konbini|payment_method_(bank_account_already|microdeposit)|payout|sepa_|service_period|` +
		`shipping_calculation|stripe_tax|tax|terminal_|transfer)`) // codes of other means of payment and other APIs
	generic := []string{"card_declined", "bank_account_declined", "bank_account_restricted", "bank_account_unusable", "debit_not_authorized", "payment_intent_payment_attempt_failed",
		"setup_attempt_failed", "payment_method_provider_decline", "payment_method_bank_account_blocked"}
	codes := constants(t, "error.go", "ErrorCode")
	require.Greater(t, len(codes), 150)
	for _, code := range codes {
		if others.MatchString(code) {
			continue
		}
		o := outcome(t, sdk.OpAuthorize, asked(sdk.OpAuthorize), wire.Answer(402, `{"error":{"type":"card_error","code":"`+code+`"}}`))
		require.Equal(t, sdk.StatusDeclined, o.Status, code)
		require.Equal(t, slices.Contains(generic, code), o.Decline.Reason == sdk.DeclineGeneric, "%s is %s", code, o.Decline.Reason)
	}
}
