package method

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

const (
	ephemeralPurpose = "ephemeral_key"
	ephemeralTime    = time.Hour // how long a key is valid
)

// EphemeralKey lets a customer's device act for that customer for an hour. The key itself is shown once and never stored.
type EphemeralKey struct {
	ID         string // eki_…
	MerchantID string
	CustomerID string
	Hash       []byte // keyed hash of the key
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// CreateEphemeralKey makes a key with which a customer's device may read and manage that customer's saved methods for an hour. The key is
// shown once. Errors: HE_02 and IR_11 for the customer.
func (s *Methods) CreateEphemeralKey(ctx context.Context, a account.Auth, customerID string) (*EphemeralKey, secret.Value, error) {
	var b [16]byte
	rand.Read(b[:])
	text := account.EphemeralPrefix + hex.EncodeToString(b[:])
	now := s.now().UTC().Truncate(time.Millisecond)
	k := &EphemeralKey{ID: ids.At("eki_", now), MerchantID: a.MerchantID, CustomerID: customerID, Hash: s.vault.Hash(ephemeralPurpose, []byte(text)),
		CreatedAt: now, ExpiresAt: now.Add(ephemeralTime)}
	err := s.store.Update(ctx, func(tx Tx) error {
		if _, err := s.livingCustomer(tx, a, customerID); err != nil {
			return err
		}
		return tx.InsertEphemeralKey(k)
	})
	if err != nil {
		return nil, secret.Value{}, fault.FromStore(err, "create ephemeral key")
	}
	return k, secret.New(text), nil
}

// DeleteEphemeralKey ends a key before its time: no node accepts the key any more. Errors: HE_02.
func (s *Methods) DeleteEphemeralKey(ctx context.Context, a account.Auth, id string) (k *EphemeralKey, err error) {
	err = s.store.Update(ctx, func(tx Tx) (err error) {
		if k, err = tx.EphemeralKey(a.MerchantID, id); err != nil {
			return fault.IfMissing(err, fault.NotFound("Ephemeral Key"))
		}
		return fault.IfMissing(tx.DeleteEphemeralKey(a.MerchantID, id), fault.NotFound("Ephemeral Key")) // the sweeper may just have removed it
	})
	if err != nil {
		return nil, fault.FromStore(err, "delete ephemeral key")
	}
	return k, nil
}

// AuthenticateEphemeral finds the customer that an ephemeral key acts for. An unknown, deleted or expired key is Unauthorized.
func (s *Methods) AuthenticateEphemeral(ctx context.Context, text string) (account.Auth, error) {
	hash := s.vault.Hash(ephemeralPurpose, []byte(text))
	var k *EphemeralKey
	err := s.store.View(ctx, func(r Reader) (err error) { k, err = r.EphemeralKeyByHash(hash); return err })
	switch {
	case errors.Is(err, fault.ErrNotFound), errors.Is(err, vault.ErrAltered):
		return account.Auth{}, fault.Unauthorized()
	case err != nil:
		return account.Auth{}, fault.Internal(err, "look up ephemeral key")
	case subtle.ConstantTimeCompare(k.Hash, hash) != 1 || !s.now().Before(k.ExpiresAt):
		return account.Auth{}, fault.Unauthorized()
	}
	return account.Auth{MerchantID: k.MerchantID, CustomerID: k.CustomerID, KeyID: k.ID}, nil
}
