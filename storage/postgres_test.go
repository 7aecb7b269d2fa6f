package storage_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/engine/storetest"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

// postgresDSN returns the address of a new database with the schema.
func postgresDSN(t testing.TB) string {
	return pgtest.Migrated(t, "payswitch_template", func(dsn string) error {
		_, err := storage.Migrate(context.Background(), dsn)
		return err
	}, "schema_migrations", "payment_statuses")
}

func openPostgres(t testing.TB, o storage.Options) *storage.DB {
	t.Helper()
	db, err := storage.Open(context.Background(), postgresDSN(t), o)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestConformancePostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return openPostgres(t, storage.Options{}) })
}

// twoNodes opens one database twice, as two nodes do.
func twoNodes(t *testing.T) [2]*storage.DB {
	dsn := postgresDSN(t)
	var out [2]*storage.DB
	for i := range out {
		db, err := storage.Open(context.Background(), dsn, storage.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		out[i] = db
	}
	return out
}

// atOnce runs f on every node at the same time, several times each.
func atOnce(nodes [2]*storage.DB, times int, f func(db *storage.DB, node, i int)) {
	var wg sync.WaitGroup
	for n, db := range nodes {
		for i := range times {
			wg.Go(func() { f(db, n, i) })
		}
	}
	wg.Wait()
}

func view[T any](t testing.TB, db *storage.DB, f func(r engine.Reader) (T, error)) (out T) {
	t.Helper()
	require.NoError(t, db.View(context.Background(), func(r engine.Reader) (err error) { out, err = f(r); return err }))
	return out
}

// Refunds at two nodes that read the same payment: the sum never goes beyond what was paid.
func TestPostgresRefundsAtTwoNodes(t *testing.T) {
	nodes := twoNodes(t)
	p, a, o := samplePayment(1)
	p.Received = 100
	write(t, nodes[0], p, a, o)
	var mu sync.Mutex
	booked := int64(0)
	atOnce(nodes, 12, func(db *storage.DB, node, i int) {
		seen := view(t, db, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(p.MerchantID, p.ID) })
		if seen.Refunded+30 > seen.Received {
			return
		}
		seen.Refunded += 30
		err := db.Update(context.Background(), func(tx engine.Tx) error {
			row := seen.Clone()
			if err := tx.UpdatePayment(row); err != nil {
				return err
			}
			return tx.InsertRefund(&payment.Refund{MerchantID: p.MerchantID, ID: fmt.Sprint("ref_", node, "_", i), PaymentID: p.ID, Amount: 30})
		})
		if err == nil {
			mu.Lock()
			booked += 30
			mu.Unlock()
		} else if !errors.Is(err, fault.ErrConflict) {
			t.Error(err)
		}
	})
	refunds := view(t, nodes[1], func(r engine.Reader) ([]*payment.Refund, error) { return r.RefundsOf(p.MerchantID, p.ID) })
	now := view(t, nodes[1], func(r engine.Reader) (*payment.Payment, error) { return r.Payment(p.MerchantID, p.ID) })
	require.Equal(t, booked, now.Refunded)
	require.EqualValues(t, booked, 30*len(refunds), "a refund without its sum, or a sum without its refund")
	require.LessOrEqual(t, now.Refunded, now.Received)
	require.Positive(t, booked)
}

// A decision that reads a row and writes another must not be made on both nodes at once: it locks what it reads.
func TestPostgresDecisionLocksWhatItReads(t *testing.T) {
	nodes := twoNodes(t)
	ctx := context.Background()
	for round := range 20 {
		id := fmt.Sprint("m", round)
		require.NoError(t, nodes[0].Update(ctx, func(tx engine.Tx) error {
			if err := tx.InsertMerchant(&account.Merchant{ID: id}); err != nil {
				return err
			}
			return errors.Join(tx.InsertProfile(&account.Profile{MerchantID: id, ID: "a", Name: "a"}), tx.InsertProfile(&account.Profile{MerchantID: id, ID: "b", Name: "b"}))
		}))
		atOnce(nodes, 1, func(db *storage.DB, node, _ int) { // the last profile must stay
			err := db.Update(ctx, func(tx engine.Tx) error {
				list, err := tx.Profiles(id)
				if err != nil || len(list) == 1 {
					return err
				}
				return tx.DeleteProfile(id, []string{"a", "b"}[node])
			})
			if err != nil {
				t.Error(err)
			}
		})
		left := view(t, nodes[0], func(r engine.Reader) ([]*account.Profile, error) { return r.Profiles(id) })
		require.Len(t, left, 1)
	}
}

// One operation is claimed by one node, one idempotency key and one lease are taken once.
func TestPostgresClaimsAtTwoNodes(t *testing.T) {
	nodes := twoNodes(t)
	ctx := context.Background()
	const operations = 40
	for n := range int64(operations) {
		p, a, o := samplePayment(n)
		o.LeaseUntil = time.Now().Add(-time.Hour)
		write(t, nodes[0], p, a, o)
	}
	var mu sync.Mutex
	owners, keys := map[string]int{}, map[string]int{}
	atOnce(nodes, 10, func(db *storage.DB, node, i int) {
		var ops []*payment.Operation
		err := db.Update(ctx, func(tx engine.Tx) (err error) {
			ops, err = tx.ClaimOperations(fmt.Sprint("node", node), tx.Now().Add(time.Hour), 4)
			return err
		})
		if err != nil {
			t.Error(err)
		}
		mine := false
		key := fmt.Sprint("key", i)
		err = db.Update(ctx, func(tx engine.Tx) error {
			mine = false
			if _, err := tx.Idempotency("m", key); !errors.Is(err, fault.ErrNotFound) {
				return err
			}
			mine = true
			return tx.InsertIdempotency(&idempotency.Record{MerchantID: "m", Key: key, Owner: fmt.Sprint(node)})
		})
		if err != nil && !errors.Is(err, fault.ErrConflict) {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, o := range ops {
			owners[o.ID]++
		}
		if mine && err == nil {
			keys[key]++
		}
	})
	for id, n := range owners {
		require.Equal(t, 1, n, id)
	}
	require.Len(t, owners, operations)
	require.Len(t, keys, 10)
	for key, n := range keys {
		require.Equal(t, 1, n, key)
	}
}

// The sweeper must not delete a record that is answered, and so kept for longer, at the same moment.
func TestPostgresSweepSparesWhatIsKeptLonger(t *testing.T) {
	nodes := twoNodes(t)
	ctx := context.Background()
	r := &idempotency.Record{MerchantID: "m", Key: "k", Owner: "me", ExpiresAt: time.Now().Add(-time.Second)}
	require.NoError(t, nodes[0].Update(ctx, func(tx engine.Tx) error { return tx.InsertIdempotency(r) }))
	swept := make(chan error, 1)
	require.NoError(t, nodes[0].Update(ctx, func(tx engine.Tx) error {
		answered := *r
		answered.Status, answered.ExpiresAt = 200, time.Now().Add(time.Hour)
		if err := tx.FinishIdempotency(&answered); err != nil {
			return err
		}
		if _, err := tx.Idempotency("m", "k"); err != nil { // the answer of the database to what waits in the connection
			return err
		}
		go func() {
			swept <- nodes[1].Update(ctx, func(tx engine.Tx) error { _, err := tx.DeleteExpired(); return err })
		}()
		select {
		case err := <-swept:
			swept <- err
		case <-time.After(300 * time.Millisecond): // a sweep without skipped locks waits for this transaction
		}
		return nil
	}))
	require.NoError(t, <-swept)
	kept := view(t, nodes[1], func(r engine.Reader) (*idempotency.Record, error) { return r.Idempotency("m", "k") })
	require.Equal(t, 200, kept.Status)
}

// Transactions that lock rows in opposite orders: the database ends one of them, and the caller does not see it.
func TestPostgresDeadlockIsRetried(t *testing.T) {
	nodes := twoNodes(t)
	ctx := context.Background()
	for _, id := range []string{"a", "b"} {
		p, a, o := samplePayment(1)
		p.ID, a.ID, o.ID = id, id, id
		p.Amount = 0
		write(t, nodes[0], p, a, o)
	}
	const each = 6
	atOnce(nodes, each, func(db *storage.DB, node, i int) {
		order := []string{"a", "b"}
		if node == 1 {
			order = []string{"b", "a"}
		}
		err := db.Update(ctx, func(tx engine.Tx) error {
			for _, id := range order {
				p, err := tx.Payment("merchant_1", id)
				if err != nil {
					return err
				}
				p.Amount++
				if err := tx.UpdatePayment(p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	for _, id := range []string{"a", "b"} {
		require.EqualValues(t, 2*each, view(t, nodes[0], func(r engine.Reader) (*payment.Payment, error) { return r.Payment("merchant_1", id) }).Amount)
	}
}

// Callers of one batch: one meets a unique key late, one a missing parent, one fails after a write. The others' writes stay.
func TestPostgresBatchOfFailures(t *testing.T) {
	db := openPostgres(t, storage.Options{Postgres: storage.Postgres{Connections: 2}})
	ctx := context.Background()
	require.NoError(t, db.Update(ctx, func(tx engine.Tx) error {
		return errors.Join(tx.InsertMerchant(&account.Merchant{ID: "m"}), tx.InsertProfile(&account.Profile{MerchantID: "m", ID: "x", Name: "x"}))
	}))
	own := errors.New("own")
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			id := fmt.Sprint("p", i)
			var want error
			err := db.Update(ctx, func(tx engine.Tx) error {
				p := &account.Profile{MerchantID: "m", ID: id, Name: id}
				if err := tx.InsertProfile(p); err != nil {
					return err
				}
				switch i % 4 {
				case 1:
					want = fault.ErrConflict
					p.Name = "x"
					return tx.UpdateProfile(p) // a unique key of an UPDATE ends a transaction without a savepoint
				case 2:
					want = fault.ErrNotFound
					return tx.InsertProfile(&account.Profile{MerchantID: "none", ID: id, Name: id})
				case 3:
					want = own
					return own
				}
				return nil
			})
			if !errors.Is(err, want) {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	wg.Wait()
	require.Len(t, view(t, db, func(r engine.Reader) ([]*account.Profile, error) { return r.Profiles("m") }), 11)
}

// PostgreSQL keeps no NUL in a text: no row has such an id.
func TestPostgresNUL(t *testing.T) {
	db := openPostgres(t, storage.Options{})
	for _, id := range []string{"a\x00b", "\xff"} {
		err := db.View(context.Background(), func(r engine.Reader) error { _, err := r.Payment("m", id); return err })
		require.ErrorIs(t, err, fault.ErrNotFound)
		err = db.Update(context.Background(), func(tx engine.Tx) error { return tx.InsertMerchant(&account.Merchant{ID: id}) })
		require.ErrorContains(t, err, "NUL")
	}
}

// Three processes that start at once set one database up.
func TestPostgresOpenTogether(t *testing.T) {
	dsn := pgtest.Empty(t)
	pending, err := storage.Pending(context.Background(), dsn)
	require.NoError(t, err)
	require.NotEmpty(t, pending)
	require.Empty(t, pgtest.Rows(t, dsn, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), "Pending changes nothing")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			db, err := storage.Open(context.Background(), dsn, storage.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			db.Close()
		})
	}
	wg.Wait()
	pending, err = storage.Pending(context.Background(), dsn)
	require.NoError(t, err)
	require.Empty(t, pending)
}

// What an intruder plants in the schema, and what is gone from it, is refused.
func TestPostgresSchemaIsChecked(t *testing.T) {
	for name, tc := range map[string]struct{ sql, want string }{
		"trigger": {`CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
			CREATE TRIGGER planted BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION f()`, "trigger planted on api_keys"},
		"rule":         {`CREATE RULE planted AS ON UPDATE TO api_keys DO INSTEAD NOTHING`, "rule planted on api_keys"},
		"policy":       {`CREATE POLICY planted ON payments USING (false)`, "policy planted on payments"},
		"lost key":     {`ALTER TABLE idempotency DROP CONSTRAINT idempotency_merchant_id_key_key`, "table idempotency lacks its unique key (merchant_id, key)"},
		"lost index":   {`DROP INDEX operations_due`, "table operations lacks its index"},
		"lost column":  {`ALTER TABLE payments DROP COLUMN refunded`, "table payments lacks its column refunded bigint not null"},
		"nullable":     {`ALTER TABLE payments ALTER COLUMN refunded DROP NOT NULL`, "table payments lacks its column refunded"},
		"default":      {`ALTER TABLE payments ALTER COLUMN refunded SET DEFAULT 5`, "table payments lacks its column refunded"},
		"further key":  {`CREATE UNIQUE INDEX planted ON payments (merchant_id)`, "which payswitch did not make"},
		"foreign":      {`DROP TABLE schema_migrations`, "not a payswitch database"},
		"newer":        {`INSERT INTO schema_migrations VALUES ('9999_new', '', 0)`, "it is newer"},
		"further view": {`CREATE VIEW fine AS SELECT count(*) FROM payments; CREATE INDEX too ON payments (amount)`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := pgtest.Empty(t)
			_, err := storage.Migrate(context.Background(), dsn)
			require.NoError(t, err)
			require.NoError(t, pgtest.Run(dsn, tc.sql))
			db, err := storage.Open(context.Background(), dsn, storage.Options{})
			if tc.want == "" {
				require.NoError(t, err)
				require.NoError(t, db.Close())
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// The store turns synchronous_commit on where the address or the server has turned it off.
func TestPostgresCommitsAreDurable(t *testing.T) {
	dsn := postgresDSN(t) + "&synchronous_commit=off"
	db, err := storage.Open(context.Background(), dsn, storage.Options{})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Writable())
	require.Equal(t, "on", storage.Setting(t, db, "synchronous_commit"))
}

// cut is a connection to the server that a test can break.
type cut struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	broken   bool
	silent   bool // nothing passes any more, and no connection breaks
	atCommit bool // break the next connection that commits, once the commit has arrived if arrives is true
	arrives  bool
}

// through returns dsn with the cut in between.
func through(t *testing.T, dsn string) (*cut, string) {
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	c := new(cut)
	c.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { c.listener.Close(); c.set(true) })
	socket := u.Query().Get("host") + "/.s.PGSQL.5432"
	go func() {
		for {
			in, err := c.listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", socket)
			c.mu.Lock()
			if err != nil || c.broken {
				in.Close()
				c.mu.Unlock()
				continue
			}
			c.conns = append(c.conns, in, out)
			c.mu.Unlock()
			lost := make(chan struct{}) // closed: what the server says from now on is lost
			go c.toServer(in, out, lost)
			go toClient(out, in, lost)
		}
	}()
	u.Host, u.RawQuery = c.listener.Addr().String(), "sslmode=disable"
	return c, u.String()
}

func (c *cut) toServer(from, to net.Conn, lost chan struct{}) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		for c.hushed() {
			time.Sleep(10 * time.Millisecond)
		}
		if n > 0 {
			c.mu.Lock()
			now := c.atCommit && bytes.Contains(b[:n], []byte("COMMIT\x00"))
			c.atCommit = c.atCommit && !now
			arrives := c.arrives
			c.mu.Unlock()
			if now {
				close(lost)
			}
			if now && !arrives {
				to.Close()
				return
			}
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			to.Close()
			return
		}
	}
}

func toClient(from, to net.Conn, lost chan struct{}) {
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		select {
		case <-lost:
			return
		default:
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (c *cut) hushed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.silent && !c.broken
}

// hush stops what clients send, without breaking a connection, or lets everything pass again.
func (c *cut) hush(silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent = silent
}

// set breaks all connections, and refuses new ones while broken is true.
func (c *cut) set(broken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = broken
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// A connection that breaks while it is idle is replaced without an error. One that breaks within a transaction has the transaction run again.
// With the database away, calls fail with ErrAway; afterwards they succeed.
func TestPostgresConnectionsBreak(t *testing.T) {
	c, dsn := through(t, postgresDSN(t))
	db, err := storage.Open(context.Background(), dsn, storage.Options{Postgres: storage.Postgres{Connections: 4}})
	require.NoError(t, err)
	defer db.Close()
	ctx := context.Background()
	insert := func(name string) error {
		return db.Update(ctx, func(tx engine.Tx) error { return tx.InsertKeyset(name, []byte("v")) })
	}
	read := func(name string) error {
		return db.View(ctx, func(r engine.Reader) error { _, err := r.Keyset(name); return err })
	}
	require.NoError(t, insert("before"))
	require.NoError(t, read("before"))
	c.set(false) // the connections break, new ones are fine
	require.NoError(t, insert("idle"))
	require.NoError(t, read("idle"))

	runs := 0
	require.NoError(t, db.Update(ctx, func(tx engine.Tx) error {
		if runs++; runs == 1 {
			c.set(false)
		}
		_, err := tx.Keyset("before")
		if err != nil {
			return err
		}
		return tx.InsertKeyset("within", []byte("v"))
	}))
	require.Equal(t, 2, runs)
	require.NoError(t, read("within"))

	c.set(true)
	for range 5 {
		require.ErrorIs(t, insert("away"), fault.ErrAway)
		require.ErrorIs(t, read("before"), fault.ErrAway)
		require.ErrorIs(t, db.Writable(), fault.ErrAway)
	}
	c.set(false)
	require.Eventually(t, func() bool { return db.Writable() == nil }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, insert("after"))
	require.ErrorIs(t, read("away"), fault.ErrNotFound)
}

// A network that drops everything, or a server that stands still, breaks no connection. The first callers find out in a few seconds. From then on
// calls fail soon, although the other connections look open.
func TestPostgresFallsSilent(t *testing.T) {
	t.Parallel()
	c, dsn := through(t, postgresDSN(t))
	db, err := storage.Open(context.Background(), dsn, storage.Options{Postgres: storage.Postgres{Connections: 8}})
	require.NoError(t, err)
	defer db.Close()
	ctx := context.Background()
	insert := func(name string) error {
		return db.Update(ctx, func(tx engine.Tx) error { return tx.InsertKeyset(name, []byte("v")) })
	}
	read := func() error {
		return db.View(ctx, func(r engine.Reader) error { _, err := r.Keyset("before"); return err })
	}
	require.NoError(t, insert("before"))
	together := func(n int) (most time.Duration) {
		took := make(chan time.Duration, 2*n)
		for i := range 2 * n {
			go func() {
				began := time.Now()
				if i < n {
					assert.ErrorIs(t, insert("away"), fault.ErrAway)
				} else {
					assert.ErrorIs(t, read(), fault.ErrAway)
				}
				took <- time.Since(began)
			}()
		}
		for range 2 * n {
			most = max(most, <-took)
		}
		return most
	}
	for range 20 { // every connection is open
		require.NoError(t, read())
	}
	c.hush(true)
	require.Less(t, together(1), 11*time.Second, "a begin has five seconds, and an attempt to connect three")
	require.Less(t, together(10), 8*time.Second, "the other connections have a second each")
	for range 20 {
		began := time.Now()
		require.ErrorIs(t, read(), fault.ErrAway)
		require.Less(t, time.Since(began), 4*time.Second)
	}
	c.hush(false)
	require.Eventually(t, func() bool { return db.Writable() == nil }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, insert("after"))
	require.NoError(t, read())
}

// The connection breaks during the commit: on the way there, nothing was done; on the way back, everything was. The caller cannot tell, so in
// both cases the error says that the writes may have happened.
func TestPostgresOutcomeIsOpen(t *testing.T) {
	c, dsn := through(t, postgresDSN(t))
	db, err := storage.Open(context.Background(), dsn, storage.Options{Postgres: storage.Postgres{Connections: 2}})
	require.NoError(t, err)
	defer db.Close()
	ctx := context.Background()
	for _, arrives := range []bool{false, true} {
		name := fmt.Sprint("commit arrives: ", arrives)
		c.set(false) // a new connection, on which the proxy can recognize the commit
		c.mu.Lock()
		c.atCommit, c.arrives = true, arrives
		c.mu.Unlock()
		runs := 0
		err := db.Update(ctx, func(tx engine.Tx) error { runs++; return tx.InsertKeyset(name, []byte("v")) })
		require.ErrorIs(t, err, storage.ErrOutcome, name)
		require.NotErrorIs(t, err, fault.ErrAway, "the caller must not take it for nothing done")
		require.Equal(t, 1, runs, "the transaction must not run a second time")
		is := db.View(ctx, func(r engine.Reader) error { _, err := r.Keyset(name); return err })
		if arrives {
			require.NoError(t, is)
		} else {
			require.ErrorIs(t, is, fault.ErrNotFound)
		}
	}
}

// A vault opens on a new database from two nodes at once, and its rotation finds every row.
func TestPostgresVaultAtTwoNodes(t *testing.T) {
	nodes := twoNodes(t)
	errs := make([]error, 2)
	atOnce(nodes, 1, func(db *storage.DB, node, _ int) {
		_, errs[node] = engine.OpenVault(context.Background(), db, secret.New(base64.StdEncoding.EncodeToString(make([]byte, 32))))
	})
	require.NoError(t, errors.Join(errs...))
}
