package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// oneTimeLink is a link as commands print it.
var oneTimeLink = regexp.MustCompile(`http://[^\s]+/enter/[A-Za-z0-9_-]{43}`)

// TestFirstLink: serve prints a link while there is no user, and the link makes the first one. A later start prints none.
func TestFirstLink(t *testing.T) {
	t.Parallel()
	env, config := testEnv(t, t.TempDir()), writeConfig(t, "")
	r := start(t, env, "serve", "--config", config)
	link := oneTimeLink.FindString(r.banner)
	require.True(t, strings.HasPrefix(link, "http://localhost:"), "browsers allow passkeys at this name: %s", link)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	form := url.Values{"email": {"ada@example.com"}, "name": {"Ada"}, "password": {"seven green kettles sing"}}
	page, err := browser.PostForm(link, form)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusOK, page.StatusCode)
	require.Equal(t, "/enrol", page.Request.URL.Path, "an operator adds a second factor")
	page, err = http.PostForm(link, form)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusGone, page.StatusCode)
	_, log := r.stop()
	require.NotContains(t, log, link[strings.LastIndex(link, "/")+1:], "no link in the log")
	r = start(t, env, "serve", "--config", config)
	require.NotContains(t, r.banner, "/enter/")
}

// TestUserCommands makes, lists, resets and disables users, without a running switch.
func TestUserCommands(t *testing.T) {
	t.Parallel()
	env, config := testEnv(t, t.TempDir()), writeConfig(t, "")
	user := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := runProgram(t, env, append(append([]string{"user"}, args...), "--config", config)...)
		require.Equal(t, want, code, stderr)
		return stdout, stderr
	}
	code, _, stderr := runProgram(t, env, "migrate", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	out, _ := user(exitOK, "create", "--email", "ada@example.com", "--name", "Ada", "--role", "operator")
	require.Regexp(t, oneTimeLink, out)
	_, stderr = user(exitFailed, "create", "--email", "ada@example.com", "--role", "admin")
	require.Contains(t, stderr, "has a role here already")
	_, stderr = user(exitFailed, "create", "--email", "vi@example.com", "--role", "owner")
	require.Contains(t, stderr, "The role owner is not known")
	_, stderr = user(exitFailed, "create", "--email", "vi@example.com", "--role", "viewer", "--merchant", "nobody")
	require.Contains(t, stderr, "there is no merchant nobody")
	_, stderr = user(exitFailed, "create", "--email", "vi", "--role", "viewer")
	require.Contains(t, stderr, "not an e-mail address")
	user(exitUsage, "create", "--email", "vi@example.com")
	list, _ := user(exitOK, "list")
	require.Regexp(t, `(?m)^ada@example.com +Ada +invited +operator +no +-$`, list)
	again, _ := user(exitOK, "link", "ada@example.com")
	require.NotEqual(t, oneTimeLink.FindString(out), oneTimeLink.FindString(again))
	user(exitOK, "disable", "ada@example.com")
	list, _ = user(exitOK, "list")
	require.Contains(t, list, "disabled")
	_, stderr = user(exitFailed, "reset", "ada@example.com")
	require.Contains(t, stderr, "The user is disabled")
	_, stderr = user(exitFailed, "link", "nobody@example.com")
	require.Contains(t, stderr, "nobody@example.com does not exist")
	user(exitUsage, "link")
}

// TestDemoLink: the demo's link signs in at once, and once.
func TestDemoLink(t *testing.T) {
	r := startDemo(t)
	link := oneTimeLink.FindString(r.banner)
	require.NotEmpty(t, link, r.banner)
	require.Greater(t, strings.Index(r.banner, link), strings.Index(r.banner, "curl -sS"), "it stands below the first payment")
	r.must(demoKeyOf(r), "/payments", cardPayment("first"))
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	ask := func(method, path string) (int, string, string) {
		t.Helper()
		req, err := http.NewRequest(method, path, nil)
		require.NoError(t, err)
		resp, err := browser.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, resp.Request.URL.Path, string(body)
	}
	status, _, page := ask(http.MethodGet, link)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "Open the dashboard")
	status, at, page := ask(http.MethodPost, link)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "/m/"+demoMerchant+"/", at)
	require.Contains(t, page, "65.40", "the payment is there")
	status, _, _ = ask(http.MethodPost, link)
	require.Equal(t, http.StatusGone, status)
}

// demoKeyOf returns the API key that the demo prints.
func demoKeyOf(r *running) string {
	return regexp.MustCompile(`API key +(\S+)`).FindStringSubmatch(r.banner)[1]
}

// TestAuditVerify: the command follows the chain, finds a hash that was noted, and fails where lines are missing.
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env, config := testEnv(t, dir), writeConfig(t, "")
	run := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := runProgram(t, env, append(args, "--config", config)...)
		require.Equal(t, want, code, stderr)
		return stdout + stderr
	}
	run(exitOK, "migrate")
	require.Equal(t, "The audit has no line yet: no person has used the dashboard.\n", run(exitOK, "audit", "verify"))
	run(exitOK, "user", "create", "--email", "ada@example.com", "--role", "operator")
	out := run(exitOK, "audit", "verify")
	require.Contains(t, out, "1 lines follow one another")
	hash := regexp.MustCompile(`[0-9a-f]{64}`).FindString(out)
	run(exitOK, "user", "create", "--email", "vi@example.com", "--role", "viewer")
	run(exitOK, "audit", "verify", "--hash", hash)
	require.Contains(t, run(exitFailed, "audit", "verify", "--hash", strings.Repeat("0", 64)), "no line has the hash")
}
