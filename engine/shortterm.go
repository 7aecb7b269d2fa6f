package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// sealShortTerm seals c with a data key of its own. The store destroys that key at until at the latest.
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

// openShortTerm opens a result of sealShortTerm for the same merchant and id.
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

// errShredded is returned for a card or CVC whose key the store has destroyed.
var errShredded = errors.New("the card data was destroyed after its keeping time")

// cardKeepTime is the longest time that an operation's card and CVC are kept. A resend may need them that long (see Engine.needsCard).
func cardKeepTime(window time.Duration) time.Duration { return max(24*time.Hour, window) + time.Hour }
