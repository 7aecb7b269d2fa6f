package engine

import (
	"time"
)

// ShortTermKey is the data key of a CVC or of a card that is not saved, wrapped by the vault's key KeyID. It stands apart from what it
// sealed, in a row of its own: the store keeps it with the row it is inserted with, and destroys it when the ciphertext there is cleared,
// the row goes, or ExpiresAt has come. From then on nobody opens the ciphertext, wherever copies of it may be.
type ShortTermKey struct {
	KeyID      string
	WrappedKey []byte
	ExpiresAt  time.Time
}
