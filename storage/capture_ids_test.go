package storage

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// migrationsBefore returns the migrations that come before the one of a name.
func migrationsBefore(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	old := fstest.MapFS{}
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	require.NoError(t, err)
	require.Contains(t, files, "migrations/"+name+".sql")
	for _, file := range files {
		text, err := fs.ReadFile(migrationFiles, file)
		require.NoError(t, err)
		if file < "migrations/"+name {
			old[file] = &fstest.MapFile{Data: text}
		}
	}
	return old
}

// Captures from before the table of processors' ids get their owner there. So no other payment, and no relay, rests on one of them.
func TestCaptureIDsOfOldAttempts(t *testing.T) {
	t.Parallel()
	old := migrationsBefore(t, "0146_capture_ids")
	attempts := []string{
		`{"captures":[{"id":"p_1_1","processor_id":"cap_1","amount":1},{"id":"p_1_2","amount":2},{"id":"p_1_3","processor_id":"cap_2","amount":3}]}`,
		`{"captures":[{"id":"q_1_1","processor_id":"tx_1","amount":1},{"id":"q_1_2","processor_id":"cap_1","amount":1}]}`, // the payment's id, and another's
		`{"payment_method":"card"}`,
		`{"text":"\"captures\" of a text","captures":null}`,
		`{"captures":[{"id":"r_1_1","processor_id":"cap_new","amount":1}]}`, // a relay has it
	}
	run := func(t *testing.T, dsn string) {
		require.NoError(t, withMigrator(dsn, func(m *migrator) error {
			m.files = old
			if _, err := m.apply(t.Context()); err != nil {
				return err
			}
			var rows strings.Builder
			for i, details := range attempts {
				fmt.Fprintf(&rows, `INSERT INTO attempts (merchant_id, payment_id, id, number, status, connector, account_id, amount, authorized, captured, transaction_id,
					created_at, modified_at, version, details) VALUES ('m', 'pay_%d', 'pay_%d_1', 1, 'charged', 'x', 'mca', 1, 1, 1, 'tx_%d', 1, 1, 1, '%s');`, i, i, i, details)
			}
			rows.WriteString(`INSERT INTO processor_ids (merchant_id, account_id, kind, processor_id, owner) VALUES ('m', 'mca', 'capture', 'cap_new', 'relay_1');`)
			if err := m.conn.script(rows.String()); err != nil {
				return err
			}
			m.files = migrationFiles
			_, err := m.apply(t.Context())
			return err
		}))
		var got []string
		require.NoError(t, withMigrator(dsn, func(m *migrator) error {
			return m.conn.query(`SELECT processor_id, owner FROM processor_ids WHERE kind = 'capture' AND merchant_id = 'm' AND account_id = 'mca' ORDER BY processor_id`, nil,
				func(row scanner) error {
					var id, owner string
					err := row.Scan(&id, &owner)
					got = append(got, id+" "+owner)
					return err
				})
		}))
		require.Equal(t, []string{"cap_1 pay_0", "cap_2 pay_0", "cap_new relay_1"}, got)
	}
	t.Run("sqlite", func(t *testing.T) { run(t, "sqlite:"+filepath.Join(t.TempDir(), "p.db")) })
	t.Run("postgres", func(t *testing.T) { run(t, pgtest.Empty(t)) })
}
