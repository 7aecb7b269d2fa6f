package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/relay"
	"payswitch/engine/risk"
	"payswitch/engine/routing"
	"payswitch/engine/scheme"
)

// riskRoom tests risk.ListReader and risk.ListTx, and change.GuardTx: block lists, their jobs, and counts of failures.
var riskRoom = room{
	name:  "risk",
	kinds: riskKinds,
	cases: []testCase{
		{"block lists", testBlockLists},
		{"jobs of block lists", testBlockJobs},
		{"card issuers", testIssuers},
		{"relays", testRelays},
		{"counts of failures", testGuardCounts},
		{"concurrent holds", testGuardHolds},
		{"places at several counters", testGuardHoldsTogether},
		{"declines of cards", testDeclines},
		{"values of config keys", testConfigValues},
	},
}

var riskKinds = []kind{{
	name:   "relay",
	make:   func(f *filler) any { v := filled[relay.Relay](f); v.MerchantID = merchantA; return v },
	empty:  func() any { return &relay.Relay{MerchantID: merchantA, ID: "r"} },
	insert: func(tx engine.Tx, v any) error { return tx.InsertRelay(v.(*relay.Relay)) },
	read: func(r engine.Reader, v any) (any, error) {
		return r.Relay(v.(*relay.Relay).MerchantID, v.(*relay.Relay).ID)
	},
	update: func(tx engine.Tx, v any) error { return tx.UpdateRelay(v.(*relay.Relay)) },
	fixed:  []string{"ID", "ProfileID", "AccountID", "Connector", "Type", "ResourceID", "CreatedAt"}, versioned: true,
}, {
	name:   "block list entry",
	make:   func(f *filler) any { v := filled[risk.Entry](f); v.MerchantID, v.Data = merchantA, "data"; return v },
	empty:  func() any { return &risk.Entry{MerchantID: merchantA, Data: "d"} },
	insert: func(tx engine.Tx, v any) error { return tx.InsertBlocked(v.(*risk.Entry)) },
	read: func(r engine.Reader, v any) (any, error) {
		return r.Blocked(v.(*risk.Entry).MerchantID, v.(*risk.Entry).Data)
	},
}, {
	name:   "block list job",
	make:   func(f *filler) any { v := filled[risk.Job](f); v.MerchantID = merchantA; return v },
	empty:  func() any { return &risk.Job{MerchantID: merchantA, ID: "j"} },
	insert: func(tx engine.Tx, v any) error { return tx.InsertBlockJob(v.(*risk.Job)) },
	read: func(r engine.Reader, v any) (any, error) {
		return r.BlockJob(v.(*risk.Job).MerchantID, v.(*risk.Job).ID)
	},
	update: func(tx engine.Tx, v any) error { return tx.UpdateBlockJob(v.(*risk.Job)) },
	fixed:  []string{"ID"},
}}

func testIssuers(t *testing.T, s engine.Store) {
	insert := func(id, name, folded string) error {
		return updateErr(s, func(tx engine.Tx) error { return tx.InsertIssuer(&risk.Issuer{ID: id, Name: name, Folded: folded}) })
	}
	require.NoError(t, errors.Join(insert("b", "Bank B", "bank b"), insert("a", "BANK A", "bank a"), insert("c", "Bank a", "bank a"), insert("u", "Übank_1%", "übank_1%")))
	require.ErrorIs(t, insert("a", "other", "other"), fault.ErrConflict)
	require.ErrorIs(t, insert("d", "Bank B", "bank b"), fault.ErrConflict)
	list := func(prefix string, limit int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*risk.Issuer, error) { return r.Issuers(prefix, limit) }), func(i *risk.Issuer) string { return i.ID })
	}
	require.ElementsMatch(t, []string{"a", "c", "b"}, list("bank", 10))
	require.Equal(t, "b", list("bank", 10)[2])
	require.Len(t, list("", 10), 4)
	require.Len(t, list("", 2), 2)
	require.Empty(t, list("", 0))
	require.Equal(t, []string{"u"}, list("übank_1%", 10))
	require.Empty(t, list("_ank", 10), "no wildcard")
	require.Empty(t, list("%", 10), "no wildcard")
	named := get(t, s, func(r engine.Reader) ([]*risk.Issuer, error) { return r.IssuersNamed("bank a") })
	require.ElementsMatch(t, []string{"a", "c"}, ids(named, func(i *risk.Issuer) string { return i.ID }))
	renamed := &risk.Issuer{ID: "b", Name: "Bank Z", Folded: "bank z", CreatedAt: base, ModifiedAt: base.Add(time.Second)}
	update(t, s, func(tx engine.Tx) error { return tx.UpdateIssuer(renamed) })
	require.Equal(t, renamed, get(t, s, func(r engine.Reader) (*risk.Issuer, error) { return r.Issuer("b") }))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdateIssuer(&risk.Issuer{ID: "none"}) }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteIssuer("a") })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteIssuer("a") }), fault.ErrNotFound)
}

// testRelays writes a result by compare-and-set. The second of two writers gets ErrConflict.
func testRelays(t *testing.T, s engine.Store) {
	r := &relay.Relay{MerchantID: merchantA, ID: "relay_a", Status: relay.Pending, CreatedAt: base, ModifiedAt: base}
	update(t, s, func(tx engine.Tx) error { return tx.InsertRelay(r) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertRelay(&relay.Relay{MerchantID: merchantA, ID: "relay_a"}) }), fault.ErrConflict)
	other := *r
	r.Status = relay.Success
	update(t, s, func(tx engine.Tx) error { return tx.UpdateRelay(r) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdateRelay(&other) }), fault.ErrConflict)
	require.ErrorIs(t, s.View(t.Context(), func(r engine.Reader) error { _, err := r.Relay(merchantB, "relay_a"); return err }), fault.ErrNotFound)

	for i, n := range []*relay.Relay{{MerchantID: merchantA, AccountID: "mca", ReferenceID: "x"}, {MerchantID: merchantA, AccountID: "mca", ReferenceID: "x"},
		{MerchantID: merchantA, AccountID: "mca"}, {MerchantID: merchantA, AccountID: "other", ReferenceID: "x"}, {MerchantID: merchantB, AccountID: "mca", ReferenceID: "x"}} {
		n.ID = "relay_" + strconv.Itoa(i)
		update(t, s, func(tx engine.Tx) error { return tx.InsertRelay(n) })
	}
	at := func(reference string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*relay.Relay, error) { return r.RelaysAt(merchantA, "mca", reference) }), func(r *relay.Relay) string { return r.ID })
	}
	for _, n := range []*relay.Relay{{MerchantID: merchantA, ID: "open_a", Status: relay.Pending, CreatedAt: base}, {MerchantID: merchantB, ID: "open_b", Status: relay.Pending, CreatedAt: base.Add(time.Second)},
		{MerchantID: merchantA, ID: "old", Status: relay.Pending, CreatedAt: base.Add(-time.Second)}, {MerchantID: merchantA, ID: "done", Status: relay.Failure, CreatedAt: base}} {
		update(t, s, func(tx engine.Tx) error { return tx.InsertRelay(n) })
	}
	require.Equal(t, []string{"open_a", "open_b"}, ids(get(t, s, func(r engine.Reader) ([]*relay.Relay, error) { return r.RelaysPending(base) }),
		func(r *relay.Relay) string { return r.ID }))
	require.Equal(t, []string{"relay_1", "relay_0"}, at("x"), "newest first, of this account alone")
	require.Equal(t, []string{"relay_2"}, at(""), "what the processor has not named")
	for i, n := range []*relay.Relay{{AccountID: "mca", ResourceID: "tx"}, {AccountID: "mca", ResourceID: "tx"}, {AccountID: "other", ResourceID: "tx"}, {AccountID: "mca", ResourceID: "tx_2"},
		{AccountID: "mca", ResourceID: "tx", Type: relay.UnreferencedRefund}} {
		n.MerchantID, n.ID = merchantA, "of_"+strconv.Itoa(i)
		update(t, s, func(tx engine.Tx) error { return tx.InsertRelay(n) })
	}
	require.Equal(t, []string{"of_1", "of_0"}, ids(get(t, s, func(r engine.Reader) ([]*relay.Relay, error) { return r.RelaysOf(merchantA, "mca", "tx") }),
		func(r *relay.Relay) string { return r.ID }))
	writes := func() int64 {
		return get(t, s, func(r engine.Reader) (int64, error) { return r.RelayWrites(merchantA, "mca", "tx") })
	}
	require.EqualValues(t, 3, writes())
	of := get(t, s, func(r engine.Reader) (*relay.Relay, error) { return r.Relay(merchantA, "of_1") })
	update(t, s, func(tx engine.Tx) error { return tx.UpdateRelay(of) })
	require.EqualValues(t, 4, writes(), "a relay has changed")
	require.Zero(t, get(t, s, func(r engine.Reader) (int64, error) { return r.RelayWrites(merchantB, "mca", "tx") }))
}

func testBlockLists(t *testing.T, s engine.Store) {
	insert := func(merchant, data string, kind risk.Kind, at time.Duration) {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertBlocked(&risk.Entry{MerchantID: merchant, Data: data, Kind: kind, CreatedAt: base.Add(at)})
		})
	}
	insert(merchantA, "400000", risk.KindBIN, time.Second)
	insert(merchantA, "500000", risk.KindBIN, 3*time.Second)
	insert(merchantA, "450000", risk.KindBIN, 3*time.Second)
	insert(merchantA, "40000000", risk.KindExtendedBIN, 0)
	insert(merchantB, "400000", risk.KindBIN, 0)
	list := func(merchant string, kind risk.Kind, limit, offset int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*risk.Entry, error) { return r.BlockList(merchant, kind, limit, offset) }), func(e *risk.Entry) string { return e.Data })
	}
	require.Equal(t, []string{"450000", "500000", "400000"}, list(merchantA, risk.KindBIN, 10, 0), "newest first; of one time, the row that came last")
	require.Equal(t, []string{"500000"}, list(merchantA, risk.KindBIN, 1, 1))
	require.Empty(t, list(merchantA, risk.KindBIN, 0, 0))
	require.Empty(t, list(merchantB, risk.KindExtendedBIN, 10, 0))
	require.Equal(t, 3, get(t, s, func(r engine.Reader) (int, error) { return r.CountBlocked(merchantA, risk.KindBIN) }))
	among := func(merchant string, data ...string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*risk.Entry, error) { return r.BlockedAny(merchant, [3]string(data)) }), func(e *risk.Entry) string { return e.Data })
	}
	require.Equal(t, []string{"400000", "40000000"}, among(merchantA, "f", "400000", "40000000"))
	require.Equal(t, []string{"400000"}, among(merchantB, "f", "400000", "40000000"))
	require.Empty(t, among(merchantA, "", "40000", "4000000"), "the whole value counts")
	since := func(merchant string, at time.Time, limit int) []string {
		return slices.Sorted(slices.Values(get(t, s, func(r engine.Reader) ([]string, error) { return r.BlockedSince(merchant, at, limit) })))
	}
	version := func(merchant string) int64 {
		return get(t, s, func(r engine.Reader) (int64, error) { return r.BlockVersion(merchant) })
	}
	whole := since(merchantA, time.Time{}, 100)
	require.Contains(t, whole, "400000")
	require.Len(t, whole, 4)
	require.Len(t, since(merchantA, time.Time{}, 2), 2)
	require.Equal(t, []string{"400000"}, since(merchantB, time.Time{}, 100))
	latest := base.Add(24 * time.Hour)
	before, other := version(merchantA), version(merchantB)
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertBlocked(&risk.Entry{MerchantID: merchantA, Data: "latest", Kind: risk.KindMethod, CreatedAt: latest}),
			tx.AddBlocked(&risk.Entry{MerchantID: merchantA, Data: "later", Kind: risk.KindBIN, CreatedAt: latest.Add(time.Second)}))
	})
	require.Equal(t, []int64{before + 1, other}, []int64{version(merchantA), version(merchantB)}, "once in a transaction, and of one list")
	require.Equal(t, []string{"later", "latest"}, since(merchantA, latest, 100))
	require.Equal(t, []string{"later"}, since(merchantA, latest.Add(time.Millisecond), 100))
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.DeleteBlocked(merchantA, "latest"), tx.DeleteBlocked(merchantA, "later"))
	})
	require.Equal(t, before+2, version(merchantA))
	require.Zero(t, version("nobody"))
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.DeleteBlocked(merchantA, "400000"), tx.AddBlocked(&risk.Entry{MerchantID: merchantA, Data: "500000", Kind: risk.KindMethod, CreatedAt: base}),
			tx.AddBlocked(&risk.Entry{MerchantID: merchantA, Data: "600000", Kind: risk.KindBIN, CreatedAt: base}))
	})
	require.Equal(t, []string{"450000", "500000", "600000"}, list(merchantA, risk.KindBIN, 10, 0), "an entry that exists stays as it is")
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteBlocked(merchantA, "400000") }), fault.ErrNotFound)
	require.Equal(t, []string{"400000"}, list(merchantB, risk.KindBIN, 10, 0))
}

func testBlockJobs(t *testing.T, s engine.Store) {
	for i, m := range []string{merchantA, merchantA, merchantB} {
		update(t, s, func(tx engine.Tx) error {
			id := fmt.Sprint("j", i)
			return errors.Join(tx.InsertBlockJob(&risk.Job{MerchantID: m, ID: id, CreatedAt: base.Add(time.Duration(i) * time.Second)}),
				tx.InsertBlockPart(&risk.Part{MerchantID: m, JobID: id, Number: 0, Entries: "[1]", CreatedAt: base}),
				tx.InsertBlockPart(&risk.Part{MerchantID: m, JobID: id, Number: 1, Entries: "[2]", CreatedAt: base}))
		})
	}
	list := func(m string, limit, offset int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*risk.Job, error) { return r.BlockJobs(m, limit, offset) }), func(j *risk.Job) string { return j.ID })
	}
	require.Equal(t, []string{"j1", "j0"}, list(merchantA, 10, 0))
	require.Equal(t, []string{"j0"}, list(merchantA, 1, 1))
	require.Equal(t, 2, get(t, s, func(r engine.Reader) (int, error) { return r.CountBlockJobs(merchantA) }))
	parts := func(limit int) []*risk.Part {
		return get(t, s, func(r engine.Reader) ([]*risk.Part, error) { return r.BlockParts(limit) })
	}
	require.Len(t, parts(10), 6)
	require.Equal(t, &risk.Part{MerchantID: merchantA, JobID: "j0", Number: 0, Entries: "[1]", CreatedAt: base}, parts(1)[0], "the oldest first")
	update(t, s, func(tx engine.Tx) error { return tx.DeleteBlockPart(merchantA, "j0", 0) })
	require.Equal(t, 1, parts(1)[0].Number)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteBlockPart(merchantA, "j0", 0) }), fault.ErrNotFound)
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
		return tx.InsertBlockPart(&risk.Part{MerchantID: merchantA, JobID: "j0", Number: 1})
	}), fault.ErrConflict)
}

func failures(t testing.TB, s engine.Store, merchant string, counters ...string) map[string]int {
	return get(t, s, func(r engine.Reader) (map[string]int, error) {
		var names [4]string
		copy(names[:], counters)
		return r.GuardFailures(merchant, names)
	})
}

func testGuardCounts(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			require.NoError(t, updateErr(s, func(tx engine.Tx) error {
				return tx.CountGuardFailures(merchantA, []string{"a", "b"}, 0, future)
			}))
		})
	}
	wg.Wait()
	require.Equal(t, map[string]int{"a": 40, "b": 40}, failures(t, s, merchantA, "a", "b", "c"), "no count is lost")
	require.Empty(t, failures(t, s, merchantB, "a"), "another merchant's")
	update(t, s, func(tx engine.Tx) error { return tx.CountGuardFailures(merchantA, []string{"a"}, 0, base) })
	require.Equal(t, map[string]int{"b": 40}, failures(t, s, merchantA, "a", "b"), "the count has expired")
	update(t, s, func(tx engine.Tx) error { return tx.CountGuardFailures(merchantA, []string{"a"}, 0, future) })
	require.Equal(t, 1, failures(t, s, merchantA, "a")["a"], "the count starts again")
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.CountGuardFailures(merchantA, []string{"old"}, 0, base), tx.ReleaseGuards(merchantA, []string{"b", "never"}))
	})
	require.Equal(t, 40, failures(t, s, merchantA, "b")["b"], "a place given back is no failure")
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 1, n)
}

func testGuardHolds(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	hold := func(counter string, threshold int, until time.Time) (held bool) {
		require.NoError(t, updateErr(s, func(tx engine.Tx) (err error) {
			held, err = tx.HoldGuards(merchantA, []change.Hold{{Counter: counter, Threshold: threshold}}, until)
			return err
		}))
		return held
	}
	for range 2 {
		var got atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if hold("a", 3, future) {
					got.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 3, got.Load(), "of 50 at a time, as many pass as the threshold has room for")
		update(t, s, func(tx engine.Tx) error {
			return errors.Join(tx.ReleaseGuards(merchantA, []string{"a"}), tx.ReleaseGuards(merchantA, []string{"a"}), tx.ReleaseGuards(merchantA, []string{"a"}))
		})
	}
	require.Empty(t, failures(t, s, merchantA, "a"), "no place is a failure")
	free := func(holds ...change.Hold) (free bool) {
		update(t, s, func(tx engine.Tx) (err error) { free, err = tx.GuardsFree(merchantA, holds); return err })
		return free
	}
	at := func(counter string, threshold int) change.Hold {
		return change.Hold{Counter: counter, Threshold: threshold}
	}
	require.True(t, free(at("a", 1), at("never", 1)), "the places were given back")
	require.True(t, hold("a", 3, future))
	require.Equal(t, []bool{false, true, false}, []bool{free(at("a", 1)), free(at("a", 2)), free(at("a", 1), at("never", 1))}, "a place counts")
	update(t, s, func(tx engine.Tx) error { return tx.CountGuardFailures(merchantA, []string{"a"}, 1, future) })
	require.Equal(t, []bool{false, true, false, true}, []bool{free(at("a", 1)), free(at("a", 2)), free(at("a", 1), at("never", 9)), free(at("never", 1))}, "a failure counts")
	require.True(t, hold("a", 3, future))
	require.True(t, hold("a", 3, future))
	require.False(t, hold("a", 3, future), "one failure and two places")
	require.True(t, hold("a", 4, future))
	require.False(t, hold("a", 1, future))
	require.True(t, hold("b", 1, base))
	require.True(t, free(at("b", 1)), "the place has expired")
	require.True(t, hold("b", 1, future), "the place before has expired")
	require.False(t, hold("b", 1, future))
	undone := errors.New("undone")
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
		_, err := tx.HoldGuards(merchantA, []change.Hold{{Counter: "c", Threshold: 1}}, future)
		return errors.Join(err, undone)
	}), undone)
	require.True(t, hold("c", 1, future), "an undone place is free")
}

// testGuardHoldsTogether: a payment has a place at each of its counters or at none; each counter has its own threshold; payments with some of the same
// counters at a time lose no place.
func testGuardHoldsTogether(t *testing.T, s engine.Store) {
	future, full := time.Now().Add(time.Hour), errors.New("full")
	hold := func(holds ...change.Hold) error {
		return updateErr(s, func(tx engine.Tx) error {
			free, err := tx.HoldGuards(merchantA, holds, future)
			if err == nil && !free {
				err = full
			}
			return err
		})
	}
	require.NoError(t, hold(change.Hold{Counter: "a", Threshold: 1}, change.Hold{Counter: "b", Threshold: 3}, change.Hold{Counter: "c", Threshold: 2}))
	require.ErrorIs(t, hold(change.Hold{Counter: "a", Threshold: 1}, change.Hold{Counter: "b", Threshold: 3}), full, "a has no place")
	require.ErrorIs(t, hold(change.Hold{Counter: "b", Threshold: 3}, change.Hold{Counter: "a", Threshold: 1}), full)
	require.NoError(t, hold(change.Hold{Counter: "b", Threshold: 3}, change.Hold{Counter: "c", Threshold: 2}), "the refused payments hold no place at b")
	require.ErrorIs(t, hold(change.Hold{Counter: "b", Threshold: 3}, change.Hold{Counter: "c", Threshold: 2}), full, "each counter has its own threshold")
	require.NoError(t, hold(change.Hold{Counter: "b", Threshold: 3}))
	update(t, s, func(tx engine.Tx) error { return tx.ReleaseGuards(merchantA, []string{"a", "b", "c", "d", "e", "f"}) })
	require.NoError(t, hold(change.Hold{Counter: "a", Threshold: 1}, change.Hold{Counter: "b", Threshold: 3}, change.Hold{Counter: "c", Threshold: 2}), "one place at each came back")
	require.ErrorIs(t, hold(change.Hold{Counter: "b", Threshold: 3}), full)
	update(t, s, func(tx engine.Tx) error { return tx.CountGuardFailures(merchantA, []string{"a", "b"}, 1, future) })
	require.Equal(t, map[string]int{"a": 1, "b": 1}, failures(t, s, merchantA, "a", "b", "c"))
	require.NoError(t, hold(change.Hold{Counter: "a", Threshold: 2}), "the failures gave the places back")

	names := []string{"v", "w", "x", "y", "z"}
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			mine := slices.Sorted(slices.Values([]string{names[i%5], names[(i+2)%5], names[(i+3)%5]}))
			var holds []change.Hold
			for _, n := range mine {
				holds = append(holds, change.Hold{Counter: n, Threshold: 1000})
			}
			require.NoError(t, hold(holds...))
			require.NoError(t, updateErr(s, func(tx engine.Tx) error { return tx.ReleaseGuards(merchantA, mine) }))
		})
	}
	wg.Wait()
	for _, n := range names {
		require.NoError(t, hold(change.Hold{Counter: n, Threshold: 1}), "every place came back")
	}
}

func testConfigValues(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertConfigKey(&routing.ConfigKey{Name: "a_m1", Value: "v", ModifiedAt: base}), tx.InsertConfigKey(&routing.ConfigKey{Name: "b_m2", ModifiedAt: base}))
	})
	values := func(names ...string) map[string]string {
		return get(t, s, func(r engine.Reader) (map[string]string, error) {
			return r.ConfigValues([4]string(names))
		})
	}
	require.Equal(t, map[string]string{"a_m1": "v", "b_m2": ""}, values("b_m2", "a_m1", "", ""))
	require.Equal(t, map[string]string{"a_m1": "v", "b_m2": ""}, values("", "b", "b_m2", "a_m1"))
	require.Equal(t, map[string]string{"a_m1": "v"}, values("b_m1", "a_m1", "", ""))
	require.Empty(t, values("b", "m2", "", ""))
}

// testDeclines: declines of a card add up, the latest are kept, places are given and given back, and the sweep removes what has expired.
func testDeclines(t *testing.T, s engine.Store) {
	now := time.Now().Truncate(time.Second).UTC()
	of := func(merchantID, card string) scheme.Declines {
		return get(t, s, func(r engine.Reader) (scheme.Declines, error) { return r.CardDeclines(merchantID, card) })
	}
	count := func(card string, held int, d scheme.Decline) error {
		return updateErr(s, func(tx engine.Tx) error { return tx.CountDecline(merchantA, card, d, held) })
	}
	hold := func(card string, places int, until time.Time) (held bool) {
		require.NoError(t, updateErr(s, func(tx engine.Tx) (err error) { held, err = tx.HoldCard(merchantA, card, places, until); return err }))
		return held
	}
	require.Zero(t, of(merchantA, "a"))
	require.False(t, hold("a", 5, now.Add(time.Hour)), "a card without declines has no places")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { require.NoError(t, count("a", 0, scheme.Decline{At: now})) })
	}
	wg.Wait()
	require.Len(t, of(merchantA, "a").Times, 20, "no decline is lost")
	require.Zero(t, of(merchantB, "a"), "another merchant's")
	for i := range 20 {
		require.NoError(t, count("a", 0, scheme.Decline{At: now.Add(time.Duration(i+1) * time.Second)}))
	}
	got := of(merchantA, "a").Times
	require.Len(t, got, scheme.MostKept)
	require.Equal(t, []time.Time{now, now.Add(time.Second), now.Add(20 * time.Second)}, []time.Time{got[14], got[15], got[34]}, "the latest stay, in their order")

	require.NoError(t, count("b", 0, scheme.Decline{At: now, Never: now.Add(2 * time.Hour), Wait: now.Add(time.Hour)}))
	require.NoError(t, count("b", 0, scheme.Decline{At: now, Never: now.Add(time.Hour), Wait: now.Add(3 * time.Hour)}))
	require.Equal(t, scheme.Declines{Times: []time.Time{now, now}, Never: now.Add(2 * time.Hour), Wait: now.Add(3 * time.Hour)}, of(merchantA, "b"), "the later times stay")
	require.True(t, hold("b", 2, now.Add(time.Hour)))
	require.True(t, hold("b", 2, now.Add(time.Hour)))
	require.False(t, hold("b", 2, now.Add(time.Hour)), "both places are taken")
	require.Equal(t, 2, of(merchantA, "b").Held)
	update(t, s, func(tx engine.Tx) error { return tx.ReleaseCard(merchantA, "b") })
	require.NoError(t, count("b", 1, scheme.Decline{At: now}))
	require.Zero(t, of(merchantA, "b").Held)
	update(t, s, func(tx engine.Tx) error { return tx.ReleaseCard(merchantA, "b") })
	require.True(t, hold("b", 1, base), "a place that no repeat held was not given back")
	require.Zero(t, of(merchantA, "b").Held, "its time is over")
	require.True(t, hold("b", 1, now.Add(time.Hour)))

	require.NoError(t, count("old", 0, scheme.Decline{At: now.Add(-scheme.Kept)}))
	require.Zero(t, of(merchantA, "old"))
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 1, n)
}
