package account

import (
	"context"
	"slices"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/secret"
)

// APIKeyInput is an API key as sent. A nil field was not sent.
type APIKeyInput struct {
	Name        *string // at most 64 bytes
	Description *string // at most 256 bytes
	// Expiration is when the key ends. The zero time means never.
	Expiration *time.Time
}

// CreateAPIKey makes a secret key for the merchant. The key itself is returned only here, because the store keeps only its keyed hash.
// Errors: HE_02 for the merchant; IR_04; IR_06 (422) for a text that is too long.
func (s *Registry) CreateAPIKey(ctx context.Context, a Auth, in APIKeyInput) (*APIKey, secret.Value, error) {
	switch {
	case in.Name == nil:
		return nil, secret.Value{}, fault.Missing("name")
	case in.Expiration == nil:
		return nil, secret.Value{}, fault.Missing("expiration")
	}
	text := s.KeyEnvironment + "_" + ids.Random(64)
	k := &APIKey{ID: ids.New(s.KeyEnvironment + "_"), MerchantID: a.MerchantID, Prefix: text[:12],
		Hash: s.Vault.Hash(apiKeyPurpose, []byte(text))}
	if err := k.apply(in); err != nil {
		return nil, secret.Value{}, err
	}
	err := s.change(ctx, "create API key", func(tx Tx) error {
		if _, err := tx.Merchant(a.MerchantID); err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		k.CreatedAt = tx.Now()
		return tx.InsertAPIKey(k)
	})
	if err != nil {
		return nil, secret.Value{}, err
	}
	return k, secret.New(text), nil
}

// UpdateAPIKey changes the fields that were sent. Errors: HE_02, also for a revoked key; IR_06 (422) for a text that is too long.
func (s *Registry) UpdateAPIKey(ctx context.Context, a Auth, id string, in APIKeyInput) (*APIKey, error) {
	var k *APIKey
	err := s.change(ctx, "update API key", func(tx Tx) (err error) {
		if k, err = keyOf(tx, a, id); err != nil {
			return err
		}
		if err := k.apply(in); err != nil {
			return err
		}
		return tx.UpdateAPIKey(k)
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// RevokeAPIKey ends a key: on this node immediately, on other nodes within a second. Errors: HE_02.
func (s *Registry) RevokeAPIKey(ctx context.Context, a Auth, id string) error {
	return s.change(ctx, "revoke API key", func(tx Tx) error {
		k, err := keyOf(tx, a, id)
		if err != nil {
			return err
		}
		k.RevokedAt = tx.Now()
		return tx.UpdateAPIKey(k)
	})
}

// APIKey reads a key that is not revoked. Errors: HE_02.
func (s *Registry) APIKey(ctx context.Context, a Auth, id string) (k *APIKey, err error) {
	err = s.read(ctx, "read API key", func(r Reader) (err error) {
		k, err = keyOf(r, a, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// APIKeys lists at most limit keys that are not revoked, by creation, after the first skip keys. limit 0 means all. Errors: HE_02 for the
// merchant.
func (s *Registry) APIKeys(ctx context.Context, a Auth, limit, skip int) (list []*APIKey, err error) {
	err = s.read(ctx, "list API keys", func(r Reader) (err error) {
		if _, err = r.Merchant(a.MerchantID); err != nil {
			return fault.IfMissing(err, merchantNotFound())
		}
		list, err = r.APIKeys(a.MerchantID, 0, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(k *APIKey) bool { return !k.RevokedAt.IsZero() })
	list = list[min(skip, len(list)):]
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list, nil
}

func keyOf(r Reader, a Auth, id string) (*APIKey, error) {
	k, err := r.APIKey(a.MerchantID, id)
	if err != nil {
		return nil, fault.IfMissing(err, fault.NotFound("API Key"))
	}
	if !k.RevokedAt.IsZero() {
		return nil, fault.NotFound("API Key")
	}
	return k, nil
}

func (k *APIKey) apply(in APIKeyInput) error {
	optional.SetValue(&k.Name, in.Name)
	optional.SetValue(&k.Description, in.Description)
	optional.SetValue(&k.ExpiresAt, in.Expiration)
	if err := fault.CheckLength("name", k.Name, 64); err != nil {
		return err
	}
	return fault.CheckLength("description", k.Description, 256)
}
