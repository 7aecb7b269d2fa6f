package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

func inParts(a *sdk.Adapter) *sdk.Adapter {
	a.Manifest.Features.PartialCapture = true
	return a
}

// A void that no caller waits for is sent again when the processor did not carry it out: otherwise the customer's money stays held, and no alarm says
// so.
func TestReleaseIsSentAgain(t *testing.T) {
	t.Parallel()
	keyless := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 4}
	for how, rule := range map[string]sdk.ResolveRule{"429": resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend), "drop": keyless} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: time.Second}, map[string]*sdk.Adapter{"shop": inParts(tillAdapter(rule))})
			w.shopAccount(p.URL)
			p.set("/void", how)
			id := w.pay(sale(100, visa, manual)).Payment.ID
			v, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr(int64(40))})
			require.NoError(t, err)
			require.Equal(t, payment.PartiallyCaptured, v.Payment.Status)
			w.running()
			time.Sleep(2 * time.Minute)
			require.Greater(t, p.count("/void"), 2)
			require.Less(t, p.count("/void"), 20, "the pauses grow")
			require.Equal(t, payment.PartiallyCaptured, w.get(id, request.RetrieveInput{}).Payment.Status)
			require.Empty(t, w.alarms.all())
			p.set("/void", "")
			time.Sleep(3 * time.Minute)
			v = w.get(id, request.RetrieveInput{})
			require.True(t, v.Attempt.Details.Released)
			require.Equal(t, payment.PartiallyCaptured, v.Payment.Status)
			require.EqualValues(t, 40, v.Payment.Received)
			require.Empty(t, v.Payment.OpenOperation)
			require.Empty(t, w.alarms.all())
		}, p.Server)
	}
}

// A release whose age is not known after several jumps of the clock is sent: an early void does no harm, and a rest that stays held does.
func TestReleaseOfUnknownAgeIsSent(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		o := engine.Options{ResolveEvery: time.Second, LeaseTime: 40 * time.Second}
		adapters := map[string]*sdk.Adapter{"shop": inParts(tillAdapter(resolving(sdk.ResolveByReference)))}
		w := newWorldAt(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db", 10*time.Minute)
		w.shopAccount(p.URL)
		w.running()
		p.set("/void", "429")
		id := w.pay(sale(100, visa, manual)).Payment.ID
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr(int64(40))})
		require.NoError(t, err)
		for _, by := range []time.Duration{-20 * time.Minute, 130 * time.Minute} {
			time.Sleep(5 * time.Second)
			w.jump(by)
		}
		p.set("/void", "")
		time.Sleep(5 * time.Minute)
		require.True(t, w.get(id, request.RetrieveInput{}).Attempt.Details.Released)
		require.Zero(t, w.alarms.all()["release_refused"])
	}, p.Server)
}

// heldInParts returns a world and a payment that it holds. The processor takes captures of parts, and answers every void that it is busy.
func heldInParts(t *testing.T, p *till) (w *world, id string) {
	w = newWorld(t, engine.Options{ResolveEvery: 5 * time.Minute}, map[string]*sdk.Adapter{"shop": inParts(tillAdapter(resolving(sdk.ResolveByReference)))})
	w.shopAccount(p.URL)
	p.set("/void", "429")
	return w, w.pay(sale(100, visa, manual)).Payment.ID
}

// After a day an operator must void the rest.
func TestReleaseGivesUp(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		w, id := heldInParts(t, p)
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr(int64(40))})
		require.NoError(t, err)
		w.running()
		time.Sleep(25 * time.Hour)
		require.Equal(t, map[string]int{"release_refused": 1}, w.alarms.all())
		v := w.get(id, request.RetrieveInput{})
		require.Equal(t, payment.PartiallyCaptured, v.Payment.Status)
		require.False(t, v.Attempt.Details.Released)
		require.Empty(t, v.Payment.OpenOperation)
	}, p.Server)
}

// A cancel that was answered with processing is carried out, also if a query shows that the void did not happen.
func TestLostVoidIsSentAgain(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: time.Second}, map[string]*sdk.Adapter{
			"shop": tillAdapter(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 4})})
		w.shopAccount(p.URL)
		id := w.pay(sale(100, visa, manual)).Payment.ID
		p.set("/void", "drop")
		v, err := w.CancelPayment(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		require.Equal(t, payment.Processing, v.Payment.Status)
		w.running()
		time.Sleep(time.Minute)
		require.Greater(t, p.count("/void"), 1)
		require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
		p.set("/void", "")
		time.Sleep(5 * time.Minute)
		require.Equal(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status)
	}, p.Server)
}

// A void that the processor refused is not begun again by a later capture that failed.
func TestRefusedVoidIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		a := tillAdapter(resolving(sdk.ResolveByReference))
		void, refuse := a.Void, true
		a.Void = func(c *sdk.Call) (*sdk.Outcome, error) {
			if o, err := void(c); err != nil || !refuse {
				return o, err
			}
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "no", Message: "no", Reason: sdk.DeclineGeneric}}, nil
		}
		w := newWorld(t, engine.Options{ResolveEvery: time.Second}, map[string]*sdk.Adapter{"shop": a})
		w.shopAccount(p.URL)
		p.set("/authorize", "drop done")
		id := w.pay(sale(100, visa, manual)).Payment.ID
		_, err := w.CancelPayment(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		w.running()
		w.eventually(id, payment.RequiresCapture)
		p.set("/capture", "429")
		voids := p.count("/void")
		v, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
		require.NoError(t, err)
		require.Equal(t, payment.RequiresCapture, v.Payment.Status)
		require.Equal(t, voids, p.count("/void"))
		p.set("/capture", "")
		v, err = w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
		require.NoError(t, err)
		require.Equal(t, payment.Succeeded, v.Payment.Status)
	}, p.Server)
}

// A cancel that was accepted while the authorization was unknown is carried out, also if the processor takes no requests when the funds are found. So
// is the void of funds that were found after the customer had gone.
func TestAcceptedCancelIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, wanted := range []bool{true, false} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: time.Second}, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByReference))})
			w.shopAccount(p.URL)
			p.set("/authorize", "drop done")
			p.set("/query", "429")
			p.set("/void", "429")
			id := w.pay(sale(100, visa, manual)).Payment.ID
			if wanted {
				v, err := w.CancelPayment(t.Context(), w.auth, id, "")
				require.NoError(t, err)
				require.Equal(t, payment.Processing, v.Payment.Status)
			}
			w.running()
			time.Sleep(3 * time.Minute)
			p.set("/query", "")
			time.Sleep(15 * time.Minute)
			require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
			require.Greater(t, p.count("/void"), 1)
			p.set("/void", "")
			time.Sleep(11 * time.Minute)
			require.Equal(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status)
			require.Empty(t, w.alarms.all())
		}, p.Server)
	}
}
