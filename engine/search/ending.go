package search

import (
	"context"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// usualHold is how long a hold counts as valid whose end no processor has stated. The card networks let holds of payments without the card lapse after seven
// days.
const usualHold = 7 * 24 * time.Hour

// mostHeld is the number of held payments that EndingHolds looks at. Those younger than youngHold are left out: the shortest holds last longer.
const mostHeld, youngHold = 500, 2 * 24 * time.Hour

// Ending are a merchant's payments whose hold ends soon, or has ended.
type Ending struct {
	Soon, Over int       // holds that end within the time asked for, and holds that have ended
	First      string    // id of the payment whose hold ends next; "" without one
	At         time.Time // when that hold ends
	Guessed    bool      // the processor has not stated At: it is the networks' usual end
	Newest     time.Time // when the newest of these payments was created
	More       bool      // the merchant holds more than were looked at
}

// EndingHolds counts the payments whose held money lapses within a time, unless the merchant captures or releases it. It looks at the 500 newest payments
// that have held money for two days or longer.
func (s *Search) EndingHolds(ctx context.Context, auth account.Auth, now time.Time, within time.Duration) (*Ending, error) {
	if auth.Publishable {
		return nil, fault.Unauthorized()
	}
	var held []string
	for _, status := range StatusWords["held"] {
		held = append(held, string(status))
	}
	found := &Found{}
	hits, err := s.hits(ctx, auth, &Query{Filter: request.PaymentFilter{Statuses: held, To: now.Add(-youngHold)}, Limit: mostHeld}, found)
	if err != nil {
		return nil, err
	}
	var out *Ending
	err = s.Store.View(ctx, func(r change.Reader) error {
		out = &Ending{More: found.Bounded || len(hits) > mostHeld}
		loaded, err := loadHits(r, auth.MerchantID, hits[:min(len(hits), mostHeld)])
		for _, w := range loaded {
			out.count(w.Payment, w.Attempt, now, now.Add(within))
		}
		return err
	})
	return out, fault.FromStore(err, "look for holds that end")
}

// count adds a held payment.
func (e *Ending) count(p *payment.Payment, a *payment.Attempt, now, before time.Time) {
	ends, guessed := a.CreatedAt.Add(usualHold), true
	if h := a.Details.Hold; h != nil && h.CaptureBefore > 0 {
		ends, guessed = time.UnixMilli(h.CaptureBefore).UTC(), false
	}
	if !a.Holds() || !ends.Before(before) {
		return
	}
	if p.CreatedAt.After(e.Newest) {
		e.Newest = p.CreatedAt
	}
	if !ends.After(now) {
		e.Over++
		return
	}
	if e.Soon++; e.First == "" || ends.Before(e.At) {
		e.First, e.At, e.Guessed = p.ID, ends, guessed
	}
}
