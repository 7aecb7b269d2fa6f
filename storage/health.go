package storage

import (
	"time"

	"payswitch/engine/routing/health"
)

const healthColumns = `merchant_id, account_id, node, counts, saved_at, expires_at, signature`

var healthRows = signs("account_health", "merchant_id, account_id, node", healthColumns)

func scanHealth(row scanner) (*health.Row, error) {
	r := new(health.Row)
	var counts []byte
	var saved, expires int64
	err := row.Scan(&r.MerchantID, &r.AccountID, &r.Node, &counts, &saved, &expires)
	r.Counts, r.SavedAt, r.ExpiresAt = counts, moment(saved), moment(expires)
	return r, err
}

// PutHealth implements engine.Tx.
func (t *tx) PutHealth(r *health.Row) error {
	return t.put("put account health", `INSERT INTO account_health (`+healthColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (merchant_id, account_id, node) DO UPDATE SET counts = excluded.counts, saved_at = excluded.saved_at,
		expires_at = excluded.expires_at, signature = excluded.signature`,
		t.signed(healthRows, r.MerchantID, r.AccountID, r.Node, string(r.Counts), millis(r.SavedAt), millis(r.ExpiresAt))...)
}

// HealthSince implements engine.Reader.
func (t *tx) HealthSince(at time.Time) ([]*health.Row, error) {
	return all(t, "list account health", genuine(t, healthRows, scanHealth),
		`SELECT `+healthColumns+` FROM account_health WHERE saved_at >= $1 ORDER BY saved_at, seq`, millis(at))
}

const volumeColumns = `merchant_id, account_id, node, day, attempts, saved_at, expires_at, signature`

var volumeRows = signs("account_volumes", "merchant_id, account_id, node, day", volumeColumns)

func scanVolume(row scanner) (*health.Volume, error) {
	v := new(health.Volume)
	var saved, expires int64
	err := row.Scan(&v.MerchantID, &v.AccountID, &v.Node, &v.Day, &v.Attempts, &saved, &expires)
	v.SavedAt, v.ExpiresAt = moment(saved), moment(expires)
	return v, err
}

// PutVolume implements engine.Tx.
func (t *tx) PutVolume(v *health.Volume) error {
	return t.put("put account volume", `INSERT INTO account_volumes (`+volumeColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (merchant_id, account_id, node, day) DO UPDATE SET attempts = excluded.attempts, saved_at = excluded.saved_at,
		expires_at = excluded.expires_at, signature = excluded.signature`,
		t.signed(volumeRows, v.MerchantID, v.AccountID, v.Node, v.Day, v.Attempts, millis(v.SavedAt), millis(v.ExpiresAt))...)
}

// VolumesSince implements engine.Reader.
func (t *tx) VolumesSince(at time.Time) ([]*health.Volume, error) {
	return all(t, "list account volumes", genuine(t, volumeRows, scanVolume),
		`SELECT `+volumeColumns+` FROM account_volumes WHERE saved_at >= $1 ORDER BY saved_at, seq`, millis(at))
}
