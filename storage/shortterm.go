package storage

import "payswitch/engine"

// ShortTermKey implements engine.Reader. A key past its end is there until DeleteExpired takes it.
func (t *tx) ShortTermKey(merchantID, id string) (*engine.ShortTermKey, error) {
	return one(t, "read short-term key", func(row scanner) (*engine.ShortTermKey, error) {
		k := new(engine.ShortTermKey)
		var expires int64
		err := row.Scan(&k.KeyID, &k.WrappedKey, &expires)
		k.ExpiresAt = moment(expires)
		return k, err
	}, `SELECT key_id, wrapped_key, expires_at FROM short_term_keys WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// putShortTermKey keeps the data key of what belongs to a row; nil keeps none.
func (t *tx) putShortTermKey(merchantID, id string, k *engine.ShortTermKey) error {
	if k == nil {
		return t.shred(merchantID, id)
	}
	_, err := t.exec("put short-term key", `INSERT INTO short_term_keys (merchant_id, id, key_id, wrapped_key, expires_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (merchant_id, id) DO UPDATE SET key_id = excluded.key_id,
		wrapped_key = excluded.wrapped_key, expires_at = excluded.expires_at`,
		merchantID, id, k.KeyID, k.WrappedKey, millis(k.ExpiresAt))
	return err
}

// shred destroys a data key, and with it what it sealed. There need not be one.
func (t *tx) shred(merchantID, id string) error {
	_, err := t.exec("delete short-term key", `DELETE FROM short_term_keys WHERE merchant_id = $1 AND id = $2`, merchantID, id)
	return err
}
