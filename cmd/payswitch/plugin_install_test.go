package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
)

// acmeProcessor is the processor of the adapter that plugin new writes. While gate is locked its answers wait.
type acmeProcessor struct {
	*httptest.Server
	gate sync.Mutex

	mu      sync.Mutex
	seen    []string // paths, in order
	amount  int64    // of the last payment
	charges int
}

func newAcmeProcessor(t *testing.T) *acmeProcessor {
	p := &acmeProcessor{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Amount int64 }
		_ = json.NewDecoder(r.Body).Decode(&in)
		p.mu.Lock()
		p.seen = append(p.seen, r.URL.Path)
		if in.Amount == 0 { // a query
			in.Amount = p.amount
		} else {
			p.charges++
		}
		p.amount = in.Amount
		id := fmt.Sprintf("ac_%d", p.charges)
		if _, asked, found := strings.Cut(r.URL.Path, "ac_"); found {
			id = "ac_" + strings.Split(asked, "/")[0]
		}
		p.mu.Unlock()
		p.gate.Lock()
		defer p.gate.Unlock()
		_ = json.NewEncoder(w).Encode(object{"id": id, "state": "captured", "amount": in.Amount})
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *acmeProcessor) arrivals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen)
}

// workshop is an author's folder with the project acme built, and keys.
type workshop struct {
	t   *testing.T
	dir string
}

// built is the project acme as plugin new writes it, with the module that plugin build makes of it. The folder is not to be changed.
var built = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "built")
	program, err := binary()
	if err != nil {
		return "", err
	}
	for _, args := range [][]string{{"new", "acme", "--dir", dir}, {"build", dir}} {
		cmd := exec.Command(program, append([]string{"plugin"}, args...)...)
		cmd.Env = offline()
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("plugin %s: %w\n%s", args[0], err, out)
		}
	}
	return dir, nil
})

// newBuilt returns a copy of built.
func newBuilt(t *testing.T) string {
	t.Helper()
	from, err := built()
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "project")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

func newWorkshop(t *testing.T) *workshop {
	w := &workshop{t, newBuilt(t)}
	for _, name := range []string{"mine", "other"} {
		w.must("plugin", "keygen", name)
	}
	return w
}

func (w *workshop) must(args ...string) string {
	w.t.Helper()
	code, stdout, stderr := author(w.t, w.dir, args...)
	require.Equal(w.t, exitOK, code, stdout+stderr)
	return stdout
}

// bundle makes one of the module as it was built last.
func (w *workshop) bundle(out string, args ...string) string {
	w.t.Helper()
	w.must(append([]string{"plugin", "bundle", "acme.wasm", "-o", out}, args...)...)
	return filepath.Join(w.dir, out)
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

// operatorEnv returns the environment of a switch that loads adapters from a folder of its own.
func operatorEnv(t *testing.T) (env []string, folder string) {
	folder = t.TempDir()
	return append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true"), folder
}

// operate runs the program as it is built. Modules that it compiles are in the cache then: with the race detector that takes too long.
func operate(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return operateAnswering(t, "", env, args...)
}

// operateAnswering is operate with something on standard input.
func operateAnswering(t *testing.T, answer string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	var out, problems strings.Builder
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, strings.NewReader(answer), &out, &problems
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), problems.String()
}

func TestPluginInstall(t *testing.T) {
	costly(t)
	t.Parallel()
	w := newWorkshop(t)
	signed, unsigned := w.bundle("signed.bundle", "--sign", "mine.key"), w.bundle("unsigned.bundle")
	env, folder := operatorEnv(t)
	install := func(args ...string) (int, string, string) {
		return operate(t, env, append([]string{"plugin", "install"}, args...)...)
	}
	file, err := os.ReadFile(signed)
	require.NoError(t, err)
	b, err := plugins.ReadBundle(file)
	require.NoError(t, err)
	changed := func(name string, change func(b *plugins.Bundle)) string {
		other := *b
		change(&other)
		path := w.path(name)
		f, err := os.Create(path)
		require.NoError(t, err)
		_, err = other.WriteTo(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return path
	}
	key := []string{"--key", w.path("mine.pub"), "--yes"}
	for name, tc := range map[string]struct {
		args   []string
		stderr string
	}{
		"no trusted key":  {[]string{signed, "--yes"}, "the adapter is signed by a key that is not trusted here"},
		"another trusted": {[]string{signed, "--yes", "--key", w.path("other.pub")}, "add its author's public key to plugins.trusted_keys"},
		"unsigned":        {append(key, unsigned), "the adapter is not signed: ask its author for a signed bundle, or install it with --allow-unsigned"},
		"other module": {append(key, changed("module.bundle", func(b *plugins.Bundle) { b.Module = append([]byte(nil), b.Module[:len(b.Module)-1]...) })),
			"the signature does not match"},
		"certificate of another, unsigned": {[]string{"--yes", "--allow-unsigned", changed("certificate.bundle", func(b *plugins.Bundle) {
			b.Signature, b.Certificate = nil, []byte(strings.Replace(string(b.Certificate), b.Hash(), strings.Repeat("0", 64), 1))
		})}, "the certificate belongs to another module"},
		"manifest of another, unsigned": {[]string{"--yes", "--allow-unsigned", changed("manifest.bundle", func(b *plugins.Bundle) {
			b.Signature, b.Manifest = nil, []byte(strings.Replace(string(b.Manifest), "api.acme.example", "api.evil.example", 2))
		})}, "the manifest of the module differs from the bundle's"},
		"a module":         {append(key, w.path("acme.wasm")), "the file is not a bundle"},
		"no answer given":  {[]string{signed, "--key", w.path("mine.pub")}, "not approved: payswitch changed nothing. Answer y, or pass --yes"},
		"what is no key":   {[]string{signed, "--key", "nothing"}, "is neither a minisign public key nor a file that holds one"},
		"no such file":     {append(key, "none.bundle"), "none.bundle"},
		"an unfit private": {[]string{signed, "--key", w.path("mine.key")}, "mine.key"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := install(tc.args...)
			require.Equal(t, exitFailed, code, stdout)
			require.Contains(t, stderr, tc.stderr)
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}

	code, _, stderr := operateAnswering(t, "no\n", env, "plugin", "install", signed, "--key", w.path("mine.pub"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "not approved: payswitch changed nothing")
	code, stdout, stderr := operateAnswering(t, "y\n", env, "plugin", "install", signed, "--key", w.path("mine.pub"))
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "Install it, and let it send to these hosts and place these secrets there? [y/N]")
	for _, want := range []string{`(?m)^name +acme 0\.1\.0$`, `(?m)^live +https://api\.acme\.example/v1, hosts api\.acme\.example$`, `(?m)^credential +api_key \(secret\)`,
		`(?m)^may place +card_number in body card\.number of POST `, `(?m)^signature +by key [0-9A-F]{16}, which is trusted$`, `(?m)^replaces +nothing$`} {
		require.Regexp(t, want, stdout)
	}
	list := func(more ...string) string {
		code, stdout, stderr := operate(t, append(env, more...), "plugin", "list")
		require.Equal(t, exitOK, code, stderr)
		return stdout
	}
	public, err := os.ReadFile(w.path("mine.pub"))
	require.NoError(t, err)
	trusted := "PAYSWITCH_PLUGINS__TRUSTED_KEYS=" + strings.TrimSpace(strings.SplitN(string(public), "\n", 2)[1])
	require.Regexp(t, `(?m)^acme +0\.1\.0 +directory +signed, key not in plugins\.trusted_keys +`+b.Hash()+`$`, list())
	require.Regexp(t, `(?m)^acme +0\.1\.0 +directory +signed by [0-9A-F]{16} +`+b.Hash()+`$`, list(trusted))

	code, stdout, stderr = operate(t, append(env, trusted), "plugin", "install", "--yes", "--allow-unsigned", unsigned)
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^replaces +acme 0\.1\.0, sha256 `+b.Hash()+`$`, stdout)
	require.Regexp(t, `(?m)^acme +0\.1\.0 +directory +unsigned +`, list(trusted))

	only := []string{trusted, "PAYSWITCH_PLUGINS__SIGNED_ONLY=true"}
	code, stdout, stderr = operate(t, append(env, only...), "plugin", "list")
	require.Equal(t, exitOK, code, stderr)
	require.NotContains(t, stdout, "acme")
	require.Contains(t, stderr, "plugins.signed_only admits signed adapters alone")
	code, _, stderr = operate(t, append(env, only...), "plugin", "install", "--yes", "--allow-unsigned", unsigned)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "plugins.signed_only is set")
	code, _, stderr = operate(t, append(env, only...), "plugin", "install", "--yes", signed)
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^acme +0\.1\.0 +directory +signed by `, list(only...))

	code, _, stderr = operate(t, env, "plugin", "remove", "other")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "no adapter other is installed")
	code, _, stderr = operate(t, env, "plugin", "remove", "acme", "--yes")
	require.Equal(t, exitOK, code, stderr)
	require.NotContains(t, list(), "acme")
}

// A key that is protected by a password signs with it, and not without.
func TestSigningKeyWithPassword(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"password": "open sesame\n", "wrong": "sesame"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	code, stdout, stderr := runProgram(t, nil, "plugin", "keygen", path("k"), "--password-file", path("password"))
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "trusted_keys: [RW")
	info, err := os.Stat(path("k.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	code, _, stderr = runProgram(t, nil, "plugin", "keygen", path("k"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "k.key exists already")
	_, err = readSigningKey(path("k.key"), path("password"))
	require.NoError(t, err)
	_, err = readSigningKey(path("k.key"), path("wrong"))
	require.ErrorContains(t, err, "does not open with that password")
	_, err = readSigningKey(path("k.key"), "")
	require.ErrorContains(t, err, "--password-file")
}

// An adapter is installed into a running switch, paid through and removed from it.
func TestInstallIntoARunningSwitch(t *testing.T) {
	costly(t)
	t.Parallel()
	w, acme := newWorkshop(t), newAcmeProcessor(t)
	env, _ := operatorEnv(t)
	r := start(t, env, "serve", "--config", writeConfig(t, ""))
	key := r.shop("shop")
	operator := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := operate(t, env, append([]string{"plugin"}, args...)...)
		require.Equal(t, exitOK, code, stdout+stderr)
		return stdout
	}
	operator("install", w.bundle("one.bundle", "--sign", "mine.key"), "--key", w.path("mine.pub"), "--yes")
	account := object{"connector_type": "payment_processor", "connector_name": "acme",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "sk_test_of_acme_1"}}
	var id string
	require.Eventually(t, func() bool {
		status, made := r.call(key, "/account/shop/connectors", account)
		id, _ = made["merchant_connector_id"].(string)
		return status == http.StatusOK
	}, time.Minute, 100*time.Millisecond)
	r.must(testAdminKey, "/account/shop/connectors/"+id+"/egress", object{"base_url": acme.URL + "/v1"})
	pay := func(id string) object {
		p := cardPayment(id)
		p["routing"] = object{"type": "single", "data": object{"connector": "acme"}}
		return p
	}
	paid := r.must(key, "/payments", pay("pay_one"))
	require.Equal(t, "succeeded", paid["status"], paid)
	require.Equal(t, "acme", paid["connector"])
	// No other account takes a payment that names acme.
	r.must(testAdminKey, "/account/shop/business_profile/"+paid["profile_id"].(string), object{"is_strict_routing_enabled": true})
	require.Equal(t, 1, acme.arrivals())

	// A version that reaches further: a payment under way ends with the build it began with, further ones wait for the operator.
	edit(t, w.path("acme.go"), `sdk.At("https://test.acme.example/v1")`, `sdk.At("https://test.acme.example/v1", "more.acme.example")`)
	edit(t, w.path("acme.go"), `Version: "0.1.0"`, `Version: "0.2.0"`)
	w.must("plugin", "build")
	two := w.bundle("two.bundle", "--sign", "mine.key")
	acme.gate.Lock()
	ended := make(chan object, 1)
	go func() {
		_, answer, _ := r.try(key, "/payments", pay("pay_under_way"))
		ended <- answer
	}()
	require.Eventually(t, func() bool { return acme.arrivals() == 2 }, time.Minute, 10*time.Millisecond)
	require.Regexp(t, `(?m)^reaches further +test host more\.acme\.example$`, operator("install", two, "--key", w.path("mine.pub"), "--yes"))
	approval := "/account/shop/connectors/" + id + "/approval"
	var waiting object
	require.Eventually(t, func() bool {
		waiting = r.must(testAdminKey, approval, nil)
		return waiting["adapter"].(map[string]any)["version"] == "0.2.0"
	}, time.Minute, 100*time.Millisecond)
	acme.gate.Unlock()
	require.Equal(t, "succeeded", (<-ended)["status"], "the payment under way")
	require.Equal(t, "awaiting_approval", waiting["status"])
	require.Equal(t, map[string]any{"test": []any{"more.acme.example"}}, waiting["awaiting"].(map[string]any)["hosts"])
	status, refused := r.call(key, "/payments", pay("pay_refused"))
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "acme 0.2.0 asks for test host more.acme.example", refused["error"].(map[string]any)["reason"])
	require.Equal(t, 2, acme.arrivals(), "nothing was sent")
	hash := waiting["adapter"].(map[string]any)["sha256"]
	status, _ = r.call(key, approval, object{"sha256": hash})
	require.Equal(t, http.StatusUnauthorized, status, "no merchant approves")
	require.Equal(t, "approved", r.must(testAdminKey, approval, object{"sha256": hash})["status"])
	require.Equal(t, "succeeded", r.must(key, "/payments", pay("pay_two"))["status"])

	code, _, stderr := operate(t, env, "plugin", "install", w.path("one.bundle"), "--key", w.path("mine.pub"), "--yes")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "is version 0.1.0, and acme 0.2.0")
	require.Contains(t, stderr, "Pass --allow-older to install it")

	// The secrets themselves, which this adapter does not need, by the operator's word alone.
	status, _ = r.call(key, approval, object{"sha256": hash, "plain_secrets": true})
	require.Equal(t, http.StatusUnauthorized, status)
	metrics := r.metrics()
	require.NotContains(t, metrics, "payswitch_adapter_plain_secrets_total{")
	require.Equal(t, true, r.must(testAdminKey, approval, object{"sha256": hash, "plain_secrets": true})["plain_secrets"])
	require.Equal(t, "succeeded", r.must(key, "/payments", pay("pay_plain"))["status"])
	metrics = r.metrics()
	require.Contains(t, metrics, `payswitch_adapter_plain_secrets_total{adapter="acme"} 1`)
	require.Equal(t, false, r.must(testAdminKey, approval, object{"sha256": hash})["plain_secrets"])
	require.Empty(t, r.must(testAdminKey, strings.TrimSuffix(approval, "approval")+"violations", nil)["adapter_violations"])

	code, _, stderr = operate(t, env, "plugin", "remove", "acme", "--yes")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "1 connector accounts use acme")
	operator("remove", "acme", "--yes", "--force")
	require.Eventually(t, func() bool {
		status, _ := r.call(key, "/account/shop/connectors", account)
		return status == http.StatusBadRequest // the connector is not known any more
	}, time.Minute, 100*time.Millisecond)
}
