package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// The API key of the merchant in testdata/upgrade.sql, and a card and a mandate of its customer.
const (
	oldKey     = "dev_b2bBN93Yv4PayP5zA0e2IiCU1Dfl6iFvbemUIgIOR88AkDlijI6a7GqqsBB9kTMb"
	oldMethod  = "pm_0UVa5pJmrpfcVuKONUBU"
	oldMandate = "man_0UVa5pJmVynV31OTL4ZN"
)

// TestUpgradeOfOldDatabase gives this release a database as payswitch wrote it at migration 0053, the oldest that can be upgraded. The rows read as before,
// and what was under way goes on. Then the database moves to PostgreSQL, and reads the same there.
func TestUpgradeOfOldDatabase(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "payswitch.db")
	text, err := os.ReadFile("testdata/upgrade.sql")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(string(text))
	require.NoError(t, err)
	require.NoError(t, db.Close())

	env := append(testEnv(t, dir), "PAYSWITCH_ENGINE__RESOLVE_EVERY=100ms")
	code, _, stderr := runProgram(t, env, "serve")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "needs migrations (0060_staff, ")
	code, stdout, stderr := runProgram(t, env, "migrate")
	require.Equal(t, 0, code, stderr)
	require.Contains(t, stdout, "applied: 0060_staff\n")
	require.FileExists(t, file+".before-0060_staff")
	code, stdout, stderr = runProgram(t, env, "vault", "rows")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, "every signed row is as payswitch wrote it\n", stdout)

	r := start(t, env, "serve")
	same := func(id string, want object) {
		t.Helper()
		got := r.must(oldKey, "/payments/"+id, nil)
		for field, value := range want {
			require.EqualValues(t, value, got[field], "%s of %s", field, id)
		}
	}
	becomes := func(path string, status string) {
		t.Helper()
		require.Eventually(t, func() bool { return r.must(oldKey, path, nil)["status"] == status }, time.Minute, 100*time.Millisecond, path)
	}
	same("held", object{"status": "requires_capture", "amount": 5000, "amount_capturable": 5000, "customer_id": "ada", "metadata": map[string]any{"order": "7"}})
	same("part", object{"status": "partially_captured_and_capturable", "amount": 9000, "amount_received": 2500, "amount_capturable": 6500})
	same("taken", object{"status": "succeeded", "amount": 3000, "amount_received": 3000})
	same("declined", object{"status": "failed", "error_code": "card_declined"})
	same("last", object{"status": "requires_capture", "amount_capturable": 100})
	becomes("/payments/unknown", "succeeded") // the processor had not answered
	same("unknown", object{"amount_received": 900000030})
	becomes("/refunds/waits", "succeeded")
	becomes("/payments/asked", "failed") // the simulated bank forgot the challenge when the old program ended

	_, disputes := r.list(oldKey, "/disputes/list")
	require.Len(t, disputes, 1)
	require.Equal(t, "dispute_opened", disputes[0]["dispute_status"])
	require.Equal(t, "succeeded", r.must(oldKey, "/payments/held/capture", object{})["status"])
	require.Equal(t, "succeeded", r.must(oldKey, "/payments/part/capture", object{"amount_to_capture": 6500})["status"])
	require.Equal(t, "cancelled", r.must(oldKey, "/payments/last/cancel", object{})["status"])
	refunds, _ := r.must(oldKey, "/payments/taken", nil)["refunds"].([]any)
	require.Len(t, refunds, 1)
	require.EqualValues(t, 1200, refunds[0].(map[string]any)["amount"])
	status, refused := r.call(oldKey, "/refunds", object{"payment_id": "taken", "amount": 1})
	require.Equal(t, 422, status, "the payment is older than a year: %v", refused)
	again := object{"amount": 1700, "currency": "USD", "confirm": true, "customer_id": "ada", "off_session": true}
	again["recurring_details"] = object{"type": "payment_method_id", "data": oldMethod}
	require.Equal(t, "succeeded", r.must(oldKey, "/payments", again)["status"])
	delete(again, "recurring_details")
	again["mandate_id"] = oldMandate
	require.Equal(t, "succeeded", r.must(oldKey, "/payments", again)["status"])

	ids := []string{"held", "part", "taken", "slow", "unknown", "declined", "saved", "asked", "last"}
	before := map[string]object{}
	for _, id := range ids {
		before[id] = r.must(oldKey, "/payments/"+id, nil)
	}
	code, stderr = r.stop()
	require.Equal(t, 0, code)
	for line := range strings.Lines(stderr) {
		if !strings.Contains(line, "events for a webhook endpoint were given up") { // they are older than webhooks.keep
			require.NotContains(t, line, `"level":"ERROR"`)
		}
	}

	dsn := pgtest.Empty(t)
	code, _, stderr = runProgram(t, env, "migrate", "copy", "--from", "sqlite:"+file, "--to", dsn)
	require.Equal(t, 0, code, stderr)
	r = start(t, append(env, "PAYSWITCH_STORAGE__DSN="+dsn), "serve")
	for _, id := range ids {
		require.Equal(t, before[id], r.must(oldKey, "/payments/"+id, nil))
	}
}
