package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

func openTest(t *testing.T, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), "sqlite:"+filepath.Join(t.TempDir(), "x.db"), o)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func put(db *DB, name string, size int) error {
	return db.Update(context.Background(), func(tx engine.Tx) error { return tx.InsertKeyset(name, make([]byte, size)) })
}

func has(t *testing.T, db *DB, name string) bool {
	t.Helper()
	err := db.View(context.Background(), func(r engine.Reader) error { _, err := r.Keyset(name); return err })
	if !errors.Is(err, fault.ErrNotFound) {
		require.NoError(t, err)
	}
	return err == nil
}

// conn returns the writer's connection, for use within an Update.
func conn(t engine.Tx) *liteConn { return t.(*tx).s.(*liteConn) }

// together hands closures over while the writer is busy, so that they share a transaction, and returns their errors.
func together(db *DB, fs ...func(engine.Tx) error) []error {
	held, release := make(chan struct{}), make(chan struct{})
	out := make([]error, len(fs))
	var wg sync.WaitGroup
	wg.Go(func() {
		first := sync.OnceFunc(func() { close(held) }) // the closure may run twice
		db.Update(context.Background(), func(engine.Tx) error { first(); <-release; return nil })
	})
	<-held
	for i, f := range fs {
		wg.Go(func() { out[i] = db.Update(context.Background(), f) })
		for queued := 0; queued <= i; time.Sleep(time.Millisecond) { // hands the closures over in order
			db.writer.mu.Lock()
			queued = len(db.writer.queue)
			db.writer.mu.Unlock()
		}
	}
	close(release)
	wg.Wait()
	return out
}

func keyset(name string, size int) func(engine.Tx) error {
	return func(tx engine.Tx) error { return tx.InsertKeyset(name, make([]byte, size)) }
}

// TestDiskFull runs the database into its size limit. Every caller in that batch gets the error, none of its writes remain, and the store
// goes on once there is room.
func TestDiskFull(t *testing.T) {
	db := openTest(t, Options{})
	require.NoError(t, put(db, "before", 10))
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return conn(tx).script("PRAGMA max_page_count = 100")
	}))
	swallowed := func(tx engine.Tx) error { _ = tx.InsertKeyset("swallowed", make([]byte, 4<<20)); return nil }
	for _, fs := range [][]func(engine.Tx) error{
		{keyset("a", 10), keyset("large", 4<<20), keyset("c", 10)},
		{keyset("a", 10), swallowed, keyset("c", 10)}, // the closures that follow must not run without a transaction
		{func(tx engine.Tx) error { _ = tx.InsertKeyset("a", []byte("a")); return errors.New("own") }, keyset("large", 4<<20)},
	} {
		for i, err := range together(db, fs...) {
			require.Error(t, err, "%d", i)
		}
		for _, name := range []string{"a", "large", "c", "swallowed"} {
			require.False(t, has(t, db, name), name)
		}
	}
	require.ErrorContains(t, put(db, "large", 4<<20), "full")
	require.NoError(t, put(db, "small", 10), "a small write succeeds again")
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return conn(tx).script("PRAGMA max_page_count = 100000")
	}))
	require.NoError(t, put(db, "large", 4<<20))
	require.True(t, has(t, db, "before") && has(t, db, "small") && has(t, db, "large"))
}

// TestBusy: another process holds the write lock for too long.
func TestBusy(t *testing.T) {
	db := openTest(t, Options{BusyTimeout: 30 * time.Millisecond})
	other, err := openLite(db.path, time.Second)
	require.NoError(t, err)
	defer other.close()
	require.NoError(t, other.script("BEGIN IMMEDIATE"))
	for range 2 {
		require.ErrorContains(t, put(db, "a", 1), "locked")
	}
	require.False(t, has(t, db, "a"), "reads still work")
	require.NoError(t, other.script("COMMIT"))
	require.NoError(t, put(db, "a", 1))
}

// TestBatch checks the results of callers that share a transaction, and how often their closures run.
func TestBatch(t *testing.T) {
	var sizes []int
	db := openTest(t, Options{Observer: func(n int, _ time.Duration) { sizes = append(sizes, n) }})
	own := errors.New("own")
	runs := make([]int, 5)
	p := &payment.Payment{MerchantID: "m", ID: "p", Status: payment.Processing}
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error { return tx.InsertPayment(p) }))
	errs := together(db,
		func(tx engine.Tx) error { runs[0]++; return tx.UpdatePayment(p) },
		func(tx engine.Tx) error { runs[1]++; _, err := tx.Keyset("none"); return err }, // fails without a write to roll back
		func(tx engine.Tx) error { runs[2]++; return errors.Join(tx.InsertKeyset("undone", []byte("v")), own) },
		func(tx engine.Tx) error { runs[3]++; _ = tx.InsertKeyset("undone too", []byte("v")); panic("no") },
		func(tx engine.Tx) error {
			runs[4]++
			_, err := tx.Keyset("undone")
			if !errors.Is(err, fault.ErrNotFound) {
				return fmt.Errorf("a write that was rolled back is visible: %v", err)
			}
			return tx.InsertKeyset("kept", []byte("v"))
		})
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], fault.ErrNotFound)
	require.ErrorIs(t, errs[2], own)
	require.ErrorContains(t, errs[3], "panic in a transaction: no")
	require.NoError(t, errs[4])
	require.Equal(t, []int{2, 1, 1, 1, 1}, runs, "the first ran again after the third had failed")
	require.EqualValues(t, 2, p.Version, "the version is raised once, although the closure ran twice")
	require.True(t, has(t, db, "kept"))
	require.False(t, has(t, db, "undone") || has(t, db, "undone too"))
	require.NoError(t, db.Close())
	require.Contains(t, sizes, 5+1, "all callers share one commit")
}

// After a large batch the worker lets the callers that it has answered come again before it commits. After a small batch it commits at once.
func TestLargeBatchesStayLarge(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a caller that is ready runs only while the worker lets it
	const updates = 20
	commits := func(callers int) (n int) {
		db := openTest(t, Options{Observer: func(int, time.Duration) { n++ }})
		nothing := func(engine.Tx) error { return nil }
		together(db, slices.Repeat([]func(engine.Tx) error{nothing}, callers)...)
		n = 0
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range updates {
					_ = db.Update(context.Background(), nothing)
				}
			})
		}
		wg.Wait()
		require.NoError(t, db.Close())
		return n
	}
	require.Less(t, commits(4*largeBatch), 2*updates)
	require.Greater(t, commits(largeBatch/2), updates)
}

func TestPragmas(t *testing.T) {
	db := openTest(t, Options{})
	want := map[string]int64{"synchronous": 2, "page_size": 8192, "wal_autocheckpoint": 1000, "cache_size": -16384, "busy_timeout": 10000,
		"temp_store": 2, "foreign_keys": 1}
	check := func(c *liteConn, queryOnly int64) {
		want["query_only"] = queryOnly
		for name, value := range want {
			var got int64
			require.NoError(t, c.query("PRAGMA "+name, nil, func(row scanner) error { return row.Scan(&got) }))
			require.Equal(t, value, got, name)
		}
		var mode string
		require.NoError(t, c.query("PRAGMA journal_mode", nil, func(row scanner) error { return row.Scan(&mode) }))
		require.Equal(t, "wal", mode)
	}
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error { check(conn(tx), 0); return nil }))
	for range db.readers.size {
		c := <-db.readers.idle
		check(c, 1)
		_, err := c.exec("INSERT INTO keysets VALUES ('a', 'b')")
		require.ErrorContains(t, err, "readonly")
		db.readers.idle <- c
	}
}

// TestLitestreamKeepsTheLog: where Litestream copies the database, no connection restarts the log, also if Litestream comes while the database is
// open. A log that no one empties is emptied in the end.
func TestLitestreamKeepsTheLog(t *testing.T) {
	var log bytes.Buffer
	db := openTest(t, Options{LogLimit: 256 << 10, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	// asWriter runs f where the guard runs: it looks at the log between transactions.
	asWriter := func(f func()) {
		t.Helper()
		require.NoError(t, db.Update(t.Context(), func(engine.Tx) error { f(); return nil }))
	}
	said := func() (text string) { asWriter(func() { text = log.String() }); return text }
	n := 0
	fill := func(size int) {
		t.Helper()
		n++
		require.NoError(t, put(db, fmt.Sprint("k", n), size))
		asWriter(func() { db.guard.next = time.Time{} }) // without the pause between two tries
		require.NoError(t, put(db, fmt.Sprint("n", n), 1))
	}
	fill(512 << 10)
	require.Less(t, db.guard.size(), int64(256<<10), "payswitch empties its log")
	other, err := openLite(db.path, time.Second)
	require.NoError(t, err)
	require.False(t, other.leavesLog())
	require.NoError(t, other.script("CREATE TABLE "+litestreamTable+" (id INTEGER)"))
	require.NoError(t, other.close())
	asWriter(func() { db.guard.look = time.Time{} }) // without the pause between two looks
	require.NoError(t, put(db, "small", 1))
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return conn(tx).query("PRAGMA wal_autocheckpoint", nil, func(row scanner) error {
			var pages int64
			err := row.Scan(&pages)
			require.Zero(t, pages)
			return err
		})
	}))
	fill(512 << 10)
	fill(512 << 10)
	require.Greater(t, db.guard.size(), int64(1<<20), "Litestream has not copied it yet")
	require.NotContains(t, said(), "Litestream")
	other, err = openLite(db.path, time.Second)
	require.NoError(t, err)
	defer other.close()
	var pages int64
	require.NoError(t, other.query("PRAGMA wal_autocheckpoint", nil, func(row scanner) error { return row.Scan(&pages) }))
	require.Zero(t, pages)
	fill(4 << 20)
	require.Less(t, db.guard.size(), int64(256<<10))
	require.Contains(t, said(), "Litestream does not empty the write-ahead log")
}

// TestStatuses compares the table of statuses with the engine's constants.
func TestStatuses(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../engine/payment/status.go", nil, 0)
	require.NoError(t, err)
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := v.Type.(*ast.Ident); ok && name.Name == "Status" {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			want = append(want, s)
		}
		return true
	})
	require.NotEmpty(t, want)
	var got []string
	db := openTest(t, Options{})
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return conn(tx).query("SELECT status FROM payment_statuses", nil, func(row scanner) error {
			var s string
			got = append(got, "")
			err := row.Scan(&s)
			got[len(got)-1] = s
			return err
		})
	}))
	require.ElementsMatch(t, want, got)
}

// explainer is a session that checks the query plan of every statement.
type explainer struct {
	*liteConn
	plans map[string]string
}

func (e explainer) explain(query string, args []any) error {
	var plan []string
	err := e.liteConn.query("EXPLAIN QUERY PLAN "+query, args, func(row scanner) error {
		var id, parent, unused int64
		var detail string
		err := row.Scan(&id, &parent, &unused, &detail)
		plan = append(plan, detail)
		return err
	})
	e.plans[query] = strings.Join(plan, "; ")
	return err
}

func (e explainer) exec(query string, args ...any) (int64, error) {
	if err := e.explain(query, args); err != nil {
		return 0, err
	}
	return e.liteConn.exec(query, args...)
}

func (e explainer) expectRow(query string, args []any, each func(scanner) error) (int64, error) {
	return countRows(e, query, args, each)
}

func (e explainer) expect(_ int64, query string, args ...any) (int64, error) {
	return e.exec(query, args...)
}

func (e explainer) query(query string, args []any, each func(scanner) error) error {
	if err := e.explain(query, args); err != nil {
		return err
	}
	return e.liteConn.query(query, args, each)
}

// TestPlans refuses queries that read whole tables, and lists that SQLite sorts instead of reading in order.
func TestPlans(t *testing.T) {
	db := openTest(t, Options{})
	e := explainer{plans: map[string]string{}}
	now := wholeMillis(time.Now())
	_ = db.Update(context.Background(), func(etx engine.Tx) error {
		e.liteConn = conn(etx)
		r := &tx{s: e, now: now}
		r.InsertPayment(&payment.Payment{MerchantID: "m", ID: "p", Status: payment.Processing})
		r.UpdatePayment(&payment.Payment{MerchantID: "m", ID: "p"})
		r.UpdateAttempt(&payment.Attempt{})
		r.UpdateOperation(&payment.Operation{})
		r.Payment("m", "p")
		for _, f := range []request.ListInput{{}, {CustomerID: "c"}, {StartingAfter: "p"}, {EndingBefore: "p"}, {CreatedGT: now, CreatedLT: now},
			{CustomerID: "c", StartingAfter: "p"}} {
			for _, profile := range []string{"", "pro"} {
				r.Payments("m", profile, f)
			}
		}
		for _, f := range []request.PaymentFilter{{}, {CustomerID: "c"}, {PaymentID: "p"}, {Statuses: []string{"failed"}}, {Statuses: []string{"review"}, From: now, To: now},
			{From: now, To: now}} {
			for _, ascending := range []bool{false, true} {
				f.Ascending = ascending
				r.FindPayments("m", "", f)
				r.PaymentTotal("m", "", f)
			}
		}
		for _, f := range []request.PaymentFilter{{}, {CustomerID: "c"}, {Currencies: []string{"EUR"}}, {Connectors: []string{"x"}}, {Statuses: []string{"failed"}}, {Email: "a"}} {
			r.ScanPayments("m", "", f, nil, 10)
			r.ScanPayments("m", "pro", f, &listed.Place{CreatedAt: now}, 10)
		}
		for _, f := range []request.PaymentFilter{{}, {CustomerID: "c"}, {Statuses: []string{"requires_capture", "partially_captured_and_capturable"}}} {
			r.PaymentsBehind("m", "", f, nil, 10)
			r.PaymentsBehind("m", "pro", f, &listed.Place{CreatedAt: now}, 10)
		}
		r.PaymentsAt("m", []listed.Place{{Seq: 1}, {Seq: 2}})
		r.AttemptsOf("m", []string{"a", "b"})
		r.FacetMark(facet.Refunds, "m")
		r.PutFacetMark(&facet.Mark{MerchantID: "m"})
		r.PutFacetMark(&facet.Mark{MerchantID: "m", Version: 1})
		r.FacetSummaries(facet.Refunds, "m", facet.Status, 0)
		r.FacetColumn(facet.Refunds, "m", facet.Status, 1)
		r.FacetColumns(facet.Refunds, "m", facet.Status, 1, 2)
		r.PutFacet(facet.Refunds, "m", facet.Column{})
		r.DropFacets(facet.Refunds, "m")
		r.LeaseFacets("n", now)
		for _, l := range []facet.List{facet.Payments, facet.Refunds, facet.Disputes} {
			r.NextListed(l, "m")
		}
		for _, l := range []facet.List{facet.Refunds, facet.Disputes} {
			r.FacetRows(l, "m", now, time.Time{}, 0)
			r.FacetRows(l, "m", now, now, 10)
			r.LateFacetRows(l, "m", now, now, 10)
		}
		r.RefundAt("m", listed.Place{Seq: 1})
		r.DisputeAt("m", listed.Place{Seq: 1})
		r.RefundsOf("m", "p")
		for _, f := range []request.RefundListInput{{}, {From: now, To: now}, {RefundID: "r"}, {PaymentID: "p"}} {
			r.Refunds("m", "", f)
		}
		r.PaymentsFrom("m", now, now, 10)
		r.LatePayments("m", request.PaymentFilter{}, now, now, 10)
		r.Dispute("m", "d")
		r.DisputesOf("m", "p")
		for _, f := range []request.DisputeListInput{{}, {From: now, To: now}, {DisputeID: "d"}, {PaymentID: "p"}} {
			r.Disputes("m", "", f)
		}
		r.Attempt("m", "a")
		r.Attempts("m", "p")
		r.Operation("o")
		r.Operations("m", "p")
		r.OpenOperations("m", "a")
		r.ClaimOperations("n", now, 10)
		r.ClaimOperations("n", now, 10, 1)
		r.DueOperations(10)
		r.ReleaseLeases("n")
		r.LastDueSet()
		r.LastJump()
		r.NoteJump(0)
		r.RecallOperations(drive.Recall{DueBy: now}, "unknown")
		r.ExtendLease("o", "n", now)
		r.Exchanges("o")
		r.PutExchange(drive.ExchangeRecord{})
		r.Events("m", "p")
		r.Evidence("o")
		r.Idempotency("m", "k")
		r.FinishIdempotency(&idempotency.Record{})
		r.DeleteIdempotency("m", "k")
		r.CardToken("m", "t")
		r.DeleteCardToken("m", "t")
		r.DeleteExpired()
		r.Card("m", "c")
		r.CardsByFingerprint("m", "f")
		r.UpdateCard(&vault.StoredCard{})
		r.DeleteCard("m", "c")
		r.ShortTermKey("m", "c")
		r.LowValue("m", "f")
		r.CountLowValue("m", "f", 1, now)
		r.ResetLowValue("m", "f")
		r.ExemptionRates("m", "424242")
		r.CountExemption("m", "424242", "low_value", true, now)
		r.PutCardToken(&payment.CardToken{MerchantID: "m", Token: "t", Key: &secret.Key{WrappedKey: []byte("k")}})
		for table := range sealedColumns {
			if table != vault.SealedMerchants { // read in one window
				r.SealedRows(table, 0, 10, "00000000")
				r.Reseal(table, vault.SealedRow{}, make([]byte, 5))
			}
		}
		r.Merchant("m")
		r.MerchantByPublishableKey("k")
		r.Profiles("m")
		r.Profile("m", "p")
		r.Accounts("m")
		r.Account("m", "a")
		r.APIKeyByHash([]byte("h"))
		r.APIKeys("m", 1, 1)
		r.Customers("m", 1, 1)
		r.CustomerTotal("m")
		r.DeleteMerchant("m")
		return errors.New("undo")
	})
	require.Greater(t, len(e.plans), 35)
	for query, plan := range e.plans {
		if strings.Contains(query, "p.rare_status <>") && !strings.Contains(query, "LEFT JOIN") {
			require.Contains(t, plan, "INDEX payments_rare", query)
		}
		require.NotContains(t, plan, "SCAN", "%s\n%s", query, plan)
		if strings.Contains(query, "count(*) FROM operations") { // reads open operations only
			require.Contains(t, plan, "INDEX operations_due", query)
		}
		ofOnePayment := strings.Contains(query, "payment_id = ") && (strings.Contains(query, "FROM refunds") || strings.Contains(query, "FROM disputes"))
		if ofOnePayment {
			require.Contains(t, plan, "s_payment", query)
		}
		few := ofOnePayment || strings.Contains(query, "FROM attempts") || strings.Contains(query, "FROM operations") || strings.Contains(query, "FROM events") ||
			strings.Contains(query, "FROM profiles") || strings.Contains(query, "FROM accounts") || strings.Contains(query, "FROM api_keys")
		if !few { // rows of one payment, or one merchant's settings: the sort is cheap
			require.NotContains(t, plan, "TEMP B-TREE", "%s\n%s", query, plan)
		}
	}
}

func TestUnnamed(t *testing.T) {
	text, order := unnamed(`UPDATE t SET a = $2, b = CASE WHEN $12 > $1 THEN $2 END WHERE c = $3`)
	require.Equal(t, `UPDATE t SET a = ?, b = CASE WHEN ? > ? THEN ? END WHERE c = ?`, text)
	require.Equal(t, []int{1, 11, 0, 1, 2}, order)
	text, order = unnamed(`COMMIT`)
	require.Equal(t, `COMMIT`, text)
	require.Empty(t, order)
}
