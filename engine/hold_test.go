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

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// lender is a processor on loopback that holds funds. It keeps the total that it holds, and can act without an answer, or not at all.
type lender struct {
	*httptest.Server
	mu     sync.Mutex
	total  int64
	raises int
	seen   map[string]bool // idempotency keys
	act    bool
	answer bool
}

func newLender(t *testing.T) *lender {
	l := &lender{seen: map[string]bool{}, act: true, answer: true}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Server.Close)
	return l
}

func (l *lender) set(act, answer bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.act, l.answer = act, answer
}

func (l *lender) held() (total int64, raises int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total, l.raises
}

func (l *lender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Total int64 }
	json.NewDecoder(r.Body).Decode(&in)
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	if r.Method == "POST" && l.act && !l.seen[key] {
		l.seen[key] = true
		if l.total = in.Total; r.URL.Path == "/raise" {
			l.raises++
		}
	}
	if r.Method == "POST" && !l.answer {
		panic(http.ErrAbortHandler)
	}
	json.NewEncoder(w).Encode(map[string]any{"id": "tx", "total": l.total})
}

// adapter returns an adapter of the lender. ways are the manifest's ways to find out about an unknown result.
func (l *lender) adapter(ways ...sdk.ResolveBy) *sdk.Adapter {
	a := shop(sdk.ResolveRule{By: ways, IdempotencyWindowSeconds: 3600, NotFoundFinalAfterSeconds: 1})
	a.Manifest.Features = sdk.Features{PartialCapture: true}
	post := func(path string) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			body, _ := json.Marshal(map[string]any{"total": c.Request.Amount.Minor})
			r, err := c.Do(&sdk.Send{Method: "POST", URL: c.Account.BaseURL + path, Headers: []sdk.Header{sdk.H("Content-Type", "application/json")}, Body: body,
				SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"})
			if err != nil {
				return nil, err
			}
			yes := true
			return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: r.JSON().Str("id"), Hold: &sdk.Hold{Incremental: &yes}}, nil
		}
	}
	a.Authorize, a.IncrementalAuthorize = post("/authorize"), post("/raise")
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "GET", URL: c.Account.BaseURL + "/state"})
		if err != nil {
			return nil, err
		}
		total := r.JSON().Int("total")
		return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "tx", Amount: &sdk.Money{Minor: total, Currency: "USD"}}, nil
	}
	return a
}

func partly(in *request.Input)   { in.CaptureMethod, in.Partial = "manual", ptr(true) }
func raisable(in *request.Input) { in.CaptureMethod, in.Incremental = "manual", ptr(true) }

// A node that dies at any step of a raise loses nothing: another one finds out, and raises once.
func TestRaiseOfADeadNode(t *testing.T) {
	t.Parallel()
	for _, ways := range [][]sdk.ResolveBy{{sdk.ResolveByReference}, {sdk.ResolveByIdempotentResend}, {sdk.ResolveByIdempotentResend, sdk.ResolveByReference}} {
		for name, dies := range map[string]func(l *lender) (total int64){
			"after the intent": func(*lender) int64 { return 100 },
			"after the processor acted": func(l *lender) int64 {
				l.total, l.raises = 150, 1
				return 150
			},
		} {
			t.Run(name+" "+string(ways[0]), func(t *testing.T) {
				l := newLender(t)
				inBubble(t, func(t *testing.T) {
					w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": l.adapter(ways...)})
					w.shopAccount(l.URL)
					v := w.pay(sale(100, visa, raisable))
					w.Funds.Changes.Perform = func(context.Context, *change.Loaded) error { return nil } // the node is gone
					_, err := w.IncrementAuthorization(t.Context(), w.auth, v.Payment.ID, request.IncrementInput{Amount: 150})
					require.NoError(t, err)
					op := w.operations(v.Payment.ID)[1]
					require.Equal(t, payment.OperationStarted, op.Status)
					total := dies(l)
					if total == 150 {
						l.seen[op.ID+"-0"] = true
					}
					w.running()
					require.Eventually(t, func() bool { return !w.operations(v.Payment.ID)[1].Status.Open() }, time.Hour, time.Second)
					v = w.get(v.Payment.ID, request.RetrieveInput{})
					held, raises := l.held()
					require.Equal(t, held, v.Payment.Capturable, "the payment shows what the processor holds")
					require.Equal(t, held, v.Payment.NetAmount)
					require.LessOrEqual(t, raises, 1)
					require.Equal(t, payment.RequiresCapture, v.Payment.Status)
					require.Empty(t, v.Payment.OpenOperation)
					require.NotEqual(t, payment.IncrementProcessing, v.Attempt.Details.Increments[0].Status)
					if total == 150 {
						require.Equal(t, payment.IncrementSuccess, v.Attempt.Details.Increments[0].Status)
					}
				}, l.Server)
			})
		}
	}
}

// A raise whose answer is lost is found by the processor's word, and never believed without it.
func TestRaiseWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, acts := range []bool{true, false} {
		l := newLender(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": l.adapter(sdk.ResolveByReference)})
			w.shopAccount(l.URL)
			v := w.pay(sale(100, visa, raisable))
			l.set(acts, false)
			v, err := w.IncrementAuthorization(t.Context(), w.auth, v.Payment.ID, request.IncrementInput{Amount: 150})
			require.NoError(t, err)
			require.Equal(t, int64(100), v.Payment.Capturable)
			require.Equal(t, payment.IncrementProcessing, v.Attempt.Details.Increments[0].Status)
			require.Empty(t, v.Payment.OpenOperation, "a capture need not wait")
			_, err = w.IncrementAuthorization(t.Context(), w.auth, v.Payment.ID, request.IncrementInput{Amount: 160})
			require.Equal(t, "IR_16", code(t, err))
			w.running()
			require.Eventually(t, func() bool { return !w.operations(v.Payment.ID)[1].Status.Open() }, time.Hour, time.Second)
			v = w.get(v.Payment.ID, request.RetrieveInput{})
			want, status := int64(100), payment.IncrementFailure
			if acts {
				want, status = 150, payment.IncrementSuccess
			}
			require.Equal(t, want, v.Payment.Capturable)
			require.Equal(t, status, v.Attempt.Details.Increments[0].Status)
			require.Equal(t, []string{"payment_authorized"}, w.events(v.Payment.ID), "a raise has no event of its own")
		}, l.Server)
	}
}

// A raise that was booked as not done, and that the processor did after all, is booked when a query shows it.
func TestRaiseThatActedLate(t *testing.T) {
	t.Parallel()
	l := newLender(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": l.adapter(sdk.ResolveByReference)})
		w.shopAccount(l.URL)
		v := w.pay(sale(100, visa, raisable))
		l.set(false, false)
		_, err := w.IncrementAuthorization(t.Context(), w.auth, v.Payment.ID, request.IncrementInput{Amount: 150})
		require.NoError(t, err)
		w.running()
		require.Eventually(t, func() bool { return w.operations(v.Payment.ID)[1].Status == payment.OperationNotActed }, time.Hour, time.Second)
		l.mu.Lock()
		l.total = 150
		l.mu.Unlock()
		v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
		require.Equal(t, int64(150), v.Payment.Capturable)
		require.Equal(t, int64(150), v.Payment.Amount)
		require.Equal(t, payment.IncrementSuccess, v.Attempt.Details.Increments[0].Status)
	}, l.Server)
}
