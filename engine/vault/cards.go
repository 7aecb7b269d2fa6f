package vault

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/secret"
)

// StoredCard is a card in the vault. It is encrypted with a data key of its own, which the vault key KeyID wraps. Key and card are bound to
// MerchantID and ID, so rows cannot be swapped. Deleting the row destroys the data key, and with it the card.
type StoredCard struct {
	MerchantID string
	ID         string
	// Fingerprint is Vault.Fingerprint of the number. Equal numbers of one merchant have equal fingerprints.
	Fingerprint string
	KeyID       string
	WrappedKey  []byte
	Sealed      []byte
	CreatedAt   time.Time
	ModifiedAt  time.Time
	Version     int64
}

// cardAD returns the text that a card's data key and ciphertext are bound to.
func cardAD(merchantID, id string) string { return "card/" + merchantID + "/" + id }

// SealCard encrypts a card with a new data key, for the merchant's record id. The caller sets the times and Version; for an update, those
// of the replaced row. The row keeps number, expiry and holder of the card, and never the CVC.
func (v *Vault) SealCard(merchantID, id string, c *card.Input) (*StoredCard, error) {
	plain, err := json.Marshal(card.Sealed{Number: c.Number.Reveal(), ExpMonth: c.ExpMonth, ExpYear: c.ExpYear, Holder: c.Holder.Reveal()})
	if err != nil {
		return nil, fmt.Errorf("seal card: %w", err)
	}
	sealed, err := v.sealEnvelope(plain, cardAD(merchantID, id))
	if err != nil {
		return nil, fmt.Errorf("seal card: %w", err)
	}
	return &StoredCard{MerchantID: merchantID, ID: id, Fingerprint: v.Fingerprint(merchantID, c.Number), KeyID: sealed.keyID,
		WrappedKey: sealed.wrappedKey, Sealed: sealed.text}, nil
}

// OpenCard decrypts a result of SealCard for the same merchant and record.
func (v *Vault) OpenCard(c *StoredCard) (*card.Input, error) {
	plain, err := v.openEnvelope(envelope{wrappedKey: c.WrappedKey, text: c.Sealed}, cardAD(c.MerchantID, c.ID))
	if err != nil {
		return nil, fmt.Errorf("open card %s: %w", c.ID, err)
	}
	var r card.Sealed
	if err := json.Unmarshal(plain, &r); err != nil {
		return nil, fmt.Errorf("decode card %s: %w", c.ID, err)
	}
	return r.Input(), nil
}

// Fingerprint names a card number within a merchant, as 32 hex digits. The same number has the same fingerprint, and another fingerprint at
// another merchant. Without the vault's key, card numbers cannot be tried against it.
func (v *Vault) Fingerprint(merchantID string, number secret.Value) string {
	return hex.EncodeToString(v.Hash("card fingerprint/"+merchantID, []byte(number.Reveal()))[:16])
}
