package engine_test

import (
	"context"
	"errors"
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
	t.Parallel()
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
	t.Parallel()
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
	o := engine.Options{ResolveEvery: 20 * time.Millisecond, LeaseTime: quick.LeaseTime}
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
	outlive(a, b)
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
	t.Parallel()
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

// What an operator called declined is asked about again, as what ended without the processor's word: money that is held all the same is voided, a capture
// and a refund that were made all the same are booked.
func TestOperatorsRefusalIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/authorize", "/capture"} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: 30 * time.Minute}, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByReference))})
			w.shopAccount(p.URL)
			p.set(path, "drop done")
			p.set("/query", "429")
			id := w.pay(sale(100, visa, manual)).Payment.ID
			if path == "/capture" {
				_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
				require.NoError(t, err)
			}
			_, err := w.ResolveOperation(t.Context(), w.lastOperation(id).ID, word("declined"))
			require.NoError(t, err)
			p.set("/query", "")
			w.running()
			time.Sleep(23 * time.Hour)
			require.Empty(t, w.alarms.all(), path)
			time.Sleep(2 * time.Hour)
			v := w.get(id, request.RetrieveInput{})
			require.Equal(t, 1, w.alarms.all()["late_evidence"], path)
			if path == "/capture" {
				require.Equal(t, payment.Succeeded, v.Payment.Status)
				return
			}
			require.Equal(t, payment.Failed, v.Payment.Status)
			require.Equal(t, 1, p.count("/void"), "the held funds are released")
			time.Sleep(7 * 24 * time.Hour)
			require.True(t, w.operations(id)[0].ResolveAt.IsZero())
		}, p.Server)
	}
	c := newCashier(t)
	c.act = "hang"
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: 30 * time.Minute}, map[string]*sdk.Adapter{"shop": refunder(byWebhook)})
		w.shopAccount(c.URL)
		id := w.pay(sale(1000, visa)).Payment.ID
		r, err := w.refund(id, 600, named("r"))
		require.NoError(t, err)
		_, err = w.ResolveOperation(t.Context(), r.OperationID, word("declined"))
		require.NoError(t, err)
		require.Equal(t, payment.RefundFailed, w.refunded("r").Status)
		w.running()
		time.Sleep(25 * time.Hour)
		require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
		require.Equal(t, 1, w.alarms.all()["late_evidence"])
	}, c.Server)
}

// A result that can never be booked does not keep resolution away for longer than a lease time: it asks the processor and books what that says.
func TestResultThatCannotBeBooked(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		a := tillAdapter(resolving(sdk.ResolveByReference))
		authorize := a.Authorize
		a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
			if _, err := authorize(c); err != nil {
				return nil, err
			}
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "no", Message: "no", Reason: sdk.DeclineGeneric}}, nil
		}
		adapters := map[string]*sdk.Adapter{"shop": a}
		o := engine.Options{ResolveEvery: time.Second, LeaseTime: 40 * time.Second, SettleTimeout: time.Second}
		w := newWorld(t, o, adapters)
		w.shopAccount(p.URL)
		e, err := engine.New(engine.Deps{Store: w.db, Connectors: plugins.NativeConnectors(adapters), Vault: w.vault, Presenter: noFailures{}, Metrics: w.alarms}, o)
		require.NoError(t, err)
		w.Engine = e
		w.running()
		v := w.pay(sale(100, visa, manual))
		require.Equal(t, payment.Processing, v.Payment.Status)
		time.Sleep(3 * time.Minute)
		require.Positive(t, p.count("/query"))
		require.NotEqual(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		require.NoError(t, e.Close(ctx), "no run is left")
	}, p.Server)
}

// noFailures cannot present the event of a failed payment.
type noFailures struct{ presenter }

func (noFailures) PaymentEvent(id, kind string, at time.Time, v *change.View) ([]byte, error) {
	if kind == "payment_failed" {
		return nil, errors.New("no such event")
	}
	return presenter{}.PaymentEvent(id, kind, at, v)
}
