package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDatabaseFileDeleted: a switch whose database was deleted takes no payment, is not ready, and says why. The commands of the guide bring the files back,
// and the next start has every payment.
func TestDatabaseFileDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := testEnv(t, dir)
	r := start(t, env, "serve")
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("before"))
	file := filepath.Join(dir, "payswitch.db")
	held := map[string]string{}
	for _, name := range []string{file, file + "-wal"} {
		held[name] = openAs(t, name)
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		require.NoError(t, os.Remove(name))
	}
	status, header, answer := r.post(key, "/payments", cardPayment("after"), "one")
	require.Equal(t, http.StatusServiceUnavailable, status, answer)
	require.Equal(t, "1", header.Get("Retry-After"))
	require.Contains(t, answer["error"].(map[string]any)["message"], "The database is no longer in its place")
	require.Eventually(t, func() bool {
		status, _ := r.text("/health")
		return status == http.StatusServiceUnavailable
	}, 3*probeEvery, 50*time.Millisecond)

	for name, fd := range held { // the guide's remedy: the content of the open files comes back under their names
		text, err := os.ReadFile(fd)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	_, log := r.stop()
	require.Contains(t, log, "the switch takes no payment")
	require.Contains(t, log, "the database is no longer in its place: "+file+" is missing")
	require.Contains(t, log, "/health answers 503")
	require.FileExists(t, file+"-wal", "the switch that ended leaves the files that are not its own")

	r = start(t, env, "serve")
	require.Equal(t, "succeeded", r.must(key, "/payments/before", nil)["status"])
	status, _ = r.call(key, "/payments/after", nil)
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "succeeded", r.must(key, "/payments", cardPayment("next"))["status"])
}

// openAs returns the name in /proc under which this process has a file open.
func openAs(t *testing.T, name string) string {
	t.Helper()
	list, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, fd := range list {
		if to, err := os.Readlink(fd); err == nil && strings.TrimSuffix(to, " (deleted)") == name {
			return fd
		}
	}
	t.Fatal(name, "is not open")
	return ""
}
