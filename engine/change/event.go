package change

import (
	"context"
	"strconv"
	"time"

	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
)

// eventOf makes the merchant's event of a change, or nil if nothing changed that merchants get an event for.
func (s *Changes) eventOf(ctx context.Context, w *Loaded, p *payment.Payment, a *payment.Attempt, now time.Time) (*payment.Event, error) {
	kind := p.Status.Facts().Event
	announced := announcement(p, a)
	if kind == "" || announced == p.Details.Announced {
		return nil, nil
	}
	p.Details.Announced = announced
	p.Details.Events++
	s.LoadCustomer(ctx, w)
	v := s.View(&Loaded{Run: drive.Run{Payment: p, Attempt: a}, Customer: w.Customer, Method: w.Method, Merchant: w.Merchant, Profile: w.Profile})
	v.ManualRetryAllowed = s.RetryAllowed(p, a, w.Profile, now)
	return s.paymentEvent(kind, now, v)
}

// announcement identifies a state for which merchants receive one event. A further partial capture makes a new state.
func announcement(p *payment.Payment, a *payment.Attempt) string {
	s := string(p.Status) + "/" + strconv.Itoa(a.Number)
	if a.Captured > 0 {
		s += "/" + strconv.FormatInt(a.Captured, 10)
	}
	return s
}

// RefundEvent makes the merchant's event of a refund's new status, nil for a status that has no event. It counts the event in p, the payment that
// the change writes.
func (s *Changes) RefundEvent(p *payment.Payment, r *payment.Refund, now time.Time) (*payment.Event, error) {
	kind := r.Status.Event()
	if kind == "" {
		return nil, nil
	}
	p.Details.Events++
	ev := &payment.Event{ID: ids.NewEvent(now, p.Details.Events), MerchantID: r.MerchantID, ProfileID: r.ProfileID, ObjectID: r.ID, PaymentID: r.PaymentID, Number: p.Details.Events,
		Class: "refunds", Type: kind, CreatedAt: now}
	body, err := s.Presenter.RefundEvent(ev.ID, ev.Type, now, r)
	if err != nil {
		return nil, fault.Internal(err, "render event")
	}
	return s.sealEvent(ev, body)
}

// paymentEvent renders and seals an event of a payment.
func (s *Changes) paymentEvent(kind string, now time.Time, v *View) (*payment.Event, error) {
	ev := &payment.Event{ID: ids.NewEvent(now, v.Payment.Details.Events), MerchantID: v.Payment.MerchantID, ProfileID: v.Payment.ProfileID, ObjectID: v.Payment.ID, Number: v.Payment.Details.Events,
		Class: "payments", Type: kind, CreatedAt: now}
	body, err := s.Presenter.PaymentEvent(ev.ID, ev.Type, now, v)
	if err != nil {
		return nil, fault.Internal(err, "render event")
	}
	return s.sealEvent(ev, body)
}

func (s *Changes) sealEvent(ev *payment.Event, body []byte) (_ *payment.Event, err error) {
	if ev.Body, err = s.Vault.Seal(vault.PackEvent(body), vault.EventAD(ev.MerchantID, ev.ID)); err != nil {
		return nil, fault.Internal(err, "seal event")
	}
	return ev, nil
}
