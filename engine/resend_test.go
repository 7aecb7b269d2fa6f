package engine_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

// held is a processor whose answers the test decides one by one: each request waits at arrived until the test calls its answer.
type held struct {
	*httptest.Server
	arrived chan *heldRequest
	done    chan struct{} // closed at the end of the test: requests that wait get no answer
}

type heldRequest struct {
	method string
	answer chan string // the body; "404" for a query that finds nothing, "" to cut the connection
}

func newHeld(t *testing.T) *held {
	h := &held{arrived: make(chan *heldRequest, 64), done: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &heldRequest{r.Method, make(chan string, 1)}
		h.arrived <- q
		var body string
		select {
		case body = <-q.answer:
		case <-h.done:
		}
		switch body {
		case "":
			panic(http.ErrAbortHandler)
		case "404":
			w.WriteHeader(404)
		default:
			w.Write([]byte(body))
		}
	}))
	t.Cleanup(h.Server.Close)
	t.Cleanup(func() { close(h.done) })
	return h
}

func (h *held) next(t *testing.T, method string) *heldRequest {
	t.Helper()
	select {
	case q := <-h.arrived:
		require.Equal(t, method, q.method)
		return q
	case <-time.After(10 * time.Second):
		require.Fail(t, "no request came")
		return nil
	}
}

var resendAndQuery = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend, sdk.ResolveByReference}, IdempotencyWindowSeconds: 3600,
	NotFoundFinalAfterSeconds: 1}

// unknownAndOld makes an authorization whose first send never reached the processor's books, and waits until "not found" counts.
func unknownAndOld(t *testing.T, w *world, p *held) string {
	t.Helper()
	made := make(chan struct{})
	go func() {
		defer close(made)
		w.CreatePayment(context.Background(), w.auth, sale(100, visa, func(in *request.Input) { in.PaymentID = "old" }))
	}()
	p.next(t, "POST").answer <- ""
	<-made
	require.Equal(t, payment.Processing, w.get("old", request.RetrieveInput{}).Payment.Status)
	w.pass(5 * time.Second)
	return "old"
}

// While an unknown authorization is being sent again, a query that finds nothing must not close it: the processor is about to charge.
func TestResendIsNotClosedByForceSync(t *testing.T) {
	t.Parallel()
	p := newHeld(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(resendAndQuery)})
	w.shopAccount(p.URL)
	id := unknownAndOld(t, w, p)
	w.running()
	resend := p.next(t, "POST")
	synced := make(chan payment.Status, 1)
	go func() {
		v, err := w.RetrievePayment(context.Background(), w.auth, id, request.RetrieveInput{ForceSync: true})
		if err == nil {
			synced <- v.Payment.Status
		}
		close(synced)
	}()
	select { // where the processor is asked, it knows nothing yet
	case q := <-p.arrived:
		q.answer <- "404"
	case s := <-synced:
		require.Equal(t, payment.Processing, s)
	}
	<-synced
	require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status, "the answer under way decides")
	resend.answer <- `{"id":"tx_1"}`
	require.EqualValues(t, 100, w.eventually(id, payment.Succeeded).Payment.Received)
	require.Empty(t, w.alarms.all())
}

// A query that began before the operation was sent again proves nothing about that send, even if its answer comes after the resend has ended.
func TestQueryFromBeforeTheResendProvesNothing(t *testing.T) {
	t.Parallel()
	p := newHeld(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(resendAndQuery)})
	w.shopAccount(p.URL)
	id := unknownAndOld(t, w, p)
	synced := make(chan payment.Status, 1)
	go func() {
		v, err := w.RetrievePayment(context.Background(), w.auth, id, request.RetrieveInput{ForceSync: true})
		if err == nil {
			synced <- v.Payment.Status
		}
		close(synced)
	}()
	query := p.next(t, "GET")
	time.Sleep(5 * time.Millisecond)
	w.running()
	p.next(t, "POST").answer <- "" // charged, and the answer is lost
	require.Eventually(t, func() bool {
		op := w.operations(id)[0]
		return op.ResolveTries == 1 && op.LeaseUntil.Before(w.nowAt(0))
	}, 20*time.Second, time.Millisecond)
	query.answer <- "404"
	require.Equal(t, payment.Processing, <-synced)
	require.Equal(t, payment.OperationUnknown, w.operations(id)[0].Status)
}

// The row says that something may leave before a resend leaves: a crash during it leaves no false proof.
func TestResendIsDurableBeforeItLeaves(t *testing.T) {
	t.Parallel()
	p := newHeld(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(resendAndQuery)})
	w.shopAccount(p.URL)
	id := unknownAndOld(t, w, p)
	before := w.operations(id)[0].LastSendAt
	w.running()
	resend := p.next(t, "POST")
	during := w.operations(id)[0]
	require.Greater(t, during.LastSendAt.Sub(before), 5*time.Second, "the end of this send's lease, by the node's clock")
	resend.answer <- `{"id":"tx_1"}`
	w.eventually(id, payment.Succeeded)
}

// The node dies during the second request of an operation, long after the operation began. "Not found" counts from that request's lease on.
func TestNotFoundCountsFromTheLastRequest(t *testing.T) {
	t.Parallel()
	var charged sync.WaitGroup
	charged.Add(1)
	stop := make(chan struct{})
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "GET":
			w.WriteHeader(404)
		case r.URL.Path == "/charge":
			charged.Done()
			<-stop
			panic(http.ErrAbortHandler)
		}
		w.Write([]byte(`{}`))
	}))
	t.Cleanup(p.Close)
	end := sync.OnceFunc(func() { close(stop) })
	t.Cleanup(end)
	var w *world
	a := shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 1})
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		body, _ := json.Marshal(c.Request.Reference)
		if _, err := c.Do(&sdk.Send{Method: "POST", URL: "/order", Body: body}); err != nil {
			return nil, err
		}
		w.passed.CompareAndSwap(0, int64(6*time.Second)) // the first request took its time
		_, err := c.Do(&sdk.Send{Method: "POST", URL: "/charge", Body: body})
		return nil, err
	}
	w = newWorldWith(t, engine.Options{LeaseTime: time.Minute}, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": a}), t.TempDir()+"/p.db")
	w.shopAccount(p.URL)
	go w.CreatePayment(context.Background(), w.auth, sale(100, visa, func(in *request.Input) { in.PaymentID = "two" }))
	charged.Wait()
	defer end()
	op := w.operations("two")[0]
	require.Equal(t, payment.OperationStarted, op.Status)
	require.Greater(t, op.LastSendAt.Sub(op.StartedAt), 65*time.Second, "the lease was extended for the second request: it may leave until then")
}

// TestStoreStallsBeforeASend: the store takes long to note that a request may leave. The request does not leave once the lease has ended, and "not found" counts
// from the time at which it left.
func TestStoreStallsBeforeASend(t *testing.T) {
	t.Parallel()
	for stall, leaves := range map[time.Duration]bool{20 * time.Second: true, 38500 * time.Millisecond: false, 3 * time.Minute: false} {
		p := newProcessor(t)
		p.hangs.Store(true)
		p.forgets.Store(true)
		inBubble(t, func(t *testing.T) {
			var w *world
			var once sync.Once // an adapter's steps run again
			a := shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 360})
			a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
				body, _ := json.Marshal(map[string]any{"reference": c.Request.Reference, "amount": 1})
				c.Do(&sdk.Send{Method: "GET", URL: "/order"})
				once.Do(func() { w.stall.Store(int64(stall)) })
				_, err := c.Do(&sdk.Send{Method: "POST", URL: "/charge", Body: body})
				return nil, err
			}
			w = newWorldWith(t, engine.Options{LeaseTime: 40 * time.Second}, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": a}), t.TempDir()+"/p.db")
			w.shopAccount(p.URL)
			id := w.pay(sale(100, visa)).Payment.ID
			require.Equal(t, leaves, p.count("POST") == 1, stall)
			if op := w.operations(id)[0]; leaves {
				require.WithinDuration(t, time.Now(), op.LastSendAt, time.Second, "%s", stall)
			}
		}, p.Server)
	}
}
