package main

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/plugins"
	"payswitch/plugins/sandbox"
)

// scrape returns what Prometheus would read.
func scrape(t *testing.T, m *meters) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code)
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	m := newMeters()
	var wg sync.WaitGroup
	for range 8 { // every part reports from its own goroutines
		wg.Go(func() {
			m.PaymentMoved(payment.Succeeded, "simulator")
			m.RefundMoved(payment.RefundFailed, "simulator")
			m.OperationDone("authorize", "simulator", payment.OperationUnknown, 31*time.Second)
			m.Alarm("late_evidence")
			m.Stepped("simulator", 60*time.Microsecond)
			m.Trapped("simulator", "fuel")
			m.Sent("stripe", "api.stripe.com", "2xx", 300*time.Millisecond)
			m.Violated("stripe", "placement")
			m.Swept("resolve", 90*time.Second, 5*time.Second)
			m.committed(3, 2*time.Millisecond)
			m.request("POST", "/payments", 200, time.Millisecond)
			m.request("BREW", "", 404, time.Millisecond)
		})
	}
	wg.Wait()
	m.registry.MustRegister(poolCollector{func() []plugins.AdapterStats {
		return []plugins.AdapterStats{ // an old build and its successor
			{Name: "stripe", Driving: 1, Sandbox: sandbox.Stats{InUse: 1, Waited: time.Second}},
			{Name: "stripe", Current: true, Driving: 2, Sandbox: sandbox.Stats{InUse: 2, Idle: 3}},
		}
	}})
	text := scrape(t, m)
	for _, line := range []string{
		`payswitch_payments_total{connector="simulator",status="succeeded"} 8`,
		`payswitch_refunds_total{connector="simulator",status="failed"} 8`,
		`payswitch_operation_seconds_count{connector="simulator",kind="authorize",status="unknown"} 8`,
		`payswitch_operation_seconds_bucket{connector="simulator",kind="authorize",status="unknown",le="30"} 0`,
		`payswitch_operation_seconds_bucket{connector="simulator",kind="authorize",status="unknown",le="60"} 8`,
		`payswitch_alarms_total{kind="late_evidence"} 8`,
		`payswitch_adapter_step_seconds_count{adapter="simulator"} 8`,
		`payswitch_adapter_traps_total{adapter="simulator",kind="fuel"} 8`,
		`payswitch_egress_seconds_count{adapter="stripe",class="2xx",host="api.stripe.com"} 8`,
		`payswitch_adapter_violations_total{adapter="stripe",rule="placement"} 8`,
		`payswitch_adapter_instances{adapter="stripe",state="in_use"} 3`,
		`payswitch_adapter_instances{adapter="stripe",state="idle"} 3`,
		`payswitch_adapter_operations{adapter="stripe"} 3`,
		`payswitch_adapter_wait_seconds_total{adapter="stripe"} 1`,
		`payswitch_background_late_seconds{loop="resolve"} 90`,
		`payswitch_commit_batch_size_sum 24`,
		`payswitch_commit_seconds_count 8`,
		`payswitch_http_request_seconds_count{method="POST",route="/payments",status="200"} 8`,
		`payswitch_http_request_seconds_count{method="other",route="none",status="404"} 8`,
	} {
		require.Contains(t, text, line)
	}
	require.Contains(t, text, "payswitch_build_info{")
	require.Contains(t, text, "go_goroutines")
	require.NotContains(t, text, "BREW", "what a caller makes up is no label")
	require.Less(t, strings.Count(text, "\n"), 400)
}

// The lateness of a loop that does not come round grows, also of one that never ran.
func TestStuckLoopShows(t *testing.T) {
	m := newMeters()
	m.loops.started = time.Now().Add(-time.Hour)
	m.loops.runs["expiry"] = loopRun{at: time.Now().Add(-10 * time.Minute), every: time.Minute}
	m.Swept("journal", 0, time.Minute)
	text := scrape(t, m)
	require.Contains(t, text, `payswitch_background_late_seconds{loop="resolve"} 3600.`)
	require.Contains(t, text, `payswitch_background_late_seconds{loop="expiry"} 540.`)
	require.Contains(t, text, `payswitch_background_late_seconds{loop="journal"} 0`+"\n")
}
