package vault

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"

	"payswitch/engine/secret"
)

// MasterKey encrypts the vault's keysets. The vault uses it at start-up and when keys are rotated, never during a payment. The key lives
// outside the database: with the operator (LocalMasterKey) or in a key management service. Implementations are safe for concurrent use.
type MasterKey interface {
	// ID names the key without revealing it. The vault stores the ID with each keyset. Different keys have different IDs, and an ID never
	// changes.
	ID() string
	// AEADWithContext encrypts and decrypts with associated data. It returns an error if the service cannot be reached, or if another key
	// made the ciphertext.
	tink.AEADWithContext
}

// MasterKeyRemedy is the part of error texts that says how to make a master key.
const MasterKeyRemedy = "make one with `openssl rand -base64 32` and keep it safe: without it nothing sealed can be read"

var errMasterKeyForm = errors.New("must be the base64 of exactly 32 bytes; " + MasterKeyRemedy)

type localMasterKey struct {
	id   string
	aead tink.AEAD
}

// LocalMasterKey makes a MasterKey from the base64 text of 32 bytes, which the operator keeps. Its ID is "local:" and eight hex digits that
// are derived from the key.
func LocalMasterKey(text secret.Value) (MasterKey, error) {
	key, err := base64.StdEncoding.DecodeString(text.Reveal())
	if err != nil || len(key) != 32 {
		return nil, errMasterKeyForm
	}
	a, err := subtle.NewAESGCM(key)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("payswitch master key id"))
	return localMasterKey{id: "local:" + hex.EncodeToString(mac.Sum(nil)[:4]), aead: a}, nil
}

// ID implements MasterKey.
func (k localMasterKey) ID() string { return k.id }

// EncryptWithContext implements MasterKey.
func (k localMasterKey) EncryptWithContext(_ context.Context, plain, associated []byte) ([]byte, error) {
	return k.aead.Encrypt(plain, associated)
}

// DecryptWithContext implements MasterKey.
func (k localMasterKey) DecryptWithContext(_ context.Context, sealed, associated []byte) ([]byte, error) {
	return k.aead.Decrypt(sealed, associated)
}
