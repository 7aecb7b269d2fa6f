package checkout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/checkout"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestAutomaticCapture: an automatic payment counts as captured only if the balances or the actions say so.
func TestAutomaticCapture(t *testing.T) {
	usd := func(minor int64) *sdk.Money { return &sdk.Money{Minor: minor, Currency: "USD"} }
	zero := `"balances":{"total_authorized":2499,"total_captured":0,"total_voided":0,"total_refunded":0}`
	const made = `{"id":"act_1","type":"Authorization","amount":2499,"approved":true}`
	for name, k := range map[string]struct {
		balances, actions string
		status            sdk.OutcomeStatus
		amount            *sdk.Money
	}{
		"captured, by the balances":     {`"balances":{"total_authorized":2499,"total_captured":2499}`, "", sdk.StatusCaptured, usd(2499)},
		"captured in part":              {`"balances":{"total_authorized":2499,"total_captured":1000}`, "", sdk.StatusCaptured, usd(1000)},
		"all voided":                    {`"balances":{"total_authorized":2499,"total_captured":0,"total_voided":2499}`, "", sdk.StatusVoided, nil},
		"a capture that was declined":   {zero, `[{"id":"act_2","type":"Capture","amount":2499,"approved":false},` + made + `]`, sdk.StatusAuthorized, usd(2499)},
		"a capture that is still to do": {zero, `[` + made + `]`, sdk.StatusPending, nil},
		"a capture that went through":   {zero, `[{"id":"act_2","type":"Capture","amount":2499,"approved":true},` + made + `]`, sdk.StatusCaptured, usd(2499)},
		"two captures":                  {zero, `[{"type":"Capture","amount":400,"approved":true},{"type":"Capture","amount":500,"approved":true},` + made + `]`, sdk.StatusCaptured, usd(900)},
		"declined, then captured":       {zero, `[{"type":"Capture","amount":2499,"approved":true},{"type":"Capture","amount":2499,"approved":false},` + made + `]`, sdk.StatusCaptured, usd(2499)},
		"a void":                        {zero, `[{"id":"act_2","type":"Void","amount":2499,"approved":true},` + made + `]`, sdk.StatusVoided, nil},
		"no balances":                   {`"x":1`, `[` + made + `]`, sdk.StatusPending, nil},
		"unreadable balances":           {`"balances":{"total_authorized":2499,"total_captured":"all"}`, "", sdk.StatusUnknown, nil},
		"balances of another kind":      {`"balances":"none"`, "", sdk.StatusUnknown, nil},
		"an unreadable capture":         {zero, `[{"id":"act_2","type":"Capture","amount":"all","approved":true},` + made + `]`, sdk.StatusUnknown, nil},
		"no actions":                    {zero, `[]`, sdk.StatusUnknown, nil},
		"actions of another kind":       {zero, `{}`, sdk.StatusUnknown, nil},
	} {
		s := step(sdk.OpSync)
		s.Request.Capture = sdk.CaptureAutomatic
		answers := []sdk.Exchange{wire.Answer(200, paid("Authorized", k.balances))}
		if k.actions != "" {
			answers = append(answers, wire.Answer(200, k.actions))
		}
		o := wire.End(t, checkout.Adapter(), s, answers...).Outcome
		require.Equal(t, k.status, o.Status, "%s: %v", name, o.Raw)
		require.Equal(t, k.amount, o.Amount, name)
	}
}

// TestUnreadableAmounts: the adapter never takes an unreadable amount for the requested one.
func TestUnreadableAmounts(t *testing.T) {
	for _, amount := range []string{`"sixty"`, `{}`, `"10.50"`, `-1`, `null`} {
		body := `{"id":"pay_1","status":"Authorized","amount":` + amount + `,"currency":"USD"}`
		require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, body).Status, amount)
		s := step(sdk.OpRefundSync)
		s.Request.RefundID = "act_1"
		require.Equal(t, sdk.StatusUnknown, outcome(t, s, 200, `[{"id":"act_1","type":"Refund","amount":`+amount+`,"approved":true}]`).Status, amount)
		if amount != `null` { // without an amount the status decides
			require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, paid("Captured", `"balances":{"total_captured":`+amount+`}`)).Status, amount)
		}
	}
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, `{"id":"pay_1","status":"Authorized","amount":2499,"currency":{}}`).Status)
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, paid("Captured", `"balances":{"total_captured":0}`)).Status, "captured, and nothing was")
	require.Equal(t, sdk.StatusUnknown, outcome(t, step(sdk.OpSync), 200, paid("Voided", `"balances":{"total_captured":900}`)).Status, "voided, and something was taken")
}

// TestNotFoundByItsID: a payment with Checkout.com's own id that Checkout.com does not know belongs to another account.
func TestNotFoundByItsID(t *testing.T) {
	const gone = `{"error_type":"request_invalid","error_codes":["payment_not_found"]}`
	for _, op := range []sdk.Operation{sdk.OpSync, sdk.OpComplete, sdk.OpRefundSync} {
		o := outcome(t, step(op), 404, gone)
		require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{o.Status, o.Raw["alarm"]}, op)
	}
	s := step(sdk.OpSync)
	s.Request.TransactionID = ""
	o := outcome(t, s, 404, gone)
	require.Equal(t, []any{sdk.StatusUnknown, ""}, []any{o.Status, o.Raw["alarm"]}, "a list that was not found says nothing")
}

// TestPartialApproval: the approved part counts, also where the answer repeats the whole amount.
func TestPartialApproval(t *testing.T) {
	s := step(sdk.OpAuthorize)
	s.Request.Capture = sdk.CaptureManual
	o := outcome(t, s, 201, paid("Authorized", `"amount_requested":2499,"balances":{"total_authorized":700}`))
	require.Equal(t, []any{sdk.StatusAuthorized, sdk.Money{Minor: 700, Currency: "USD"}}, []any{o.Status, *o.Amount})
	o = outcome(t, s, 201, paid("Authorized", `"balances":{"total_authorized":700}`))
	require.Equal(t, int64(2499), o.Amount.Minor, "no approval of a part: the balances say what is left after voids, too")
}
