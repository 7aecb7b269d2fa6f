package storetest

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
)

// kind is one kind of row. The store inserts, reads and, unless update is nil, updates it, always by the value's key.
type kind struct {
	name      string
	make      func(f *filler) any // every field set; the merchant is merchantA
	empty     func() any          // only the key set
	insert    func(tx engine.Tx, v any) error
	read      func(r engine.Reader, v any) (any, error)
	update    func(tx engine.Tx, v any) error
	fixed     []string // fields that an update leaves as they were
	versioned bool
	put       bool // inserted and replaced by one call: no conflict, and no missing row
}

// allKinds are the kinds of every room.
var allKinds = slices.Concat(vaultKinds, accountKinds, methodKinds, driveKinds, changeKinds, webhookKinds, routingKinds, linkKinds, riskKinds)

// A room is the part of the suite for the ports of one room.
type room struct {
	name  string
	kinds []kind // the rows that the ports read and write one by one
	cases []testCase
}

type testCase struct {
	name string
	test func(t *testing.T, s engine.Store)
}

// rowCases returns the cases that every kind of row must pass, whatever it means.
func rowCases(kinds []kind) (all []testCase) {
	if len(kinds) == 0 {
		return nil
	}
	for _, c := range []struct {
		name string
		test func(t *testing.T, s engine.Store, kinds []kind)
	}{
		{"round trips of whole and of empty values", testRoundTrips},
		{"updates write every field", testUpdates},
		{"inserting twice", testInsertTwice},
		{"compare and set", testCompareAndSet},
		{"missing rows", testMissing},
		{"another merchant's rows", testScoping},
	} {
		all = append(all, testCase{c.name, func(t *testing.T, s engine.Store) { c.test(t, s, kinds) }})
	}
	return all
}

func field(v any, name string) reflect.Value { return reflect.ValueOf(v).Elem().FieldByName(name) }

// sameAs compares the stored row with want.
func sameAs(t *testing.T, s engine.Store, k kind, want any, msg string) {
	t.Helper()
	got := get(t, s, func(r engine.Reader) (any, error) { return k.read(r, want) })
	require.Equal(t, want, got, "%s: %s", k.name, msg)
	require.NotSame(t, want, got)
}

func testRoundTrips(t *testing.T, s engine.Store, kinds []kind) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		for _, v := range []any{k.make(new(filler)), k.empty()} {
			update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
			if k.versioned {
				require.EqualValues(t, 1, field(v, "Version").Int(), "%s: version after insert", k.name)
			}
			sameAs(t, s, k, v, "after insert")
		}
	}
}

func testUpdates(t *testing.T, s engine.Store, kinds []kind) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		if k.update == nil {
			continue
		}
		f := new(filler)
		old := k.make(f)
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, old) })
		other := k.make(f) // an entirely different value under the same key
		for _, name := range k.fixed {
			field(other, name).Set(field(old, name))
		}
		if k.versioned {
			field(other, "Version").SetInt(1)
		}
		update(t, s, func(tx engine.Tx) error { return k.update(tx, other) })
		if k.versioned {
			require.EqualValues(t, 2, field(other, "Version").Int(), "%s: version after update", k.name)
		}
		sameAs(t, s, k, other, "after update")

		bare := k.empty() // every field back to its zero value
		for _, name := range k.fixed {
			field(bare, name).Set(field(old, name))
		}
		if k.versioned {
			field(bare, "Version").SetInt(2)
		}
		update(t, s, func(tx engine.Tx) error { return k.update(tx, bare) })
		sameAs(t, s, k, bare, "after an update to nothing")
	}
}

func testInsertTwice(t *testing.T, s engine.Store, kinds []kind) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		if k.put {
			continue
		}
		f := new(filler)
		first := k.make(f)
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, first) })
		second := k.make(f)
		for _, name := range []string{"MerchantID", "ID", "Key", "AccountID", "Fingerprint"} {
			if v := field(second, name); v.IsValid() {
				v.Set(field(first, name))
			}
		}
		require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.insert(tx, second) }), fault.ErrConflict, k.name)
		sameAs(t, s, k, first, "after a second insert")
		// A conflict does not break the transaction: its function may go on.
		var last error // by the run whose writes stay
		update(t, s, func(tx engine.Tx) error {
			last = k.insert(tx, second)
			return tx.InsertKeyset(k.name, []byte("went on"))
		})
		require.ErrorIs(t, last, fault.ErrConflict, k.name)
		require.Equal(t, "went on", string(get(t, s, func(r engine.Reader) ([]byte, error) { return r.Keyset(k.name) })))
	}
}

func testCompareAndSet(t *testing.T, s engine.Store, kinds []kind) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		if !k.versioned {
			continue
		}
		f := new(filler)
		v := k.make(f)
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
		update(t, s, func(tx engine.Tx) error { return k.update(tx, v) })
		for _, version := range []int64{0, 1, 3} {
			field(v, "Version").SetInt(version)
			require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.update(tx, v) }), fault.ErrConflict, "%s version %d", k.name, version)
			require.Equal(t, version, field(v, "Version").Int(), "%s: a conflict must not raise the version", k.name)
		}
		field(v, "Version").SetInt(2)
		sameAs(t, s, k, v, "after conflicts")

		// After a rollback, the value's version is the old one again.
		failed := errors.New("failed")
		require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
			if err := k.update(tx, v); err != nil {
				return err
			}
			return failed
		}), failed)
		require.EqualValues(t, 2, field(v, "Version").Int(), "%s: version after an update that was undone", k.name)
		sameAs(t, s, k, v, "after an update that was undone")
		update(t, s, func(tx engine.Tx) error { return errors.Join(k.update(tx, v), k.update(tx, v)) })
		require.EqualValues(t, 4, field(v, "Version").Int(), k.name)
	}
}

func testMissing(t *testing.T, s engine.Store, kinds []kind) {
	merchant(t, s, merchantA)
	for _, k := range kinds {
		v := k.make(new(filler))
		_, err := read(s, func(r engine.Reader) (any, error) { return k.read(r, v) })
		require.ErrorIs(t, err, fault.ErrNotFound, k.name)
		if k.update != nil && !k.put {
			require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.update(tx, v) }), fault.ErrNotFound, k.name)
		}
	}
}

// testScoping reads and writes all rows of merchant A as merchant B.
func testScoping(t *testing.T, s engine.Store, kinds []kind) {
	merchant(t, s, merchantA, merchantB)
	for _, k := range kinds {
		if k.name == "merchant" {
			continue
		}
		v := k.make(new(filler))
		update(t, s, func(tx engine.Tx) error { return k.insert(tx, v) })
		if k.name != "operation" && k.name != "authentication" { // ids of these rows are unique over all merchants, so a caller needs no merchant to read them
			field(v, "MerchantID").SetString(merchantB)
			_, err := read(s, func(r engine.Reader) (any, error) { return k.read(r, v) })
			require.ErrorIs(t, err, fault.ErrNotFound, "read %s", k.name)
		}
		if k.update != nil && !k.put {
			field(v, "MerchantID").SetString(merchantB)
			require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return k.update(tx, v) }), fault.ErrNotFound, "update %s", k.name)
		}
		field(v, "MerchantID").SetString(merchantA)
		sameAs(t, s, k, v, "after another merchant's tries")
	}
}

// requireMissing checks that each function returns ErrNotFound.
func requireMissing(t *testing.T, s engine.Store, calls map[string]func(tx engine.Tx) error) {
	t.Helper()
	for name, f := range calls {
		require.ErrorIs(t, updateErr(s, f), fault.ErrNotFound, name)
	}
}

// requireNone checks that each function counts nothing, without an error.
func requireNone(t *testing.T, s engine.Store, counts map[string]func(tx engine.Tx) (int, error)) {
	t.Helper()
	for name, f := range counts {
		update(t, s, func(tx engine.Tx) error {
			n, err := f(tx)
			require.NoError(t, err, name)
			require.Zero(t, n, name)
			return nil
		})
	}
}
