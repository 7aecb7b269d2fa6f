package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
)

func claim(t testing.TB, s engine.Store, owner string, lease time.Duration, limit int) (out []*payment.Operation) {
	t.Helper()
	update(t, s, func(tx engine.Tx) (err error) {
		out, err = tx.ClaimOperations(owner, tx.Now().Add(lease), limit)
		return err
	})
	return out
}

func testDue(t *testing.T, s engine.Store) {
	past, future := base, time.Now().Add(time.Hour)
	for id, o := range map[string]payment.Operation{
		"due: started, lease over":             {Status: payment.OperationStarted, LeaseUntil: past},
		"due: started, never leased":           {Status: payment.OperationStarted},
		"due: unknown":                         {Status: payment.OperationUnknown, LeaseUntil: past, ResolveAt: past},
		"due: unknown, never leased":           {Status: payment.OperationUnknown, ResolveAt: past},
		"due: pending":                         {Status: payment.OperationPending, LeaseUntil: past, ResolveAt: past},
		"not: started, leased":                 {Status: payment.OperationStarted, LeaseUntil: future},
		"not: started, leased, ResolveAt over": {Status: payment.OperationStarted, LeaseUntil: future, ResolveAt: past},
		"not: unknown, leased":                 {Status: payment.OperationUnknown, LeaseUntil: future, ResolveAt: past},
		"not: unknown, later":                  {Status: payment.OperationUnknown, LeaseUntil: past, ResolveAt: future},
		"not: unknown, never":                  {Status: payment.OperationUnknown, LeaseUntil: past},
		"not: pending, later":                  {Status: payment.OperationPending, ResolveAt: future},
		"not: pending, never":                  {Status: payment.OperationPending},
		"not: succeeded":                       {Status: payment.OperationSucceeded, LeaseUntil: past, ResolveAt: past},
		"not: declined":                        {Status: payment.OperationDeclined, LeaseUntil: past, ResolveAt: past},
		"not: rejected":                        {Status: payment.OperationRejected, LeaseUntil: past, ResolveAt: past},
		"not: failed":                          {Status: payment.OperationFailed, LeaseUntil: past, ResolveAt: past},
		"not: not acted":                       {Status: payment.OperationNotActed, LeaseUntil: past, ResolveAt: past},
	} {
		o.ID, o.MerchantID, o.Owner = id, merchantA, "old"
		insertOperations(t, s, &o)
		// The same must hold for a row that reached this state by an update.
		id = "updated " + id
		first := o
		first.ID, first.Status, first.LeaseUntil, first.ResolveAt = id, payment.OperationSucceeded, time.Time{}, time.Time{}
		insertOperations(t, s, &first)
		o.ID = id
		update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(&o) })
	}
	got := claim(t, s, "new", time.Minute, 100)
	want := []string{}
	for _, prefix := range []string{"", "updated "} {
		for _, due := range []string{"started, lease over", "started, never leased", "unknown", "unknown, never leased", "pending"} {
			want = append(want, prefix+"due: "+due)
		}
	}
	require.ElementsMatch(t, want, ids(got, operationID))
	for _, o := range got {
		require.Equal(t, "new", o.Owner)
		require.WithinRange(t, o.LeaseUntil, time.Now(), time.Now().Add(2*time.Minute))
		require.Equal(t, o, get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation(o.ID) }))
	}
	require.Empty(t, claim(t, s, "other", time.Minute, 100), "a leased operation cannot be claimed")
	for _, o := range got { // the lease has ended
		o.LeaseUntil = past
		update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
	}
	require.Len(t, claim(t, s, "other", time.Minute, 3), 3, "limit")
	require.Len(t, claim(t, s, "other", time.Minute, 100), len(want)-3)
}

func testClaimRace(t *testing.T, s engine.Store) {
	const operations, claimers = 60, 4
	for i := range operations {
		insertOperations(t, s, operation(fmt.Sprintf("op_%02d", i)))
	}
	var mu sync.Mutex
	owners := map[string]string{}
	var wg sync.WaitGroup
	for c := range claimers {
		wg.Go(func() {
			me := fmt.Sprintf("node_%d", c)
			for {
				var got []*payment.Operation
				if err := updateErr(s, func(tx engine.Tx) (err error) {
					got, err = tx.ClaimOperations(me, tx.Now().Add(time.Minute), 7)
					return err
				}); err != nil {
					t.Error(err)
					return
				}
				if len(got) == 0 {
					return
				}
				mu.Lock()
				for _, o := range got {
					if owners[o.ID] != "" {
						t.Errorf("%s was claimed by %s and by %s", o.ID, owners[o.ID], me)
					}
					owners[o.ID] = me
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.Len(t, owners, operations)
	for id, owner := range owners {
		require.Equal(t, owner, get(t, s, func(r engine.Reader) (*payment.Operation, error) { return r.Operation(id) }).Owner)
	}
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

// testOpenOperations counts started, unknown and pending operations, including those that never become due.
func testOpenOperations(t *testing.T, s engine.Store) {
	count := func(merchantID, accountID string) int {
		t.Helper()
		return get(t, s, func(r engine.Reader) (int, error) { return r.OpenOperations(merchantID, accountID) })
	}
	n := 0
	for _, status := range []payment.OperationStatus{payment.OperationStarted, payment.OperationUnknown, payment.OperationPending,
		payment.OperationSucceeded, payment.OperationDeclined, payment.OperationRejected, payment.OperationFailed, payment.OperationNotActed} {
		open := status == payment.OperationStarted || status == payment.OperationUnknown || status == payment.OperationPending
		for _, at := range []time.Time{{}, base, time.Now().Add(time.Hour)} {
			n++
			o := operation(fmt.Sprint("op_", n))
			o.AccountID, o.Status, o.ResolveAt = "acc", status, at
			insertOperations(t, s, o)
			require.Equal(t, map[bool]int{true: 1}[open], count(merchantA, "acc"), "%s inserted, due %s", status, at)
			if open { // a lease, taken and extended, does not close it
				claim(t, s, "me", time.Hour, 10)
				update(t, s, func(tx engine.Tx) error { _, err := tx.ExtendLease(o.ID, "me", tx.Now().Add(time.Minute)); return err })
				require.Equal(t, 1, count(merchantA, "acc"), "%s leased, due %s", status, at)
			}
			o.Status = payment.OperationSucceeded
			update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
			require.Zero(t, count(merchantA, "acc"), "%s closed", status)
			o.Status = status
			update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
			require.Equal(t, map[bool]int{true: 1}[open], count(merchantA, "acc"), "%s by an update, due %s", status, at)
			o.Status = payment.OperationFailed
			update(t, s, func(tx engine.Tx) error { return tx.UpdateOperation(o) })
		}
	}
	for i, account := range []string{"one", "two", "two", ""} {
		o := operation(fmt.Sprint("open_", i))
		o.AccountID = account
		insertOperations(t, s, o)
	}
	other := operation("other")
	other.MerchantID, other.AccountID = merchantB, "two"
	update(t, s, func(tx engine.Tx) error {
		require.NoError(t, tx.InsertOperation(other))
		n, err := tx.OpenOperations(merchantB, "two")
		require.Equal(t, 1, n, "the transaction counts its own writes")
		return err
	})
	require.Equal(t, []int{1, 2, 4, 1, 0, 0}, []int{count(merchantA, "one"), count(merchantA, "two"), count(merchantA, ""), count(merchantB, ""),
		count(merchantB, "one"), count("nobody", "")})
}
