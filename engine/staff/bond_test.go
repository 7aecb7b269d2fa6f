package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
)

// TestBond: one user makes a link to another's password. For a week the two do not count as two people, whichever of them comes first.
func TestBond(t *testing.T) {
	t.Parallel()
	h := newHouse(t, staff.Options{})
	adminID, _, in := h.admin("ad@example.com", adminOne)
	otherID := h.user("other@example.com", adminOne)
	h.pass(-4 * time.Minute) // the factor is fresh
	by := h.session(in.Token)
	bond := func(one, two string) *staff.Bond {
		t.Helper()
		b, err := h.Bond(ctx, one, two)
		require.NoError(t, err)
		return b
	}
	require.Nil(t, bond(adminID, otherID), "a command on the host made both")
	require.Nil(t, bond(adminID, "user_none"))
	_, puppetID, err := h.Invite(ctx, by, staff.InviteInput{Email: "puppet@example.com", Grants: []staff.Grant{adminOne}})
	require.NoError(t, err)
	made := h.now()
	for _, pair := range [][2]string{{adminID, puppetID}, {puppetID, adminID}} {
		require.Equal(t, &staff.Bond{Of: "puppet", By: "ad", At: made, Until: made.Add(7 * 24 * time.Hour), Binds: true}, bond(pair[0], pair[1]))
	}
	require.Nil(t, bond(otherID, puppetID))
	_, err = h.NewLink(ctx, by, otherID)
	require.NoError(t, err)
	require.True(t, bond(otherID, adminID).Binds, "a new link to an old user counts too")
	_, err = h.Reset(ctx, nil, otherID)
	require.NoError(t, err)
	require.Nil(t, bond(otherID, adminID), "the host's link took its place")
	h.pass(7*24*time.Hour - time.Minute)
	require.True(t, bond(adminID, puppetID).Binds)
	h.pass(time.Minute)
	require.False(t, bond(adminID, puppetID).Binds, "it stays known")
}
