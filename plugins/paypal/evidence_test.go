package paypal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// TestFailedCaptureSaysNothingOfThePayment shows that a failed capture leaves the payment in the state of its authorization.
func TestFailedCaptureSaysNothingOfThePayment(t *testing.T) {
	lost := wire.Answer(200, `{"id":"CAP0001","status":"DECLINED",`+value+`}`)
	r := later()
	o := outcome(t, sdk.OpSync, r, lost, anOrder("COMPLETED", `"authorizations":[`+authorized+`],"captures":[`+string(lost.Body)+`]`))
	require.Equal(t, []any{sdk.StatusAuthorized, usd(2499)}, []any{o.Status, *o.Amount})
	r.ConnectorData.Payment = `{"capture_id":"CAP0001"}` // captured at once: the capture is the payment
	require.Equal(t, sdk.StatusDeclined, outcome(t, sdk.OpSync, r, lost).Status)
}

// TestNotFoundByItsID shows that an order, capture or refund with PayPal's own id that PayPal does not know belongs to another
// account.
func TestNotFoundByItsID(t *testing.T) {
	gone := wire.Answer(404, `{"name":"RESOURCE_NOT_FOUND"}`)
	const now, hour = 1_768_472_430_000, 3_600_000
	order := later()
	order.ConnectorData = nil
	refund := later()
	refund.RefundID = "REF1"
	for op, all := range map[sdk.Operation][]sdk.Request{sdk.OpSync: {later(), order}, sdk.OpRefundSync: {refund}} {
		for _, r := range all {
			o := outcome(t, op, r, gone)
			require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{o.Status, o.Raw["alarm"]}, op)
		}
	}
	for _, k := range []struct {
		state sdk.PaymentState
		want  sdk.OutcomeStatus
	}{
		{sdk.PaymentState{CreatedAt: now - 71*hour}, sdk.StatusUnknown},
		{sdk.PaymentState{CreatedAt: now - 73*hour}, sdk.StatusNotFound}, // PayPal removes unpaid orders
		{sdk.PaymentState{CreatedAt: now - 73*hour, Authorized: 2499}, sdk.StatusUnknown},
		{sdk.PaymentState{CreatedAt: now - 73*hour, Captured: 1}, sdk.StatusUnknown},
		{sdk.PaymentState{}, sdk.StatusUnknown},
	} {
		order.Payment = &k.state
		require.Equal(t, k.want, outcome(t, sdk.OpSync, order, gone).Status, "%+v", k.state)
	}
}

// TestUnreadableAmounts shows that the adapter never takes a missing or unreadable amount for the requested one.
func TestUnreadableAmounts(t *testing.T) {
	refund := later()
	refund.RefundID = "REF1"
	for _, amount := range []string{``, `,"amount":null`, `,"amount":"7.00"`, `,"amount":{}`, `,"amount":{"currency_code":"USD","value":"sixty"}`, `,"amount":{"value":"7.00"}`,
		`,"amount":{"currency_code":"EUR","value":"7.00"}`, `,"amount":{"currency_code":"USD","value":"7.005"}`, `,"amount":{"currency_code":{},"value":"7.00"}`} {
		back := `{"id":"REF1","status":"COMPLETED"` + amount + `}`
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefund, later(), wire.Answer(201, back)).Status, amount)
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpRefundSync, refund, wire.Answer(200, back)).Status, amount)
		require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, later(), wire.Answer(201, `{"id":"CAP0002","status":"COMPLETED"`+amount+`}`)).Status, amount)
	}
	nothing := `{"id":"CAP0002","status":"COMPLETED","amount":{"currency_code":"USD","value":"0.00"}}`
	require.Equal(t, sdk.StatusUnknown, outcome(t, sdk.OpCapture, later(), wire.Answer(201, nothing)).Status, "captured, and nothing was")
}
