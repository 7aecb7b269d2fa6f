package authorizedotnet_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// later returns a request about an authorized payment of 24.99.
func later(minor int64) sdk.Request {
	return sdk.Request{TransactionID: "60198495566", Reference: "ref-1", Amount: usd(minor),
		Payment: &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499, Captured: 2499, LastFour: "1111"}}
}

// TestInDoubt shows that a transaction on which the processor may have acted is not declined, in an answer and in the details.
func TestInDoubt(t *testing.T) {
	for _, code := range strings.Fields("19 20 21 22 23 24 25 26 57 58 59 60 61 62 63 120 121 122 180 181") {
		x := answer(200, result("3", `,"errors":[{"errorCode":"`+code+`","errorText":"An error occurred during processing."}]`))
		for op, r := range map[sdk.Operation]sdk.Request{sdk.OpAuthorize: purchase(), sdk.OpCapture: later(1000), sdk.OpVoid: later(0), sdk.OpRefund: later(1000)} {
			require.Equal(t, sdk.StatusUnknown, play(t, op, r, x).Status, "%s %s", op, code)
		}
		for _, status := range []string{"generalError", "declined"} {
			text := strings.Replace(details("60198495566", status, "24.99", "24.99"), `"responseReasonCode":4`, `"responseReasonCode":`+code, 1)
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, text)).Status, code)
		}
	}
	for _, status := range []string{"communicationError", "settlementError", "couldNotVoid"} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, details("60198495566", status, "24.99", "24.99"))).Status, status)
	}
	general := details("60198495566", "generalError", "24.99", "24.99")
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpSync, later(2499), answer(200, general)).Status, "an error with a reason that refuses")
	for _, code := range []string{`null`, `1`, `9999`} {
		text := strings.Replace(general, `"responseReasonCode":4`, `"responseReasonCode":`+code, 1)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, text)).Status, code)
	}
	refund := sdk.Request{TransactionID: "1", RefundID: "60198495580", Amount: usd(700)}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, refund, answer(200, details("60198495580", "communicationError", "7.00", "7.00"))).Status)
}

// TestPartialApproval shows that a partial approval counts for its part, whether it was requested or not.
func TestPartialApproval(t *testing.T) {
	part := func(amount string) string {
		return `,"splitTenderId":"1","prePaidCard":{"requestedAmount":"24.99","approvedAmount":` + amount + `,"balanceOnCard":"0.00"}`
	}
	manual := purchase()
	manual.Capture, manual.Hold = sdk.CaptureManual, &sdk.HoldWish{Partial: true}
	p := play(t, sdk.OpAuthorize, manual, answer(200, result("1", part(`"10.00"`))))
	require.Equal(t, []any{sdk.StatusAuthorized, usd(1000)}, []any{p.Status, *p.Amount})
	require.Contains(t, string(p.Sends[0].Body), `"transactionSettings":{"setting":[{"settingName":"allowPartialAuth","settingValue":"true"}]}`)
	kept := later(1000)
	kept.ConnectorData = p.ConnectorData
	for op, kind := range map[sdk.Operation]string{sdk.OpCapture: "priorAuthCapture", sdk.OpVoid: "void"} {
		p := play(t, op, kept, answer(200, result("1", "")))
		require.Contains(t, string(p.Sends[0].Body), `"splitTenderId":"1"`, kind)
		require.NotContains(t, string(p.Sends[0].Body), "refTransId", "Authorize.net refuses a request with both")
	}
	at := purchase()
	at.Hold = manual.Hold
	p = play(t, sdk.OpAuthorize, at, answer(200, result("1", part(`"24.99"`))))
	require.NotContains(t, string(p.Sends[0].Body), "allowPartialAuth", "a part that is captured at once would be held")
	require.Equal(t, []any{sdk.StatusCaptured, usd(2499)}, []any{p.Status, *p.Amount})
	held := `,"messages":[{"code":"295","description":"The amount of this request was only partially approved."}]`
	p = play(t, sdk.OpAuthorize, purchase(), answer(200, result("4", held+part(`"10.00"`))))
	require.Equal(t, []any{sdk.StatusAuthorized, usd(1000)}, []any{p.Status, *p.Amount}, "held until the rest is paid")
	for _, amount := range []string{`"ten"`, `{}`, `null`, `"0.00"`, `"10.005"`, `-1`} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, purchase(), answer(200, result("1", part(amount)))).Status, amount)
	}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, purchase(), answer(200, result("4", held))).Status, "a part of an unknown amount")
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, purchase(), answer(200, result("1", `,"prePaidCard":"x"`))).Status)
}

// TestUnreadableAmounts shows that an unreadable amount never counts as the requested one.
func TestUnreadableAmounts(t *testing.T) {
	refund := sdk.Request{TransactionID: "1", RefundID: "60198495580", Amount: usd(700)}
	for _, amount := range []string{`"sixty"`, `{}`, `null`, `7.005`, `-7`, `"7,00"`} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, refund, answer(200, details("60198495580", "refundSettledSuccessfully", "7.00", amount))).Status, amount)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, details("60198495566", "settledSuccessfully", "24.99", amount))).Status, amount)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, details("60198495566", "authorizedPendingCapture", amount, "24.99"))).Status, amount)
	}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later(2499), answer(200, details("60198495566", "settledSuccessfully", "24.99", "0.00"))).Status, "settled, and nothing was")
}

// TestReasons shows that documented codes have specific decline reasons.
func TestReasons(t *testing.T) {
	for code, want := range map[string]sdk.DeclineReason{"203": sdk.DeclineInvalidAmount, "202": sdk.DeclineNotPermitted, "204": sdk.DeclineInvalidMerchant, "207": sdk.DeclineInvalidMerchant,
		"211": sdk.DeclineIncorrectNumber, "222": sdk.DeclineDuplicate, "224": sdk.DeclineTryLater, "66": sdk.DeclineBlocked, "118": sdk.DeclineAuthenticationFailed} {
		p := play(t, sdk.OpAuthorize, purchase(), answer(200, result("2", `,"errors":[{"errorCode":"`+code+`","errorText":"This transaction has been declined."}]`)))
		require.Equal(t, want, p.Decline.Reason, code)
	}
}
