package engine_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// An operator's word moves any status to any other, and the amounts with it. It ends an operation that is open, which then is never sent again.
func TestDecideRefund(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "drop"
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600})})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	_, err := w.refund(id, 600, named("r"))
	require.NoError(t, err)
	decide := func(status string) error {
		return w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: status, ErrorCode: ptr("c"), ErrorMessage: ptr("m")})
	}
	require.NoError(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1"}))
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	for _, x := range []struct {
		status  string
		amounts []int64
	}{{"failed", []int64{0, 0}}, {"succeeded", []int64{600, 600}}, {"review", []int64{600, 0}}, {"pending", []int64{600, 0}}, {"failed", []int64{0, 0}}} {
		require.NoError(t, decide(x.status))
		require.EqualValues(t, x.status, w.refunded("r").Status)
		require.Equal(t, x.amounts, refundAmounts(w, id), x.status)
	}
	require.Equal(t, "c", w.refunded("r").Details.Error.Code)
	require.NoError(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", ErrorCode: ptr(""), ErrorMessage: ptr("")}))
	require.Nil(t, w.refunded("r").Details.Error)
	require.Empty(t, w.events("r"), "an operator's word is not announced")
	c.set(func() { c.act = "ok" })
	r, err := w.refund(id, 1000)
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, r.Status)
	require.Equal(t, "IR_13", code(t, decide("succeeded")))
	require.Equal(t, "HE_02", code(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m2", Status: "failed"})))
	w.running()
	time.Sleep(200 * time.Millisecond)
	sum, _ := c.paid()
	require.Equal(t, int64(1000), sum, "the decided refund is never sent again")
}

// Refunds of random amounts at a processor that answers at random, from two nodes at once. In the end every refund has ended, both books are
// equal, and no payment gave back more than was captured.
func TestRefundsAtRandom(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	adapters := map[string]*sdk.Adapter{"shop": refunder(sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: 1})}
	o := engine.Options{ResolveEvery: quick.ResolveEvery, LeaseTime: quick.LeaseTime}
	a := newWorldWith(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(c.URL)
	nodes := []*world{a, a.second(o, adapters)}
	var payments []string
	for range 12 {
		payments = append(payments, a.pay(sale(1000, visa)).Payment.ID)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(i), 7))
			for range 25 {
				c.set(func() { c.act = []string{"ok", "ok", "pending", "refuse", "hang", "drop"}[dice.IntN(6)] })
				_, err := nodes[i%2].refund(payments[dice.IntN(len(payments))], 1+dice.Int64N(600))
				if err != nil && !slices.Contains([]string{"IR_13", "IR_12"}, err.Error()[:5]) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	c.set(func() {
		c.act = "ok"
		for _, r := range c.refunds {
			r.State = "done"
		}
	})
	for _, id := range payments {
		for _, r := range a.get(id, request.RetrieveInput{}).Refunds {
			if op := a.refundOperation(r); op.Status == payment.OperationPending {
				a.due(r, time.Minute)
			}
		}
	}
	for _, node := range nodes {
		node.running()
	}
	var told int64
	for _, id := range payments {
		for _, r := range a.get(id, request.RetrieveInput{}).Refunds {
			require.Eventually(t, func() bool { return a.refunded(r.ID).Status.Final() }, 30*time.Second, 20*time.Millisecond)
			require.Len(t, a.events(r.ID), 1)
		}
		amounts := refundAmounts(a, id)
		require.Equal(t, amounts[0], amounts[1])
		require.LessOrEqual(t, amounts[0], int64(1000), id)
		told += amounts[0]
	}
	sum, _ := c.paid()
	require.Equal(t, sum, told, "the processor's books and ours")
	require.Positive(t, sum)
	require.Empty(t, a.alarms.all())
}
