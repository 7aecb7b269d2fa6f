package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// voider returns the adapter of a till that voids what is captured. Its messages are those of mailing.
func voider(rule sdk.ResolveRule) *sdk.Adapter {
	a, m := tillAdapter(rule), mailing(rule)
	a.Manifest.Credentials, a.Webhook = m.Manifest.Credentials, m.Webhook
	a.Manifest.Features = sdk.Features{PartialCapture: true, MultipleCapture: true, ReleasesRest: true, PartialRefund: true, VoidCaptured: true}
	for _, f := range []*sdk.Func{&a.Authorize, &a.Capture, &a.Sync} {
		do := *f
		*f = func(c *sdk.Call) (*sdk.Outcome, error) {
			o, err := do(c)
			if o != nil {
				o.TransactionID = "tx_" + c.Request.Reference
			}
			return o, err
		}
	}
	void := a.Void
	a.Void = func(c *sdk.Call) (*sdk.Outcome, error) {
		if !c.Request.VoidCaptured || c.Request.Amount.Minor != c.Request.Payment.Captured {
			return nil, errors.New("this is no void of the whole capture")
		}
		o, err := void(c)
		if o != nil && o.Status == sdk.StatusVoided {
			o.Reference = "void_1"
		}
		return o, err
	}
	a.Refund = func(c *sdk.Call) (*sdk.Outcome, error) { // the till keeps a refund as it keeps a payment, by its reference
		if o, err := tillAdapter(rule).Authorize(c); err != nil || o.Status != sdk.StatusAuthorized {
			return o, err
		}
		return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_" + c.Request.Reference}, nil
	}
	return a
}

// voiding makes a world with a payment of 1000, and captures amount.
func voiding(t *testing.T, p *till, rule sdk.ResolveRule, amount int64, change ...func(*sdk.Adapter)) (*world, *account.Account, capturedAt) {
	t.Helper()
	a := voider(rule)
	for _, f := range change {
		f(a)
	}
	w := newWorld(t, engine.Options{ResolveEvery: 5 * time.Minute, LeaseTime: 10 * time.Second, LockWait: 200 * time.Millisecond}, map[string]*sdk.Adapter{"shop": a})
	at := w.mailAccount("shop", p.URL, "")
	v := w.pay(sale(1000, visa, manual))
	v, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: &amount})
	require.NoError(t, err)
	return w, at, capturedAt{v.Payment.ID, v.Attempt.Details.Reference}
}

// capturedAt names a payment, here and at the till.
type capturedAt struct{ id, reference string }

// takeBack voids a captured payment.
func (w *world) takeBack(id string) (*change.View, error) {
	return w.CancelCaptured(context.Background(), w.auth, id, "changed my mind")
}

// stands returns what a payment shows of its void: status, received, and the void's status.
func stands(v *change.View) []any {
	void := payment.VoidStatus("")
	if x := v.Attempt.Details.CapturedVoid; x != nil {
		void = x.Status
	}
	return []any{v.Payment.Status, v.Payment.Received, void}
}

var (
	takenBack = []any{payment.CancelledPostCapture, int64(0), payment.VoidSucceeded}
	stillPaid = []any{payment.Succeeded, int64(1000), payment.VoidFailed}
	undecided = []any{payment.Succeeded, int64(1000), payment.VoidPending}
)

// A void of a captured payment takes the whole capture back, also a partial one. Nothing follows it.
func TestVoidAfterCapture(t *testing.T) {
	t.Parallel()
	for _, amount := range []int64{1000, 400} {
		p := newTill(t)
		w, _, pay := voiding(t, p, byReference, amount)
		v, err := w.takeBack(pay.id)
		require.NoError(t, err)
		require.Equal(t, takenBack, stands(v))
		require.Equal(t, []any{int64(0), "changed my mind", "void_1"},
			[]any{v.Payment.Capturable, v.Payment.Details.CancellationReason, v.Attempt.Details.CapturedVoid.Reference})
		events := w.events(pay.id)
		require.Equal(t, "payment_cancelled_post_capture", events[len(events)-1])
		require.Empty(t, v.Payment.OpenOperation)
		_, err = w.takeBack(pay.id)
		require.ErrorContains(t, err, "it has status cancelled_post_capture")
		_, err = w.refund(pay.id, 100)
		require.Equal(t, "IR_14", code(t, err))
		require.Equal(t, 1, p.count("/void"))
		require.Empty(t, w.alarms.all())
	}
}

// A void that did not happen leaves the payment as it was, and it can be refunded.
func TestRefusedVoidAfterCapture(t *testing.T) {
	t.Parallel()
	for how, text := range map[string]string{"refuse": "refused: The till refuses.", "429": "429"} {
		for amount, status := range map[int64]payment.Status{1000: payment.Succeeded, 400: payment.PartiallyCaptured} {
			p := newTill(t)
			w, _, pay := voiding(t, p, byReference, amount)
			p.set("/void", how)
			v, err := w.takeBack(pay.id)
			require.NoError(t, err)
			require.Equal(t, []any{status, amount, payment.VoidFailed}, stands(v))
			require.Contains(t, v.Attempt.Details.CapturedVoid.Text, text)
			require.Nil(t, v.Attempt.Details.Error, "the payment has no error")
			require.Empty(t, v.Payment.Details.CancellationReason)
			require.Len(t, w.events(pay.id), 2, "of the authorization and the capture")
			require.Equal(t, 1, p.count("/void"))
			f, err := w.refund(pay.id, amount)
			require.NoError(t, err)
			require.Equal(t, payment.RefundSucceeded, f.Status)
			_, err = w.takeBack(pay.id)
			require.ErrorContains(t, err, "refunded")
			require.Empty(t, w.alarms.all())
		}
	}
}

// While nothing is known of a void, the payment stays as it was, and is neither refunded nor voided again. The processor's word ends it.
func TestUnknownVoidAfterCapture(t *testing.T) {
	t.Parallel()
	for how, end := range map[string][]any{"drop done": takenBack, "500 done": takenBack, "drop": stillPaid, "500": stillPaid} {
		t.Run(how, func(t *testing.T) {
			p := newTill(t)
			inBubble(t, func(t *testing.T) {
				w, _, pay := voiding(t, p, byReference, 1000)
				p.set("/void", how)
				v, err := w.takeBack(pay.id)
				require.NoError(t, err)
				require.Equal(t, undecided, stands(v))
				_, err = w.takeBack(pay.id)
				require.ErrorContains(t, err, "the result of an earlier one is not known yet")
				_, err = w.refund(pay.id, 100)
				require.ErrorContains(t, err, "Refund void cannot be performed after a post-capture void has been issued")
				_, err = w.refund(pay.id, 1001)
				require.Equal(t, "IR_13", code(t, err), "the amount is looked at first")
				require.Equal(t, undecided, stands(w.get(pay.id, request.RetrieveInput{ForceSync: true})), "a captured payment is not asked about")
				w.running()
				require.Eventually(t, func() bool { return !w.lastOperation(pay.id).Status.Open() }, 2*time.Hour, 5*time.Minute)
				v = w.get(pay.id, request.RetrieveInput{})
				require.Equal(t, end, stands(v))
				require.Empty(t, v.Payment.OpenOperation)
				require.Empty(t, w.alarms.all())
				if v.Payment.Status == payment.Succeeded { // the processor voids it late
					p.mu.Lock()
					p.state[pay.reference] = "voided"
					p.mu.Unlock()
					time.Sleep(26 * time.Hour)
					v = w.get(pay.id, request.RetrieveInput{})
					require.Equal(t, takenBack, stands(v))
					require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all())
				}
			}, p.Server)
		})
	}
}

// An answer that voids less than the capture proves nothing about the rest: the payment stays as it was until the processor says more.
func TestVoidOfLessThanTheCapture(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]sdk.Outcome{
		"another amount":      {Status: sdk.StatusVoided, Amount: &sdk.Money{Minor: 400, Currency: "USD"}},
		"a part is captured":  {Status: sdk.StatusVoided, Totals: &sdk.Totals{Authorized: 1000, Captured: 600}},
		"in another currency": {Status: sdk.StatusVoided, Amount: &sdk.Money{Minor: 1000, Currency: "EUR"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTill(t)
			inBubble(t, func(t *testing.T) {
				w, _, pay := voiding(t, p, byReference, 1000, func(a *sdk.Adapter) {
					void := a.Void
					a.Void = func(c *sdk.Call) (*sdk.Outcome, error) {
						if _, err := void(c); err != nil {
							return nil, err
						}
						o := lie
						return &o, nil
					}
				})
				v, err := w.takeBack(pay.id)
				require.NoError(t, err)
				require.Equal(t, undecided, stands(v))
				_, err = w.refund(pay.id, 100)
				require.Equal(t, "IR_16", code(t, err))
				require.Len(t, w.alarms.all(), 1, "the operator gets an alarm")
				w.running()
				require.Eventually(t, func() bool { return !w.lastOperation(pay.id).Status.Open() }, 2*time.Hour, 5*time.Minute)
				require.Equal(t, takenBack, stands(w.get(pay.id, request.RetrieveInput{})), "the till has voided it, and says so when it is asked")
				require.Equal(t, 1, p.count("/void"))
			}, p.Server)
		})
	}
}

// A processor that only accepts the void says later what became of it, in a message or when it is asked.
func TestAcceptedVoidAfterCapture(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			w, at, pay := voiding(t, p, byReference, 1000)
			p.set("/void", "later")
			v, err := w.takeBack(pay.id)
			require.NoError(t, err)
			require.Equal(t, undecided, stands(v))
			p.mu.Lock()
			p.state[pay.reference] = "voided"
			p.mu.Unlock()
			if told {
				_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"reference": pay.reference, "outcome": sdk.Outcome{Status: sdk.StatusVoided}}))
				require.NoError(t, err)
			} else {
				w.running()
				require.Eventually(t, func() bool { return w.lastOperation(pay.id).Status == payment.OperationSucceeded }, 2*time.Hour, 5*time.Minute)
			}
			require.Equal(t, takenBack, stands(w.get(pay.id, request.RetrieveInput{})))
			require.Empty(t, w.alarms.all())
		}, p.Server)
	}
}

// The engine believes a processor that says that a captured payment is voided, where its adapter voids captures. If no void was asked for, it raises the alarm.
func TestVoidAfterCaptureThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	cannot := func(a *sdk.Adapter) { a.Manifest.Features.VoidCaptured = false }
	for name, c := range map[string]struct {
		change []func(*sdk.Adapter)
		amount int64
		want   []any
	}{
		"signed":              {nil, 1000, takenBack},
		"asked":               {[]func(*sdk.Adapter){func(a *sdk.Adapter) { withoutProof(a) }}, 1000, takenBack},
		"not offered":         {[]func(*sdk.Adapter){cannot}, 1000, []any{payment.Succeeded, int64(1000), payment.VoidStatus("")}},
		"of a partial's rest": {nil, 400, []any{payment.PartiallyCaptured, int64(400), payment.VoidStatus("")}},
		"of a part":           {nil, 1000, []any{payment.Succeeded, int64(1000), payment.VoidStatus("")}},
		"of a rest whose release is unknown": {[]func(*sdk.Adapter){func(a *sdk.Adapter) { a.Manifest.Features.ReleasesRest = false }}, 400,
			[]any{payment.PartiallyCaptured, int64(400), payment.VoidStatus("")}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTill(t)
			w, at, pay := voiding(t, p, byReference, c.amount, c.change...)
			p.state[pay.reference] = "voided"
			content := map[string]any{"reference": pay.reference, "outcome": sdk.Outcome{Status: sdk.StatusVoided}}
			if name == "of a part" {
				content["outcome"] = sdk.Outcome{Status: sdk.StatusVoided, Amount: &sdk.Money{Minor: 400, Currency: "USD"}}
			}
			if name == "asked" {
				content = map[string]any{"reference": pay.reference, "sync": true}
			}
			for range 2 {
				_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, content))
				require.NoError(t, err)
			}
			v := w.get(pay.id, request.RetrieveInput{})
			require.Equal(t, c.want, stands(v))
			alarms := w.alarms.all()
			if c.amount == 400 {
				require.Empty(t, alarms, "the rest was released")
				return
			}
			require.Positive(t, alarms["late_evidence"])
			if name == "signed" || name == "asked" {
				require.Equal(t, map[string]int{"late_evidence": 1}, alarms)
				require.Equal(t, "payment_cancelled_post_capture", w.events(pay.id)[2])
				require.NotEmpty(t, w.evidence(w.lastOperation(pay.id).ID), "what was said is kept")
			}
		})
	}
}

// The release of a partial capture's rest was given up. The processor's message that it released the rest after all is booked, and announces nothing.
func TestRestIsReleasedAfterAll(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		w, at, pay := voiding(t, p, byReference, 400, func(a *sdk.Adapter) { a.Manifest.Features.ReleasesRest = false })
		w.running()
		time.Sleep(25 * time.Hour) // the adapter voids no rest
		v := w.get(pay.id, request.RetrieveInput{})
		require.Equal(t, []any{"", false}, []any{v.Payment.OpenOperation, v.Attempt.Details.Released})
		events := w.events(pay.id)
		for range 2 {
			_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"reference": pay.reference, "outcome": sdk.Outcome{Status: sdk.StatusVoided}}))
			require.NoError(t, err)
			v = w.get(pay.id, request.RetrieveInput{})
			require.Equal(t, []any{payment.PartiallyCaptured, int64(400), true}, []any{v.Payment.Status, v.Payment.Received, v.Attempt.Details.Released})
		}
		require.Equal(t, events, w.events(pay.id))
		require.Zero(t, w.alarms.all()["impossible_transition"])
	}, p.Server)
}

// A void and a refund at once: one of them is done, never both. Two voids at once are one.
func TestVoidAfterCaptureRace(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	w, _, first := voiding(t, p, byReference, 1000)
	ids := []string{first.id}
	for range 5 {
		v := w.pay(sale(1000, visa, manual))
		_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
		require.NoError(t, err)
		ids = append(ids, v.Payment.ID)
	}
	for _, id := range ids {
		before := p.count("/void")
		var all sync.WaitGroup
		start := make(chan struct{})
		for _, do := range []func() error{
			func() error { _, err := w.takeBack(id); return err },
			func() error { _, err := w.takeBack(id); return err },
			func() error { _, err := w.refund(id, 600); return err },
		} {
			all.Go(func() {
				<-start
				var known *fault.Error
				if err := do(); err != nil && !errors.As(err, &known) {
					t.Error(err)
				}
			})
		}
		close(start)
		all.Wait()
		v := w.get(id, request.RetrieveInput{})
		voids := p.count("/void") - before
		if v.Payment.Status == payment.CancelledPostCapture {
			require.Equal(t, []any{1, int64(0)}, []any{voids, v.Payment.Refunded})
		} else {
			require.Equal(t, []any{0, int64(600), payment.Succeeded}, []any{voids, v.Payment.Refunded, v.Payment.Status})
		}
	}
}

// What a captured payment must not have for its void, in the words of the API.
func TestVoidAfterCaptureNotAllowed(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	w, at, pay := voiding(t, p, byReference, 1000)
	_, err := w.CancelCaptured(t.Context(), w.pk, pay.id, "")
	require.Equal(t, "IR_01", code(t, err))
	_, err = w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"object": "dispute", "reference": pay.reference,
		"dispute": sdk.Dispute{ID: "dp_1", Status: sdk.DisputeOpened, Amount: sdk.Money{Minor: 300, Currency: "USD"}}}))
	require.NoError(t, err)
	_, err = w.takeBack(pay.id)
	require.ErrorContains(t, err, "a part of it is disputed")

	v := w.pay(sale(1000, visa, multiple))
	for range 2 {
		v, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: ptr[int64](500)})
		require.NoError(t, err)
	}
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	_, err = w.takeBack(v.Payment.ID)
	require.Equal(t, "IR_20", code(t, err))

	held := w.pay(sale(1000, visa, manual))
	_, err = w.takeBack(held.Payment.ID)
	require.ErrorContains(t, err, "it has status requires_capture")
	require.Zero(t, p.count("/void"))
}

// A node that dies at any step of the void loses nothing: another one finds out what happened.
func TestVoidAfterCaptureOfADeadNode(t *testing.T) {
	t.Parallel()
	for _, rule := range []sdk.ResolveRule{byReference, resolving(sdk.ResolveByIdempotentResend)} {
		for _, acted := range []bool{true, false} {
			p := newTill(t)
			inBubble(t, func(t *testing.T) {
				w, _, pay := voiding(t, p, rule, 1000)
				w.Funds.Changes.Perform = func(context.Context, *change.Loaded) error { return nil } // the node is gone
				v, err := w.takeBack(pay.id)
				require.NoError(t, err)
				require.Equal(t, undecided, stands(v))
				if acted {
					p.mu.Lock()
					p.state[pay.reference] = "voided"
					p.mu.Unlock()
				}
				w.running()
				require.Eventually(t, func() bool { return !w.lastOperation(pay.id).Status.Open() }, 2*time.Hour, 5*time.Minute)
				want := stillPaid
				if acted || rule.By[0] == sdk.ResolveByIdempotentResend {
					want = takenBack
				}
				require.Equal(t, want, stands(w.get(pay.id, request.RetrieveInput{})))
			}, p.Server)
		}
	}
}

// An operator's word ends a void that nothing is known of. What the processor says against it later raises the alarm.
func TestOperatorsWordOnVoidAfterCapture(t *testing.T) {
	t.Parallel()
	for outcome, c := range map[payment.Finding]struct {
		want  []any
		later sdk.OutcomeStatus
	}{"succeeded": {takenBack, sdk.StatusCaptured}, "declined": {stillPaid, sdk.StatusVoided}, "not_done": {stillPaid, sdk.StatusVoided}} {
		p := newTill(t)
		w, at, pay := voiding(t, p, byWebhook, 1000)
		p.set("/void", "drop")
		_, err := w.takeBack(pay.id)
		require.NoError(t, err)
		_, err = w.ResolveOperation(t.Context(), w.lastOperation(pay.id).ID, word(outcome))
		require.NoError(t, err)
		require.Equal(t, c.want, stands(w.get(pay.id, request.RetrieveInput{})), outcome)
		_, err = w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"reference": pay.reference, "outcome": sdk.Outcome{Status: c.later}}))
		require.NoError(t, err)
		require.Positive(t, w.alarms.all()["late_evidence"], outcome)
	}
}

// A void that cannot leave is given up after a while: the merchant may refund.
func TestVoidAfterCaptureThatNeverLeaves(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	inBubble(t, func(t *testing.T) {
		w, _, pay := voiding(t, p, byReference, 1000)
		p.Server.Close()
		v, err := w.takeBack(pay.id)
		require.NoError(t, err)
		require.Equal(t, undecided, stands(v))
		w.running()
		require.Eventually(t, func() bool { return !w.lastOperation(pay.id).Status.Open() }, 2*time.Hour, 5*time.Minute)
		require.Equal(t, stillPaid, stands(w.get(pay.id, request.RetrieveInput{})))
	}, p.Server)
}
