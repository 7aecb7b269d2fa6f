package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// transactions tests port.StoreOf, on which all rooms rely: an Update is atomic and durable, a View is one snapshot, and the clock is the
// database's. Begin with these cases.
var transactions = room{
	name:  "transactions",
	kinds: nil,
	cases: []testCase{
		{"update: own writes, errors, clock", testUpdate},
		{"update: a failure leaves the others alone", testFailureAmongOthers},
		{"update: panic", testPanic},
		{"update: cancelled before", testCancelledBefore},
		{"update: cancelled after", testCancelledAfter},
		{"update: many at a time", testManyWriters},
		{"view: one snapshot", testSnapshot},
		{"view: cancelled, panic", testView},
		{"times are whole milliseconds UTC", testTimes},
	},
}

var errOwn = errors.New("the function's own error")

func amount(t testing.TB, s engine.Store, id string) int64 {
	t.Helper()
	return get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, id) }).Amount
}

func absent(t testing.TB, s engine.Store, id string) {
	t.Helper()
	_, err := read(s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, id) })
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testUpdate(t *testing.T, s engine.Store) {
	update(t, s, func(tx engine.Tx) error {
		now := tx.Now()
		if err := tx.InsertPayment(paymentRow("p")); err != nil {
			return err
		}
		own, err := tx.Payment(merchantA, "p")
		require.NoError(t, err, "a transaction reads what it wrote")
		require.EqualValues(t, 100, own.Amount)
		time.Sleep(3 * time.Millisecond)
		require.Equal(t, now, tx.Now(), "one clock")
		return nil
	})
	err := updateErr(s, func(tx engine.Tx) error {
		if err := tx.InsertPayment(paymentRow("q")); err != nil {
			return err
		}
		p, err := tx.Payment(merchantA, "p")
		if err != nil {
			return err
		}
		p.Amount = 5
		if err := tx.UpdatePayment(p); err != nil {
			return err
		}
		return errOwn
	})
	require.Equal(t, errOwn, err, "Update returns the function's error unchanged")
	absent(t, s, "q")
	require.EqualValues(t, 100, amount(t, s, "p"))
	update(t, s, func(tx engine.Tx) error { return tx.InsertPayment(paymentRow("q")) })

	// A reader gets rows of its own: changes to them stay there.
	got := get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "q") })
	got.Amount = 1
	require.EqualValues(t, 100, amount(t, s, "q"))
}

// testFailureAmongOthers runs many transactions at a time. Every third one fails after it has written.
func testFailureAmongOthers(t *testing.T, s engine.Store) {
	const callers, each = 12, 15
	insertPayments(t, s, paymentRow("counter"))
	count := func(tx engine.Tx) error {
		p, err := tx.Payment(merchantA, "counter")
		if err != nil {
			return err
		}
		p.Amount++
		return tx.UpdatePayment(p)
	}
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				p := paymentRow(fmt.Sprintf("p_%d_%d", c, i))
				fails := (c+i)%3 == 0
				err := updateErr(s, func(tx engine.Tx) error {
					if err := errors.Join(tx.InsertPayment(p), count(tx)); err != nil {
						return err
					}
					if fails {
						return errOwn
					}
					return tx.UpdatePayment(p)
				})
				switch {
				case fails && !errors.Is(err, errOwn):
					t.Errorf("%s: %v", p.ID, err)
				case !fails && (err != nil || p.Version != 2):
					t.Errorf("%s: version %d, %v", p.ID, p.Version, err)
				}
			}
		})
	}
	wg.Wait()
	good := 0
	for c := range callers {
		for i := range each {
			id := fmt.Sprintf("p_%d_%d", c, i)
			if (c+i)%3 == 0 {
				absent(t, s, id)
				continue
			}
			good++
			require.EqualValues(t, 100, amount(t, s, id))
		}
	}
	require.EqualValues(t, 100+good, amount(t, s, "counter"))
}

func testPanic(t *testing.T, s engine.Store) {
	for range 3 {
		err := updateErr(s, func(tx engine.Tx) error {
			if err := tx.InsertPayment(paymentRow("p")); err != nil {
				return err
			}
			panic("with a reason")
		})
		require.ErrorContains(t, err, "with a reason")
		absent(t, s, "p")
	}
	update(t, s, func(tx engine.Tx) error { return tx.InsertPayment(paymentRow("p")) })
	require.EqualValues(t, 100, amount(t, s, "p"))
}

func testCancelledBefore(t *testing.T, s engine.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := false
	err := s.Update(ctx, func(engine.Tx) error { ran = true; return nil })
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, ran)
}

func testCancelledAfter(t *testing.T, s engine.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	require.NoError(t, s.Update(ctx, func(tx engine.Tx) error {
		cancel()
		return tx.InsertPayment(paymentRow("p"))
	}))
	require.EqualValues(t, 100, amount(t, s, "p"))

	ctx, cancel = context.WithCancel(context.Background())
	require.Equal(t, errOwn, s.Update(ctx, func(tx engine.Tx) error {
		cancel()
		require.NoError(t, tx.InsertPayment(paymentRow("q")))
		return errOwn
	}), "Update reports the true outcome, not the context's error")
	absent(t, s, "q")
}

func testManyWriters(t *testing.T, s engine.Store) {
	const writers, each = 16, 25
	insertPayments(t, s, paymentRow("shared"))
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			mine := paymentRow(fmt.Sprintf("mine_%d", w))
			for i := range each {
				err := updateErr(s, func(tx engine.Tx) error { // read and write in one transaction, so that no update is lost
					p, err := tx.Payment(merchantA, "shared")
					if err != nil {
						return err
					}
					p.Amount++
					if err := tx.UpdatePayment(p); err != nil {
						return err
					}
					if i == 0 {
						return tx.InsertPayment(mine)
					}
					return tx.UpdatePayment(mine)
				})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		last := int64(0)
		for {
			select {
			case <-stop:
				return
			default:
			}
			p, err := read(s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "shared") })
			if err != nil || p.Amount < last {
				t.Errorf("read %v after %d: %v", p, last, err)
				return
			}
			last = p.Amount
		}
	})
	wg.Wait()
	close(stop)
	readers.Wait()
	require.EqualValues(t, 100+writers*each, amount(t, s, "shared"))
	require.EqualValues(t, each, get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "mine_3") }).Version)
}

func testSnapshot(t *testing.T, s engine.Store) {
	insertPayments(t, s, paymentRow("p"), paymentRow("q"))
	change := func(to int64) {
		update(t, s, func(tx engine.Tx) error {
			for _, id := range []string{"p", "q"} {
				p, err := tx.Payment(merchantA, id)
				if err != nil {
					return err
				}
				p.Amount = to
				if err := tx.UpdatePayment(p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, s.View(context.Background(), func(r engine.Reader) error {
		now := r.Now()
		p, err := r.Payment(merchantA, "p")
		require.NoError(t, err)
		require.EqualValues(t, 100, p.Amount)
		change(200)
		insertPayments(t, s, paymentRow("later"))
		q, err := r.Payment(merchantA, "q")
		require.NoError(t, err)
		require.EqualValues(t, 100, q.Amount, "the state at the first read")
		all, err := r.Payments(merchantA, "", request.ListInput{})
		require.NoError(t, err)
		require.Len(t, all, 2)
		require.Equal(t, now, r.Now())
		return nil
	}))
	require.EqualValues(t, 200, amount(t, s, "q"))
	require.EqualValues(t, 100, amount(t, s, "later"))
}

func testView(t *testing.T, s engine.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.View(ctx, func(engine.Reader) error { return errOwn }), context.Canceled)
	for range 40 { // more transactions than any pool has connections
		require.Equal(t, errOwn, s.View(context.Background(), func(engine.Reader) error { return errOwn }))
		require.Panics(t, func() { _ = s.View(context.Background(), func(engine.Reader) error { panic("in a view") }) })
	}
	insertPayments(t, s, paymentRow("p"))
	require.EqualValues(t, 100, amount(t, s, "p"))
}

func testTimes(t *testing.T, s engine.Store) {
	p := paymentRow("p")
	p.CreatedAt = time.Date(2026, 7, 1, 10, 0, 0, 987654321, time.FixedZone("", 2*60*60))
	insertPayments(t, s, p)
	got := get(t, s, func(r engine.Reader) (*payment.Payment, error) { return r.Payment(merchantA, "p") })
	require.Equal(t, time.Date(2026, 7, 1, 8, 0, 0, 987000000, time.UTC), got.CreatedAt)
	require.True(t, got.ExpiresAt.IsZero())

	before := time.Now().Add(-time.Minute) // the database has its own clock, at most a minute off
	for _, now := range []time.Time{
		get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil }),
		func() (now time.Time) {
			update(t, s, func(tx engine.Tx) error { now = tx.Now(); return nil })
			return now
		}(),
	} {
		require.Equal(t, now.Truncate(time.Millisecond), now)
		require.Equal(t, time.UTC, now.Location())
		require.WithinRange(t, now, before, time.Now().Add(time.Minute))
	}
}
