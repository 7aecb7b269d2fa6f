package engine_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// A merchant has configured one account of the processor twice, and the processor's messages arrive at the addresses of both. They are booked once: at the
// account that has the payment.
func TestMessageAtTwoAddresses(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	own, twin := w.mailAccount("shop", c.URL, ""), w.mailAccount("shop", c.URL, "")
	v := w.pay(sale(1000, visa))
	if v.Attempt.AccountID != own.ID {
		own, twin = twin, own
	}
	c.set(func() { c.act = "pending" })
	f, err := w.refund(v.Payment.ID, 300, named("r"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, f.Status)
	both := func(m map[string]any) {
		t.Helper()
		for range 2 {
			_, err := w.ReceiveWebhook(t.Context(), mail(twin.ID, hookSecret, m))
			require.Equal(t, "WE_04", code(t, err), "the twin has no such payment")
			_, err = w.ReceiveWebhook(t.Context(), mail(own.ID, hookSecret, m))
			require.NoError(t, err)
		}
	}
	both(map[string]any{"object": "refund", "reference": f.Reference, "outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: f.ProcessorID,
		Amount: &sdk.Money{Minor: 300, Currency: "USD"}}})
	both(map[string]any{"object": "dispute", "reference": v.Attempt.Details.Reference, "dispute": sdk.Dispute{ID: "dp_1", Status: sdk.DisputeOpened,
		Amount: sdk.Money{Minor: 700, Currency: "USD"}}})
	require.Equal(t, []int64{300, 300}, refundAmounts(w, v.Payment.ID))
	p := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Len(t, p.Disputes, 1)
	require.EqualValues(t, 0, p.Payment.Refundable())
	require.Equal(t, []string{"refund_succeeded"}, w.events("r"))
	require.Empty(t, w.alarms.all())
}

// One person has proposed that a refund was not made. Before another one confirms it, the processor says that it was: the proposal decides nothing more.
func TestSecondPersonAfterTheProcessor(t *testing.T) {
	t.Parallel()
	w, a, id, op := unknown(t, sdk.OpRefund)
	w.needsTwo(`{"required":true}`)
	v, err := w.ResolveOperation(t.Context(), op, word("not_done"))
	require.NoError(t, err)
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": w.refunded("r").Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_1", Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
	_, err = w.ConfirmResolution(t.Context(), op, person("", "Bob", v.Proposal))
	require.ErrorContains(t, err, "has ended")
	require.Equal(t, []any{payment.RefundSucceeded, "re_1"}, []any{w.refunded("r").Status, w.refunded("r").ProcessorID})
	require.Equal(t, []int64{600, 600}, refundAmounts(w, id))
	require.Equal(t, []string{"refund_succeeded"}, w.events("r"))
}

// An operator says that a refund was made, while the processor's message says so at another node. The refund counts once, and the merchant hears of it once.
func TestWordBesideAMessage(t *testing.T) {
	t.Parallel()
	w, a, id, op := unknown(t, sdk.OpRefund)
	b := w.second(quick, map[string]*sdk.Adapter{"shop": refunder(byWebhook)})
	reference := w.refunded("r").Reference
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := w.ResolveOperation(context.Background(), op, word("succeeded", func(in *request.ResolutionInput) { in.Reference = "re_1" }))
		var e *fault.Error
		require.True(t, err == nil || errors.As(err, &e), "%v", err)
	})
	wg.Go(func() {
		_, err := b.ReceiveWebhook(context.Background(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": reference,
			"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_1", Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}))
		require.NoError(t, err)
	})
	wg.Wait()
	require.Equal(t, []any{payment.RefundSucceeded, "re_1"}, []any{w.refunded("r").Status, w.refunded("r").ProcessorID})
	require.Equal(t, []int64{600, 600}, refundAmounts(w, id))
	require.Equal(t, []string{"refund_succeeded"}, w.events("r"))
	require.Empty(t, w.alarms.all())
	require.Empty(t, b.alarms.all())
}

// Two nodes are asked at once to extend one hold: one request reaches the processor at a time, and the second is refused while the first is under way.
func TestExtensionsOnTwoNodes(t *testing.T) {
	t.Parallel()
	arrived, hold := make(chan struct{}, 2), make(chan struct{})
	p := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/extend" {
			arrived <- struct{}{}
			<-hold
		}
		rw.Write([]byte(`{"id":"tx_1"}`))
	}))
	t.Cleanup(p.Close)
	adapters := map[string]*sdk.Adapter{"shop": forging()}
	o := engine.Options{LockWait: 50_000_000}
	a := newWorldWith(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(p.URL)
	b := a.second(o, adapters)
	id := a.pay(sale(100, visa, manual, func(in *request.Input) { in.Extended = ptr(true) })).Payment.ID
	done := make(chan error)
	go func() { _, err := a.ExtendAuthorization(context.Background(), a.auth, id); done <- err }()
	<-arrived
	_, err := b.ExtendAuthorization(t.Context(), b.auth, id)
	require.Equal(t, "HE_00", code(t, err), "the payment is busy")
	close(hold)
	require.NoError(t, <-done)
	require.Empty(t, arrived, "one request")
	v := a.get(id, request.RetrieveInput{})
	require.True(t, *v.Attempt.Details.Hold.Extended)
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
}
