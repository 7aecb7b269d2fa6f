package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// A message about a refund that comes while a run has the refund's operation is kept. Background work books it if the run brings no answer.
func TestRefundMessageDuringARunIsKept(t *testing.T) {
	w, a, _, op := unknown(t, sdk.OpRefund)
	lease := func(owner string, until time.Time) {
		t.Helper()
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			o, err := tx.Operation(op)
			if err != nil {
				return err
			}
			o.Owner, o.LeaseUntil = owner, until
			return tx.UpdateOperation(o)
		}))
	}
	lease("another node", time.Now().Add(time.Minute))
	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": w.refunded("r").Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_1", Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	lease("", time.Time{})
	w.running()
	w.refundBecomes("r", payment.RefundSucceeded)
	require.Empty(t, w.alarms.all())
}
