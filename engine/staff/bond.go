package staff

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/fault"
)

// bondTime is how long two users do not count as two people after one of them has made a link to the other's password: who makes a link can use it too.
const bondTime = 7 * 24 * time.Hour

// Bond is between a user and the user who made the last link to the password.
type Bond struct {
	Of, By string // their names
	At     time.Time
	Until  time.Time // before it, the two do not count as two people
	Binds  bool      // it is before Until
}

// linked notes who makes a link. by nil is a command on the host.
func (s *Service) linked(u *UserDetails, by *Session) {
	u.LinkBy, u.LinkAt = "", s.Now()
	if by != nil {
		u.LinkBy = by.UserID
	}
}

// Bond returns the bond between two users, nil for none.
func (s *Service) Bond(ctx context.Context, one, other string) (b *Bond, err error) {
	err = s.view(ctx, "read two users", func(r Reader) error {
		var pair [2]*User
		for i, id := range []string{one, other} {
			u, err := s.user(r, id)
			if errors.Is(err, fault.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			pair[i] = u
		}
		for i, u := range pair {
			maker, at := pair[1-i], u.Details.LinkAt
			if u.Details.LinkBy == maker.ID && (b == nil || at.After(b.At)) {
				b = &Bond{Of: u.Private.Name, By: maker.Private.Name, At: at, Until: at.Add(bondTime), Binds: s.Now().Before(at.Add(bondTime))}
			}
		}
		return nil
	})
	return b, err
}
