package storage

import "payswitch/engine/vault"

const cardColumns = `merchant_id, id, fingerprint, key_id, wrapped_key, sealed, created_at, modified_at, version, signature`

var cardRows = signs("cards", "merchant_id, id", cardColumns)

func cardValues(c *vault.StoredCard, version int64) []any {
	return []any{c.MerchantID, c.ID, c.Fingerprint, c.KeyID, c.WrappedKey, c.Sealed, millis(c.CreatedAt), millis(c.ModifiedAt), version}
}

func scanCard(row scanner) (*vault.StoredCard, error) {
	c := new(vault.StoredCard)
	var created, modified int64
	err := row.Scan(&c.MerchantID, &c.ID, &c.Fingerprint, &c.KeyID, &c.WrappedKey, &c.Sealed, &created, &modified, &c.Version)
	c.CreatedAt, c.ModifiedAt = moment(created), moment(modified)
	return c, err
}

// Card implements engine.Reader.
func (t *tx) Card(merchantID, id string) (*vault.StoredCard, error) {
	return one(t, "read card", genuine(t, cardRows, scanCard, "merchant_id", merchantID, "id", id), `SELECT `+cardColumns+` FROM cards WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// CardsByFingerprint implements engine.Reader.
func (t *tx) CardsByFingerprint(merchantID, fingerprint string) ([]*vault.StoredCard, error) {
	return all(t, "list cards by fingerprint", genuine(t, cardRows, scanCard, "merchant_id", merchantID, "fingerprint", fingerprint),
		`SELECT `+cardColumns+` FROM cards WHERE merchant_id = $1 AND fingerprint = $2 ORDER BY seq`, merchantID, fingerprint)
}

// InsertCard implements engine.Tx.
func (t *tx) InsertCard(c *vault.StoredCard) error {
	c.Version = 1
	return t.insert("insert card", `INSERT INTO cards (`+cardColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		t.signed(cardRows, cardValues(c, c.Version)...)...)
}

// UpdateCard implements engine.Tx. It does not change CreatedAt.
func (t *tx) UpdateCard(c *vault.StoredCard) error {
	return t.compareAndSet("update card", &c.Version, `SELECT 1 FROM cards WHERE merchant_id = $1 AND id = $2`, []any{c.MerchantID, c.ID},
		`UPDATE cards SET fingerprint = $1, key_id = $2, wrapped_key = $3, sealed = $4, modified_at = $5, signature = $6,
		version = version + 1 WHERE merchant_id = $7 AND id = $8 AND version = $9`,
		c.Fingerprint, c.KeyID, c.WrappedKey, c.Sealed, millis(c.ModifiedAt), t.signature(cardRows, cardValues(c, c.Version+1)), c.MerchantID, c.ID, c.Version)
}

// DeleteCard implements engine.Tx.
func (t *tx) DeleteCard(merchantID, id string) error {
	return t.change("delete card", `DELETE FROM cards WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}
