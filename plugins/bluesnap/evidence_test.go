package bluesnap_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestFailedChangeSaysNothingOfThePayment shows that a failed or unfinished capture, reversal or refund does not end its payment.
func TestFailedChangeSaysNothingOfThePayment(t *testing.T) {
	of := func(kind, status string) sdk.Exchange {
		return answer(200, `{"cardTransactionType":"`+kind+`","transactionId":"7001","amount":24.99,"currency":"USD","processingInfo":{"processingStatus":"`+status+`"}}`)
	}
	for _, kind := range []string{"AUTH_REVERSAL", "CAPTURE", "REFUND"} {
		for _, status := range []string{"FAIL", "fail", "PENDING", "PENDING_MERCHANT_REVIEW"} {
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), of(kind, status)).Status, "%s %s", kind, status)
		}
	}
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpSync, later(2499), of("AUTH_CAPTURE", "FAIL")).Status, "the payment itself failed")
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpSync, later(2499), of("AUTH_ONLY", "FAIL")).Status, "the payment itself failed")
	require.Equal(t, sdk.StatusReview, play(t, sdk.OpSync, later(2499), of("AUTH_ONLY", "PENDING_MERCHANT_REVIEW")).Status, "the merchant decides")
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpCapture, later(1000), of("CAPTURE", "FAIL")).Status, "the answer to the capture")
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpVoid, later(0), of("AUTH_REVERSAL", "FAIL")).Status, "the answer to the void")
	r := later(2499)
	r.Resolves = sdk.OpCapture
	p := play(t, sdk.OpSync, r, of("CAPTURE", "FAIL"))
	require.Equal(t, []any{sdk.StatusDeclined, "7001"}, []any{p.Status, p.CaptureID}, "what is asked for is the capture")

	r = later(2499)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, of("REFUND", "SUCCESS")).Status, "captured, but the amount is unknown")
	r.Payment.Captured = 1000
	require.Equal(t, usd(1000), *play(t, sdk.OpSync, r, of("REFUND", "SUCCESS")).Amount)
}

// TestInDoubt shows that a request on which BlueSnap or its processor may have acted is not declined.
func TestInDoubt(t *testing.T) {
	for _, name := range []string{"PROCESSING_TIMEOUT", "SYSTEM_TECHNICAL_ERROR", "BLS_CONNECTION_PROBLEM", "IDEMPOTENCY_SERVICE_TIMEOUT",
		"REQUEST_WITH_SAME_IDEMPOTENCY_KEY_ALREADY_IN_PROGRESS", "SAME_IDEMPOTENCY_KEY_WAS_ALREADY_IN_USE_WITH_PREVIOUS_DIFFERENT_REQUEST"} {
		for _, status := range []int{400, 409, 422} {
			x := answer(status, `{"message":[{"errorName":"`+name+`","code":"14002","description":"?"}]}`)
			for op, r := range map[sdk.Operation]sdk.Request{sdk.OpAuthorize: payment(), sdk.OpCapture: later(1000), sdk.OpVoid: later(0), sdk.OpRefund: later(1000)} {
				require.Equal(t, sdk.StatusUnknown, play(t, op, r, x).Status, "%s %s", op, name)
			}
		}
	}
}

// TestIdempotencyKey shows that every POST carries a key in BlueSnap's form and is declared safe to repeat.
func TestIdempotencyKey(t *testing.T) {
	for op, r := range map[sdk.Operation]sdk.Request{sdk.OpAuthorize: payment(), sdk.OpRefund: later(1000)} {
		s := play(t, op, r, sdk.Exchange{Sent: true, Failure: "timeout"}).Sends[0]
		key := sdk.HeaderValue(s.Headers, "Idempotency-Key")
		require.Regexp(t, `^[A-Za-z0-9-]{10,64}$`, key, op)
		require.True(t, s.SafeToRepeat, op)
	}
	for op, r := range map[sdk.Operation]sdk.Request{sdk.OpCapture: later(1000), sdk.OpVoid: later(0)} {
		s := play(t, op, r, sdk.Exchange{Sent: true, Failure: "timeout"}).Sends[0]
		require.Empty(t, sdk.HeaderValue(s.Headers, "Idempotency-Key"), op)
		require.False(t, s.SafeToRepeat, op)
	}
}

// TestUnreadableAmounts shows that an unreadable amount never counts as the requested one.
func TestUnreadableAmounts(t *testing.T) {
	refund := later(700)
	refund.RefundID = "9001"
	for _, amount := range []string{`"sixty"`, `{}`, `[]`, `10.005`, `-1`} {
		more := `,"amount":` + amount
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, payment(), done("AUTH_ONLY", more)).Status, amount)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), done("CAPTURE", more)).Status, amount)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, refund, done("REFUND", more)).Status, amount)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefund, later(700), answer(200, `{"refundTransactionId":9001,"refundStatus":"SUCCESS"`+more+`}`)).Status, amount)
	}
}

// TestNotFoundByItsID shows that a transaction with BlueSnap's own id that BlueSnap does not know belongs to another account.
func TestNotFoundByItsID(t *testing.T) {
	missing := answer(400, `{"message":[{"errorName":"TRANSACTION_NOT_FOUND","code":"20003","description":"None."}]}`)
	p := play(t, sdk.OpSync, later(2499), missing)
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{p.Status, p.Raw["alarm"]})
}
