package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// FuzzStep: for any bytes that decode to a step, the simulator does not panic, sends nothing; it reports no more money
// than was asked for or exists.
func FuzzStep(f *testing.F) {
	first := request(visa, magic+20, sdk.CaptureManual)
	first.ThreeDS = outside()
	for _, op := range sdk.Operations() {
		f.Add(sdk.EncodeStep(step(op, 0, first)))
		r := later(first, &sdk.Outcome{TransactionID: "sim_1", Totals: &sdk.Totals{Authorized: 500, Captured: 200, Refunded: 100}})
		r.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: "cas"}
		for _, resolves := range []sdk.Operation{"", sdk.OpCapture, sdk.OpVoid, sdk.OpIncrementalAuthorize} {
			f.Add(sdk.EncodeStep(step(op, 0, resolving(of(r, 600), resolves))))
		}
	}
	f.Add(sdk.EncodeStep(step(sdk.OpWebhook, 0, message(`{"type":"payment.updated","reference":"x"}`))))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		in, err := sdk.DecodeStep(bytes)
		if err != nil {
			return
		}
		checkResult(t, in)
	})
}

// FuzzMoney covers amounts that FuzzStep's bytes rarely reach.
func FuzzMoney(f *testing.F) {
	f.Add(uint8(0), uint8(0), int64(100), int64(100), int64(100), int64(50), int64(0), "", true)
	f.Add(uint8(1), uint8(1), int64(magic+204), int64(2*magic), int64(2*magic), int64(0), int64(0), "s", false)
	f.Add(uint8(3), uint8(0), int64(magic+402), int64(2*magic), int64(2*magic), int64(2*magic), int64(5), "", false)
	f.Add(uint8(4), uint8(1), int64(1<<62), int64(1<<62), int64(1<<62), int64(1<<61), int64(0), "", false)
	f.Add(uint8(8), uint8(0), int64(magic+8), int64(magic+8), int64(0), int64(0), int64(0), "c", true)
	f.Fuzz(func(t *testing.T, op, resolves uint8, amount, requested, authorized, captured, refunded int64, memory string, final bool) {
		all := sdk.Operations()
		r := request(visa, amount, sdk.CaptureManual)
		r.Payment = &sdk.PaymentState{Currency: "USD", Requested: requested, Authorized: authorized, Captured: captured, Refunded: refunded, CreatedAt: start}
		r.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: memory}
		r.FinalCapture = final
		r.Return = &sdk.Return{Query: []sdk.Header{sdk.H("result", "approve")}}
		r.Resolves = all[int(resolves)%len(all)]
		checkResult(t, step(all[int(op)%len(all)], 0, r))
	})
}

func checkResult(t *testing.T, in *sdk.Step) {
	result := simulator.Adapter().Step(in)
	require.Nil(t, result.Send)
	_, err := sdk.DecodeResult(sdk.EncodeResult(&result))
	require.NoError(t, err)
	o, r := result.Outcome, &in.Request
	if o == nil {
		return
	}
	require.NotContains(t, o.Raw["error"], "panic")
	if o.Status == sdk.StatusDeclined {
		require.NotNil(t, o.Decline)
		require.NotEmpty(t, o.Decline.Reason)
	}
	if s := r.Payment; in.Operation == sdk.OpSync || in.Operation == sdk.OpRefundSync {
		if o.Amount != nil && in.Operation == sdk.OpSync && (r.Resolves == sdk.OpIncrementalAuthorize || r.Resolves == sdk.OpCapture) {
			require.LessOrEqual(t, o.Amount.Minor, max(s.Authorized, s.Requested, r.Amount.Minor))
		} else if o.Amount != nil && in.Operation == sdk.OpRefundSync && r.Resolves == sdk.OpUnreferencedRefund { // no payment bounds the amount
			require.LessOrEqual(t, o.Amount.Minor, r.Amount.Minor)
		} else if o.Amount != nil {
			require.LessOrEqual(t, o.Amount.Minor, max(s.Authorized, s.Requested, s.Captured))
		}
	} else if in.Operation == sdk.OpExtendAuthorization && o.Amount != nil { // the outcome names the amount of the extended hold
		require.LessOrEqual(t, o.Amount.Minor, max(s.Authorized, r.Amount.Minor))
	} else if o.Amount != nil {
		require.LessOrEqual(t, o.Amount.Minor, r.Amount.Minor)
		require.Equal(t, r.Amount.Currency, o.Amount.Currency)
	}
	if o.Amount != nil {
		require.GreaterOrEqual(t, o.Amount.Minor, int64(0))
	}
	if n := o.Totals; n != nil {
		require.GreaterOrEqual(t, n.Refunded, int64(0))
		require.LessOrEqual(t, n.Refunded, n.Captured)
		require.LessOrEqual(t, n.Captured, n.Authorized)
	}
}
