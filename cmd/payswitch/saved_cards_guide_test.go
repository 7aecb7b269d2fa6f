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

// step is a fenced block of commands, and of what its output holds.
var step = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$(?:\n^```text\n(.*?)^```$)?")

// TestSavedCardsGuide pastes the guide to saved cards into a shell, against the demo.
func TestSavedCardsGuide(t *testing.T) { followGuide(t, "router/SAVED_CARDS.md") }

// followGuide runs a guide's commands in one shell, with the demo's keys exported. It finds after each block what the guide says it
// prints, in that order.
func followGuide(t *testing.T, guide string) {
	t.Parallel()
	followGuideOn(t, guide, testEnv(t, t.TempDir()))
}

// followGuideOn is followGuide with an environment of the demo.
func followGuideOn(t *testing.T, guide string, env []string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	text, err := os.ReadFile(filepath.Join(root, guide))
	require.NoError(t, err)
	steps := step.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, steps)
	const mark = "== end of block =="
	var script strings.Builder
	for _, s := range steps {
		script.WriteString(s[1] + "echo '" + mark + "'\n")
	}
	r := start(t, env, "demo", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	printed := func(label string) string {
		_, rest, found := strings.Cut(r.banner, label)
		require.True(t, found, r.banner)
		return strings.Fields(rest)[0]
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-eu")
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(script.String())
	cmd.Env = append(os.Environ(), "URL="+r.url, "API_KEY="+printed("API key "), "PUBLISHABLE_KEY="+printed("publishable key "))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	blocks := strings.Split(string(out), mark+"\n")
	require.Len(t, blocks, len(steps)+1, "%s", out)
	for i, s := range steps {
		rest := blocks[i]
		for line := range strings.Lines(s[2]) {
			want := strings.TrimSpace(line)
			_, after, found := strings.Cut(rest, want)
			require.True(t, found, "%s\n%s\nprints no (further)\n%s", s[1], blocks[i], want)
			rest = after
		}
	}
}
