package plugins_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk"
)

const soon = 20 * time.Second // compiling on a busy machine

func TestHostDrivesAnAdapterOfTheDirectory(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	put(t, dir, "acme.wasm", acmeModule(t))
	log := &logged{}
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger()})
	all := h.Adapters()
	require.Len(t, all, 1)
	require.Equal(t, "acme", all[0].Name)
	require.False(t, all[0].BuiltIn)
	require.Len(t, all[0].Hash, 64)

	d := authorize("acme", p.URL)
	res, err := h.Drive(context.Background(), d)
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	require.Equal(t, all[0].Hash, res.AdapterHash)
	require.EqualValues(t, 1, p.arrivals.Load())
	for _, secret := range []string{cardNumber, cardCVC + "\"", secretKey} {
		require.NotContains(t, log.String(), secret)
	}
	_, err = h.Drive(context.Background(), authorize("stripe", p.URL))
	require.ErrorIs(t, err, plugins.ErrNoAdapter)
}

func TestNativeAndSandboxSendTheSame(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	put(t, dir, "acme.wasm", acmeModule(t))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	d := authorize("acme", p.URL)
	sandboxed, err := h.Drive(context.Background(), d)
	require.NoError(t, err)
	compiledIn, err := acmeNative(t).Drive(context.Background(), d)
	require.NoError(t, err)
	require.Equal(t, sandboxed.Outcome, compiledIn.Outcome)
	require.Equal(t, sandboxed.Exchanges[0].RequestHash, compiledIn.Exchanges[0].RequestHash)
}

func TestSimulatedConnectors(t *testing.T) {
	plugins.Sequential(t)
	dir := t.TempDir()
	put(t, dir, "acme.wasm", acmeModule(t))
	put(t, dir, "simulator.wasm", simulatorModule(t))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Simulate: []string{"stripe", "acme"}})
	all := h.Adapters()
	require.Len(t, all, 3)
	for i, want := range []string{"acme", "simulator", "stripe"} {
		require.Equal(t, want, all[i].Connector)
		require.Equal(t, plugins.SimulatorName, all[i].Name)
		require.Equal(t, want != plugins.SimulatorName, all[i].Simulated)
	}
	res, err := h.Drive(context.Background(), authorize("stripe", ""))
	require.NoError(t, err)
	require.Equal(t, sdk.StatusCaptured, res.Outcome.Status)
	require.Equal(t, all[1].Hash, res.AdapterHash)
}

func TestADroppedInAdapterWinsOverABuiltIn(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	builtIn := tiny(t, "acme", p.URL, "built in")
	put(t, dir, "mine.wasm", tiny(t, "acme", p.URL, "first"))
	log := &logged{}
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger(),
		BuiltIn: fstest.MapFS{"acme.wasm": {Data: builtIn}, "README.md": {Data: []byte("no module")}, "broken.wasm": {Data: []byte("no module")}}})
	dropped, _ := h.Adapter("acme")
	require.False(t, dropped.BuiltIn)
	require.Contains(t, log.String(), "an installed adapter replaces the built-in one")
	require.Contains(t, log.String(), "broken.wasm")
	put(t, dir, "other.wasm", tiny(t, "acme", p.URL, "second"))
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "two installed adapters have one name") }, soon, 5*time.Millisecond)
	h.UnloadIdle()
	require.Len(t, h.Stats(), 3, "a build stays that a removed file would make current")

	require.NoError(t, os.Remove(filepath.Join(dir, "mine.wasm")))
	require.Eventually(t, func() bool { now, _ := h.Adapter("acme"); return now.Hash != dropped.Hash }, soon, 5*time.Millisecond)
	require.NoError(t, os.Remove(filepath.Join(dir, "other.wasm")))
	require.Eventually(t, func() bool { now, _ := h.Adapter("acme"); return now.BuiltIn }, soon, 5*time.Millisecond)
	res, err := h.Drive(context.Background(), authorize("acme", p.URL))
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
}

func TestAFileBeingWrittenIsLeftAlone(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	path := filepath.Join(dir, "acme.wasm")
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "first"))
	log := &logged{}
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger()})
	before, _ := h.Adapter("acme")

	next := tiny(t, "acme", p.URL, "next")
	put(t, dir, "acme.wasm", next[:len(next)/2]) // in one step, so that no scan finds less
	failures := func() int { return strings.Count(log.String(), "adapter cannot be loaded") }
	require.Eventually(t, func() bool { return failures() == 1 }, soon, 5*time.Millisecond)
	time.Sleep(100 * time.Millisecond)
	require.Equal(t, 1, failures(), "reported once")
	now, _ := h.Adapter("acme")
	require.Equal(t, before.Hash, now.Hash, "the previous build goes on")

	require.NoError(t, os.WriteFile(path, next, 0o600))
	require.Eventually(t, func() bool { now, _ := h.Adapter("acme"); return now.Hash != before.Hash }, soon, 5*time.Millisecond)
}

func TestAPinnedBuildOutlivesItsFile(t *testing.T) {
	p, dir, cache := newProcessor(t), t.TempDir(), t.TempDir()
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "first"))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cache})
	first, _ := h.Adapter("acme")
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "second"))
	require.Eventually(t, func() bool { now, _ := h.Adapter("acme"); return now.Hash != first.Hash }, soon, 5*time.Millisecond)

	pinned := authorize("acme", p.URL)
	pinned.AdapterHash = first.Hash
	res, err := h.Drive(context.Background(), pinned)
	require.NoError(t, err)
	require.Equal(t, first.Hash, res.AdapterHash)

	t.Run("out of memory", func(t *testing.T) {
		require.Len(t, h.Stats(), 2)
		h.UnloadIdle()
		require.Len(t, h.Stats(), 1)
		_, err := h.Drive(context.Background(), authorize("acme", p.URL))
		require.NoError(t, err)
		res, err := h.Drive(context.Background(), pinned)
		require.NoError(t, err)
		require.Equal(t, first.Hash, res.AdapterHash)
		require.Len(t, h.Stats(), 2)
	})
	t.Run("after a restart, with the adapter removed", func(t *testing.T) {
		h := newHost(t, plugins.Options{CacheDir: cache})
		require.Empty(t, h.Adapters())
		res, err := h.Drive(context.Background(), pinned)
		require.NoError(t, err)
		require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
		require.Equal(t, first.Hash, res.AdapterHash)
		require.Len(t, h.Stats(), 1)
		require.False(t, h.Stats()[0].Current)
		require.Zero(t, h.Stats()[0].Driving)
	})
	t.Run("unless it was changed", func(t *testing.T) {
		path := filepath.Join(cache, "builds", first.Hash+".wasm")
		require.NoError(t, os.WriteFile(path, tiny(t, "acme", p.URL, "evil"), 0o600))
		_, err := newHost(t, plugins.Options{CacheDir: cache}).Drive(context.Background(), pinned)
		require.ErrorIs(t, err, plugins.ErrNoBuild)
	})
	t.Run("or is no hash", func(t *testing.T) {
		d := authorize("acme", p.URL)
		d.AdapterHash = "../../../etc/passwd"
		_, err := h.Drive(context.Background(), d)
		require.ErrorIs(t, err, plugins.ErrNoBuild)
	})
}

// Adapters are added, replaced and removed while 50 payments at a time are under way, and no payment fails.
func TestChangesUnderLoad(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	p.delay.Store(int64(2 * time.Millisecond))
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "first"))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var stop atomic.Bool
	var done atomic.Int64
	var hashes sync.Map
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for !stop.Load() {
				res, err := h.Drive(ctx, authorize("acme", p.URL))
				if err != nil || res.Outcome.Status != sdk.StatusAuthorized {
					t.Errorf("a payment failed: %v %+v", err, res.Outcome)
					return
				}
				hashes.Store(res.AdapterHash, true)
				done.Add(1)
			}
		})
	}
	for i := range 5 {
		before, _ := h.Adapter("acme")
		put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, strings.Repeat("v", i+1)))
		put(t, dir, "bad.wasm", tiny(t, "bad", p.URL, "bad"))
		require.Eventually(t, func() bool { now, _ := h.Adapter("acme"); return now.Hash != before.Hash }, soon, time.Millisecond)
		require.Eventually(t, func() bool { _, ok := h.Adapter("bad"); return ok }, soon, time.Millisecond)
		require.NoError(t, os.Remove(filepath.Join(dir, "bad.wasm")))
		require.Eventually(t, func() bool { _, ok := h.Adapter("bad"); return !ok }, soon, time.Millisecond)
		now, _ := h.Adapter("acme")
		require.Eventually(t, func() bool { _, ok := hashes.Load(now.Hash); return ok }, soon, time.Millisecond, "the new build serves payments")
	}
	stop.Store(true)
	wg.Wait()
	n := 0
	hashes.Range(func(any, any) bool { n++; return true })
	require.Equal(t, 6, n, "every build has served payments")
	require.EqualValues(t, done.Load(), p.arrivals.Load(), "every payment was sent once")
	t.Logf("%d payments", done.Load())
}

// A start with a warm cache compiles nothing.
func TestWarmStart(t *testing.T) {
	p, dir, cache := newProcessor(t), t.TempDir(), t.TempDir()
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "first"))
	put(t, dir, "bad.wasm", tiny(t, "bad", p.URL, "bad"))
	newHost(t, plugins.Options{Directory: dir, CacheDir: cache})
	start := time.Now()
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cache})
	t.Logf("%d adapters in %v", len(h.Adapters()), time.Since(start))
	require.Len(t, h.Adapters(), 2)
	for _, s := range h.Stats() {
		require.False(t, s.Sandbox.Compiled, s.Name)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []plugins.Options{
		{Simulate: []string{"Stripe"}}, {SendTimeout: -1}, {MaxResponse: -1}, {Directory: filepath.Join(t.TempDir(), "missing")},
	} {
		o.BuiltIn = noAdapters
		_, err := plugins.New(context.Background(), o)
		require.Error(t, err)
	}
}

// An idle adapter gives up its memory, and the next payment finds it unchanged.
func TestIdleAdaptersRest(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	put(t, dir, "acme.wasm", acmeModule(t))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir(), RestAfter: 20 * time.Millisecond})
	for range 2 {
		res, err := h.Drive(t.Context(), authorize("acme", p.URL))
		require.NoError(t, err)
		require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
		require.Eventually(t, func() bool { return !h.Stats()[0].Sandbox.Compiled }, 20*time.Second, 5*time.Millisecond)
	}
}
