package simulator_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// maxModule bounds the module's size in bytes: the SDK and Go's runtime, and little more.
const maxModule = 3 << 20

// TestModule builds the simulator as a module and compares its answers with the native ones.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module; leave out -short")
	}
	path := filepath.Join(t.TempDir(), "simulator.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", path, "./wasm")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	code, err := os.ReadFile(path)
	require.NoError(t, err)
	t.Logf("module: %d bytes", len(code))
	require.Less(t, len(code), maxModule)

	g := load(t, code)
	require.Equal(t, simulator.Adapter().ManifestMessage(), g.call("payswitch_manifest"))
	first := asked3DS(6050, sdk.CaptureAutomatic)
	redirected := do(t, sdk.OpAuthorize, 0, first)
	for _, s := range []*sdk.Step{
		step(sdk.OpAuthorize, 0, request(visa, 6050, sdk.CaptureAutomatic)),
		step(sdk.OpAuthorize, 0, request("4000 0000 0000 0002", 6050, sdk.CaptureAutomatic)),
		step(sdk.OpAuthorize, 0, request(visa, magic+30, sdk.CaptureAutomatic)),
		step(sdk.OpAuthorize, 0, first),
		step(sdk.OpComplete, 0, completing(first, redirected, sdk.H("result", "approve"))),
		step(sdk.OpSync, 0, later(first, redirected)),
		step(sdk.OpVerify, 0, request(visa, 0, sdk.CaptureAutomatic)),
		step(sdk.OpCapture, 0, authorized(t, 100)),
		step(sdk.OpRefund, 0, captured(t, 100)),
		step(sdk.OpAccessToken, 0, sdk.Request{}),
	} {
		require.Equal(t, simulator.Adapter().Handle(sdk.EncodeStep(s)), g.step(sdk.EncodeStep(s)), s.Operation)
	}
}

// guest is one instance of the module.
type guest struct {
	t      *testing.T
	module api.Module
}

func load(t *testing.T, code []byte) *guest {
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { require.NoError(t, runtime.Close(ctx)) })
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	module, err := runtime.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	require.NoError(t, err)
	return &guest{t, module}
}

// call calls an export that returns address<<32 | length, and copies the bytes there.
func (g *guest) call(name string, args ...uint64) []byte {
	out, err := g.module.ExportedFunction(name).Call(context.Background(), args...)
	require.NoError(g.t, err)
	b, ok := g.module.Memory().Read(uint32(out[0]>>32), uint32(out[0]))
	require.True(g.t, ok)
	return append([]byte(nil), b...)
}

func (g *guest) step(message []byte) []byte {
	p, err := g.module.ExportedFunction("payswitch_alloc").Call(context.Background(), uint64(len(message)))
	require.NoError(g.t, err)
	require.True(g.t, g.module.Memory().Write(uint32(p[0]), message))
	return g.call("payswitch_step", p[0], uint64(len(message)))
}
