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

// BenchmarkAdapters is what each built-in adapter costs: its module's size, the time from nothing on disk to its first answer (cold), the same with
// compiled code on disk (warm), the memory that the process holds more while
// it is in use, and what is left of that once it rests (see Options.RestAfter).
func BenchmarkAdapters(b *testing.B) {
	names, err := fs.Glob(builtin, "builtin/*.wasm")
	require.NoError(b, err)
	if len(names) == 0 {
		b.Skip("no adapter is built: make plugins")
	}
	for _, name := range names {
		b.Run(strings.TrimSuffix(path.Base(name), ".wasm"), func(b *testing.B) {
			wasm, err := fs.ReadFile(builtin, name)
			require.NoError(b, err)
			var cold, warm time.Duration
			var held, idle float64
			for b.Loop() {
				dir := b.TempDir()
				cold += firstStep(b, dir, wasm, nil)
				before := resident(b)
				warm += firstStep(b, dir, wasm, func(m *sandbox.Module) {
					held += resident(b) - before
					m.Rest()
					idle += resident(b) - before
				})
			}
			n := float64(b.N)
			b.ReportMetric(float64(len(wasm))/1e3, "kB")
			b.ReportMetric(float64(cold.Milliseconds())/n, "ms-cold")
			b.ReportMetric(float64(warm.Microseconds())/1e3/n, "ms-warm")
			b.ReportMetric(held/n, "MB-in-use")
			b.ReportMetric(idle/n, "MB-idle")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// firstStep is the time until a module that is loaded anew has answered; idle is called while it is held.
func firstStep(b *testing.B, dir string, wasm []byte, idle func(*sandbox.Module)) time.Duration {
	began := time.Now()
	r, err := sandbox.New(b.Context(), sandbox.Options{CacheDir: dir})
	require.NoError(b, err)
	defer r.Close(context.Background())
	m, err := r.Load(wasm, warmUp())
	require.NoError(b, err)
	_, err = m.Step(b.Context(), sandbox.Call{Now: began, Input: warmUp()})
	require.NoError(b, err)
	took := time.Since(began)
	if idle != nil {
		idle(m)
	}
	return took
}

// resident is this process's resident memory in megabytes (Linux: proc(5), VmRSS), garbage collected.
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
