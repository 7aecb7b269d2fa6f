package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVersion builds the program with make from a source archive, and from a git clone.
func TestVersion(t *testing.T) {
	costly(t)
	t.Parallel()
	source := t.TempDir()
	for _, f := range trackedFiles(t) {
		if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, f))
		require.NoError(t, err)
		to := filepath.Join(source, f)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, text, 0o644))
	}
	do := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = source, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(source), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.com", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.com")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", name, args, out)
		return strings.TrimSpace(string(out))
	}
	version := func() string {
		do("make", "--old-file=plugins", "build", "TRIM=-trimpath", "CGO=1") // without adapters, of the packages that these tests are built of
		return do("bin/payswitch", "version")
	}
	require.Regexp(t, `^payswitch unknown, revision unknown \(it was built from a source archive or a git worktree\), adapter ABI 1, go`, version())

	do("git", "init", "-q")
	do("git", "add", "-A")
	do("git", "commit", "-q", "-m", "all")
	revision := do("git", "rev-parse", "HEAD")
	require.Regexp(t, `^payswitch v0\.0\.0-[0-9]{14}-`+revision[:12]+`, revision `+revision+`, adapter ABI 1, go`, version())
}

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3+dirty"}, Settings: []debug.BuildSetting{{Key: "vcs.modified", Value: "true"}, {Key: "vcs.revision", Value: "abc"}}}
	require.Equal(t, build{"v1.2.3+dirty", "abc (modified)"}, buildOf(info))
	info.Settings[0].Value = "false"
	require.Equal(t, build{"v1.2.3+dirty", "abc"}, buildOf(info))
	require.Equal(t, build{"unknown", "unknown"}, buildOf(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}))
}
