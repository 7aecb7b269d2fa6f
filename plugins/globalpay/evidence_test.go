package globalpay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestInDoubt shows that an error of communication with the bank, or of Global Payments' systems, is not a decline.
func TestInDoubt(t *testing.T) {
	refund := later(700)
	refund.RefundID = "TRN_2"
	for _, code := range []string{"200", "205", "202", "300", "303"} {
		result := `,"payment_method":{"result":"` + code + `","message":"Comms Error"}`
		for _, status := range []string{"DECLINED", "FAILED"} {
			require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpAuthorize, purchase(), sale(status, result)).Status, code)
			require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, later(2499), sale(status, result)).Status, code)
			require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, later(2499), sale(status, result)).Status, code)
			x := wire.Answer(200, `{"id":"TRN_2","type":"REFUND","status":"`+status+`","amount":"700","currency":"USD"`+result+`}`)
			for _, op := range []sdk.Operation{sdk.OpRefund, sdk.OpRefundSync} {
				o := outcome(t, op, refund, x)
				require.Equal(t, []any{sdk.StatusUnknown, "TRN_2"}, []any{o.Status, o.RefundID}, code)
				require.Nil(t, o.Decline)
			}
		}
	}
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpAuthorize, purchase(), sale("DECLINED", `,"payment_method":{"result":"101","message":"no"}`)).Status)
}

// TestBatched shows that a batched transaction is captured or refunded.
func TestBatched(t *testing.T) {
	o := outcome(t, sdk.OpSync, later(2499), sale("BATCHED", ""))
	require.Equal(t, []any{sdk.StatusCaptured, usd(2499)}, []any{o.Status, *o.Amount})
	r := later(700)
	r.RefundID = "TRN_2"
	o = outcome(t, sdk.OpRefundSync, r, wire.Answer(200, `{"id":"TRN_2","type":"REFUND","status":"BATCHED","amount":"700","currency":"USD"}`))
	require.Equal(t, []any{sdk.StatusRefunded, usd(700)}, []any{o.Status, *o.Amount})
}

// TestUnreadableAmounts shows that an unreadable amount never counts as the requested one.
func TestUnreadableAmounts(t *testing.T) {
	r := later(700)
	r.RefundID = "TRN_2"
	for _, amount := range []string{`"sixty"`, `{}`, `null`, `"24.99"`, `"-1"`} {
		for _, x := range []string{"AUTHORIZE", "SYNC"} {
			body := wire.Answer(200, strings.Replace(string(sale("CAPTURED", "").Body), `"2499"`, amount, 1))
			op, request := sdk.OpAuthorize, purchase()
			if x == "SYNC" {
				op, request = sdk.OpSync, later(2499)
			}
			require.Equal(t, sdk.StatusUnknown, outcome(t, op, request, body).Status, amount)
		}
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, r, wire.Answer(200, `{"id":"TRN_2","type":"REFUND","status":"FUNDED","amount":`+amount+`,"currency":"USD"}`)).Status, amount)
	}
}

// TestNotFoundByItsID shows that only our reference proves that there is no payment.
func TestNotFoundByItsID(t *testing.T) {
	gone := wire.Answer(404, `{"error_code":"RESOURCE_NOT_FOUND"}`)
	o := outcome(t, sdk.OpSync, later(2499), gone)
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{o.Status, o.Raw["alarm"]})
	r := later(2499)
	r.TransactionID, r.Reference = "", "ref-1"
	o = outcome(t, sdk.OpSync, r, wire.Answer(200, `{"transactions":[{"id":"TRN_1","type":"SALE","reference":"ref-1"}]}`), gone)
	require.Equal(t, sdk.StatusUnknown, o.Status, "the list shows it")
}
