package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

// driveRoom tests drive.Reader and drive.Tx: operations, their leases and exchanges, evidence about them, and the journal.
var driveRoom = room{
	name:  "drive",
	kinds: driveKinds,
	cases: []testCase{
		{"leases", testLeases},
		{"an operation is updated under its lease alone", testUpdateHeld},
		{"an operation whose request was sealed anew meanwhile", testUpdateResealed},
		{"exchanges", testExchanges},
		{"journal", testJournal},
		{"journal: pages", testJournalPages},
		{"journal: removal", testJournalExpiry},
		{"operations: due times from before a jump of the clock", testRecall},
		{"jumps of the clock", testJumps},
		{"empty lists, and a lease without an operation", testDriveMissing},
	},
}

// driveKinds are the rows that drives read and write.
var driveKinds = []kind{
	{
		name:   "operation",
		make:   func(f *filler) any { v := filled[payment.Operation](f); v.MerchantID = merchantA; return v },
		empty:  func() any { return &payment.Operation{MerchantID: merchantA, ID: "o"} },
		insert: func(tx engine.Tx, v any) error { return tx.InsertOperation(v.(*payment.Operation)) },
		read:   func(r engine.Reader, v any) (any, error) { return r.Operation(v.(*payment.Operation).ID) },
		update: func(tx engine.Tx, v any) error { return tx.UpdateOperation(v.(*payment.Operation)) },
		fixed:  []string{"MerchantID", "ID", "PaymentID", "Request"},
	},
}

func testDriveMissing(t *testing.T, s engine.Store) {
	requireNone(t, s, map[string]func(tx engine.Tx) (int, error){
		"exchanges": func(tx engine.Tx) (int, error) { l, err := tx.Exchanges("x"); return len(l), err },
		"evidence":  func(tx engine.Tx) (int, error) { l, err := tx.Evidence("x"); return len(l), err },
	})
	held := true
	update(t, s, func(tx engine.Tx) (err error) {
		held, err = tx.ExtendLease("x", "n", tx.Now().Add(time.Minute))
		return err
	})
	require.False(t, held)
}

func testUpdateHeld(t *testing.T, s engine.Store) {
	read := func() *payment.Operation {
		t.Helper()
		return get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation("op") })
	}
	settle := func(node string, until time.Time, to payment.OperationStatus) (held bool) {
		t.Helper()
		op := read()
		op.Status = to
		update(t, s, func(tx engine.Tx) (err error) {
			held, err = tx.UpdateHeldOperation(op, node, until)
			return err
		})
		return held
	}
	insertOperations(t, s, operation("op"))
	require.Len(t, claim(t, s, "me", time.Minute, 10), 1)
	lease, was := read().LeaseUntil, read().Status
	require.False(t, settle("you", lease, payment.OperationSucceeded), "another's")
	require.False(t, settle("me", lease.Add(time.Millisecond), payment.OperationSucceeded), "another lease of the same node")
	require.False(t, settle("me", time.Time{}, payment.OperationSucceeded), "no lease")
	require.Equal(t, was, read().Status)
	require.True(t, settle("me", lease, payment.OperationUnknown))
	require.Equal(t, payment.OperationUnknown, read().Status)
	require.True(t, settle("me", lease, payment.OperationPending), "an unknown one is open")
	require.False(t, settle("me", lease, payment.OperationFailed), "a pending one has a leaseholder that only asks")
	require.Equal(t, payment.OperationPending, read().Status)
}

// testUpdateResealed: the vault seals a request anew between the intent of an operation and its end. The row keeps the new request, and its signature covers it.
func testUpdateResealed(t *testing.T, s engine.Store) {
	op := operation("op")
	op.Request = ciphertext(0, "request")
	insertOperations(t, s, op)
	require.Len(t, claim(t, s, "me", time.Minute, 10), 1)
	read := func() *payment.Operation {
		t.Helper()
		return get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation("op") })
	}
	run, anew := read(), ciphertext(1, "anew")
	update(t, s, func(tx engine.Tx) error {
		rows, _, err := tx.SealedRows(vault.SealedOperations, 0, 10, "00000001")
		if err != nil {
			return err
		}
		_, err = tx.Reseal(vault.SealedOperations, rows[0], anew)
		return err
	})
	require.Equal(t, anew, read().Request)
	run.Status = payment.OperationSucceeded
	var held bool
	update(t, s, func(tx engine.Tx) (err error) {
		held, err = tx.UpdateHeldOperation(run, "me", run.LeaseUntil)
		return err
	})
	require.False(t, held, "the run does not know the row's request")
	update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(run) })
	require.Equal(t, []any{payment.OperationSucceeded, anew}, []any{read().Status, read().Request})
}

func testLeases(t *testing.T, s engine.Store) {
	extend := func(id, owner string, lease time.Duration) (held bool) {
		t.Helper()
		update(t, s, func(tx engine.Tx) (err error) {
			held, err = tx.ExtendLease(id, owner, tx.Now().Add(lease))
			return err
		})
		return held
	}
	lease := func(id string) time.Time {
		t.Helper()
		return get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation(id) }).LeaseUntil
	}
	insertOperations(t, s, operation("op"))
	require.False(t, extend("op", "me", time.Minute), "no node holds the lease yet")
	require.Len(t, claim(t, s, "me", time.Minute, 10), 1)
	before := lease("op")
	require.False(t, extend("op", "you", time.Hour), "another's")
	require.Equal(t, before, lease("op"))
	require.True(t, extend("op", "me", time.Hour))
	require.True(t, lease("op").After(before.Add(50*time.Minute)))
	require.Empty(t, claim(t, s, "you", time.Minute, 10))

	require.True(t, extend("op", "me", 20*time.Millisecond), "a lease may be shortened")
	require.Eventually(t, func() bool { return len(claim(t, s, "you", time.Hour, 10)) == 1 }, 5*time.Second, 5*time.Millisecond, "until it ends")
	require.False(t, extend("op", "me", time.Hour), "another node holds the lease now")
	require.True(t, extend("op", "you", time.Millisecond))
	time.Sleep(5 * time.Millisecond)
	require.False(t, extend("op", "you", time.Hour), "a lease that has ended cannot be extended, even if no other node took it")

	// An extension keeps a resolution from becoming due before its time, and does not make one due.
	o := operation("unknown")
	o.Status, o.Owner, o.LeaseUntil, o.ResolveAt = payment.OperationUnknown, "me", time.Now().Add(time.Hour), base
	later := operation("later")
	later.Status, later.Owner, later.LeaseUntil, later.ResolveAt = payment.OperationPending, "me", time.Now().Add(time.Hour), time.Now().Add(time.Hour)
	never := operation("never")
	never.Status, never.Owner, never.LeaseUntil = payment.OperationUnknown, "me", time.Now().Add(time.Hour)
	closed := operation("closed")
	closed.Status, closed.Owner, closed.LeaseUntil = payment.OperationSucceeded, "me", time.Now().Add(time.Hour)
	insertOperations(t, s, o, later, never, closed)
	require.True(t, extend("unknown", "me", 2*time.Hour))
	require.Equal(t, []string{"op"}, ids(claim(t, s, "you", time.Millisecond, 10), operationID), "the others are leased or not due")
	time.Sleep(5 * time.Millisecond)
	for _, id := range []string{"unknown", "later", "never"} {
		require.True(t, extend(id, "me", 2*time.Millisecond), id)
	}
	require.False(t, extend("closed", "me", time.Minute), "a closed operation has no lease")
	time.Sleep(10 * time.Millisecond)
	require.ElementsMatch(t, []string{"op", "unknown"}, ids(claim(t, s, "you", time.Minute, 10), operationID))
}

// testRecall makes operations due by when their due times were written.
func testRecall(t *testing.T, s engine.Store) {
	require.Zero(t, get(t, s, engine.Reader.LastDueSet))
	far := time.Now().Add(time.Hour)
	for id, status := range map[string]payment.OperationStatus{"unknown": payment.OperationUnknown, "pending": payment.OperationPending,
		"never": payment.OperationUnknown, "ended": payment.OperationSucceeded} {
		o := operation(id)
		if o.Status = status; id != "never" {
			o.ResolveAt = far
		}
		insertOperations(t, s, o)
	}
	started := operation("started")
	started.Owner, started.LeaseUntil = "me", far
	var written time.Time
	update(t, s, func(tx engine.Tx) error { written = tx.Now(); return tx.InsertOperation(started) })
	require.Equal(t, written, get(t, s, engine.Reader.LastDueSet))
	recall := func(since time.Time, statuses ...payment.OperationStatus) []string {
		update(t, s, func(tx engine.Tx) error {
			return tx.RecallOperations(drive.Recall{DueBy: tx.Now(), SetSince: since}, statuses...)
		})
		return ids(claim(t, s, "you", time.Hour, 10), operationID)
	}
	all := []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending}
	require.Empty(t, recall(time.Now().Add(time.Minute), all...), "their due times were written earlier")
	require.Equal(t, []string{"pending"}, recall(time.Time{}, payment.OperationPending))
	require.ElementsMatch(t, []string{"started", "unknown"}, recall(base, payment.OperationStarted, payment.OperationUnknown))
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.ReleaseLeases("you")
		require.Equal(t, 3, n)
		return err
	})
	require.ElementsMatch(t, []string{"pending", "started", "unknown"}, ids(claim(t, s, "you", time.Hour, 10), operationID), "an ended lease leaves no wait")
}

// testJumps notes jumps of the clock. The time of the latest note counts, and the sum of the jumps back.
func testJumps(t *testing.T, s engine.Store) {
	require.Zero(t, get(t, s, engine.Reader.LastJump))
	for _, jump := range []struct{ by, back time.Duration }{{-time.Hour, time.Hour}, {3 * time.Hour, time.Hour}, {-1500 * time.Millisecond, time.Hour + 1500*time.Millisecond}} {
		var at time.Time
		update(t, s, func(tx engine.Tx) error { at = tx.Now(); return tx.NoteJump(jump.by) })
		require.Equal(t, drive.NotedJump{At: at, Back: jump.back}, get(t, s, engine.Reader.LastJump))
		time.Sleep(2 * time.Millisecond)
	}
}

func testExchanges(t *testing.T, s engine.Store) {
	intent := drive.ExchangeRecord{OperationID: "op", Index: 1, At: base, RequestHash: "hash", Sealed: []byte("intent")}
	first := drive.ExchangeRecord{OperationID: "op", Index: 0, At: base, Sealed: []byte("first"), Answered: true, Sent: true, Status: 200, Duration: 1500 * time.Microsecond}
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.PutExchange(intent), tx.PutExchange(first), tx.PutExchange(drive.ExchangeRecord{OperationID: "other"}))
	})
	all := func(id string) []drive.ExchangeRecord {
		return get(t, s, func(r engine.Reader) ([]drive.ExchangeRecord, error) { return r.Exchanges(id) })
	}
	require.Equal(t, []drive.ExchangeRecord{first, intent}, all("op"))
	require.Equal(t, []drive.ExchangeRecord{{OperationID: "other"}}, all("other"))
	full := filled[drive.ExchangeRecord](new(filler))
	full.OperationID, full.Index = "op", 1
	update(t, s, func(tx engine.Tx) error { return tx.PutExchange(*full) })
	require.Equal(t, []drive.ExchangeRecord{first, *full}, all("op"))
}

func testJournal(t *testing.T, s engine.Store) {
	of := func(id string) []*drive.JournalRecord {
		return get(t, s, func(r engine.Reader) ([]*drive.JournalRecord, error) { return r.Journal(id) })
	}
	require.Empty(t, of("op"))
	f := new(filler)
	first, second, other := filled[drive.JournalRecord](f), filled[drive.JournalRecord](f), &drive.JournalRecord{OperationID: "other"}
	first.OperationID, second.OperationID = "op", "op"
	second.At = first.At.Add(-time.Hour) // the clocks of two nodes differ
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertJournal(first), tx.InsertJournal(other), tx.InsertJournal(second))
	})
	stored := of("op")
	require.Len(t, stored, 2)
	require.Less(t, stored[0].Seq, stored[1].Seq)
	first.Seq, second.Seq = stored[0].Seq, stored[1].Seq
	require.Equal(t, []*drive.JournalRecord{first, second}, stored, "in the order of insertion")
	other.Seq = of("other")[0].Seq
	require.Equal(t, []*drive.JournalRecord{other}, of("other"))
}

func testJournalPages(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		for i := range 7 { // 0 1 2 at one time, 3 4 5 at the next, 6 later
			err := tx.InsertJournal(&drive.JournalRecord{OperationID: fmt.Sprint(i), Connector: []string{"a", "b"}[i%2], Adapter: "simulator", PaymentID: fmt.Sprint("pay_", i%3),
				At: base.Add(time.Duration(i/3) * time.Second)})
			if err != nil {
				return err
			}
		}
		return nil
	})
	list := func(f drive.JournalFilter) (found []string) {
		for {
			page := get(t, s, func(r engine.Reader) ([]*drive.JournalRecord, error) { return r.JournalPage(f) })
			for _, r := range page {
				found = append(found, r.OperationID)
			}
			if len(page) < f.Limit {
				return found
			}
			f.AfterAt, f.AfterSeq = page[len(page)-1].At, page[len(page)-1].Seq
		}
	}
	for _, limit := range []int{1, 2, 3, 100} {
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6"}, list(drive.JournalFilter{Limit: limit}))
		require.Equal(t, []string{"3", "4", "5", "6"}, list(drive.JournalFilter{Since: base.Add(time.Second), Limit: limit}))
		require.Equal(t, []string{"0", "2", "4", "6"}, list(drive.JournalFilter{Connector: "a", Limit: limit}))
		require.Equal(t, []string{"3", "5"}, list(drive.JournalFilter{Connector: "b", Adapter: "simulator", Since: base.Add(time.Millisecond), Limit: limit}))
		require.Equal(t, []string{"1", "4"}, list(drive.JournalFilter{PaymentID: "pay_1", Limit: limit}))
		require.Empty(t, list(drive.JournalFilter{Adapter: "stripe", Limit: limit}))
	}
}

func testJournalExpiry(t *testing.T, s engine.Store) {
	end := base.Add(time.Minute)
	update(t, s, func(tx engine.Tx) error {
		for i := range 1200 {
			if err := tx.InsertJournal(&drive.JournalRecord{OperationID: fmt.Sprint("old_", i), At: base}); err != nil {
				return err
			}
		}
		return errors.Join(
			tx.InsertJournal(&drive.JournalRecord{OperationID: "at_the_end", At: end}),
			tx.InsertJournal(&drive.JournalRecord{OperationID: "kept", At: end.Add(time.Millisecond)}),
			tx.InsertOperation(&payment.Operation{ID: "open", Status: payment.OperationUnknown}),
			tx.InsertOperation(&payment.Operation{ID: "closed", Status: payment.OperationSucceeded, ClosedAt: base}),
			tx.PutExchange(drive.ExchangeRecord{OperationID: "open", At: base}),
			tx.PutExchange(drive.ExchangeRecord{OperationID: "closed", At: base}),
			tx.PutExchange(drive.ExchangeRecord{OperationID: "closed", Index: 1, At: end.Add(time.Second)}))
	})
	total, most := 0, 0
	for gone := 1; gone > 0; {
		update(t, s, func(tx engine.Tx) (err error) { gone, err = tx.DeleteJournal(end); return err })
		total, most = total+gone, max(most, gone)
	}
	require.Equal(t, 1202, total)
	require.LessOrEqual(t, most, 1000, "other writers wait only briefly")
	left := get(t, s, func(r engine.Reader) ([]*drive.JournalRecord, error) {
		return r.JournalPage(drive.JournalFilter{Limit: 10})
	})
	require.Len(t, left, 1)
	require.Equal(t, "kept", left[0].OperationID)
	count := func(id string) int {
		return len(get(t, s, func(r engine.Reader) ([]drive.ExchangeRecord, error) { return r.Exchanges(id) }))
	}
	require.Equal(t, 1, count("open"), "the resolution of an open operation needs its records")
	require.Equal(t, 1, count("closed"))
	update(t, s, func(tx engine.Tx) error { return errors.Join(tx.DeleteExchanges("open"), tx.DeleteExchanges("none")) })
	require.Zero(t, count("open"))
	require.Equal(t, 1, count("closed"))
}
