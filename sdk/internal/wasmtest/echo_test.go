package wasmtest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

const echoDir = "../../examples/c-echo"

// echoModule builds the adapter in C, or skips the test without a C compiler.
func echoModule(t *testing.T) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "echo.wasm")
	text, err := exec.Command("sh", filepath.Join(echoDir, "build.sh"), out).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		t.Skip("no clang: the adapter in C is not tested (Debian: apt-get install clang lld)")
	}
	if _, noLinker := exec.LookPath("wasm-ld"); err != nil && noLinker != nil {
		t.Skip("no wasm-ld: the adapter in C is not tested (Debian: apt-get install clang lld)")
	}
	require.NoError(t, err, string(text))
	require.Empty(t, string(text), "the compiler warns")
	b, err := os.ReadFile(out)
	require.NoError(t, err)
	return b
}

func TestAdapterInC(t *testing.T) {
	m := instantiate(t, echoModule(t))
	text, err := os.ReadFile(filepath.Join(echoDir, "testdata", "vectors.json"))
	require.NoError(t, err)
	var vectors []struct {
		Name         string
		Step, Result json.RawMessage
	}
	require.NoError(t, json.Unmarshal(text, &vectors))
	for _, v := range vectors {
		message := append(binary.LittleEndian.AppendUint32(nil, uint32(len(v.Step))), v.Step...)
		got, err := m.Step(context.Background(), message)
		require.NoError(t, err, v.Name)
		want, err := sdk.DecodeResult(append(binary.LittleEndian.AppendUint32(nil, uint32(len(v.Result))), v.Result...))
		require.NoError(t, err, v.Name)
		result, err := sdk.DecodeResult(got)
		require.NoError(t, err, v.Name)
		require.Equal(t, want, result, v.Name)
	}
	require.NoError(t, sdktest.Check(t.Context(), m, sdktest.Options{}))
}

// TestSuiteOnModule: the suite runs on a .wasm as on native code.
func TestSuiteOnModule(t *testing.T) {
	o := sdktest.Options{Answer: func(sdk.Operation, int, *sdk.Send) sdk.Exchange {
		return sdk.Exchange{Status: 200, Body: []byte(answer)}
	}}
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(&Adapter), o))
	require.NoError(t, sdktest.Check(t.Context(), instantiate(t, goModule(t, "./guest")), o))
}
