package staff_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/engine/staff"
)

// TestEscalation: an administrator of one merchant gives no role elsewhere, and takes over no user who has one.
func TestEscalation(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	adminID, _, in := h.admin("ad@example.com", adminOne)
	opID := h.user("op@example.com", staff.Grant{Role: staff.Operator})
	bothID := h.user("both@example.com", viewer, staff.Grant{MerchantID: "m2", Role: staff.Admin})
	viewerID := h.user("vi@example.com", viewer)
	h.pass(-4 * time.Minute) // the factor is fresh
	by := h.session(in.Token)
	require.True(t, by.Fresh(h.now()))
	for name, err := range map[string]error{
		"grant at another merchant": h.SetGrants(ctx, by, viewerID, "m2", []staff.Grant{{Role: staff.Viewer}}),
		"grant for all":             h.SetGrants(ctx, by, viewerID, "", []staff.Grant{{Role: staff.Admin}}),
		"operator at a merchant":    h.SetGrants(ctx, by, viewerID, "m1", []staff.Grant{{Role: staff.Operator}}),
		"own grants":                h.SetGrants(ctx, by, adminID, "m1", []staff.Grant{{Role: staff.Admin}}),
		"disable an operator":       h.Disable(ctx, by, opID),
		"disable a user of another": h.Disable(ctx, by, bothID),
		"disable oneself":           h.Disable(ctx, by, adminID),
		"unlock an operator":        h.Unlock(ctx, by, opID),
	} {
		require.Error(t, err, name)
	}
	_, err := h.NewLink(ctx, by, opID)
	require.ErrorIs(t, err, staff.ErrNotPermitted)
	_, err = h.Reset(ctx, by, bothID)
	require.ErrorIs(t, err, staff.ErrNotPermitted)
	_, _, err = h.Invite(ctx, by, staff.InviteInput{Email: "x@example.com", Grants: []staff.Grant{{Role: staff.Operator}}})
	require.ErrorIs(t, err, staff.ErrNotPermitted)
	_, _, err = h.Invite(ctx, by, staff.InviteInput{Email: "x@example.com", Grants: []staff.Grant{{MerchantID: "m2", Role: staff.Viewer}}})
	require.ErrorIs(t, err, staff.ErrNotPermitted)
	_, err = h.Team(ctx, by, "m2")
	require.ErrorIs(t, err, staff.ErrNotPermitted)
	_, err = h.Team(ctx, by, "")
	require.ErrorIs(t, err, staff.ErrNotPermitted)

	vi, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	low := h.session(vi.Token)
	low.SecondFactorAt = h.now()
	require.ErrorIs(t, h.SetGrants(ctx, low, bothID, "m1", nil), staff.ErrNotPermitted)
	require.NoError(t, h.SetGrants(ctx, by, viewerID, "m1", nil), "take the last role away")
	require.ErrorIs(t, h.Disable(ctx, low, viewerID), staff.ErrNotPermitted)
	bare := h.user("bare@example.com", viewer)
	require.NoError(t, h.SetGrants(ctx, nil, bare, "m1", nil))
	require.ErrorIs(t, h.Disable(ctx, low, bare), staff.ErrNotPermitted, "a user without roles is not everybody's")

	team, err := h.Team(ctx, by, "m1")
	require.NoError(t, err)
	for _, m := range team {
		require.Equal(t, m.ID == adminID, m.Whole, m.Email)
		for _, g := range m.Grants {
			require.NotEqual(t, "m2", g.MerchantID, "an administrator of m1 does not read roles at m2")
		}
	}
}

// TestForeignInvitation: an administrator invites a colleague of another merchant in advance, or keeps a link for a user. The roles that others give to
// that user later are not the administrator's.
func TestForeignInvitation(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	adminTwo := staff.Grant{MerchantID: "m2", Role: staff.Admin}
	_, _, one := h.admin("ad@example.com", adminOne)
	_, _, two := h.admin("bo@example.com", adminTwo)
	opID := h.user("op@example.com", staff.Grant{Role: staff.Operator})
	h.pass(-4 * time.Minute) // the factors are fresh
	attacker, victim := h.session(one.Token), h.session(two.Token)
	operator := &staff.Session{UserID: opID, Grants: []staff.Grant{{Role: staff.Operator}}, SecondFactorAt: h.now(), Stage: staff.Full}
	atTwo := staff.Grant{MerchantID: "m2", Role: staff.Support}
	enter := func(link secret.Value) error {
		h.pass(time.Minute)
		_, err := h.UseLink(ctx, staff.Visit{Address: "192.0.2.66"}, link, staff.LinkInput{Password: phrase})
		victim.SecondFactorAt, attacker.SecondFactorAt, operator.SecondFactorAt = h.now(), h.now(), h.now()
		return err
	}
	invite := func(by *staff.Session, email string, g staff.Grant) (secret.Value, string, error) {
		return h.Invite(ctx, by, staff.InviteInput{Email: email, Grants: []staff.Grant{g}})
	}

	waiting, _, err := invite(attacker, "wait@two.example", viewer)
	require.NoError(t, err)
	taken, takenID, err := invite(attacker, "taken@two.example", viewer)
	require.NoError(t, err)
	require.NoError(t, enter(taken), "the attacker chooses the password of a user with the address of another")
	for _, email := range []string{"wait@two.example", "taken@two.example"} {
		_, _, err = invite(victim, email, atTwo)
		require.ErrorContains(t, err, "operator", "nobody knows whose user this is")
	}

	// An operator sees the user's other roles, and gives the role. Links from before end.
	link, _, err := invite(operator, "wait@two.example", atTwo)
	require.NoError(t, err)
	require.ErrorIs(t, enter(waiting), staff.ErrLink)
	require.NoError(t, enter(link))
	reset, err := h.NewLink(ctx, attacker, takenID)
	require.NoError(t, err)
	require.NoError(t, h.SetGrants(ctx, operator, takenID, "", []staff.Grant{{Role: staff.Admin}}))
	require.ErrorIs(t, enter(reset), staff.ErrLink)

	// A user without any role begins anew.
	gone, goneID, err := invite(attacker, "gone@two.example", viewer)
	require.NoError(t, err)
	require.NoError(t, enter(gone))
	require.NoError(t, h.SetGrants(ctx, attacker, goneID, "m1", nil))
	require.ErrorContains(t, h.SetGrants(ctx, operator, goneID, "m2", []staff.Grant{atTwo}), "invite the address again")
	link, again, err := invite(victim, "gone@two.example", atTwo)
	require.NoError(t, err)
	require.Equal(t, goneID, again)
	_, err = h.Login(ctx, here, "gone@two.example", phrase)
	require.ErrorIs(t, err, staff.ErrLogin, "the old password is void")
	require.NoError(t, enter(link))
	require.NoError(t, h.SetGrants(ctx, victim, goneID, "m2", nil))
	require.NoError(t, h.Disable(ctx, operator, goneID))
	_, _, err = invite(victim, "gone@two.example", atTwo)
	require.ErrorContains(t, err, "operator", "a disabled user stays out")

	// A change of the role at the same merchant leaves the invitation.
	kept, keptID, err := invite(victim, "new@two.example", atTwo)
	require.NoError(t, err)
	require.NoError(t, h.SetGrants(ctx, victim, keptID, "m2", []staff.Grant{{MerchantID: "m2", Role: staff.Viewer}}))
	require.NoError(t, enter(kept))
}

// TestRaisedRole: a session that was opened with a password alone ends when the role asks for more.
func TestRaisedRole(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	h.user("vi@example.com", viewer)
	in, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	h.session(in.Token)
	_, _, err = h.Invite(ctx, nil, staff.InviteInput{Email: "vi@example.com", Grants: []staff.Grant{{MerchantID: "m2", Role: staff.Admin}}})
	require.NoError(t, err)
	_, err = h.Session(ctx, in.Token)
	require.ErrorIs(t, err, staff.ErrNoSession)
	half, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	require.Equal(t, staff.NeedEnrol, half.Stage)
}

func TestStepUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	viewerID := h.user("vi@example.com", viewer)
	_, key, in := h.admin("ad@example.com", adminOne)
	h.pass(6 * time.Minute)
	by := h.session(in.Token)
	require.ErrorIs(t, h.Disable(ctx, by, viewerID), staff.ErrStepUp)
	_, err := h.NewRecoveryCodes(ctx, by)
	require.ErrorIs(t, err, staff.ErrStepUp)
	_, err = h.BeginTOTP(ctx, by)
	require.ErrorIs(t, err, staff.ErrStepUp, "a stolen session adds no factor")
	_, _, err = h.BeginEnrol(ctx, by)
	require.ErrorIs(t, err, staff.ErrStepUp)
	up, err := h.GiveCode(ctx, here, in.Token, staff.CodeOf(key, h.now()))
	require.NoError(t, err)
	require.NoError(t, h.Disable(ctx, h.session(up.Token), viewerID))

	change := staff.Entry{Action: "key.created", MerchantID: "m1", Target: "key_1"}
	done := 0
	do := func(context.Context) error { done++; return nil }
	require.NoError(t, h.Perform(ctx, h.session(up.Token), here, staff.ManageKeys, true, change, do))
	failed := errors.New("failed")
	require.ErrorIs(t, h.Perform(ctx, h.session(up.Token), here, staff.ManageKeys, true, change, func(context.Context) error { return failed }), failed)
	h.pass(6 * time.Minute)
	require.ErrorIs(t, h.Perform(ctx, h.session(up.Token), here, staff.ManageKeys, true, change, do), staff.ErrStepUp)
	require.ErrorIs(t, h.Perform(ctx, h.session(up.Token), here, staff.ManageAdapters, true, change, do), staff.ErrNotPermitted)
	require.Equal(t, 1, done)
	lines, next, err := h.Lines(ctx, h.session(up.Token), staff.EntryFilter{MerchantID: "m1", Limit: 2})
	require.NoError(t, err)
	require.Equal(t, "key.created.failed", lines[0].Action)
	require.Equal(t, "ad", lines[0].Person)
	require.NotEmpty(t, next)
	_, _, err = h.Lines(ctx, h.session(up.Token), staff.EntryFilter{})
	require.ErrorIs(t, err, staff.ErrNotPermitted, "the installation's audit is an operator's")
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	id := h.user("ad@example.com", adminOne)
	half, err := h.Login(ctx, here, "ad@example.com", phrase)
	require.NoError(t, err)
	_, ticket, err := h.BeginEnrol(ctx, h.session(half.Token))
	require.NoError(t, err)
	full, err := h.FinishEnrol(ctx, here, half.Token, ticket, "phone", []byte("pk"))
	require.NoError(t, err)
	require.Equal(t, staff.Full, full.Stage)
	require.Len(t, full.Codes, 10)
	_, err = h.FinishEnrol(ctx, here, full.Token, ticket, "phone", []byte("pk2"))
	require.ErrorIs(t, err, staff.ErrLink, "a challenge works once")

	begin := func() secret.Value {
		_, ticket, err := h.BeginPasskey(ctx, here)
		require.NoError(t, err)
		return ticket
	}
	ticket = begin()
	in, err := h.LoginByPasskey(ctx, here, ticket, []byte(id+"/pk"))
	require.NoError(t, err)
	require.Equal(t, staff.NeedSecond, in.Stage, "for an admin a passkey is one factor of two")
	require.Equal(t, []staff.Factor{staff.ByPassword}, h.session(in.Token).Ways)
	_, err = h.LoginByPasskey(ctx, here, ticket, []byte(id+"/pk"))
	require.ErrorIs(t, err, staff.ErrLink, "replayed")
	_, err = h.GivePassword(ctx, here, in.Token, secret.New("wrong"))
	require.ErrorIs(t, err, staff.ErrLogin)
	_, err = h.GivePasskey(ctx, here, in.Token, begin(), []byte(id+"/pk"))
	require.ErrorIs(t, err, staff.ErrLogin, "the same factor twice")
	in, err = h.GivePassword(ctx, here, in.Token, phrase)
	require.NoError(t, err)
	require.Equal(t, staff.Full, in.Stage)

	// Another user's passkey confirms nothing.
	other := h.user("vi@example.com", viewer)
	vi, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	vi, err = h.GivePassword(ctx, here, vi.Token, phrase)
	require.NoError(t, err, "without a second factor the password confirms")
	_, ticket, err = h.BeginEnrol(ctx, h.session(vi.Token))
	require.NoError(t, err)
	_, err = h.FinishEnrol(ctx, here, full.Token, ticket, "x", []byte("vi"))
	require.Error(t, err, "another user's challenge")
	_, ticket, err = h.BeginEnrol(ctx, h.session(vi.Token))
	require.NoError(t, err)
	_, err = h.FinishEnrol(ctx, here, vi.Token, ticket, "x", []byte("vi"))
	require.NoError(t, err)
	byKey, err := h.LoginByPasskey(ctx, here, begin(), []byte(other+"/vi"))
	require.NoError(t, err)
	require.Equal(t, staff.Full, byKey.Stage, "for a viewer a passkey is enough")
	_, err = h.GivePasskey(ctx, here, in.Token, begin(), []byte(other+"/vi"))
	require.ErrorIs(t, err, staff.ErrLogin)

	// The last factor of an admin stays.
	up, err := h.GivePasskey(ctx, here, in.Token, begin(), []byte(id+"/pk"))
	require.NoError(t, err)
	require.ErrorContains(t, h.RemovePasskey(ctx, h.session(up.Token), []byte("pk")), "only second factor")
}

func TestDemo(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	_, err := h.DemoLink(ctx, "demo@example.com", "Demo")
	require.Error(t, err, "outside of the demo no link logs in")
	demo := h.node(staff.Options{Demo: true})
	for range 2 {
		link, err := demo.DemoLink(ctx, "demo@example.com", "Demo")
		require.NoError(t, err)
		in, err := demo.UseLink(ctx, here, link, staff.LinkInput{})
		require.NoError(t, err)
		require.Equal(t, staff.Full, in.Stage)
		s, err := demo.Session(ctx, in.Token)
		require.NoError(t, err)
		require.True(t, s.Fresh(h.now()))
		require.True(t, s.May(staff.ManageKeys, "m"))
		_, err = demo.UseLink(ctx, here, link, staff.LinkInput{})
		require.ErrorIs(t, err, staff.ErrLink)
		_, err = h.Session(ctx, in.Token)
		require.ErrorIs(t, err, staff.ErrNoSession, "a session of the demo counts nowhere else")
	}
}

func TestTaste(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	h.user("vi@example.com", viewer)
	in, err := h.Login(ctx, here, "vi@example.com", phrase)
	require.NoError(t, err)
	s := h.session(in.Token)
	require.NoError(t, h.SetPreferences(ctx, s, staff.Preferences{Name: "Vi", TimeZone: "Europe/Berlin", Theme: "dark"}))
	s = h.session(in.Token)
	require.Equal(t, "Europe/Berlin dark Vi", s.TimeZone+" "+s.Theme+" "+s.Name)
	for _, bad := range []staff.Preferences{{Name: "", Theme: "dark"}, {Name: "Vi", TimeZone: "Mars/North"}, {Name: "Vi", Theme: "pink"},
		{Name: "Vi", TimeZone: "../../etc/passwd"}} {
		require.Error(t, h.SetPreferences(ctx, s, bad))
	}
	s = h.session(in.Token)
	require.ErrorIs(t, h.ChangePassword(ctx, s, phrase), staff.ErrStepUp)
	up, err := h.GivePassword(ctx, here, in.Token, phrase)
	require.NoError(t, err)
	require.NoError(t, h.ChangePassword(ctx, h.session(up.Token), secret.New("nine purple lamps hum")))
	_, err = h.Login(ctx, here, "vi@example.com", phrase)
	require.ErrorIs(t, err, staff.ErrLogin)
}
