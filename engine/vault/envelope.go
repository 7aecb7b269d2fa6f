package vault

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// envelope is a text sealed with a data key of its own. Without wrappedKey the text stays closed, even to a holder of all vault keys.
type envelope struct {
	keyID      string // id of the vault key that wraps the data key
	wrappedKey []byte
	text       []byte
}

const dataKeySize = 32 // AES-256-GCM

// sealEnvelope encrypts plain with a new data key. Text and data key are both bound to associated.
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

// openEnvelope decrypts an envelope that sealEnvelope made with the same associated text.
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
		return nil, errors.New("the ciphertext is damaged or belongs to another record")
	}
	return plain, nil
}

func dataKeyAD(associated string) []byte { return []byte("data key/" + associated) }
