package engine_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// second opens another node on the same database.
func (w *world) second(o engine.Options, adapters map[string]*sdk.Adapter) *world {
	return newWorldWith(w.t, o, plugins.NativeConnectors(adapters), w.file)
}

// A node that was taken for dead returns with an answer. The engine stores the answer as evidence, raises an alarm, and puts the payment
// under review: the processor has taken money of a payment that failed.
func TestLateAnswerAgainstAClosedOperation(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.forgets.Store(true)
	hold, arrived := make(chan struct{}), make(chan struct{})
	handler := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			close(arrived)
			<-hold
		}
		handler.ServeHTTP(rw, r)
	})
	rule := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 1}
	adapters := map[string]*sdk.Adapter{"shop": shop(rule)}
	o := engine.Options{ResolveEvery: 20 * time.Millisecond, LeaseTime: quick.LeaseTime}
	a := newWorldWith(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(p.URL)
	b := a.second(o, adapters)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.CreatePayment(context.Background(), a.auth, sale(100, visa, func(in *request.Input) { in.PaymentID = "late" }))
	}()
	<-arrived
	outlive(a, b)
	b.running()
	v := b.eventually("late", payment.Failed)
	require.Equal(t, "not_processed", v.Attempt.Details.Error.Code)
	close(hold)
	<-done
	late := a.get("late", request.RetrieveInput{}).Payment
	require.Equal(t, payment.Review, late.Status)
	require.EqualValues(t, 100, late.Received)
	require.Equal(t, 1, a.alarms.all()["late_evidence"])
	op := a.operations("late")[0]
	require.NoError(t, a.db.View(t.Context(), func(r engine.Reader) error {
		found, err := r.Evidence(op.ID)
		require.Len(t, found, 1)
		require.Contains(t, string(found[0].Outcome), "captured")
		return err
	}))
	require.Equal(t, []string{"payment_failed", "action_required"}, a.events("late"))
}

// A drive whose lease has ended sends nothing more.
func TestNoSendAfterTheLease(t *testing.T) {
	t.Parallel()
	for name, suspend := range map[string]func(w *world){
		"the goroutine was suspended": func(w *world) { w.clock.Add(int64(9 * time.Second)) },
		"the machine was suspended":   func(w *world) { w.suspended(2 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcessor(t)
			var w *world
			slow := shop(byReference)
			authorize := slow.Authorize
			var once atomic.Bool
			slow.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
				if once.CompareAndSwap(false, true) {
					suspend(w)
				}
				return authorize(c)
			}
			w = newWorld(t, engine.Options{LeaseTime: 10 * time.Second}, map[string]*sdk.Adapter{"shop": slow})
			w.shopAccount(p.URL)
			_, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa))
			var answer *fault.Error
			require.ErrorAs(t, err, &answer)
			require.Equal(t, fault.KindUnavailable, answer.Kind, "the caller may try again")
			require.Contains(t, answer.Message, "nothing was done")
			require.Zero(t, p.count("POST"))
			require.Equal(t, 1, w.alarms.all()["lease_lost"])
		})
	}
}

// A repeated Idempotency-Key gets the stored answer. With another body it is refused. If the first request died midway, the repetition
// finds its results.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick, nil)
	w.account("simulator", "")
	begin := func(hash string) (*idempotency.Answer, account.Auth, func(context.Context, idempotency.Answer) error, func(context.Context), error) {
		auth := w.auth
		stored, finish, abandon, err := w.BeginIdempotent(t.Context(), &auth, "k1", []byte(hash))
		return stored, auth, finish, abandon, err
	}
	stored, auth, _, abandon, err := begin("body")
	require.NoError(t, err)
	require.Nil(t, stored)
	first, err := w.CreatePayment(t.Context(), auth, sale(100, visa))
	require.NoError(t, err)

	_, _, _, _, err = begin("body")
	require.Equal(t, "HE_00", code(t, err), "the first is still being worked on")
	_, _, _, _, err = begin("other body")
	require.Equal(t, "IR_38", code(t, err))

	abandon(t.Context()) // the first request died before its answer
	stored, auth, finish, _, err := begin("body")
	require.NoError(t, err)
	require.Nil(t, stored)
	require.True(t, auth.Repeated)
	again, err := w.CreatePayment(t.Context(), auth, sale(100, visa))
	require.NoError(t, err)
	require.Equal(t, first.Payment.ID, again.Payment.ID, "charged once")
	require.Len(t, w.operations(first.Payment.ID), 1)

	require.NoError(t, finish(t.Context(), idempotency.Answer{Status: 200, Body: []byte(`{"a":1}`), Headers: map[string][]string{"X": {"y"}}}))
	stored, _, _, _, err = begin("body")
	require.NoError(t, err)
	require.Equal(t, &idempotency.Answer{Status: 200, Body: []byte(`{"a":1}`), Headers: map[string][]string{"X": {"y"}}}, stored)
	_, _, _, _, err = begin("other body")
	require.Equal(t, "IR_38", code(t, err))
}

// The first try of a capture dies after it has captured. The repetition captures nothing more.
func TestIdempotentCapture(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, multiple))
	auth := w.auth
	auth.RequestToken = "token-of-the-request"
	in := &request.CaptureInput{Amount: ptr(int64(300))}
	_, err := w.CapturePayment(t.Context(), auth, v.Payment.ID, in)
	require.NoError(t, err)
	auth.Repeated = true
	got, err := w.CapturePayment(t.Context(), auth, v.Payment.ID, in)
	require.NoError(t, err)
	require.EqualValues(t, 300, got.Payment.Received)
	require.Len(t, got.Attempt.Details.Captures, 1)
}

// Concurrent captures of one payment never take more than the authorized amount.
func TestConcurrentCaptures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{LockWait: 10 * time.Second}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa, multiple))
	done := make(chan error)
	for range 8 {
		go func() {
			_, err := w.CapturePayment(context.Background(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: ptr(int64(300))})
			done <- err
		}()
	}
	taken := 0
	for range 8 {
		if <-done == nil {
			taken++
		}
	}
	require.Equal(t, 3, taken)
	require.EqualValues(t, 900, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Received)
}
