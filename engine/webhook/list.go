package webhook

import (
	"context"
	"errors"
	"net/http"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// EventsKept is how far back the event API looks.
const EventsKept = 90 * 24 * time.Hour

// maxListed bounds a list.
const maxListed = 100

// ListEvents lists deliveries, newest first; an event has one for each of its endpoints. Errors: IR_16 for object_id or event_id with other filters,
// IR_06 (422) for a limit or a time that is out of bounds, HE_02 for the profile.
func (s *Service) ListEvents(ctx context.Context, a account.Auth, f Filter) (list []*Delivery, total int, err error) {
	others := len(f.Classes) > 0 || len(f.Types) > 0 || f.Delivered != nil || !f.After.IsZero() || !f.Before.IsZero() || f.Limit != 0 || f.Offset != 0
	switch {
	case f.ObjectID != "" && f.EventID != "":
		return nil, 0, fault.Refused("Either `object_id` or `event_id` can be sent, not both").WithParam("event_id").WithHint("Leave one of the two out.")
	case (f.ObjectID != "" || f.EventID != "") && others:
		return nil, 0, fault.Refused("`object_id` and `event_id` cannot be combined with other filters").WithParam("object_id").WithHint("Leave the other filters out.")
	case f.Limit < 0 || f.Limit > maxListed:
		return nil, 0, fault.Unprocessable("limit", limitText(f.Limit)).WithHint("Send a whole number from 1 to 100.")
	case f.Offset < 0:
		return nil, 0, fault.Unprocessable("offset", "offset should not be negative").WithHint("Send 0 or more.")
	}
	oldest := s.Now().Add(-EventsKept)
	for _, at := range []struct {
		name string
		time time.Time
	}{{"created_after", f.After}, {"created_before", f.Before}} {
		if !at.time.IsZero() && at.time.Before(oldest) {
			return nil, 0, fault.Unprocessable(at.name, at.name+" should be within the last 90 days").WithHint("Send a time of the last 90 days.")
		}
	}
	if !f.Before.IsZero() && f.After.After(f.Before) {
		return nil, 0, fault.Unprocessable("created_after", "created_after should not be later than created_before").WithHint("Exchange the two times.")
	}
	if f.Limit == 0 {
		f.Limit = maxListed
	}
	if f.After.IsZero() {
		f.After = oldest
	}
	if a.ProfileID != "" {
		if f.ProfileID != "" && f.ProfileID != a.ProfileID {
			return nil, 0, account.ProfileNotFound(f.ProfileID)
		}
		f.ProfileID = a.ProfileID
	}
	if f.ProfileID != "" {
		if _, err := s.Dir.Profile(ctx, a.MerchantID, f.ProfileID); err != nil {
			return nil, 0, fault.FromStore(err, "read profile")
		}
	}
	err = s.Store.View(ctx, func(r Reader) (err error) { list, total, err = r.Deliveries(a.MerchantID, f); return err })
	return list, total, fault.FromStore(err, "list events")
}

// limitText returns the API's text about a limit that is out of bounds. The bound itself is allowed, whatever the first text says.
func limitText(limit int) string {
	if limit > maxListed {
		return "`limit` must be a number less than 100"
	}
	return "limit should be between 1 and 100"
}

// AttemptView is an attempt with its request.
type AttemptView struct {
	*Attempt
	Delivery *Delivery
	Headers  [][2]string // of the request, with the merchant's own ones masked
	Body     []byte      // of the request
}

// EventAttempts lists the attempts of an event, oldest first. Errors: HE_02.
func (s *Service) EventAttempts(ctx context.Context, a account.Auth, eventID string) (out []*AttemptView, err error) {
	var list []*Delivery
	var attempts []*Attempt
	err = s.Store.View(ctx, func(r Reader) (err error) {
		if list, err = deliveriesOf(r, a, eventID); err == nil {
			attempts, err = r.DeliveryAttempts(a.MerchantID, eventID)
		}
		return err
	})
	if err != nil {
		return nil, fault.FromStore(err, "list attempts")
	}
	targets := map[string]*target{}
	for _, at := range attempts {
		for _, d := range list {
			if d.EndpointID != at.EndpointID {
				continue
			}
			v, err := s.shown(ctx, d, at, targets)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// shown makes the view of an attempt. targets keeps what was read for earlier ones.
func (s *Service) shown(ctx context.Context, d *Delivery, at *Attempt, targets map[string]*target) (*AttemptView, error) {
	v := &AttemptView{Attempt: at, Delivery: d}
	if err := s.openAnswer(at); err != nil {
		return nil, fault.Internal(err, "open attempt")
	}
	t := targets[d.EndpointID]
	if t == nil {
		var err error
		var gone errGone
		if t, err = s.target(ctx, d); errors.As(err, &gone) {
			t = &target{}
			var ev *payment.Event
			if err = s.Store.View(ctx, func(r Reader) (err error) { ev, err = r.Event(d.MerchantID, d.ObjectID, d.EventID); return err }); err == nil {
				t.body, err = s.bodyOf(ev)
			}
		}
		if err != nil {
			return nil, fault.FromStore(err, "read event")
		}
		targets[d.EndpointID] = t
	}
	var h http.Header
	h, err := t.headers(d.EventID, at.At)
	v.Headers, v.Body = redacted(h), t.body
	return v, err
}

func deliveriesOf(r Reader, a account.Auth, eventID string) ([]*Delivery, error) {
	list, err := r.DeliveriesOf(a.MerchantID, eventID)
	if err == nil && (len(list) == 0 || a.ProfileID != "" && list[0].ProfileID != a.ProfileID) {
		err = fault.NotFound("Event")
	}
	return list, err
}

// Redeliver sends an event again at once and returns the attempt. endpointID "" chooses an endpoint that has not received the event, or else the
// first. Errors: HE_02; IR_16 if the endpoint is gone.
func (s *Service) Redeliver(ctx context.Context, a account.Auth, eventID, endpointID string) (*AttemptView, error) {
	var d *Delivery
	err := s.Store.View(ctx, func(r Reader) error {
		list, err := deliveriesOf(r, a, eventID)
		for _, one := range list {
			if endpointID == "" && (d == nil || d.State == Delivered && one.State != Delivered) || one.EndpointID == endpointID {
				d = one
			}
		}
		if err == nil && d == nil {
			err = fault.NotFound("Webhook endpoint of the event")
		}
		return err
	})
	if err != nil {
		return nil, fault.FromStore(err, "read event")
	}
	if !s.takeByHand(a.MerchantID, 1) {
		return nil, &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "Too many events are being sent again at this moment; try again"}
	}
	defer s.takeByHand(a.MerchantID, -1)
	at, gone := s.attempt(ctx, d, ManualRetry)
	if gone {
		return nil, fault.Refused("The event cannot be sent again: " + at.Failure).WithParam("event_id").WithHint("Mend the endpoint first.")
	}
	err = s.Store.Update(context.WithoutCancel(ctx), func(tx Tx) error {
		if at.Failure == "" {
			n := *d
			n.State, n.EndedAt = Delivered, tx.Now()
			if err := tx.ConcludeDelivery(&n); err != nil {
				return err
			}
		}
		return tx.InsertDeliveryAttempt(at)
	})
	if err != nil {
		return nil, fault.FromStore(err, "book attempt")
	}
	s.Wake()
	if at.Failure == "" {
		d.State = Delivered
	}
	return s.shown(ctx, d, at, map[string]*target{})
}

// takeByHand takes room for a delivery by hand, or with n = -1 gives it back. It returns false without room.
func (s *Service) takeByHand(merchantID string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > 0 && s.byHand.room(merchantID) == 0 {
		return false
	}
	s.byHand.take(merchantID, n)
	return true
}
