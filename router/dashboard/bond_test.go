package dashboard

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/storage"
)

// TestInvitedSecondPerson: an administrator who invites a user has no second person in that user. A week later the decision says who invited whom.
func TestInvitedSecondPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	require.Equal(t, http.StatusOK, w.post("/m/acme/profiles/"+w.profile().ID+"/decisions", "second_person", "on", "limits", "").Code)
	id := w.doubt()
	store, err := storage.Open(t.Context(), w.dsn, storage.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	vault, err := engine.OpenVault(t.Context(), store, secret.New(worldKey))
	require.NoError(t, err)
	now := time.Now()
	people := staff.New(staff.Deps{Store: port.Narrow[staff.Reader, staff.Tx](store), Vault: vault, Now: func() time.Time { return now }}, staff.Options{})
	admin := staff.Grant{MerchantID: "acme", Role: staff.Admin}
	_, ada, err := people.Invite(t.Context(), nil, staff.InviteInput{Email: "ada@example.com", Name: "Ada", Grants: []staff.Grant{admin}})
	require.NoError(t, err)
	_, bob, err := people.Invite(t.Context(), &staff.Session{UserID: ada, Grants: []staff.Grant{admin}, SecondFactorAt: now}, staff.InviteInput{Email: "bob@example.com", Name: "Bob", Grants: []staff.Grant{admin}})
	require.NoError(t, err)
	w.server.Staff = people
	for _, pair := range [][2]string{{ada, bob}, {bob, ada}} {
		w.person.UserID, w.person.Name = pair[0], pair[0]
		w.done("/decisions/"+id, "outcome", "not_done", "why", "the processor's page")
		v, err := w.engine.Operation(t.Context(), id)
		require.NoError(t, err)
		w.person.UserID, w.person.Name = pair[1], pair[1]
		page := w.page("/decisions/" + id)
		require.Contains(t, page, "You and the proposer do not count as two people until")
		require.Contains(t, page, "Ada made the link with which Bob chooses a password")
		require.NotContains(t, page, "/confirm\"")
		refused := w.post("/decisions/"+id+"/confirm", "proposal", v.Proposal.ID)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Code)
		require.Contains(t, refused.Body.String(), "do not count as two people")
		if pair[0] == ada {
			w.done("/decisions/"+id+"/withdraw", "proposal", v.Proposal.ID)
		}
	}
	v, err := w.engine.Operation(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, v.Resolution)
	now = now.Add(7 * 24 * time.Hour)
	require.Contains(t, w.page("/decisions/"+id), "The audit keeps that with your word.")
	w.done("/decisions/"+id+"/confirm", "proposal", v.Proposal.ID)
	require.Equal(t, "Bob has a password link by Ada", w.audit.acts[len(w.audit.acts)-1].Details["bond"])
}
