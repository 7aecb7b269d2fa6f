package staff

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// Passkey is one authenticator of a user. Data is the credential as the implementation of Passkeys keeps it.
type Passkey struct {
	ID        []byte          `json:"id"`
	Name      string          `json:"name"`
	Data      json.RawMessage `json:"data"`
	CreatedAt time.Time       `json:"created_at"`
	UsedAt    time.Time       `json:"used_at"`
}

// Passkeys checks what browsers say about passkeys. Options and answers are JSON of the Web Authentication API. State is what Begin hands to
// Finish; it holds no secret, but the browser must not choose it.
type Passkeys interface {
	BeginEnrol(userID, email, name string, have []Passkey) (options json.RawMessage, state string, err error)
	// FinishEnrol returns the new passkey without Name and times.
	FinishEnrol(userID, email, name string, have []Passkey, state string, answer []byte) (Passkey, error)
	// BeginLogin asks for any passkey of this dashboard, with the person verified.
	BeginLogin() (options json.RawMessage, state string, err error)
	// FinishLogin calls find with the user id that the passkey names. It returns the passkey as it is after the use. A passkey that seems to be
	// copied is an error.
	FinishLogin(state string, answer []byte, find func(userID string) (have []Passkey, err error)) (Passkey, error)
}

// maxPasskeys bounds the passkeys of a user.
const maxPasskeys = 20

// challengeTime is how long a browser has for a passkey.
const challengeTime = 5 * time.Minute

// ErrNoPasskeys is the error where the dashboard's address allows no passkeys.
var ErrNoPasskeys = errors.New("passkeys need a host name: set dashboard.public_url, or use an authenticator app")

// BeginEnrol begins the enrolment of a passkey. The ticket names the challenge.
func (s *Service) BeginEnrol(ctx context.Context, session *Session) (options json.RawMessage, ticket secret.Value, err error) {
	if s.Passkeys == nil {
		return nil, ticket, refuse(fault.KindInvalid, "", ErrNoPasskeys.Error())
	}
	ticket = newToken()
	err = s.update(ctx, "begin a passkey", func(tx Tx) error {
		u, err := s.enrolling(tx, session)
		if err != nil {
			return err
		}
		if len(u.Private.Passkeys) >= maxPasskeys {
			return refuse(fault.KindInvalid, "", "You have 20 passkeys: remove one first")
		}
		var state string
		if options, state, err = s.Passkeys.BeginEnrol(u.ID, u.Private.Email, u.Private.Name, u.Private.Passkeys); err != nil {
			return fault.Internal(err, "begin a passkey")
		}
		return s.issue(tx, onceEnrol, u.ID, state, ticket, challengeTime)
	})
	return options, ticket, err
}

// FinishEnrol adds a passkey. It counts as a second factor just given, so the session gets a new token.
func (s *Service) FinishEnrol(ctx context.Context, v Visit, token, ticket secret.Value, name string, answer []byte) (*LoginResult, error) {
	if s.Passkeys == nil {
		return nil, refuse(fault.KindInvalid, "", ErrNoPasskeys.Error())
	}
	name = strings.TrimSpace(name)
	if name == "" {
		name = "Passkey"
	}
	if len(name) > maxName {
		return nil, refuse(fault.KindInvalid, "name", "The name is too long: write at most 100 characters")
	}
	return s.addFactor(ctx, v, token, "passkey.added", func(tx Tx, u *User, l *Login) (Factor, error) {
		once, err := s.take(tx, onceEnrol, ticket)
		if err != nil || once.UserID != u.ID {
			return "", ErrLink
		}
		p, err := s.Passkeys.FinishEnrol(u.ID, u.Private.Email, u.Private.Name, u.Private.Passkeys, once.Data, answer)
		if err != nil {
			return "", &fault.Error{Kind: fault.KindInvalid, Message: "The browser's answer about the passkey is not right: try again", Err: err}
		}
		if u.Private.passkey(p.ID) != nil {
			return "", refuse(fault.KindInvalid, "", "You have this passkey already")
		}
		p.Name, p.CreatedAt, p.UsedAt = name, s.Now(), s.Now()
		u.Private.Passkeys = append(u.Private.Passkeys, p)
		return ByPasskey, nil
	})
}

// BeginPasskey asks a browser for a passkey: at login, as a second factor, and to confirm. The ticket names the challenge.
func (s *Service) BeginPasskey(ctx context.Context, v Visit) (options json.RawMessage, ticket secret.Value, err error) {
	if s.Passkeys == nil {
		return nil, ticket, refuse(fault.KindInvalid, "", ErrNoPasskeys.Error())
	}
	options, state, err := s.Passkeys.BeginLogin()
	if err != nil {
		return nil, ticket, fault.Internal(err, "begin a passkey")
	}
	ticket = newToken()
	err = s.update(ctx, "begin a passkey", func(tx Tx) error {
		if err := s.spend(tx, v.Address); err != nil {
			return err
		}
		return s.issue(tx, onceLogin, "", state, ticket, challengeTime)
	})
	return options, ticket, err
}

// usePasskey checks an answer, and notes the use. The user is the one that the passkey names.
func (s *Service) usePasskey(tx Tx, ticket secret.Value, answer []byte) (*User, error) {
	once, err := s.take(tx, onceLogin, ticket)
	if err != nil {
		return nil, err
	}
	var u *User
	used, err := s.Passkeys.FinishLogin(once.Data, answer, func(userID string) ([]Passkey, error) {
		u, err = s.user(tx, userID)
		if err != nil {
			return nil, err
		}
		return u.Private.Passkeys, nil
	})
	if err != nil || u == nil || u.State != Active {
		return nil, ErrLogin
	}
	p := u.Private.passkey(used.ID)
	if p == nil {
		return nil, ErrLogin
	}
	p.Data, p.UsedAt = used.Data, s.Now()
	return u, s.save(tx, u)
}

// RemovePasskey removes a passkey of the person.
func (s *Service) RemovePasskey(ctx context.Context, session *Session, id []byte) error {
	return s.changeSelf(ctx, session, "passkey.removed", func(u *User) error {
		p := u.Private.passkey(id)
		if p == nil {
			return fault.NotFound("Passkey")
		}
		if s.required(u) && len(u.Private.TOTP) == 0 && len(u.Private.Passkeys) == 1 {
			return refuse(fault.KindInvalid, "", "This is your only second factor, and your role needs one: add another first")
		}
		for i := range u.Private.Passkeys {
			if &u.Private.Passkeys[i] == p {
				u.Private.Passkeys = append(u.Private.Passkeys[:i:i], u.Private.Passkeys[i+1:]...)
				break
			}
		}
		return nil
	})
}
