package staff

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

// Deps are the parts of a Service. Store and Vault are required.
type Deps struct {
	Store Store
	Vault *vault.Vault
	Now   port.Clock // nil: time.Now
	// Passkeys is nil where the dashboard's address has no host name: browsers then have no passkeys.
	Passkeys Passkeys
}

// Options are the settings of a Service.
type Options struct {
	Live bool // live keys exist: everybody needs a second factor
	// Demo makes links enter at once, and no change asks for a second factor. It is for the demo, whose keys are public, alone.
	Demo bool
}

// Service has the use cases of staff. It is safe for concurrent use.
type Service struct {
	Deps
	opts   Options
	hasher *hasher
}

// New returns a Service.
func New(d Deps, o Options) *Service {
	if d.Now == nil {
		d.Now = time.Now
	}
	return &Service{Deps: d, opts: o, hasher: newHasher()}
}

// Visit is where a request comes from.
type Visit struct {
	Address string // IP address
	Browser string // the User-Agent header
}

// Error kinds of this room reach pages as *fault.Error. Codes of the API do not apply here, so Code is empty.
func refuse(kind fault.Kind, param, message string) *fault.Error {
	return &fault.Error{Kind: kind, Message: message, Param: param}
}

// Errors for which pages have texts of their own.
var (
	// ErrNoSession is the error for a browser that is not logged in, or no longer.
	ErrNoSession = errors.New("not logged in")
	// ErrLogin is the error for a login or a code that is not right. It is the same for an unknown user, a wrong password and a locked user.
	ErrLogin = errors.New("e-mail address, password or code is wrong, or the user is locked after ten failures: wait 30 minutes, or ask an administrator")
	// ErrSlow is the error for an address with too many tries.
	ErrSlow = errors.New("too many tries from your address: wait a minute")
	// ErrLink is the error for a link that was used, has ended, or never was.
	ErrLink = errors.New("this link was used before, or it has ended: ask for a new one")
	// ErrStepUp is the error for a change that needs a fresh second factor.
	ErrStepUp = errors.New("confirm with your second factor first")
	// ErrNotPermitted is the error for a change that the person's roles do not allow.
	ErrNotPermitted = errors.New("your role does not allow this")
)

// hash is how the store finds what a secret text belongs to.
func (s *Service) hash(purpose, text string) []byte {
	return s.Vault.Hash("staff "+purpose, []byte(text))
}

// newToken returns 32 random bytes as text.
func newToken() secret.Value {
	b := make([]byte, 32)
	rand.Read(b)
	return secret.New(base64.RawURLEncoding.EncodeToString(b))
}

// view runs f over one snapshot. The outcome errors of this room pass unchanged.
func (s *Service) view(ctx context.Context, doing string, f func(r Reader) error) error {
	return known(s.Store.View(ctx, f), doing)
}

// update runs f in one transaction, again if another writer was faster.
func (s *Service) update(ctx context.Context, doing string, f func(tx Tx) error) error {
	var err error
	for range 5 {
		if err = s.Store.Update(ctx, f); !errors.Is(err, errAgain) && !errors.Is(err, fault.ErrConflict) {
			break
		}
	}
	return known(err, doing)
}

var errAgain = errors.New("another writer was faster")

// known passes errors that pages show, and wraps all others.
func known(err error, doing string) error {
	var shown *fault.Error
	for _, of := range []error{ErrNoSession, ErrLogin, ErrSlow, ErrLink, ErrStepUp, ErrNotPermitted} {
		if errors.Is(err, of) {
			return err
		}
	}
	if err == nil || errors.As(err, &shown) {
		return err
	}
	return fault.FromStore(err, doing)
}

// user reads and opens a user.
func (s *Service) user(r Reader, id string) (*User, error) {
	u, err := r.StaffUser(id)
	if err != nil {
		return nil, err
	}
	return u, s.open(u)
}

func (s *Service) open(u *User) error {
	return s.Vault.OpenJSON(u.Sealed, vault.StaffAD(u.ID), &u.Private)
}

func (s *Service) seal(u *User) (err error) {
	u.Sealed, err = s.Vault.SealJSON(&u.Private, vault.StaffAD(u.ID))
	return err
}

// save seals and writes a user.
func (s *Service) save(tx Tx, u *User) error {
	if err := s.seal(u); err != nil {
		return err
	}
	return tx.UpdateStaffUser(u)
}

// Private is what the vault seals of a user.
type Private struct {
	Name     string    `json:"name"`
	Email    string    `json:"email"`
	Password string    `json:"password,omitempty"` // argon2id
	TOTP     []byte    `json:"totp,omitempty"`     // secret of the authenticator app
	TOTPNext []byte    `json:"totp_next,omitempty"`
	Recovery [][]byte  `json:"recovery,omitempty"` // hashes of unused codes
	Passkeys []Passkey `json:"passkeys,omitempty"`
}

// hasSecond reports whether a user has a second factor.
func (p *Private) hasSecond() bool { return len(p.TOTP) > 0 || len(p.Passkeys) > 0 }

// passkey returns the passkey of an id, or nil.
func (p *Private) passkey(id []byte) *Passkey {
	for i := range p.Passkeys {
		if bytes.Equal(p.Passkeys[i].ID, id) {
			return &p.Passkeys[i]
		}
	}
	return nil
}

func (s *Service) emailHash(email string) []byte {
	return s.hash("e-mail", strings.ToLower(strings.TrimSpace(email)))
}

// newID returns an id that sorts by the service's time.
func (s *Service) newID(prefix string) string { return ids.At(prefix, s.Now()) }

// Sweep removes what has ended more than a day ago. It returns the number of rows.
func (s *Service) Sweep(ctx context.Context) (n int, err error) {
	err = s.update(ctx, "remove ended logins", func(tx Tx) (err error) {
		n, err = tx.DeleteStaffEnded(s.Now().Add(-24*time.Hour), 1000)
		return err
	})
	return n, err
}
