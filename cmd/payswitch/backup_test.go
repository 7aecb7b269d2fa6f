package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payswitch/engine/alarm"

	"github.com/stretchr/testify/require"
)

// without returns an environment without one variable.
func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, name+"=") })
}

// TestBackup takes a back-up of a running switch, checks it, loses the hour after it, restores it, and goes on.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env, config := testEnv(t, dir), writeConfig(t, "")
	file := filepath.Join(t.TempDir(), "monday.db")
	command := func(env []string, args ...string) (int, string, string) {
		return runProgram(t, env, append(args, "--config", config)...)
	}
	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("before"))
	held := cardPayment("held")
	held["capture_method"] = "manual"
	r.must(key, "/payments", held)
	open := cardPayment("open")
	open["confirm"] = false
	r.must(key, "/payments", open)

	code, stdout, stderr := command(env, "backup", file)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "bytes in")
	require.Contains(t, stdout, "The master key is not in it")
	st, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	code, _, stderr = command(env, "backup", file)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "never overwrites")
	code, _, _ = command(env, "backup")
	require.Equal(t, exitUsage, code)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(content), testMasterKey)
	require.NotContains(t, string(content), "4242424242424242")

	code, stdout, stderr = command(env, "backup", "verify", file)
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^payments +3$`, stdout)
	require.Contains(t, stdout, "every signed row is as payswitch wrote it")
	require.Contains(t, stdout, "is good")
	require.NotContains(t, stdout, "no digest")
	code, stdout, _ = command(without(env, "PAYSWITCH_VAULT__MASTER_KEY"), "backup", "verify", file)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "the master key is not at hand")
	spoilt := filepath.Join(t.TempDir(), "altered.db")
	require.NoError(t, os.WriteFile(spoilt, content, 0o600))
	db, err := sql.Open("sqlite", spoilt)
	require.NoError(t, err)
	_, err = db.Exec(`UPDATE payments SET received = received + 1 WHERE id = 'before'`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	code, stdout, stderr = command(env, "backup", "verify", spoilt)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stdout, "no digest shows whether rows without signature were damaged")
	require.Contains(t, stdout, "altered: payments:shop/before")
	require.Contains(t, stderr, "1 rows were altered")

	require.NoError(t, os.WriteFile(spoilt, content, 0o600)) // a flipped bit where rows are sealed, and not signed
	db, err = sql.Open("sqlite", spoilt)
	require.NoError(t, err)
	var sealed []byte
	require.NoError(t, db.QueryRow(`SELECT sealed FROM journal ORDER BY length(sealed) DESC`).Scan(&sealed))
	require.NoError(t, db.Close())
	at := bytes.Index(content, sealed[:64]) + 60
	require.Greater(t, at, 60)
	flipped := slices.Clone(content)
	flipped[at] ^= 4
	require.NoError(t, os.WriteFile(spoilt, flipped, 0o600))
	code, stdout, stderr = command(env, "backup", "verify", spoilt)
	require.Equal(t, exitFailed, code, stdout)
	require.Contains(t, stdout, "does not open: journal:op_")
	require.Contains(t, stderr, "1 sealed values do not open")
	require.NoError(t, os.WriteFile(spoilt, content[:len(content)/2], 0o600))
	code, _, stderr = command(env, "backup", "verify", spoilt)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "do not restore it")

	r.must(key, "/payments", cardPayment("after")) // the copy does not have it
	code, _, stderr = command(env, "backup", "restore", file)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "stop all nodes first")
	r.stop()
	code, _, stderr = command(env, "backup", "restore", filepath.Join(dir, "payswitch.db"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "is the database itself")
	code, stdout, stderr = command(env, "backup", "restore", file)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "the earlier database is now")

	r = start(t, env, "serve", "--config", config)
	require.Equal(t, "succeeded", r.must(key, "/payments/before", nil)["status"])
	status, _ := r.call(key, "/payments/after", nil)
	require.Equal(t, 404, status)
	status, answer := r.call(key, "/payments/open/confirm", object{"payment_method": "card", "payment_method_data": cardPayment("x")["payment_method_data"]})
	require.Equal(t, 400, status)
	require.Contains(t, answer["error"].(map[string]any)["message"], "restored from a back-up")
	require.Equal(t, "succeeded", r.must(key, "/payments", cardPayment("next"))["status"])
	require.Equal(t, "succeeded", r.must(key, "/payments/held/capture", object{})["status"])
	code, stdout, stderr = command(env, "backup", "strays")
	require.Equal(t, exitOK, code, stderr)
	require.Empty(t, stdout)
	_, stderr = r.stop()
	require.Contains(t, stderr, "the database was restored from a copy")
}

// A copy that was put in place by hand is noticed, and a restore by other means can be noted.
func TestOlderDatabaseIsNoticed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env, config := testEnv(t, dir), writeConfig(t, "")
	path := filepath.Join(dir, "payswitch.db")
	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("first"))
	r.stop()
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	r = start(t, env, "serve", "--config", config)
	r.must(key, "/payments", cardPayment("second"))
	r.stop()
	r = start(t, env, "serve", "--config", config) // its first act is to note how far the database has come
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(path + ".seen")
		return err == nil && string(text) == "2\n"
	}, probeWait*10, probeWait/100)
	_, stderr := r.stop()
	require.NotContains(t, stderr, "restored")

	require.NoError(t, os.WriteFile(path, old, 0o600))
	r = start(t, env, "serve", "--config", config)
	_, stderr = r.stop()
	require.Contains(t, stderr, "the database is older than when a node last used it")
	require.Contains(t, stderr, "the database was restored from a copy")

	r = start(t, env, "serve", "--config", config)
	_, stderr = r.stop()
	require.NotContains(t, stderr, "restored", "once is enough")

	code, stdout, stderr := runProgram(t, env, "backup", "restored", "--taken", "2026-05-03T14:02:00Z", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "asks the processors")
	code, _, _ = runProgram(t, env, "backup", "restored", "--taken", "yesterday", "--config", config)
	require.Equal(t, exitUsage, code)
	r = start(t, env, "serve", "--config", config)
	code, stdout, stderr = runProgram(t, env, "backup", "restored", "--taken", "2026-05-03T14:02:00Z", "--config", config)
	require.Equal(t, exitFailed, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "nothing was noted: nodes run on "+path+" (node_1): stop all nodes first")
	_, stderr = r.stop()
	require.Contains(t, stderr, "the database was restored from a copy")
	r = start(t, env, "serve", "--config", config)
	_, stderr = r.stop()
	require.NotContains(t, stderr, "restored", "the refused command has noted nothing")
}

// TestDatabaseGoesBack: a database that goes back under a running node raises an alarm, and the node keeps what it has seen for its next start.
func TestDatabaseGoesBack(t *testing.T) {
	t.Parallel()
	c, err := loadConfig(defaultConfig(), "", false, testEnv(t, t.TempDir()))
	require.NoError(t, err)
	var log lockedBuffer
	n, err := openNode(t.Context(), c, true, newLogger(&log, c.Log))
	require.NoError(t, err)
	t.Cleanup(func() { n.close() })
	require.NoError(t, n.noteSeen(t.Context()))
	require.NotContains(t, scrape(t, n.metrics), string(alarm.DatabaseBehind))
	require.NoError(t, writeSeen(n.seen, 7))
	require.NoError(t, n.noteSeen(t.Context()))
	require.Contains(t, scrape(t, n.metrics), `payswitch_alarms_total{kind="database_behind"} 1`)
	require.Contains(t, log.String(), "Restart all nodes")
	at, _, err := readSeen(n.seen)
	require.NoError(t, err)
	require.EqualValues(t, 7, at)
}
