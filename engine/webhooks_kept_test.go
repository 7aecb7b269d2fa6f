package engine_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/webhook"
)

// TestEventsAreRemoved: events live as long as the setting says.
func TestEventsAreRemoved(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{}, nil)
		w.account("simulator", "")
		s := &shops{}
		w.deliverTo(s, engine.Options{EventsKeep: webhook.Keep{Delivered: 10 * 24 * time.Hour}})
		id := w.pay(sale(1000, visa)).Payment.ID
		time.Sleep(9 * 24 * time.Hour)
		require.Len(t, w.events(id), 1)
		require.Len(t, w.deliveries(webhook.Filter{}), 1)
		time.Sleep(25 * time.Hour)
		require.Empty(t, w.events(id))
		require.Empty(t, w.deliveries(webhook.Filter{}))
		var attempts []*webhook.Attempt
		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) {
			attempts, err = r.DeliveryAttempts("m1", s.of(hook)[0].event().ID)
			return err
		}))
		require.Empty(t, attempts)
		require.Equal(t, payment.Succeeded, w.get(id, request.RetrieveInput{}).Payment.Status)
	})
}

// TestKindsAreKept: each kind of row is kept for its own time.
func TestKindsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	day := 24 * time.Hour
	now := time.Now().UTC().Truncate(time.Millisecond)
	s := webhook.New(webhook.Deps{Store: port.Narrow[webhook.Reader, webhook.Tx](engine.Store(w.db)), Vault: w.vault, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Metrics: w.alarms}, webhook.Options{Node: "n", Keep: webhook.Keep{Delivered: 10 * day, Undelivered: 20 * day, Attempts: 6 * day}})
	for _, e := range []struct {
		id    string
		age   time.Duration
		state webhook.State
	}{{"failed 21", 21 * day, webhook.GivenUp}, {"failed 19", 19 * day, webhook.GivenUp}, {"taken 11", 11 * day, webhook.Delivered}, {"taken 9", 9 * day, webhook.Delivered},
		{"taken 5", 5 * day, webhook.Delivered}} {
		at := now.Add(-e.age)
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			if err := tx.InsertEvent(&payment.Event{MerchantID: "m1", ID: e.id, ObjectID: "pay_" + e.id, Number: 1, Class: "payments", Body: []byte{1}, CreatedAt: at}); err != nil {
				return err
			}
			waiting, err := tx.WaitingEvents(9)
			if err != nil {
				return err
			}
			if err := tx.FanOut(waiting[0].Row, []*webhook.Delivery{{MerchantID: "m1", EventID: e.id, EndpointID: "we", PaymentID: "pay_" + e.id, ObjectID: "pay_" + e.id, Number: 1,
				CreatedAt: at}}); err != nil {
				return err
			}
			list, err := tx.ClaimDeliveries("we", "n", tx.Now().Add(time.Minute).Truncate(time.Millisecond), 1)
			if err != nil {
				return err
			}
			lease := list[0].DueAt
			list[0].State, list[0].DueAt = e.state, time.Time{}
			if _, err := tx.BookDelivery(list[0], "n", lease); err != nil {
				return err
			}
			return tx.InsertDeliveryAttempt(&webhook.Attempt{MerchantID: "m1", EventID: e.id, EndpointID: "we", ID: "att " + e.id, Kind: webhook.InitialAttempt, At: at})
		}))
	}
	require.NoError(t, s.Sweep(t.Context()))
	kept := func() (events []string, attempts int) {
		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) error {
			list, total, err := r.Deliveries("m1", webhook.Filter{Limit: 9})
			require.Len(t, list, total)
			for _, d := range list {
				of, err := r.DeliveryAttempts("m1", d.EventID)
				if err != nil {
					return err
				}
				if _, err := r.Event("m1", d.ObjectID, d.EventID); err != nil {
					return err
				}
				events, attempts = append(events, d.EventID), attempts+len(of)
			}
			return err
		}))
		return events, attempts
	}
	events, attempts := kept()
	require.ElementsMatch(t, []string{"failed 19", "taken 9", "taken 5"}, events)
	require.Equal(t, 1, attempts, "those of the youngest event alone")
}

// TestOldEventsGoAtOnce: a sweep removes all old events, whatever stands before them. An endpoint that answers, but more slowly than events come, is given up
// on those that are older than the retention.
func TestOldEventsGoAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	old := time.Now().Add(-6 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	s := webhook.New(webhook.Deps{Store: port.Narrow[webhook.Reader, webhook.Tx](engine.Store(w.db)), Vault: w.vault, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Metrics: w.alarms}, webhook.Options{Keep: webhook.Keep{Delivered: 5 * 24 * time.Hour, Undelivered: 5 * 24 * time.Hour}})
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
		for i := range 1200 {
			id := fmt.Sprintf("evt_%04d", i)
			if err := tx.InsertEvent(&payment.Event{MerchantID: "m1", ID: id, ObjectID: "pay_" + id, PaymentID: "pay_" + id, Number: 1, Class: "payments",
				Type: "payment_failed", Body: []byte{1}, CreatedAt: old}); err != nil {
				return err
			}
		}
		waiting, err := tx.WaitingEvents(1200)
		for i, one := range waiting {
			var list []*webhook.Delivery
			if i < 2 { // the first is under way, the second waits behind it
				list = append(list, &webhook.Delivery{MerchantID: "m1", EventID: one.ID, EndpointID: "we_slow", PaymentID: one.PaymentID, ObjectID: one.ObjectID, Number: 1,
					CreatedAt: old})
			}
			if err == nil {
				err = tx.FanOut(one.Row, list)
			}
		}
		if err == nil {
			_, err = tx.ClaimDeliveries("we_slow", "another node", tx.Now().Add(time.Minute), 1)
		}
		return err
	}))
	require.NoError(t, s.Sweep(t.Context()))
	require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) error {
		left := 0
		for i := range 1200 {
			if _, err := r.Event("m1", fmt.Sprintf("pay_evt_%04d", i), fmt.Sprintf("evt_%04d", i)); err == nil {
				left++
			}
		}
		require.Equal(t, 1, left, "the event whose delivery is under way stays")
		return nil
	}))
}
