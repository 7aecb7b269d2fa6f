package storage

import (
	"fmt"
	"strings"

	"payswitch/engine/method"
)

const mandateColumns = `merchant_id, id, customer_id, method_id, payment_id, status, used_by, created_at, modified_at, version, details, sealed,
	signature`

var mandateRows = signs("mandates", "merchant_id, id", mandateColumns)

func mandateValues(m *method.Mandate, details string, version int64) []any {
	return []any{m.MerchantID, m.ID, m.CustomerID, m.MethodID, m.PaymentID, string(m.Status), m.UsedBy, millis(m.CreatedAt),
		millis(m.ModifiedAt), version, details, m.Sealed}
}

func scanMandate(row scanner) (*method.Mandate, error) {
	m := new(method.Mandate)
	var status string
	var created, modified int64
	var details []byte
	err := row.Scan(&m.MerchantID, &m.ID, &m.CustomerID, &m.MethodID, &m.PaymentID, &status, &m.UsedBy, &created, &modified, &m.Version,
		&details, &m.Sealed)
	if err != nil {
		return nil, err
	}
	m.Status, m.CreatedAt, m.ModifiedAt = method.MandateStatus(status), moment(created), moment(modified)
	return m, decode(details, &m.Details)
}

// InsertMandate implements engine.Tx.
func (t *tx) InsertMandate(m *method.Mandate) error {
	details, err := encode(&m.Details)
	if err != nil {
		return err
	}
	m.Version = 1
	return t.insert("insert mandate", `INSERT INTO mandates (`+mandateColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT DO NOTHING`, t.signed(mandateRows, mandateValues(m, details, m.Version)...)...)
}

// UpdateMandate implements engine.Tx. It does not change CreatedAt, customer and payment.
func (t *tx) UpdateMandate(m *method.Mandate) error {
	details, err := encode(&m.Details)
	if err != nil {
		return err
	}
	return t.compareAndSet("update mandate", &m.Version, `SELECT 1 FROM mandates WHERE merchant_id = $1 AND id = $2`, []any{m.MerchantID, m.ID},
		`UPDATE mandates SET method_id = $1, status = $2, used_by = $3, modified_at = $4, details = $5, sealed = $6, signature = $7,
		version = version + 1 WHERE merchant_id = $8 AND id = $9 AND version = $10`,
		m.MethodID, string(m.Status), m.UsedBy, millis(m.ModifiedAt), details, m.Sealed,
		t.signature(mandateRows, mandateValues(m, details, m.Version+1)), m.MerchantID, m.ID, m.Version)
}

// Mandate implements engine.Reader.
func (t *tx) Mandate(merchantID, id string) (*method.Mandate, error) {
	return one(t, "read mandate", genuine(t, mandateRows, scanMandate, "merchant_id", merchantID, "id", id), `SELECT `+mandateColumns+` FROM mandates WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// Mandates implements engine.Reader.
func (t *tx) Mandates(merchantID string, f method.MandateFilter) ([]*method.Mandate, error) {
	var where strings.Builder
	args := []any{merchantID}
	and := func(condition string, v any) {
		args = append(args, v)
		fmt.Fprintf(&where, " AND %s $%d", condition, len(args))
	}
	if f.CustomerID != "" {
		and("customer_id =", f.CustomerID)
	}
	if f.MethodID != "" {
		and("method_id =", f.MethodID)
	}
	if f.Status != "" {
		and("status =", string(f.Status))
	}
	if !f.From.IsZero() {
		and("created_at >=", millis(f.From))
	}
	if !f.To.IsZero() {
		and("created_at <=", millis(f.To))
	}
	args = append(args, rowLimit(f.Limit), max(f.Offset, 0))
	return all(t, "list mandates", genuine(t, mandateRows, scanMandate, "merchant_id", merchantID), fmt.Sprintf(`SELECT %s FROM mandates WHERE merchant_id = $1%s
		ORDER BY created_at DESC, seq DESC LIMIT $%d OFFSET $%d`+t.s.dialect().lockRow, mandateColumns, where.String(), len(args)-1, len(args)), args...)
}

const ephemeralColumns = `merchant_id, id, customer_id, hash, created_at, expires_at, signature`

var ephemeralRows = signs("ephemeral_keys", "merchant_id, id", ephemeralColumns)

func scanEphemeral(row scanner) (*method.EphemeralKey, error) {
	k := new(method.EphemeralKey)
	var created, expires int64
	err := row.Scan(&k.MerchantID, &k.ID, &k.CustomerID, &k.Hash, &created, &expires)
	k.CreatedAt, k.ExpiresAt = moment(created), moment(expires)
	return k, err
}

// InsertEphemeralKey implements engine.Tx.
func (t *tx) InsertEphemeralKey(k *method.EphemeralKey) error {
	return t.insert("insert ephemeral key", `INSERT INTO ephemeral_keys (`+ephemeralColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		t.signed(ephemeralRows, k.MerchantID, k.ID, k.CustomerID, k.Hash, millis(k.CreatedAt), millis(k.ExpiresAt))...)
}

// EphemeralKeyByHash implements engine.Reader. It returns an expired key until DeleteExpired removes it.
func (t *tx) EphemeralKeyByHash(hash []byte) (*method.EphemeralKey, error) {
	return one(t, "read ephemeral key by hash", genuine(t, ephemeralRows, scanEphemeral, "hash", hash), `SELECT `+ephemeralColumns+` FROM ephemeral_keys WHERE hash = $1`, hash)
}

// EphemeralKey implements engine.Reader.
func (t *tx) EphemeralKey(merchantID, id string) (*method.EphemeralKey, error) {
	return one(t, "read ephemeral key", genuine(t, ephemeralRows, scanEphemeral, "merchant_id", merchantID, "id", id),
		`SELECT `+ephemeralColumns+` FROM ephemeral_keys WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// DeleteEphemeralKey implements engine.Tx.
func (t *tx) DeleteEphemeralKey(merchantID, id string) error {
	return t.change("delete ephemeral key", `DELETE FROM ephemeral_keys WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}
