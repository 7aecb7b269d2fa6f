package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A bundle replaces a built-in adapter of its name only if the operator says so, with a flag or a field of its own. Neither --yes nor an answer to
// the question is enough. A further bundle of that name replaces an installed adapter, and needs no such word.
func TestReplaceABuiltIn(t *testing.T) {
	costly(t)
	t.Parallel()
	w := &workshop{t, newProject(t, "mollie")}
	w.must("plugin", "build")
	w.must("plugin", "keygen", "mine")
	w.must("plugin", "bundle", "mollie.wasm", "-o", "mollie.bundle", "--sign", "mine.key")
	env, folder := operatorEnv(t)
	env = append(env, "PAYSWITCH_PLUGINS__TRUSTED_KEYS="+w.publicKey("mine.pub"))
	const remedy = "pass --replace-builtin"
	code, stdout, stderr := operate(t, env, "plugin", "install", w.path("mollie.bundle"), "--yes")
	require.Equal(t, exitFailed, code, stdout)
	require.Contains(t, stderr, "mollie is a built-in adapter")
	require.Contains(t, stderr, remedy)
	code, stdout, stderr = operateAnswering(t, "y\n", env, "plugin", "install", w.path("mollie.bundle"))
	require.Equal(t, exitFailed, code, stdout)
	require.Contains(t, stderr, remedy)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)

	p := startProcess(t, env, "serve")
	file, err := os.ReadFile(w.path("mollie.bundle"))
	require.NoError(t, err)
	status, given := p.give(file)
	require.Equal(t, http.StatusOK, status, given)
	require.Equal(t, true, given["replaces_builtin"], given)
	sum := given["bundle_sha256"].(string)
	path := "/adapters/bundles/" + sum + "/install"
	status, answer := p.call(testAdminKey, path, object{"allow_older": true})
	require.Equal(t, http.StatusUnprocessableEntity, status, answer)
	refused := answer["error"].(map[string]any)
	require.Contains(t, refused["message"], "mollie is a built-in adapter")
	require.Contains(t, refused["hint"], "replace_builtin true")
	code, stdout, stderr = operate(t, env, "plugin", "pin", sum, "--yes")
	require.Equal(t, exitFailed, code, stdout)
	require.Contains(t, stderr, remedy)
	require.NoFileExists(t, filepath.Join(folder, "mollie.wasm"))

	status, answer = p.call(testAdminKey, path, object{"replace_builtin": true})
	require.Equal(t, http.StatusOK, status, answer)
	require.FileExists(t, filepath.Join(folder, "mollie.wasm"))
	require.Eventually(t, func() bool {
		_, v := p.call(testAdminKey, "/adapters/bundles/"+sum, nil)
		return v["in_use"] == true && v["replaces_builtin"] == false
	}, time.Minute, 50*time.Millisecond)
	status, answer = p.call(testAdminKey, path, object{})
	require.Equal(t, http.StatusOK, status, answer)
	code, stdout, stderr = operate(t, env, "plugin", "install", w.path("mollie.bundle"), "--yes")
	require.Equal(t, exitOK, code, stdout+stderr)
	code, _, stderr = operate(t, env, "plugin", "remove", "mollie", "--yes")
	require.Equal(t, exitOK, code, stderr)
	code, stdout, stderr = operate(t, env, "plugin", "install", w.path("mollie.bundle"), "--yes", "--replace-builtin")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "THE BUILT-IN ONE")
}
