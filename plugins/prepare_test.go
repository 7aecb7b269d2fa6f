package plugins_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
)

// TestPrepare compiles the adapters in use before a payment needs them, and no others. A further switch with the same cache directory finds them
// compiled.
func TestPrepare(t *testing.T) {
	p, dir, cache := newProcessor(t), t.TempDir(), t.TempDir()
	put(t, dir, "acme.wasm", tiny(t, "acme", p.URL, "first"))
	put(t, dir, "other.wasm", tiny(t, "other", p.URL, "second"))
	newHost(t, plugins.Options{Directory: dir, CacheDir: cache}) // describes them
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cache})
	ready := func() (names []string) {
		for _, s := range h.Stats() {
			if s.Sandbox.Compiled {
				names = append(names, s.Name)
			}
		}
		return names
	}
	require.Empty(t, ready())
	require.ErrorIs(t, h.Prepare(t.Context(), []string{"missing", "acme"}), plugins.ErrNoAdapter)
	require.Equal(t, []string{"acme"}, ready(), "an error about one adapter does not keep the next one waiting")
	require.NoError(t, h.Prepare(t.Context(), nil))
	require.Equal(t, []string{"acme", "other"}, ready())

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newHost(t, plugins.Options{Directory: dir, CacheDir: cache}).Prepare(ended, nil), context.Canceled)
}
