package scheme

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// Kept is how long a decline counts. No limit of a scheme looks further back.
const Kept = 30 * day

// MostKept is how many declines of a card are kept: as many as the largest limit.
const MostKept = 35

// Decline is one decline of a card at a merchant, as the limits see it.
type Decline struct {
	At    time.Time
	Never time.Time // no attempt before, because the scheme forbids another one; zero: it does not
	Wait  time.Time // no attempt before, because the scheme asks to wait; zero: it does not
}

// Declines are those of a card at a merchant. The zero value has none.
type Declines struct {
	Times       []time.Time // in any order
	Never, Wait time.Time   // the latest of each Decline
	Held        int         // repeats that are under way
}

// Note returns what a decline means to the limits.
func Note(network sdk.CardNetwork, d sdk.Decline, now time.Time) Decline {
	n := Decline{At: now}
	if forbidden(network, d) {
		n.Never = now.Add(Kept)
	}
	if wait := adviceLater[d.AdviceCode]; wait > 0 && network != sdk.Visa {
		n.Wait = now.Add(wait)
	}
	return n
}

// Counts reports whether a decline is one of an authorization that a scheme may have seen. A payer who gave up and a failed authentication led to no
// authorization.
func Counts(d sdk.Decline) bool {
	return d.Reason != sdk.DeclineAbandoned && d.Reason != sdk.DeclineAuthenticationFailed
}

// With returns the declines and one more.
func (d Declines) With(n Decline) Declines {
	d.Times = append(slices.Clone(d.Times), n.At)
	d.Never, d.Wait = later(d.Never, n.Never), later(d.Wait, n.Wait)
	return d
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// limit is how many declines of a card a scheme lets a merchant collect within a time. The attempt after them costs a fee.
type limit struct {
	most   int
	within time.Duration
}

// limitsOf returns the limits of a network. Visa: a declined payment without the card present, and 15 retries. Mastercard: whatever the amounts.
// Sources: Visa Core Rules, Mastercard Transaction Processing Excellence.
func limitsOf(n sdk.CardNetwork) []limit {
	switch n {
	case sdk.Visa:
		return []limit{{16, 30 * day}}
	case sdk.Mastercard, sdk.Maestro:
		return []limit{{10, day}, {35, 30 * day}}
	}
	return nil
}

// Refusal is why the scheme of a card allows no further attempt.
type Refusal string

// The refusals.
const (
	RefusedNever Refusal = "never" // the issuer will never approve
	RefusedWait  Refusal = "wait"  // the issuer asked to wait
	RefusedLimit Refusal = "limit" // the merchant has collected as many declines as a limit allows
)

// Standing is how a card stands at a merchant. The json names are storage format.
type Standing struct {
	// Declined, Most and Seconds are of the limit that is nearest: declines so far, how many it allows, and within which time. Most is 0 for a
	// network without limits.
	Declined int   `json:"n"`
	Most     int   `json:"m,omitempty"`
	Seconds  int64 `json:"s,omitempty"`
	// Near is the warning: three quarters of the limit are used.
	Near bool `json:"w,omitempty"`
	// Refused says why a further attempt is not allowed, "" if it is. Again is when it will be.
	Refused Refusal   `json:"r,omitempty"`
	Again   time.Time `json:"a,omitzero"`
}

// Room returns how many further attempts the limit allows.
func (s Standing) Room() int {
	if s.Most == 0 {
		return MostKept
	}
	return max(s.Most-s.Declined, 0)
}

// Within returns the time of the nearest limit.
func (s Standing) Within() time.Duration { return time.Duration(s.Seconds) * time.Second }

// Of returns how a card stands with its declines.
func (d Declines) Of(network sdk.CardNetwork, now time.Time) Standing {
	times := slices.SortedFunc(slices.Values(d.Times), time.Time.Compare)
	recent := func(within time.Duration) []time.Time {
		first, _ := slices.BinarySearchFunc(times, now.Add(-within), func(t, from time.Time) int {
			if t.After(from) {
				return 1
			}
			return -1
		})
		return times[first:]
	}
	s := Standing{Declined: len(recent(Kept))}
	for i, l := range limitsOf(network) {
		in := recent(l.within)
		if i == 0 || len(in)*s.Most > s.Declined*l.most || len(in) >= l.most {
			s.Declined, s.Most, s.Seconds = len(in), l.most, int64(l.within/time.Second)
		}
		if len(in) >= l.most {
			s.Refused, s.Again = RefusedLimit, later(s.Again, in[len(in)-l.most].Add(l.within))
		}
	}
	s.Near = s.Most > 0 && 4*s.Declined >= 3*s.Most
	if d.Wait.After(now) && !d.Wait.Before(s.Again) {
		s.Refused, s.Again = RefusedWait, d.Wait
	}
	if d.Never.After(now) {
		s.Refused, s.Again = RefusedNever, later(s.Again, d.Never)
	}
	return s
}

// Attempt is the effect of the limits on one attempt. The json names are storage format.
type Attempt struct {
	Card string `json:"c"` // a keyed hash of the card, or of the processor's reference that is charged
	// Binds is true if what goes beyond the limits is not sent.
	Binds bool `json:"b,omitempty"`
	// HeldUntil is the time until which the attempt counts as one under way; zero: it does not count.
	HeldUntil time.Time `json:"h,omitzero"`
	// Standing is how the card stood after the attempt's decline, nil without one.
	Standing *Standing `json:"s,omitempty"`
}

// Next returns what the limits mean to the attempt that follows with the same card. It is nil for nil.
func (a *Attempt) Next() *Attempt {
	if a == nil {
		return nil
	}
	return &Attempt{Card: a.Card, Binds: a.Binds}
}
