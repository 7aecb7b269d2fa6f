package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/router/dashboard"
)

var aRequest = router.LoggedRequest{At: time.Date(2026, 5, 3, 14, 2, 1, 5_600_000, time.UTC), RequestID: "r1", Method: "GET", Route: "/payments/{payment_id}", Status: 404, Code: "HE_02",
	MerchantID: "m1", KeyID: "key_1", Took: 1500 * time.Microsecond}

// TestRequestLogFiles: a file turns at its limit, the oldest goes, only the owner may read them, and a later run goes on at the end.
func TestRequestLogFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	var said lockedBuffer
	run := func(n int) {
		l := openRequestLog(path, 1000, 3, slog.New(slog.NewTextHandler(&said, nil)))
		for range n {
			text := appendLine(nil, aRequest)
			require.NoError(t, l.append(text))
		}
		l.close()
	}
	run(1)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `{"time":"2026-05-03T14:02:01.005Z","request_id":"r1","method":"GET","route":"/payments/{payment_id}","status":404,"code":"HE_02","merchant_id":"m1","key_id":"key_1","took_ms":1.5}`+"\n", string(text))
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	perFile := 1000 / len(text)
	run(perFile) // one too many for the file
	lines := func(name string) int {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), 1000)
		return bytes.Count(text, []byte("\n"))
	}
	require.Equal(t, []int{1, perFile}, []int{lines(path), lines(path + ".1")})
	run(5 * perFile)
	require.Equal(t, []int{1, perFile, perFile}, []int{lines(path), lines(path + ".1"), lines(path + ".2")})
	require.NoFileExists(t, path+".3")
	require.NotContains(t, said.String(), "WARN")
}

// TestRequestLogTrouble: a path that cannot be written, and a write that fails, are said and lose lines. No request waits or fails, and the log goes on
// when the file can be written again.
func TestRequestLogTrouble(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "missing")
	path := filepath.Join(dir, "requests.jsonl")
	var said lockedBuffer
	l := openRequestLog(path, 1<<20, 2, slog.New(slog.NewTextHandler(&said, nil)))
	require.Contains(t, said.String(), "requests cannot be logged to their file; payments go on without it")
	require.Contains(t, said.String(), path)
	for range 3 * requestLogQueue {
		l.add(aRequest)
	}
	l.close()
	require.EqualValues(t, 3*requestLogQueue, l.dropped.Load())
	require.Equal(t, 1, strings.Count(said.String(), "WARN"), "it is said once, not with each line")
	l.add(aRequest) // a request that ends after the close harms nothing

	require.NoError(t, os.Mkdir(dir, 0o700))
	l.tries = time.Time{}
	require.NoError(t, l.append(appendLine(nil, aRequest)))
	require.Contains(t, said.String(), "requests are logged again")
	require.NoError(t, l.file.Close()) // each write fails, as on a full disk
	err := l.append(appendLine(nil, aRequest))
	require.Error(t, err)
	l.failed(err)
	require.Equal(t, 2, strings.Count(said.String(), "WARN"))
	require.ErrorIs(t, l.append(nil), errPaused)
	l.tries = time.Time{}
	require.NoError(t, l.append(appendLine(nil, aRequest)))
	require.NoError(t, l.file.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(text, []byte("\n")))
	require.ErrorContains(t, (&requestLog{path: filepath.Dir(dir)}).open(), "is a directory")
}

// TestLogbookRemembers: the book has the latest requests of both files, oldest first, in the form of the router's lines. What is no line is left out.
func TestLogbookRemembers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	b := &logbook{}
	b.remember(path)
	require.True(t, b.Kept())
	older, newer := aRequest, aRequest
	older.RequestID, newer.RequestID, newer.PaymentID, newer.Status, newer.Code = "old", "new", "pay_1", 200, ""
	require.NoError(t, os.WriteFile(path+".1", appendLine(nil, older), 0o600))
	require.NoError(t, os.WriteFile(path, append(appendLine(nil, newer), []byte("{}\nnonsense\n{\"time\":\"2026-05-03T14:02:01Z\",\"stat")...), 0o600))
	b.remember(path)
	lines, _ := b.Lines(dashboard.LogFilter{Merchant: "m1", Limit: 10})
	require.Len(t, lines, 2)
	require.Equal(t, []string{"request", "new", "200", "pay_1", "1.5ms", "key_1", "/payments/{payment_id}", "router"}, []string{lines[0].Message, lines[0].Of("request_id"), lines[0].Of("status"),
		lines[0].Of("payment_id"), lines[0].Of("took"), lines[0].Of("key_id"), lines[0].Of("route"), lines[0].Of("component")})
	require.Equal(t, []string{"old", "HE_02"}, []string{lines[1].Of("request_id"), lines[1].Of("code")})
	require.True(t, lines[0].At.Equal(aRequest.At.Truncate(time.Millisecond)))
}

// TestRequestLogOfANode: the file has the requests of a node and no card number or key, and the next run's log page shows them.
func TestRequestLogOfANode(t *testing.T) {
	costly(t)
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_LOG__REQUESTS="+path, "PAYSWITCH_LOG__LEVEL=error")
	var id, key string
	t.Run("first run", func(t *testing.T) {
		o := newOfficeOn(t, env)
		id, key = o.pay("4242424242424242", nil), o.key
		r, err := http.NewRequest(http.MethodGet, o.api.url+"/payments/"+id, nil)
		require.NoError(t, err)
		r.Header.Set("api-key", o.key)
		answer, err := same.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
	})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, hidden := range []string{"4242424242424242", key} {
		require.NotContains(t, string(text), hidden)
	}
	var paid int
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var line requestLine
		require.NoError(t, json.Unmarshal([]byte(l), &line))
		if line.Route == "/payments" && line.Status == 200 && line.Merchant == officeMerchant && line.Key != "" {
			paid++
		}
	}
	require.Equal(t, 1, paid)
	t.Run("next run", func(t *testing.T) {
		var log lockedBuffer
		c, err := loadConfig(defaultConfig(), "", false, env)
		require.NoError(t, err)
		n, err := openNode(t.Context(), c, true, newLogger(&log, c.Log))
		require.NoError(t, err)
		o := &office{T: t, api: &running{t: t, url: n.url()}, n: n}
		o.shows(o.as(staff.Developer)+"/m/"+officeMerchant+"/logs?q="+id, "GET /payments/{payment_id}", "A file keeps them after the node has ended")
		require.NoError(t, n.close())
	})
}
