package engine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// envelope is something sealed under a data key of its own: without wrappedKey nothing opens text any more, whoever has the vault's keys.
type envelope struct {
	keyID      string // of the vault's key that wraps the data key
	wrappedKey []byte
	text       []byte
}

const dataKeySize = 32 // AES-256-GCM

// sealEnvelope encrypts plain under a new data key; both are bound to associated.
func (v *Vault) sealEnvelope(plain []byte, associated string) (envelope, error) {
	key := make([]byte, dataKeySize)
	rand.Read(key)
	defer clear(key)
	data, err := subtle.NewAESGCM(key)
	if err != nil {
		return envelope{}, err
	}
	text, err := data.Encrypt(plain, []byte(associated))
	if err != nil {
		return envelope{}, err
	}
	wrapped, err := v.cards.Encrypt(key, dataKeyAD(associated))
	if err != nil {
		return envelope{}, fmt.Errorf("wrap data key: %w", err)
	}
	return envelope{keyID: sealingKey(wrapped), wrappedKey: wrapped, text: text}, nil
}

// openEnvelope decrypts what sealEnvelope made with the same associated text.
func (v *Vault) openEnvelope(e envelope, associated string) ([]byte, error) {
	key, err := v.cards.Decrypt(e.wrappedKey, dataKeyAD(associated))
	if err != nil { // Tink does not say why
		return nil, fmt.Errorf("its data key is damaged, belongs to another record, or is wrapped by a key that is not in the vault (%s)", sealingKey(e.wrappedKey))
	}
	defer clear(key)
	data, err := subtle.NewAESGCM(key)
	if err != nil {
		return nil, fmt.Errorf("data key: %w", err)
	}
	plain, err := data.Decrypt(e.text, []byte(associated))
	if err != nil {
		return nil, errors.New("it is damaged, or belongs to another record")
	}
	return plain, nil
}

func dataKeyAD(associated string) []byte { return []byte("data key/" + associated) }

// tinkPrefix begins what a Tink keyset has sealed: a version (1) and the key's id, big endian.
const tinkPrefix = 5

// sealingKey is the id of the vault's key that sealed, 8 hex digits; "" where it is no ciphertext of a keyset.
func sealingKey(sealed []byte) string {
	if len(sealed) < tinkPrefix || sealed[0] != 1 {
		return ""
	}
	return hex.EncodeToString(sealed[1:tinkPrefix])
}
