package staff

import (
	"net/netip"
	"strings"
	"time"
)

const (
	maxFailures = 10
	lockTime    = 30 * time.Minute
	// An address has bucketSize tries, and gets one back every bucketRefill.
	bucketSize   = 20
	bucketRefill = 6 * time.Second
)

// network is the part of an address that one household or company shares: all of an IPv4 address, the first 64 bits of an IPv6 one. Some proxies add the port,
// or brackets.
func network(address string) string {
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(address, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(address)
		if err != nil {
			return address
		}
		ip = with.Addr()
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	p, _ := ip.Prefix(64)
	return p.String()
}

// spend takes one try from an address. It returns ErrSlow if none is left.
func (s *Service) spend(tx Tx, address string) error {
	t, err := s.tries(tx, "address", network(address))
	if err != nil {
		return err
	}
	now := s.Now()
	spent := max(0, t.Level-max(0, now.Sub(t.At).Milliseconds()))
	if spent+bucketRefill.Milliseconds() > bucketSize*bucketRefill.Milliseconds() {
		return ErrSlow
	}
	t.Level, t.At = spent+bucketRefill.Milliseconds(), now
	return tx.PutStaffTries(t)
}

func (s *Service) tries(tx Tx, kind, of string) (*Tries, error) {
	key := s.hash("tries of "+kind, of)
	if err := tx.EnsureStaffTries(key, s.Now()); err != nil {
		return nil, err
	}
	return tx.StaffTries(key)
}

// attempt counts a try of a user before the password or code is compared: guesses that come at once are all counted. It returns false if the
// user is locked. An address that no user has is counted the same way.
func (s *Service) attempt(tx Tx, v Visit, emailHash []byte, userID string) (allowed bool, err error) {
	t, err := s.tries(tx, "user", string(emailHash))
	if err != nil {
		return false, err
	}
	now := s.Now()
	if t.Until.After(now) {
		return false, nil
	}
	if !t.Until.IsZero() { // the lock has ended
		t.Level, t.Until = 0, time.Time{}
	}
	t.Level, t.At = t.Level+1, now
	if t.Level >= maxFailures {
		t.Until = now.Add(lockTime)
		if err := s.note(tx, nil, v, Entry{UserID: userID, Action: "login.locked"}); err != nil {
			return false, err
		}
	}
	return true, tx.PutStaffTries(t)
}

// forgive gives back one try whose password or code was right, or all tries after a whole login.
func (s *Service) forgive(tx Tx, emailHash []byte, all bool) error {
	t, err := s.tries(tx, "user", string(emailHash))
	if err != nil {
		return err
	}
	t.Level = max(0, t.Level-1)
	if t.Level < maxFailures {
		t.Until = time.Time{}
	}
	if all {
		return tx.DeleteStaffTries(t.Key)
	}
	return tx.PutStaffTries(t)
}
