package engine

import (
	"crypto/rand"
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
	wrapped, err := v.cards.encrypt(key, dataKeyAD(associated))
	if err != nil {
		return envelope{}, fmt.Errorf("wrap data key: %w", err)
	}
	return envelope{keyID: sealingKey(wrapped), wrappedKey: wrapped, text: text}, nil
}

// openEnvelope decrypts what sealEnvelope made with the same associated text.
func (v *Vault) openEnvelope(e envelope, associated string) ([]byte, error) {
	key, err := v.cards.decrypt(e.wrappedKey, dataKeyAD(associated))
	if err != nil {
		return nil, fmt.Errorf("data key: %w", err)
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
