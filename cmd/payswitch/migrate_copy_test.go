package main

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// TestMigrateCopy moves a running switch from SQLite to PostgreSQL. What was begun before goes on after: captures, refunds, saved cards, repeated
// requests.
func TestMigrateCopy(t *testing.T) {
	costly(t)
	t.Parallel()
	dir, dsn := t.TempDir(), pgtest.Empty(t)
	env := testEnv(t, dir)
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	u.User = url.UserPassword("postgres", "hunter2")
	from, to := "sqlite:"+filepath.Join(dir, "payswitch.db"), u.String()

	r := start(t, env, "serve")
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("paid"))
	held := cardPayment("held")
	held["capture_method"] = "manual"
	require.Equal(t, "requires_capture", r.must(key, "/payments", held)["status"])
	save := cardPayment("saved")
	save["customer_id"], save["setup_future_usage"] = "cus_1", "off_session"
	save["customer_acceptance"] = object{"acceptance_type": "offline"}
	method, _ := r.must(key, "/payments", save)["payment_method_id"].(string)
	require.NotEmpty(t, method)
	open := cardPayment("open")
	open["confirm"] = false
	r.must(key, "/payments", open)
	r.must(key, "/refunds", object{"payment_id": "paid", "refund_id": "ref_1", "amount": 1000})
	idempotent := object{"amount": 700, "currency": "USD"}
	_, _, first := r.post(key, "/payments", idempotent, "one")

	// The switch is stopped when the command asks for it.
	out, in := io.Pipe()
	var text strings.Builder
	ended := make(chan int, 1)
	var log strings.Builder
	go func() {
		code := run(t.Context(), []string{"migrate", "copy", "--from", from, "--to", to}, env, strings.NewReader(""), in, &log)
		in.Close()
		ended <- code
	}()
	buffer := make([]byte, 4096)
	for stopped := false; ; {
		n, err := out.Read(buffer)
		text.Write(buffer[:n])
		if !stopped && strings.Contains(text.String(), "stop the switch now") {
			stopped = true
			require.Equal(t, "succeeded", r.must(key, "/payments", cardPayment("late"))["status"], "the switch serves until it is stopped")
			r.stop()
		}
		if err != nil {
			break
		}
	}
	require.Equal(t, exitOK, <-ended, log.String())
	require.Regexp(t, `(?m)^payments +6 +[0-9a-f]{32}$`, text.String())
	require.Contains(t, text.String(), "The database was closed for")
	require.NotContains(t, text.String()+log.String(), "hunter2")

	code, _, stderr := runProgram(t, env, "serve")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "was moved to postgres:")
	require.NotContains(t, stderr, "hunter2")

	env = append(env, "PAYSWITCH_STORAGE__DSN="+to)
	r = start(t, env, "serve")
	require.Equal(t, "succeeded", r.must(key, "/payments/late", nil)["status"])
	require.Equal(t, "succeeded", r.must(key, "/payments/held/capture", object{})["status"])
	require.Equal(t, "succeeded", r.must(key, "/refunds", object{"payment_id": "paid", "amount": 5540})["status"])
	status, _ := r.call(key, "/refunds", object{"payment_id": "paid", "amount": 1})
	require.Equal(t, 400, status, "both refunds count")
	require.Equal(t, "succeeded", r.must(key, "/payments/open/confirm",
		object{"payment_method": "card", "payment_method_data": cardPayment("x")["payment_method_data"]})["status"])
	require.Equal(t, "succeeded", r.must(key, "/payments", object{"payment_id": "again", "amount": 100, "currency": "USD", "confirm": true, "customer_id": "cus_1",
		"off_session": true, "recurring_details": object{"type": "payment_method_id", "data": method}})["status"])
	_, _, second := r.post(key, "/payments", idempotent, "one")
	require.Equal(t, first["payment_id"], second["payment_id"])

	code, _, stderr = runProgram(t, env, "migrate", "copy", "--from", from, "--to", to, "--cancel")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "cannot be cancelled")
	code, _, _ = runProgram(t, env, "migrate", "copy", "--from", from)
	require.Equal(t, exitUsage, code)
}

// TestMigrateCopyTakesTheConfiguration: without --from the database is that of the configuration, as the guide's function pay gives it.
func TestMigrateCopyTakesTheConfiguration(t *testing.T) {
	t.Parallel()
	env, config := testEnv(t, t.TempDir()), writeConfig(t, "")
	code, _, stderr := runProgram(t, env, "migrate", "copy", "--to", "postgres://127.0.0.1:1/new?sslmode=disable", "--config", config)
	require.Equal(t, exitFailed, code)
	require.NotContains(t, stderr, "needs --from")
	require.Contains(t, stderr, "payswitch.db")
	code, _, stderr = runProgram(t, env, "migrate", "copy", "--to", "postgres://127.0.0.1:1/new?sslmode=disable")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "needs --from")
}
