package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAdaptersAreReproducible builds every adapter here and from a copy of its source elsewhere: the files must be the same, as an
// adapter is known, and approved, by its hash. The Makefile must use the flags that this holds for.
func TestAdaptersAreReproducible(t *testing.T) {
	costly(t)
	t.Parallel()
	entries, err := filepath.Glob(filepath.Join(root, "plugins/*/wasm"))
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, entry := range entries {
		folder := filepath.Dir(entry)
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			elsewhere := filepath.Join(dir, "elsewhere.wasm")
			here, err := builtAdapter(name)
			require.NoError(t, err)

			source := filepath.Join(dir, "another", "place")
			require.NoError(t, os.CopyFS(filepath.Join(source, "sdk"), os.DirFS(filepath.Join(root, "sdk"))))
			require.NoError(t, os.CopyFS(filepath.Join(source, "plugins", name), os.DirFS(folder)))
			for _, f := range []string{"go.mod", "go.sum"} {
				b, err := os.ReadFile(filepath.Join(root, f))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(source, f), b, 0o600))
			}
			require.NoError(t, goBuild(wasmEnv, append([]string{"-C", source}, wasmArgs(elsewhere, "./plugins/"+name+"/wasm")...)...))
			require.Equal(t, hashOf(t, here), hashOf(t, elsewhere), "the build depends on where it is made")
		})
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	args := wasmArgs("OUT", "PKG")
	for _, flag := range append(append([]string{}, wasmEnv...), args[:len(args)-3]...) {
		require.Contains(t, strings.ReplaceAll(string(makefile), "'", ""), flag)
	}
}

// TestMakeSaysWhatItBuilds: make run and make build print a short line for each thing that they build, and not the command, which has 1,000 characters.
func TestMakeSaysWhatItBuilds(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	builds, _, found := strings.Cut(string(makefile), "\ntest: ")
	require.True(t, found)
	goesOn := false
	for line := range strings.Lines(builds) {
		if strings.HasPrefix(line, "\t") && !goesOn {
			require.True(t, strings.HasPrefix(line, "\t@"), "make prints this command: %s", line)
		}
		goesOn = strings.HasSuffix(line, "\\\n")
	}
	require.Contains(t, builds, "\t@echo 'building bin/payswitch'\n")
}

func hashOf(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return sha256.Sum256(b)
}
