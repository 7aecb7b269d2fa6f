package staff

import (
	"time"

	"payswitch/engine/secret"
)

// OnceKind is what a one-time text is for.
type OnceKind string

const (
	onceFirst  OnceKind = "first"   // the first user of an installation
	onceInvite OnceKind = "invite"  // a new user chooses a password
	onceReset  OnceKind = "reset"   // a user chooses a new password
	onceEnter  OnceKind = "enter"   // the demo's link: it logs in at once
	onceEnrol  OnceKind = "enrol"   // challenge of a new passkey
	onceLogin  OnceKind = "passkey" // challenge of a passkey in use
)

// issue stores a one-time text.
func (s *Service) issue(tx Tx, kind OnceKind, userID, data string, text secret.Value, life time.Duration) error {
	now := s.Now()
	return tx.InsertStaffOnce(&Once{Hash: s.hash("once", text.Reveal()), Kind: kind, UserID: userID, Data: data, CreatedAt: now, EndsAt: now.Add(life)})
}

// take uses a one-time text up. It returns ErrLink if the text was used, has ended or is of another kind.
func (s *Service) take(tx Tx, kind OnceKind, text secret.Value) (*Once, error) {
	o, err := s.peek(tx, text, kind)
	if err != nil {
		return nil, err
	}
	if tx.DeleteStaffOnce(o.Hash) != nil {
		return nil, ErrLink
	}
	return o, nil
}

// peek reads a one-time text, and leaves it as it is.
func (s *Service) peek(r Reader, text secret.Value, kinds ...OnceKind) (*Once, error) {
	o, err := r.StaffOnce(s.hash("once", text.Reveal()))
	if err != nil || !s.Now().Before(o.EndsAt) {
		return nil, ErrLink
	}
	for _, k := range kinds {
		if o.Kind == k {
			return o, nil
		}
	}
	return nil, ErrLink
}
