package staff

import (
	"context"
	"errors"
	"slices"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// Stage is how far a login has come. A person works in the stage Full alone.
type Stage string

// The stages.
const (
	Full       Stage = "full"
	NeedSecond Stage = "second" // one factor was right, another one is due
	NeedEnrol  Stage = "enrol"  // the password was right, and the user must add a second factor now
)

// Factor is a way to prove who one is.
type Factor string

// The factors.
const (
	ByPassword Factor = "password"
	ByCode     Factor = "code"     // of an authenticator app
	ByRecovery Factor = "recovery" // a recovery code
	ByPasskey  Factor = "passkey"
)

const (
	maxSession = 12 * time.Hour
	longIdle   = 8 * time.Hour
	shortIdle  = 15 * time.Minute
	halfTime   = 10 * time.Minute // for the second factor
	seenEvery  = time.Minute
)

// LoginResult is what a browser gets after a factor was right.
type LoginResult struct {
	Token  secret.Value // for the cookie; the token before it is void
	Stage  Stage
	EndsAt time.Time
	// Codes are new recovery codes, to be shown once.
	Codes []string
}

// required reports whether a user must have a second factor.
func (s *Service) required(u *User) bool {
	return !s.opts.Demo && (s.opts.Live || privileged(u.Details.Grants))
}

// stage returns how far the given factors lead. A passkey with the person verified is enough for users without privileges. For the others it is
// one factor, and the password the other.
func (s *Service) stage(u *User, given []Factor) Stage {
	switch {
	case s.opts.Demo, len(given) > 1:
		return Full
	case slices.Contains(given, ByPasskey):
		if privileged(u.Details.Grants) {
			return NeedSecond
		}
		return Full
	case u.Private.hasSecond():
		return NeedSecond
	case s.required(u):
		return NeedEnrol
	}
	return Full
}

// ways returns the factors that a person may give next: to finish the login, or to confirm a change.
func (s *Service) ways(u *User, l *Login) (out []Factor) {
	switch {
	case l.Details.Stage == NeedEnrol:
		return nil
	case l.Details.Stage == NeedSecond && slices.Contains(l.Details.Factors, ByPasskey), !u.Private.hasSecond():
		return []Factor{ByPassword}
	}
	if len(u.Private.Passkeys) > 0 && s.Passkeys != nil {
		out = append(out, ByPasskey)
	}
	if len(u.Private.TOTP) > 0 {
		out = append(out, ByCode)
	}
	if len(u.Private.Recovery) > 0 {
		out = append(out, ByRecovery)
	}
	return out
}

// Login compares e-mail address and password. The answer and the time it takes are the same for an unknown user, a wrong password, and a user
// who is locked or disabled.
func (s *Service) Login(ctx context.Context, v Visit, email string, password secret.Value) (*LoginResult, error) {
	hash := s.emailHash(email)
	var stored, userID string
	var allowed bool
	err := s.update(ctx, "log in", func(tx Tx) error {
		stored, userID = "", ""
		if err := s.spend(tx, v.Address); err != nil {
			return err
		}
		u, err := tx.StaffUserByEmail(hash)
		switch {
		case err == nil:
			if err := s.open(u); err != nil {
				return err
			}
			userID = u.ID
			if u.State == Active {
				stored = u.Private.Password
			}
		case !errors.Is(err, fault.ErrNotFound):
			return err
		}
		allowed, err = s.attempt(tx, v, hash, userID)
		return err
	})
	if err != nil {
		return nil, err
	}
	right, err := s.hasher.matches(ctx, password, stored)
	if err != nil {
		return nil, fault.Internal(err, "compare a password")
	}
	if !right || !allowed {
		return nil, s.refused(ctx, v, userID, string(ByPassword))
	}
	var out *LoginResult
	err = s.update(ctx, "log in", func(tx Tx) error {
		u, err := s.user(tx, userID)
		if err != nil {
			return err
		}
		if u.State != Active || u.Private.Password != stored { // the user has changed since the password was compared
			return ErrLogin
		}
		out, err = s.enter(tx, v, u, nil, ByPassword)
		return err
	})
	return out, err
}

// LoginByPasskey logs in the user that the passkey belongs to. A lock is about guessing, so it does not stop a passkey.
func (s *Service) LoginByPasskey(ctx context.Context, v Visit, ticket secret.Value, answer []byte) (*LoginResult, error) {
	if s.Passkeys == nil {
		return nil, refuse(fault.KindInvalid, "", ErrNoPasskeys.Error())
	}
	var out *LoginResult
	err := s.update(ctx, "log in", func(tx Tx) error {
		u, err := s.usePasskey(tx, ticket, answer)
		if err != nil {
			return err
		}
		out, err = s.enter(tx, v, u, nil, ByPasskey)
		return err
	})
	if errors.Is(err, ErrLogin) {
		return nil, s.refused(ctx, v, "", string(ByPasskey))
	}
	return out, err
}

// enter starts a login, or lifts one: the row of old goes, and the new one has a new token.
func (s *Service) enter(tx Tx, v Visit, u *User, old *Login, by Factor) (*LoginResult, error) {
	now := s.Now()
	l := &Login{ID: s.newID("sess_"), UserID: u.ID, CreatedAt: now, SeenAt: now, EndsAt: now.Add(maxSession),
		Details: LoginDetails{Browser: short(v.Browser, 300), Address: v.Address}}
	action := "login"
	if old != nil {
		l.Details.Factors, l.Details.SecondFactorAt = slices.Clone(old.Details.Factors), old.Details.SecondFactorAt
		if old.Details.Stage == Full { // a confirmation: the session goes on
			l.ID, l.CreatedAt, l.EndsAt, action = old.ID, old.CreatedAt, old.EndsAt, "confirmed"
		}
		if err := tx.DeleteStaffLogin(old.Hash); err != nil {
			return nil, ErrNoSession
		}
	}
	if !slices.Contains(l.Details.Factors, by) {
		l.Details.Factors = append(l.Details.Factors, by)
	}
	if l.Details.Stage = s.stage(u, l.Details.Factors); l.Details.Stage != Full {
		l.EndsAt = now.Add(halfTime)
		action = "login.begun"
	}
	if by != ByPassword || !u.Private.hasSecond() && action == "confirmed" {
		l.Details.SecondFactorAt = now
	}
	token := newToken()
	l.Hash = s.hash("session", token.Reveal())
	if err := tx.InsertStaffLogin(l); err != nil {
		return nil, err
	}
	if by != ByPasskey || l.Details.Stage == Full {
		if err := s.forgive(tx, u.EmailHash, l.Details.Stage == Full); err != nil {
			return nil, err
		}
	}
	err := s.note(tx, &Session{ID: l.ID, UserID: u.ID}, v, Entry{Action: action, Details: map[string]string{"with": string(by)}})
	return &LoginResult{Token: token, Stage: l.Details.Stage, EndsAt: l.EndsAt}, err
}

// GivePassword gives the password after a passkey, or to confirm a change where the user has no second factor.
func (s *Service) GivePassword(ctx context.Context, v Visit, token, password secret.Value) (*LoginResult, error) {
	u, err := s.tryFactor(ctx, v, token, ByPassword)
	if err != nil {
		return nil, err
	}
	right, err := s.hasher.matches(ctx, password, u.Private.Password)
	if err != nil {
		return nil, fault.Internal(err, "compare a password")
	}
	if !right {
		return nil, s.refused(ctx, v, u.ID, string(ByPassword))
	}
	return s.addFactor(ctx, v, token, "", func(_ Tx, now *User, l *Login) (Factor, error) {
		if now.Private.Password != u.Private.Password || !slices.Contains(s.ways(now, l), ByPassword) {
			return "", ErrLogin
		}
		return ByPassword, nil
	})
}

// GiveCode gives a code of an authenticator app, or a recovery code: to finish a login, or to confirm a change. A code works once.
func (s *Service) GiveCode(ctx context.Context, v Visit, token secret.Value, code string) (*LoginResult, error) {
	u, err := s.tryFactor(ctx, v, token, ByCode, ByRecovery)
	if err != nil {
		return nil, err
	}
	out, err := s.addFactor(ctx, v, token, "", func(_ Tx, u *User, l *Login) (Factor, error) {
		ways := s.ways(u, l)
		if step := totpStep(u.Private.TOTP, code, s.Now(), u.Details.TOTPStep); step != 0 && slices.Contains(ways, ByCode) {
			u.Details.TOTPStep = step
			return ByCode, nil
		}
		hash := string(s.hash("recovery", u.ID+"/"+plainRecovery(code)))
		for i, have := range u.Private.Recovery {
			if string(have) == hash && slices.Contains(ways, ByRecovery) {
				u.Private.Recovery = slices.Delete(u.Private.Recovery, i, i+1)
				return ByRecovery, nil
			}
		}
		return "", ErrLogin
	})
	if errors.Is(err, ErrLogin) {
		return nil, s.refused(ctx, v, u.ID, string(ByCode))
	}
	return out, err
}

// GivePasskey gives a passkey after the password, or to confirm a change. It must be one of the same user.
func (s *Service) GivePasskey(ctx context.Context, v Visit, token, ticket secret.Value, answer []byte) (*LoginResult, error) {
	if s.Passkeys == nil {
		return nil, refuse(fault.KindInvalid, "", ErrNoPasskeys.Error())
	}
	return s.addFactor(ctx, v, token, "", func(tx Tx, u *User, l *Login) (Factor, error) {
		of, err := s.usePasskey(tx, ticket, answer)
		if err != nil {
			return "", err
		}
		if of.ID != u.ID || !slices.Contains(s.ways(u, l), ByPasskey) {
			return "", ErrLogin
		}
		*u = *of
		return ByPasskey, nil
	})
}

// tryFactor counts a try before a factor is compared. It returns the user as it is.
func (s *Service) tryFactor(ctx context.Context, v Visit, token secret.Value, factors ...Factor) (u *User, err error) {
	var allowed bool
	err = s.update(ctx, "log in", func(tx Tx) error {
		if err := s.spend(tx, v.Address); err != nil {
			return err
		}
		var l *Login
		if l, u, err = s.login(tx, token); err != nil {
			return err
		}
		if !slices.ContainsFunc(s.ways(u, l), func(f Factor) bool { return slices.Contains(factors, f) }) {
			return ErrLogin
		}
		allowed, err = s.attempt(tx, v, u.EmailHash, u.ID)
		return err
	})
	if err == nil && !allowed {
		err = s.refused(ctx, v, u.ID, string(factors[0]))
	}
	return u, err
}

// addFactor lifts a login by one more factor. check compares the factor, and may change the user. action is a line of the audit; "": none of its own.
func (s *Service) addFactor(ctx context.Context, v Visit, token secret.Value, action string,
	check func(tx Tx, u *User, l *Login) (Factor, error)) (*LoginResult, error) {
	var out *LoginResult
	err := s.update(ctx, "log in", func(tx Tx) error {
		l, u, err := s.login(tx, token)
		if err != nil {
			return err
		}
		enrols := action != ""
		if enrols && !s.mayEnrol(l) {
			return ErrStepUp
		}
		by, err := check(tx, u, l)
		if err != nil {
			return err
		}
		var codes []string
		if enrols {
			if len(u.Private.Recovery) == 0 {
				codes = s.recovery(u)
			}
			u.ModifiedAt = s.Now()
			if err := s.note(tx, &Session{ID: l.ID, UserID: u.ID}, v, Entry{Action: action}); err != nil {
				return err
			}
		}
		if err := s.save(tx, u); err != nil {
			return err
		}
		out, err = s.enter(tx, v, u, l, by)
		if out != nil {
			out.Codes = codes
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// mayEnrol reports whether a login may add a second factor: at the end of a first login, or with a fresh proof.
func (s *Service) mayEnrol(l *Login) bool {
	fresh := !l.Details.SecondFactorAt.IsZero() && s.Now().Sub(l.Details.SecondFactorAt) < StepUpTime
	return s.opts.Demo || l.Details.Stage == NeedEnrol || l.Details.Stage == Full && fresh
}

// short cuts text at a length in bytes, between characters.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most]
}
