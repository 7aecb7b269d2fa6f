package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
)

const (
	apiKeyPurpose     = "api_key"
	publishablePrefix = "pk_"
)

// Authenticate returns the caller that an API key belongs to. It returns Unauthorized for a missing, unknown, revoked or expired key. A key
// that was revoked on this node stops working immediately, on another node within a second.
func (s *Registry) Authenticate(ctx context.Context, key secret.Value) (Auth, error) {
	text := key.Reveal()
	if text == "" || len(text) > 128 {
		return Auth{}, fault.Unauthorized()
	}
	if strings.HasPrefix(text, publishablePrefix) {
		id, err := s.Dir.publishable(ctx, text)
		switch {
		case errors.Is(err, fault.ErrNotFound), errors.Is(err, vault.ErrAltered):
			return Auth{}, fault.Unauthorized()
		case err != nil:
			return Auth{}, fault.Internal(err, "look up publishable key")
		}
		return Auth{MerchantID: id, Publishable: true}, nil
	}
	if strings.HasPrefix(text, EphemeralPrefix) {
		return s.Ephemeral(ctx, text)
	}
	hash := [32]byte(s.Vault.Hash(apiKeyPurpose, []byte(text)))
	k, err := s.Dir.apiKey(ctx, hash)
	switch {
	case errors.Is(err, fault.ErrNotFound), errors.Is(err, vault.ErrAltered):
		return Auth{}, fault.Unauthorized()
	case err != nil:
		return Auth{}, fault.Internal(err, "look up API key")
	}
	if subtle.ConstantTimeCompare(k.Hash, hash[:]) != 1 || !k.RevokedAt.IsZero() || !k.ExpiresAt.IsZero() && !s.Now().Before(k.ExpiresAt) {
		return Auth{}, fault.Unauthorized()
	}
	return Auth{MerchantID: k.MerchantID, KeyID: k.ID}, nil
}

const EphemeralPrefix = "epk_"
