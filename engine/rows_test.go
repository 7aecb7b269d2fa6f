package engine_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
	"payswitch/storage"
)

// unsigned returns a database with rows of a release without signatures.
func unsigned(t *testing.T) (*storage.DB, *sql.DB) {
	t.Helper()
	stored := storedVault(t)
	db, path := openStore(t)
	putKeysets(t, db, string(stored.Data), string(stored.Hash))
	require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error {
		for _, id := range []string{"m1", "m2"} {
			if err := tx.InsertMerchant(&account.Merchant{ID: id, PublishableKey: "pk_" + id}); err != nil {
				return err
			}
			for n := range 1500 { // more than one window
				if err := tx.InsertAPIKey(&account.APIKey{ID: fmt.Sprint("k", n), MerchantID: id, Hash: fmt.Append(nil, id, n)}); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	by, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { by.Close() })
	return db, by
}

func keys(db *storage.DB) error {
	return db.View(context.Background(), func(r engine.Reader) error { _, err := r.APIKeys("m1", 0, 0); return err })
}

// TestRowsOfOlderReleases shows that the first start signs all rows, and later starts sign none.
func TestRowsOfOlderReleases(t *testing.T) {
	t.Parallel()
	db, by := unsigned(t)
	var log strings.Builder
	open := func() error {
		_, err := engine.OpenVaultWith(t.Context(), db, vault.Options{Master: local(t, 'a'), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		return err
	}
	require.NoError(t, open())
	require.Contains(t, log.String(), "rows=3002")
	require.NoError(t, keys(db))

	// Neither an unsigned row nor a keyset without the signing key makes the vault sign rows again.
	for _, attack := range []string{
		`UPDATE api_keys SET signature = NULL, merchant_id = 'm1', id = 'mine' WHERE merchant_id = 'm2' AND id = 'k7'`,
		`INSERT INTO api_keys (merchant_id, id, name, description, prefix, hash, created_at, expires_at, revoked_at) VALUES ('m1', 'new', '', '', '', x'01', 0, 0, 0)`,
		`UPDATE api_keys SET signature = NULL`,
	} {
		_, err := by.Exec(attack)
		require.NoError(t, err)
		log.Reset()
		require.NoError(t, open())
		require.NotContains(t, log.String(), "rows=")
		require.ErrorIs(t, keys(db), vault.ErrAltered)
	}
	for _, name := range []string{"hash", "data"} {
		var wrapped []byte
		require.NoError(t, by.QueryRow(`DELETE FROM keysets WHERE name = ? RETURNING wrapped`, name).Scan(&wrapped))
		require.ErrorContains(t, open(), `keyset "`+name+`": the keyset is missing, but the database is in use`)
		_, err := by.Exec(`INSERT INTO keysets (name, wrapped) VALUES (?, ?)`, name, wrapped)
		require.NoError(t, err)
	}
	require.NoError(t, open())
	require.ErrorIs(t, keys(db), vault.ErrAltered)
}

// TestSignTogether starts several nodes on an older database. One node signs, and all nodes use its signatures.
func TestSignTogether(t *testing.T) {
	t.Parallel()
	db, _ := unsigned(t)
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			_, err := engine.OpenVault(t.Context(), db, masterKey('a'))
			require.NoError(t, err)
			require.NoError(t, keys(db))
		})
	}
	starting.Wait()
}

// TestSignInterrupted shows that an interrupted start signs all rows or none.
func TestSignInterrupted(t *testing.T) {
	t.Parallel()
	db, by := unsigned(t)
	_, err := by.Exec(`CREATE TRIGGER full BEFORE UPDATE ON merchants BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	require.NoError(t, err)
	_, err = engine.OpenVault(t.Context(), db, masterKey('a'))
	require.ErrorContains(t, err, "sign rows")
	var n int
	require.NoError(t, by.QueryRow(`SELECT count(*) FROM api_keys WHERE signature IS NOT NULL`).Scan(&n))
	require.Zero(t, n)
	_, err = by.Exec(`DROP TRIGGER full`)
	require.NoError(t, err)
	_, err = engine.OpenVault(t.Context(), db, masterKey('a'))
	require.NoError(t, err)
	require.NoError(t, keys(db))
}

// TestSignaturesOutliveKeys shows that new data keys and another master key leave signatures valid. Re-encryption signs moved rows again,
// but no altered row.
func TestSignaturesOutliveKeys(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, path := openStore(t)
	v := openQuick(t, db, vault.Options{Next: local(t, 'b')})
	for _, id := range []string{"1", "2"} {
		saveCard(t, db, v, id)
		saveCustomer(t, db, v, id)
	}
	by, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer by.Close()
	_, err = by.Exec(`UPDATE cards SET fingerprint = 'another' WHERE id = '2'`)
	require.NoError(t, err)
	_, err = v.Rotate(ctx)
	require.NoError(t, err)
	report, err := v.Reencrypt(ctx, true, nil)
	require.NoError(t, err)
	require.Len(t, report.Unreadable, 1)
	require.Contains(t, report.Unreadable[0], "cards [m 2]: altered row")
	require.Len(t, report.Kept, 1, "its key")
	_, err = v.RotateMaster(ctx)
	require.NoError(t, err)
	openQuick(t, db, vault.Options{Master: local(t, 'b')})
	card := func(id string) error {
		return db.View(ctx, func(r engine.Reader) error { _, err := r.Card("m", id); return err })
	}
	require.NoError(t, card("1"))
	require.ErrorIs(t, card("2"), vault.ErrAltered)
}

// TestSignRow lists altered rows, and signs one that the operator has checked.
func TestSignRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t, engine.Options{}, nil)
	a := w.account("simulator", "")
	i := w.intruder()
	altered := func() (out []vault.SignedRow) {
		require.NoError(t, w.vault.AlteredRows(ctx, func(table string, r vault.SignedRow) {
			require.Contains(t, []string{"accounts", "merchants"}, table)
			out = append(out, r)
		}))
		return out
	}
	require.Empty(t, altered())
	i.run(`UPDATE accounts SET label = 'mended by hand'`)
	i.run(`UPDATE merchants SET organization_id = 'another' WHERE id = 'm1'`)
	rows := altered()
	require.Len(t, rows, 2)
	require.Equal(t, []string{"m1", a.ID}, rows[0].Key)
	i.run(`UPDATE accounts SET base_url = 'https://evil.test'`)
	require.ErrorIs(t, w.vault.SignRow(ctx, "accounts", rows[0]), fault.ErrConflict, "it is not what was shown any more")
	i.run(`UPDATE accounts SET base_url = ''`)
	require.NoError(t, w.vault.SignRow(ctx, "accounts", rows[0]))
	require.NoError(t, w.vault.SignRow(ctx, "merchants", rows[1]))
	require.Empty(t, altered())
	i.forget()
	i.noticed()
	require.Equal(t, payment.Succeeded, w.pay(sale(100, visa)).Payment.Status)
	require.False(t, i.noticed())
	i.run(`DELETE FROM accounts`)
	require.ErrorIs(t, w.vault.SignRow(ctx, "accounts", rows[0]), fault.ErrNotFound)
}

// TestAlteredOperationAlone shows that recovery goes on with the other operations.
func TestAlteredOperationAlone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, path := openStore(t)
	_, err := engine.OpenVault(ctx, db, masterKey('a'))
	require.NoError(t, err)
	require.NoError(t, db.Update(ctx, func(tx engine.Tx) error {
		for _, id := range []string{"op_1", "op_2", "op_3"} {
			if err := tx.InsertOperation(&payment.Operation{ID: id, MerchantID: "m1", Status: payment.OperationStarted, LeaseUntil: time.UnixMilli(1)}); err != nil {
				return err
			}
		}
		return nil
	}))
	by, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer by.Close()
	_, err = by.Exec(`UPDATE operations SET amount = 7 WHERE id = 'op_2'`)
	require.NoError(t, err)
	var got []*payment.Operation
	err = db.Update(ctx, func(tx engine.Tx) (err error) {
		got, err = tx.ClaimOperations("node", tx.Now().Add(time.Hour), 10)
		require.ErrorIs(t, err, vault.ErrAltered)
		require.NotContains(t, err.Error(), "op_1")
		require.Contains(t, err.Error(), "operations op_2")
		return nil
	})
	require.NoError(t, err)
	require.Len(t, got, 2)
}
