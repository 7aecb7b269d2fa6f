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
	t.Parallel()
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

// A processor whose messages name only the refund sends another one when a bank has sent the money back. The engine asks.
func TestNewsOfAnEndedRefundIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sdk.Adapter) *sdk.Adapter{"signed": func(a *sdk.Adapter) *sdk.Adapter { return a }, "without proof": withoutProof} {
		t.Run(name, func(t *testing.T) {
			c := newCashier(t)
			a := refunder(byReference)
			back, sync := false, a.RefundSync
			a.RefundSync = func(c *sdk.Call) (*sdk.Outcome, error) {
				o, err := sync(c)
				if back && err == nil {
					o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, &sdk.Decline{Code: "sent_back", Message: "The bank sent it back.", Reason: sdk.DeclineGeneric}
				}
				return o, err
			}
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": change(a)})
			shop := w.mailAccount("shop", c.URL, "")
			id := w.pay(sale(1000, visa)).Payment.ID
			f, err := w.refund(id, 600, named("r"))
			require.NoError(t, err)
			require.Equal(t, payment.RefundSucceeded, f.Status)
			news := func() {
				t.Helper()
				_, err := w.ReceiveWebhook(t.Context(), mail(shop.ID, hookSecret, map[string]any{"object": "refund", "reference": f.Reference, "sync": true}))
				require.NoError(t, err)
			}
			news()
			require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
			require.Empty(t, w.alarms.all())
			back = true
			news()
			require.Equal(t, payment.RefundFailed, w.refunded("r").Status)
			require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
			require.Equal(t, 1, w.alarms.all()["late_evidence"])
		})
	}
}

// What the processor signs is never refused for its number.
func TestSignedMessagesAreNotLimited(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": mailing(byReference)})
	a := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa))
	asked := p.count("GET")
	for range 20 {
		_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "sync": true}))
		require.NoError(t, err)
	}
	require.Equal(t, asked+20, p.count("GET"))
}

// A genuine message says that a refund which had succeeded has failed, and the processor's answer to a query does not decide. The refund stays as it is,
// and a person hears of the contradiction, once.
func TestNewsOfAnEndedRefundThatAQueryDoesNotDecide(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	a := refunder(byReference)
	sync := a.RefundSync
	a.RefundSync = func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := sync(c)
		sdk.Expect(false, "the payment has several refunds")
		return nil, err
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
	shop := w.mailAccount("shop", c.URL, "")
	id := w.pay(sale(1000, visa)).Payment.ID
	f, err := w.refund(id, 600, named("r"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, f.Status)
	for range 2 {
		_, err = w.ReceiveWebhook(t.Context(), mail(shop.ID, hookSecret, map[string]any{"object": "refund", "reference": f.Reference,
			"outcome": sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "failed", Message: "No.", Reason: sdk.DeclineGeneric}}}))
		require.NoError(t, err)
	}
	require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
}
