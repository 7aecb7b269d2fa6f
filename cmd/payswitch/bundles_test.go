package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/storage/pgtest"
)

// publicKey returns the text of the workshop's key in a file.
func (w *workshop) publicKey(name string) string {
	text, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return strings.TrimSpace(strings.SplitN(string(text), "\n", 2)[1])
}

// another returns a bundle of the same adapter with another module: a section without a meaning makes another build.
func (w *workshop) another(file string) []byte {
	content, err := os.ReadFile(file)
	require.NoError(w.t, err)
	b, err := plugins.ReadBundle(content)
	require.NoError(w.t, err)
	old := b.Hash()
	b.Module = append(bytes.Clone(b.Module), 0, 3, 1, 'x', 0)
	b.Certificate = bytes.ReplaceAll(b.Certificate, []byte(old), []byte(b.Hash()))
	text, err := os.ReadFile(w.path("mine.key"))
	require.NoError(w.t, err)
	var key minisign.PrivateKey
	require.NoError(w.t, key.UnmarshalText(text))
	b.Sign(key, "acme", "0.1.0")
	var out bytes.Buffer
	_, err = b.WriteTo(&out)
	require.NoError(w.t, err)
	return out.Bytes()
}

// give sends a bundle to a node's admin API.
func (p *running) give(file []byte) (int, object) {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodPost, p.url+"/adapters/bundles", bytes.NewReader(file))
	require.NoError(p.t, err)
	r.Header.Set("api-key", testAdminKey)
	r.Header.Set("Content-Type", "application/octet-stream")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(p.t, err)
	defer answer.Body.Close()
	var body object
	require.NoError(p.t, json.NewDecoder(answer.Body).Decode(&body))
	return answer.StatusCode, body
}

// TestBundlesReachEveryNode gives bundles to one node by the admin API and installs them there. Every node loads them, and goes back when an older one is
// pinned by the command. Only what a trusted key has signed is taken.
func TestBundlesReachEveryNode(t *testing.T) {
	costly(t)
	t.Parallel()
	w := newWorkshop(t)
	signed, foreign, unsigned := w.bundle("signed.bundle", "--sign", "mine.key"), w.bundle("foreign.bundle", "--sign", "other.key"), w.bundle("unsigned.bundle")
	read := func(path string) []byte {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		return b
	}
	trusted := "PAYSWITCH_PLUGINS__TRUSTED_KEYS=" + w.publicKey("mine.pub")
	for name, start := range map[string]func() (env []string, nodes []*process){
		"sqlite, folder": func() ([]string, []*process) {
			env, _ := operatorEnv(t)
			env = append(env, trusted)
			return env, []*process{startProcess(t, env, "serve")}
		},
		"postgres": func() (env []string, nodes []*process) {
			server := pgtest.Own(t)
			dsn := server.Create(t)
			for range 2 {
				env = append(onPostgres(t, dsn), trusted, "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+t.TempDir())
				nodes = append(nodes, startProcess(t, env, "serve"))
			}
			return env, nodes
		},
	} {
		t.Run(name, func(t *testing.T) {
			env, nodes := start()
			first := nodes[0]
			for want, file := range map[string][]byte{"the adapter is not signed": read(unsigned), "not trusted": read(foreign), "is not a bundle": []byte("anything")} {
				status, answer := first.give(file)
				require.Equal(t, http.StatusUnprocessableEntity, status, answer)
				require.Contains(t, answer["error"].(map[string]any)["message"], want)
			}
			loaded := func(hash any) {
				t.Helper()
				for _, n := range nodes {
					require.Eventually(t, func() bool {
						_, list := n.call(testAdminKey, "/adapters/bundles?name=acme", nil)
						for _, b := range list["data"].([]any) {
							_, v := n.call(testAdminKey, "/adapters/bundles/"+b.(map[string]any)["bundle_sha256"].(string), nil)
							if v["in_use"] == true {
								return v["sha256"] == hash
							}
						}
						return false
					}, time.Minute, 50*time.Millisecond, "%v", hash)
				}
			}
			status, old := first.give(read(signed))
			require.Equal(t, http.StatusOK, status, old)
			require.Equal(t, []any{"acme", nil, nil, nil}, []any{old["name"], old["installed_at"], old["refused"], old["replaces"]})
			install := func(b object) (int, object) {
				return first.call(testAdminKey, "/adapters/bundles/"+b["bundle_sha256"].(string)+"/install", object{})
			}
			status, answer := install(old)
			require.Equal(t, http.StatusOK, status, answer)
			loaded(old["sha256"])
			status, newer := first.give(w.another(signed))
			require.Equal(t, http.StatusOK, status, newer)
			require.Contains(t, newer["replaces"], old["sha256"])
			status, answer = install(newer)
			require.Equal(t, http.StatusOK, status, answer)
			loaded(newer["sha256"])
			code, stdout, stderr := operate(t, env, "plugin", "history", "acme")
			require.Equal(t, exitOK, code, stderr)
			require.Equal(t, 2, strings.Count(stdout, "the admin key  the admin key"), stdout)
			code, stdout, stderr = operate(t, env, "plugin", "pin", old["bundle_sha256"].(string), "--yes")
			require.Equal(t, exitOK, code, stdout+stderr)
			require.Contains(t, stdout, "acme 0.1.0 is installed")
			loaded(old["sha256"])
			code, _, stderr = operate(t, env, "plugin", "pin", strings.Repeat("0", 64), "--yes")
			require.Equal(t, exitFailed, code)
			require.Contains(t, stderr, "Bundle does not exist")
		})
	}
}
