package main

import (
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/plugins/sandbox"
)

// scrape is what Prometheus would read.
func scrape(t *testing.T, m *meters) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.registry.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code)
	require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", w.Header().Get("Content-Type"))
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	m := newMeters()
	m.watch(func() []plugins.AdapterStats {
		return []plugins.AdapterStats{ // an old build and its successor, and another adapter
			{Name: "adyen", Sandbox: sandbox.Stats{Idle: 5}},
			{Name: "stripe", Driving: 1, Sandbox: sandbox.Stats{InUse: 1, Waited: time.Second}},
			{Name: "stripe", Current: true, Driving: 2, Sandbox: sandbox.Stats{InUse: 2, Idle: 3}},
		}
	})
	var wg sync.WaitGroup
	for range 8 { // every part reports from its own goroutines
		wg.Go(func() {
			m.PaymentMoved(engine.Succeeded, "simulator")
			m.OperationDone("authorize", "simulator", engine.OperationUnknown, 31*time.Second)
			m.Alarm("late_evidence")
			m.Stepped("simulator", 500*time.Millisecond)
			m.Trapped("simulator", "fuel")
			m.Sent("stripe", "api.stripe.com", "2xx", 250*time.Millisecond)
			m.Violated("stripe", "placement")
			m.committed(3, 2*time.Millisecond)
			m.request("POST", "/payments", 200, time.Millisecond)
			m.request("BREW", "", 404, time.Millisecond)
		})
	}
	wg.Wait()
	text := scrape(t, m)
	for _, line := range []string{
		"# TYPE payswitch_payments_total counter\n" + `payswitch_payments_total{status="succeeded",connector="simulator"} 8`,
		`payswitch_operation_seconds_bucket{kind="authorize",connector="simulator",status="unknown",le="30"} 0`,
		`payswitch_operation_seconds_bucket{kind="authorize",connector="simulator",status="unknown",le="60"} 8`,
		`payswitch_operation_seconds_bucket{kind="authorize",connector="simulator",status="unknown",le="+Inf"} 8`,
		`payswitch_operation_seconds_sum{kind="authorize",connector="simulator",status="unknown"} 248`,
		`payswitch_operation_seconds_count{kind="authorize",connector="simulator",status="unknown"} 8`,
		`payswitch_alarms_total{kind="late_evidence"} 8`,
		`payswitch_adapter_step_seconds_bucket{adapter="simulator",le="0.25"} 0`, // slower than the last bucket
		`payswitch_adapter_step_seconds_count{adapter="simulator"} 8`,
		`payswitch_adapter_traps_total{adapter="simulator",kind="fuel"} 8`,
		`payswitch_egress_seconds_bucket{adapter="stripe",host="api.stripe.com",class="2xx",le="0.25"} 8`, // a bound is inclusive
		`payswitch_adapter_violations_total{adapter="stripe",rule="placement"} 8`,
		`payswitch_commit_batch_size_sum 24`,
		`payswitch_commit_batch_size_bucket{le="4"} 8`,
		`payswitch_commit_seconds_count 8`,
		`payswitch_http_request_seconds_count{method="POST",route="/payments",status="200"} 8`,
		`payswitch_http_request_seconds_count{method="other",route="none",status="404"} 8`,
		`payswitch_adapter_instances_in_use{adapter="stripe"} 3`,
		`payswitch_adapter_instances_idle{adapter="stripe"} 3`,
		`payswitch_adapter_instances_idle{adapter="adyen"} 5`,
		`payswitch_adapter_operations{adapter="stripe"} 3`,
		`payswitch_adapter_wait_seconds{adapter="stripe"} 1`,
		`payswitch_build_info{version="`,
		`process_start_time_seconds 1`,
	} {
		require.Contains(t, text, line)
	}
	require.Regexp(t, `(?m)^go_goroutines [1-9]`, text)
	require.NotContains(t, text, "BREW", "what a caller makes up is no label")
}

var metricLine = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\{[a-z_]+="([^"\\\n]|\\[\\"n])*"(,[a-z_]+="([^"\\\n]|\\[\\"n])*")*\})? (\S+)$`)

// TestMetricsFormat reads the text as its grammar has it, label values that need escapes included.
func TestMetricsFormat(t *testing.T) {
	m := newMeters()
	m.Alarm("a\"b\\c\nd")
	m.Stepped("x", 1e6*time.Hour)
	text := scrape(t, m)
	require.Contains(t, text, `payswitch_alarms_total{kind="a\"b\\c\nd"} 1`)
	require.True(t, strings.HasSuffix(text, "\n"))
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			require.False(t, seen[name], "%s stands twice", name)
			seen[name] = true
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		match := metricLine.FindStringSubmatch(line)
		require.NotNil(t, match, "%q is no metric", line)
		_, err := strconv.ParseFloat(match[len(match)-1], 64)
		require.NoError(t, err, line)
	}
}

// A label that proves open must not eat the memory of the switch, or of Prometheus.
func TestMetricsAreBounded(t *testing.T) {
	m := newMeters()
	for i := range 3 * maxSeries {
		m.Alarm(strconv.Itoa(i))
	}
	text := scrape(t, m)
	require.Contains(t, text, `payswitch_alarms_total{kind="other"} `+strconv.Itoa(2*maxSeries))
	require.LessOrEqual(t, strings.Count(text, "payswitch_alarms_total{"), maxSeries+1)
}

func BenchmarkMetrics(b *testing.B) {
	m := newMeters()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Stepped("simulator", 60*time.Microsecond)
		}
	})
}
