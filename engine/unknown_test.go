package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// processor is a processor on loopback that keeps a ledger by idempotency key. A test can make it misbehave.
type processor struct {
	*httptest.Server
	mu      sync.Mutex
	ledger  map[string]int64 // idempotency key → amount
	calls   map[string]int   // operation → requests that arrived
	hangs   atomic.Bool      // act, and never answer
	dropped atomic.Bool      // do not act, and cut the connection
	forgets atomic.Bool      // queries know nothing
}

func newProcessor(t *testing.T) *processor {
	p := &processor{ledger: map[string]int64{}, calls: map[string]int{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Server.CloseClientConnections)
	t.Cleanup(p.Server.Close)
	return p
}

func (p *processor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount    int64
		Reference string
	}
	json.NewDecoder(r.Body).Decode(&in)
	p.mu.Lock()
	p.calls[r.Method]++
	if r.Method == "POST" && !p.dropped.Load() {
		p.ledger[in.Reference] = in.Amount
	}
	amount, known := p.ledger[r.URL.Query().Get("reference")]
	p.mu.Unlock()
	switch {
	case p.dropped.Load(), p.hangs.Load() && r.Method == "POST":
		panic(http.ErrAbortHandler)
	case r.Method == "POST":
		w.Write([]byte(`{"id":"tx_` + in.Reference + `","state":"captured"}`))
	case !known || p.forgets.Load():
		w.WriteHeader(404)
	default:
		json.NewEncoder(w).Encode(map[string]any{"id": "tx_" + r.URL.Query().Get("reference"), "state": "captured", "amount": amount})
	}
}

func (p *processor) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[method]
}

// shop returns an adapter of that processor.
func shop(rule sdk.ResolveRule) *sdk.Adapter {
	a := &sdk.Adapter{Manifest: sdk.Manifest{ABI: sdk.ABI, Name: "shop", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Shop", Description: "A test processor.",
		Environments: map[string]sdk.Environment{"test": {BaseURL: "https://shop.test", Hosts: []string{"shop.test"}}}, Resolve: rule}}
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		body, _ := json.Marshal(map[string]any{"amount": c.Request.Amount.Minor, "reference": c.Request.Reference})
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/pay", Headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}}, Body: body,
			IdempotencyHeader: "Idempotency-Key", SafeToRepeat: len(rule.By) > 0 && rule.By[0] == sdk.ResolveByIdempotentResend})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: r.JSON().Str("id")}, nil
	}
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "GET", URL: "/pay?reference=" + c.Request.Reference, SafeToRepeat: true})
		if err != nil {
			return nil, err
		}
		if r.Status == 404 {
			return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: r.JSON().Str("id")}, nil
	}
	return a
}

// nowhere is an address at which nothing listens. The port of a closed server would not do: another test's server may get it.
const nowhere = "http://127.0.0.1:1"

// shopAccount is an account at a processor on loopback.
func (w *world) shopAccount(url string) {
	w.t.Helper()
	_, err := w.SetEgress(w.t.Context(), w.auth, w.account("shop", "").ID, account.EgressInput{BaseURL: url})
	require.NoError(w.t, err)
}

var byReference = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 30}

// running starts the engine's background work.
func (w *world) running() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	w.t.Cleanup(func() { cancel(); <-done })
}

func (w *world) eventually(id string, want payment.Status) *change.View {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.get(id, request.RetrieveInput{}).Payment.Status == want }, 20*time.Second, 20*time.Millisecond, "payment never became %s", want)
	return w.get(id, request.RetrieveInput{})
}

var quick = engine.Options{ResolveEvery: 20 * time.Millisecond, LeaseTime: 10 * time.Second, LockWait: 200 * time.Millisecond}

// A time-out after the processor has acted is unknown. A query settles it.
func TestUnknownThatActed(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(byReference)})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.Processing, v.Payment.Status)
		require.Equal(t, payment.OperationUnknown, w.operations(v.Payment.ID)[0].Status)
		require.NotEmpty(t, w.operations(v.Payment.ID)[0].Instrument, "card and CVC are kept while the operation is unknown")
		require.True(t, w.shortTerm(w.operations(v.Payment.ID)[0].ShortTermID()))
		w.running()
		v = w.eventually(v.Payment.ID, payment.Succeeded)
		require.EqualValues(t, 100, v.Payment.Received)
		require.Equal(t, 1, p.count("POST"), "never sent twice")
		require.Equal(t, []string{"payment_processing", "payment_succeeded"}, w.events(v.Payment.ID))
		require.Empty(t, w.operations(v.Payment.ID)[0].Instrument)
		require.False(t, w.shortTerm(w.operations(v.Payment.ID)[0].ShortTermID()), "copies of them cannot be opened any more")
		require.Empty(t, w.alarms.all())
	}, p.Server)
}

// not_found proves nothing at first. After the manifest's time it proves that the operation did not happen.
func TestUnknownThatDidNotAct(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.dropped.Store(true)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(byReference)})
	w.shopAccount(p.URL)
	v := w.pay(sale(100, visa))
	require.Equal(t, payment.Processing, v.Payment.Status)
	p.dropped.Store(false)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Processing, v.Payment.Status, "too early to believe it")
	w.pass(31 * time.Second)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, "not_processed", v.Attempt.Details.Error.Code)
	require.Equal(t, 1, p.count("POST"))
	require.Equal(t, payment.OperationNotActed, w.operations(v.Payment.ID)[0].Status)
}

// A processor with idempotency keys gets the identical request again.
func TestUnknownResolvedByResend(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	rule := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600}
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(rule)})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.Processing, v.Payment.Status)
		p.hangs.Store(false)
		w.running()
		w.eventually(v.Payment.ID, payment.Succeeded)
		require.Equal(t, 2, p.count("POST"))
		require.Len(t, p.ledger, 1, "one reference, one charge")
	}, p.Server)
}

// After a change of the API key, the processor refuses the second send. The engine keeps asking for the result of the first one.
func TestRefusedWhenSentAgain(t *testing.T) {
	t.Parallel()
	var answers atomic.Int32
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch answers.Add(1) {
		case 1:
			panic(http.ErrAbortHandler) // charged, and the answer is lost
		case 2:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(p.Close)
	a := shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600})
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/charge", SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"})
		switch {
		case err != nil:
			return nil, err
		case r.Refuses():
			return sdk.Declined(sdk.NewDecline("refused", "refused", sdk.DeclineInvalidMerchant)), nil
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "x1"}, nil
	}
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.Processing, v.Payment.Status)
		w.running()
		w.eventually(v.Payment.ID, payment.Succeeded)
		require.Equal(t, int32(3), answers.Load())
	}, p)
}

// In an operation of two sends, the first answer is durable before the second send leaves. If the second send gets no answer, only that send
// is repeated, byte for byte.
func TestResendOfTheSecondSend(t *testing.T) {
	t.Parallel()
	type arrival struct{ path, key, body string }
	var mu sync.Mutex
	var arrived []arrival
	hang := true
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		arrived = append(arrived, arrival{r.URL.Path, r.Header.Get("Idempotency-Key"), string(body)})
		if r.URL.Path == "/charge" && hang {
			hang = false
			panic(http.ErrAbortHandler)
		}
		w.Write([]byte(`{"id":"x1"}`))
	}))
	t.Cleanup(p.Close)
	rule := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600}
	a := shop(rule)
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		post := func(path string, body string) (*sdk.Response, error) {
			return c.Do(&sdk.Send{Method: "POST", URL: path, Body: []byte(body), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"})
		}
		order, err := post("/order", "order "+c.ID("o")+" at "+c.Now().Format(time.RFC3339Nano))
		if err != nil {
			return nil, err
		}
		charge, err := post("/charge", order.JSON().Str("id")+" "+c.ID("c")+" at "+c.Now().Format(time.RFC3339Nano))
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: charge.JSON().Str("id")}, nil
	}
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.Processing, v.Payment.Status)
		w.running()
		w.eventually(v.Payment.ID, payment.Succeeded)
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, arrived, 3)
		require.Equal(t, "/order", arrived[0].path)
		require.Equal(t, arrived[1], arrived[2], "the very same request")
		require.NotEqual(t, arrived[0].key, arrived[1].key)
		require.Empty(t, w.alarms.all())
	}, p)
}

// Outside the idempotency window the engine sends nothing again: an operator or the processor's message must settle the operation.
func TestNoResendOutsideTheWindow(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	rule := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 5}
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(rule)})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa))
		p.hangs.Store(false)
		w.running()
		time.Sleep(3 * time.Second)
		require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
		require.Equal(t, 1, p.count("POST"))
	}, p.Server)
}

// With proof that nothing left, the engine sends the operation again.
func TestUnreachableProcessorIsTriedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(byReference)})
		w.shopAccount(nowhere)
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.Processing, v.Payment.Status)
		op := w.operations(v.Payment.ID)[0]
		require.Equal(t, payment.OperationUnknown, op.Status)
		require.True(t, op.LastSendAt.IsZero(), "proof that nothing left")
		w.pass(16 * time.Minute)
		w.running()
		v = w.eventually(v.Payment.ID, payment.Failed)
		require.Equal(t, "not_processed", v.Attempt.Details.Error.Code)
	})
}

// The second of two operations on a payment waits for the first. After LockWait it is refused as busy.
func TestSecondOperationWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		a := simulatorReleasing(true)
		capture := a.Capture
		a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
			calls.Add(1)
			<-release
			return capture(c)
		}
		w := newWorld(t, quick, map[string]*sdk.Adapter{"slow": a})
		w.account("slow", "")
		v := w.pay(sale(1000, visa, manual))
		first := make(chan error, 1)
		go func() {
			_, err := w.CapturePayment(context.Background(), w.auth, v.Payment.ID, &request.CaptureInput{})
			first <- err
		}()
		synctest.Wait()
		require.EqualValues(t, 1, calls.Load())
		require.Equal(t, payment.Processing, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status, "meanwhile it shows processing")
		_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
		require.Equal(t, "HE_00", code(t, err))
		second := make(chan error, 1)
		go func() {
			_, err := w.CapturePayment(context.Background(), w.auth, v.Payment.ID, &request.CaptureInput{})
			second <- err
		}()
		time.Sleep(20 * time.Millisecond) // the second one waits
		close(release)
		require.NoError(t, <-first)
		require.Equal(t, "IR_14", code(t, <-second), "it sees what the first has done")
		require.EqualValues(t, 1, calls.Load())
	})
}

// A client that hangs up does not stop an operation that has begun.
func TestClientGone(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	a := simulatorReleasing(true)
	authorize := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		close(entered)
		<-release
		return authorize(c)
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"slow": a})
	w.account("slow", "")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CreatePayment(ctx, w.auth, sale(100, visa, func(in *request.Input) { in.PaymentID = "gone" }))
	}()
	<-entered
	cancel()
	close(release)
	<-done
	require.Equal(t, payment.Succeeded, w.get("gone", request.RetrieveInput{}).Payment.Status)
}
