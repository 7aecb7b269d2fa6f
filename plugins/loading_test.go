package plugins_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
)

// script returns a compiler that runs shell commands; $0 is the real compiler.
func script(commands string) []string {
	return []string{"/bin/sh", "-c", commands, os.Args[0]}
}

// heldCompiler returns a compiler whose processes wait until release is called.
func heldCompiler(t *testing.T) (compiler []string, release func()) {
	gate := filepath.Join(t.TempDir(), "gate")
	return script(`while [ ! -e '` + gate + `' ]; do sleep 0.02; done; exec "$0" compile-adapter`),
		func() { require.NoError(t, os.WriteFile(gate, nil, 0o600)) }
}

// TestHostileModulesHoldUpNobody: the directory is full of modules that the compiler never finishes. The switch still starts, and
// loaded adapters and their earlier builds take payments.
func TestHostileModulesHoldUpNobody(t *testing.T) {
	p, dir, cache := newProcessor(t), t.TempDir(), t.TempDir()
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "first"))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cache, Compiler: sandbox.Self()})
	first, loaded := h.Adapter("good")
	require.True(t, loaded)
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "second"))
	require.Eventually(t, func() bool { now, _ := h.Adapter("good"); return now.Hash != first.Hash }, soon, 5*time.Millisecond)

	dir = t.TempDir() // the first host must not compile what follows
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "second"))
	for i := range 50 {
		put(t, dir, fmt.Sprintf("a%02d.wasm", i), tiny(t, fmt.Sprint("bad", i), p.URL, "Bad"))
	}
	var log logged
	began := time.Now()
	h = newHost(t, plugins.Options{Directory: dir, CacheDir: cache, Compiler: script("exec sleep 60"), LoadWait: 100 * time.Millisecond, Logger: log.logger()})
	pays := func(hash string) {
		d := authorize("good", p.URL)
		d.AdapterHash = hash
		res, err := h.Drive(context.Background(), d)
		require.NoError(t, err)
		require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	}
	pays("")
	pays(first.Hash) // from the archive, while the compiler is busy
	require.Equal(t, 50, strings.Count(log.String(), "still being compiled"))

	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "first")) // known from the cache directory
	require.Eventually(t, func() bool { now, _ := h.Adapter("good"); return now.Hash == first.Hash }, soon, 5*time.Millisecond)
	for i := range 50 { // the host does not wait for removed modules
		require.NoError(t, os.Remove(filepath.Join(dir, fmt.Sprintf("a%02d.wasm", i))))
	}
	pays("")
	require.Less(t, time.Since(began), 30*time.Second)
}

// TestHonestAdapterBehindSlowOnes: an adapter that is compiled after slow ones is loaded when it is ready.
func TestHonestAdapterBehindSlowOnes(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	put(t, dir, "a.wasm", endless(t, true))
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "first"))
	compiler, release := heldCompiler(t)
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: t.TempDir(), Compiler: compiler, LoadWait: time.Millisecond})
	_, loaded := h.Adapter("good")
	require.False(t, loaded)
	release()
	require.Eventually(t, func() bool { _, loaded := h.Adapter("good"); return loaded }, slow, 5*time.Millisecond)
}

// TestModuleReplacedWhileItIsCompiled: the host drops the result of the replaced module.
func TestModuleReplacedWhileItIsCompiled(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "first"))
	compiler, release := heldCompiler(t)
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: t.TempDir(), Compiler: compiler, LoadWait: time.Millisecond})
	second := tiny(t, "good", p.URL, "second")
	put(t, dir, "good.wasm", second)
	release()
	require.Eventually(t, func() bool { _, loaded := h.Adapter("good"); return loaded }, slow, time.Millisecond)
	now, _ := h.Adapter("good")
	require.Equal(t, "second", now.Manifest.DisplayName)
}

// TestCompilerThatFailedIsTriedAgain: a compiler that the system killed for lack of memory proves nothing about the adapter. A
// refused module is not tried again.
func TestCompilerThatFailedIsTriedAgain(t *testing.T) {
	p, dir, state := newProcessor(t), t.TempDir(), t.TempDir()
	put(t, dir, "bad.wasm", endless(t, true))
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "first"))
	commands := fmt.Sprintf(`n=$(ls %[1]s | wc -l); touch %[1]s/$n; [ $n -lt 3 ] && kill -9 $$; exec "$0" compile-adapter`, state)
	var log logged
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: t.TempDir(), Compiler: script(commands), RetryAfter: 10 * time.Millisecond, Logger: log.logger()})
	require.Eventually(t, func() bool {
		_, loaded := h.Adapter("good")
		return loaded && strings.Contains(log.String(), "guest trapped (fuel)")
	}, slow, 5*time.Millisecond, log.String())
	require.Contains(t, log.String(), "signal: killed")
	require.Contains(t, log.String(), "next attempt")
	time.Sleep(200 * time.Millisecond)
	tries, err := filepath.Glob(filepath.Join(state, "*"))
	require.NoError(t, err)
	require.Len(t, tries, 5)
}

// TestStoppedWhileItStarts: a switch that is stopped while it waits for a compiler ends at once and leaves nothing in the cache
// directory.
func TestStoppedWhileItStarts(t *testing.T) {
	p, dir, cache := newProcessor(t), t.TempDir(), t.TempDir()
	put(t, dir, "good.wasm", tiny(t, "good", p.URL, "first"))
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	began := time.Now()
	h, err := plugins.New(ctx, plugins.Options{BuiltIn: noAdapters, Directory: dir, CacheDir: cache, Compiler: script("exec sleep 60")})
	require.NoError(t, err)
	require.NoError(t, h.Close(context.Background()))
	require.Less(t, time.Since(began), 30*time.Second)
	left, err := filepath.Glob(filepath.Join(cache, "compiled", "compile-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
