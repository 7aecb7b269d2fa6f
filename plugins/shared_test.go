package plugins_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"

	"payswitch/plugins"
)

// pool is Shared in memory.
type pool struct {
	mu      sync.Mutex
	pins    []plugins.Pin
	modules map[string][]byte
	away    error
	reads   int
}

func newPool() *pool { return &pool{modules: map[string][]byte{}} }

func (p *pool) Installed(context.Context) ([]plugins.Pin, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.pins), p.away
}

func (p *pool) Module(_ context.Context, hash string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads++
	if b, ok := p.modules[hash]; ok {
		return b, p.away
	}
	return nil, fs.ErrNotExist
}

func (p *pool) Use(_ context.Context, hashes []string) (known []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range hashes {
		if p.modules[h] != nil {
			known = append(known, h)
		}
	}
	return known, p.away
}

func (p *pool) Put(_ context.Context, hash string, packed []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modules[hash] = packed
	return p.away
}

func (p *pool) Prune(context.Context, time.Duration) error { return nil }

func (p *pool) has(hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.modules[hash] != nil
}

func (p *pool) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// install puts a bundle's module into the pool. It replaces the module of the same name.
func (p *pool) install(b *plugins.Bundle, name string) (hash string) {
	p.set(func() {
		p.pins = append(slices.DeleteFunc(p.pins, func(old plugins.Pin) bool { return old.Name == name }), b.Pin(name, "1.0.0", time.Now()))
		p.modules[b.Hash()] = plugins.PackModule(b.Module)
	})
	return b.Hash()
}

// An adapter that is installed in the shared place appears at every host, is replaced there, and goes.
func TestSharedAdapters(t *testing.T) {
	p, shared := newProcessor(t), newPool()
	hosts := []*plugins.Host{newHost(t, plugins.Options{Shared: shared, CacheDir: t.TempDir()}), newHost(t, plugins.Options{Shared: shared, CacheDir: t.TempDir()})}
	everywhere := func(hash string) {
		t.Helper()
		for _, h := range hosts {
			require.Eventually(t, func() bool { now, _ := h.Adapter("acme"); return now.Hash == hash }, soon, 5*time.Millisecond)
		}
	}
	first := shared.install(bundleOf(tiny(t, "acme", p.URL, "first")), "acme")
	everywhere(first)
	file, pin := hosts[0].File("acme")
	require.Empty(t, file)
	require.Equal(t, first, pin.SHA256)
	_, err := hosts[1].Drive(t.Context(), authorize("acme", p.URL))
	require.NoError(t, err)
	second := shared.install(bundleOf(tiny(t, "acme", p.URL, "second")), "acme")
	everywhere(second)

	shared.set(func() { shared.away = errors.New("the database is away") })
	hosts[0].UnloadIdle()
	_, err = hosts[0].Drive(t.Context(), authorize("acme", p.URL))
	require.NoError(t, err, "what is loaded stays")
	shared.set(func() { shared.away, shared.pins = nil, nil })
	everywhere("")
	pinned := authorize("acme", p.URL)
	pinned.AdapterHash = first
	_, err = hosts[0].Drive(t.Context(), pinned)
	require.NoError(t, err, "an operation ends with its build")
}

// A host finds the build that another one began an operation with, and keeps it.
func TestSharedBuilds(t *testing.T) {
	p, shared, dir := newProcessor(t), newPool(), t.TempDir()
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "first"))
	one := newHost(t, plugins.Options{Shared: shared, Directory: dir, CacheDir: t.TempDir()})
	now, _ := one.Adapter("acme")
	require.False(t, shared.has(now.Hash), "nothing began with it")
	_, err := one.Drive(t.Context(), authorize("acme", p.URL))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return shared.has(now.Hash) }, soon, 5*time.Millisecond)

	pinned := authorize("acme", p.URL)
	pinned.AdapterHash = now.Hash
	other := newHost(t, plugins.Options{Shared: shared, CacheDir: t.TempDir()})
	for range 2 {
		res, err := other.Drive(t.Context(), pinned)
		require.NoError(t, err)
		require.Equal(t, now.Hash, res.AdapterHash)
		other.UnloadIdle()
	}
	require.Equal(t, 1, shared.reads, "the second time it is on disk")

	good := shared.modules[now.Hash]
	bomb := plugins.PackModule(make([]byte, 64<<20))
	for name, bad := range map[string][]byte{"other": plugins.PackModule(tiny(t, "acme", p.URL, "evil")), "cut": good[:len(good)/2], "none": nil, "bomb": bomb} {
		shared.set(func() { shared.modules[now.Hash] = bad })
		_, err := newHost(t, plugins.Options{Shared: shared, CacheDir: t.TempDir()}).Drive(t.Context(), pinned)
		require.ErrorIs(t, err, plugins.ErrNoBuild, name)
	}
	shared.set(func() { delete(shared.modules, now.Hash) })
	_, err = newHost(t, plugins.Options{Shared: shared}).Drive(t.Context(), pinned)
	require.ErrorIs(t, err, plugins.ErrNoBuild)
}

// A shared adapter is held to its pin as a file is, and to its name.
func TestSharedAdaptersAreVerified(t *testing.T) {
	p, dir := newProcessor(t), t.TempDir()
	public, private := keys(t)
	signed := bundleOf(tiny(t, "acme", p.URL, "signed"))
	signed.Sign(private, "acme", "1.0.0")
	start := func(o plugins.Options, shared *pool) (*plugins.Host, *bytes.Buffer) {
		log := &bytes.Buffer{}
		o.Shared, o.CacheDir, o.BuiltIn, o.Logger = shared, t.TempDir(), fstest.MapFS{}, slog.New(slog.NewTextHandler(log, nil))
		h, err := plugins.New(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, h.Close(context.Background())) })
		return h, log
	}
	for name, tc := range map[string]struct {
		change func(shared *pool)
		o      plugins.Options
		log    string
	}{
		"good":       {o: plugins.Options{SignedOnly: true, Trusted: []minisign.PublicKey{public}}},
		"unsigned":   {func(s *pool) { s.pins[0].Signature = "" }, plugins.Options{SignedOnly: true, Trusted: []minisign.PublicKey{public}}, "not signed"},
		"untrusted":  {nil, plugins.Options{SignedOnly: true}, "not trusted"},
		"other name": {func(s *pool) { s.pins[0].Name = "zeta" }, plugins.Options{}, "it says that it is the adapter acme"},
		"other module": {func(s *pool) {
			s.modules[signed.Hash()] = plugins.PackModule(tiny(t, "acme", p.URL, "evil"))
		}, plugins.Options{}, "the shared module is damaged"},
		"other hash": {func(s *pool) {
			evil := tiny(t, "acme", p.URL, "evil")
			s.pins[0].SHA256 = bundleOf(evil).Hash()
			s.modules[s.pins[0].SHA256] = plugins.PackModule(evil)
		}, plugins.Options{SignedOnly: true, Trusted: []minisign.PublicKey{public}}, "the signature does not match"},
	} {
		t.Run(name, func(t *testing.T) {
			shared := newPool()
			shared.install(signed, "acme")
			if tc.change != nil {
				tc.change(shared)
			}
			h, log := start(tc.o, shared)
			_, loaded := h.Adapter("acme")
			require.Equal(t, tc.log == "", loaded, log)
			require.Contains(t, log.String(), tc.log)
			_, loaded = h.Adapter("zeta")
			require.False(t, loaded)
		})
	}
	t.Run("a file of the directory counts before it", func(t *testing.T) {
		put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "by hand"))
		shared := newPool()
		shared.install(signed, "acme")
		h, log := start(plugins.Options{Directory: dir}, shared)
		now, _ := h.Adapter("acme")
		require.NotEqual(t, signed.Hash(), now.Hash)
		require.Contains(t, log.String(), "two installed adapters have one name")
	})
	t.Run("without an answer there is no start", func(t *testing.T) {
		shared := newPool()
		shared.away = errors.New("away")
		_, err := plugins.New(t.Context(), plugins.Options{Shared: shared, CacheDir: t.TempDir(), BuiltIn: fstest.MapFS{}})
		require.ErrorContains(t, err, "shared adapters: away")
	})
}
