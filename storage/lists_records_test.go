package storage_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/disputed"
	"payswitch/engine/facet"
	"payswitch/engine/payment"
	lists "payswitch/engine/request"
	"payswitch/sdk"
)

// recordWorld is a listWorld with refunds and disputes of two merchants, and a copy of them in memory.
type recordWorld struct {
	*listWorld
	refunds  map[string][]*payment.Refund // by merchant, in the order of insertion
	disputes map[string][]*disputed.Record
}

func (w *recordWorld) update(f func(tx engine.Tx) error) {
	require.NoError(w.t, w.db.Update(w.t.Context(), f))
}

// vary changes what lists filter by and an update may change.
func (w *recordWorld) vary(f *payment.Refund, d *disputed.Record) {
	r := w.rand
	f.Status = oneOf(r, payment.RefundSucceeded, payment.RefundSucceeded, payment.RefundPending, payment.RefundFailed)
	f.Currency, f.Amount = oneOf[sdk.Currency](r, "EUR", "EUR", "JPY"), oneOf[int64](r, 0, 100, 100, 200, 1<<40)
	d.Status, d.Stage = oneOf(r, sdk.DisputeOpened, sdk.DisputeOpened, sdk.DisputeChallenged, sdk.DisputeLost), oneOf(r, sdk.StageDispute, sdk.StagePreArbitration)
	d.Currency, d.Amount, d.Details.Reason = f.Currency, f.Amount, oneOf(r, "", "fraud", "not received")
}

// insert adds a refund and a dispute, sometimes ones from before.
func (w *recordWorld) insert() {
	m := oneOf(w.rand, listMerchants...)
	created := w.clock()
	if w.rand.IntN(8) == 0 {
		created = created.Add(-time.Duration(w.rand.IntN(600)) * time.Second)
	}
	n := len(w.refunds["m1"]) + len(w.refunds["m2"])
	profile, connector, acct := oneOf(w.rand, "pro_1", "pro_1", "pro_2"), oneOf(w.rand, "stripe", "stripe", "adyen"), oneOf(w.rand, "mca_1", "mca_2")
	f := &payment.Refund{MerchantID: m, ID: fmt.Sprint("ref_", n), PaymentID: fmt.Sprint("pay_", n/3), ProfileID: profile, Connector: connector, AccountID: acct, CreatedAt: created}
	d := &disputed.Record{MerchantID: m, ID: fmt.Sprint("dp_", n), PaymentID: f.PaymentID, ProfileID: profile, Connector: connector, AccountID: acct, CreatedAt: created}
	w.vary(f, d)
	w.update(func(tx engine.Tx) error {
		if err := tx.InsertRefund(f); err != nil {
			return err
		}
		return tx.InsertDispute(d)
	})
	w.refunds[m], w.disputes[m] = append(w.refunds[m], f), append(w.disputes[m], d)
}

func (w *recordWorld) change() {
	m := oneOf(w.rand, listMerchants...)
	if len(w.refunds[m]) == 0 {
		return
	}
	i := w.rand.IntN(len(w.refunds[m]))
	f, d := w.refunds[m][i], w.disputes[m][i]
	w.vary(f, d)
	w.update(func(tx engine.Tx) error {
		if err := tx.UpdateRefund(f); err != nil {
			return err
		}
		return tx.UpdateDispute(d)
	})
}

// page finds what a list of records must answer: ids of those that pass, newest first.
func page[T any](all []T, place func(T) (time.Time, string), passes func(T) bool, offset, limit int) (ids []string, total int) {
	type found struct {
		at time.Time
		n  int
		id string
	}
	var list []found
	for n, v := range all {
		if at, id := place(v); passes(v) {
			list = append(list, found{at, n, id})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return b.n - a.n
	})
	ids = []string{}
	for _, f := range list[min(offset, len(list)):min(offset+limit, len(list))] {
		ids = append(ids, f.id)
	}
	return ids, len(list)
}

func has(wanted []string, v string) bool { return len(wanted) == 0 || slices.Contains(wanted, v) }

func within(at, from, to time.Time) bool {
	return (from.IsZero() || !at.Before(from)) && (to.IsZero() || !at.After(to))
}

// compare compares lists and counts with what they must answer.
func (w *recordWorld) compare(times int) {
	w.t.Helper()
	r := w.rand
	for range times {
		m, profile := oneOf(r, listMerchants...), oneOf(r, "", "", "pro_1")
		auth := account.Auth{MerchantID: m, ProfileID: profile}
		var f lists.RefundListInput
		var d lists.DisputeListInput
		f.Limit, f.Offset = 1+r.IntN(8), oneOf(r, 0, 0, r.IntN(9))
		for range oneOf(r, 0, 1, 1, 2) {
			switch r.IntN(10) {
			case 0:
				f.Statuses, d.Statuses = oneOf(r, []string{"failed"}, []string{"succeeded", "failed"}), oneOf(r, []string{"lost"}, []string{"opened", "lost"})
			case 1:
				f.Currencies = oneOf(r, []string{"JPY"}, []string{"EUR", "JPY"}, []string{"KWD"})
			case 2:
				f.Connectors = oneOf(r, []string{"adyen"}, []string{"none"})
			case 3:
				f.Accounts, d.AccountID = []string{"mca_2"}, "mca_2"
			case 4:
				n := oneOf[int64](r, 0, 1, 100, 200, 1<<40)
				f.MinAmount = &n
			case 5:
				n := oneOf[int64](r, 0, 99, 100, 200, 1<<41)
				f.MaxAmount = &n
			case 6:
				f.From = w.clock().Add(-time.Duration(r.IntN(900_000)) * time.Millisecond)
				if r.IntN(2) == 0 {
					f.To = f.From.Add(time.Duration(r.IntN(900_000_000)) * time.Microsecond)
				}
			case 7:
				f.ProfileID = "pro_2"
			case 8:
				f.PaymentID = fmt.Sprint("pay_", r.IntN(9))
			case 9:
				d.Reason, d.Stages = oneOf(r, "fraud", ""), oneOf(r, nil, []string{"pre_arbitration"})
			}
		}
		d.Limit, d.Offset, d.Currencies, d.Connectors, d.From, d.To, d.ProfileID, d.PaymentID = f.Limit, f.Offset, f.Currencies, f.Connectors, f.From, f.To, f.ProfileID, f.PaymentID
		mine := func(id string) bool {
			return (profile == "" || id == profile) && (f.ProfileID == "" || id == f.ProfileID)
		}
		refundPlace := func(x *payment.Refund) (time.Time, string) { return x.CreatedAt, x.ID }
		want, all := page(w.refunds[m], refundPlace, func(x *payment.Refund) bool {
			return mine(x.ProfileID) && has(f.Statuses, string(x.Status)) && has(f.Currencies, string(x.Currency)) && has(f.Connectors, x.Connector) &&
				has(f.Accounts, x.AccountID) && (f.MinAmount == nil || x.Amount >= *f.MinAmount) && (f.MaxAmount == nil || x.Amount <= *f.MaxAmount) &&
				within(x.CreatedAt, f.From, f.To) && (f.PaymentID == "" || x.PaymentID == f.PaymentID)
		}, f.Offset, f.Limit)
		found, total, err := w.search.ListRefunds(w.t.Context(), auth, f)
		require.NoError(w.t, err)
		got := []string{}
		for _, x := range found {
			got = append(got, x.ID)
		}
		require.Equal(w.t, want, got, "%s %+v %+v", m, auth, f)
		require.Equal(w.t, all, total, "%s %+v %+v", m, auth, f)

		want, _ = page(w.disputes[m], func(x *disputed.Record) (time.Time, string) { return x.CreatedAt, x.ID }, func(x *disputed.Record) bool {
			return mine(x.ProfileID) && has(d.Statuses, string(x.Status)) && has(d.Stages, string(x.Stage)) && has(d.Currencies, string(x.Currency)) &&
				has(d.Connectors, x.Connector) && (d.AccountID == "" || x.AccountID == d.AccountID) && (d.Reason == "" || x.Details.Reason == d.Reason) &&
				within(x.CreatedAt, d.From, d.To) && (d.PaymentID == "" || x.PaymentID == d.PaymentID)
		}, d.Offset, d.Limit)
		disputes, err := w.search.ListDisputes(w.t.Context(), auth, d)
		require.NoError(w.t, err)
		got = []string{}
		for _, x := range disputes {
			got = append(got, x.ID)
		}
		require.Equal(w.t, want, got, "%s %+v %+v", m, auth, d)

		tally, err := w.search.CountRefunds(w.t.Context(), auth, f.From, f.To)
		require.NoError(w.t, err)
		counts := map[string]int64{}
		for _, x := range w.refunds[m] {
			if (profile == "" || x.ProfileID == profile) && within(x.CreatedAt, f.From, f.To) {
				counts[string(x.Status)+" of refunds"]++
				counts[string(x.Currency)]++
			}
		}
		disputesTally, err := w.search.CountDisputes(w.t.Context(), auth, f.From, f.To)
		require.NoError(w.t, err)
		for _, x := range w.disputes[m] {
			if (profile == "" || x.ProfileID == profile) && within(x.CreatedAt, f.From, f.To) {
				counts[string(x.Status)+" of disputes"]++
				counts[string(x.Stage)]++
			}
		}
		have := maps.Clone(tally.Currencies)
		maps.Copy(have, disputesTally.Stages)
		for status, n := range tally.Statuses {
			have[status+" of refunds"] = n
		}
		for status, n := range disputesTally.Statuses {
			have[status+" of disputes"] = n
		}
		require.Equal(w.t, counts, have)
	}
}

// TestRecordListsAreExact changes refunds and disputes at random while the filler reads them at random moments. Every list answers what a naive search
// finds.
func TestRecordListsAreExact(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := &recordWorld{newListWorld(t, rand.Uint64(), open), map[string][]*payment.Refund{}, map[string][]*disputed.Record{}}
		w.perform(200, w.insert, w.change, w.compare)
		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) error {
			for _, l := range []facet.List{facet.Refunds, facet.Disputes} {
				mark, err := r.FacetMark(l, "m1")
				if err != nil {
					return err
				}
				require.Positive(t, mark.Blocks)
			}
			return nil
		}))
		require.Empty(t, w.alarms)

		// Spoiled blocks: lists stay right, the switch raises an alarm, and the filler makes the blocks again.
		w.update(func(tx engine.Tx) error {
			c, err := tx.FacetColumn(facet.Refunds, "m1", facet.Status, 0)
			if err != nil {
				return err
			}
			c.Data = append(c.Data, 1)
			return tx.PutFacet(facet.Refunds, "m1", facet.Column{Kind: facet.Status, Summary: c.Summary[:1], Data: c.Data})
		})
		for range 50 { // until a filter reads the spoiled block
			if w.compare(20); len(w.alarms) > 0 {
				break
			}
		}
		require.NotEmpty(t, w.alarms)
		require.NoError(t, w.filler.Fill(t.Context()))
		require.NoError(t, w.filler.Fill(t.Context()))
		w.alarms = nil
		w.compare(10)
		require.Empty(t, w.alarms)
	})
}
