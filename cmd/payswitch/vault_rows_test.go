package main

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVaultRows edits a running shop's key by hand: it does not work any more, is listed, and works again once an operator has signed it.
func TestVaultRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env, config := testEnv(t, dir), writeConfig(t, "")
	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("pay_1"))
	code, stdout, stderr := runProgram(t, env, "vault", "rows", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, "every signed row is as payswitch wrote it\n", stdout)

	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "payswitch.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer db.Close()
	var id string
	require.NoError(t, db.QueryRow(`UPDATE api_keys SET name = 'by hand' WHERE merchant_id = 'shop' RETURNING id`).Scan(&id))
	answers := func(want int) func() bool {
		return func() bool { status, _ := r.call(key, "/payments/pay_1", nil); return status == want }
	}
	require.Eventually(t, answers(401), 10*time.Second, 50*time.Millisecond)

	name := "api_keys:shop/" + id
	code, stdout, stderr = runProgram(t, env, "vault", "rows", "--config", config)
	require.Equal(t, exitFailed, code)
	require.Equal(t, name+"\taltered\n", stdout)
	require.Contains(t, stderr, "payswitch does not use 1 rows until you restore or sign them")
	code, stdout, stderr = runProgram(t, env, "vault", "rows", "--sign", name, "--config", config)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stdout, `name: "by hand"`)
	require.Contains(t, stdout, "hash: 32 bytes")
	require.Contains(t, stderr, "add --yes")
	code, _, stderr = runProgram(t, env, "vault", "rows", "--sign", "api_keys:shop/none", "--yes", "--config", config)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "no altered row has this name")
	code, stdout, stderr = runProgram(t, env, "vault", "rows", "--sign", name, "--yes", "--config", config)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "signed: "+name)
	require.Eventually(t, answers(200), 10*time.Second, 50*time.Millisecond)
}
