package staff

import (
	"context"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// maxName is the maximum length of a name in bytes.
const maxName = 100

// changeSelf changes the person's own row, with a line of the audit. It asks for a fresh second factor.
func (s *Service) changeSelf(ctx context.Context, session *Session, action string, f func(u *User) error) error {
	if session.Stage != Full {
		return ErrNotPermitted
	}
	if !session.Fresh(s.Now()) {
		return ErrStepUp
	}
	return s.update(ctx, "change a user", func(tx Tx) error {
		u, err := s.user(tx, session.UserID)
		if err != nil {
			return err
		}
		if err := f(u); err != nil {
			return err
		}
		u.ModifiedAt = s.Now()
		if err := s.save(tx, u); err != nil {
			return err
		}
		return s.note(tx, session, Visit{}, Entry{Action: action})
	})
}

// TOTPEnrolment is a new secret for an authenticator app. It is shown once.
type TOTPEnrolment struct {
	Key secret.Value // as people type it
	URL secret.Value // for the QR code
}

// enrolling returns the user of a session that may add a second factor.
func (s *Service) enrolling(tx Tx, session *Session) (*User, error) {
	if session.Stage != NeedEnrol && (session.Stage != Full || !session.Fresh(s.Now())) {
		return nil, ErrStepUp
	}
	return s.user(tx, session.UserID)
}

// BeginTOTP makes a new secret. It counts only after FinishTOTP.
func (s *Service) BeginTOTP(ctx context.Context, session *Session) (e TOTPEnrolment, err error) {
	err = s.update(ctx, "begin an authenticator app", func(tx Tx) error {
		u, err := s.enrolling(tx, session)
		if err != nil {
			return err
		}
		u.Private.TOTPNext = newTOTPKey()
		e = s.enrolment(u)
		return s.save(tx, u)
	})
	return e, err
}

// PendingTOTP returns the secret of an enrolment that has begun, so that a reload shows it again. ok is false without one.
func (s *Service) PendingTOTP(ctx context.Context, session *Session) (e TOTPEnrolment, ok bool, err error) {
	err = s.view(ctx, "read an authenticator app", func(r Reader) error {
		u, err := s.user(r, session.UserID)
		if err == nil && len(u.Private.TOTPNext) > 0 && (session.Stage == NeedEnrol || session.Stage == Full && session.Fresh(s.Now())) {
			e, ok = s.enrolment(u), true
		}
		return err
	})
	return e, ok, err
}

func (s *Service) enrolment(u *User) TOTPEnrolment {
	return TOTPEnrolment{Key: secret.New(totpText(u.Private.TOTPNext)), URL: secret.New(totpURL(u.Private.TOTPNext, "payswitch", u.Private.Email))}
}

// FinishTOTP makes the new secret count, once the app has shown a right code of it. It replaces an older app.
func (s *Service) FinishTOTP(ctx context.Context, v Visit, token secret.Value, code string) (*LoginResult, error) {
	var userID string
	var allowed bool
	err := s.update(ctx, "add an authenticator app", func(tx Tx) error {
		if err := s.spend(tx, v.Address); err != nil {
			return err
		}
		_, u, err := s.login(tx, token)
		if err != nil {
			return err
		}
		userID = u.ID
		allowed, err = s.attempt(tx, v, u.EmailHash, u.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !allowed {
		return nil, s.refused(ctx, v, userID, "enrol")
	}
	return s.addFactor(ctx, v, token, "app.added", func(_ Tx, u *User, _ *Login) (Factor, error) {
		if len(u.Private.TOTPNext) == 0 {
			return "", refuse(fault.KindInvalid, "code", "No authenticator app is being added: begin again")
		}
		step := totpStep(u.Private.TOTPNext, code, s.Now(), 0)
		if step == 0 {
			return "", refuse(fault.KindInvalid, "code", "The code does not match: check the time of your phone, and type the code that the app shows now")
		}
		u.Private.TOTP, u.Private.TOTPNext, u.Details.TOTPStep = u.Private.TOTPNext, nil, step
		return ByCode, nil
	})
}

// RemoveTOTP removes the authenticator app.
func (s *Service) RemoveTOTP(ctx context.Context, session *Session) error {
	return s.changeSelf(ctx, session, "app.removed", func(u *User) error {
		if len(u.Private.TOTP) == 0 {
			return fault.NotFound("Authenticator app")
		}
		if s.required(u) && len(u.Private.Passkeys) == 0 {
			return refuse(fault.KindInvalid, "", "This is your only second factor, and your role needs one: add another first")
		}
		u.Private.TOTP, u.Private.TOTPNext = nil, nil
		return nil
	})
}

// recovery gives a user new recovery codes. Older ones no longer work.
func (s *Service) recovery(u *User) (shown []string) {
	shown = newRecoveryCodes()
	u.Private.Recovery = nil
	for _, code := range shown {
		u.Private.Recovery = append(u.Private.Recovery, s.hash("recovery", u.ID+"/"+plainRecovery(code)))
	}
	return shown
}

// NewRecoveryCodes returns new codes, to be shown once.
func (s *Service) NewRecoveryCodes(ctx context.Context, session *Session) (shown []string, err error) {
	err = s.changeSelf(ctx, session, "recovery.renewed", func(u *User) error {
		if !u.Private.hasSecond() {
			return refuse(fault.KindInvalid, "", "Recovery codes stand in for a second factor: add one first")
		}
		shown = s.recovery(u)
		return nil
	})
	return shown, err
}

// ChangePassword sets a new password, and ends the person's other logins.
func (s *Service) ChangePassword(ctx context.Context, session *Session, password secret.Value) error {
	if !session.Fresh(s.Now()) {
		return ErrStepUp
	}
	if err := CheckPassword(password, session.Email, session.Name); err != nil {
		return err
	}
	hash, err := s.hasher.make(ctx, password)
	if err != nil {
		return fault.Internal(err, "hash a password")
	}
	if err := s.changeSelf(ctx, session, "password.changed", func(u *User) error { u.Private.Password = hash; return nil }); err != nil {
		return err
	}
	return s.EndLogin(ctx, session, "")
}

// Preferences is what a person prefers on pages.
type Preferences struct {
	Name, TimeZone, Theme string
}

// SetPreferences changes name, time zone and colours. It asks for no second factor.
func (s *Service) SetPreferences(ctx context.Context, session *Session, t Preferences) error {
	t.Name = strings.TrimSpace(t.Name)
	switch {
	case session.Stage != Full:
		return ErrNotPermitted
	case t.Name == "" || len(t.Name) > maxName:
		return refuse(fault.KindInvalid, "name", "The name must have 1 to 100 characters")
	case t.Theme != "" && t.Theme != "light" && t.Theme != "dark":
		return refuse(fault.KindInvalid, "theme", "Choose light, dark, or as the browser prefers")
	}
	if _, err := time.LoadLocation(t.TimeZone); err != nil || t.TimeZone == "Local" {
		return refuse(fault.KindInvalid, "time_zone", "This time zone is not known: write one such as Europe/Berlin")
	}
	return s.update(ctx, "change a user", func(tx Tx) error {
		u, err := s.user(tx, session.UserID)
		if err != nil {
			return err
		}
		u.Private.Name, u.Details.TimeZone, u.Details.Theme, u.ModifiedAt = t.Name, t.TimeZone, t.Theme, s.Now()
		return s.save(tx, u)
	})
}
