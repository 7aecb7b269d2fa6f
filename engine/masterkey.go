package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// MasterKey encrypts the vault's keysets, and nothing else: it is used at start-up and when keys are rotated, never for a payment. It
// rests outside the database: with the operator (LocalMasterKey) or in a key management service. Safe for concurrent use.
type MasterKey interface {
	// ID names the key and gives nothing of it away. Keysets are marked with it: other keys have other ids, and it never changes.
	ID() string
	// AEADWithContext encrypts and decrypts, bound to associated data. A service that cannot be reached is an error; so is a
	// ciphertext that is not this key's.
	tink.AEADWithContext
}

// MasterKeyRemedy tells an operator how to come by a master key.
const MasterKeyRemedy = "make one with `openssl rand -base64 32` and keep it safe: without it nothing sealed can be read"

var errMasterKeyForm = errors.New("must be the base64 of exactly 32 bytes; " + MasterKeyRemedy)

type localMasterKey struct {
	id   string
	aead tink.AEAD
}

// LocalMasterKey is a master key that the operator keeps: the base64 of 32 bytes. Its id is local: and eight hex digits that only who has
// the key can work out.
func LocalMasterKey(text Secret) (MasterKey, error) {
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
