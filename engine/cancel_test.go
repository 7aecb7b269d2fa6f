package engine_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// pages is a processor whose payers act on its own pages. Tests set what has become of the one payment.
type pages struct {
	*httptest.Server
	mu    sync.Mutex
	state string // requires_customer_action, authorized, captured, voided, declined, none; "" for no answer
	voids int
}

func newPages(t *testing.T) *pages {
	p := &pages{state: "requires_customer_action"}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.state == "" {
			panic(http.ErrAbortHandler)
		}
		state := p.state
		if r.URL.Path == "/void" {
			p.voids++
			if state == "requires_customer_action" || state == "authorized" {
				p.state, state = "voided", "voided"
			} else {
				state = "refused"
			}
		}
		json.NewEncoder(w).Encode(map[string]string{"state": state})
	}))
	t.Cleanup(p.Server.Close)
	return p
}

func (p *pages) set(state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
}

func (p *pages) voided() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.voids
}

// redirecting returns an adapter of pages.
func redirecting(preAuthVoid bool) *sdk.Adapter {
	a := mailing(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 30})
	a.Manifest.Features.PreAuthVoid = preAuthVoid
	ask := func(c *sdk.Call, method, path string) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: method, URL: path, SafeToRepeat: method == "GET"})
		if err != nil {
			return nil, err
		}
		o := &sdk.Outcome{Status: sdk.OutcomeStatus(r.JSON().Str("state")), TransactionID: cmp.Or(c.Request.TransactionID, "tx_"+c.Request.Reference)}
		switch o.Status {
		case sdk.StatusCustomerAction:
			o.NextAction = &sdk.NextAction{Type: "redirect", URL: "https://pages.test/act"}
		case "refused":
			return sdk.Declined(sdk.NewDecline("not_voidable", "not voidable", sdk.DeclineGeneric)), nil
		case sdk.StatusDeclined:
			return sdk.Declined(sdk.NewDecline("declined", "declined", sdk.DeclineGeneric)), nil
		}
		return o, nil
	}
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) { return ask(c, "POST", "/pay") }
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) { return ask(c, "GET", "/pay") }
	a.Void = func(c *sdk.Call) (*sdk.Outcome, error) { return ask(c, "POST", "/void") }
	return a
}

// atTheProcessor makes a payment whose payer is at the processor's page.
func (w *world) atTheProcessor(p *pages) string {
	w.t.Helper()
	w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(100, visa, manual))
	require.Equal(w.t, payment.RequiresCustomerAction, v.Payment.Status)
	return v.Payment.ID
}

// A cancel while the payer is at the processor's page voids the payment there.
func TestCancelVoidsWhileThePayerActs(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": redirecting(true)})
	id := w.atTheProcessor(p)
	v, err := w.CancelPayment(t.Context(), w.auth, id, "changed my mind")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	require.Equal(t, 1, p.voided())
	for _, op := range w.operations(id) {
		require.Equal(t, payment.OperationSucceeded, op.Status, op.Kind)
		require.Empty(t, op.Instrument)
	}
	require.Equal(t, []string{"action_required", "payment_cancelled"}, w.events(id))
	require.Empty(t, w.alarms.all())
}

// The payer has finished before the cancel: the payment is never shown as cancelled while the processor holds or has money.
func TestCancelAfterThePayerFinished(t *testing.T) {
	t.Parallel()
	for _, preAuthVoid := range []bool{true, false} {
		p := newPages(t)
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": redirecting(preAuthVoid)})
		id := w.atTheProcessor(p)
		p.set("captured")
		_, err := w.CancelPayment(t.Context(), w.auth, id, "")
		if !preAuthVoid {
			require.Equal(t, "IR_16", code(t, err))
		}
		require.Equal(t, payment.Succeeded, w.get(id, request.RetrieveInput{}).Payment.Status)

		p.set("requires_customer_action")
		id = w.pay(sale(100, visa, manual)).Payment.ID
		p.set("authorized")
		v, err := w.CancelPayment(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		require.Equal(t, payment.Cancelled, v.Payment.Status)
		require.Positive(t, p.voided(), "what the processor held is released")
		p.mu.Lock()
		require.Equal(t, "voided", p.state)
		p.mu.Unlock()
	}
}

// The processor does not answer a cancel: the payment stays, and is cancelled when there is an answer.
func TestCancelWaitsForTheProcessor(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": redirecting(false)})
	id := w.atTheProcessor(p)
	p.set("")
	v, err := w.CancelPayment(t.Context(), w.auth, id, "late")
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCustomerAction, v.Payment.Status)
	p.set("authorized")
	v = w.get(id, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	require.Equal(t, 1, p.voided())
	require.Equal(t, "late", v.Payment.Details.CancellationReason)
}

// A payer finishes a payment that the processor still offered when it was cancelled. The engine finds out by itself: held funds are voided, taken
// money is raised and put under review.
func TestCancelledPaymentIsNotForgotten(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{"shop": redirecting(false)})
		id := w.atTheProcessor(p)
		v, err := w.CancelPayment(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		require.Equal(t, payment.Cancelled, v.Payment.Status)
		p.set("authorized")
		w.running()
		time.Sleep(15 * time.Minute)
		v = w.get(id, request.RetrieveInput{})
		require.Equal(t, payment.Cancelled, v.Payment.Status)
		require.Equal(t, 1, p.voided())
		require.True(t, v.Attempt.Details.Released)
		require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all())

		p.set("requires_customer_action")
		third := w.pay(sale(100, visa, manual)).Payment.ID
		_, err = w.CancelPayment(t.Context(), w.auth, third, "")
		require.NoError(t, err)
		p.set("captured")
		time.Sleep(15 * time.Minute)
		v = w.get(third, request.RetrieveInput{})
		require.Equal(t, payment.Review, v.Payment.Status)
		require.EqualValues(t, 100, v.Payment.Received)
		require.Equal(t, []string{"action_required", "payment_cancelled", "action_required"}, w.events(third))
	}, p.Server)
}

// A refusal of a payment that was cancelled before the customer had finished says nothing new.
func TestRefusalOfACancelledPaymentIsNoAlarm(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": redirecting(false)})
	id := w.atTheProcessor(p)
	v, err := w.CancelPayment(t.Context(), w.auth, id, "")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	_, err = w.ReceiveWebhook(t.Context(), mail(v.Attempt.AccountID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusDeclined, Decline: sdk.NewDecline("declined", "declined", sdk.DeclineGeneric)}}))
	require.NoError(t, err)
	require.Empty(t, w.alarms.all())
	require.Equal(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status)
}

// A processor's message about a cancelled payment triggers the same, at once and once; so does an unsigned message, by a query.
func TestMessageAboutACancelledPayment(t *testing.T) {
	t.Parallel()
	for _, unsigned := range []bool{false, true} {
		for state, want := range map[string]payment.Status{"authorized": payment.Cancelled, "captured": payment.Review} {
			p := newPages(t)
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": redirecting(false)})
			id := w.atTheProcessor(p)
			v, err := w.CancelPayment(t.Context(), w.auth, id, "")
			require.NoError(t, err)
			require.Equal(t, payment.Cancelled, v.Payment.Status)
			p.set(state)
			content := map[string]any{"reference": v.Attempt.Details.Reference, "outcome": sdk.Outcome{Status: sdk.OutcomeStatus(state), TransactionID: "tx_" + v.Attempt.Details.Reference}}
			if unsigned {
				content = map[string]any{"reference": v.Attempt.Details.Reference, "sync": true}
			}
			for range 2 {
				_, err = w.ReceiveWebhook(t.Context(), mail(v.Attempt.AccountID, hookSecret, content))
				require.NoError(t, err)
			}
			v = w.get(id, request.RetrieveInput{})
			require.Equal(t, want, v.Payment.Status)
			require.Equal(t, state == "authorized", p.voided() == 1, "held funds are voided")
			require.Equal(t, state == "authorized", v.Attempt.Details.Released)
			require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all())
		}
	}
}
