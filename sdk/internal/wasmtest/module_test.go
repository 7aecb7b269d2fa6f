package wasmtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// A module is an instance of an adapter's WASM, without the limits and the reset of payswitch's sandbox. It implements
// sdktest.Stepper.
type module struct {
	alloc, manifest, step api.Function
	memory                api.Memory
}

// instantiate runs a module with a fixed clock and fixed random bytes.
func instantiate(t testing.TB, wasm []byte) *module {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = r.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	m, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions("_initialize").WithStderr(os.Stderr))
	require.NoError(t, err)
	return &module{alloc: m.ExportedFunction("payswitch_alloc"), manifest: m.ExportedFunction("payswitch_manifest"),
		step: m.ExportedFunction("payswitch_step"), memory: m.Memory()}
}

// Step passes a message to the guest and copies its answer out.
func (m *module) Step(ctx context.Context, message []byte) ([]byte, error) {
	p, err := m.alloc.Call(ctx, uint64(len(message)))
	if err != nil {
		return nil, err
	}
	m.memory.Write(uint32(p[0]), message)
	out, err := m.step.Call(ctx, p[0], uint64(len(message)))
	if err != nil {
		return nil, err
	}
	return m.copied(out[0]), nil
}

// Manifest returns the message of the guest's manifest.
func (m *module) Manifest(ctx context.Context) ([]byte, error) {
	out, err := m.manifest.Call(ctx)
	if err != nil {
		return nil, err
	}
	return m.copied(out[0]), nil
}

func (m *module) copied(packed uint64) []byte {
	b, _ := m.memory.Read(uint32(packed>>32), uint32(packed))
	return append([]byte(nil), b...)
}

// goModule builds a Go command as a module and returns its bytes.
func goModule(t testing.TB, dir string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", out, dir)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, strings.TrimSpace(string(text)))
	b, err := os.ReadFile(out)
	require.NoError(t, err)
	return b
}
