package plugins_test

import (
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
)

// A built-in adapter with its description is known without compilation. With the description of another module the host compiles
// it. An adapter whose manifest differs from its description takes no payment.
func TestDescriptions(t *testing.T) {
	module := tiny(t, "acme", "https://x.example", "one")
	description, err := plugins.Describe(t.Context(), module, sandbox.Options{})
	require.NoError(t, err)
	require.True(t, plugins.Described(module, description))
	require.False(t, plugins.Described(tiny(t, "acme", "https://x.example", "two"), description))

	host := func(description []byte) *plugins.Host {
		return newHost(t, plugins.Options{CacheDir: t.TempDir(), BuiltIn: fstest.MapFS{"acme.wasm": {Data: module}, "acme.manifest": {Data: description}}})
	}
	compiled := func(h *plugins.Host) bool { return h.Stats()[0].Sandbox.Compiled }
	h := host(description)
	require.Equal(t, "acme", h.Adapters()[0].Name)
	require.False(t, compiled(h))
	require.True(t, compiled(host(nil)))
	require.True(t, compiled(host(append([]byte("0"), description...))))

	lie := bytes.Replace(description, []byte(`"name":"acme"`), []byte(`"name":"acme2"`), 1)
	require.NotEqual(t, description, lie)
	lie[65]++ // the JSON's length
	h = host(lie)
	require.Equal(t, "acme2", h.Adapters()[0].Name)
	_, err = h.Drive(t.Context(), authorize("acme2", ""))
	require.ErrorContains(t, err, "manifest is not the one that came with it")
}
