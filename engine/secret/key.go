package secret

import (
	"time"
)

// Key is the data key of a CVC or of a card that is not saved. The vault's key KeyID wraps it. The store keeps the key in a row of
// its own, apart from the ciphertext. The store destroys the key when the ciphertext is cleared, when the row of the ciphertext is deleted,
// or at ExpiresAt. Afterwards no copy of the ciphertext, such as one in a backup, can be opened.
type Key struct {
	KeyID      string
	WrappedKey []byte
	ExpiresAt  time.Time
}
