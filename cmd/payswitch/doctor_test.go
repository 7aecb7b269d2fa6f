package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// findings runs doctor and returns its findings by check.
func findings(t *testing.T, env []string, config string) (code int, found map[string]checked) {
	t.Helper()
	code, stdout, stderr := runProgram(t, env, "doctor", "--json", "--config", config)
	found = map[string]checked{}
	for line := range strings.Lines(stdout) {
		var c checked
		require.NoError(t, json.Unmarshal([]byte(line), &c), line)
		if c.Result == "finding" {
			require.NotEmpty(t, c.Remedy, "%s: every finding says what to do", c.Text)
			found[c.Check] = c
		}
	}
	require.NotEmpty(t, stdout, stderr)
	return code, found
}

// TestDoctor finds nothing at a healthy switch, and every planted defect with its remedy.
func TestDoctor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env, config := testEnv(t, dir), writeConfig(t, "")
	path := filepath.Join(dir, "payswitch.db")
	code, found := findings(t, env, config)
	require.Equal(t, exitFailed, code)
	require.Contains(t, found["database"].Text, "does not exist")
	require.NoFileExists(t, path, "doctor makes no database")

	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("done"))
	r.authenticateBy("shop", key, "simulator3ds", "https://shop.example")
	live := append(without(env, "PAYSWITCH_SERVER__LISTEN"), "PAYSWITCH_SERVER__LISTEN="+strings.TrimPrefix(r.url, "http://"))
	code, found = findings(t, live, config)
	require.Empty(t, found)
	require.Equal(t, exitOK, code)
	code, stdout, _ := runProgram(t, live, "doctor", "--config", config)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "2 accounts have an approved adapter")
	require.Contains(t, stdout, "none since the node's start")
	require.NotContains(t, stdout, testMasterKey)
	require.Contains(t, stdout, "none is noted yet")
	file := filepath.Join(t.TempDir(), "back-up.db")
	backUp := func(args ...string) string {
		code, _, stderr := runProgram(t, env, append(append([]string{"backup"}, args...), "--config", config)...)
		require.Equal(t, exitOK, code, stderr)
		_, stdout, _ := runProgram(t, env, "doctor", "--config", config)
		for line := range strings.Lines(stdout) {
			if strings.Contains(line, " back-up: ") {
				return line
			}
		}
		return ""
	}
	require.Regexp(t, `^ok .* at `+regexp.QuoteMeta(file)+`, not verified\n$`, backUp(file))
	require.Regexp(t, `^ok .*, verified at `, backUp("verify", file))
	_, page, _ := r.fetch(r.url+"/metrics", "Authorization", "Bearer "+testAdminKey)
	require.Regexp(t, `(?m)^payswitch_backup_age_seconds [0-9]`, page)
	require.Regexp(t, `(?m)^payswitch_backup_max_age_seconds 172800$`, page)
	r.stop()

	require.NoError(t, os.Chmod(path, 0o644))
	_, found = findings(t, env, config)
	require.Contains(t, found["files"].Remedy, "chmod")
	require.NoError(t, os.Chmod(path, 0o600))

	_, found = findings(t, without(env, "PAYSWITCH_VAULT__MASTER_KEY"), config)
	require.Contains(t, found["keys"].Text, "no master key")
	_, found = findings(t, append(without(env, "PAYSWITCH_VAULT__MASTER_KEY"), "PAYSWITCH_VAULT__MASTER_KEY="+strings.Repeat("B", 42)+"A="), config)
	require.Contains(t, found["keys"].Remedy, "made with")
	_, found = findings(t, append(env, "PAYSWITCH_KEYS__ENVIRONMENT=prd", "PAYSWITCH_SERVER__PUBLIC_URL=http://pay.example.com"), config)
	require.Contains(t, found["public_url"].Text, "not encrypted")
	require.Contains(t, found["adapters"].Text, "takes no money")

	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	alter := func(query string, args ...any) {
		t.Helper()
		_, err := db.Exec(query, args...)
		require.NoError(t, err)
	}
	alter(`INSERT INTO schema_migrations (name, sha256, applied_at) VALUES ('9999_later', '', 0)`)
	_, found = findings(t, env, config)
	require.Contains(t, found["database"].Text, "it is newer")
	require.Contains(t, found["database"].Remedy, "restore nothing")
	alter(`DELETE FROM schema_migrations WHERE name = '9999_later'`)
	alter(`UPDATE backups SET taken_at = taken_at - 1000 * 3600 * 49`)
	_, found = findings(t, env, config)
	require.Contains(t, found["back-up"].Text, "49h")
	require.Regexp(t, `^ok .* at the archive, verified at`, backUp("noted", "--verified", "--place", "the archive"))
	alter(`DELETE FROM backups`)
	alter(`UPDATE schema_migrations SET applied_at = applied_at - 1000 * 3600 * 49`)
	_, found = findings(t, env, config)
	require.Contains(t, found["back-up"].Text, "no back-up is noted")
	alter(`UPDATE schema_migrations SET applied_at = applied_at + 1000 * 3600 * 49`)
	alter(`UPDATE accounts SET connector = 'gone'`)
	_, found = findings(t, env, config)
	require.Contains(t, found["adapters"].Text, "has changed these rows")
	alter(`UPDATE accounts SET connector = 'simulator'`)
	alter(`UPDATE payments SET modified_at = $1`, time.Now().Add(time.Hour).UnixMilli())
	alter(`UPDATE operations SET status = 'unknown', due_at = 9000000000000`)
	_, found = findings(t, env, config)
	require.Contains(t, found["clock"].Text, "ahead of this machine's clock")
	require.Contains(t, found["operations"].Text, "has changed these rows")
	require.NoError(t, db.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := len(content) / 2; i < len(content)/2+4*8192; i++ {
		content[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	code, found = findings(t, env, config)
	require.Equal(t, exitFailed, code)
	require.NotEmpty(t, found["database"].Text)
	require.Contains(t, found["database"].Remedy, "restore a back-up")
}

// The clock is compared with the Date of hosts, and alarms are read from the node.
func TestDoctorAsksHostsAndNodes(t *testing.T) {
	t.Parallel()
	date := time.Now()
	tls := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "HEAD /", r.Method+" "+r.URL.Path)
		w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
	}))
	t.Cleanup(tls.Close)
	host := strings.TrimPrefix(tls.URL, "https://")
	d := &doctor{online: true, client: tls.Client()}
	d.hosts(t.Context(), []string{host, host, "{shop}.example.com"})
	require.Equal(t, []checked{{Check: "hosts", Result: "ok", Text: host + " answers"}}, d.list)
	date, d.list = time.Now().Add(-time.Hour), nil
	d.hosts(t.Context(), []string{host})
	require.Contains(t, d.list[0].Text, "differs by 1h0m")
	d.list = nil
	tls.Close()
	d.hosts(t.Context(), []string{host})
	require.Contains(t, d.list[0].Text, "does not answer")

	m := newMeters()
	m.Alarm("late_evidence")
	node := httptest.NewServer(m.handler())
	t.Cleanup(node.Close)
	c := defaultConfig()
	c.Metrics.Listen = strings.TrimPrefix(node.URL, "http://")
	d = &doctor{c: c, client: http.DefaultClient}
	d.alarms(t.Context())
	require.Equal(t, "late_evidence: 1 since the node's start", d.list[0].Text)
}

// TestDoctorCallsThePublicAddress: with --online, doctor says whether the address of browsers and processors leads to payswitch.
func TestDoctorCallsThePublicAddress(t *testing.T) {
	t.Parallel()
	r := start(t, testEnv(t, t.TempDir()), "serve")
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	const gone = "http://127.0.0.1:1" // nothing listens there; the port of a closed server might be another test's by now
	for url, wanted := range map[string]checked{
		r.url:     {Check: "public_url", Result: "ok", Text: "payswitch answers at " + r.url},
		other.URL: {Check: "public_url", Result: "finding", Text: other.URL + " answers 404, and the answer is not payswitch's"},
		gone:      {Check: "public_url", Result: "finding", Text: gone + " does not answer: "},
	} {
		d := &doctor{c: defaultConfig(), client: http.DefaultClient}
		d.c.Server.PublicURL = url
		d.proxy(t.Context())
		require.Empty(t, d.list, "without --online doctor calls nobody")
		d.online = true
		d.proxy(t.Context())
		require.Len(t, d.list, 1)
		require.Equal(t, []string{wanted.Check, wanted.Result}, []string{d.list[0].Check, d.list[0].Result}, url)
		require.Contains(t, d.list[0].Text, wanted.Text)
		require.Equal(t, wanted.Result == "finding", d.list[0].Remedy != "")
	}
}
