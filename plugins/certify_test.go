package plugins_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
)

func testSandbox() sandbox.Options {
	return sandbox.Options{CacheDir: filepath.Join(cacheDir(), "compiled"), Limits: sandbox.Limits{CompileTime: slow}}
}

// TestAcmeIsCertified: the adapter that the tests of this package use passes the suite. Package certified certifies the built-in adapters.
func TestAcmeIsCertified(t *testing.T) {
	plugins.Sequential(t)
	_, err := plugins.Certify(t.Context(), acmeModule(t), testSandbox(), sdktest.Options{Answer: acmeAnswer}, nil)
	require.NoError(t, err)
}

func acmeAnswer(op sdk.Operation, _ int, s *sdk.Send) sdk.Exchange {
	status := map[sdk.Operation]string{sdk.OpCapture: "captured", sdk.OpVoid: "voided", sdk.OpRefund: "refunded", sdk.OpRefundSync: "refunded"}[op]
	switch {
	case op == sdk.OpAuthorize && bytes.Contains(s.Body, []byte(`"capture":true`)):
		status = "captured"
	case status == "":
		status = "authorized"
	}
	body := []byte(`{"id":"pay_1","refund":"re_1","status":"` + status + `"}`)
	return sdk.Exchange{Status: 200, Headers: []sdk.Header{sdk.H("Content-Type", "application/json")}, Body: body}
}

// An adapter in C, written from the protocol's description, runs in the same host.
func TestAnAdapterInC(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("needs clang and lld with the wasm32 target")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "echo.wasm")
	out, err := exec.Command("sh", "../sdk/examples/c-echo/build.sh", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	wasm, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = plugins.Certify(t.Context(), wasm, testSandbox(), sdktest.Options{}, nil)
	require.NoError(t, err)

	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	require.Len(t, h.Adapters(), 1)
	res, err := h.Drive(t.Context(), authorize(h.Adapters()[0].Connector, ""))
	require.NoError(t, err)
	require.Contains(t, []sdk.OutcomeStatus{sdk.StatusAuthorized, sdk.StatusCaptured}, res.Outcome.Status)
}

func TestABadAdapterIsNotCertified(t *testing.T) {
	for _, wasm := range [][]byte{badModule(t), []byte("no module")} {
		_, err := plugins.Certify(t.Context(), wasm, testSandbox(), sdktest.Options{}, nil)
		require.Error(t, err)
	}
}
