package engine_test

import (
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

// till is a processor that authorizes, captures and voids, by idempotency key where it says so. Tests set how it answers each path.
type till struct {
	*httptest.Server
	mu    sync.Mutex
	how   map[string]string // path → "ok" (the default), "429", "500", "500 done", "drop", "drop done", "refuse", "later"
	state map[string]string // reference → authorized, captured, voided
	calls map[string]int
}

func newTill(t *testing.T) *till {
	p := &till{how: map[string]string{}, state: map[string]string{}, calls: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.calls[r.URL.Path]++
		ref, how := string(b), p.how[r.URL.Path]
		if r.Method == "GET" {
			ref = r.URL.Query().Get("reference")
		}
		next := map[string]string{"/authorize": "authorized", "/capture": "captured", "/void": "voided"}[r.URL.Path]
		if next != "" && (how == "" || how == "500 done" || how == "drop done") {
			p.state[ref] = next
		}
		switch {
		case how == "drop" || how == "drop done":
			panic(http.ErrAbortHandler)
		case how == "refuse":
			w.WriteHeader(422)
		case how == "later":
			w.Write([]byte(`{"state":"pending"}`))
		case how == "429":
			w.WriteHeader(429)
		case how == "500 done" || how == "500":
			w.WriteHeader(500)
		case p.state[ref] == "":
			w.WriteHeader(404)
		default:
			json.NewEncoder(w).Encode(map[string]string{"state": p.state[ref]})
		}
	}))
	t.Cleanup(p.Server.Close)
	return p
}

func (p *till) set(path, how string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.how[path] = how
}

func (p *till) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[path]
}

func tillAdapter(rule sdk.ResolveRule) *sdk.Adapter {
	a := shop(rule)
	ask := func(path string) func(c *sdk.Call) (*sdk.Outcome, error) {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			s := &sdk.Send{Method: "POST", URL: path, Body: []byte(c.Request.Reference), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key"}
			if path == "/query" {
				s = &sdk.Send{Method: "GET", URL: path + "?reference=" + c.Request.Reference, SafeToRepeat: true}
			}
			r, err := c.Do(s)
			switch {
			case err != nil:
				return nil, err
			case r.Status == 404:
				return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
			case r.Status == 422:
				return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "refused", Message: "The till refuses.", Reason: sdk.DeclineNotPermitted}}, nil
			case !r.OK():
				return nil, r.Undecided("no decision")
			}
			return &sdk.Outcome{Status: sdk.OutcomeStatus(r.JSON().Str("state"))}, nil
		}
	}
	a.Authorize, a.Capture, a.Void, a.Sync = ask("/authorize"), ask("/capture"), ask("/void"), ask("/query")
	return a
}

func resolving(by ...sdk.ResolveBy) sdk.ResolveRule {
	return sdk.ResolveRule{By: by, IdempotencyWindowSeconds: 24 * 3600, NotFoundFinalAfterSeconds: 2 * 3600}
}

// HTTP 429 to a capture or void is a definite "not done": the payment is as it was, at once.
func TestTooManyRequestsLeavesThePayment(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend))})
	w.shopAccount(p.URL)
	id := w.pay(sale(100, visa, manual)).Payment.ID
	p.set("/capture", "429")
	p.set("/void", "429")
	v, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.Equal(t, payment.CaptureFailed, v.Attempt.Details.Captures[0].Status)
	require.Contains(t, v.Attempt.Details.Error.Message, "429")
	v, err = w.CancelPayment(t.Context(), w.auth, id, "")
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	p.set("/capture", "")
	v, err = w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
}

// A capture or void that was lost on the way is sent again after one query, not after the hours in which "still authorized" proves nothing.
func TestLostCaptureIsSentAgainSoon(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]payment.Status{"/capture": payment.Succeeded, "/void": payment.Cancelled} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend))})
			w.shopAccount(p.URL)
			id := w.pay(sale(100, visa, manual)).Payment.ID
			p.set(path, "drop")
			var err error
			if path == "/void" {
				_, err = w.CancelPayment(t.Context(), w.auth, id, "")
			} else {
				_, err = w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
			}
			require.NoError(t, err)
			require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
			p.set(path, "")
			started := time.Now()
			w.running()
			w.eventually(id, want)
			require.Less(t, time.Since(started), 20*time.Second)
		}, p.Server)
	}
}

// A processor that repeats a cached 500 for a capture that it did not make: the capture is not sent again for a day. Each send would put off the time
// from which a query proves that the capture did not happen.
func TestCachedErrorOfALaterOperation(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"500", "429"} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{
				"shop": tillAdapter(resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend))})
			w.shopAccount(p.URL)
			id := w.pay(sale(100, visa, manual)).Payment.ID
			p.set("/capture", "drop")
			_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
			require.NoError(t, err)
			p.set("/capture", answer)
			w.running()
			time.Sleep(2 * time.Hour)
			v := w.get(id, request.RetrieveInput{})
			require.Equal(t, payment.Processing, v.Payment.Status)
			require.Equal(t, 3, w.operations(id)[1].ResendAnswers)
			time.Sleep(30 * time.Minute)
			require.Equal(t, payment.RequiresCapture, w.get(id, request.RetrieveInput{}).Payment.Status)
			require.Equal(t, 4, p.count("/capture"))
		}, p.Server)
	}
}

// A processor that repeats a cached 500 under the idempotency key is queried as well. Each way's last answer is kept.
func TestCachedErrorIsNotSentForHours(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	p.set("/authorize", "500 done")
	p.set("/query", "429")
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByIdempotentResend, sdk.ResolveByReference))})
		w.shopAccount(p.URL)
		id := w.pay(sale(100, visa, manual)).Payment.ID
		started := time.Now()
		w.running()
		time.Sleep(18 * time.Second)
		text := w.operations(id)[0].ErrorText
		require.Contains(t, text, "\nidempotent_resend: ")
		require.Contains(t, text, "\nreference: ")
		p.set("/query", "")
		w.eventually(id, payment.RequiresCapture)
		require.Less(t, time.Since(started), 2*time.Minute)
	}, p.Server)
}

// An authorization is sent again only while the customer may still wait. A processor that comes back later charges nothing: the payment fails
// when the query is final.
func TestNobodyIsChargedHoursLater(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	p.set("/authorize", "drop")
	inBubble(t, func(t *testing.T) {
		o := quick
		o.ResolveEvery = 10 * time.Second
		w := newWorld(t, o, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByIdempotentResend, sdk.ResolveByReference))})
		w.shopAccount(p.URL)
		id := w.pay(sale(100, visa, manual)).Payment.ID
		w.running()
		time.Sleep(3 * time.Minute)
		require.Greater(t, p.count("/authorize"), 1)
		p.set("/authorize", "")
		time.Sleep(time.Hour)
		require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
		time.Sleep(75 * time.Minute)
		v := w.get(id, request.RetrieveInput{})
		require.Equal(t, payment.Failed, v.Payment.Status)
		require.Equal(t, "not_processed", v.Attempt.Details.Error.Code)
		p.mu.Lock()
		require.Empty(t, p.state, "nothing was authorized")
		p.mu.Unlock()
	}, p.Server)
}

// An authorization that turns out to have happened after the customer's time is voided.
func TestLateAuthorizationIsVoided(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	p.set("/authorize", "drop done")
	p.set("/query", "drop")
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: time.Second}, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByReference))})
		w.shopAccount(p.URL)
		id := w.pay(sale(100, visa, manual)).Payment.ID
		w.running()
		time.Sleep(3 * time.Minute)
		p.set("/query", "")
		time.Sleep(10 * time.Minute)
		v := w.get(id, request.RetrieveInput{})
		require.Equal(t, payment.Cancelled, v.Payment.Status)
		require.Equal(t, 1, p.count("/void"))
		require.Contains(t, v.Payment.Details.CancellationReason, "longer than a customer waits")
		require.Equal(t, []string{"payment_processing", "payment_cancelled"}, w.events(id))
	}, p.Server)
}

// A cancel while the authorization is unknown is accepted, and carried out when its outcome is known: held funds are voided, nothing is sent again.
func TestCancelWhileUnknown(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"drop": "", "drop done": "voided"} {
		p := newTill(t)
		p.set("/authorize", how)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByIdempotentResend, sdk.ResolveByReference))})
			w.shopAccount(p.URL)
			id := w.pay(sale(100, visa, manual)).Payment.ID
			v, err := w.CancelPayment(t.Context(), w.auth, id, "too slow")
			require.NoError(t, err)
			require.Equal(t, payment.Processing, v.Payment.Status)
			p.set("/authorize", "")
			w.running()
			time.Sleep(3 * time.Hour)
			v = w.get(id, request.RetrieveInput{})
			require.Equal(t, payment.Cancelled, v.Payment.Status)
			require.Equal(t, "too slow", v.Payment.Details.CancellationReason)
			require.Equal(t, 1, p.count("/authorize"), "never sent again")
			p.mu.Lock()
			require.Equal(t, want, p.state[v.Attempt.Details.Reference])
			p.mu.Unlock()
			require.Empty(t, w.alarms.all())
		}, p.Server)
	}
}
