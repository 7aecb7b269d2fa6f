package mollie_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestUnreadableAmounts shows that a capture or refund is unknown if its amount is missing, unreadable or in another currency.
func TestUnreadableAmounts(t *testing.T) {
	jpy := func(minor int64) sdk.Request {
		r := later(minor, 0)
		r.Amount.Currency, r.Payment.Currency = "JPY", "JPY"
		return r
	}
	refund := later(700, 1000)
	refund.RefundID = "re_1"
	for _, amount := range []string{`{"value":"61.45","currency":"JPY"}`, `{"value":"sixty","currency":"EUR"}`, `{}`, `"7.00"`, `null`, `{"value":"7.00"}`, `{"value":"7.00","currency":{}}`,
		`{"value":"7.00","currency":"eur"}`, `{"value":"7.00","currency":"USD"}`, `{"value":-7,"currency":"EUR"}`} {
		capture := answer(201, `{"resource":"capture","id":"cpt_1","status":"succeeded","amount":`+amount+`}`)
		back := answer(201, `{"resource":"refund","id":"re_1","status":"refunded","amount":`+amount+`}`)
		for _, r := range []sdk.Request{later(700, 0), jpy(6145)} {
			require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, r, capture).Status, amount)
			require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefund, r, back).Status, amount)
		}
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, refund, answer(200, string(back.Body))).Status, amount)
	}
	require.Equal(t, sdk.StatusCaptured, outcome(t, sdk.OpCapture, jpy(61), answer(201, `{"resource":"capture","id":"cpt_1","status":"succeeded","amount":{"value":"61","currency":"JPY"}}`)).Status)
}

// TestCapturedByHand shows that a manually captured payment counts as captured only with its captured amount.
func TestCapturedByHand(t *testing.T) {
	for _, more := range []string{"", `,"amountCaptured":null`, `,"amountCaptured":{"value":"0.00","currency":"EUR"}`, `,"amountCaptured":{"value":"ten","currency":"EUR"}`} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, later(1000, 0), answer(200, paymentBody("paid", "10.00", more))).Status, more)
	}
	taken := `,"amountCaptured":{"value":"4.00","currency":"EUR"}`
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, later(1000, 0), answer(200, paymentBody("expired", "10.00", taken))).Status, "let go, and something was taken")
}

// TestOtherMode shows that a payment or refund that the key cannot see belongs to another mode or account. It never counts as "not
// found".
func TestOtherMode(t *testing.T) {
	gone := answer(404, `{"status":404,"title":"Not Found","detail":"The payment exists, but wrong mode used"}`)
	refund := later(700, 1000)
	refund.RefundID = "re_1"
	for op, r := range map[sdk.Operation]sdk.Request{sdk.OpSync: later(1000, 0), sdk.OpComplete: later(1000, 0), sdk.OpRefundSync: refund} {
		o := outcome(t, op, r, gone)
		require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount, "tr_1"}, []any{o.Status, o.Raw["alarm"], o.TransactionID}, op)
	}
}
