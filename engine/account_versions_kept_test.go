package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Versions go when nothing needs them: not while an operation is open, and not while a payment can be refunded.
func TestVersionsAreSwept(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	m.set(func() { m.how = "hang" })
	open := w.pay(sale(100, visa, manual)).Payment.ID
	w.rekey(id, "b1", false)
	m.set(func() { m.how = "" })
	w.took()
	w.rekey(id, "b2", true)
	w.rekey(id, "c1", false)
	sweep := func() (left int) {
		require.NoError(t, w.SweepVersions(t.Context()))
		return len(w.versions(id))
	}
	unused := func(family string, days int) {
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			list, err := tx.AccountVersions("m1", id)
			for _, v := range list {
				if v.Family == family {
					v.UsedAt = tx.Now().Add(-time.Duration(days) * 24 * time.Hour)
					require.NoError(t, tx.UpdateAccountVersion(v))
				}
			}
			return err
		}))
	}
	require.Equal(t, 3, sweep())
	list := w.versions(id)
	a, b := list[0].Family, list[2].Family
	require.NotEqual(t, a, b)
	require.Equal(t, b, list[1].Family)
	require.Empty(t, list[1].Sealed, "a key that was replaced within its account is not kept")
	require.NotEmpty(t, list[2].Sealed)
	unused(a, 400)
	unused(b, 394)
	require.Equal(t, 3, sweep(), "one has an open operation, the others may have payments to refund")
	unused(b, 396)
	require.Equal(t, 1, sweep())
	w.running()
	w.eventually(open, payment.RequiresCapture)
	require.Eventually(t, func() bool { return sweep() == 0 }, 10*time.Second, time.Millisecond)
	_, err := w.CapturePayment(t.Context(), w.auth, open, &request.CaptureInput{})
	require.Equal(t, "HE_02", code(t, err), "it is refused, and not sent to another account")
	require.NotContains(t, m.keys(""), "c1")
}

// A key with which nothing was begun is not kept.
func TestUnusedCredentialsAreNotKept(t *testing.T) {
	t.Parallel()
	w, _, id := mallWorld(t, resendFirst)
	w.rekey(id, "b1", false)
	w.took()
	w.rekey(id, "c1", false)
	w.rekey(id, "d1", false)
	require.Len(t, w.versions(id), 1)
	require.NoError(t, w.DeleteAccount(t.Context(), w.auth, id))
	require.Len(t, w.versions(id), 1)
	require.NoError(t, w.DeleteMerchant(t.Context(), "m1"))
	require.Empty(t, w.versions(id))
}

// A version's secrets move to a new key of the vault, and work from there.
func TestVersionsAreReencrypted(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	held, other, taken := w.made()
	w.rekey(id, "b1", false)
	v := openQuick(t, w.db, vault.Options{Master: worldMaster(t)})
	_, err := v.Rotate(t.Context())
	require.NoError(t, err)
	report, err := v.Reencrypt(t.Context(), true, nil)
	require.NoError(t, err)
	require.Equal(t, 1, report.Moved[vault.SealedVersions])
	require.Len(t, report.Destroyed, 2)
	again := w.second(quick, map[string]*sdk.Adapter{"mall": mallAdapter(resendFirst)})
	require.Equal(t, []string{"a1", "a1", "a1"}, again.settled(m, held, other, taken))
}

// An intruder in the database cannot move a version to another account, or make another version serve.
func TestVersionsCannotBeForged(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	held := w.pay(sale(100, visa, manual)).Payment.ID
	w.rekey(id, "b1", false)
	w.pay(sale(100, visa, manual))
	w.rekey(id, "c1", false)
	list := w.versions(id)
	require.Len(t, list, 2)
	i := w.intruder()
	for _, attack := range []string{
		`UPDATE account_versions SET family = '` + list[1].Family + `'`,
		`UPDATE account_versions SET sealed = (SELECT sealed FROM account_versions WHERE fingerprint = '` + list[1].Fingerprint + `')`,
		`UPDATE account_versions SET fingerprint = fingerprint || 'x' WHERE fingerprint = '` + list[0].Fingerprint + `'`,
		`UPDATE attempts SET account_version = '` + list[1].Fingerprint + `'`,
		`DELETE FROM account_versions WHERE fingerprint = '` + list[0].Fingerprint + `'`,
	} {
		undo := i.snapshot(t, "account_versions", "attempts")
		_, err := i.Exec(attack)
		require.NoError(t, err)
		m.set(func() { m.seen = nil })
		_, err = w.CapturePayment(context.Background(), w.auth, held, &request.CaptureInput{})
		require.Error(t, err, attack)
		require.Empty(t, m.keys(""), attack)
		undo()
	}
	_, err := w.CapturePayment(context.Background(), w.auth, held, &request.CaptureInput{})
	require.NoError(t, err)
}

// snapshot returns a function that restores these tables.
func (i *intruder) snapshot(t *testing.T, tables ...string) (undo func()) {
	for _, table := range tables {
		_, err := i.Exec(`DROP TABLE IF EXISTS saved_` + table + `; CREATE TABLE saved_` + table + ` AS SELECT * FROM ` + table)
		require.NoError(t, err)
	}
	return func() {
		for _, table := range tables {
			_, err := i.Exec(`DELETE FROM ` + table + `; INSERT INTO ` + table + ` SELECT * FROM saved_` + table)
			require.NoError(t, err)
		}
	}
}

// Nothing prints a fingerprint or a key.
func TestVersionsPrintNothing(t *testing.T) {
	t.Parallel()
	w, _, id := mallWorld(t, resendFirst)
	w.took()
	v := w.versions(id)[0]
	require.Len(t, v.Fingerprint, 32)
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(format, v), v.Fingerprint)
		require.NotContains(t, fmt.Sprintf(format, *v), v.Fingerprint)
	}
	var n int
	require.NoError(t, w.intruder().QueryRow(`SELECT count(*) FROM account_versions WHERE details LIKE '%"a1"%' OR sealed LIKE '%"a1"%'`).Scan(&n))
	require.Zero(t, n)
}
