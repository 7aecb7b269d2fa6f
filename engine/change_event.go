package engine

import (
	"time"
)

// eventOf makes the merchant's event of a change; nil when nothing changed that merchants are told of.
func (s *Changes) eventOf(w *loaded, p *Payment, a *Attempt, now time.Time) (*Event, error) {
	kind := p.Status.facts().Event
	announced := announcement(p, a)
	if kind == "" || announced == p.Details.Announced {
		return nil, nil
	}
	p.Details.Announced = announced
	v := s.view(&loaded{run: run{p: p, a: a}, method: w.method, merchant: w.merchant, profile: w.profile})
	v.ManualRetryAllowed = s.retryAllowed(p, w.profile, now)
	return s.paymentEvent(kind, now, v)
}

// paymentEvent renders and seals an event of a payment.
func (s *Changes) paymentEvent(kind string, now time.Time, v *PaymentView) (*Event, error) {
	ev := &Event{ID: newEventID(now), MerchantID: v.Payment.MerchantID, ProfileID: v.Payment.ProfileID, ObjectID: v.Payment.ID, Class: "payments", Type: kind, CreatedAt: now}
	body, err := s.Presenter.PaymentEvent(ev.ID, ev.Type, now, v)
	if err != nil {
		return nil, Internal(err, "render event")
	}
	if ev.Body, err = s.Vault.Seal(body, eventAD(ev.MerchantID, ev.ID)); err != nil {
		return nil, Internal(err, "seal event")
	}
	return ev, nil
}
