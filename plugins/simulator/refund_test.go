package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

func refundOf(r sdk.Request, reference string, minor int64) sdk.Request {
	r = of(r, minor)
	r.Reference = reference
	return r
}

func TestRefunds(t *testing.T) {
	paid := captured(t, 6050)
	part := do(t, sdk.OpRefund, 0, refundOf(paid, "ref_1", 50))
	require.Equal(t, sdk.StatusRefunded, part.Status)
	require.Equal(t, "simr_ref_1", part.RefundID)
	require.Equal(t, usd(50), *part.Amount)
	require.Equal(t, int64(50), part.Totals.Refunded)

	paid = told(paid, part)
	require.Equal(t, "amount_too_large", do(t, sdk.OpRefund, 0, refundOf(paid, "ref_2", 6001)).Decline.Code)
	rest := do(t, sdk.OpRefund, 0, refundOf(paid, "ref_2", 6000))
	require.Equal(t, sdk.StatusRefunded, rest.Status)
	require.NotEqual(t, part.RefundID, rest.RefundID)
	require.Equal(t, "amount_too_large", do(t, sdk.OpRefund, 0, refundOf(told(paid, rest), "ref_3", 1)).Decline.Code)

	synced := do(t, sdk.OpRefundSync, 0, refundOf(told(paid, rest), "ref_2", 6000))
	require.Equal(t, sdk.StatusRefunded, synced.Status)
	require.Equal(t, rest.RefundID, synced.RefundID)

	require.Equal(t, "unexpected_state", do(t, sdk.OpRefund, 0, refundOf(authorized(t, 100), "ref_4", 100)).Decline.Code)
	require.Equal(t, "amount", answer(t, sdk.OpRefund, 0, refundOf(paid, "ref_4", 0)).Reject.Parameter)
}

func TestRefundPendingByReason(t *testing.T) {
	r := refundOf(captured(t, 100), "ref_1", 100)
	r.Reason = "simulate_pending"
	o := do(t, sdk.OpRefund, 0, r)
	require.Equal(t, sdk.StatusPending, o.Status)
	require.Equal(t, "simr_ref_1", o.RefundID)
	r.RefundID = o.RefundID
	require.Equal(t, sdk.StatusRefunded, do(t, sdk.OpRefundSync, 0, r).Status)
}

func TestRefundAmounts(t *testing.T) {
	rows := map[int64]struct{ now, sync string }{
		401: {"declined:generic_decline", "declined:generic_decline"},
		402: {"pending", "refunded"},
		403: {"pending", "declined:generic_decline"},
		404: {"unknown", "refunded"},
		405: {"unknown", "not_found"},
	}
	require.ElementsMatch(t, simulator.Codes(sdk.OpRefund), keys(rows))
	for code, want := range rows {
		for _, total := range []int64{magic + code, 2 * magic} {
			r := refundOf(captured(t, total), "ref_1", magic+code)
			o := do(t, sdk.OpRefund, 0, r)
			require.Equal(t, want.now, said(o), code)
			r.Resolves, r.RefundID = sdk.OpRefund, o.RefundID
			require.Equal(t, want.sync, said(do(t, sdk.OpRefundSync, 0, r)), code)
		}
	}
}

// The card of the payment decides about its refunds.
func TestRefundCards(t *testing.T) {
	for _, row := range []struct{ number, lastFour, now, soon, later string }{
		{"4000 0000 0000 7726", "7726", "pending", "refunded", "refunded"},
		{"4000 0000 0000 5126", "5126", "pending", "declined", "declined"},
		{"4000 0000 0000 7734", "7734", "declined", "declined", "declined"},
		{"4000 0000 0000 7742", "7742", "pending", "pending", "refunded"},
		{"4000 0000 0000 0077", "0077", "refunded", "refunded", "refunded"},
	} {
		t.Run(row.number, func(t *testing.T) {
			paid := do(t, sdk.OpAuthorize, 0, request(row.number, 6050, sdk.CaptureAutomatic))
			require.Equal(t, sdk.StatusCaptured, paid.Status)
			r := refundOf(captured(t, 6050), "ref_1", 50)
			r.Payment.BIN, r.Payment.LastFour = "400000", row.lastFour
			o := do(t, sdk.OpRefund, 0, r)
			require.EqualValues(t, row.now, o.Status)
			r.RefundID = o.RefundID
			soon := do(t, sdk.OpRefundSync, 5*time.Second, r)
			require.EqualValues(t, row.soon, soon.Status)
			require.Equal(t, o.RefundID, soon.RefundID)
			require.EqualValues(t, row.later, do(t, sdk.OpRefundSync, time.Minute, r).Status)
		})
	}
}
