package engine_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/vault"
)

// TestKeysetOfBefore restores a hash keyset from before rows were signed. Nothing in the database can reveal that, so the next start signs
// all rows again. It must log the warning. cmd/payswitch/OPERATIONS.md describes what an operator can do.
func TestKeysetOfBefore(t *testing.T) {
	t.Parallel()
	db, by := unsigned(t)
	var before []byte
	require.NoError(t, by.QueryRow(`SELECT wrapped FROM keysets WHERE name = 'hash'`).Scan(&before))
	var log strings.Builder
	open := func() {
		log.Reset()
		_, err := engine.OpenVaultWith(t.Context(), db, vault.Options{Master: local(t, 'a'), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
	}
	open()
	open()
	require.Empty(t, log.String(), "a later start has nothing to sign")
	_, err := by.Exec(`UPDATE api_keys SET merchant_id = 'm1', id = 'mine' WHERE merchant_id = 'm2' AND id = 'k7'`)
	require.NoError(t, err)
	open()
	require.ErrorIs(t, keys(db), vault.ErrAltered)
	_, err = by.Exec(`UPDATE keysets SET wrapped = ? WHERE name = 'hash'`, before)
	require.NoError(t, err)
	open()
	require.Contains(t, log.String(), `level=WARN msg="rows signed as they were`)
	require.Contains(t, log.String(), "rows=3002")
}
