package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/staff"
)

// staffRoom tests staff.Reader and staff.Tx. Its rows belong to the installation, so no merchant guards them.
var staffRoom = room{
	name: "staff",
	cases: []testCase{
		{"round trips of users", func(t *testing.T, s engine.Store) { testRoundTrips(t, s, staffKinds) }},
		{"updates of users write every field", func(t *testing.T, s engine.Store) { testUpdates(t, s, staffKinds) }},
		{"compare and set of users", func(t *testing.T, s engine.Store) { testCompareAndSet(t, s, staffKinds) }},
		{"missing users", func(t *testing.T, s engine.Store) { testMissing(t, s, staffKinds) }},
		{"users by address, and their list", testStaffUsers},
		{"logins", testStaffLogins},
		{"one-time texts", testStaffOnces},
		{"tries", testStaffTries},
		{"the audit", testStaffAudit},
		{"what has ended", testStaffEnded},
	},
}

var staffKinds = []kind{{
	name: "user",
	make: func(f *filler) any { return filled[staff.User](f) },
	empty: func() any {
		return &staff.User{ID: "u", EmailHash: []byte("e")}
	},
	insert:    func(tx engine.Tx, v any) error { return tx.InsertStaffUser(v.(*staff.User)) },
	read:      func(r engine.Reader, v any) (any, error) { return r.StaffUser(v.(*staff.User).ID) },
	update:    func(tx engine.Tx, v any) error { return tx.UpdateStaffUser(v.(*staff.User)) },
	fixed:     []string{"ID", "EmailHash", "CreatedAt"},
	versioned: true,
}}

func staffUser(n int) *staff.User {
	return &staff.User{ID: fmt.Sprintf("user_%d", n), EmailHash: fmt.Appendf(nil, "hash %d", n), State: staff.Active, Sealed: []byte("sealed"),
		Details:   staff.UserDetails{Grants: []staff.Grant{{MerchantID: merchantA, Role: staff.Support}}},
		CreatedAt: base, ModifiedAt: base}
}

func testStaffUsers(t *testing.T, s engine.Store) {
	for _, n := range []int{2, 1, 3} {
		update(t, s, func(tx engine.Tx) error { return tx.InsertStaffUser(staffUser(n)) })
	}
	byEmail := func(n int) (*staff.User, error) {
		return read(s, func(r engine.Reader) (*staff.User, error) { return r.StaffUserByEmail(fmt.Appendf(nil, "hash %d", n)) })
	}
	u, err := byEmail(2)
	require.NoError(t, err)
	require.Equal(t, "user_2", u.ID)
	_, err = byEmail(9)
	require.ErrorIs(t, err, fault.ErrNotFound)
	twice := staffUser(4)
	twice.EmailHash = []byte("hash 2")
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertStaffUser(twice) }), fault.ErrConflict, "two users with one address")
	list := func(after string, limit int) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*staff.User, error) { return r.StaffUsers(after, limit) }),
			func(u *staff.User) string { return u.ID })
	}
	require.Equal(t, []string{"user_1", "user_2", "user_3"}, list("", 10))
	require.Equal(t, []string{"user_2"}, list("user_1", 1))
	require.Empty(t, list("user_3", 10))
}

func staffLogin(n int, userID string) *staff.Login {
	return &staff.Login{ID: fmt.Sprintf("sess_%d", n), UserID: userID, Hash: fmt.Appendf(nil, "login %d", n),
		CreatedAt: base.Add(time.Duration(n) * time.Second),
		SeenAt:    base, EndsAt: base.Add(time.Hour), Details: staff.LoginDetails{Stage: staff.Full, Factors: []staff.Factor{staff.ByPassword},
			SecondFactorAt: base.Add(time.Minute), Browser: "b\u00fc\"", Address: "192.0.2.1"}}
}

func testStaffLogins(t *testing.T, s engine.Store) {
	for n := range 4 {
		update(t, s, func(tx engine.Tx) error { return tx.InsertStaffLogin(staffLogin(n, fmt.Sprintf("user_%d", n/3))) })
	}
	one := func(n int) (*staff.Login, error) {
		return read(s, func(r engine.Reader) (*staff.Login, error) { return r.StaffLogin(fmt.Appendf(nil, "login %d", n)) })
	}
	l, err := one(1)
	require.NoError(t, err)
	require.Equal(t, staffLogin(1, "user_0"), l)
	update(t, s, func(tx engine.Tx) error { return tx.SeeStaffLogin(l.Hash, base.Add(time.Minute)) })
	l, err = one(1)
	require.NoError(t, err)
	require.Equal(t, base.Add(time.Minute), l.SeenAt)
	of := func(userID string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*staff.Login, error) { return r.StaffLoginsOf(userID) }), func(l *staff.Login) string { return l.ID })
	}
	require.Equal(t, []string{"sess_2", "sess_1", "sess_0"}, of("user_0"), "the latest first")
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.DeleteStaffLoginsOf("user_0", []byte("login 1"))
		require.Equal(t, 2, n)
		return err
	})
	require.Equal(t, []string{"sess_1"}, of("user_0"))
	require.Equal(t, []string{"sess_3"}, of("user_1"))
	update(t, s, func(tx engine.Tx) error { return tx.DeleteStaffLogin([]byte("login 1")) })
	_, err = one(1)
	require.ErrorIs(t, err, fault.ErrNotFound)
	requireMissing(t, s, map[string]func(tx engine.Tx) error{
		"delete": func(tx engine.Tx) error { return tx.DeleteStaffLogin([]byte("login 1")) },
		"see":    func(tx engine.Tx) error { return tx.SeeStaffLogin([]byte("login 1"), base) },
	})
	update(t, s, func(tx engine.Tx) error {
		n, err := tx.DeleteStaffLoginsOf("user_1", nil)
		require.Equal(t, 1, n)
		return err
	})
}

func testStaffOnces(t *testing.T, s engine.Store) {
	o := &staff.Once{Hash: []byte("once"), Kind: "invite", UserID: "user_1", Data: `{"a":1}`, CreatedAt: base, EndsAt: base.Add(time.Hour)}
	update(t, s, func(tx engine.Tx) error { return tx.InsertStaffOnce(o) })
	require.Equal(t, o, get(t, s, func(r engine.Reader) (*staff.Once, error) { return r.StaffOnce(o.Hash) }))
	update(t, s, func(tx engine.Tx) error { return tx.DeleteStaffOnce(o.Hash) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteStaffOnce(o.Hash) }), fault.ErrNotFound, "a second use")
	update(t, s, func(tx engine.Tx) error { return tx.InsertStaffOnce(o) })
	update(t, s, func(tx engine.Tx) error { return tx.DeleteStaffOncesOf("user_1") })
	_, err := read(s, func(r engine.Reader) (*staff.Once, error) { return r.StaffOnce(o.Hash) })
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testStaffTries(t *testing.T, s engine.Store) {
	key := []byte("key")
	tries := func() (*staff.Tries, error) {
		return read(s, func(r engine.Reader) (*staff.Tries, error) { return r.StaffTries(key) })
	}
	_, err := tries()
	require.ErrorIs(t, err, fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.EnsureStaffTries(key, base) })
	got, err := tries()
	require.NoError(t, err)
	require.Equal(t, &staff.Tries{Key: key, At: base}, got)
	full := &staff.Tries{Key: key, Level: 10, At: base.Add(time.Second), Until: base.Add(time.Hour)}
	update(t, s, func(tx engine.Tx) error { return tx.PutStaffTries(full) })
	update(t, s, func(tx engine.Tx) error { return tx.EnsureStaffTries(key, base) })
	got, err = tries()
	require.NoError(t, err)
	require.Equal(t, full, got, "EnsureStaffTries leaves what is there")
	update(t, s, func(tx engine.Tx) error { return tx.DeleteStaffTries(key) })
	update(t, s, func(tx engine.Tx) error { return tx.DeleteStaffTries(key) })
	_, err = tries()
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testStaffAudit(t *testing.T, s engine.Store) {
	for n := range 5 {
		e := &staff.Entry{ID: fmt.Sprintf("aud_%d", n), At: base.Add(time.Duration(n) * time.Second), UserID: fmt.Sprintf("user_%d", n%2),
			SessionID: "sess", Action: "login",
			MerchantID: []string{"", merchantA}[n/3], Target: "t", Details: map[string]string{"with": "code"}, Chain: fmt.Sprint("hash ", n)}
		update(t, s, func(tx engine.Tx) error { return tx.InsertStaffEntry(e) })
	}
	list := func(f staff.EntryFilter) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*staff.Entry, error) { return r.StaffEntries(f) }), func(e *staff.Entry) string { return e.ID })
	}
	require.Equal(t, []string{"aud_4", "aud_3", "aud_2", "aud_1", "aud_0"}, list(staff.EntryFilter{}))
	require.Equal(t, []string{"aud_4", "aud_3"}, list(staff.EntryFilter{MerchantID: merchantA}))
	require.Equal(t, []string{"aud_3", "aud_1"}, list(staff.EntryFilter{UserID: "user_1"}))
	require.Equal(t, []string{"aud_2"}, list(staff.EntryFilter{Before: "aud_3", Limit: 1}))
	all := get(t, s, func(r engine.Reader) ([]*staff.Entry, error) { return r.StaffEntries(staff.EntryFilter{Limit: 1}) })
	require.Equal(t, []*staff.Entry{{ID: "aud_4", At: base.Add(4 * time.Second), UserID: "user_0", SessionID: "sess", Action: "login",
		MerchantID: merchantA,
		Target:     "t", Details: map[string]string{"with": "code"}, Chain: "hash 4"}}, all)
	require.Equal(t, []string{"aud_2", "aud_3"}, list(staff.EntryFilter{Oldest: true, After: "aud_1", Limit: 2}))
	_, err := read(s, func(r engine.Reader) (*staff.Chain, error) { return r.StaffChain() })
	require.ErrorIs(t, err, fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.EnsureStaffChain() })
	update(t, s, func(tx engine.Tx) error { return tx.PutStaffChain(&staff.Chain{Lines: 5, Hash: "hash 4"}) })
	update(t, s, func(tx engine.Tx) error { return tx.EnsureStaffChain() })
	require.Equal(t, &staff.Chain{Lines: 5, Hash: "hash 4"}, get(t, s, func(r engine.Reader) (*staff.Chain, error) { return r.StaffChain() }))
	bare := &staff.Entry{ID: "aud_9", At: base}
	update(t, s, func(tx engine.Tx) error { return tx.InsertStaffEntry(bare) })
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertStaffEntry(bare) }), fault.ErrConflict)
	require.Equal(t, []*staff.Entry{bare}, get(t, s, func(r engine.Reader) ([]*staff.Entry,
		error) {
		return r.StaffEntries(staff.EntryFilter{Limit: 1})
	}))
}

func testStaffEnded(t *testing.T, s engine.Store) {
	late := base.Add(2 * time.Hour)
	update(t, s, func(tx engine.Tx) error {
		for n := range 3 {
			l := staffLogin(n, "user_1")
			if n == 2 {
				l.EndsAt = late.Add(time.Hour)
			}
			if err := tx.InsertStaffLogin(l); err != nil {
				return err
			}
		}
		if err := tx.InsertStaffOnce(&staff.Once{Hash: []byte("o"), EndsAt: base}); err != nil {
			return err
		}
		if err := tx.PutStaffTries(&staff.Tries{Key: []byte("old"), At: base}); err != nil {
			return err
		}
		return tx.PutStaffTries(&staff.Tries{Key: []byte("locked"), At: base, Until: late.Add(time.Hour)})
	})
	ended := func(limit int) (n int) {
		update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteStaffEnded(late, limit); return err })
		return n
	}
	require.Equal(t, 3, ended(1), "one row of each kind")
	require.Equal(t, 1, ended(10))
	require.Equal(t, 0, ended(10))
	require.Len(t, get(t, s, func(r engine.Reader) ([]*staff.Login, error) { return r.StaffLoginsOf("user_1") }), 1)
	_, err := read(s, func(r engine.Reader) (*staff.Tries, error) { return r.StaffTries([]byte("locked")) })
	require.NoError(t, err)
}
