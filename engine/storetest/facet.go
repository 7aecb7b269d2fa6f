package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/disputed"
	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// facetRoom tests facet.Reader, facet.FillReader and facet.Tx.
var facetRoom = room{name: "facet", cases: []testCase{{"marks", testFacetMarks}, {"columns", testFacetColumns}, {"lease", testFacetLease},
	{"payments", testFacetPayments}, {"records", testFacetRecords}}}

var facetLists = []facet.List{facet.Payments, facet.Refunds, facet.Disputes}

func testFacetMarks(t *testing.T, s engine.Store) {
	mark := func(l facet.List, merchantID string) (*facet.Mark, error) {
		return read(s, func(r engine.Reader) (*facet.Mark, error) { return r.FacetMark(l, merchantID) })
	}
	put := func(m facet.Mark) error {
		return updateErr(s, func(tx engine.Tx) error { again := m; return tx.PutFacetMark(&again) }) // a function of Update may run again
	}
	_, err := mark(facet.Payments, merchantA)
	require.ErrorIs(t, err, fault.ErrNotFound)
	for i, l := range facetLists {
		m := facet.Mark{MerchantID: merchantA, List: l, Blocks: int64(i + 1), UpTo: base, Late: base.Add(time.Second), ReadAt: base.Add(time.Minute), Complete: i == 1}
		require.NoError(t, put(m))
		require.ErrorIs(t, put(m), fault.ErrConflict, "a second first mark")
		got, err := mark(l, merchantA)
		require.NoError(t, err)
		require.Positive(t, got.Version)
		m.Version, m.Indexed = got.Version, true
		require.Equal(t, &m, got)

		m.Blocks += 10
		require.NoError(t, put(m))
		require.ErrorIs(t, put(m), fault.ErrConflict, "another writer was faster")
		again, err := mark(l, merchantA)
		require.NoError(t, err)
		require.Equal(t, []int64{m.Blocks, m.Version + 1}, []int64{again.Blocks, again.Version})
	}
	_, err = mark(facet.Refunds, merchantB)
	require.ErrorIs(t, err, fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DropFacets(facet.Refunds, merchantA) })
	_, err = mark(facet.Refunds, merchantA)
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = mark(facet.Disputes, merchantA)
	require.NoError(t, err, "the other lists stay")
}

func testFacetColumns(t *testing.T, s engine.Store) {
	column := func(l facet.List, k facet.Kind, block int64, text string) facet.Column {
		return facet.Column{Kind: k, Block: block, Summary: []byte(text + " summary"), Data: []byte(text + "\x00 data")}
	}
	update(t, s, func(tx engine.Tx) error {
		for _, l := range facetLists {
			for block := range int64(3) {
				if err := tx.PutFacet(l, merchantA, column(l, facet.Status, 2-block, fmt.Sprint(l, " ", 2-block))); err != nil {
					return err
				}
			}
			if err := tx.PutFacet(l, merchantA, column(l, facet.Amount, 0, "amount")); err != nil {
				return err
			}
		}
		return tx.PutFacet(facet.Payments, merchantB, facet.Column{Kind: facet.Status})
	})
	for _, l := range facetLists {
		for block := range int64(3) {
			got := get(t, s, func(r engine.Reader) (facet.Column, error) { return r.FacetColumn(l, merchantA, facet.Status, block) })
			require.Equal(t, []facet.Column{got}, get(t, s, func(r engine.Reader) ([]facet.Column, error) {
				return r.FacetColumns(l, merchantA, facet.Status, block, block)
			}))
			require.Equal(t, column(l, facet.Status, block, fmt.Sprint(l, " ", block)), got)
		}
		list := get(t, s, func(r engine.Reader) ([]facet.Column, error) { return r.FacetSummaries(l, merchantA, facet.Status, 0) })
		require.Len(t, list, 3)
		for block, c := range list {
			require.Equal(t, facet.Column{Kind: facet.Status, Block: int64(block), Summary: fmt.Append(nil, l, " ", block, " summary")}, c, "in order, without data")
		}
	}
	empty := get(t, s, func(r engine.Reader) (facet.Column, error) {
		return r.FacetColumn(facet.Payments, merchantB, facet.Status, 0)
	})
	require.Empty(t, empty.Summary)
	require.Empty(t, empty.Data)

	changed := column(facet.Refunds, facet.Status, 1, "changed")
	update(t, s, func(tx engine.Tx) error { return tx.PutFacet(facet.Refunds, merchantA, changed) })
	require.Equal(t, changed, get(t, s, func(r engine.Reader) (facet.Column, error) {
		return r.FacetColumn(facet.Refunds, merchantA, facet.Status, 1)
	}))
	update(t, s, func(tx engine.Tx) error { return tx.DropFacets(facet.Refunds, merchantA) })
	_, err := read(s, func(r engine.Reader) (facet.Column, error) {
		return r.FacetColumn(facet.Refunds, merchantA, facet.Status, 1)
	})
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.Len(t, get(t, s, func(r engine.Reader) ([]facet.Column, error) {
		return r.FacetSummaries(facet.Disputes, merchantA, facet.Status, 0)
	}), 3, "the other lists stay")
	require.Empty(t, get(t, s, func(r engine.Reader) ([]facet.Column, error) {
		return r.FacetSummaries(facet.Payments, merchantB, facet.Amount, 0)
	}))
}

func testFacetLease(t *testing.T, s engine.Store) {
	lease := func(owner string, d time.Duration) (mine bool) {
		update(t, s, func(tx engine.Tx) (err error) { mine, err = tx.LeaseFacets(owner, tx.Now().Add(d)); return err })
		return mine
	}
	require.True(t, lease("a", time.Hour))
	require.False(t, lease("b", time.Hour))
	require.True(t, lease("a", -time.Second), "the owner may shorten it")
	require.True(t, lease("b", time.Hour))
	require.False(t, lease("a", time.Hour))
	for _, l := range facetLists {
		require.Empty(t, get(t, s, func(r engine.Reader) (string, error) { return r.NextListed(l, "") }))
	}
}

// nextListed lists the merchants of a list.
func nextListed(t *testing.T, s engine.Store, l facet.List) (out []string) {
	for id := ""; ; {
		id = get(t, s, func(r engine.Reader) (string, error) { return r.NextListed(l, id) })
		if id == "" {
			return out
		}
		out = append(out, id)
	}
}

func testFacetPayments(t *testing.T, s engine.Store) {
	now := get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil })
	old, young := now.Add(-facet.Young-time.Hour).Truncate(time.Millisecond), now.Truncate(time.Millisecond)
	var list []*payment.Payment
	for i, created := range []time.Time{old, old.Add(time.Second), young} {
		p := paymentRow(fmt.Sprint("p", i))
		p.AttemptID, p.CreatedAt, p.Sealed, p.Details.OrderReference = p.ID+"_1", created, []byte("sealed"), "order"
		list = append(list, p)
	}
	foreign := paymentRow("p9")
	foreign.MerchantID, foreign.CreatedAt = merchantB, old
	insertPayments(t, s, append(list, foreign)...)
	update(t, s, func(tx engine.Tx) error {
		return tx.InsertAttempt(&payment.Attempt{MerchantID: merchantA, PaymentID: "p0", ID: "p0_1", Connector: "simulator", AccountID: "mca_1",
			Details: payment.AttemptDetails{PaymentMethod: "card"}})
	})
	require.Equal(t, []string{merchantA, merchantB}, nextListed(t, s, facet.Payments))

	from := func(from, to time.Time, limit int) []listed.Scanned {
		return get(t, s, func(r engine.Reader) ([]listed.Scanned, error) { return r.PaymentsFrom(merchantA, from, to, limit) })
	}
	scannedID := func(p listed.Scanned) string { return p.Payment.ID }
	require.Equal(t, []string{"p0", "p1"}, ids(from(old, young, 0), scannedID), "the end does not count")
	require.Equal(t, []string{"p1", "p2"}, ids(from(old.Add(time.Second), young.Add(time.Millisecond), 0), scannedID), "the beginning counts")
	require.Equal(t, []string{"p0"}, ids(from(old, young, 1), scannedID), "the oldest first")
	p := from(old, young, 1)[0]
	require.Equal(t, []any{"order", "card", "simulator", "mca_1", []byte("sealed")},
		[]any{p.Payment.Details.OrderReference, p.Attempt.PaymentMethod, p.Connector, p.AccountID, p.Payment.Sealed}, "with the documents")

	late := func(since time.Time) []string {
		return ids(get(t, s, func(r engine.Reader) ([]facet.LatePayment, error) {
			return r.LatePayments(merchantA, request.PaymentFilter{Documents: true}, since, young.Add(time.Second), 0)
		}), func(p facet.LatePayment) string { return p.Payment.ID })
	}
	require.Equal(t, []string{"p0", "p1"}, late(now.Add(-time.Minute)), "they were inserted long after their time")
	after := get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil }).Add(time.Millisecond)
	for !get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil }).After(after) {
		update(t, s, func(tx engine.Tx) error { return nil })
	}
	list[1].Status, list[2].Status = payment.Failed, payment.Failed
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePayment(clone(list[1])) })
	update(t, s, func(tx engine.Tx) error { return tx.UpdatePayment(clone(list[2])) })
	require.Equal(t, []string{"p1"}, late(after), "a young payment leaves no mark")
}

func clone(p *payment.Payment) *payment.Payment { out := *p; return &out }

// testFacetRecords runs the same cases for refunds and disputes.
func testFacetRecords(t *testing.T, s engine.Store) {
	type record struct {
		n       int
		created time.Time
		status  string
	}
	now := get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil })
	old, young := now.Add(-facet.Young-time.Hour).Truncate(time.Millisecond), now.Truncate(time.Millisecond)
	refund := func(r record) *payment.Refund {
		return &payment.Refund{MerchantID: merchantA, ID: fmt.Sprint("r", r.n), PaymentID: "pay_1", ProfileID: "pro_1", AccountID: "mca_1", Connector: "simulator",
			Status: payment.RefundStatus(r.status), Currency: "EUR", Amount: int64(100 + r.n), CreatedAt: r.created, Version: 1}
	}
	dispute := func(r record) *disputed.Record {
		return &disputed.Record{MerchantID: merchantA, ID: fmt.Sprint("d", r.n), PaymentID: "pay_1", ProfileID: "pro_1", AccountID: "mca_1", Connector: "simulator",
			Stage: sdk.StageDispute, Status: sdk.DisputeStatus(r.status), Currency: "EUR", Amount: int64(100 + r.n), CreatedAt: r.created, Version: 1,
			Details: disputed.Details{Reason: "fraud\x00ulent"}}
	}
	for _, c := range []struct {
		list          facet.List
		insert        func(tx engine.Tx, r record) error
		update        func(tx engine.Tx, r record) error
		foreign       func(tx engine.Tx) error
		stage, reason string
		at            func(r engine.Reader, at listed.Place) (string, error)
	}{
		{facet.Refunds, func(tx engine.Tx, r record) error { return tx.InsertRefund(refund(r)) }, func(tx engine.Tx, r record) error { return tx.UpdateRefund(refund(r)) },
			func(tx engine.Tx) error {
				f := refund(record{9, old, "failed"})
				f.MerchantID = merchantB
				return tx.InsertRefund(f)
			}, "", "",
			func(r engine.Reader, at listed.Place) (string, error) {
				f, err := r.RefundAt(merchantA, at)
				if err != nil {
					return "", err
				}
				return f.ID, nil
			}},
		{facet.Disputes, func(tx engine.Tx, r record) error { return tx.InsertDispute(dispute(r)) }, func(tx engine.Tx, r record) error { return tx.UpdateDispute(dispute(r)) },
			func(tx engine.Tx) error {
				d := dispute(record{9, old, "lost"})
				d.MerchantID = merchantB
				return tx.InsertDispute(d)
			}, "dispute", "fraudulent",
			func(r engine.Reader, at listed.Place) (string, error) {
				d, err := r.DisputeAt(merchantA, at)
				if err != nil {
					return "", err
				}
				return d.ID, nil
			}},
	} {
		rows := func(from, to time.Time, limit int) []facet.Row {
			return get(t, s, func(r engine.Reader) ([]facet.Row, error) { return r.FacetRows(c.list, merchantA, from, to, limit) })
		}
		amounts := func(list []facet.Row) (out []int64) {
			for _, r := range list {
				out = append(out, r.Numbers[facet.Amount])
			}
			return out
		}
		late := func(since time.Time, limit int) (out []int64) {
			for _, r := range get(t, s, func(r engine.Reader) ([]facet.LateRow, error) {
				return r.LateFacetRows(c.list, merchantA, since, young.Add(time.Second), limit)
			}) {
				require.False(t, r.At.Before(since))
				out = append(out, r.Numbers[facet.Amount])
			}
			return out
		}
		require.Empty(t, nextListed(t, s, c.list))
		for _, r := range []record{{1, old.Add(time.Second), "first"}, {0, old, "first"}, {2, young, "first"}} {
			update(t, s, func(tx engine.Tx) error { return c.insert(tx, r) })
		}
		update(t, s, c.foreign)
		require.Equal(t, []string{merchantA, merchantB}, nextListed(t, s, c.list))

		require.Equal(t, []int64{100, 101}, amounts(rows(old, young, 0)), "the end does not count")
		require.Equal(t, []int64{101, 102}, amounts(rows(old.Add(time.Second), young.Add(time.Millisecond), 0)), "the beginning counts")
		require.Equal(t, []int64{100, 101, 102}, amounts(rows(old, time.Time{}, 0)), "no end")
		require.Equal(t, []int64{100}, amounts(rows(old, time.Time{}, 1)), "the oldest first")
		row := rows(old, young, 1)[0]
		require.Equal(t, facet.RecordRow(facet.Record{Place: row.Place(), Amount: 100, Status: "first", Currency: "EUR", Connector: "simulator", AccountID: "mca_1",
			ProfileID: "pro_1", Stage: c.stage, Reason: c.reason}), row)
		require.Equal(t, old, row.Place().CreatedAt)
		id := get(t, s, func(r engine.Reader) (string, error) { return c.at(r, row.Place()) })
		require.Equal(t, "0", id[1:])
		_, err := read(s, func(r engine.Reader) (string, error) { return c.at(r, listed.Place{CreatedAt: old, Seq: 1 << 40}) })
		require.ErrorIs(t, err, fault.ErrNotFound)
		foreign := get(t, s, func(r engine.Reader) ([]facet.Row, error) { return r.FacetRows(c.list, merchantB, old, time.Time{}, 0) })
		require.Len(t, foreign, 1)
		_, err = read(s, func(r engine.Reader) (string, error) { return c.at(r, foreign[0].Place()) })
		require.ErrorIs(t, err, fault.ErrNotFound, "another merchant's")

		require.Equal(t, []int64{101, 100}, late(now.Add(-time.Minute), 0), "they were inserted long after their time, in this order")
		require.Equal(t, []int64{101}, late(now.Add(-time.Minute), 1))
		after := get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil }).Add(time.Millisecond)
		for !get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil }).After(after) {
			update(t, s, func(tx engine.Tx) error { return nil })
		}
		update(t, s, func(tx engine.Tx) error { return c.update(tx, record{1, old.Add(time.Second), "second"}) })
		update(t, s, func(tx engine.Tx) error { return c.update(tx, record{2, young, "second"}) })
		require.Equal(t, []int64{101}, late(after, 0), "a young row leaves no mark")
	}
}
