package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// ownRelays is a world with an account at an acquirer. relayed captures an amount of a payment's transaction by a relay.
func ownRelays(t *testing.T, q *acquirer) (w *world, at *account.Account, relayed func(tx string, amount int64) *relay.Relay) {
	w = newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": q.adapter(resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend))})
	at = w.mailAccount("shop", q.URL, "")
	return w, at, func(tx string, amount int64) *relay.Relay {
		w.t.Helper()
		k, err := w.CreateRelay(t.Context(), w.auth, relay.Input{ResourceID: tx, AccountID: at.ID, Type: relay.Capture,
			Data: relay.Asked{Data: relay.Data{Capture: &relay.CaptureData{Authorized: 100, Amount: amount, Currency: "USD", Method: payment.CaptureManualMultiple}}}})
		require.NoError(t, err)
		return k
	}
}

// delivers sends the acquirer's messages that fit to the account, and forgets them.
func (w *world) delivers(q *acquirer, at *account.Account, fits func(m map[string]any) bool) {
	w.t.Helper()
	var now []map[string]any
	q.with(func() {
		q.sent = slices.DeleteFunc(q.sent, func(m map[string]any) bool {
			if fits(m) {
				now = append(now, m)
				return true
			}
			return false
		})
	})
	for _, m := range now {
		_, err := w.ReceiveWebhook(w.t.Context(), mail(at.ID, hookSecret, m))
		require.NoError(w.t, err)
	}
}

func aboutCaptureOf(amount int64) func(m map[string]any) bool {
	return func(m map[string]any) bool {
		o := m["outcome"].(sdk.Outcome)
		return o.CaptureID != "" && o.Amount != nil && o.Amount.Minor == amount
	}
}

// A merchant captures 60 of a payment, and the answer is lost. A relay takes the other 40, and the processor's message about those comes first: they are no end of
// the payment's capture. In the end both show what the processor took.
func TestRelayBesideAnOwnCapture(t *testing.T) {
	t.Parallel()
	for _, method := range []payment.CaptureMethod{payment.CaptureManual, payment.CaptureManualMultiple} {
		for _, totals := range []bool{true, false} {
			for _, acts := range []bool{true, false} {
				t.Run(fmt.Sprint(method, ", totals ", totals, ", acts ", acts), func(t *testing.T) {
					t.Parallel()
					q := newAcquirer(t)
					q.totals = totals
					inBubble(t, func(t *testing.T) {
						w, at, relayed := ownRelays(t, q)
						v := w.pay(sale(100, visa, func(in *request.Input) { in.CaptureMethod = method }))
						id, h := v.Payment.ID, q.of(v.Attempt.Details.Reference)
						how := "drop"
						if acts {
							how = "drop done"
						}
						q.fails("capture", how)
						_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: new(int64(60))})
						require.NoError(t, err)
						q.with(func() { h.Voided = false }) // the processor keeps the rest
						q.fails("", "")
						k := relayed(h.ID, 40)
						require.Equal(t, relay.Success, k.Status)
						w.delivers(q, at, aboutCaptureOf(40))
						require.Zero(t, w.get(id, request.RetrieveInput{}).Attempt.Details.Captures[0].ProcessorID, "another capture's")
						w.running()
						time.Sleep(5 * time.Hour)
						w.delivers(q, at, func(map[string]any) bool { return true })
						time.Sleep(time.Hour)
						require.EqualValues(t, 100, h.Captured(), "the capture was sent again")
						got := w.get(id, request.RetrieveInput{})
						require.Equal(t, []int64{100, 0}, []int64{got.Payment.Received, got.Payment.Capturable})
						require.Equal(t, payment.Succeeded, got.Payment.Status)
						require.Equal(t, int64(60), got.Attempt.Details.Captures[0].Amount)
						_, err = w.refund(id, 100)
						require.NoError(t, err)
						require.EqualValues(t, 100, h.Refunded())
					}, q.Server)
				})
			}
		}
	}
}

// What a relay has captured of a payment counts before the merchant captures the rest.
func TestCaptureAfterARelay(t *testing.T) {
	t.Parallel()
	for _, totals := range []bool{true, false} {
		q := newAcquirer(t)
		q.totals = totals
		w, _, relayed := ownRelays(t, q)
		v := w.pay(sale(100, visa, multiple))
		id, h := v.Payment.ID, q.of(v.Attempt.Details.Reference)
		relayed(h.ID, 40)
		capture := func(amount int64) error {
			_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: &amount})
			return err
		}
		require.ErrorContains(t, capture(60), "a relay has captured a part")
		require.EqualValues(t, 60, w.get(id, request.RetrieveInput{ForceSync: true}).Payment.Capturable)
		require.Equal(t, "IR_06", code(t, capture(61)))
		require.NoError(t, capture(60))
		got := w.get(id, request.RetrieveInput{})
		require.Equal(t, payment.Succeeded, got.Payment.Status)
		require.EqualValues(t, 100, got.Payment.Received)
		require.EqualValues(t, 100, h.Captured())
		require.Empty(t, w.alarms.all())
	}
}

// A relay whose end is not known stands in the way of a capture, and says so, for a day.
func TestCaptureWhileARelayIsOpen(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	w, _, relayed := ownRelays(t, q)
	v := w.pay(sale(100, visa, multiple))
	q.fails("capture", "drop")
	k := relayed(q.of(v.Attempt.Details.Reference).ID, 40)
	require.Equal(t, relay.Pending, k.Status)
	q.fails("", "")
	_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: new(int64(60))})
	require.ErrorContains(t, err, "a relay may have captured a part")
	require.Equal(t, "IR_16", code(t, err))
	w.pass(25 * time.Hour)
	w.captured(v.Payment.ID, 60)
}

// The processor refuses the merchant's capture, and has taken what a relay captured meanwhile: the payment shows that.
func TestRelayBesideARefusedCapture(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	inBubble(t, func(t *testing.T) {
		w, _, relayed := ownRelays(t, q)
		v := w.pay(sale(100, visa, manual))
		q.fails("capture", "drop")
		_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: new(int64(60))})
		require.NoError(t, err)
		q.fails("", "")
		relayed(q.of(v.Attempt.Details.Reference).ID, 40)
		q.fails("capture", "refuse")
		w.running()
		time.Sleep(time.Hour)
		got := w.get(v.Payment.ID, request.RetrieveInput{})
		require.Equal(t, []any{payment.PartiallyCaptured, int64(40)}, []any{got.Payment.Status, got.Payment.Received})
	}, q.Server)
}

// The processor refuses a void, because somebody has captured there. The payment shows the money soon.
func TestRefusedVoidAsks(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	inBubble(t, func(t *testing.T) {
		w, _, _ := ownRelays(t, q)
		v := w.pay(sale(100, visa, manual))
		h := q.of(v.Attempt.Details.Reference)
		q.with(func() { h.Captures = append(h.Captures, &acquiredPart{ID: "cap_other", State: "done", Amount: 100}) })
		v, err := w.CancelPayment(t.Context(), w.auth, v.Payment.ID, "")
		require.NoError(t, err)
		require.Equal(t, payment.RequiresCapture, v.Payment.Status, "refused")
		w.running()
		time.Sleep(time.Minute)
		got := w.get(v.Payment.ID, request.RetrieveInput{}).Payment
		require.Equal(t, []any{payment.Succeeded, int64(100)}, []any{got.Status, got.Received})
	}, q.Server)
}

// The merchant took a capture back after the back-up had been made. The restored payment shows that.
func TestRestoredCopyOfACaptureThatWasTakenBack(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	inBubble(t, func(t *testing.T) {
		adapters := map[string]*sdk.Adapter{"shop": q.adapter(byReference)}
		w := newWorld(t, engine.Options{}, adapters)
		w.mailAccount("shop", q.URL, "")
		id := w.pay(sale(100, visa, manual)).Payment.ID
		w.captured(id, 60)
		file := w.copied()
		_, err := w.CancelCaptured(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		time.Sleep(time.Hour)
		b := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), file)
		require.NoError(t, b.AfterRestore(t.Context()))
		b.running()
		time.Sleep(5 * time.Minute)
		got := b.get(id, request.RetrieveInput{}).Payment
		require.Equal(t, []any{payment.CancelledPostCapture, int64(0)}, []any{got.Status, got.Received})
	}, q.Server)
}

// The merchant captured and took back after the back-up had been made. The processor's message about the capture comes late, when the restored payment is
// cancelled: the processor has given that money back.
func TestLateMessageOfACaptureThatWasTakenBack(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	inBubble(t, func(t *testing.T) {
		adapters := map[string]*sdk.Adapter{"shop": q.adapter(byReference)}
		w := newWorld(t, engine.Options{}, adapters)
		at := w.mailAccount("shop", q.URL, "")
		id := w.pay(sale(100, visa, manual)).Payment.ID
		file := w.copied()
		time.Sleep(time.Minute)
		w.captured(id, 60)
		_, err := w.CancelCaptured(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		b := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), file)
		require.NoError(t, b.AfterRestore(t.Context()))
		b.running()
		time.Sleep(5 * time.Minute)
		require.Equal(t, payment.Cancelled, b.get(id, request.RetrieveInput{}).Payment.Status)
		b.delivers(q, at, aboutCaptureOf(60))
		got := b.get(id, request.RetrieveInput{}).Payment
		require.Equal(t, []any{payment.Cancelled, int64(0)}, []any{got.Status, got.Received})
	}, q.Server)
}

// A processor sends all its messages to one address. One of them says how a capture of a relay ended. A capture of the payment is in doubt, and no report can
// tell the two apart.
func TestMessageOfARelayAtThePaymentsAddress(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	q.totals = false
	inBubble(t, func(t *testing.T) {
		w, at, relayed := ownRelays(t, q)
		v := w.pay(sale(100, visa, multiple))
		id, h := v.Payment.ID, q.of(v.Attempt.Details.Reference)
		q.fails("capture", "drop")
		_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: new(int64(60))})
		require.NoError(t, err)
		q.fails("capture", "later")
		k := relayed(h.ID, 40)
		require.Equal(t, relay.Pending, k.Status)
		q.fails("", "")
		q.with(func() { q.ends(h, h.Captures[0], true) })
		w.delivers(q, at, aboutCaptureOf(40))
		k, err = w.Relay(t.Context(), w.auth, k.ID, false)
		require.NoError(t, err)
		require.Equal(t, relay.Success, k.Status)
		w.running()
		time.Sleep(5 * time.Hour)
		got := w.get(id, request.RetrieveInput{}).Payment
		require.EqualValues(t, 100, h.Captured())
		require.Equal(t, []any{payment.Succeeded, int64(100)}, []any{got.Status, got.Received})
	}, q.Server)
}

// A relay releases the rest of a payment with several captures. The payment shows that nothing is held any more.
func TestRelayReleasesTheRest(t *testing.T) {
	t.Parallel()
	for _, totals := range []bool{true, false} {
		q := newAcquirer(t)
		q.totals = totals
		inBubble(t, func(t *testing.T) {
			w, at, _ := ownRelays(t, q)
			v := w.pay(sale(100, visa, multiple))
			w.captured(v.Payment.ID, 60)
			_, err := w.CreateRelay(t.Context(), w.auth, besideOwn{relay: relay.Void}.asks(at.ID, q.of(v.Attempt.Details.Reference).ID))
			require.NoError(t, err)
			w.running()
			time.Sleep(time.Minute)
			got := w.get(v.Payment.ID, request.RetrieveInput{}).Payment
			require.Equal(t, []any{payment.PartiallyCaptured, int64(60), int64(0)}, []any{got.Status, got.Received, got.Capturable})
			require.Empty(t, w.alarms.all())
		}, q.Server)
	}
}
