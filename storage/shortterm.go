package storage

import "payswitch/engine/secret"

const shortTermColumns = `merchant_id, id, key_id, wrapped_key, expires_at, signature`

var shortTermRows = signs("short_term_keys", "merchant_id, id", shortTermColumns)

// ShortTermKey implements engine.Reader. It returns an expired key until DeleteExpired removes it.
func (t *tx) ShortTermKey(merchantID, id string) (*secret.Key, error) {
	return one(t, "read short-term key", genuine(t, shortTermRows, func(row scanner) (*secret.Key, error) {
		k := new(secret.Key)
		var expires int64
		var merchant, name string
		err := row.Scan(&merchant, &name, &k.KeyID, &k.WrappedKey, &expires)
		k.ExpiresAt = moment(expires)
		return k, err
	}, "merchant_id", merchantID, "id", id), `SELECT `+shortTermColumns+` FROM short_term_keys WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

const (
	putShortTermKey = `INSERT INTO short_term_keys (` + shortTermColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id, id) DO UPDATE SET key_id = excluded.key_id,
		wrapped_key = excluded.wrapped_key, expires_at = excluded.expires_at, signature = excluded.signature`
	deleteShortTermKey = `DELETE FROM short_term_keys WHERE merchant_id = $1 AND id = $2`
)

// putShortTermKey stores the data key of a row's secret; nil deletes the key.
func (t *tx) putShortTermKey(merchantID, id string, k *secret.Key) error {
	if k == nil {
		return t.shred(merchantID, id)
	}
	err := t.put("put short-term key", putShortTermKey, t.signed(shortTermRows, merchantID, id, k.KeyID, k.WrappedKey, millis(k.ExpiresAt))...)
	return err
}

// shred destroys a data key, and with it the secret that the key sealed. The key may be missing.
func (t *tx) shred(merchantID, id string) error {
	err := t.put("delete short-term key", deleteShortTermKey, merchantID, id)
	return err
}
