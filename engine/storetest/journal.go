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
)

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
