package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goGuest returns the adapter in testdata/guest, compiled once for all tests.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sandbox-guest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return os.ReadFile(out)
})

func goWasm(t testing.TB) []byte {
	t.Helper()
	wasm, err := goGuest()
	require.NoError(t, err)
	return wasm
}

// sharedCache keeps the compiled Go guest from test to test.
var sharedCache string

func TestMain(m *testing.M) {
	BecomeCompiler()
	becomeBadCompiler()
	dir, err := os.MkdirTemp("", "sandbox-cache")
	if err != nil {
		panic(err)
	}
	sharedCache = dir
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// sequential skips a test that starts nothing concurrently under the race detector: make test runs it without, several times as fast.
func sequential(t testing.TB) {
	t.Helper()
	if raceEnabled {
		t.Skip("nothing runs concurrently here: make test runs this test without the race detector")
	}
}

// patient gives the compiler ten minutes where a test names no time: a busy machine may leave it without a processor for long, and the
// race detector slows it down tenfold.
func patient(l Limits) Limits {
	if l.CompileTime == 0 {
		l.CompileTime = 10 * time.Minute
	}
	if raceEnabled && l.CompileMemory == 0 { // shadow memory counts as well
		l.CompileMemory = 1 << 40
	}
	return l
}

func newRuntime(t testing.TB, o Options) *Runtime {
	t.Helper()
	o.Limits = patient(o.Limits)
	r, err := New(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return r
}

var workMessage = func() []byte {
	var b bytes.Buffer
	b.WriteString(`w{"operation":"authorize"`)
	for i := 0; b.Len() < 2000; i++ {
		fmt.Fprintf(&b, `,"field_%d":"value %d of the request"`, i, i*7919)
	}
	b.WriteByte('}')
	return b.Bytes()
}()

var callTime = time.Date(2026, 5, 1, 12, 0, 0, 123, time.UTC)

func call(input string) Call {
	return Call{Now: callTime, Seed: [32]byte{1, 2, 3}, Input: []byte(input)}
}

func step(t testing.TB, m *Module, input string) string {
	t.Helper()
	b, err := m.Step(context.Background(), call(input))
	require.NoError(t, err)
	return string(b)
}

func loadGo(t testing.TB, o Options) *Module {
	t.Helper()
	if o.CacheDir == "" {
		o.CacheDir = sharedCache
	}
	m, err := newRuntime(t, o).Load(goWasm(t), workMessage)
	require.NoError(t, err)
	return m
}

// costly skips a test that costs many seconds of a processor, unless TEST_ALL is set. make test sets it, so that go test alone ends in two minutes.
func costly(t testing.TB) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" {
		t.Skip("TEST_ALL=1 runs this test too")
	}
}

// costlyAlone is costly for a test without concurrency of ours, which the race detector would slow down several times and find nothing in. make test
// runs such tests without the race detector.
func costlyAlone(t testing.TB) {
	t.Helper()
	costly(t)
	if raceEnabled {
		t.Skip("runs without the race detector")
	}
}
