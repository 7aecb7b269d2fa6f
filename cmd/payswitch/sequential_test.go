package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk/sdktest"
)

// A test that the race detector's run skips, because nothing runs concurrently in it, runs in the run without: its package stands in ALSO of the Makefile.
func TestSkippedUnderRaceRunsWithout(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^ALSO +:= (.*)$`).FindStringSubmatch(string(makefile))
	require.NotNil(t, line)
	also := strings.Fields(line[1])
	require.Contains(t, string(makefile), "$(filter-out $(RACED),$(PACKAGES)) $(ALSO)\n")

	skips := regexp.MustCompile(`(?m)^\t(plugins\.)?[sS]equential\([a-z]\)$`)
	found := map[string]bool{}
	for _, folder := range []string{"cmd", "router", "engine", "plugins", "sdk", "storage"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !skips.Match(text) {
				return err
			}
			rel, err := filepath.Rel(root, filepath.Dir(path))
			found["payswitch/"+filepath.ToSlash(rel)] = true
			return err
		}))
	}
	require.Len(t, found, 2)
	for name := range found {
		require.Contains(t, also, name, "make test never runs the sequential tests of this package: name it in ALSO")
	}
}

// What loads a module for plugin check, and what certifies it, share the compiled code: a compilation takes most of the time of a check.
func TestCheckCompilesOnce(t *testing.T) {
	costly(t)
	t.Parallel()
	file, err := builtAdapter("nmi")
	require.NoError(t, err)
	wasm, err := os.ReadFile(file)
	require.NoError(t, err)
	options := pluginSandbox()
	options.CacheDir = t.TempDir()
	compiled := func() (names []string) {
		require.NoError(t, filepath.WalkDir(options.CacheDir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, path)
			}
			return err
		}))
		return names
	}
	m, err := loadModule(t.Context(), wasm, options)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	before := compiled()
	require.NotEmpty(t, before)
	_, err = plugins.Certify(t.Context(), wasm, options, sdktest.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, before, compiled())
}
