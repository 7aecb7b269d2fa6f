package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk/sdktest"
)

// TestAdaptersAreCertified runs the suite every adapter must pass over every built-in one, as WASM in the sandbox it will live in.
func TestAdaptersAreCertified(t *testing.T) {
	entries, err := filepath.Glob(filepath.Join(root, "plugins/*/wasm"))
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	slow := sandbox.Options{Limits: sandbox.Limits{CompileTime: 10 * time.Minute}} // with the race detector, on a busy machine
	for _, entry := range entries {
		name := filepath.Base(filepath.Dir(entry))
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".wasm")
			require.NoError(t, goBuild(wasmEnv, wasmArgs(file, "./plugins/"+name+"/wasm")...))
			wasm, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, plugins.Certify(t.Context(), wasm, slow, sdktest.Options{}))
		})
	}
}
