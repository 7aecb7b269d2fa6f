package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

// away are connectors whose processors cannot be reached while it is true: nothing leaves for them.
type away struct {
	port.Connectors
	now *atomic.Bool
}

func (a away) Drive(ctx context.Context, in *port.Drive) (*port.DriveResult, error) {
	if a.now.Load() {
		far := *in
		far.Account.BaseURL = nowhere
		in = &far
	}
	return a.Connectors.Drive(ctx, in)
}

// dated records the date and the body of each request that matches, and passes it on.
type dated struct {
	sync.Mutex
	dates, bodies []string
}

func (d *dated) before(next http.Handler, matches func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if matches(r) {
			b, _ := io.ReadAll(r.Body)
			d.Lock()
			d.dates, d.bodies = append(d.dates, r.Header.Get("Date")), append(d.bodies, string(b))
			d.Unlock()
			r.Body = io.NopCloser(bytes.NewReader(b))
		}
		next.ServeHTTP(w, r)
	})
}

func (d *dated) all() (dates, bodies []string) {
	d.Lock()
	defer d.Unlock()
	return append([]string{}, d.dates...), append([]string{}, d.bodies...)
}

// later lets time pass and returns the present time in whole seconds.
func (w *world) later(by time.Duration) time.Time {
	w.pass(by)
	return w.nowAt(0).UTC().Truncate(time.Second)
}

// fromThen requires that a Date header is not older than a time.
func fromThen(t *testing.T, then time.Time, date string) {
	t.Helper()
	at, err := time.Parse(http.TimeFormat, date)
	require.NoError(t, err)
	require.False(t, at.Before(then), "%s is before %s", at, then)
}

// Cybersource refuses a request whose signed date is old. A refund that could not leave is signed with the time at which it leaves.
func TestFirstSendHasItsOwnTime(t *testing.T) {
	t.Parallel()
	var out atomic.Bool
	d, w, id := refundDesks["cybersource"].openWith(t, "cybersource", func(c port.Connectors) port.Connectors { return away{c, &out} })
	seen := &dated{}
	d.Config.Handler = seen.before(d.Config.Handler, func(r *http.Request) bool { return refundDesks["cybersource"].isRefund(r, "") })
	d.set(func() { d.minor, d.id, d.state = 700, "r1", "done" })
	out.Store(true)
	r, err := w.refund(id, 700, named("r1"))
	require.NoError(t, err)
	require.True(t, w.refundOperation(r).Unsent(), "%+v", w.refundOperation(r))
	then := w.later(3 * time.Hour)
	out.Store(false)
	w.running()
	w.hurry(r)
	require.Eventually(t, func() bool { w.hurry(r); return w.refunded("r1").Status == payment.RefundSucceeded }, 20*time.Second, 20*time.Millisecond)
	dates, _ := seen.all()
	require.Len(t, dates, 1)
	fromThen(t, then, dates[0])
}

// dateful returns a refunder that sends the time of its call, as processors with signed dates want it.
func dateful() *sdk.Adapter {
	a := refunder(byResend)
	a.Refund = func(c *sdk.Call) (*sdk.Outcome, error) {
		body, _ := json.Marshal(map[string]any{"amount": c.Request.Amount.Minor, "reference": c.Request.Reference, "date": c.Now()})
		r, err := c.Do(&sdk.Send{Method: "POST", URL: "/refund", Headers: []sdk.Header{sdk.H("Content-Type", "application/json"), sdk.H("Date", c.Now().Format(http.TimeFormat))},
			Body: body, IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: r.JSON().Str("id"), TransactionID: c.Request.TransactionID, Amount: &c.Request.Amount}, nil
	}
	return a
}

// A refund that could not leave at first, and then may have left, is repeated byte by byte: with the time of the send that may have left, also by a
// node that started since.
func TestResendHasTheTimeOfTheFirstSend(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		var out atomic.Bool
		p := newCashier(t)
		seen := &dated{}
		p.Config.Handler = seen.before(p.Config.Handler, func(r *http.Request) bool { return r.URL.Path == "/refund" && r.Method == "POST" })
		connectors := away{plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": dateful()}), &out}
		w := newWorldWith(t, quick, connectors, t.TempDir()+"/p.db")
		w.shopAccount(p.URL)
		id := w.pay(sale(1000, visa)).Payment.ID
		out.Store(true)
		r, err := w.refund(id, 700, named("r1"))
		require.NoError(t, err)
		for range 2 { // the second time it cannot leave either
			require.True(t, w.refundOperation(r).Unsent())
			w.later(time.Hour)
			w.hurryOnce(r)
		}
		out.Store(false)
		p.set(func() { p.act = "drop" })
		then := w.later(time.Hour)
		w.hurryOnce(r)
		require.False(t, w.refundOperation(r).Unsent())
		p.set(func() { p.act = "ok" })
		next := w
		if restarts {
			next = newWorldWith(t, quick, connectors, w.file)
			next.pass(time.Duration(w.passed.Load()))
		}
		next.later(time.Hour)
		next.hurryOnce(r)
		require.Equal(t, payment.RefundSucceeded, w.refunded("r1").Status, "%+v", w.refundOperation(r))
		dates, bodies := seen.all()
		require.Len(t, dates, 2)
		require.Equal(t, bodies[0], bodies[1])
		require.Equal(t, dates[0], dates[1])
		fromThen(t, then, dates[0])
	}
}

// hurryOnce looks at a refund's open operation now, and waits for the end of the look.
func (w *world) hurryOnce(r *payment.Refund) {
	w.t.Helper()
	tries := w.refundOperation(r).ResolveTries
	w.hurry(r)
	ctx, stop := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	require.Eventually(w.t, func() bool {
		op := w.refundOperation(r)
		return op.ResolveTries > tries || !op.Status.Open()
	}, 20*time.Second, 5*time.Millisecond)
	stop()
	<-done
}
