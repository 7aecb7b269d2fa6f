package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
)

// testRestores checks the notes of restores, and the list of payments that the engine asks about after one.
func testRestores(t *testing.T, s engine.Store) {
	list := func() []port.Restore { return get(t, s, engine.Reader.Restores) }
	require.Empty(t, list())
	update(t, s, func(tx engine.Tx) error { return tx.InsertRestore(base) })
	require.Equal(t, []port.Restore{{TakenAt: base}}, list())
	update(t, s, func(tx engine.Tx) error { return tx.StartRestores(base.Add(time.Hour)) })
	update(t, s, func(tx engine.Tx) error { return tx.InsertRestore(base.Add(2 * time.Hour)) })
	update(t, s, func(tx engine.Tx) error { return tx.StartRestores(base.Add(3 * time.Hour)) })
	require.Equal(t, []port.Restore{{TakenAt: base, StartedAt: base.Add(time.Hour)}, {TakenAt: base.Add(2 * time.Hour), StartedAt: base.Add(3 * time.Hour)}}, list())

	old, held, late, other := paymentRow("old"), paymentRow("held"), paymentRow("late"), paymentRow("other")
	old.Status, held.Status, late.Status, other.Status = payment.Succeeded, payment.RequiresCapture, payment.Succeeded, payment.Failed
	old.ModifiedAt, held.ModifiedAt, late.ModifiedAt, other.ModifiedAt = base.Add(-time.Millisecond), base.Add(-time.Hour), base, base.Add(time.Hour)
	other.MerchantID = merchantB
	insertPayments(t, s, old, held, late, other)
	since := func(after int64, limit int) (ids []string, last int64) {
		rows := get(t, s, func(r engine.Reader) ([]port.PaymentRow, error) {
			return r.PaymentsSince(base, []payment.Status{payment.RequiresCapture, payment.Processing}, after, limit)
		})
		for _, r := range rows {
			ids, last = append(ids, r.MerchantID+"/"+r.ID), r.Row
			require.Equal(t, map[string]time.Time{"held": held.ModifiedAt, "late": late.ModifiedAt, "other": other.ModifiedAt}[r.ID], r.ModifiedAt)
		}
		return ids, last
	}
	ids, last := since(0, 2)
	require.Equal(t, []string{merchantA + "/held", merchantA + "/late"}, ids)
	ids, last = since(last, 2)
	require.Equal(t, []string{merchantB + "/other"}, ids)
	ids, _ = since(last, 2)
	require.Empty(t, ids)
}
