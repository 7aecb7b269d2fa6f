// Package certified certifies the built-in adapters. It is apart from the host's own tests because it compiles every adapter,
// which the race detector would make ten times slower without a gain.
package certified

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk/sdktest"
)

// Every adapter of this repository passes the suite of all adapters, as WASM in the sandbox.
func TestAdaptersAreCertified(t *testing.T) {
	packages, err := filepath.Glob("../../*/wasm")
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	busy := sandbox.Options{Limits: sandbox.Limits{CompileTime: 5 * time.Minute}}
	for _, pkg := range packages {
		name := filepath.Base(filepath.Dir(pkg))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), name+".wasm")
			build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", file, "payswitch/plugins/"+name+"/wasm")
			build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
			out, err := build.CombinedOutput()
			require.NoError(t, err, "%s", out)
			wasm, err := os.ReadFile(file)
			require.NoError(t, err)
			var cases fs.FS // the simulator has no cases
			if folder := filepath.Join("../..", name, "testdata"); exists(filepath.Join(folder, name+".json")) {
				cases = os.DirFS(folder)
			}
			driven, err := plugins.Certify(t.Context(), wasm, busy, sdktest.Options{}, cases)
			require.NoError(t, err)
			require.Greater(t, driven, 10)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
