package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
