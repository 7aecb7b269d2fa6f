package storage_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/facet"
	lists "payswitch/engine/request"
	"payswitch/storage"
)

// TestListsAfterAnEarlierRelease: during an upgrade, a node of an earlier release writes blocks without their indexes. Lists do not use the indexes then, and
// the filler makes them again.
func TestListsAfterAnEarlierRelease(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "payswitch.db")
	w := newListWorld(t, 3, func(clock func() time.Time) engine.Store {
		db, err := storage.Open(t.Context(), "sqlite:"+path, storage.Options{Clock: clock})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	})
	w.filler.Enough = 1
	for range 60 {
		w.insert()
		w.advance(time.Second)
	}
	w.paid(len(w.all["m1"]))
	mark := func() (m *facet.Mark) {
		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) { m, err = r.FacetMark(facet.Payments, "m1"); return err }))
		return m
	}
	require.True(t, mark().Indexed)
	before := mark().Version
	l := w.all["m1"][0]
	l.p.Details.OrderReference, l.p.Amount = "changed", 77
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
	w.advance(10 * time.Minute)
	deps := w.filler.Deps
	deps.Store = earlierRelease{deps.Store}
	earlier := facet.NewFiller(deps)
	earlier.Block, earlier.Enough, earlier.Group = w.filler.Block, 1, w.filler.Group
	require.NoError(t, earlier.Fill(t.Context()))
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = raw.Exec(`UPDATE facet_marks SET indexed = $1`, before) // the earlier release leaves the column as it was
	require.NoError(t, errors.Join(err, raw.Close()))
	require.False(t, mark().Indexed)
	amount := int64(77)
	for range 2 { // without the indexes, and then with new ones
		require.Equal(t, 1, w.one(lists.PaymentFilter{OrderReference: "changed"}))
		require.Equal(t, 1, w.one(lists.PaymentFilter{MinAmount: &amount, MaxAmount: &amount}))
		require.NoError(t, w.filler.Fill(t.Context()))
		require.True(t, mark().Indexed)
	}
	w.compare(30)
	require.Empty(t, w.alarms)
}
