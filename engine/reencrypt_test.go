package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/idempotency"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/vault"
)

// TestReencryptsWhatTheEngineStores fills every table that has a sealed column through the engine, and moves all values to new keys. Every
// value must open afterwards. So re-encryption and the engine bind a column to the same text.
func TestReencryptsWhatTheEngineStores(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{PublicURL: "https://switch.test"})
	ctx := t.Context()
	_, err := w.UpdateMerchant(ctx, account.MerchantInput{ID: "m1", Fields: account.Fields{
		"merchant_details": []byte(`{"primary_contact_person":"Ada Lovelace","primary_email":"ada@example.com"}`)}})
	require.NoError(t, err)
	w.setProfile(`{"payment_response_hash_key":"secret of the profile"}`)
	saved := w.pay(sale(1000, visa, customer("cus_1"), offSession, agreed, func(in *request.Input) {
		in.MandateData = &request.MandateInput{}
	}))
	require.NotNil(t, saved.Method)
	begun := w.begun()
	w.pay(sale(1000, visa, func(in *request.Input) { in.Confirm = new(bool) })) // its card is kept until the confirmation
	auth := w.auth
	_, finish, _, err := w.BeginIdempotent(ctx, &auth, "k1", []byte("hash"))
	require.NoError(t, err)
	require.NoError(t, finish(ctx, idempotency.Answer{Status: 200, Body: []byte(`{}`)}))

	w.endpoint("m1")
	people := staff.New(staff.Deps{Store: port.Narrow[staff.Reader, staff.Tx](w.db), Vault: w.vault}, staff.Options{})
	_, _, err = people.Invite(ctx, nil, staff.InviteInput{Email: "ada@example.com", Grants: []staff.Grant{{Role: staff.Operator}}})
	require.NoError(t, err)

	v := openQuick(t, w.db, vault.Options{Master: worldMaster(t)})
	_, err = v.Rotate(ctx)
	require.NoError(t, err)
	report, err := v.Reencrypt(ctx, true, nil)
	require.NoError(t, err)
	require.Empty(t, report.Unreadable)
	require.Len(t, report.Destroyed, 2)
	for _, table := range vault.SealedTables() {
		if table != vault.SealedExchanges { // exchanges are deleted when their operation ends
			require.Positive(t, report.Moved[table], table)
		}
	}

	// The moved records still work: the challenge, the saved card and the stored answer.
	require.NotEmpty(t, w.authenticated(begun).TransStatus)
	var card *vault.StoredCard
	require.NoError(t, w.db.View(ctx, func(r engine.Reader) (err error) { card, err = r.Card("m1", saved.Method.ID); return err }))
	data, err := v.OpenCard(card)
	require.NoError(t, err)
	require.Equal(t, visa, data.Number.Reveal())
	stored, _, _, err := w.BeginIdempotent(ctx, &auth, "k1", []byte("hash"))
	require.NoError(t, err)
	require.Equal(t, 200, stored.Status)
}

func worldMaster(t *testing.T) vault.MasterKey {
	t.Helper()
	k, err := vault.LocalMasterKey(worldKey)
	require.NoError(t, err)
	return k
}
