// Package certified certifies the built-in adapters. It is apart from the host's own tests because it compiles every adapter,
// which the race detector would make ten times slower without a gain.
package certified

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/sandbox"
	"payswitch/sdk/sdktest"
)

// patient is a sandbox that waits for a compiler that shares the processors with other tests.
var patient = sandbox.Options{Limits: sandbox.Limits{CompileTime: 5 * time.Minute}}

// compiled is a folder for the code of modules, so that the tests of this package compile each form of a module once. TestMain makes and removes the folder.
var compiled string

func TestMain(m *testing.M) {
	var err error
	if compiled, err = os.MkdirTemp("", "certified"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(compiled)
	os.Exit(code)
}

// Every adapter of this repository passes the suite of all adapters, as WASM in the sandbox.
func TestAdaptersAreCertified(t *testing.T) {
	packages, err := filepath.Glob("../../*/wasm")
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	o := patient
	o.CacheDir = compiled
	for _, pkg := range packages {
		name := filepath.Base(filepath.Dir(pkg))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wasm := module(t, "payswitch/plugins/"+name+"/wasm")
			var cases fs.FS // the simulator has none
			if folder := filepath.Join("../..", name, "testdata"); exists(filepath.Join(folder, name+".json")) {
				cases = os.DirFS(folder)
			}
			driven, err := plugins.Certify(t.Context(), wasm, o, sdktest.Options{}, cases)
			require.NoError(t, err)
			require.Greater(t, driven, 10)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
