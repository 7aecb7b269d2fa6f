package storage_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

// fillForMove writes payments with their attempts, operations and events.
func fillForMove(t testing.TB, db *storage.DB, from, to int64) {
	t.Helper()
	for n := from; n < to; n++ {
		p, a, o := samplePayment(n)
		write(t, db, p, a, o)
		settle(t, db, p, a, o, false)
	}
}

// rawSQLite runs statements as a program other than payswitch does.
func rawSQLite(t testing.TB, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	for _, s := range statements {
		_, err = db.Exec(s)
		require.NoError(t, err, s)
	}
	require.NoError(t, db.Close())
}

// requireSameRows compares all rows of both databases, by the databases' own texts of them.
func requireSameRows(t testing.TB, file, dsn string) (rows int) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	defer db.Close()
	tables := map[string][]string{}
	for _, line := range pgtest.Rows(t, dsn, `SELECT table_name || ' ' || string_agg(
			CASE data_type WHEN 'bytea' THEN 'coalesce(upper(encode(' || column_name || ', ''hex'')), ''-'')'
			WHEN 'boolean' THEN column_name || '::int::text' ELSE 'coalesce(' || column_name || '::text, ''-'')' END
			|| ' ' || CASE data_type WHEN 'bytea' THEN 'hex' ELSE 'text' END || ' ' || column_name, ' ;' ORDER BY ordinal_position)
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT IN ('schema_migrations', 'copies', 'copy_changes', 'short_term_keys') GROUP BY table_name`) {
		table, columns, _ := strings.Cut(line, " ")
		tables[table] = strings.Split(columns, ";")
	}
	require.Greater(t, len(tables), 25)
	for table, columns := range tables {
		var here, there []string
		for _, c := range columns {
			c = strings.TrimSpace(c)
			words := strings.Fields(c)
			name, kind := words[len(words)-1], words[len(words)-2]
			there = append(there, strings.Join(words[:len(words)-2], " "))
			if kind == "hex" {
				here = append(here, "CASE WHEN "+name+" IS NULL THEN '-' ELSE hex("+name+") END")
			} else {
				here = append(here, "coalesce(cast("+name+" AS text), '-')")
			}
		}
		list, err := db.Query(`SELECT ` + strings.Join(here, " || '|' || ") + ` FROM ` + table)
		require.NoError(t, err)
		var mine []string
		for list.Next() {
			var s string
			require.NoError(t, list.Scan(&s))
			mine = append(mine, s)
		}
		require.NoError(t, list.Err())
		theirs := pgtest.Rows(t, dsn, `SELECT `+strings.Join(there, " || '|' || ")+` FROM `+table)
		slices.Sort(mine)
		slices.Sort(theirs)
		require.Equal(t, mine, theirs, table)
		rows += len(mine)
	}
	return rows
}

// A database is moved while a node writes to it: payments come, change, and rows are deleted. Nothing is lost, and afterwards the target alone serves.
func TestMove(t *testing.T) {
	t.Parallel()
	file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
	db := openFileDB(t, file)
	_, _, err := db.LockNode("")
	require.NoError(t, err)
	fillForMove(t, db, 0, 200)
	late, a, o := samplePayment(100_000) // its result comes after it was copied
	write(t, db, late, a, o)
	var once sync.Once
	var lines []string
	stopped := make(chan struct{})
	moved, err := storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{Window: 64, Report: func(line string) {
		lines = append(lines, line)
		switch {
		case strings.HasPrefix(line, "operations:"): // payments come after operations
			settle(t, db, late, a, o, false)
			fillForMove(t, db, 200, 240)
		case strings.HasPrefix(line, "payments:"):
			fillForMove(t, db, 240, 300)
			require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error { return tx.InsertRestore(tx.Now()) }))
			_, err := storage.Open(t.Context(), dsn, storage.Options{})
			require.ErrorContains(t, err, "is not complete")
		case strings.HasPrefix(line, "everything but"):
			go once.Do(func() { // the switch ends while the copy goes on
				fillForMove(t, db, 300, 330)
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				close(stopped)
			})
		}
	}})
	require.NoError(t, err)
	<-stopped
	require.Contains(t, strings.Join(lines, "\n"), "stop the switch now")
	require.Positive(t, moved.Closed)
	require.Less(t, moved.Closed, moved.Took)
	i := slices.IndexFunc(moved.Tables, func(m storage.MovedTable) bool { return m.Table == "payments" })
	require.EqualValues(t, 331, moved.Tables[i].Rows)
	require.Len(t, moved.Tables[i].Checksum, 32)
	require.Greater(t, requireSameRows(t, file, dsn), 1300)

	_, err = storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
	require.ErrorContains(t, err, "was moved to")
	require.NotContains(t, err.Error(), "user")
	again, err := storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{})
	require.NoError(t, err, "a second call finds everything done")
	require.Equal(t, moved.Tables, again.Tables)

	target, err := storage.Open(t.Context(), dsn, storage.Options{})
	require.NoError(t, err, "the schema is whole")
	defer target.Close()
	require.Equal(t, payment.Succeeded, view(t, target, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(late.MerchantID, late.ID) }).Status)
	fillForMove(t, target, 400, 410) // the sequences are behind the rows
	require.Equal(t, []string{"341"}, pgtest.Rows(t, dsn, `SELECT max(seq) FROM payments`))
}

// The command may end at any step: the source stays in use, the target is refused, and the next call goes on.
func TestMoveGoesOn(t *testing.T) {
	t.Parallel()
	file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
	db := openFileDB(t, file)
	fillForMove(t, db, 0, 30)
	next, ended := int64(30), 0
	for step := 1; ; step++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		seen := 0
		_, err := storage.Move(ctx, "sqlite:"+file, dsn, storage.MoveOptions{Window: 8, Report: func(string) {
			if seen++; seen == step {
				cancel(errors.New("the power is cut"))
			}
		}})
		cancel(nil)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		ended++
		fillForMove(t, db, next, next+1) // the source is in use
		next++
		_, err = storage.Open(t.Context(), dsn, storage.Options{})
		require.ErrorContains(t, err, "run `payswitch migrate copy` again")
	}
	require.Greater(t, ended, 10)
	require.NoError(t, db.Close())
	require.Greater(t, requireSameRows(t, file, dsn), int(next))
}

// What a program other than payswitch writes during the copy is in no notes. The comparison finds it, and the source stays in use.
func TestMoveFindsForeignChanges(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a change":   `UPDATE payments SET version = version + 1 WHERE seq = 3`,
		"a deletion": `DELETE FROM payments WHERE seq = 3`,
		"a move":     `UPDATE events SET seq = 1000 WHERE seq = 3`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
			db := openFileDB(t, file)
			fillForMove(t, db, 0, 10)
			_, err := storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{Report: func(line string) {
				if strings.HasPrefix(line, "payments:") {
					rawSQLite(t, file, statement)
				}
			}})
			require.ErrorContains(t, err, "differs")
			fillForMove(t, db, 10, 12)
			_, err = storage.Open(t.Context(), dsn, storage.Options{})
			require.ErrorContains(t, err, "is not complete")
		})
	}
}

// A node that goes on after the move, because its system has no locks, writes nothing more: its writes fail as if the database did not answer.
func TestMovedSourceTakesNoWrite(t *testing.T) {
	t.Parallel()
	file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
	db := openFileDB(t, file) // without LockNode
	fillForMove(t, db, 0, 3)
	_, err := storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{})
	require.NoError(t, err)
	err = db.Update(t.Context(), func(tx engine.Tx) error { return tx.InsertRestore(time.Now()) })
	require.ErrorIs(t, err, fault.ErrAway)
	require.ErrorContains(t, err, "was moved to")
	require.ErrorIs(t, db.Writable(), fault.ErrAway)
	require.NoError(t, db.Close())
	requireSameRows(t, file, dsn)
}

// A target that something else uses is refused, and so is a value that PostgreSQL cannot hold. The error names its row.
func TestMoveRefuses(t *testing.T) {
	t.Parallel()
	file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
	db := openFileDB(t, file)
	fillForMove(t, db, 0, 3)
	move := func(from, to string) error {
		_, err := storage.Move(t.Context(), from, to, storage.MoveOptions{})
		return err
	}
	require.ErrorContains(t, move(dsn, "sqlite:"+file), "from sqlite:… to postgres://… alone")
	require.ErrorContains(t, move("sqlite:"+file+".missing", dsn), "no such file")
	other, err := storage.Open(t.Context(), dsn, storage.Options{})
	require.NoError(t, err)
	fillForMove(t, other, 0, 1)
	require.NoError(t, other.Close())
	require.ErrorContains(t, move("sqlite:"+file, dsn), "is not empty")
	require.Error(t, storage.CancelMove(t.Context(), "sqlite:"+file, dsn))

	empty := pgtest.Empty(t)
	rawSQLite(t, file, `UPDATE attempts SET details = 'a' || char(0) || 'b' WHERE seq = 2`)
	require.ErrorContains(t, move("sqlite:"+file, empty), "table attempts, row 2: column details")
	fillForMove(t, db, 3, 4)
	require.NoError(t, storage.CancelMove(t.Context(), "sqlite:"+file, empty))
	require.ErrorContains(t, move("sqlite:"+file, empty), "holds another copy")
	rawSQLite(t, file, `UPDATE attempts SET details = '{}' WHERE seq = 2`)
	require.NoError(t, move("sqlite:"+file, pgtest.Empty(t)))
	require.ErrorContains(t, move("sqlite:"+file, pgtest.Empty(t)), "was moved to")
}

// TestMoveToAnotherTarget: the command refuses another target while a copy is not complete. The copy goes on, or --cancel ends it.
func TestMoveToAnotherTarget(t *testing.T) {
	t.Parallel()
	file, first, second := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t), pgtest.Empty(t)
	db := openFileDB(t, file)
	fillForMove(t, db, 0, 3)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := storage.Move(ctx, "sqlite:"+file, first, storage.MoveOptions{Report: func(string) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	_, err = storage.Move(t.Context(), "sqlite:"+file, second, storage.MoveOptions{})
	require.ErrorContains(t, err, "is not complete: name that database with --to")
	require.ErrorContains(t, err, "p.db to postgres:", "the error names the first target")
	require.NoError(t, db.Close())
	_, err = storage.Move(t.Context(), "sqlite:"+file, first, storage.MoveOptions{})
	require.NoError(t, err)
	requireSameRows(t, file, first)
	other, err := storage.Open(t.Context(), second, storage.Options{})
	require.NoError(t, err, "the second database is as it was")
	require.NoError(t, other.Close())
}

// A copy that has closed the source and could not mark the target ends with the next call, or is cancelled.
func TestMoveLastMark(t *testing.T) {
	t.Parallel()
	for _, cancels := range []bool{false, true} {
		t.Run(fmt.Sprint(cancels), func(t *testing.T) {
			t.Parallel()
			file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
			db := openFileDB(t, file)
			fillForMove(t, db, 0, 3)
			require.NoError(t, db.Close())
			_, err := storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{})
			require.NoError(t, err)
			c, err := pgconn.Connect(t.Context(), dsn)
			require.NoError(t, err)
			defer c.Close(context.Background())
			_, err = c.Exec(t.Context(), `UPDATE copies SET state = 'ready'`).ReadAll() // as it is before the last mark
			require.NoError(t, err)
			_, err = storage.Open(t.Context(), dsn, storage.Options{})
			require.ErrorContains(t, err, "is not complete")
			if !cancels {
				_, err = storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{})
				require.NoError(t, err)
				require.Error(t, storage.CancelMove(t.Context(), "sqlite:"+file, dsn), "the target may be in use")
				target, err := storage.Open(t.Context(), dsn, storage.Options{})
				require.NoError(t, err)
				require.NoError(t, target.Close())
				return
			}
			require.NoError(t, storage.CancelMove(t.Context(), "sqlite:"+file, dsn))
			fillForMove(t, openFileDB(t, file), 3, 4)
			_, err = storage.Open(t.Context(), dsn, storage.Options{})
			require.ErrorContains(t, err, "is not complete")
		})
	}
}

// A command that ended between the target's last rows and the source's mark has closed nothing: the source goes on, and the next call copies what came
// since. Rows that belong to a changed account stay.
func TestMoveEndedBeforeTheMark(t *testing.T) {
	t.Parallel()
	file, dsn := filepath.Join(t.TempDir(), "p.db"), pgtest.Empty(t)
	db := openFileDB(t, file)
	fillForMove(t, db, 0, 3)
	rawSQLite(t, file, `INSERT INTO merchants (id, publishable_key, organization_id, default_profile, created_at, modified_at, version) VALUES ('m', '', 'o', 'p', 1, 1, 1)`,
		`INSERT INTO accounts (merchant_id, id, profile_id, type, connector, label, disabled, active, test_mode, auth_type, base_url, hosts, created_at, modified_at, version)
			VALUES ('m', 'a', 'p', 't', 'c', 'l', 0, 1, 1, 'x', '', '', 1, 1, 1)`,
		`INSERT INTO violations (merchant_id, account_id, at, operation_id, operation, adapter, adapter_hash, rule, place) VALUES ('m', 'a', 1, 'o', 'p', 'a', 'h', 'r', 'x')`)
	_, err := storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{})
	require.NoError(t, err)
	require.NoError(t, pgtest.Run(dsn, `UPDATE copies SET state = 'ready'`))
	rawSQLite(t, file, `UPDATE copies SET state = 'copying'`, `UPDATE accounts SET label = 'new' WHERE id = 'a'`, `INSERT INTO copy_changes (seq, changed) VALUES (1000, 'accounts 1')`)
	fillForMove(t, db, 3, 6)
	_, err = storage.Move(t.Context(), "sqlite:"+file, dsn, storage.MoveOptions{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	requireSameRows(t, file, dsn)
	target, err := storage.Open(t.Context(), dsn, storage.Options{})
	require.NoError(t, err, "the foreign keys are back")
	require.NoError(t, target.Close())
	require.Equal(t, []string{"1"}, pgtest.Rows(t, dsn, `SELECT count(*) FROM violations`))
}

// BenchmarkMove moves a database of b.N payments, of four rows each, that nothing uses: go test ./storage -bench Move -benchtime 1000000x -run ^$.
// closed-s is how long the database is closed.
func BenchmarkMove(b *testing.B) {
	file, dsn := filepath.Join(b.TempDir(), "p.db"), pgtest.Durable(b)
	db, err := storage.Open(context.Background(), "sqlite:"+file, storage.Options{})
	require.NoError(b, err)
	fillForMove(b, db, 0, 1)
	require.NoError(b, db.Close())
	for table, columns := range map[string][]string{
		"payments": {"id", "attempt_id"}, "attempts": {"id", "payment_id"}, "operations": {"id", "payment_id", "attempt_id"}, "events": {"id", "object_id"},
	} {
		raw, err := sql.Open("sqlite", file+"?_pragma=synchronous(OFF)")
		require.NoError(b, err)
		var names []string
		rows, err := raw.Query(`SELECT name FROM pragma_table_info('` + table + `') WHERE name <> 'seq'`)
		require.NoError(b, err)
		for rows.Next() {
			var name string
			require.NoError(b, rows.Scan(&name))
			names = append(names, name)
		}
		values := slices.Clone(names)
		for i, name := range values {
			if slices.Contains(columns, name) {
				values[i] = name + " || '_' || n"
			}
		}
		_, err = raw.Exec(fmt.Sprintf(`WITH RECURSIVE k (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM k WHERE n < %d)
			INSERT INTO %s (%s) SELECT %s FROM k, %[2]s WHERE seq = 1`, b.N, table, strings.Join(names, ", "), strings.Join(values, ", ")))
		require.NoError(b, err)
		require.NoError(b, raw.Close())
	}
	b.ResetTimer()
	moved, err := storage.Move(context.Background(), "sqlite:"+file, dsn, storage.MoveOptions{Report: func(line string) { b.Log(time.Now().Format("15:04:05"), line) }})
	require.NoError(b, err)
	b.ReportMetric(moved.Closed.Seconds(), "closed-s")
	b.ReportMetric(float64(b.N)/moved.Took.Seconds(), "payments/s")
}
