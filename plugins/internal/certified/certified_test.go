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
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
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

// TestAdaptersAreCertified certifies every built-in adapter in both forms, as WASM in the sandbox, and runs every recorded case with its answers,
// whole and damaged.
func TestAdaptersAreCertified(t *testing.T) {
	packages, err := filepath.Glob("../../*/wasm")
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	for _, pkg := range packages {
		name := filepath.Base(filepath.Dir(pkg))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sampled(t, name)
			f := newForms(t, module(t, "payswitch/plugins/"+name+"/wasm"))
			folder := filepath.Join("../..", name, "testdata")
			recorded := exists(filepath.Join(folder, name+".json")) // the simulators have no cases
			var fsys fs.FS
			if recorded {
				fsys = os.DirFS(folder)
			}
			driven, err := plugins.CertifyStepper(t.Context(), f, sdktest.Options{}, fsys)
			require.NoError(t, err)
			require.Greater(t, driven, 10)
			suite := f.answers
			require.Greater(t, suite, 50)
			if !recorded {
				return
			}
			message, err := f.Manifest(t.Context())
			require.NoError(t, err)
			manifest, err := sdk.DecodeManifest(message)
			require.NoError(t, err)
			requests, responses, err := wire.Load(fsys, name)
			require.NoError(t, err)
			cases := wire.Rehearsals(manifest, requests, responses)
			require.Greater(t, len(cases), 10)
			for _, c := range cases {
				f.drive(c.Step, c.Answers)
				for _, cut := range damaged(c.Answers) {
					f.drive(c.Step, cut)
				}
			}
			t.Logf("%d cases: %d answers, %d of them of the certification; %d traps", len(cases), f.answers, suite, f.traps)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
