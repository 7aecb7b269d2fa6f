package plugins_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
)

// endless returns an adapter whose start function, or whose manifest function, does not end.
func endless(t *testing.T, start bool) []byte {
	t.Helper()
	loop := []byte{0x03, 0x40, 0x0C, 0, 0x0B} // loop, br 0, end
	if start {
		return join([]byte("\x00asm\x01\x00\x00\x00"),
			section(1, 4, []byte{0x60, 1, 0x7F, 1, 0x7F}, []byte{0x60, 0, 1, 0x7E}, []byte{0x60, 2, 0x7F, 0x7F, 1, 0x7E}, []byte{0x60, 0, 0}),
			section(3, 4, []byte{0, 1, 2, 3}), section(5, 1, []byte{0, 1}),
			section(7, 4, join(str("memory"), []byte{2, 0}), join(str("payswitch_alloc"), []byte{0, 0}), join(str("payswitch_manifest"), []byte{0, 1}), join(str("payswitch_step"), []byte{0, 2})),
			[]byte{8, 1, 3},
			section(10, 4, body([]byte{0x41, 0, 0x0B}), body([]byte{0x42, 0, 0x0B}), body([]byte{0x42, 0, 0x0B}), body(join(loop, []byte{0x0B}))))
	}
	return join([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 3, []byte{0x60, 1, 0x7F, 1, 0x7F}, []byte{0x60, 0, 1, 0x7E}, []byte{0x60, 2, 0x7F, 0x7F, 1, 0x7E}),
		section(3, 3, []byte{0, 1, 2}), section(5, 1, []byte{0, 1}),
		section(7, 4, join(str("memory"), []byte{2, 0}), join(str("payswitch_alloc"), []byte{0, 0}), join(str("payswitch_manifest"), []byte{0, 1}), join(str("payswitch_step"), []byte{0, 2})),
		section(10, 3, body([]byte{0x41, 0, 0x0B}), body(join(loop, []byte{0x42, 0, 0x0B})), body([]byte{0x42, 0, 0x0B})))
}

// TestDirectoryIsCompiledApart: another process compiles and starts the modules of the directory. Modules that run for ever or do
// not compile cost this process nothing, and other adapters still load.
func TestDirectoryIsCompiledApart(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "start.wasm", endless(t, true))
	put(t, dir, "manifest.wasm", endless(t, false))
	put(t, dir, "good.wasm", tiny(t, "good", "https://processor.example", "Good"))
	var log logged
	began := time.Now()
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: t.TempDir(), Logger: log.logger(), Compiler: sandbox.Self()})
	t.Logf("three modules in %v", time.Since(began))
	_, loaded := h.Adapter("good")
	require.True(t, loaded)
	_, loaded = h.Adapter("endless")
	require.False(t, loaded)
	require.Equal(t, 2, strings.Count(log.String(), "adapter cannot be loaded"), log.String())
	require.Contains(t, log.String(), "guest trapped (fuel)")

	d := authorize("good", "https://processor.example")
	_, err := h.Rehearse(context.Background(), d, plugins.Rehearsal{})
	require.NoError(t, err)
}

// TestCompilerIsMissing: without a compiler program this process compiles no module of the directory, and the log names the fault.
func TestCompilerIsMissing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "good.wasm", tiny(t, "good", "https://processor.example", "Good"))
	var log logged
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: t.TempDir(), Logger: log.logger(), Compiler: []string{"/nowhere/payswitch"}})
	_, loaded := h.Adapter("good")
	require.False(t, loaded)
	require.Contains(t, log.String(), "cannot be started")
}

// TestGoAdapterFromACompiler: a Go adapter answers the same from a compiler's image as from its own start.
func TestGoAdapterFromACompiler(t *testing.T) {
	plugins.Sequential(t)
	dir := t.TempDir()
	put(t, dir, "acme.wasm", acmeModule(t))
	d := authorize("acme", "https://processor.example")
	answer := func(o plugins.Options) *plugins.Rehearsed {
		o.Directory = dir
		h := newHost(t, o)
		r, err := h.Rehearse(context.Background(), d, plugins.Rehearsal{})
		require.NoError(t, err)
		return r
	}
	cache := t.TempDir()
	want := answer(plugins.Options{CacheDir: cacheDir()})
	got := answer(plugins.Options{CacheDir: cache, Compiler: sandbox.Self()})
	require.Equal(t, want, got)
	require.Equal(t, want, answer(plugins.Options{CacheDir: cache, Compiler: []string{"/nowhere/payswitch"}}), "from the cache directory")
}
