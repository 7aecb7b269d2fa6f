package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// A scheduled refund is not sent if a dispute takes the money before: the customer would get it twice. It ends as not processed, and the rest can be refunded.
func TestScheduledRefundOfADisputedPayment(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	a := w.mailAccount("shop", c.URL, "")
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 700, scheduled, named("r"))
	require.NoError(t, err)
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeOpened, 600, "USD", 10))
	require.Equal(t, 1, w.alarms.all()["dispute_needs_look"])
	w.due(r, payment.RefundScheduleDelay)
	w.running()
	r = w.refundBecomes("r", payment.RefundFailed)
	require.Equal(t, payment.CodeNotProcessed, r.Details.Error.Code)
	require.Contains(t, r.Details.Error.Message, "dispute")
	_, posts := c.paid()
	require.Zero(t, posts)
	require.Equal(t, int64(400), w.get(id, request.RetrieveInput{}).Payment.Refundable())
	_, err = w.refund(id, 400)
	require.NoError(t, err)
}

// A dispute of a payment that merchants see as ended without money makes payswitch ask the processor: only money that was taken can be disputed.
func TestDisputeOfAFailedPayment(t *testing.T) {
	t.Parallel()
	w, _, _ := refusing(t, nil, func(a *sdk.Adapter) {
		a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
			if _, err := c.Get("/query"); err != nil {
				return nil, err
			}
			return &sdk.Outcome{Status: sdk.StatusCaptured, Amount: &sdk.Money{Minor: 100, Currency: "USD"}}, nil
		}
	})
	v := w.pay(sale(100, visa))
	require.Equal(t, payment.Failed, v.Payment.Status)
	accounts, err := w.Accounts(t.Context(), w.auth)
	require.NoError(t, err)
	require.NoError(t, w.dispute(accounts[0], hookSecret, v.Payment.ID, "dp_1", sdk.DisputeOpened, 100, "USD", 10))
	got := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Review, got.Payment.Status)
	require.Equal(t, int64(100), got.Payment.Received)
	require.Len(t, got.Payment.Details.Disputes, 1)
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
}
