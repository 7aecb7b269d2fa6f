package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/require"
)

// TestKeepingCompiler: what a compiler made of an order is what the next one has, without compiling, and no other order is taken for it.
func TestKeepingCompiler(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "kept")
	files := func(dir string) map[string]string {
		all := map[string]string{}
		require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				var b []byte
				b, err = os.ReadFile(filepath.Join(dir, path))
				all[path] = string(b)
			}
			return err
		}))
		return all
	}
	kept := func() []string {
		places, err := filepath.Glob(filepath.Join(folder, "*", keptReport))
		require.NoError(t, err)
		return places
	}
	o := order{Limits: Limits{}.withDefaults(), Dir: t.TempDir(), Wasm: newAdapter(1).step("", answerAt(outputAt, 4)).build()}
	first := o.fulfilled(folder)
	require.Empty(t, first.Error)
	made := files(o.Dir)
	require.Len(t, made, 3, "native code, an image and a verdict")
	require.Len(t, kept(), 1)

	// The kept report is changed, which shows that the next compiler has it.
	first.Peak = 42
	b, err := cbor.Marshal(first)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(kept()[0], b, 0o600))
	o.Dir = t.TempDir()
	require.Equal(t, first, o.fulfilled(folder))
	require.Equal(t, made, files(o.Dir))

	for name, change := range map[string]func(o *order){
		"another module":  func(o *order) { o.Wasm = newAdapter(1).step("", answerAt(outputAt, 8)).build() },
		"another warm-up": func(o *order) { o.Warm = []byte("warm") },
		"another form":    func(o *order) { o.Unoptimised = true },
		"another limit":   func(o *order) { o.Limits.StepFuel++ },
	} {
		t.Run(name, func(t *testing.T) {
			before, other := len(kept()), o
			change(&other)
			other.Dir = t.TempDir()
			res := other.fulfilled(folder)
			require.Empty(t, res.Error)
			require.NotEqual(t, int64(42), res.Peak)
			require.Len(t, kept(), before+1)
		})
	}
	before := len(kept())
	bad := order{Limits: o.Limits, Dir: t.TempDir(), Wasm: []byte("none")}
	require.NotEmpty(t, bad.fulfilled(folder).Error)
	require.Len(t, kept(), before, "nothing is kept of a module that is refused")
}
