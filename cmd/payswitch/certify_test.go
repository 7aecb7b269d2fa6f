package main

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

// TestAdaptersAreCertified runs the suite every adapter must pass over every built-in one, as WASM in the sandbox it will live in.
func TestAdaptersAreCertified(t *testing.T) {
	entries, err := filepath.Glob(filepath.Join(root, "plugins/*/wasm"))
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	runtime, err := sandbox.New(t.Context(), sandbox.Options{CacheDir: filepath.Join(scratch, "certified")})
	require.NoError(t, err)
	defer runtime.Close(context.Background())
	for _, entry := range entries {
		name := filepath.Base(filepath.Dir(entry))
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".wasm")
			require.NoError(t, goBuild(wasmEnv, wasmArgs(file, "./plugins/"+name+"/wasm")...))
			wasm, err := os.ReadFile(file)
			require.NoError(t, err)
			module, err := runtime.Load(wasm, nil)
			require.NoError(t, err)
			manifest, err := module.Manifest(t.Context())
			require.NoError(t, err)
			require.Contains(t, string(manifest), `"name":"`+name+`"`, "an adapter is called as its folder is")
			require.NoError(t, sdktest.Check(t.Context(), sandboxed{module}, sdktest.Options{}))
		})
	}
}

// sandboxed is a module as sdktest wants it. Clock and randomness are the step's own, as under the host.
type sandboxed struct{ *sandbox.Module }

func (s sandboxed) Step(ctx context.Context, message []byte) ([]byte, error) {
	c := sandbox.Call{Input: message}
	if step, err := sdk.DecodeStep(message); err == nil { // else it is for the adapter to refuse
		c.Now = time.UnixMilli(step.Now)
		if seed, err := hex.DecodeString(step.Seed); err == nil {
			copy(c.Seed[:], seed)
		}
	}
	return s.Module.Step(ctx, c)
}
