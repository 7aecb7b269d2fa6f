package staff

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// idle returns how long a login lives without a request.
func (s *Service) idle(u *User) time.Duration {
	if privileged(u.Details.Grants) && !s.opts.Demo {
		return shortIdle
	}
	return longIdle
}

// login reads the login of a token and its user. A login that has ended, or whose user may not log in, is ErrNoSession.
func (s *Service) login(r Reader, token secret.Value) (*Login, *User, error) {
	l, err := r.StaffLogin(s.hash("session", token.Reveal()))
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil, ErrNoSession
	}
	if err != nil {
		return nil, nil, err
	}
	u, err := s.user(r, l.UserID)
	if err != nil {
		return nil, nil, err
	}
	now := s.Now()
	switch {
	case !now.Before(l.EndsAt), now.Sub(l.SeenAt) >= s.idle(u), u.State != Active:
		return nil, nil, ErrNoSession
	case l.Details.Stage == Full && s.stage(u, l.Details.Factors) != Full: // the user needs more factors than at the login
		return nil, nil, ErrNoSession
	}
	return l, u, nil
}

// Session returns the person whose browser has a token. A login that is not Full has no grants, so nothing is allowed in it.
func (s *Service) Session(ctx context.Context, token secret.Value) (*Session, error) {
	if token.IsZero() {
		return nil, ErrNoSession
	}
	var l *Login
	var u *User
	err := s.view(ctx, "read a login", func(r Reader) (err error) {
		l, u, err = s.login(r, token)
		return err
	})
	if err != nil {
		return nil, err
	}
	now := s.Now()
	if now.Sub(l.SeenAt) >= seenEvery {
		err := s.update(ctx, "note a request", func(tx Tx) error { return tx.SeeStaffLogin(l.Hash, now) })
		if err != nil {
			return nil, err
		}
	}
	out := &Session{ID: l.ID, UserID: u.ID, Name: u.Private.Name, Email: u.Private.Email, SecondFactorAt: l.Details.SecondFactorAt,
		TimeZone: u.Details.TimeZone,
		Theme:    u.Details.Theme, Live: s.opts.Live, CreatedAt: l.CreatedAt, Stage: l.Details.Stage, Ways: s.ways(u, l), HasSecond: u.Private.hasSecond()}
	if l.Details.Stage == Full {
		out.Grants = u.Details.Grants
	}
	if s.opts.Demo {
		out.SecondFactorAt = now
	}
	return out, nil
}

// LoginView is a login as its user sees it.
type LoginView struct {
	ID        string
	Browser   string
	Address   string
	CreatedAt time.Time
	SeenAt    time.Time
	Own       bool // the login of this request
}

// Person is what a user sees about itself.
type Person struct {
	TOTP     bool
	Recovery int // unused codes
	Passkeys []Passkey
	Logins   []LoginView
	Password bool
}

// Person returns a user's own factors and logins.
func (s *Service) Person(ctx context.Context, session *Session) (p *Person, err error) {
	err = s.view(ctx, "read a user", func(r Reader) error {
		u, err := s.user(r, session.UserID)
		if err != nil {
			return err
		}
		p = &Person{TOTP: len(u.Private.TOTP) > 0, Recovery: len(u.Private.Recovery), Passkeys: u.Private.Passkeys, Password: u.Private.Password != ""}
		logins, err := r.StaffLoginsOf(u.ID)
		if err != nil {
			return err
		}
		for _, l := range logins {
			if s.Now().Before(l.EndsAt) && s.Now().Sub(l.SeenAt) < s.idle(u) {
				p.Logins = append(p.Logins, LoginView{ID: l.ID, Browser: l.Details.Browser, Address: l.Details.Address, CreatedAt: l.CreatedAt,
					SeenAt: l.SeenAt, Own: l.ID == session.ID})
			}
		}
		return nil
	})
	return p, err
}

// Logout ends the login of a token. A token without a login is no error.
func (s *Service) Logout(ctx context.Context, v Visit, token secret.Value) error {
	err := s.update(ctx, "log out", func(tx Tx) error {
		l, u, err := s.login(tx, token)
		if err != nil {
			return err
		}
		if err := tx.DeleteStaffLogin(l.Hash); err != nil {
			return err
		}
		return s.note(tx, &Session{ID: l.ID, UserID: u.ID}, v, Entry{Action: "logout"})
	})
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// EndLogin ends one of the person's logins. id "" ends all others but this one.
func (s *Service) EndLogin(ctx context.Context, session *Session, id string) error {
	return s.update(ctx, "end a login", func(tx Tx) error {
		logins, err := tx.StaffLoginsOf(session.UserID)
		if err != nil {
			return err
		}
		ended := 0
		for _, l := range logins {
			if l.ID == id || id == "" && l.ID != session.ID {
				if err := tx.DeleteStaffLogin(l.Hash); err != nil {
					return err
				}
				ended++
			}
		}
		if ended == 0 && id != "" {
			return fault.NotFound("Session")
		}
		return s.note(tx, session, Visit{}, Entry{Action: "login.ended", Target: id})
	})
}
