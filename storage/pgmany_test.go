package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/storage/pgtest"
)

// TestManyRows reads the texts of statements for several rows.
func TestManyRows(t *testing.T) {
	for _, c := range []struct {
		query, want string
		types       []uint32
	}{
		{`INSERT INTO t (a, b, c) VALUES ($1, $2, 1)`, `INSERT INTO t (a, b, c) SELECT * FROM (VALUES ($1::text, $2::bytea, 1), ($3, $4, 1)) AS m (v1, v2, v3) WHERE m.v1 IS NOT NULL`, []uint32{pgText, pgBytes}},
		{`INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = excluded.b`,
			`INSERT INTO t (a) SELECT * FROM (VALUES ($1::bigint), ($2)) AS m (v1) WHERE m.v1 IS NOT NULL ON CONFLICT (a) DO UPDATE SET b = excluded.b`, []uint32{pgInt8}},
		{`UPDATE t SET a = $2, n = n + 1 WHERE id = $1 AND b IN ('x', 'y')`,
			`UPDATE t SET a = m.v2, n = n + 1 FROM (VALUES ($1::text, $2::boolean), ($3, $4)) AS m (v1, v2) WHERE id = m.v1 AND b IN ('x', 'y')`, []uint32{pgText, pgBool}},
		{`DELETE FROM t WHERE a = $1`, `DELETE FROM t USING (VALUES ($1::text), ($2)) AS m (v1) WHERE a = m.v1`, []uint32{pgText}},
		{`DELETE FROM t WHERE a = $1`, ``, []uint32{pgInt4}},
		{`DELETE FROM t`, ``, nil},
	} {
		require.Equal(t, c.want, manyRows(c.query, c.types, 2), c.query)
	}
}

// TestJoinKeepsOrder groups statements of many callers at random. The statements of one caller keep their order, so do those on one row, and nothing
// passes a statement that is not joined.
func TestJoinKeepsOrder(t *testing.T) {
	var queries []string
	for q := range joinedStatements {
		queries = append(queries, q)
	}
	slices.Sort(queries)
	joinedMost := 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var calls []pgCall
		for owner := range 12 {
			w := new(write)
			w.err = errors.New(fmt.Sprint(owner)) // so that no two are equal
			for range random.IntN(7) {
				call := pgCall{query: "other", owner: w}
				if random.IntN(12) > 0 {
					call.query = queries[random.IntN(len(queries))]
					call.joined = joinedStatements[call.query]
				}
				call.values = make([][]byte, 30)
				for i := range call.values {
					call.values[i] = []byte{'a' + byte(random.IntN(3))}
				}
				call.formats = []int16{int16(len(calls))} // names the call
				calls = append(calls, call)
			}
		}
		answer := random.IntN(2) == 0
		var out []pgCall
		for _, g := range new(pgConn).group(calls, answer) {
			joinedMost = max(joinedMost, len(g.members))
			for _, m := range g.members {
				require.Equal(t, g.members[0].query, m.query)
			}
			out = append(out, g.members...)
		}
		require.Len(t, out, len(calls))
		if answer && len(calls) > 0 {
			require.Equal(t, calls[len(calls)-1].formats, out[len(out)-1].formats)
		}
		for i := range out {
			for k := range i { // out[k] leaves before out[i]
				a, b := &out[k], &out[i]
				if a.formats[0] < b.formats[0] {
					continue
				}
				passed := a.joined != nil && b.joined != nil && (a.owner != b.owner || b.joined.read) && !b.joined.isSame(b, a.joined, a)
				require.True(t, passed, "seed %d: call %d (%s) passes call %d (%s)", seed, a.formats[0], a.query, b.formats[0], b.query)
			}
		}
	}
	require.Greater(t, joinedMost, 2)
}

// TestPaymentsJoin writes the two transactions of a payment for any number of callers. Every statement is joined, and up to 15 equal statements
// leave as one or two. Every row is there afterwards. The server has planned no statement for its arguments.
func TestPaymentsJoin(t *testing.T) {
	c, dsn := migratedConn(t)
	at := time.UnixMilli(1_700_000_000_000).UTC()
	total := 0
	run := func(times int, writes func(x *tx, id string) error) (statements int) {
		require.NoError(t, c.begin())
		for i := range times {
			c.owner = new(write)
			require.NoError(t, writes(&tx{s: c, now: at}, fmt.Sprint("p", total+i)))
			c.owner = nil
		}
		for _, call := range c.pending {
			require.NotNil(t, call.joined, call.query)
		}
		statements = len(c.join(c.pending, false))
		c.check()
		require.NoError(t, c.failure())
		require.False(t, c.again())
		require.NoError(t, c.commit())
		return statements
	}
	for times := range 2*joinMost + 2 {
		began := run(times, func(x *tx, id string) error {
			return errors.Join(x.InsertPayment(&payment.Payment{MerchantID: "m", ID: id, Status: payment.Processing, CreatedAt: at}),
				x.InsertAttempt(&payment.Attempt{MerchantID: "m", PaymentID: id, ID: id}),
				x.InsertOperation(&payment.Operation{ID: id, MerchantID: "m", Status: payment.OperationStarted, Owner: "n", LeaseUntil: at, Key: &secret.Key{WrappedKey: []byte{1}}}))
		})
		ended := run(times, func(x *tx, id string) error {
			own, err := x.ClaimID(evidence.Claim{MerchantID: "m", AccountID: "a", Kind: "payment", ID: id, Owner: id})
			held, held2 := x.UpdateHeldOperation(&payment.Operation{ID: id, MerchantID: "m", Status: payment.OperationSucceeded}, "n", at)
			require.True(t, own && held)
			return errors.Join(err, held2, x.UpdatePayment(&payment.Payment{MerchantID: "m", ID: id, Version: 1, Status: payment.Succeeded, CreatedAt: at}),
				x.UpdateAttempt(&payment.Attempt{MerchantID: "m", PaymentID: id, ID: id, Version: 1, TransactionID: id}),
				x.InsertEvent(&payment.Event{MerchantID: "m", ObjectID: id, ID: id, CreatedAt: at}),
				x.InsertJournal(&drive.JournalRecord{OperationID: id, MerchantID: "m", At: at}), x.DeleteExchanges(id))
		})
		total += times
		if times == 1 || total > 100 { // the connection has prepared the statements for one row
			require.LessOrEqual(t, began, 4*(times/joinMost+2))
			require.LessOrEqual(t, ended, 8*(times/joinMost+2))
		}
	}
	planned := -1
	require.NoError(t, c.query(`SELECT count(*) FROM pg_prepared_statements WHERE custom_plans > 0`, nil, func(row scanner) error { return row.Scan(&planned) }))
	require.Zero(t, planned)
	for table, where := range map[string]string{"payments": "status = 'succeeded' AND version = 2", "attempts": "transaction_id = id AND version = 2",
		"operations": "status = 'succeeded'", "events": "object_id = id", "journal": "merchant_id = 'm'", "processor_ids": "owner = processor_id"} {
		require.Equal(t, []string{fmt.Sprint(total)}, pgtest.Rows(t, dsn, "SELECT count(*) FROM "+table+" WHERE "+where), table)
	}
	require.Equal(t, []string{"0"}, pgtest.Rows(t, dsn, "SELECT count(*) FROM short_term_keys"))
}

// TestJoinedWrites lets many callers write payments at once. Some payments exist already, and some have ids of processors that others have. Each caller gets its
// own answer, and the database has the rows that the answers name.
func TestJoinedWrites(t *testing.T) {
	dsn := pgtest.Empty(t)
	_, err := Migrate(t.Context(), dsn)
	require.NoError(t, err)
	o := Options{}
	o.Postgres.Connections = 8
	db, err := Open(t.Context(), dsn, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	at := time.UnixMilli(1_700_000_000_000).UTC()
	row := func(id string) (*payment.Payment, *payment.Attempt, *payment.Operation) {
		return &payment.Payment{MerchantID: "m", ID: id, Status: payment.Processing, Currency: "USD", Amount: 1, CreatedAt: at, ModifiedAt: at},
			&payment.Attempt{MerchantID: "m", PaymentID: id, ID: id + "_1", Number: 1, CreatedAt: at, ModifiedAt: at},
			&payment.Operation{ID: "op_" + id, MerchantID: "m", PaymentID: id, Status: payment.OperationStarted, StartedAt: at, LeaseUntil: at.Add(time.Hour), Owner: "n", Seed: []byte{1}}
	}
	var mu sync.Mutex
	made, claimed := map[string]int{}, map[string]int{}
	var wg sync.WaitGroup
	for i := range 48 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 2))
			for round := range 12 {
				id := fmt.Sprintf("p%d_%d", i, round)
				if random.IntN(10) == 0 {
					id = fmt.Sprint("shared", random.IntN(20))
				}
				p, a, op := row(id)
				err := db.Update(t.Context(), func(tx engine.Tx) error {
					p.Version, a.Version = 0, 0
					return errors.Join(tx.InsertPayment(p), tx.InsertAttempt(a), tx.InsertOperation(op))
				})
				if errors.Is(err, fault.ErrConflict) {
					continue
				}
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				made[id]++
				mu.Unlock()
				claim := evidence.Claim{MerchantID: "m", AccountID: "acc", Kind: "payment", ID: "tr_" + id, Owner: id}
				if random.IntN(10) == 0 {
					claim.ID = fmt.Sprint("tr_shared", random.IntN(20))
				}
				stale := random.IntN(15) == 0
				own := false
				err = db.Update(t.Context(), func(tx engine.Tx) error {
					n, b := *p, *a
					if n.Status = payment.Succeeded; stale {
						n.Version = 7
					}
					closed := *op
					closed.Status = payment.OperationSucceeded
					closed.ClosedAt = at
					if err := tx.UpdatePayment(&n); err != nil {
						return err
					}
					if err := tx.UpdateAttempt(&b); err != nil {
						return err
					}
					held, err := tx.UpdateHeldOperation(&closed, "n", op.LeaseUntil)
					if err == nil && !held {
						err = errors.New("the operation has another holder")
					}
					if err != nil {
						return err
					}
					if err := tx.InsertEvent(&payment.Event{MerchantID: "m", ID: "e", ObjectID: id, CreatedAt: at, Number: 1}); err != nil {
						return err
					}
					own, err = tx.ClaimID(claim)
					if err == nil && !own {
						err = fault.ErrConflict
					}
					return err
				})
				switch {
				case stale:
					assert.ErrorIs(t, err, fault.ErrConflict)
				case errors.Is(err, fault.ErrConflict):
					assert.False(t, own)
				case assert.NoError(t, err):
					mu.Lock()
					claimed[claim.ID]++
					made[id]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	want, events := 0, 0
	for id, n := range made {
		require.LessOrEqual(t, n, 2, id)
		want++
		if n == 2 {
			events++
		}
	}
	for id, n := range claimed {
		require.Equal(t, 1, n, id)
	}
	count := func(query string) string { return pgtest.Rows(t, dsn, query)[0] }
	require.Equal(t, fmt.Sprint(want), count(`SELECT count(*) FROM payments`))
	require.Equal(t, fmt.Sprint(want), count(`SELECT count(*) FROM attempts`))
	require.Equal(t, fmt.Sprint(events), count(`SELECT count(*) FROM payments WHERE status = 'succeeded' AND version = 2`))
	require.Equal(t, fmt.Sprint(events), count(`SELECT count(*) FROM operations WHERE status = 'succeeded'`))
	require.Equal(t, fmt.Sprint(events), count(`SELECT count(*) FROM events`))
	require.Equal(t, fmt.Sprint(len(claimed)), count(`SELECT count(*) FROM processor_ids`))
	require.Equal(t, "0", count(`SELECT count(*) FROM processor_ids c JOIN payments p ON p.id = c.owner WHERE p.status <> 'succeeded'`))
}

// migratedConn returns a writing connection to a new database, and the database's address.
func migratedConn(t *testing.T) (c *pgConn, dsn string) {
	t.Helper()
	dsn = pgtest.Empty(t)
	_, err := Migrate(t.Context(), dsn)
	require.NoError(t, err)
	var o Options
	o.Postgres.defaults()
	dial, err := newPGDialer(dsn, o)
	require.NoError(t, err)
	c = newPGConn(dial, pgWrites)
	t.Cleanup(func() { c.close() })
	return c, dsn
}

// TestJoinedPlans: a statement for several rows finds each by the key, also while the database takes the table for empty.
func TestJoinedPlans(t *testing.T) {
	c, _ := migratedConn(t)
	require.NoError(t, c.start(beginWrite))
	for query, j := range joinedStatements {
		if j.read {
			continue
		}
		d, err := c.pg.Prepare(t.Context(), "", query, nil)
		require.NoError(t, err, query)
		for _, rows := range []int{2, joinMost} {
			text := manyRows(query, d.ParamOIDs, rows)
			require.NotEmpty(t, text, query)
			many, err := c.pg.Prepare(t.Context(), "", text, nil)
			require.NoError(t, err, text)
			require.Equal(t, len(d.ParamOIDs)*rows, len(many.ParamOIDs), text)
			for i, oid := range many.ParamOIDs {
				require.Equal(t, d.ParamOIDs[i%len(d.ParamOIDs)], oid, text)
			}
			plan := explained(t, c.pg, text, len(many.ParamOIDs))
			require.NotContains(t, plan, "Seq Scan", text)
			require.NotContains(t, plan, "Hash", text)
			require.NotContains(t, plan, "Merge", text)
		}
	}
}

func explained(t *testing.T, c *pgconn.PgConn, text string, arguments int) (plan string) {
	t.Helper()
	values := make([][]byte, arguments)
	r := c.ExecParams(t.Context(), "EXPLAIN "+text, values, nil, nil, nil).Read()
	require.NoError(t, r.Err, text)
	for _, row := range r.Rows {
		plan += string(row[0]) + "\n"
	}
	return plan
}

// TestNoJoinedStatements: a database that refuses a joined statement gets each statement by itself from then on.
func TestNoJoinedStatements(t *testing.T) {
	c, dsn := migratedConn(t)
	claims := func(names ...string) {
		for _, name := range names {
			c.owner = new(write)
			n, err := c.expect(1, insertProcessorID, "m", "a", "payment", name, "p")
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
		}
		c.check()
	}
	require.NoError(t, c.begin())
	claims("t1")
	require.False(t, c.again())
	c.stmts[joinedStatements[insertProcessorID].bare].many = map[int]string{2: "INSERT SEVERAL"}
	claims("t2", "t3")
	require.True(t, c.again())
	require.True(t, c.dial.separate.Load())
	require.NoError(t, c.rollback())
	require.NoError(t, c.begin())
	claims("t1", "t2", "t3")
	require.False(t, c.again())
	require.NoError(t, c.commit())
	require.Equal(t, []string{"3"}, pgtest.Rows(t, dsn, "SELECT count(*) FROM processor_ids"))
}
