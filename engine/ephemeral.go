package engine

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"time"
)

// CreateEphemeralKey makes a key with which a customer's device may read and manage that customer's saved methods for an hour. The key is
// shown once. Errors: HE_02 and IR_11 for the customer.
func (e *Engine) CreateEphemeralKey(ctx context.Context, a Auth, customerID string) (*EphemeralKey, Secret, error) {
	var b [16]byte
	rand.Read(b[:])
	text := ephemeralPrefix + hex.EncodeToString(b[:])
	now := e.now().UTC().Truncate(time.Millisecond)
	k := &EphemeralKey{ID: idAt("eki_", now), MerchantID: a.MerchantID, CustomerID: customerID, Hash: e.vault.Hash(ephemeralPurpose, []byte(text)),
		CreatedAt: now, ExpiresAt: now.Add(ephemeralTime)}
	err := e.store.Update(ctx, func(tx Tx) error {
		if _, err := e.livingCustomer(tx, a, customerID); err != nil {
			return err
		}
		return tx.InsertEphemeralKey(k)
	})
	if err != nil {
		return nil, Secret{}, ours(err, "create ephemeral key")
	}
	return k, NewSecret(text), nil
}

// DeleteEphemeralKey ends one before its time; it works nowhere any more. Errors: HE_02.
func (e *Engine) DeleteEphemeralKey(ctx context.Context, a Auth, id string) (k *EphemeralKey, err error) {
	err = e.store.Update(ctx, func(tx Tx) (err error) {
		if k, err = tx.EphemeralKey(a.MerchantID, id); err != nil {
			return missing(err, NotFound("Ephemeral Key"))
		}
		return missing(tx.DeleteEphemeralKey(a.MerchantID, id), NotFound("Ephemeral Key")) // it may just have been swept
	})
	if err != nil {
		return nil, ours(err, "delete ephemeral key")
	}
	return k, nil
}

// authenticateEphemeral finds out whose ephemeral key it is.
func (e *Engine) authenticateEphemeral(ctx context.Context, text string) (Auth, error) {
	hash := e.vault.Hash(ephemeralPurpose, []byte(text))
	var k *EphemeralKey
	err := e.store.View(ctx, func(r Reader) (err error) { k, err = r.EphemeralKeyByHash(hash); return err })
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrAltered):
		return Auth{}, Unauthorized()
	case err != nil:
		return Auth{}, Internal(err, "look up ephemeral key")
	case subtle.ConstantTimeCompare(k.Hash, hash) != 1 || !e.now().Before(k.ExpiresAt):
		return Auth{}, Unauthorized()
	}
	return Auth{MerchantID: k.MerchantID, CustomerID: k.CustomerID}, nil
}
