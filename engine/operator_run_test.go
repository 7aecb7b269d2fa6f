package engine_test

import (
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

// An operation whose run has outlived its lease is left alone on the run's own node. After a jump of the clock it is left alone on every node. The
// processor's answer is booked, and no word stands against it.
func TestOperatorLeavesALongRunAlone(t *testing.T) {
	for name, c := range map[string]struct {
		moves func(nodes ...*world)
		node  int
	}{
		"the lease has ended":         {outlive, 0},
		"the clock jumps":             {jumpAhead, 0},
		"the clock jumps, other node": {jumpAhead, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newCashier(t)
			p.hold = make(chan struct{})
			answer := sync.OnceFunc(func() { close(p.hold) })
			defer answer()
			adapters := map[string]*sdk.Adapter{"shop": refunder(byReference)}
			o := engine.Options{LeaseTime: quick.LeaseTime, LockWait: 50 * time.Millisecond}
			a := newWorldWith(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
			a.shopAccount(p.URL)
			worlds := []*world{a, a.second(o, adapters)}
			id := a.pay(sale(1000, visa)).Payment.ID
			done := make(chan *payment.Refund, 1)
			go func() { r, _ := a.refund(id, 600, named("r")); done <- r }()
			<-p.arrived
			op := a.refunded("r").OperationID
			refused := func() {
				t.Helper()
				_, err := worlds[c.node].ResolveOperation(t.Context(), op, word("not_done"))
				require.ErrorContains(t, err, "Another run drives the operation")
			}
			refused()
			c.moves(worlds...)
			refused()
			answer()
			require.Equal(t, payment.RefundSucceeded, (<-done).Status)
			require.Nil(t, a.lastOperation(id).Resolution)
			require.Zero(t, a.alarms.all()["late_evidence"])
			_, err := a.refund(id, 400)
			require.NoError(t, err, "nothing is held any more")
		})
	}
}

// An operator's decision about a refund leaves a run alone, too, that has outlived its lease.
func TestRefundDecisionLeavesALongRunAlone(t *testing.T) {
	t.Parallel()
	p := newCashier(t)
	p.hold = make(chan struct{})
	answer := sync.OnceFunc(func() { close(p.hold) })
	defer answer()
	w := newWorld(t, engine.Options{LeaseTime: quick.LeaseTime, LockWait: 50 * time.Millisecond}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(p.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	done := make(chan *payment.Refund, 1)
	go func() { r, _ := w.refund(id, 600, named("r")); done <- r }()
	<-p.arrived
	outlive(w)
	require.Error(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: "failed"}))
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	answer()
	require.Equal(t, payment.RefundSucceeded, (<-done).Status)
	require.Zero(t, w.alarms.all()["late_evidence"])
	require.NoError(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: "failed"}))
}

// An operator was wrong to say that the processor had refused a payment. Held funds are voided and taken money goes to review, as for any payment
// that had ended without the processor's word.
func TestMoneyAgainstAnOperatorsRefusal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shows  sdk.OutcomeStatus
		status payment.Status
		last   sdk.Operation
	}{
		"held":  {sdk.StatusAuthorized, payment.Failed, sdk.OpVoid},
		"taken": {sdk.StatusCaptured, payment.Review, sdk.OpAuthorize},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, id, op := unknown(t, sdk.OpAuthorize, manual)
			_, err := w.ResolveOperation(t.Context(), op, word("declined"))
			require.NoError(t, err)
			v := w.get(id, request.RetrieveInput{})
			require.Equal(t, payment.Failed, v.Payment.Status)
			for range 2 { // the processor repeats itself
				_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference,
					"outcome": sdk.Outcome{Status: c.shows, TransactionID: "tx", Amount: &sdk.Money{Minor: 1000, Currency: "USD"}}}))
				require.NoError(t, err)
			}
			require.Equal(t, c.status, w.get(id, request.RetrieveInput{}).Payment.Status)
			require.Equal(t, c.last, w.lastOperation(id).Kind)
			require.Positive(t, w.alarms.all()["late_evidence"])
		})
	}
}

// An operator gives up a void that is sent again and again: no other one takes its place, and the merchant sees the held funds.
func TestOperatorGivesUpAVoid(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpVoid, manual)
	_, err := w.ResolveOperation(t.Context(), op, word("not_done"))
	require.NoError(t, err)
	next := w.lastOperation(id)
	require.True(t, next.Unsent())
	_, err = w.ResolveOperation(t.Context(), next.ID, word("not_done"))
	require.NoError(t, err)
	v := w.get(id, request.RetrieveInput{})
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.Empty(t, v.Payment.OpenOperation)
	require.Equal(t, next.ID, w.lastOperation(id).ID)
	require.True(t, w.lastOperation(id).ResolveAt.IsZero(), "nothing is to be asked")
}
