package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newProject writes an adapter project of a name and returns its folder.
func newProject(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	code, _, stderr := runProgram(t, nil, "plugin", "new", name, "--dir", dir)
	require.Equal(t, exitOK, code, stderr)
	return dir
}

// author runs the program as it is built, as a process in a folder.
func author(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	var out, problems strings.Builder
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, offline(), &out, &problems
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), problems.String()
}

// edit replaces a text in a file, which must be there.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(b), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(b), old, new, 1)), 0o600))
}

// A project of any name is formatted, passes its own tests and vet, and builds, without a network.
func TestPluginNew(t *testing.T) {
	costly(t)
	t.Parallel()
	for _, name := range []string{"acme", "my_bank_2_", "payswitch", "strings"} {
		t.Run(name, func(t *testing.T) {
			dir := newProject(t, name)
			for _, args := range [][]string{{"build", "./..."}, {"vet", "./..."}, {"test", "./..."}} {
				cmd := exec.CommandContext(t.Context(), "go", args...)
				cmd.Dir, cmd.Env = dir, offline()
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "go %s: %s", args, out)
			}
			out, err := exec.CommandContext(t.Context(), "gofmt", "-s", "-l", dir).CombinedOutput()
			require.NoError(t, err)
			require.Empty(t, string(out))
			if name != "acme" {
				text, err := os.ReadFile(filepath.Join(dir, name+".go"))
				require.NoError(t, err)
				require.NotContains(t, strings.ToLower(string(text)), "acme")
			}
		})
	}
}

func TestPluginNewLeavesOthersFilesAlone(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600))
	code, _, stderr := runProgram(t, nil, "plugin", "new", "acme", "--dir", dir)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "is not empty: name another folder with --dir")
}

// The same source becomes the same file in another folder, whatever the developer's settings are.
func TestPluginBuildIsReproducible(t *testing.T) {
	t.Parallel()
	dir := newProject(t, "acme")
	code, stdout, stderr := author(t, dir, "plugin", "build")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "acme.wasm")
	elsewhere, err := built()
	require.NoError(t, err)
	require.Equal(t, hashOf(t, filepath.Join(elsewhere, "acme.wasm")), hashOf(t, filepath.Join(dir, "acme.wasm")))
}

func TestPluginBuildRefuses(t *testing.T) {
	costly(t)
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(dir string)
		stderr string
	}{
		"global random state": {func(dir string) {
			edit(t, filepath.Join(dir, "acme.go"), "import \"payswitch/sdk\"\n", "import (\n\t\"math/rand/v2\"\n\n\t\"payswitch/sdk\"\n)\n")
			edit(t, filepath.Join(dir, "acme.go"), "r := c.Request\n", "r := c.Request\n\t_ = rand.IntN(3)\n")
		}, "acme.go:34:6: math/rand/v2.IntN uses random state of the whole program"},
		"what does not compile": {func(dir string) { edit(t, filepath.Join(dir, "acme.go"), "r := c.Request\n", "r := c.Requests\n") }, "c.Requests undefined"},
		"a bad manifest": {func(dir string) { edit(t, filepath.Join(dir, "acme.go"), `Version: "0.1.0"`, `Version: "soon"`) },
			`version: "soon" is not a semantic version`},
		"what is no project": {func(dir string) { require.NoError(t, os.RemoveAll(dir)); require.NoError(t, os.Mkdir(dir, 0o700)) }, "holds no adapter"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newProject(t, "acme")
			tc.change(dir)
			code, stdout, stderr := author(t, filepath.Dir(dir), "plugin", "build", dir)
			require.Equal(t, exitFailed, code, stdout)
			require.Contains(t, stderr, tc.stderr)
			left, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
			require.NoError(t, err)
			require.Empty(t, left)
			left, err = filepath.Glob(filepath.Join(dir, ".payswitch-build-*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestGlobalRandom(t *testing.T) {
	for source, want := range map[string]string{
		"import \"math/rand\"\nvar x = rand.Intn(3)":                                                                       "math/rand.Intn",
		"import dice \"math/rand\"\nvar roll = dice.Perm":                                                                  "math/rand.Perm",
		"import \"math/rand/v2\"\nvar x = rand.N[int](3)":                                                                  "math/rand/v2.N",
		"import . \"math/rand\"\nvar x = Intn(3)":                                                                          "import . ",
		"import \"math/rand\"\nfunc f() { rand.Seed(1) }":                                                                  "math/rand.Seed",
		"import \"math/rand\"\nvar x = rand.New(rand.NewSource(1)).Intn(3)":                                                "",
		"import \"math/rand/v2\"\nvar x *rand.Rand = rand.New(rand.NewPCG(1, 2))":                                          "",
		"import \"crypto/rand\"\nvar x = rand.Text()":                                                                      "crypto/rand.Text",
		"type dice struct{}\nfunc (dice) Intn(int) int { return 4 }\nfunc f() int { rand := dice{}; return rand.Intn(3) }": "",
		"import \"math/rand\"\ntype dice struct{ *rand.Rand }\nfunc f() int { var rand dice; return rand.Intn(3) }":        "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"+source), 0o600))
		found, err := globalRandom(dir, []string{"a.go"})
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, found, source)
			continue
		}
		require.Len(t, found, 1, source)
		require.ErrorContains(t, found[0], want)
		require.Contains(t, found[0].Error(), "a.go:")
	}
}

// The report about a broken adapter names the broken rule, the place and the remedy, in text and as JSON.
func TestPluginCheck(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := newBuilt(t)
	require.NoError(t, os.Rename(filepath.Join(dir, "acme.wasm"), filepath.Join(dir, "good.wasm")))
	edit(t, filepath.Join(dir, "acme.go"), `Int("amount", r.Amount.Minor)`, `Int("amount", r.Amount.Minor/10*10)`)
	code, _, stderr := author(t, dir, "plugin", "build", "-o", "bad.wasm")
	require.Equal(t, exitOK, code, stderr)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "none.wasm"), []byte("none"), 0o600))

	code, stdout, stderr := author(t, dir, "plugin", "check", "bad.wasm")
	require.Equal(t, exitFailed, code)
	require.Regexp(t, `(?m)^failed +money `, stdout)
	require.Contains(t, stdout, "- authorize: no request holds the amount 1999 EUR")
	require.Contains(t, stdout, "what to do: use Money.Minor")
	require.NotContains(t, stdout, "is certified")
	require.Contains(t, stderr, "bad.wasm is not certified: broken rules: money")

	report := func(file string, want int) (r checkReport) {
		code, stdout, stderr := author(t, dir, "plugin", "check", file, "--json")
		require.Equal(t, want, code, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		require.Len(t, r.Rules, len(checkRules))
		return r
	}
	good := report("good.wasm", exitOK)
	require.True(t, good.Passed)
	require.Equal(t, "acme", good.Name)
	require.Positive(t, good.StepMicros)
	require.Positive(t, good.MemoryBytes)
	for _, rule := range good.Rules {
		require.Equal(t, "ok", rule.Result, rule.Rule)
	}
	require.False(t, report("bad.wasm", exitFailed).Passed)
	none := report("none.wasm", exitFailed)
	require.Equal(t, "failed", none.Rules[0].Result)
	require.Equal(t, "not_checked", none.Rules[1].Result)
}

func TestPluginInspect(t *testing.T) {
	folder, err := adapters()
	require.NoError(t, err)
	code, stdout, stderr := author(t, folder, "plugin", "inspect", "simulator.wasm")
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^name +simulator `, stdout)
	require.Regexp(t, `(?m)^operations +authorize, capture, `, stdout)

	code, stdout, stderr = author(t, folder, "plugin", "inspect", "--json", "simulator.wasm")
	require.Equal(t, exitOK, code, stderr)
	var it inspection
	require.NoError(t, json.Unmarshal([]byte(stdout), &it))
	require.Equal(t, "simulator", it.Manifest.Name)
	require.Positive(t, it.Bytes)
	require.Len(t, it.SHA256, 64)
}

func TestPluginList(t *testing.T) {
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__SIMULATE=acme")
	code, stdout, stderr := runProgram(t, env, "plugin", "list")
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^simulator +\S+ +(directory +no|built in +-) +[0-9a-f]{64}$`, stdout)
	require.Regexp(t, `(?m)^acme +\S+ +simulated +- +[0-9a-f]{64}$`, stdout)
}

func TestPluginUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		code   int
		output string
	}{
		"no name":          {[]string{"plugin", "new"}, exitUsage, "needs the adapter's name"},
		"two names":        {[]string{"plugin", "new", "a", "b"}, exitUsage, `takes no argument "b"`},
		"upper case":       {[]string{"plugin", "new", "Acme"}, exitUsage, `"Acme" is no adapter name`},
		"a keyword":        {[]string{"plugin", "new", "func"}, exitUsage, `"func" cannot be the name of a Go package`},
		"flag behind":      {[]string{"plugin", "new", "acme", "--help"}, exitOK, "-dir folder"},
		"no file":          {[]string{"plugin", "check"}, exitUsage, "needs a file"},
		"no such file":     {[]string{"plugin", "check", "none.wasm"}, exitFailed, "there is no file none.wasm"},
		"nor that":         {[]string{"plugin", "inspect", "none.wasm"}, exitFailed, "build it with  payswitch plugin build"},
		"unknown":          {[]string{"plugin", "frobnicate"}, exitUsage, "unknown command \"plugin frobnicate\"\n\nUsage: payswitch plugin COMMAND"},
		"a slip":           {[]string{"plugin", "biuld"}, exitUsage, "did you mean \"plugin build\"?"},
		"plugin alone":     {[]string{"plugin"}, exitUsage, "one of its commands is missing\n\nUsage: payswitch plugin COMMAND"},
		"plugin's help":    {[]string{"plugin", "--help"}, exitOK, "plugin keygen"},
		"go is not there":  {[]string{"plugin", "build", "../../plugins/nmi"}, exitFailed, "go is not on PATH"},
		"no adapter there": {[]string{"plugin", "build", "nowhere"}, exitFailed, "nowhere holds no adapter"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runProgram(t, []string{"PATH=/nowhere"}, tc.args...)
			require.Equal(t, tc.code, code, stderr)
			require.Contains(t, stdout+stderr, tc.output)
		})
	}
}
