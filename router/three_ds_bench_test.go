package router_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkThreeDS is a payment with a frictionless authentication, from confirm to its end: prepare and authenticate over HTTP at the
// development 3DS server, authorize at the simulator, 64 clients at a time, SQLite.
func BenchmarkThreeDS(b *testing.B) {
	w := newBankWorld(b)
	w.handler = w.world.server // without the check of every answer against the description
	b.SetParallelism((64 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	var failed atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p := w.post("/payments", secure("4000003001000005")).ok()
			w.authenticate(p, "U")
			for p["status"] == "requires_customer_action" || p["status"] == "processing" {
				p = w.get("/payments/" + p["payment_id"].(string) + "?force_sync=true").ok()
			}
			if p["status"] != "succeeded" {
				failed.Add(1)
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "authentications/s")
	require.Zero(b, failed.Load())
}

// TestThreeDSLeavesNothing: authentications leave no goroutines behind.
func TestThreeDSLeavesNothing(t *testing.T) {
	b := newBankWorld(t)
	run := func(n int) {
		for range n {
			p, _ := b.invoke("4000003001000005")
			b.authenticate(p, "U")
			require.Equal(t, "succeeded", b.ended(p)["status"])
		}
	}
	run(3)
	before := runtime.NumGoroutine()
	run(30)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+5 }, 20*time.Second, 20*time.Millisecond, "goroutines stay")
}
