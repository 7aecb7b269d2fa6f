package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var fenced = regexp.MustCompile("(?ms)^```(sh|go)\n(.*?)^```$")

// TestGuide follows the adapter guide to the letter: its commands are run one after the other, offline, with the program as it is
// now; its Go is Go of the project that they begin with.
func TestGuide(t *testing.T) {
	costly(t)
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "sdk/GUIDE.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 150, "the guide's length is the weight of the SDK")
	var script, snippets []string
	for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "sh" {
			script = append(script, m[2])
		} else {
			snippets = append(snippets, m[2])
		}
	}
	require.NotEmpty(t, script)
	require.NotEmpty(t, snippets)

	dir := t.TempDir()
	out := shell(t, dir, strings.Join(script, ""))
	require.Contains(t, out, "acme 0.1.0 is certified")
	require.Regexp(t, `(?m)^acme +0\.1\.0 +directory +signed, key not in plugins\.trusted_keys +[0-9a-f]{64}$`, out)

	source := ""
	for _, name := range []string{"acme.go", "answer.go"} {
		b, err := os.ReadFile(filepath.Join(dir, "acme", name))
		require.NoError(t, err)
		source += unindented(string(b))
	}
	for _, snippet := range snippets {
		require.Contains(t, source, unindented(snippet))
	}
}

// unindented is a text without the indentation of its lines.
func unindented(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

// shell runs a script as an adapter's author would, with payswitch on the path and without a network for Go.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-eux")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
	cmd.Env = append(offline(), cacheVariable+"="+filepath.Join(t.TempDir(), "cache"), "PATH="+filepath.Dir(program)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// offline is the environment in which Go downloads nothing.
func offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOWORK=off")
}
