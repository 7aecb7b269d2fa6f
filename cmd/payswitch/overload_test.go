package main

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkOverload offers a whole switch, with the simulator in its sandbox, three times its best rate, and compares what it answers in time. The load
// is open: requests arrive at a steady rate, whatever became of the earlier ones, and their callers give up after two seconds.
//
//	go test ./cmd/payswitch -run '^$' -bench Overload -benchtime 1x
func BenchmarkOverload(b *testing.B) {
	for _, latency := range []string{"100ms", "0"} {
		b.Run(latency, func(b *testing.B) {
			env := append(testEnv(b, b.TempDir()), "PAYSWITCH_SERVER__OVERLOAD_LATENCY="+latency, "PAYSWITCH_LOG__LEVEL=error")
			r := start(b, env, "serve")
			key := r.shop("bench")
			require.NoError(b, payOnce(http.DefaultClient, r.url, key))
			for b.Loop() {
				load(b, r.url, key, time.Second)
				best := load(b, r.url, key, 4*time.Second)
				got := arriving(b, r.url, key, int(3*best), 6*time.Second)
				b.ReportMetric(best, "best/s")
				b.ReportMetric(got.good, "at3x/s")
				b.ReportMetric(got.good/best, "at3x/best")
				b.ReportMetric(got.refused, "refused/s")
				b.ReportMetric(float64(got.refusal.Microseconds())/1000, "refusal-p50-ms")
				if g := (&growth{running: r}); got.refused > 0 { // the client waits for the same cores
					sum, n := g.gauge(`payswitch_http_request_seconds_sum{[^}]*status="503"}`), g.gauge(`payswitch_http_request_seconds_count{[^}]*status="503"}`)
					b.ReportMetric(1000*sum/n, "refusal-mean-ms-at-switch")
				}
				b.ReportMetric(float64(got.answer.Microseconds())/1000, "answer-p99-ms")
			}
		})
	}
}

type arrived struct {
	good, refused           float64       // per second
	refusal, median, answer time.Duration // of refusals the median, of answers the median and the 99th percentile
}

// arriving sends requests at a steady rate.
func arriving(tb testing.TB, url, key string, perSecond int, d time.Duration) (got arrived) {
	const open = 4096 // connections; an arrival that finds none free is lost, as at a full proxy
	transport := &http.Transport{MaxIdleConnsPerHost: open, MaxConnsPerHost: open, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 2 * time.Second}
	var mu sync.Mutex
	var refusals, answers []time.Duration
	var under atomic.Int64
	var all sync.WaitGroup
	ctx, cancel := context.WithTimeout(tb.Context(), d)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		for range perSecond / 100 {
			if under.Load() >= open {
				continue
			}
			under.Add(1)
			all.Go(func() {
				defer under.Add(-1)
				began := time.Now()
				err := payOnce(client, url, key)
				took := time.Since(began)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					answers = append(answers, took)
				} else if ctx.Err() == nil && took < client.Timeout {
					refusals = append(refusals, took)
				}
			})
		}
	}
	all.Wait()
	return arrived{good: float64(len(answers)) / d.Seconds(), refused: float64(len(refusals)) / d.Seconds(), refusal: quantile(refusals, 0.5),
		median: quantile(answers, 0.5), answer: quantile(answers, 0.99)}
}

// quantile returns the value below which a part of the list lies, 0.99 for the 99th percentile; 0 for an empty list. It sorts the list.
func quantile(list []time.Duration, part float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[int(part*float64(len(list)-1))]
}
