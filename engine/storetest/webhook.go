package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/disputed"
	"payswitch/engine/fault"
	newids "payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/webhook"
)

// webhookRoom tests webhook.Reader and webhook.Tx: endpoints, waiting events, deliveries and attempts.
var webhookRoom = room{
	name:  "webhook",
	kinds: webhookKinds,
	cases: []testCase{
		{"waiting events get their deliveries once", testFanOut},
		{"deliveries of a payment are due one after the other", testDeliveryOrder},
		{"deliveries: claims never overlap", testDeliveryClaims},
		{"deliveries: leases", testDeliveryLeases},
		{"deliveries: recalls, expiry and backlogs", testBacklogs},
		{"deliveries: lists", testDeliveryLists},
		{"removal of events", testDeleteEvents},
		{"removal of undelivered events and of attempts", testDeleteUndelivered},
		{"endpoints that fail", testFailing},
	},
}

// webhookKinds are the rows of merchants' endpoints.
var webhookKinds = []kind{{
	name:   "webhook endpoint",
	make:   func(f *filler) any { v := filled[webhook.Endpoint](f); v.MerchantID = merchantA; return v },
	empty:  func() any { return &webhook.Endpoint{MerchantID: merchantA, ID: "we"} },
	insert: func(tx engine.Tx, v any) error { return tx.InsertEndpoint(v.(*webhook.Endpoint)) },
	read: func(r engine.Reader, v any) (any, error) {
		return r.Endpoint(v.(*webhook.Endpoint).MerchantID, v.(*webhook.Endpoint).ID)
	},
	update:    func(tx engine.Tx, v any) error { return tx.UpdateEndpoint(v.(*webhook.Endpoint)) },
	fixed:     []string{"MerchantID", "ID", "ProfileID", "CreatedAt"},
	versioned: true,
}}

// happen inserts the nth event of a payment.
func happen(t *testing.T, s engine.Store, paymentID string, n int, at time.Time) *payment.Event {
	e := &payment.Event{ID: newids.NewEvent(at, n), MerchantID: merchantA, ProfileID: "pro", ObjectID: paymentID, Number: n, Class: "payments", Type: "payment_succeeded",
		Body: []byte{1}, CreatedAt: at}
	update(t, s, func(tx engine.Tx) error { return tx.InsertEvent(e) })
	return e
}

// fanOut gives all waiting events deliveries to the endpoints, and returns how many there were.
func fanOut(t *testing.T, s engine.Store, endpoints ...string) int {
	waiting := get(t, s, func(r engine.Reader) ([]webhook.Waiting, error) { return r.WaitingEvents(100) })
	update(t, s, func(tx engine.Tx) error {
		for _, w := range waiting {
			var list []*webhook.Delivery
			for _, id := range endpoints {
				list = append(list, &webhook.Delivery{MerchantID: w.MerchantID, EventID: w.ID, EndpointID: id, ProfileID: w.ProfileID, PaymentID: w.Payment(),
					ObjectID: w.ObjectID, Number: w.Number, Class: w.Class, Type: w.Type, CreatedAt: w.CreatedAt})
			}
			if err := tx.FanOut(w.Row, list); err != nil {
				return err
			}
		}
		return nil
	})
	return len(waiting)
}

func claimDeliveries(t *testing.T, s engine.Store, endpoint, owner string, lease time.Duration) (out []*webhook.Delivery) {
	update(t, s, func(tx engine.Tx) (err error) {
		out, err = tx.ClaimDeliveries(endpoint, owner, tx.Now().Add(lease).Truncate(time.Millisecond), 100)
		return err
	})
	return out
}

// book ends a claimed delivery.
func book(t *testing.T, s engine.Store, d *webhook.Delivery, owner string, state webhook.State, due time.Time) (booked bool) {
	update(t, s, func(tx engine.Tx) (err error) {
		n := *d
		n.State, n.DueAt, n.Tries, n.FirstID = state, due, d.Tries+1, "att_1"
		if state != webhook.Open {
			n.EndedAt = base
		}
		booked, err = tx.BookDelivery(&n, owner, d.DueAt)
		return err
	})
	return booked
}

func testFanOut(t *testing.T, s engine.Store) {
	e := happen(t, s, "pay_1", 1, base)
	waiting := get(t, s, func(r engine.Reader) ([]webhook.Waiting, error) { return r.WaitingEvents(100) })
	require.Len(t, waiting, 1)
	whole := *e
	whole.Body = nil
	require.Equal(t, &whole, waiting[0].Event)
	require.Equal(t, 1, fanOut(t, s, "a", "b"))
	update(t, s, func(tx engine.Tx) error {
		return tx.FanOut(waiting[0].Row, []*webhook.Delivery{{MerchantID: merchantA, EventID: e.ID, EndpointID: "c"}})
	})
	require.Equal(t, 0, fanOut(t, s, "a", "b"))
	of := get(t, s, func(r engine.Reader) ([]*webhook.Delivery, error) { return r.DeliveriesOf(merchantA, e.ID) })
	require.Equal(t, []string{"a", "b"}, ids(of, func(d *webhook.Delivery) string { return d.EndpointID }))
	require.Equal(t, webhook.Open, of[0].State)
	require.False(t, of[0].DueAt.IsZero())
	require.Equal(t, e, get(t, s, func(r engine.Reader) (*payment.Event, error) { return r.Event(merchantA, "pay_1", e.ID) }))
	_, err := read(s, func(r engine.Reader) (*payment.Event, error) { return r.Event(merchantB, "pay_1", e.ID) })
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testDeliveryOrder(t *testing.T, s engine.Store) {
	first := happen(t, s, "pay_1", 1, base)
	fanOut(t, s, "a", "b")
	second, third := happen(t, s, "pay_1", 2, base), happen(t, s, "pay_1", 3, base)
	other := happen(t, s, "pay_2", 1, base)
	fanOut(t, s, "a", "b")
	events := func(list []*webhook.Delivery) []string {
		return ids(list, func(d *webhook.Delivery) string { return d.EventID })
	}
	claimed := claimDeliveries(t, s, "a", "n", time.Hour)
	require.ElementsMatch(t, []string{first.ID, other.ID}, events(claimed))
	for _, d := range claimed {
		if d.EventID == first.ID {
			require.True(t, book(t, s, d, "n", webhook.Open, base), "to be repeated")
		}
	}
	claimed = claimDeliveries(t, s, "a", "n", time.Hour)
	require.Equal(t, []string{first.ID}, events(claimed), "the next one still waits")
	require.True(t, book(t, s, claimed[0], "n", webhook.GivenUp, time.Time{}))
	claimed = claimDeliveries(t, s, "a", "n", time.Hour)
	require.Equal(t, []string{second.ID}, events(claimed))
	update(t, s, func(tx engine.Tx) error { // by hand, out of turn
		return tx.ConcludeDelivery(&webhook.Delivery{MerchantID: merchantA, PaymentID: "pay_1", EventID: third.ID, EndpointID: "a", State: webhook.Delivered, EndedAt: base})
	})
	require.Empty(t, claimDeliveries(t, s, "a", "n", time.Hour))
	require.True(t, book(t, s, claimed[0], "n", webhook.Delivered, time.Time{}))
	require.Empty(t, claimDeliveries(t, s, "a", "n", time.Hour))
	require.Len(t, claimDeliveries(t, s, "b", "n", time.Hour), 2, "another endpoint has an order of its own")
	fourth := happen(t, s, "pay_1", 4, base)
	fanOut(t, s, "a")
	require.Equal(t, []string{fourth.ID}, events(claimDeliveries(t, s, "a", "n", time.Hour)))
}

func testDeliveryClaims(t *testing.T, s engine.Store) {
	for i := range 50 {
		happen(t, s, fmt.Sprint("pay_", i), 1, base)
	}
	fanOut(t, s, "a")
	var mu sync.Mutex
	taken := map[string]int{}
	var all sync.WaitGroup
	for n := range 5 {
		all.Go(func() {
			for range 5 {
				var got []*webhook.Delivery
				err := updateErr(s, func(tx engine.Tx) (err error) {
					got, err = tx.ClaimDeliveries("a", fmt.Sprint("n", n), tx.Now().Add(time.Hour), 3)
					return err
				})
				mu.Lock()
				for _, d := range got {
					taken[d.EventID]++
				}
				if err != nil {
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	require.Len(t, taken, 50)
	for id, n := range taken {
		require.Equal(t, 1, n, id)
	}
}

func testDeliveryLeases(t *testing.T, s engine.Store) {
	happen(t, s, "pay_1", 1, base)
	fanOut(t, s, "a")
	d := claimDeliveries(t, s, "a", "n1", time.Hour)[0]
	require.Equal(t, "n1", d.Owner)
	require.False(t, book(t, s, d, "n2", webhook.Delivered, time.Time{}), "another node has the lease")
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.ReleaseDeliveries("n1")
		require.Equal(t, 1, n)
		return err
	})
	again := claimDeliveries(t, s, "a", "n1", time.Hour+time.Second)[0]
	require.False(t, book(t, s, d, "n1", webhook.Delivered, time.Time{}), "the lease of before")
	open := get(t, s, func(r engine.Reader) ([]*webhook.Delivery, error) { return r.DeliveriesOf(merchantA, d.EventID) })[0]
	require.Equal(t, []any{webhook.Open, 0, "n1", "att_1"}, []any{open.State, open.Tries, open.Owner, open.FirstID}, "the first attempt alone is noted")
	require.True(t, book(t, s, again, "n1", webhook.Delivered, time.Time{}))
	require.False(t, book(t, s, again, "n1", webhook.GivenUp, time.Time{}), "ended already")
	end := get(t, s, func(r engine.Reader) ([]*webhook.Delivery, error) { return r.DeliveriesOf(merchantA, d.EventID) })[0]
	require.Equal(t, &webhook.Delivery{MerchantID: merchantA, EventID: d.EventID, EndpointID: "a", ProfileID: "pro", PaymentID: "pay_1", ObjectID: "pay_1", Number: 1,
		Class: "payments", Type: "payment_succeeded", CreatedAt: base, State: webhook.Delivered, Tries: 1, EndedAt: base, FirstID: "att_1"}, end)
}

func testBacklogs(t *testing.T, s engine.Store) {
	require.Empty(t, get(t, s, func(r engine.Reader) ([]webhook.Backlog, error) { return r.DueEndpoints() }))
	require.Empty(t, get(t, s, func(r engine.Reader) ([]webhook.Backlog, error) { return r.Backlogs() }))
	for i := range 3 {
		happen(t, s, fmt.Sprint("pay_", i), 1, base.Add(time.Duration(i)*time.Hour))
	}
	happen(t, s, "pay_0", 2, base.Add(5*time.Hour))
	fanOut(t, s, "a", "b", "c")
	far := time.Now().UTC().Add(time.Hour).Truncate(time.Millisecond)
	for _, d := range claimDeliveries(t, s, "a", "n", time.Hour) {
		book(t, s, d, "n", webhook.Open, far)
	}
	for range 2 {
		for _, d := range claimDeliveries(t, s, "c", "n", time.Hour) {
			book(t, s, d, "n", webhook.Delivered, time.Time{})
		}
	}
	names := func(list []webhook.Backlog) []string {
		return ids(list, func(b webhook.Backlog) string { return b.MerchantID + "/" + b.EndpointID })
	}
	due := get(t, s, func(r engine.Reader) ([]webhook.Backlog, error) { return r.DueEndpoints() })
	require.Equal(t, []string{merchantA + "/b"}, names(due))
	open := get(t, s, func(r engine.Reader) ([]webhook.Backlog, error) { return r.Backlogs() })
	require.Equal(t, []string{merchantA + "/a", merchantA + "/b"}, names(open))
	require.Equal(t, []time.Time{base, far}, []time.Time{open[0].Oldest, open[0].Due})
	oldest := func(id string) time.Time {
		return get(t, s, func(r engine.Reader) (time.Time, error) { return r.OldestOpen(id) })
	}
	require.Equal(t, []time.Time{base, {}}, []time.Time{oldest("a"), oldest("c")})
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.RecallDeliveries("a", 2)
		require.Equal(t, 2, n)
		return err
	})
	require.Len(t, claimDeliveries(t, s, "a", "n", time.Hour), 2)
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.ExpireDeliveries("a", base.Add(2*time.Hour), 100)
		require.Equal(t, 1, n, "the two others are under a lease")
		return err
	})
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.ExpireDeliveries("b", base, 100)
		require.Equal(t, 1, n)
		return err
	})
	require.Equal(t, base.Add(time.Hour), oldest("b"))
	require.Len(t, claimDeliveries(t, s, "b", "n", time.Hour), 3, "the payment's next one is due")
}

func testDeliveryLists(t *testing.T, s engine.Store) {
	refund := &payment.Refund{MerchantID: merchantA, ID: "ref_1", PaymentID: "pay_1"}
	dispute := &disputed.Record{MerchantID: merchantA, ID: "dp_1", PaymentID: "pay_3", ProcessorID: "du_1"}
	update(t, s, func(tx engine.Tx) error { return errors.Join(tx.InsertRefund(refund), tx.InsertDispute(dispute)) })
	for i := range 5 {
		happen(t, s, fmt.Sprint("pay_", i), 1, base.Add(time.Duration(i)*time.Second))
	}
	last := &payment.Event{ID: newids.NewEvent(base.Add(time.Hour), 2), MerchantID: merchantA, ProfileID: "pro_2", ObjectID: "ref_1", PaymentID: "pay_1", Number: 2,
		Class: "refunds", Type: "refund_failed", CreatedAt: base.Add(time.Hour)}
	opened := &payment.Event{ID: newids.NewEvent(base.Add(-time.Hour), 2), MerchantID: merchantA, ProfileID: "pro", ObjectID: "dp_1", PaymentID: "pay_3", Number: 2,
		Class: "disputes", Type: "dispute_opened", CreatedAt: base.Add(-time.Hour)}
	update(t, s, func(tx engine.Tx) error { return errors.Join(tx.InsertEvent(last), tx.InsertEvent(opened)) })
	fanOut(t, s, "a")
	for _, d := range claimDeliveries(t, s, "a", "n", time.Hour) {
		if d.ObjectID == "pay_2" {
			book(t, s, d, "n", webhook.Delivered, time.Time{})
		}
	}
	yes, no := true, false
	for _, c := range []struct {
		f     webhook.Filter
		total int
		want  []string
	}{
		{webhook.Filter{Limit: 2}, 7, []string{"ref_1", "pay_4"}},
		{webhook.Filter{Limit: 2, Offset: 4}, 7, []string{"pay_1", "pay_0"}},
		{webhook.Filter{Limit: 9, ObjectID: "pay_1"}, 1, []string{"pay_1"}},
		{webhook.Filter{Limit: 9, ObjectID: "ref_1"}, 1, []string{"ref_1"}},
		{webhook.Filter{Limit: 9, ObjectID: "dp_1"}, 1, []string{"dp_1"}},
		{webhook.Filter{Limit: 9, ObjectID: "none"}, 0, []string{}},
		{webhook.Filter{Limit: 9, EventID: last.ID}, 1, []string{"ref_1"}},
		{webhook.Filter{Limit: 9, ProfileID: "pro_2"}, 1, []string{"ref_1"}},
		{webhook.Filter{Limit: 9, Classes: []string{"refunds"}}, 1, []string{"ref_1"}},
		{webhook.Filter{Limit: 9, Types: []string{"refund_failed", "payment_failed"}}, 1, []string{"ref_1"}},
		{webhook.Filter{Limit: 9, Delivered: &yes}, 1, []string{"pay_2"}},
		{webhook.Filter{Limit: 1, Delivered: &no}, 6, []string{"ref_1"}},
		{webhook.Filter{Limit: 9, After: base.Add(3 * time.Second), Before: base.Add(4 * time.Second)}, 2, []string{"pay_4", "pay_3"}},
	} {
		list, total, err := read2(s, merchantA, c.f)
		require.NoError(t, err)
		require.Equal(t, c.total, total, "%+v", c.f)
		require.Equal(t, c.want, ids(list, func(d *webhook.Delivery) string { return d.ObjectID }), "%+v", c.f)
	}
	list, total, err := read2(s, merchantB, webhook.Filter{Limit: 9})
	require.NoError(t, err)
	require.Zero(t, total)
	require.Empty(t, list)
}

func read2(s engine.Store, merchantID string, f webhook.Filter) (list []*webhook.Delivery, total int, err error) {
	_, err = read(s, func(r engine.Reader) (int, error) { list, total, err = r.Deliveries(merchantID, f); return total, err })
	return list, total, err
}

func testDeleteEvents(t *testing.T, s engine.Store) {
	kept := happen(t, s, "pay_0", 1, base)
	gone := happen(t, s, "pay_1", 1, base)
	fanOut(t, s, "a")
	happen(t, s, "pay_2", 1, base)
	young := happen(t, s, "pay_3", 1, base.Add(time.Hour))
	for _, d := range claimDeliveries(t, s, "a", "n", time.Hour) {
		if d.EventID == gone.ID {
			book(t, s, d, "n", webhook.Delivered, time.Time{})
		}
	}
	a := &webhook.Attempt{MerchantID: merchantA, EventID: gone.ID, EndpointID: "a", ID: "att_1", Kind: webhook.ManualRetry, At: base, Took: time.Second, Status: 200, Sealed: []byte{1}}
	b := &webhook.Attempt{MerchantID: merchantA, EventID: gone.ID, EndpointID: "a", ID: "att_0", Kind: webhook.AutomaticRetry, At: base.Add(-time.Second), Failure: "f"}
	update(t, s, func(tx engine.Tx) error {
		if err := tx.InsertDeliveryAttempt(a); err != nil {
			return err
		}
		return tx.InsertDeliveryAttempt(b)
	})
	attempts := func() []*webhook.Attempt {
		return get(t, s, func(r engine.Reader) ([]*webhook.Attempt, error) { return r.DeliveryAttempts(merchantA, gone.ID) })
	}
	require.Equal(t, []*webhook.Attempt{b, a}, attempts())
	update(t, s, func(tx engine.Tx) error {
		last, n, err := tx.DeleteEvents(false, base, 0, 1)
		require.NoError(t, err)
		require.Zero(t, n, "it has an open delivery")
		require.NotZero(t, last)
		last, n, err = tx.DeleteEvents(false, base, last, 1)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.NotZero(t, last)
		last, n, err = tx.DeleteEvents(false, base, last, 2)
		require.Equal(t, []int64{0, 0}, []int64{last, int64(n)}, "one waits, one is young")
		return err
	})
	require.Empty(t, attempts())
	for _, e := range []*payment.Event{kept, gone, young} {
		_, err := read(s, func(r engine.Reader) (*payment.Event, error) { return r.Event(merchantA, e.ObjectID, e.ID) })
		if e == gone {
			require.ErrorIs(t, err, fault.ErrNotFound)
		} else {
			require.NoError(t, err)
		}
	}
	require.Empty(t, get(t, s, func(r engine.Reader) ([]*webhook.Delivery, error) { return r.DeliveriesOf(merchantA, gone.ID) }))
}

func testDeleteUndelivered(t *testing.T, s engine.Store) {
	for i, state := range []webhook.State{webhook.GivenUp, webhook.Delivered, webhook.Open} {
		e := happen(t, s, fmt.Sprint("pay_", i), 1, base)
		fanOut(t, s, "a")
		if d := claimDeliveries(t, s, "a", "n", time.Hour)[0]; state != webhook.Open {
			book(t, s, d, "n", state, time.Time{})
		}
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertDeliveryAttempt(&webhook.Attempt{MerchantID: merchantA, EventID: e.ID, EndpointID: "a", ID: e.ID, Kind: webhook.InitialAttempt, At: base.Add(time.Duration(i) * time.Hour)})
		})
	}
	update(t, s, func(tx engine.Tx) error {
		_, n, err := tx.DeleteEvents(true, base.Add(-time.Millisecond), 0, 100)
		require.Zero(t, n, "none is old enough")
		return err
	})
	left := func() []string {
		list, _, err := read2(s, merchantA, webhook.Filter{Limit: 9})
		require.NoError(t, err)
		return ids(list, func(d *webhook.Delivery) string { return d.ObjectID })
	}
	update(t, s, func(tx engine.Tx) error {
		_, n, err := tx.DeleteEvents(true, base, 0, 100)
		require.Equal(t, 1, n)
		return err
	})
	require.ElementsMatch(t, []string{"pay_1", "pay_2"}, left(), "what was delivered stays, and what is under way")
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.DeleteAttempts(base.Add(time.Hour), 100)
		require.Equal(t, 1, n, "the first event took its attempt with it")
		return err
	})
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.DeleteAttempts(base.Add(time.Hour), 100)
		require.Zero(t, n)
		return err
	})
}

func testFailing(t *testing.T, s engine.Store) {
	failing := func() []webhook.Failing {
		return get(t, s, func(r engine.Reader) ([]webhook.Failing, error) { return r.FailingEndpoints() })
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	one := webhook.Failing{EndpointID: "a", MerchantID: merchantA, Since: now.Add(-2 * time.Hour)}
	later := one
	later.Since = now
	update(t, s, func(tx engine.Tx) error { return tx.NoteFailing(later) })
	update(t, s, func(tx engine.Tx) error { return tx.NoteFailing(one) })
	update(t, s, func(tx engine.Tx) error { return tx.NoteFailing(later) })
	update(t, s, func(tx engine.Tx) error {
		return tx.NoteFailing(webhook.Failing{EndpointID: "b", MerchantID: merchantB, Since: now})
	})
	require.Equal(t, []webhook.Failing{one, {EndpointID: "b", MerchantID: merchantB, Since: now}}, failing(), "the earlier beginning counts")
	take := func(id string) (taken bool) {
		update(t, s, func(tx engine.Tx) (err error) { taken, err = tx.TakeAlarm(id, now.Add(-time.Hour)); return err })
		return taken
	}
	require.Equal(t, []bool{true, false, false, false}, []bool{take("a"), take("a"), take("b"), take("none")})
	update(t, s, func(tx engine.Tx) error { return tx.DeleteFailing("a") })
	update(t, s, func(tx engine.Tx) error { return tx.DeleteFailing("none") })
	require.Len(t, failing(), 1)
}
