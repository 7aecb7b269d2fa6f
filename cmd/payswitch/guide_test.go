package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var fenced = regexp.MustCompile("(?ms)^```(sh|go)\n(.*?)^```$")

// TestGuide follows the adapter guide to the letter. It runs the commands one after the other, offline, with the program as it is now. The
// Go of the guide belongs to the project that the commands begin with.
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
	payAtMock(t, dir, string(text))
}

// payAtMock runs the guide's last commands, with free ports in place of the printed ones: the mock, a demo with the adapter that the guide
// installed, an account with the guide's details, and the guide's address of the mock. A payment must succeed.
func payAtMock(t *testing.T, dir, guide string) {
	t.Helper()
	_, lines, ok := strings.Cut(guide, "serve the cases' answers")
	require.True(t, ok)
	printed := regexp.MustCompile(`plugin mock --listen (\S+)`).FindStringSubmatch(lines)
	setting := regexp.MustCompile(`(PAYSWITCH_\S+) payswitch demo`).FindStringSubmatch(lines)
	egress := regexp.MustCompile(`\{"base_url": .*\}`).FindString(lines)
	account := regexp.MustCompile(`(?s)\{"connector_type": .*?\}\}`).FindString(guide)
	for _, part := range []string{strings.Join(printed, ""), strings.Join(setting, ""), egress, account} {
		require.NotEmpty(t, part, "the guide's commands")
	}
	mock, err := loadMock(filepath.Join(dir, "acme"))
	require.NoError(t, err)
	base, serve, err := mock.listen("127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = serve(t.Context()) }()
	data := t.TempDir()
	r := start(t, append(testEnv(t, t.TempDir()), setting[1], "PAYSWITCH_PLUGINS__DIRECTORY="+filepath.Join(dir, "adapters")), "demo", "--data", data, "--listen", "127.0.0.1:0")
	keys, err := readDemoKeys(filepath.Join(data, "keys.json"))
	require.NoError(t, err)
	ask := func(key, path, body string) map[string]any {
		q, err := http.NewRequestWithContext(t.Context(), "POST", r.url+path, strings.NewReader(body))
		require.NoError(t, err)
		q.Header = http.Header{"Api-Key": {key}, "Content-Type": {"application/json"}}
		answer, err := http.DefaultClient.Do(q)
		require.NoError(t, err)
		defer answer.Body.Close()
		var all map[string]any
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&all))
		require.Equal(t, 200, answer.StatusCode, "%s: %v", path, all)
		return all
	}
	made := ask(keys.Admin, "/account/"+demoMerchant+"/connectors", account)
	address := strings.ReplaceAll(egress, "http://"+printed[1], "http://"+strings.TrimPrefix(mock.origin, "http://"))
	require.Contains(t, address, `"`+base+`"`, "the guide's address is the one that the mock prints")
	ask(keys.Admin, "/account/"+demoMerchant+"/connectors/"+made["merchant_connector_id"].(string)+"/egress", address)
	paid := ask(keys.API, "/payments", `{"amount": 2499, "currency": "USD", "confirm": true, "payment_method": "card", "routing": {"type": "single", "data": "acme"},
		"payment_method_data": {"card": {"card_number": "4111111111111111", "card_exp_month": "03", "card_exp_year": "2030", "card_cvc": "737"}}}`)
	require.Equal(t, []any{"succeeded", "acme"}, []any{paid["status"], paid["connector"]}, paid)
}

// unindented returns a text without the indentation of its lines.
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

// offline returns the environment in which Go downloads nothing, and compiles the SDK of all projects once: without -trimpath, once for each folder.
// The flags of make test stay, with which the standard library is compiled already.
func offline() []string {
	return append(os.Environ(), "GOPROXY=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -trimpath", "GOTOOLCHAIN=local", "GOWORK=off")
}
