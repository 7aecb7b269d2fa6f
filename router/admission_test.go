package router_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/change"
	"payswitch/engine/payment"
	"payswitch/router"
)

// offered simulates a switch for ten seconds of virtual time: one writer commits what waits, at most 256 transactions at a time, in 5 ms and 0.2 ms for
// each; a request needs two transactions, with the processor's time between them. Requests arrive at a steady rate, and their callers give up after
// two seconds. It returns the answers per second that came in time, and the time that refusals took.
func offered(t *testing.T, perSecond int, processor time.Duration, a *router.Admission) (good int, refusal time.Duration) {
	t.Helper()
	var inTime, late atomic.Int64
	queue := make(chan chan struct{}, 1<<20)
	stop := make(chan struct{})
	go func() {
		for {
			var batch []chan struct{}
			select {
			case <-stop:
				return
			case first := <-queue:
				batch = append(batch, first)
			}
			for len(batch) < 256 && len(queue) > 0 {
				batch = append(batch, <-queue)
			}
			time.Sleep(5*time.Millisecond + time.Duration(len(batch))*200*time.Microsecond)
			for _, done := range batch {
				close(done)
			}
		}
	}()
	transaction := func() {
		ended := a.Transaction()
		done := make(chan struct{})
		queue <- done
		<-done
		ended()
	}
	const seconds = 10
	for range seconds * perSecond {
		time.Sleep(time.Second / time.Duration(perSecond))
		go func() {
			began := time.Now()
			leave, ok := a.Enter()
			if !ok {
				late.Add(int64(time.Since(began)))
				return
			}
			defer leave()
			transaction()
			time.Sleep(processor)
			transaction()
			if time.Since(began) < 2*time.Second {
				inTime.Add(1)
			}
		}()
	}
	good = int(inTime.Load()) / seconds
	time.Sleep(time.Minute) // what is left ends
	close(stop)
	return good, time.Duration(late.Load())
}

// At three times the capacity, more than 80 % of the best rate is answered in time, and refusals take no time. Without admission the same load
// brings nearly nothing: every answer is late.
func TestAdmissionKeepsTheRate(t *testing.T) {
	t.Parallel()
	rate := func(perSecond int, processor time.Duration, with bool) (good int, refusal time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			var a *router.Admission
			if with {
				a = router.NewAdmission(100*time.Millisecond, nil)
			}
			good, refusal = offered(t, perSecond, processor, a)
		})
		return good, refusal
	}
	best := 0
	for _, perSecond := range []int{1500, 2000, 2300} {
		good, _ := rate(perSecond, 50*time.Millisecond, true)
		best = max(best, good)
	}
	require.Greater(t, best, 1900, "below its capacity nothing is refused")
	good, refusal := rate(3*best, 50*time.Millisecond, true)
	t.Logf("best %d/s; at three times the best: %d/s", best, good)
	require.Greater(t, good, best*8/10)
	require.Zero(t, refusal)
	bare, _ := rate(3*best, 50*time.Millisecond, false)
	require.Less(t, bare, best/3, "the test's load overloads a switch without admission")

	// A processor that takes a second and a half fills the switch with requests that wait, and none is refused.
	slow, _ := rate(1500, 1500*time.Millisecond, true)
	require.Greater(t, slow, 1200)
}

// clockOf is a clock that a test moves.
type clockOf struct{ at time.Time }

func (c *clockOf) now() time.Time { return c.at }

// overloaded returns an Admission that admits no more.
func overloaded(t *testing.T) (*router.Admission, *clockOf) {
	t.Helper()
	c := &clockOf{time.Unix(1_800_000_000, 0)}
	a := router.NewAdmission(100*time.Millisecond, c.now)
	for range 20 {
		_, ok := a.Enter()
		require.True(t, ok)
	}
	ended := a.Transaction()
	c.at = c.at.Add(time.Second)
	ended()
	_, ok := a.Enter()
	require.False(t, ok)
	return a, c
}

// An overloaded switch answers 503 to new work without reading it. Reads, health, captures, cancels and messages of processors go on.
func TestOverloadedSwitch(t *testing.T) {
	t.Parallel()
	a, c := overloaded(t)
	v := sample(payment.Succeeded)
	f := &fake{create: func() (*change.View, error) { return v, nil }}
	w := &world{t: t, handler: f.server(t, router.Options{Admission: a}, discard{}), secret: "key"}
	for _, path := range []string{"/payments", "/payments/p/confirm", "/refunds", "/customers"} {
		r := w.send("POST", path, "", strings.Repeat("{", 1000))
		require.Equal(t, 503, r.status, path)
		require.Equal(t, "HE_00", r.error()["code"])
		require.Equal(t, "1", r.header.Get("Retry-After"))
	}
	require.Equal(t, 200, w.get("/health").status)
	require.Equal(t, 401, w.send("GET", "/payments/p", "", "").status, "a read comes to its check of the key")
	for _, path := range []string{"/payments/p/capture", "/payments/p/cancel", "/payments/p/complete_authorize", "/payments/p/3ds/authentication", "/payments/sync",
		"/refunds/sync"} {
		require.Equal(t, 401, w.send("POST", path, "", "{}").status, path)
	}
	require.NotEqual(t, 503, w.send("POST", "/webhooks/m/a", "", "{}").status)

	for range 400 { // calm intervals: the limit goes
		c.at = c.at.Add(100 * time.Millisecond)
		a.Transaction()()
	}
	require.Equal(t, 200, w.send("POST", "/payments", "key", plain).status)
}

// A database that stands still makes the switch refuse at once, not after the time-outs. It admits again with the first commit.
func TestStandingDatabase(t *testing.T) {
	t.Parallel()
	c := &clockOf{time.Unix(1_800_000_000, 0)}
	a := router.NewAdmission(100*time.Millisecond, c.now)
	ended := a.Transaction()
	c.at = c.at.Add(1900 * time.Millisecond)
	_, ok := a.Enter()
	require.True(t, ok)
	c.at = c.at.Add(200 * time.Millisecond)
	_, ok = a.Enter()
	require.False(t, ok)
	ended()
	_, ok = a.Enter()
	require.True(t, ok, "one request is below the floor")
}

// The rate of a key is bounded, with headers that say what is left; other keys and publishable keys are not touched.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	v := sample(payment.Succeeded)
	f := &fake{create: func() (*change.View, error) { return v, nil }}
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, handler: f.server(t, router.Options{RateLimit: router.RateLimit{PerSecond: 2, Burst: 3}}, discard{})}
		pay := func(key string) response { return w.send("POST", "/payments", key, plain) }
		for left := range 3 {
			r := pay("one")
			require.Equal(t, 200, r.status, r.body)
			require.Equal(t, []string{"3", string(rune('2' - left))}, []string{r.header.Get("RateLimit-Limit"), r.header.Get("RateLimit-Remaining")})
		}
		r := pay("one")
		require.Equal(t, 429, r.status)
		require.Equal(t, "HE_00", r.error()["code"])
		require.Equal(t, []string{"1", "0", "2"}, []string{r.header.Get("Retry-After"), r.header.Get("RateLimit-Remaining"), r.header.Get("RateLimit-Reset")})
		require.Equal(t, 200, pay("two").status, "another key")
		require.Equal(t, 200, w.send("GET", "/health", "", "").status)
		time.Sleep(500 * time.Millisecond)
		require.Equal(t, 200, pay("one").status)
		require.Equal(t, 429, pay("one").status)
	})
	w := &world{t: t, handler: f.server(t, router.Options{}, discard{})}
	for range 50 {
		r := w.send("POST", "/payments", "one", plain)
		require.Equal(t, 200, r.status)
		require.Empty(t, r.header.Get("RateLimit-Limit"), "off unless configured")
	}
}
