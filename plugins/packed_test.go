package plugins_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
)

func pack(t *testing.T, folder, earlier fs.FS) (packed []byte, adapters fs.FS) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, plugins.Pack(t.Context(), &b, folder, earlier, 2))
	adapters, err := plugins.OpenPack(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	return b.Bytes(), adapters
}

// TestPack: a pack holds each module as it was built, and its description. The same modules give the same bytes, whether an earlier pack
// was there or not.
func TestPack(t *testing.T) {
	t.Parallel()
	one, two := tiny(t, "one", "https://x.example", "one"), tiny(t, "two", "https://x.example", "two")
	folder := fstest.MapFS{"two.wasm": {Data: two}, "one.wasm": {Data: one}, "README.md": {Data: []byte("no module")}}
	first, adapters := pack(t, folder, nil)
	again, _ := pack(t, folder, nil)
	require.Equal(t, first, again)
	names, err := fs.Glob(adapters, "*")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"one.wasm", "one.manifest", "two.wasm", "two.manifest"}, names)
	for name, module := range map[string][]byte{"one": one, "two": two} {
		inflated, err := fs.ReadFile(adapters, name+".wasm")
		require.NoError(t, err)
		require.Equal(t, module, inflated)
		description, err := fs.ReadFile(adapters, name+".manifest")
		require.NoError(t, err)
		require.True(t, plugins.Described(module, description))
	}

	folder["two.wasm"] = &fstest.MapFile{Data: tiny(t, "two", "https://x.example", "changed")}
	fresh, _ := pack(t, folder, nil)
	reused, _ := pack(t, folder, adapters)
	require.Equal(t, fresh, reused)
	require.NotEqual(t, first, fresh)

	folder["broken.wasm"] = &fstest.MapFile{Data: []byte("no module")}
	require.ErrorContains(t, plugins.Pack(t.Context(), new(bytes.Buffer), folder, nil, 1), "broken.wasm: ")
}

// TestPackIsSmall: what a module has in common with the first one takes no room again, in any order of reading and from several goroutines at once.
func TestPackIsSmall(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{}
	for _, name := range []string{"a", "b", "c", "d"} {
		folder[name+".wasm"] = &fstest.MapFile{Data: tiny(t, name, "https://x.example", name)}
	}
	alone, _ := pack(t, fstest.MapFS{"a.wasm": folder["a.wasm"]}, nil)
	packed, adapters := pack(t, folder, nil)
	require.Less(t, len(packed), 3*len(alone))
	var readers sync.WaitGroup
	for range 3 {
		for name, want := range folder {
			readers.Go(func() {
				got, err := fs.ReadFile(adapters, name)
				if err != nil || !bytes.Equal(want.Data, got) {
					t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(want.Data), err)
				}
			})
		}
	}
	readers.Wait()

	// A damaged first module is an error for those that need it, and no wrong module.
	for i := range packed[:len(packed)/4] {
		if i > 64 {
			packed[i] ^= 0x55
		}
	}
	if damaged, err := plugins.OpenPack(bytes.NewReader(packed), int64(len(packed))); err == nil {
		_, err = fs.ReadFile(damaged, "d.wasm")
		require.Error(t, err)
	}
}

// counted counts the modules that are read.
type counted struct {
	fs.FS
	modules atomic.Int64
}

func (c *counted) Open(name string) (fs.File, error) {
	if path.Ext(name) == ".wasm" {
		c.modules.Add(1)
	}
	return c.FS.Open(name)
}

// TestWarmStartInflatesNothing: with a cache directory, a second start learns from the pack's description what an embedded adapter is; it
// reads its module with the first payment alone. The adapter goes by the hash of the uncompressed module.
func TestWarmStartInflatesNothing(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	wasm := tiny(t, "acme", p.URL, "one")
	_, adapters := pack(t, fstest.MapFS{"acme.wasm": {Data: wasm}}, nil)
	built := &counted{FS: adapters}
	cache := t.TempDir()
	start := func() *plugins.Host {
		built.modules.Store(0)
		return newHost(t, plugins.AsEmbedded(plugins.Options{CacheDir: cache, BuiltIn: built}))
	}
	require.Len(t, start().Adapters(), 1)
	require.Positive(t, built.modules.Load())

	h := start()
	sum := sha256.Sum256(wasm)
	require.Equal(t, hex.EncodeToString(sum[:]), h.Adapters()[0].Hash)
	require.Zero(t, built.modules.Load())
	_, err := h.Drive(t.Context(), authorize("acme", p.URL))
	require.NoError(t, err)
	require.EqualValues(t, 1, built.modules.Load())
}

// TestEmbeddedModuleOfAnotherHash: a module that is not the one its description names takes no payment.
func TestEmbeddedModuleOfAnotherHash(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{"acme.wasm": {Data: tiny(t, "acme", "https://x.example", "one")}}
	_, adapters := pack(t, folder, nil)
	description, err := fs.ReadFile(adapters, "acme.manifest")
	require.NoError(t, err)
	folder["acme.manifest"] = &fstest.MapFile{Data: description}
	cache := t.TempDir()
	require.Len(t, newHost(t, plugins.AsEmbedded(plugins.Options{CacheDir: cache, BuiltIn: folder})).Adapters(), 1)

	folder["acme.wasm"] = &fstest.MapFile{Data: tiny(t, "acme", "https://x.example", "two")}
	h := newHost(t, plugins.AsEmbedded(plugins.Options{CacheDir: cache, BuiltIn: folder})) // the cache knows the hash in the description
	_, err = h.Drive(t.Context(), authorize("acme", ""))
	require.ErrorContains(t, err, "the bytes do not have the hash that the module is known by")
	require.Empty(t, newHost(t, plugins.AsEmbedded(plugins.Options{CacheDir: t.TempDir(), BuiltIn: folder})).Adapters())
}
