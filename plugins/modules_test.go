package plugins_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
)

// modules are the adapters built for these tests.
var modules struct {
	sync.Mutex
	dir   string
	built map[string][]byte
}

func TestMain(m *testing.M) {
	sandbox.BecomeCompiler()
	dir, err := os.MkdirTemp("", "modules")
	if err != nil {
		panic(err)
	}
	modules.dir, modules.built = dir, map[string][]byte{}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// module builds an adapter's package as WASM, once.
func module(t testing.TB, pkg string) []byte {
	t.Helper()
	modules.Lock()
	defer modules.Unlock()
	if wasm := modules.built[pkg]; wasm != nil {
		return wasm
	}
	path := filepath.Join(modules.dir, strings.ReplaceAll(pkg, "/", "_")+".wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	wasm, err := os.ReadFile(path)
	require.NoError(t, err)
	modules.built[pkg] = wasm
	return wasm
}

func acmeModule(t testing.TB) []byte      { return module(t, "payswitch/plugins/testdata/acme/wasm") }
func simulatorModule(t testing.TB) []byte { return module(t, "payswitch/plugins/simulator/wasm") }
func badModule(t testing.TB) []byte       { return module(t, "payswitch/plugins/testdata/bad") }

// slow is the time that a compilation may take here, with the race detector and next to other tests.
const slow = 5 * time.Minute

// noAdapters is for hosts without built-in adapters.
var noAdapters = fstest.MapFS{}

// cacheDir is shared by tests that do not depend on its content, so that each module is compiled once.
func cacheDir() string { return filepath.Join(modules.dir, "cache") }

// newHost starts a host that looks for changes every few milliseconds.
func newHost(t testing.TB, o plugins.Options) *plugins.Host {
	t.Helper()
	if o.BuiltIn == nil {
		o.BuiltIn = noAdapters
	}
	o.AllowLoopbackHTTP = true
	o.Sandbox.CompileTime, o.Sandbox.CompileMemory = slow, 1<<40
	o.PollInterval = 10 * time.Millisecond
	if o.LoadWait == 0 {
		o.LoadWait = slow
	}
	ctx, cancel := context.WithCancel(context.Background())
	h, err := plugins.New(ctx, o)
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		require.NoError(t, h.Close(context.Background()))
	})
	return h
}

// put writes a module into a directory as an operator should: under another name first.
func put(t testing.TB, dir, name string, wasm []byte) {
	t.Helper()
	tmp := filepath.Join(dir, "."+name+".new")
	require.NoError(t, os.WriteFile(tmp, wasm, 0o600))
	require.NoError(t, os.Rename(tmp, filepath.Join(dir, name)))
}

// logged collects the log.
type logged struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
