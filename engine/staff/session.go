package staff

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// StepUpTime is how long a second factor counts as fresh.
const StepUpTime = 5 * time.Minute

// Grant is one role at one merchant.
type Grant struct {
	MerchantID string `json:"merchant_id"` // "": every merchant, and the installation
	Role       Role   `json:"role"`
	// Limits are the largest refunds without further proof, in minor units by currency. Support refunds nothing above them.
	Limits map[sdk.Currency]int64 `json:"limits,omitempty"`
}

// Covers reports whether g is about a merchant. merchantID "" stands for the installation.
func (g Grant) Covers(merchantID string) bool {
	return g.MerchantID == "" || g.MerchantID == merchantID
}

// Session is the person behind a request, as Service.Session found them. It is a copy: nothing in it changes the store.
type Session struct {
	ID     string // names the session on pages; it is no secret
	UserID string
	Name   string
	Email  string
	Grants []Grant
	// SecondFactorAt is when a second factor was last given in this session; zero: never.
	SecondFactorAt time.Time
	TimeZone       string // IANA name; "": UTC
	Theme          string // light, dark, or "": as the browser prefers
	Live           bool   // the installation has live keys (keys.environment prd)
	CreatedAt      time.Time
	Stage          Stage    // only in Full there are Grants
	Ways           []Factor // what the person may give next: to finish the login, or to confirm a change
	HasSecond      bool     // the user has a second factor
}

// May reports whether the person may do p at a merchant, at least in part: pages show what May allows. merchantID "" asks for the
// installation, which the permissions of operators are about.
func (s *Session) May(p Permission, merchantID string) bool { return s.Reach(p, merchantID) > Never }

// Reach returns the greatest reach of a permission over the person's grants.
func (s *Session) Reach(p Permission, merchantID string) Reach {
	best := Never
	for _, g := range s.Grants {
		if g.Covers(merchantID) {
			best = max(best, ReachOf(g.Role, p))
		}
	}
	return best
}

// MayOn is May for a change: live says that it is about a live account or a live key.
func (s *Session) MayOn(p Permission, merchantID string, live bool) bool {
	r := s.Reach(p, merchantID)
	return r > TestOnly || r == TestOnly && !live
}

// MayAnywhere reports whether the person may do p at any merchant, or for the installation.
func (s *Session) MayAnywhere(p Permission) bool {
	return slices.ContainsFunc(s.Grants, func(g Grant) bool { return ReachOf(g.Role, p) > Never })
}

// Has reports whether the person has a role at a merchant.
func (s *Session) Has(r Role, merchantID string) bool {
	return slices.ContainsFunc(s.Grants, func(g Grant) bool { return g.Role == r && g.Covers(merchantID) })
}

// Merchants returns the merchants that the person has a role at. all is true if a grant covers every merchant.
func (s *Session) Merchants() (ids []string, all bool) {
	for _, g := range s.Grants {
		if g.MerchantID == "" {
			all = true
		} else if !slices.Contains(ids, g.MerchantID) {
			ids = append(ids, g.MerchantID)
		}
	}
	return ids, all
}

// MerchantsFor returns the merchants at which the person has a permission. all is true if a grant that covers every merchant gives it.
func (s *Session) MerchantsFor(p Permission) (ids []string, all bool) {
	may := Session{Grants: slices.DeleteFunc(slices.Clone(s.Grants), func(g Grant) bool { return ReachOf(g.Role, p) == Never })}
	return may.Merchants()
}

// Fresh reports whether a second factor was given within StepUpTime before now.
func (s *Session) Fresh(now time.Time) bool {
	return !s.SecondFactorAt.IsZero() && now.Sub(s.SecondFactorAt) < StepUpTime
}

// Answer is the result of MayMove.
type Answer int

// The answers.
const (
	Refused Answer = iota
	StepUp         // allowed with a fresh second factor
	Allowed
)

// Limit returns the largest amount that the person may move at a merchant. limited is false for a person without a limit; an admin's limit only asks
// for a second factor.
func (s *Session) Limit(merchantID string, currency sdk.Currency) (most int64, limited bool) {
	for _, g := range s.Grants {
		if !g.Covers(merchantID) {
			continue
		}
		switch ReachOf(g.Role, MoveMoney) {
		case Always, TestOnly:
			return 0, false
		case ToLimit:
			most = max(most, g.Limits[currency])
		}
	}
	return most, true
}

// Bound returns the largest amount that MayMove allows. bounded is false if it allows every amount.
func (s *Session) Bound(merchantID string, currency sdk.Currency, live bool, now time.Time) (most int64, bounded bool) {
	for _, g := range s.Grants {
		if !g.Covers(merchantID) {
			continue
		}
		switch ReachOf(g.Role, MoveMoney) {
		case Always:
			if !live || s.Fresh(now) {
				return 0, false
			}
			most = max(most, g.Limits[currency])
		case ToLimit:
			most = max(most, g.Limits[currency])
		case TestOnly:
			if !live {
				return 0, false
			}
		}
	}
	return most, true
}

// MayMove reports whether the person may refund, capture or release an amount. Support is refused above the limit of its grant, and without a limit in that
// currency. An admin above the limit gives the second factor again.
func (s *Session) MayMove(merchantID string, amount sdk.Money, live bool, now time.Time) Answer {
	most, bounded := s.Bound(merchantID, amount.Currency, live, now)
	switch {
	case !bounded || most > 0 && amount.Minor <= most:
		return Allowed
	case s.Reach(MoveMoney, merchantID) == Always:
		return StepUp
	}
	return Refused
}

// Privileged reports whether one of the person's roles needs a second factor and a short idle time.
func (s *Session) Privileged() bool { return privileged(s.Grants) }

func privileged(grants []Grant) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool { return g.Role.Privileged() })
}

// Unfinished reports whether the login still needs a factor. Nothing is allowed in it.
func (s *Session) Unfinished() bool { return s.Stage == NeedSecond || s.Stage == NeedEnrol }
