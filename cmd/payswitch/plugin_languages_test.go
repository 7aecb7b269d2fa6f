package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// newProjectIn writes an adapter project in a language, and returns its folder and the environment in which it builds. The test is skipped where
// the language's compiler is missing.
func newProjectIn(t *testing.T, lang, name string) (dir string, env []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "project")
	code, stdout, stderr := runProgram(t, nil, "plugin", "new", "--lang", lang, name, "--dir", dir)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "payswitch plugin check "+name+".wasm")
	if lang == "rust" {
		bin := rustWithTarget(t)
		return dir, append(offline(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if _, err := exec.LookPath("asc"); err == nil {
		return dir, offline()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("AssemblyScript's compiler is not here: %v %s", err, out)
	}
	return dir, offline()
}

// rustWithTarget returns the folder of a cargo and rustc that have the target of adapters.
func rustWithTarget(t *testing.T) string {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !exists(filepath.Join(dir, "cargo")) {
			continue
		}
		if root, err := exec.CommandContext(t.Context(), filepath.Join(dir, "rustc"), "--print", "sysroot").Output(); err == nil &&
			exists(filepath.Join(strings.TrimSpace(string(root)), "lib", "rustlib", rustTarget)) {
			return dir
		}
	}
	require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: install Rust with the target %s, as .ci/run does", rustTarget)
	t.Skip("needs Rust with the target " + rustTarget)
	return ""
}

// authorIn is author with an environment.
func authorIn(t *testing.T, dir string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	var out, problems strings.Builder
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &problems
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), problems.String()
}

// otherLanguages are those other than Go, each with a mistake: it turns states, and the report names the cases that say otherwise.
var otherLanguages = []struct {
	lang, table, file string
	from, to          string
}{
	{"rust", "declines.txt", "src/answer.rs", `let mut o = outcome(state);`, `let mut o = outcome(if state == "captured" { "authorized" } else { state });`},
	{"assemblyscript", "assembly/declines.ts", "assembly/answer.ts", `outcome(state), j`, `outcome(state == "captured" ? "authorized" : state), j`},
}

// A project in each language builds, passes the suite and its cases, and is certified. The same source gives the same module in another
// folder. check names the case that a wrong state contradicts.
func TestPluginLanguages(t *testing.T) {
	costly(t)
	t.Parallel()
	for _, l := range otherLanguages {
		t.Run(l.lang, func(t *testing.T) {
			t.Parallel()
			dir, env := newProjectIn(t, l.lang, "my_bank")
			edit(t, filepath.Join(dir, l.table), "lost_card           lost_card\n", "lost_card           lost_card\n"+
				"\"Do Not, Honor\"     do_not_honor:final Words\n3100 blocked\n3*,05,06  stolen_card\n")
			edit(t, filepath.Join(dir, "testdata", "my_bank.responses.json"), `"wrong_cvc": "incorrect_cvc"`,
				`"wrong_cvc": "incorrect_cvc", "Do Not, Honor": "do_not_honor", "06": "stolen_card", "3100": "blocked", "3200": "stolen_card", "o5": "generic_decline"`)
			code, built, stderr := authorIn(t, dir, env, "plugin", "build")
			require.Equal(t, exitOK, code, stderr)
			require.Regexp(t, `^my_bank\.wasm  \d+\.\d KiB  sha256 [0-9a-f]{64}`, built)
			code, stdout, stderr := author(t, dir, "plugin", "check", "my_bank.wasm")
			require.Equal(t, exitOK, code, "%s%s", stdout, stderr)
			require.Contains(t, stdout, "with the cases of testdata/my_bank.json")
			require.NotContains(t, stdout, "no case exercises")
			require.Contains(t, stdout, "decline codes: 2 of 11 never exercised: 05, bad_key\n")
			for _, document := range []string{"GUIDE.md", "ABI.md", "ABI_REFERENCE.md", "CASES.md", "SIGNING.md", "cases.schema.json"} {
				require.FileExists(t, filepath.Join(dir, "payswitch", "sdk", document))
			}
			sources, err := filepath.Glob(filepath.Join(dir, "payswitch", "sdk", "*.go"))
			require.NoError(t, err)
			require.Empty(t, sources, "Go is of no use here")

			moved := filepath.Join(t.TempDir(), "elsewhere")
			require.NoError(t, os.Rename(dir, moved))
			require.NoError(t, os.RemoveAll(filepath.Join(moved, "target")))
			code, again, stderr := authorIn(t, moved, env, "plugin", "build")
			require.Equal(t, exitOK, code, stderr)
			require.Equal(t, built, again)

			edit(t, filepath.Join(moved, l.table), "3100 blocked", "3100\tblocked")
			code, _, stderr = authorIn(t, moved, env, "plugin", "build")
			require.Equal(t, exitFailed, code)
			require.Contains(t, stderr, l.table+": decline codes, line ")
			edit(t, filepath.Join(moved, l.table), "3100\tblocked", "3100 blocked")

			edit(t, filepath.Join(moved, l.file), l.from, l.to)
			code, _, stderr = authorIn(t, moved, env, "plugin", "build")
			require.Equal(t, exitOK, code, stderr)
			code, stdout, _ = author(t, moved, "plugin", "check", "my_bank.wasm")
			require.Equal(t, exitFailed, code)
			require.Regexp(t, `authorize: my_bank\.responses\.json:\d+ \(case captured\): status: want captured, got authorized`, stdout)

			edit(t, filepath.Join(moved, l.file), " read(", " read((")
			code, _, stderr = authorIn(t, moved, env, "plugin", "build")
			require.Equal(t, exitFailed, code)
			require.Contains(t, stderr, filepath.Base(l.file), "the compiler's own words")
		})
	}
}

// A search in a list and the age of a message end as in the SDK for Go.
func TestOtherLanguagesFindAndRefuse(t *testing.T) {
	costly(t)
	t.Parallel()
	for _, l := range []struct{ lang, manifest, file, from, to, search string }{
		{"rust", "manifest.json", "src/lib.rs", `"sync" => query(c, "/payments"),`, `"sync" => search(c),
        "webhook" => { c.fresh(c.header("at").parse().unwrap_or(0), 300)?; Ok(outcome("handled")) }`, `
fn search(c: &mut Call) -> Result<Json> {
    let send = Send::new("GET", "/payments").header("Authorization", &c.bearer("api_key"));
    let answer = c.send(send)?;
    let found = c.find(answer.json.get("data"), !answer.json.is("more"), |x| Ok(x.need("reference")? == c.text("reference")))?;
    Ok(outcome("captured").text("transaction_id", found.need("id")?))
}
`},
		{"assemblyscript", "assembly/manifest.ts", "assembly/index.ts", `if (op == "sync") return query(c, "/payments");`, `if (op == "sync") return search(c);
  if (op == "webhook") { c.fresh(c.header("at") == "" ? 0 : I64.parseInt(c.header("at")), 300); return outcome("handled"); }`, `
import { outcome } from "./payswitch";
function search(c: Call): Json {
  const j = c.send(new Send("GET", "/payments").header("Authorization", c.bearer("api_key"))).json;
  return outcome("captured").text("transaction_id", c.find(j.get("data"), !j.is("more"), "reference", c.text("reference")).str("id"));
}
`},
	} {
		t.Run(l.lang, func(t *testing.T) {
			t.Parallel()
			dir, env := newProjectIn(t, l.lang, "acme")
			edit(t, filepath.Join(dir, l.manifest), `"refund_sync"]`, `"refund_sync", "webhook"], "webhook": {"scheme": "none", "tolerance_seconds": 300}`)
			file := filepath.Join(dir, l.file)
			edit(t, file, l.from, l.to)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, writeFile(file, string(text)+l.search))
			code, _, stderr := authorIn(t, dir, env, "plugin", "build")
			require.Equal(t, exitOK, code, stderr)
			searchesAndRefuses(t, filepath.Join(dir, "acme.wasm"))
		})
	}
}

func searchesAndRefuses(t *testing.T, module string) {
	t.Helper()
	const one, other = `{"reference": "order_1", "id": "p_1"}`, `{"reference": "order_2", "id": "p_2"}`
	wants, lines := []string{}, ""
	for _, k := range []struct{ id, body, want string }{
		{"", `"data": [` + other + `, ` + one + `], "more": true`, `"captured","transaction_id":"p_1"`},
		{"", `"data": [` + other + `]`, `"not_found"`},
		{"", `"data": [` + other + `], "more": true`, "so what it lacks may exist"},
		{"p_1", `"data": [` + other + `]`, `"alarm":"other_account"`},
		{"", `"data": [` + one + `, ` + one + `]`, "several entries"},
		{"", `"data": [` + one + `, {}]`, "the answer lacks reference"},
		{"", `"data": "none"`, "so what it lacks may exist"},
	} {
		lines += `{"operation": "sync", "credentials": {"api_key": "k"}, "input": {"reference": "order_1", "transaction_id": "` + k.id + `", "amount": 1, "currency": "USD"},
			"response": {"status": 200, "body": {` + k.body + "}}}\n"
		wants = append(wants, k.want)
	}
	lines = strings.ReplaceAll(lines, "\n\t", " ")
	for at, want := range map[string]string{"1768472430000": `"handled"}`, "1768472129999": "too old", "1768472130000": `"handled"}`, "1768472730001": "in the future", "": "too old"} {
		lines += `{"operation": "webhook", "credentials": {"api_key": "k"}, "clock": "2026-01-15T10:20:30Z", "input": {}, "message": {"headers": {"at": "` + at + `"}, "body": "{}"}}` + "\n"
		wants = append(wants, want)
	}
	var stdout, problems strings.Builder
	require.Equal(t, exitOK, run(t.Context(), []string{"plugin", "call", "--plugin", module, "--cases", "-"}, nil, strings.NewReader(lines), &stdout, &problems), &problems)
	answers := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	require.Len(t, answers, len(wants), stdout.String())
	for i, want := range wants {
		require.Contains(t, answers[i], want)
	}
}

// plugin dev compiles Rust in steps, in a folder of its own: a change compiles what it touches. The module of plugin build stays the same.
func TestRustForDevelopment(t *testing.T) {
	costly(t)
	t.Parallel()
	dir, env := newProjectIn(t, "rust", "acme")
	build := func() string {
		code, built, stderr := authorIn(t, dir, env, "plugin", "build")
		require.Equal(t, exitOK, code, stderr)
		return built
	}
	before, out := build(), filepath.Join(t.TempDir(), "dev.wasm")
	p := &program{env: env, stdout: io.Discard, stderr: io.Discard}
	develop := func() (string, time.Duration) {
		began := time.Now()
		require.NoError(t, p.compilePlugin(t.Context(), dir, out, true))
		took := time.Since(began)
		wasm, err := os.ReadFile(out)
		require.NoError(t, err)
		return string(wasm), took
	}
	first, whole := develop()
	edit(t, filepath.Join(dir, "src", "lib.rs"), `"/refunds", "reference"`, `"/refund", "reference"`)
	second, step := develop()
	require.NotEqual(t, first, second)
	t.Logf("compiled whole in %v, a change in %v", whole, step)
	steps, err := filepath.Glob(filepath.Join(dir, "target", "development", rustTarget, "release", "incremental", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, steps, "nothing is kept for the next step")
	edit(t, filepath.Join(dir, "src", "lib.rs"), `"/refund", "reference"`, `"/refunds", "reference"`)
	require.Equal(t, before, build())
}

// Without a compiler plugin build says what to install.
func TestPluginBuildWithoutCompiler(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string]string{"rust": "cargo is not on PATH: adapters in Rust are built with Rust 1.63 or later and its target wasm32-unknown-unknown",
		"assemblyscript": "run  npm install  in it", "go": "go is not on PATH"} {
		dir := filepath.Join(t.TempDir(), "project")
		code, _, stderr := runProgram(t, nil, "plugin", "new", "acme", "--lang", lang, "--dir", dir)
		require.Equal(t, exitOK, code, stderr)
		code, _, stderr = runProgram(t, []string{"PATH=" + t.TempDir()}, "plugin", "build", dir)
		require.Equal(t, exitFailed, code)
		require.Contains(t, stderr, want)
	}
	code, _, stderr := runProgram(t, nil, "plugin", "new", "acme", "--lang", "cobol", "--dir", filepath.Join(t.TempDir(), "x"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `--lang: "cobol" is not a language here: choose go, rust or assemblyscript`)
}

// The helpers know the reasons after which another processor may be tried, and the decimals of currencies, as the SDK does.
func TestPluginLanguagesKnowTheSDKsTables(t *testing.T) {
	t.Parallel()
	var reasons, others []string
	declines, err := fs.ReadFile(projectFiles(), "project/all/declines.txt.txt")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(declines), "The reasons are:")
	list, _, _ = strings.Cut(list, ".\n")
	for _, f := range sdk.DeclineReasons() {
		require.Contains(t, strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,#\n", r) }), string(f.Reason), "the project's list of reasons")
		if f.RetryElsewhere {
			reasons = append(reasons, string(f.Reason))
		} else {
			others = append(others, string(f.Reason))
		}
	}
	for _, file := range []string{"project/rust/src/payswitch.rs.txt", "project/assemblyscript/assembly/payswitch.ts.txt"} {
		text, err := fs.ReadFile(projectFiles(), file)
		require.NoError(t, err)
		list := regexp.MustCompile(`(?s)generic_decline do_not_honor.*?;`).Find(text)
		require.ElementsMatch(t, reasons, regexp.MustCompile(`[a-z_]{5,}`).FindAllString(string(list), -1), file)
		list = regexp.MustCompile(`(?s)insufficient_funds lost_card.*?;`).Find(text)
		require.ElementsMatch(t, others, regexp.MustCompile(`[a-z_]{5,}`).FindAllString(string(list), -1), file)
		for decimals, currency := range map[int]string{0: `"BIF.*XPF"`, 3: `"BHD.*TND"`, 4: `"CLF"`} {
			for _, name := range regexp.MustCompile(`[A-Z]{3}`).FindAllString(string(regexp.MustCompile(currency).Find(text)), -1) {
				got, known := sdk.Currency(name).Exponent()
				require.True(t, known, name)
				require.Equal(t, decimals, got, name)
			}
		}
	}
}

// The table of decline codes is read as the SDK reads it, from either file, and an error names the line.
func TestDeclineTable(t *testing.T) {
	t.Parallel()
	write := func(file, text string) string {
		dir := t.TempDir()
		require.NoError(t, writeFile(filepath.Join(dir, filepath.FromSlash(file)), text))
		return dir
	}
	const table = "# remark\n05,06 do_not_honor Words, more\n\"Do Not, Honor\" do_not_honor\n3* lost_card:elsewhere\n"
	for _, dir := range []string{write("declines.txt", table), write("assembly/declines.ts", "export const DECLINES = `"+table+"`;\n")} {
		_, codes, err := declineTable(dir)
		require.NoError(t, err)
		require.Equal(t, []string{"05", "06", "Do Not, Honor", "3*"}, codes)
	}
	_, _, err := declineTable(write("declines.txt", table+"420 in_doubt\n"))
	require.ErrorContains(t, err, "declines.txt: 420: in_doubt is a word of the Go SDK: answer unknown")
	inGo := write("declines.txt", table+"420 in_doubt\n")
	require.NoError(t, writeFile(filepath.Join(inGo, "go.mod"), "module acme\n"))
	_, codes, err := declineTable(inGo)
	require.NoError(t, err)
	require.Contains(t, codes, "420")
	_, codes, err = declineTable(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, codes)
	for row, want := range map[string]string{"51\tlost_card": "is not a decline reason", "07, 08 do_not_honor": `"08" is not a decline reason`, "07,,08 do_not_honor": "a code is empty", `"Do Not Honor do_not_honor`: "no second one",
		"51 lost_cart": `"lost_cart" is not a decline reason`, "06 lost_card": "the code 06 stands in an earlier line too", "51 lost_card:never": "neither final nor elsewhere"} {
		for _, dir := range []string{write("declines.txt", table+row+"\n"), write("assembly/declines.ts", "// Codes.\nexport const DECLINES = `"+table+row+"\n`;\n")} {
			_, _, err := declineTable(dir)
			require.ErrorContains(t, err, want)
			require.Regexp(t, `declines\.(txt: decline codes, line 5|ts: decline codes, line 6): `, err.Error())
		}
	}
}
