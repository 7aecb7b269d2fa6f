package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/fault"
)

func authenticationOf(id string) *authentication.Record {
	return &authentication.Record{ID: id, MerchantID: merchantA, PaymentID: "pay_1", AttemptID: "pay_1_1", State: authentication.Prepared, CreatedAt: base}
}

func authenticationID(a *authentication.Record) string { return a.ID }

func testAuthentications(t *testing.T, s engine.Store) {
	other := authenticationOf("auth_3")
	other.PaymentID = "pay_2"
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.InsertAuthentication(authenticationOf("auth_2")), tx.InsertAuthentication(authenticationOf("auth_1")), tx.InsertAuthentication(other))
	})
	of := func(merchantID, paymentID string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*authentication.Record, error) {
			return r.Authentications(merchantID, paymentID)
		}), authenticationID)
	}
	require.Equal(t, []string{"auth_2", "auth_1"}, of(merchantA, "pay_1"), "by insertion")
	require.Equal(t, []string{"auth_3"}, of(merchantA, "pay_2"))
	require.Empty(t, of(merchantB, "pay_1"))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.InsertAuthentication(authenticationOf("auth_1")) }), fault.ErrConflict)
	stale := authenticationOf("auth_1")
	stale.Version = 7
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdateAuthentication(stale) }), fault.ErrConflict)
	theirs := authenticationOf("auth_1")
	theirs.MerchantID, theirs.Version = merchantB, 1
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.UpdateAuthentication(theirs) }), fault.ErrNotFound)
	_, err := read(s, func(r engine.Reader) (*authentication.Record, error) { return r.Authentication("auth_9") })
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func testAuthenticationsAt(t *testing.T, s engine.Store) {
	insert := func(merchantID, id, accountID, transaction string) {
		a := authenticationOf(id)
		a.MerchantID, a.AccountID, a.Details.ServerTransID = merchantID, accountID, transaction
		update(t, s, func(tx engine.Tx) error { return tx.InsertAuthentication(a) })
	}
	insert(merchantA, "a1", "acc", "s1")
	insert(merchantA, "a2", "acc", "")
	insert(merchantA, "a3", "acc", "s1")
	insert(merchantA, "a4", "acc2", "s1")
	insert(merchantB, "a5", "acc", "s1")
	at := func(accountID, transaction string) []string {
		return ids(get(t, s, func(r engine.Reader) ([]*authentication.Record, error) {
			return r.AuthenticationsAt(merchantA, accountID, transaction)
		}), authenticationID)
	}
	require.Equal(t, []string{"a3", "a1"}, at("acc", "s1"))
	require.Equal(t, []string{"a4"}, at("acc2", "s1"))
	require.Empty(t, at("acc", "s2"))
	require.Empty(t, at("acc", ""))

	update(t, s, func(tx engine.Tx) error {
		a, err := tx.Authentication("a2")
		if err != nil {
			return err
		}
		a.AccountID, a.Details.ServerTransID = "acc2", "s2"
		return tx.UpdateAuthentication(a)
	})
	require.Equal(t, []string{"a2"}, at("acc2", "s2"))
}

func testAuthenticationLeases(t *testing.T, s engine.Store) {
	now := get(t, s, func(r engine.Reader) (time.Time, error) { return r.Now(), nil })
	for id, due := range map[string]time.Time{"a": now.Add(-time.Minute), "b": now.Add(-time.Second), "later": now.Add(time.Hour), "never": {}} {
		a := authenticationOf(id)
		a.DueAt = due
		update(t, s, func(tx engine.Tx) error { return tx.InsertAuthentication(a) })
	}
	claim := func(owner string, until time.Duration, limit int) (list []string) {
		update(t, s, func(tx engine.Tx) error {
			claimed, err := tx.ClaimAuthentications(owner, tx.Now().Add(until), limit)
			list = ids(claimed, authenticationID)
			for _, a := range claimed {
				require.Equal(t, owner, a.Owner)
				require.True(t, a.LeaseUntil.After(tx.Now()))
			}
			return err
		})
		return list
	}
	require.Equal(t, []string{"a"}, claim("n1", time.Hour, 1), "the one that is due longest comes first")
	require.Equal(t, []string{"b"}, claim("n2", time.Hour, 9))
	require.Empty(t, claim("n3", time.Hour, 9))

	lease := func(id, owner string, until time.Duration) (held bool) {
		update(t, s, func(tx engine.Tx) (err error) {
			held, err = tx.LeaseAuthentication(id, owner, tx.Now().Add(until))
			return err
		})
		return held
	}
	release := func(id, owner string) {
		update(t, s, func(tx engine.Tx) error { return tx.ReleaseAuthentication(id, owner) })
	}
	require.False(t, lease("a", "n9", time.Hour))
	require.False(t, lease("a", "n1", time.Hour), "not twice by the same node either: it already asks")
	release("a", "n9")
	require.False(t, lease("a", "n9", time.Hour), "only the holder releases it")
	release("a", "n1")
	require.True(t, lease("a", "n9", -time.Second))
	require.True(t, lease("a", "n8", time.Hour), "a lease that has ended excludes no node")
	require.True(t, lease("later", "n1", time.Hour))
	require.False(t, lease("nothing", "n1", time.Hour))

	a := get(t, s, func(r engine.Reader) (*authentication.Record, error) { return r.Authentication("a") })
	require.EqualValues(t, 1, a.Version, "a lease does not raise the version")
	a.Owner, a.LeaseUntil, a.DueAt = "", time.Time{}, time.Time{}
	update(t, s, func(tx engine.Tx) error { return tx.UpdateAuthentication(a) })
	require.False(t, lease("a", "n7", time.Hour), "a change leaves the lease")

	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 16 {
		wg.Go(func() {
			held := false
			err := s.Update(t.Context(), func(tx engine.Tx) (err error) {
				held, err = tx.LeaseAuthentication("never", "n", tx.Now().Add(time.Hour))
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && held {
				won++
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1, won)
}
