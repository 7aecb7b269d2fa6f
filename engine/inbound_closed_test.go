package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// A message without proof about a closed payment makes the engine ask the processor. What contradicts the books is raised and kept: for a payment
// that the processor took back, and for one that had ended without money.
func TestNewsOfAClosedPaymentIsAskedFor(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	state := sdk.StatusCaptured
	a := mailing(byReference)
	sync := a.Sync
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := sync(c)
		if o != nil && o.Status == sdk.StatusCaptured {
			o.Status = state
		}
		return o, err
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
	shop := w.mailAccount("shop", p.URL, "")
	news := func(v *payment.Attempt) {
		t.Helper()
		asked := p.count("GET")
		_, err := w.ReceiveWebhook(t.Context(), mail(shop.ID, hookSecret, map[string]any{"reference": v.Details.Reference, "sync": true}))
		require.NoError(t, err)
		require.Equal(t, asked+1, p.count("GET"), "the processor was asked")
	}
	good := w.pay(sale(100, visa))
	require.Equal(t, payment.Succeeded, good.Payment.Status)
	news(good.Attempt)
	require.Empty(t, w.alarms.all(), "it says what is booked")

	state = sdk.StatusVoided
	for range 2 {
		news(good.Attempt)
	}
	require.Equal(t, payment.Succeeded, w.get(good.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Positive(t, w.alarms.all()["late_evidence"])
	kept := w.evidence(w.operations(good.Payment.ID)[0].ID)
	require.Len(t, kept, 1, "kept once")
	require.Equal(t, "sync", string(kept[0].Source))
	require.Contains(t, string(kept[0].Outcome), "voided")

	state = sdk.StatusCaptured
	p.dropped.Store(true)
	lost := w.pay(sale(100, visa))
	p.dropped.Store(false)
	w.pass(31 * time.Second)
	lost = w.get(lost.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Failed, lost.Payment.Status)
	p.mu.Lock()
	p.ledger[lost.Attempt.Details.Reference] = 100 // it acted after all
	p.mu.Unlock()
	news(lost.Attempt)
	require.Equal(t, payment.Review, w.get(lost.Payment.ID, request.RetrieveInput{}).Payment.Status)
	kept = w.evidence(w.operations(lost.Payment.ID)[0].ID)
	require.Len(t, kept, 1)
	require.Equal(t, "sync", string(kept[0].Source))
}

// A flood of messages without proof makes the engine ask the processor only now and then. The sender hears that it may repeat them, so no news is
// lost. Other payments are asked about meanwhile.
func TestFloodAboutOnePaymentIsNotPassedOn(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": withoutProof(mailing(byReference))})
		a := w.mailAccount("shop", p.URL, "")
		one, other := w.pay(sale(100, visa)), w.pay(sale(100, visa))
		news := func(v *payment.Attempt) error {
			_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Details.Reference, "sync": true}))
			return err
		}
		limited := 0
		for range 100 {
			if err := news(one.Attempt); err != nil {
				var e *fault.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, fault.KindLimited, e.Kind)
				limited++
			}
		}
		require.Equal(t, 95, limited)
		require.Equal(t, 5, p.count("GET"))
		require.NoError(t, news(other.Attempt))
		time.Sleep(time.Minute)
		require.NoError(t, news(one.Attempt))
		require.Error(t, news(one.Attempt))
		require.Equal(t, 7, p.count("GET"))
	}, p.Server)
}
