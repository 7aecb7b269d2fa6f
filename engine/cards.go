package engine

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// CardData is what the vault keeps of a card. Never the CVC.
type CardData struct {
	Number   Secret // 8–19 digits
	ExpMonth string // as sent: "03"
	ExpYear  string // as sent: "2030" or "30"
	Holder   Secret // absent where none was given
}

// StoredCard is a card in the vault: encrypted under a data key of its own, which the vault's key KeyID wraps. Rows cannot be swapped:
// key and card are bound to MerchantID and ID. Deleting the row destroys the data key, and so the card.
type StoredCard struct {
	MerchantID string
	ID         string
	// Fingerprint is Vault.Fingerprint of the number: equal for equal numbers of one merchant.
	Fingerprint string
	KeyID       string
	WrappedKey  []byte
	Sealed      []byte
	CreatedAt   time.Time
	ModifiedAt  time.Time
	Version     int64
}

// What a card's data key and ciphertext are bound to.
func cardAD(merchantID, id string) string { return "card/" + merchantID + "/" + id }

// cardRecord is the stored form of CardData.
type cardRecord struct {
	Number   string `json:"number"`
	ExpMonth string `json:"exp_month,omitempty"`
	ExpYear  string `json:"exp_year,omitempty"`
	Holder   string `json:"holder,omitempty"`
}

// SealCard encrypts a card under a new data key, for the record id of the merchant. Times and Version are the caller's to set: for an
// update, those of the row it replaces.
func (v *Vault) SealCard(merchantID, id string, c CardData) (*StoredCard, error) {
	plain, err := json.Marshal(cardRecord{Number: c.Number.Reveal(), ExpMonth: c.ExpMonth, ExpYear: c.ExpYear, Holder: c.Holder.Reveal()})
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

// OpenCard decrypts what SealCard made of the same merchant and record.
func (v *Vault) OpenCard(c *StoredCard) (CardData, error) {
	plain, err := v.openEnvelope(envelope{wrappedKey: c.WrappedKey, text: c.Sealed}, cardAD(c.MerchantID, c.ID))
	if err != nil {
		return CardData{}, fmt.Errorf("open card %s: %w", c.ID, err)
	}
	var r cardRecord
	if err := json.Unmarshal(plain, &r); err != nil {
		return CardData{}, fmt.Errorf("decode card %s: %w", c.ID, err)
	}
	return CardData{Number: NewSecret(r.Number), ExpMonth: r.ExpMonth, ExpYear: r.ExpYear, Holder: NewSecret(r.Holder)}, nil
}

// Fingerprint names a card number within a merchant, 32 hex digits: the same number has the same one, other merchants see others, and
// without the vault's key nobody can try numbers against it.
func (v *Vault) Fingerprint(merchantID string, number Secret) string {
	return hex.EncodeToString(v.Hash("card fingerprint/"+merchantID, []byte(number.Reveal()))[:16])
}
