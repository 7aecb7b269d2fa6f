package plugins

import (
	"context"
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox"
)

// BenchmarkAdapters measures each built-in adapter: the module's size; the time to its first answer with nothing on disk (cold)
// and with compiled code on disk (warm); both again as an adapter of the directory, compiled in another process (apart); the
// additional memory while it is in use, and after it rests (see Options.RestAfter).
func BenchmarkAdapters(b *testing.B) {
	names, err := fs.Glob(embedded(), "*.wasm")
	require.NoError(b, err)
	if len(names) == 0 {
		b.Skip("no adapter is built: make plugins")
	}
	for _, name := range names {
		b.Run(strings.TrimSuffix(path.Base(name), ".wasm"), func(b *testing.B) {
			wasm, err := fs.ReadFile(embedded(), name)
			require.NoError(b, err)
			var cold, warm, coldApart, warmApart time.Duration
			var held, idle float64
			for b.Loop() {
				dir := b.TempDir()
				cold += firstStep(b, sandbox.Options{CacheDir: dir}, wasm, nil)
				before := resident(b)
				warm += firstStep(b, sandbox.Options{CacheDir: dir}, wasm, func(m *sandbox.Module) {
					held += resident(b) - before
					m.Rest()
					idle += resident(b) - before
				})
				apart := sandbox.Options{CacheDir: b.TempDir(), Compiler: sandbox.Self()}
				coldApart += firstStep(b, apart, wasm, nil)
				warmApart += firstStep(b, apart, wasm, nil)
			}
			n := float64(b.N)
			b.ReportMetric(float64(len(wasm))/1e3, "kB")
			b.ReportMetric(float64(cold.Milliseconds())/n, "ms-cold")
			b.ReportMetric(float64(warm.Microseconds())/1e3/n, "ms-warm")
			b.ReportMetric(float64(coldApart.Milliseconds())/n, "ms-cold-apart")
			b.ReportMetric(float64(warmApart.Microseconds())/1e3/n, "ms-warm-apart")
			b.ReportMetric(held/n, "MB-in-use")
			b.ReportMetric(idle/n, "MB-idle")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// firstStep returns the time until a newly loaded module has answered. It calls idle while it holds the module.
func firstStep(b *testing.B, o sandbox.Options, wasm []byte, idle func(*sandbox.Module)) time.Duration {
	began := time.Now()
	r, err := sandbox.New(b.Context(), o)
	require.NoError(b, err)
	defer r.Close(context.Background())
	m, err := r.Load(wasm, WarmUp())
	require.NoError(b, err)
	_, err = m.Step(b.Context(), sandbox.Call{Now: began, Input: WarmUp()})
	require.NoError(b, err)
	took := time.Since(began)
	if idle != nil {
		idle(m)
	}
	return took
}

// resident is this process's resident memory in megabytes after a garbage collection (Linux: proc(5), VmRSS).
func resident(b *testing.B) float64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("needs /proc")
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	require.NoError(b, err)
	return kb / 1024
}
