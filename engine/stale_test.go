package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// storeBetween runs a step after the next read transaction, or after the next write, as if another request came just then.
type storeBetween struct {
	engine.Store
	step, written atomic.Pointer[func()]
}

func (s *storeBetween) Update(ctx context.Context, f func(engine.Tx) error) error {
	err := s.Store.Update(ctx, f)
	if step := s.written.Swap(nil); step != nil {
		(*step)()
	}
	return err
}

func (s *storeBetween) View(ctx context.Context, f func(engine.Reader) error) error {
	err := s.Store.View(ctx, f)
	if step := s.step.Swap(nil); step != nil {
		(*step)()
	}
	return err
}

// between makes a world whose engine reads through a storeBetween.
func between(t *testing.T, adapters map[string]*sdk.Adapter) (*world, *storeBetween, *engine.Engine) {
	t.Helper()
	w := newWorld(t, quick, adapters)
	all := map[string]*sdk.Adapter{"simulator": simulatorAdapter()}
	for name, a := range adapters {
		all[name] = a
	}
	s := &storeBetween{Store: w.db}
	o := quick
	o.LockWait = time.Minute // the step counts as waiting
	e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(all), Vault: w.vault, Presenter: presenter{}}, o)
	require.NoError(t, err)
	return w, s, e
}

// A capture reads the payment while the confirm is being driven; the confirm ends before the capture looks at anything else. The capture is
// valid, and must not be refused for the status of a moment ago.
func TestCaptureWhileConfirmEnds(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	a := simulatorReleasing(true)
	authorize := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		close(entered)
		<-release
		return authorize(c)
	}
	w, s, e := between(t, map[string]*sdk.Adapter{"slow": a})
	w.account("slow", "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CreatePayment(context.Background(), w.auth, sale(100, visa, manual, func(in *request.Input) { in.PaymentID = "p1" }))
	}()
	<-entered
	step := func() {
		close(release)
		<-done
	}
	s.step.Store(&step)
	v, err := e.CapturePayment(t.Context(), w.auth, "p1", &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
}

// A confirm reads the payment, and an update replaces its card before the confirm reads that card. The confirm is valid with the new card.
func TestConfirmBesideUpdate(t *testing.T) {
	t.Parallel()
	w, s, e := between(t, nil)
	w.account("simulator", "")
	in := sale(100, visa)
	in.Confirm = nil
	id := w.pay(in).Payment.ID
	step := func() {
		update := sale(200, visa)
		update.Confirm = nil
		_, err := w.UpdatePayment(context.Background(), w.auth, id, update)
		require.NoError(t, err)
	}
	s.step.Store(&step)
	v, err := e.ConfirmPayment(t.Context(), w.auth, id, &request.Input{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.EqualValues(t, 200, v.Payment.Received)
	require.Len(t, w.operations(id), 1, "charged once")
}

// A payment that failed as not processed is asked about after a day and after a week: the processor acted late, or showed it late.
func TestNotProcessedIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]payment.Status{"authorized": payment.Failed, "captured": payment.Review} {
		p := newTill(t)
		p.set("/authorize", "drop")
		inBubble(t, func(t *testing.T) {
			rule := resolving(sdk.ResolveByReference)
			rule.NotFoundFinalAfterSeconds = 60
			w := newWorld(t, engine.Options{ResolveEvery: 30 * time.Minute}, map[string]*sdk.Adapter{"shop": tillAdapter(rule)})
			w.shopAccount(p.URL)
			v := w.pay(sale(100, visa, manual))
			w.running()
			time.Sleep(70 * time.Minute)
			id := v.Payment.ID
			require.Equal(t, payment.Failed, w.get(id, request.RetrieveInput{}).Payment.Status)
			p.mu.Lock()
			p.state[v.Attempt.Details.Reference] = state
			p.mu.Unlock()
			time.Sleep(22 * time.Hour)
			require.Equal(t, payment.Failed, w.get(id, request.RetrieveInput{}).Payment.Status)
			require.Empty(t, w.alarms.all())
			time.Sleep(4 * time.Hour)
			v = w.get(id, request.RetrieveInput{})
			require.Equal(t, want, v.Payment.Status)
			require.Equal(t, state == "authorized", p.count("/void") == 1)
			require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all())
			time.Sleep(8 * 24 * time.Hour)
			asked := p.count("/query")
			time.Sleep(8 * 24 * time.Hour)
			require.Equal(t, asked, p.count("/query"), "a week later nobody asks any more")
			require.True(t, w.operations(id)[0].ResolveAt.IsZero())
		}, p.Server)
	}
}

// An answer that says nothing, and comes after the operation has closed, is no evidence: it raises no alarm.
func TestUnknownOutcomeRaisesNoLateEvidence(t *testing.T) {
	t.Parallel()
	p := newHeld(t)
	rule := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByWebhook, sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 1}
	a := mailing(rule)
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		c.Do(&sdk.Send{Method: "POST", URL: "/pay"})
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}
	o := engine.Options{ResolveEvery: 20 * time.Millisecond, LeaseTime: quick.LeaseTime}
	w := newWorld(t, o, map[string]*sdk.Adapter{"shop": a})
	w.mailAccount("shop", p.URL, "")
	other := w.second(o, map[string]*sdk.Adapter{"shop": a})
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CreatePayment(context.Background(), w.auth, sale(100, visa, func(in *request.Input) { in.PaymentID = "late" }))
	}()
	first := p.next(t, "POST")
	outlive(w, other)
	other.running()
	p.next(t, "GET").answer <- `{"id":"tx_1"}` // captured
	other.eventually("late", payment.Succeeded)
	first.answer <- ""
	<-done
	require.Empty(t, w.alarms.all())
	require.Equal(t, payment.Succeeded, w.get("late", request.RetrieveInput{}).Payment.Status)
}
