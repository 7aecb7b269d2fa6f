package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/method"
	"payswitch/engine/request"
	"payswitch/engine/webhook"
)

// TestRedeliverUnderWay repeats a delivery by hand while the switch itself makes it. Whichever ends first, the event counts as taken if one attempt was.
// The next event of the payment follows once, and the API shows every request that was sent.
func TestRedeliverUnderWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ first, second webhook.Reply }{
		"the switch's own attempt fails":     {webhook.Reply{Status: 500}, webhook.Reply{Status: 200}},
		"the attempt by hand fails":          {webhook.Reply{Status: 200}, webhook.Reply{Status: 500}},
		"the endpoint takes the event twice": {webhook.Reply{Status: 200}, webhook.Reply{Status: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				var calls atomic.Int64
				s := &shops{answer: func(context.Context, string, int) webhook.Reply {
					switch calls.Add(1) {
					case 1:
						time.Sleep(10 * time.Second)
						return c.first
					case 2:
						return c.second
					}
					return webhook.Reply{Status: 200}
				}}
				w := newDelivering(t, s)
				id := w.pay(sale(1000, visa, manual)).Payment.ID
				time.Sleep(time.Second) // the first delivery is under way
				_, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
				require.NoError(t, err)
				list := w.deliveries(webhook.Filter{Types: []string{"payment_authorized"}})
				require.Len(t, list, 1)
				event := list[0].EventID
				by, err := w.Webhooks.Redeliver(t.Context(), w.auth, event, "")
				require.NoError(t, err)
				require.Equal(t, c.second.Status, by.Status)
				time.Sleep(time.Minute)
				require.EqualValues(t, 3, calls.Load(), "one request by the switch, one by hand, and the next event")
				taken := s.types(hook)
				require.Contains(t, taken, "payment_succeeded")
				require.Len(t, w.deliveries(webhook.Filter{Delivered: ptr(true)}), 2)
				attempts, err := w.Webhooks.EventAttempts(t.Context(), w.auth, event)
				require.NoError(t, err)
				kinds, first := map[webhook.AttemptKind]int{}, ""
				for _, a := range attempts {
					if kinds[a.Kind] = a.Status; a.Kind == webhook.InitialAttempt {
						first = a.ID
					}
				}
				require.Equal(t, first, attempts[0].Delivery.FirstID)
				require.Equal(t, map[webhook.AttemptKind]int{webhook.InitialAttempt: c.first.Status, webhook.ManualRetry: c.second.Status}, kinds)
			})
		})
	}
}

// TestSameAddressTwice: endpoints with one address are endpoints of their own. Each gets the event, signed with its own secret.
func TestSameAddressTwice(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := &shops{}
		w := newDelivering(t, s)
		url := hook
		for range 2 {
			_, err := w.Webhooks.CreateEndpoint(t.Context(), w.auth, w.profile.ID, webhook.EndpointInput{URL: &url})
			require.NoError(t, err)
		}
		w.pay(sale(1000, visa))
		time.Sleep(time.Second)
		got, signatures := s.of(hook), map[string]bool{}
		require.Len(t, got, 3)
		for _, r := range got {
			require.Equal(t, got[0].body, r.body)
			require.Equal(t, got[0].header.Get("webhook-id"), r.header.Get("webhook-id"))
			signatures[r.header.Get("webhook-signature")] = true
		}
		require.Len(t, signatures, 3)
	})
}

// TestEventOfADeletedCustomer: an event from before the customer's deletion arrives as it was, and can be shown and repeated.
func TestEventOfADeletedCustomer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		var up atomic.Bool
		s := &shops{answer: func(context.Context, string, int) webhook.Reply {
			return webhook.Reply{Status: map[bool]int{true: 200, false: 503}[up.Load()]}
		}}
		w := newDelivering(t, s)
		_, err := w.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "cus_1"})
		require.NoError(t, err)
		w.pay(sale(1000, visa, func(in *request.Input) { in.CustomerID = "cus_1" }))
		time.Sleep(time.Second)
		require.NoError(t, w.DeleteCustomer(t.Context(), w.auth, "cus_1"))
		up.Store(true)
		time.Sleep(5 * time.Minute)
		got := s.of(hook)
		require.Greater(t, len(got), 1)
		require.True(t, got[len(got)-1].ok)
		require.Equal(t, got[0].body, got[len(got)-1].body)
		event := w.deliveries(webhook.Filter{})[0].EventID
		again, err := w.Webhooks.Redeliver(t.Context(), w.auth, event, "")
		require.NoError(t, err)
		require.Equal(t, got[0].body, string(again.Body))
	})
}

// TestBacklogIsMeasured: an endpoint is down for hours. The metrics and the endpoint's own record say since when, no other endpoint seems late, and the
// endpoint is never disabled. After it has answered nothing is left.
func TestBacklogIsMeasured(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{}, nil)
		w.account("simulator", "")
		well, dead := "https://shop.test/well", atomic.Bool{}
		dead.Store(true)
		s := &shops{answer: func(_ context.Context, url string, _ int) webhook.Reply {
			return webhook.Reply{Status: map[bool]int{true: 503, false: 200}[dead.Load() && url == hook]}
		}}
		w.deliverTo(s, engine.Options{ResolveEvery: 10 * time.Second, WebhookPoll: 30 * time.Second})
		_, err := w.Webhooks.CreateEndpoint(t.Context(), w.auth, w.profile.ID, webhook.EndpointInput{URL: &well})
		require.NoError(t, err)
		for range 12 {
			w.pay(sale(1000, visa))
		}
		time.Sleep(3 * time.Hour)
		first := w.deliveries(webhook.Filter{})
		measured := func() (time.Duration, int) {
			w.alarms.Lock()
			defer w.alarms.Unlock()
			return w.alarms.oldest, w.alarms.failing
		}
		oldest, failing := measured()
		require.InDelta(t, 3*time.Hour, oldest, float64(5*time.Minute))
		require.Equal(t, 1, failing)
		list, err := w.Webhooks.Endpoints(t.Context(), w.auth, w.profile.ID)
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, first[len(first)-1].CreatedAt, list[0].OldestUndelivered)
		require.WithinDuration(t, first[0].CreatedAt, list[0].FailingSince, time.Minute)
		require.Equal(t, []any{true, true, false}, []any{list[1].OldestUndelivered.IsZero(), list[1].FailingSince.IsZero(), list[0].Disabled})

		dead.Store(false)
		time.Sleep(time.Hour)
		oldest, failing = measured()
		require.Zero(t, oldest)
		require.Zero(t, failing)
		list, err = w.Webhooks.Endpoints(t.Context(), w.auth, w.profile.ID)
		require.NoError(t, err)
		require.Equal(t, []bool{true, true}, []bool{list[0].OldestUndelivered.IsZero(), list[0].FailingSince.IsZero()})
		require.Len(t, s.types(hook), 12)
	})
}
