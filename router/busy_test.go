package router_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// atOneTime returns a world whose connector accounts take one operation at a time. Authorizations and captures wait for one receive each from hold
// while held is set.
func atOneTime(t *testing.T) (w *world, held *atomic.Bool, hold chan struct{}, asked *atomic.Int32) {
	held, hold, asked = new(atomic.Bool), make(chan struct{}), new(atomic.Int32)
	slow := simulator.Adapter()
	wait := func(f sdk.Func) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			asked.Add(1)
			if held.Load() {
				<-hold
			}
			return f(c)
		}
	}
	slow.Authorize, slow.Capture = wait(slow.Authorize), wait(slow.Capture)
	c, err := plugins.NewNative(map[string]*sdk.Adapter{"stripe": slow, "adyen": slow}, plugins.Options{AccountConcurrency: 1, AccountWait: 50 * time.Millisecond})
	require.NoError(t, err)
	w = newWorldWith(t, c)
	t.Cleanup(func() { close(hold) }) // a test that failed leaves no operation behind, on which the world's end would wait
	return w, held, hold, asked
}

// An account at its limit answers 503 with Retry-After. The same request with the same Idempotency-Key performs the payment afterwards.
func TestAccountAtItsLimit(t *testing.T) {
	t.Parallel()
	w, held, hold, asked := atOneTime(t)
	held.Store(true)
	first := make(chan response, 1)
	go func() { first <- w.send("POST", "/payments", w.secret, plain, "Idempotency-Key", "order-1") }()
	require.Eventually(t, func() bool { return asked.Load() == 1 }, 20*time.Second, time.Millisecond)

	own := with(plain, "payment_id", `"own_id"`)
	for _, c := range [][2]string{{"order-2", plain}, {"order-3", own}} {
		r := w.send("POST", "/payments", w.secret, c[1], "Idempotency-Key", c[0])
		r.expect(503, "HE_00", "The connector stripe has as many operations under way as it sustains; nothing was done: try again")
		require.Equal(t, "1", r.header.Get("Retry-After"))
	}
	w.get("/payments/own_id").expect(404, "HE_02", "Payment does not exist in our records")
	hold <- struct{}{}
	require.Equal(t, "succeeded", (<-first).ok()["status"])
	require.EqualValues(t, 1, asked.Load())

	held.Store(false)
	for i, c := range [][2]string{{"order-2", plain}, {"order-3", own}} {
		again := w.send("POST", "/payments", w.secret, c[1], "Idempotency-Key", c[0])
		require.Equal(t, "succeeded", again.ok()["status"])
		require.EqualValues(t, 2+i, asked.Load(), "the repeat has performed the payment")
		require.Equal(t, again.body, w.send("POST", "/payments", w.secret, c[1], "Idempotency-Key", c[0]).body)
		require.EqualValues(t, 2+i, asked.Load(), "the repeat of the repeat has not")
	}
}

// A payment whose confirm got no turn keeps its card, and one whose capture got none is as it was.
func TestNothingIsRecordedWithoutATurn(t *testing.T) {
	t.Parallel()
	w, held, hold, asked := atOneTime(t)
	kept := w.post("/payments", with(plain, "confirm", "false")).ok()["payment_id"].(string)
	authorized := w.post("/payments", with(plain, "capture_method", `"manual"`)).ok()["payment_id"].(string)
	asked.Store(0)
	held.Store(true)
	done := make(chan response, 1)
	go func() { done <- w.post("/payments", plain) }()
	require.Eventually(t, func() bool { return asked.Load() == 1 }, 20*time.Second, time.Millisecond)
	confirm, capture := "/payments/"+kept+"/confirm", "/payments/"+authorized+"/capture"
	for _, path := range []string{confirm, capture} {
		require.Equal(t, 503, w.send("POST", path, w.secret, "{}", "Idempotency-Key", path).status)
	}
	require.Equal(t, "requires_confirmation", w.get("/payments/" + kept).ok()["status"])
	require.Equal(t, "requires_capture", w.get("/payments/" + authorized).ok()["status"])
	hold <- struct{}{}
	(<-done).ok()
	held.Store(false)
	for _, path := range []string{confirm, capture} {
		require.Equal(t, "succeeded", w.send("POST", path, w.secret, "{}", "Idempotency-Key", path).ok()["status"])
	}
}

// A create that failed in the adapter before anything left is performed by its repeat. The repeat never answers with an unattempted payment.
func TestRepeatOfAFailedCreateIsPerformed(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	broken.Store(true)
	a := simulator.Adapter()
	authorize := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if broken.Load() {
			return &sdk.Outcome{Status: "nonsense"}, nil
		}
		return authorize(c)
	}
	for name, body := range map[string]string{"": plain, "own_id": with(plain, "payment_id", `"own_id"`)} {
		t.Run(name, func(t *testing.T) {
			broken.Store(true)
			w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": a, "adyen": a}))
			require.Equal(t, 500, w.send("POST", "/payments", w.secret, body, "Idempotency-Key", "order-1").status)
			require.Equal(t, 500, w.send("POST", "/payments", w.secret, body, "Idempotency-Key", "order-1").status, "it fails as before")
			broken.Store(false)
			require.Equal(t, "succeeded", w.send("POST", "/payments", w.secret, body, "Idempotency-Key", "order-1").ok()["status"])
		})
	}
}

// A refund that got no turn is not recorded: the amount stays refundable, and the same request performs it afterwards.
func TestRefundWithoutATurn(t *testing.T) {
	t.Parallel()
	w, held, hold, asked := atOneTime(t)
	paid := w.post("/payments", plain).ok()["payment_id"].(string)
	asked.Store(0)
	held.Store(true)
	done := make(chan response, 1)
	go func() { done <- w.post("/payments", plain) }()
	require.Eventually(t, func() bool { return asked.Load() == 1 }, 20*time.Second, time.Millisecond)
	body := `{"payment_id":"` + paid + `","refund_id":"own_refund"}`
	r := w.send("POST", "/refunds", w.secret, body, "Idempotency-Key", "refund-1")
	r.expect(503, "HE_00", "The connector stripe has as many operations under way as it sustains; nothing was done: try again")
	require.Equal(t, "1", r.header.Get("Retry-After"))
	w.get("/refunds/own_refund").expect(404, "HE_02", "Refund does not exist in our records.")
	hold <- struct{}{}
	(<-done).ok()
	held.Store(false)
	for range 2 {
		require.Equal(t, "succeeded", w.send("POST", "/refunds", w.secret, body, "Idempotency-Key", "refund-1").ok()["status"])
	}
}
