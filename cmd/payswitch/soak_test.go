package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// TestSoak runs the program, as it is shipped, at 70 % of its capacity for SOAK (a duration such as 30m). It compares the last third with the
// first: memory, goroutines, descriptors, latency and bytes per payment stay flat. SOAK_DATABASE=postgres soaks PostgreSQL.
//
//	make soak SOAK=30m DATABASE=postgres
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Skip("SOAK=30m runs this test for 30 minutes")
	}
	dir := t.TempDir()
	env := testEnv(t, dir)
	size := func() float64 { return filesBytes(t, filepath.Join(dir, "payswitch.db*")) }
	if os.Getenv("SOAK_DATABASE") == "postgres" {
		dsn := pgtest.Durable(t)
		env = append(env, "PAYSWITCH_STORAGE__DSN="+dsn)
		size = func() float64 {
			n, err := strconv.ParseFloat(pgtest.Rows(t, dsn, "SELECT pg_database_size(current_database())::text")[0], 64)
			require.NoError(t, err)
			return n
		}
	}
	p := startProcess(t, append(env, "PAYSWITCH_LOG__LEVEL=error"), "serve")
	key := p.shop("shop")
	load(t, p.url, key, 5*time.Second)
	best := load(t, p.url, key, 20*time.Second)
	rate := int(0.7 * best)
	t.Logf("capacity %.0f payments/s; the soak offers %d/s for %s", best, rate, length)

	type sample struct {
		arrived
		resident, goroutines, descriptors, bytes float64 // bytes of the database for each payment so far
	}
	const steps = 30
	watch := &growth{running: p.running}
	var samples []sample
	before, paid := size(), 0.0
	for i := range steps {
		got := arriving(t, p.url, key, rate, length/steps)
		open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid))
		require.NoError(t, err)
		paid += got.good * (length / steps).Seconds()
		s := sample{arrived: got, resident: resident(t, p.cmd.Process.Pid), goroutines: watch.gauge("go_goroutines"), descriptors: float64(len(open)), bytes: (size() - before) / paid}
		samples = append(samples, s)
		t.Logf("%2d: %.0f paid/s, %.1f refused/s, p50 %s, p99 %s; %.0f MB resident, %.0f goroutines, %.0f descriptors, %.0f bytes a payment", i+1, s.good, s.refused,
			s.median.Round(100*time.Microsecond), s.answer.Round(100*time.Microsecond), s.resident, s.goroutines, s.descriptors, s.bytes)
	}
	third := func(list []sample, of func(sample) float64) (sum float64) {
		for _, s := range list {
			sum += of(s)
		}
		return sum / float64(len(list))
	}
	for _, m := range []struct {
		name   string
		of     func(sample) float64
		factor float64
		plus   float64
	}{
		{"resident MB", func(s sample) float64 { return s.resident }, 1.15, 10},
		{"goroutines", func(s sample) float64 { return s.goroutines }, 1.1, 50},
		{"descriptors", func(s sample) float64 { return s.descriptors }, 1.1, 50},
		{"median latency in ms", func(s sample) float64 { return float64(s.median.Microseconds()) / 1000 }, 1.3, 1},
		{"bytes a payment", func(s sample) float64 { return s.bytes }, 1.1, 200}, // a write-ahead log counts in short runs
		{"refused/s", func(s sample) float64 { return s.refused }, 1, 1},
	} {
		first, last := third(samples[steps/10:steps/3], m.of), third(samples[2*steps/3:], m.of)
		t.Logf("%s: %.1f at first, %.1f at last", m.name, first, last)
		require.LessOrEqual(t, last, first*m.factor+m.plus, m.name)
	}
}

// filesBytes returns the size of the files that match a pattern.
func filesBytes(t testing.TB, pattern string) (sum float64) {
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			sum += float64(info.Size())
		}
	}
	return sum
}

// BenchmarkClients serves 64 clients and then 1,000; each pays again as soon as it has its answer, on the program as it is shipped. It
// reports both rates and latencies: p99 at 1,000 clients per unit of load against that at 64; and the memory at the peak and a minute later.
//
//	go test ./cmd/payswitch -run '^$' -bench Clients -benchtime 1x
func BenchmarkClients(b *testing.B) {
	for b.Loop() {
		p := startProcess(b, append(testEnv(b, b.TempDir()), "PAYSWITCH_LOG__LEVEL=error"), "serve")
		key := p.shop("shop")
		load(b, p.url, key, 2*time.Second)
		few, fewTook := loadBy(b, 64, p.url, key, 10*time.Second)
		idle := resident(b, p.cmd.Process.Pid)
		many, manyTook := loadBy(b, 1000, p.url, key, 10*time.Second)
		peak := resident(b, p.cmd.Process.Pid)
		time.Sleep(time.Minute)
		of := func(list []time.Duration) float64 { return float64(quantile(list, 0.99).Microseconds()) / 1000 }
		b.ReportMetric(few, "paid/s-64")
		b.ReportMetric(many, "paid/s-1000")
		b.ReportMetric(of(fewTook), "p99-ms-64")
		b.ReportMetric(of(manyTook), "p99-ms-1000")
		b.ReportMetric(of(manyTook)/1000/(of(fewTook)/64), "p99-per-client-1000/64")
		b.ReportMetric(idle, "MB-64")
		b.ReportMetric(peak, "MB-1000")
		b.ReportMetric(resident(b, p.cmd.Process.Pid), "MB-a-minute-later")
		require.NoError(b, p.cmd.Process.Kill())
		p.exit()
	}
}
