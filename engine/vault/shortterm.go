package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// SealShortTerm seals c with a data key of its own. The store destroys that key at until at the latest.
func (v *Vault) SealShortTerm(c *card.Sealed, merchantID, id string, until time.Time) ([]byte, *secret.Key, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, nil, fault.Internal(err, "encode instrument")
	}
	e, err := v.sealEnvelope(plain, shortTermAD(merchantID, id))
	clear(plain)
	if err != nil {
		return nil, nil, fault.Internal(err, "seal instrument")
	}
	return e.text, &secret.Key{KeyID: e.keyID, WrappedKey: e.wrappedKey, ExpiresAt: until}, nil
}

// OpenShortTerm opens a result of SealShortTerm for the same merchant and id.
func (v *Vault) OpenShortTerm(sealed []byte, k *secret.Key, merchantID, id string) (c card.Sealed, err error) {
	plain, err := v.openEnvelope(envelope{wrappedKey: k.WrappedKey, text: sealed}, shortTermAD(merchantID, id))
	if err != nil {
		return c, fault.Internal(fmt.Errorf("open instrument of %s: %w", id, err), "open instrument")
	}
	err = json.Unmarshal(plain, &c)
	clear(plain)
	if err != nil {
		return c, fault.Internal(err, "decode instrument")
	}
	return c, nil
}

// ErrShredded is returned for a card or CVC whose key the store has destroyed.
var ErrShredded = errors.New("the card data was destroyed after its keeping time")

// CardKeepTime returns the longest time that an operation's card and CVC are kept. A resend may need them that long (see evidence.Timing.NeedsCard).
func CardKeepTime(window time.Duration) time.Duration { return max(24*time.Hour, window) + time.Hour }
