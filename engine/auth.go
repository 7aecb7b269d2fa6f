package engine

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
)

const (
	apiKeyPurpose     = "api_key"
	publishablePrefix = "pk_"
)

// Authenticate returns the caller that an API key belongs to. It returns Unauthorized for a missing, unknown, revoked or expired key. A key
// that was revoked on this node stops working immediately, on another node within a second.
func (s *Registry) Authenticate(ctx context.Context, key Secret) (Auth, error) {
	text := key.Reveal()
	if text == "" || len(text) > 128 {
		return Auth{}, Unauthorized()
	}
	if strings.HasPrefix(text, publishablePrefix) {
		id, err := s.dir.publishable(ctx, text)
		switch {
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrAltered):
			return Auth{}, Unauthorized()
		case err != nil:
			return Auth{}, Internal(err, "look up publishable key")
		}
		return Auth{MerchantID: id, Publishable: true}, nil
	}
	if strings.HasPrefix(text, ephemeralPrefix) {
		return s.Ephemeral(ctx, text)
	}
	hash := [32]byte(s.Vault.Hash(apiKeyPurpose, []byte(text)))
	k, err := s.dir.apiKey(ctx, hash)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrAltered):
		return Auth{}, Unauthorized()
	case err != nil:
		return Auth{}, Internal(err, "look up API key")
	}
	if subtle.ConstantTimeCompare(k.Hash, hash[:]) != 1 || !k.RevokedAt.IsZero() || !k.ExpiresAt.IsZero() && !s.Now().Before(k.ExpiresAt) {
		return Auth{}, Unauthorized()
	}
	return Auth{MerchantID: k.MerchantID, KeyID: k.ID}, nil
}

const ephemeralPrefix = "epk_"
