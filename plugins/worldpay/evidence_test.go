package worldpay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestPartialApproval shows that an approval of a lower amount counts for that amount, whether it was requested or not.
func TestPartialApproval(t *testing.T) {
	amounts := func(total, more string) string {
		return `,"amounts":{"requested":1000,"totalAuthorized":` + total + `,"currency":"GBP"` + more + `}`
	}
	gbp := func(minor int64) *sdk.Money { return &sdk.Money{Minor: minor, Currency: "GBP"} }
	authorize := func(event, more string) *sdk.Outcome {
		return outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, result(event, "lnk1", more)))
	}
	o := authorize("authorized", amounts("700", `,"partialAuthorization":true`))
	require.Equal(t, []any{sdk.StatusAuthorized, gbp(700)}, []any{o.Status, o.Amount})
	o = authorize("sentForSettlement", amounts("700", ``))
	require.Equal(t, []any{sdk.StatusCaptured, gbp(700)}, []any{o.Status, o.Amount})
	require.Equal(t, gbp(1000), authorize("authorized", amounts("1000", `,"partialAuthorization":false`)).Amount)
	for _, more := range []string{amounts(`"sixty"`, ``), amounts(`{}`, ``), amounts(`0`, ``), amounts(`-1`, ``), amounts(`null`, `,"partialAuthorization":true`), `,"amounts":"700"`, `,"amounts":{}`,
		`,"amounts":{"totalAuthorized":700,"currency":"EUR"}`, `,"amounts":{"totalAuthorized":700,"currency":{}}`} {
		require.Equal(t, sdk.StatusUnknown, authorize("authorized", more).Status, more)
	}

	r := later(1000, 0)
	r.Payment.Capture, r.Payment.Authorized = sdk.CaptureAutomatic, 700
	o = outcome(t, sdk.OpSync, r, answer(200, `{"lastEvent":"settled"}`))
	require.Equal(t, []any{sdk.StatusCaptured, gbp(700)}, []any{o.Status, o.Amount}, "what was approved is what is taken")
}

// TestNoRefusal shows that an error or a failed settlement does not decline the payment.
func TestNoRefusal(t *testing.T) {
	for _, event := range []string{"error", "settlementFailed", "Error", "SettlementFailed"} {
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, later(1000, 0), answer(200, `{"lastEvent":"`+event+`"}`)).Status, event)
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpSync, later(1000, 1000), answer(200, `{"lastEvent":"`+event+`"}`)).Status, event)
	}
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpSync, later(1000, 0), answer(200, `{"lastEvent":"refused"}`)).Status)
}

// TestNotFoundByItsLink shows that only our reference proves that there is no payment.
func TestNotFoundByItsLink(t *testing.T) {
	gone := answer(404, `{"errorName":"resourceNotFound","message":"Gone"}`)
	o := outcome(t, sdk.OpSync, later(1000, 0), gone)
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{o.Status, o.Raw["alarm"]})
	lost := later(1000, 0)
	lost.TransactionID = lost.Reference
	require.Equal(t, sdk.StatusNotFound, outcome(t, sdk.OpSync, lost, gone).Status, "no link data is known")
}

// TestReasons shows that Worldpay's refusal codes have specific reasons, and that no other processor is tried after a late answer.
func TestReasons(t *testing.T) {
	for code, want := range map[string]sdk.DeclineReason{"972": sdk.DeclineStopRecurring, "38": sdk.DeclineSecurityViolation, "37": sdk.DeclinePickUpCard, "68": sdk.DeclineIssuerUnavailable} {
		o := outcome(t, sdk.OpAuthorize, purchase(1000, "GBP"), answer(201, `{"outcome":"refused","refusalCode":"`+code+`","refusalDescription":"x"}`))
		require.Equal(t, want, o.Decline.Reason, code)
		require.False(t, o.Decline.RetryElsewhere, code)
	}
}
