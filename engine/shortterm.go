package engine

import (
	"encoding/json"
	"errors"
	"fmt"
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

type shortTermReader interface {
	// ShortTermKey is the key of an operation's, an authentication's or a card token's instrument, by its ShortTermID; ErrNotFound once it
	// was destroyed.
	ShortTermKey(merchantID, id string) (*ShortTermKey, error)
}

// ShortTermID names the operation's instrument among those kept for a short time.
func (o *Operation) ShortTermID() string { return "operation/" + o.ID }

// ShortTermID names the authentication's instrument among those kept for a short time.
func (a *Authentication) ShortTermID() string { return "authentication/" + a.ID }

// ShortTermID names the token's card among those kept for a short time.
func (c *CardToken) ShortTermID() string { return "card_token/" + c.Token }

// What a short-term key and its ciphertext are bound to.
func shortTermAD(merchantID, id string) string { return "short_term/" + merchantID + "/" + id }

// sealShortTerm seals v under a data key of its own, which is destroyed at until at the latest.
func (v *Vault) sealShortTerm(c *sealedCard, merchantID, id string, until time.Time) ([]byte, *ShortTermKey, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, nil, Internal(err, "encode instrument")
	}
	e, err := v.sealEnvelope(plain, shortTermAD(merchantID, id))
	clear(plain)
	if err != nil {
		return nil, nil, Internal(err, "seal instrument")
	}
	return e.text, &ShortTermKey{KeyID: e.keyID, WrappedKey: e.wrappedKey, ExpiresAt: until}, nil
}

// openShortTerm opens what sealShortTerm made for the same merchant and id.
func (v *Vault) openShortTerm(sealed []byte, k *ShortTermKey, merchantID, id string) (c sealedCard, err error) {
	plain, err := v.openEnvelope(envelope{wrappedKey: k.WrappedKey, text: sealed}, shortTermAD(merchantID, id))
	if err != nil {
		return c, Internal(fmt.Errorf("open instrument of %s: %w", id, err), "open instrument")
	}
	err = json.Unmarshal(plain, &c)
	clear(plain)
	if err != nil {
		return c, Internal(err, "decode instrument")
	}
	return c, nil
}

// errShredded says that a card or CVC was destroyed: its time was over.
var errShredded = errors.New("the card is not kept any more")

// cardKeepTime is the longest that an operation's card and CVC live, whatever becomes of it: as long as they may be needed to send it
// again, see Engine.needsCard.
func cardKeepTime(window time.Duration) time.Duration { return max(24*time.Hour, window) + time.Hour }
