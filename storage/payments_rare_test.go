package storage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/storage/pgtest"
)

// Lists find the payments with a rare status from before the column rare_status.
func TestRareStatusOfOldPayments(t *testing.T) {
	t.Parallel()
	old := migrationsBefore(t, "0150_payments_rare")
	run := func(t *testing.T, dsn string) {
		require.NoError(t, withMigrator(dsn, func(m *migrator) error {
			m.files = old
			if _, err := m.apply(t.Context()); err != nil {
				return err
			}
			var rows strings.Builder
			for i, status := range []string{"succeeded", "failed", "review", "processing", "failed"} {
				fmt.Fprintf(&rows, `INSERT INTO payments (merchant_id, id, profile_id, customer_id, status, currency, amount, net_amount, capturable, received, refunded, attempt_count,
					attempt_id, open_operation, expires_at, created_at, modified_at, version, details)
					VALUES ('m', 'p%d', 'pro', '', '%s', 'USD', 1, 1, 0, 0, 0, 0, '', '', 0, %d, %d, 1, '{}');`, i, status, i+1, i+1)
			}
			if err := m.conn.script(rows.String()); err != nil {
				return err
			}
			m.files = migrationFiles
			_, err := m.apply(t.Context())
			return err
		}))
		db, err := Open(t.Context(), dsn, Options{})
		require.NoError(t, err)
		defer db.Close()
		find := func(statuses ...string) (ids []string) {
			require.NoError(t, db.View(t.Context(), func(r engine.Reader) error {
				list, err := r.FindPayments("m", "", request.PaymentFilter{Statuses: statuses, Limit: 10})
				for _, p := range list {
					ids = append(ids, p.ID)
				}
				return err
			}))
			return ids
		}
		require.Equal(t, []string{"p4", "p1"}, find("failed"))
		require.Equal(t, []string{"p4", "p2", "p1"}, find("failed", "review"))
		require.Equal(t, []string{"p3", "p0"}, find("succeeded", "processing"))
	}
	t.Run("sqlite", func(t *testing.T) { run(t, "sqlite:"+filepath.Join(t.TempDir(), "p.db")) })
	t.Run("postgres", func(t *testing.T) { run(t, pgtest.Empty(t)) })
}

// PostgreSQL changes a payment in place, without its indexes, while its status is a common one (a heap-only update).
func TestPaymentsChangeInPlace(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Empty(t)
	_, err := Migrate(t.Context(), dsn)
	require.NoError(t, err)
	db, err := Open(t.Context(), dsn, Options{})
	require.NoError(t, err)
	at := time.Now()
	const payments = 50
	for i := range payments {
		p := &payment.Payment{MerchantID: "m", ID: fmt.Sprint("p", i), CustomerID: "c", Status: payment.Processing, Currency: "USD", Amount: 1, CreatedAt: at, ModifiedAt: at}
		require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error { return tx.InsertPayment(p) }))
		p.Status = payment.Succeeded
		require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(p) }))
	}
	require.NoError(t, db.Close()) // the server has the counts of a connection once it has ended
	var n []string
	for range 600 {
		n = pgtest.Rows(t, dsn, `SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'payments' AND n_tup_upd = 50`)
		if len(n) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.Equal(t, []string{fmt.Sprint(payments)}, n)
}

// PostgreSQL takes the same statuses as SQLite, whose list the engine's statuses are compared with.
func TestSameStatuses(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Empty(t)
	_, err := Migrate(t.Context(), dsn)
	require.NoError(t, err)
	known := pgtest.Rows(t, dsn, `SELECT status FROM payment_statuses ORDER BY status`)
	require.NotEmpty(t, known)
	const quoted = `regexp_matches(pg_get_constraintdef(oid), '''([a-z_]+)''', 'g')`
	require.Equal(t, known, pgtest.Rows(t, dsn, `SELECT m[1] FROM (SELECT `+quoted+` AS m FROM pg_constraint WHERE conname = 'payments_status_known') AS c ORDER BY 1`))
}
