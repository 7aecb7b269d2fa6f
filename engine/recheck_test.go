package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// A capture that ended as not done is asked about after a day: the processor did it later.
func TestCaptureIsAskedAboutAgain(t *testing.T) {
	p := newTill(t)
	p.set("/capture", "drop")
	inBubble(t, func(t *testing.T) {
		rule := resolving(sdk.ResolveByReference)
		rule.NotFoundFinalAfterSeconds = 60
		w := newWorld(t, engine.Options{ResolveEvery: 30 * time.Minute}, map[string]*sdk.Adapter{"shop": tillAdapter(rule)})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa, manual))
		id := v.Payment.ID
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
		require.NoError(t, err)
		w.running()
		time.Sleep(70 * time.Minute)
		require.Equal(t, payment.RequiresCapture, w.get(id, request.RetrieveInput{}).Payment.Status)
		p.mu.Lock()
		p.state[v.Attempt.Details.Reference] = "captured"
		p.mu.Unlock()
		time.Sleep(26 * time.Hour)
		v = w.get(id, request.RetrieveInput{})
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.EqualValues(t, 100, v.Payment.Received)
		require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all())
		time.Sleep(8 * 24 * time.Hour)
		require.True(t, w.operations(id)[1].ResolveAt.IsZero())
	}, p.Server)
}

// A refund that failed because the processor did not know it is asked about after a day: the processor gave the money back later.
func TestRefundIsAskedAboutAgain(t *testing.T) {
	c := newCashier(t)
	c.act = "drop"
	inBubble(t, func(t *testing.T) {
		rule := sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: 1}
		w := newWorld(t, engine.Options{ResolveEvery: 30 * time.Minute}, map[string]*sdk.Adapter{"shop": refunder(rule)})
		w.shopAccount(c.URL)
		id := w.pay(sale(1000, visa)).Payment.ID
		r, err := w.refund(id, 600, named("r"))
		require.NoError(t, err)
		w.running()
		time.Sleep(70 * time.Minute)
		require.Equal(t, payment.RefundFailed, w.refunded("r").Status)
		require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
		c.set(func() { c.refunds[r.Reference] = &paidBack{ID: "re_late", State: "done", Amount: 600} })
		time.Sleep(26 * time.Hour)
		require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
		require.Equal(t, []int64{600, 600}, refundAmounts(w, id))
		require.Equal(t, 1, w.alarms.all()["late_evidence"])
	}, c.Server)
}

// A run that stood still past its lease knows nothing of what another node has sent since. It must not book that nothing was sent.
func TestRunAfterItsLeaseProvesNothing(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	p.set("/authorize", "drop done")
	p.set("/query", "drop")
	rule := resolving(sdk.ResolveByIdempotentResend, sdk.ResolveByReference)
	hold, arrived := make(chan struct{}), make(chan struct{})
	still := tillAdapter(rule)
	authorize := still.Authorize
	still.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		close(arrived)
		<-hold
		return authorize(c)
	}
	o := engine.Options{ResolveEvery: 20 * time.Millisecond, LeaseTime: 2500 * time.Millisecond}
	a := newWorldWith(t, o, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": still}), t.TempDir()+"/p.db")
	a.shopAccount(p.URL)
	b := a.second(o, map[string]*sdk.Adapter{"shop": tillAdapter(rule)})
	type answer struct {
		v   *change.View
		err error
	}
	done := make(chan answer)
	go func() {
		v, err := a.CreatePayment(context.Background(), a.auth, sale(100, visa, manual, func(in *request.Input) { in.PaymentID = "still" }))
		done <- answer{v, err}
	}()
	<-arrived
	b.running()
	require.Eventually(t, func() bool {
		return p.count("/authorize") > 0 && b.operations("still")[0].Status == payment.OperationUnknown
	}, time.Minute, 10*time.Millisecond)
	close(hold)
	got := <-done
	require.NoError(t, got.err)
	require.Equal(t, payment.Processing, got.v.Payment.Status)
	op := b.operations("still")[0]
	require.False(t, op.Unsent(), "the other node's send is not forgotten")
	p.set("/authorize", "")
	p.set("/query", "")
	b.eventually("still", payment.RequiresCapture)
}

// A processor that reports a larger capture than the requested one settles nothing: a person is alarmed, once.
func TestLargerCaptureRaisesOneAlarm(t *testing.T) {
	p := newTill(t)
	p.set("/capture", "drop")
	inBubble(t, func(t *testing.T) {
		a := tillAdapter(resolving(sdk.ResolveByReference))
		a.Manifest.Features.PartialCapture = true
		ask := a.Sync
		a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
			if o, err := ask(c); err != nil || o.Status == sdk.StatusNotFound {
				return o, err
			}
			return &sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 100, Captured: 100}}, nil
		}
		w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": a})
		w.shopAccount(p.URL)
		id := w.pay(sale(100, visa, manual)).Payment.ID
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr(int64(40))})
		require.NoError(t, err)
		w.running()
		time.Sleep(time.Hour)
		require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
		require.Equal(t, map[string]int{"amount_mismatch": 1}, w.alarms.all())
	}, p.Server)
}
