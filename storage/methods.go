package storage

import (
	"time"

	"payswitch/engine/method"
)

const methodColumns = `merchant_id, id, customer_id, status, deleted, fingerprint, has_card, last_used_at, created_at, modified_at, version,
	details, sealed, signature`

var methodRows = signs("payment_methods", "merchant_id, id", methodColumns, "last_used_at")

func methodValues(m *method.PaymentMethod, details string, version int64) []any {
	return []any{m.MerchantID, m.ID, m.CustomerID, string(m.Status), m.Deleted, m.Fingerprint, m.HasCard, millis(m.LastUsedAt),
		millis(m.CreatedAt), millis(m.ModifiedAt), version, details, m.Sealed}
}

func scanMethod(row scanner) (*method.PaymentMethod, error) {
	m := new(method.PaymentMethod)
	var status string
	var used, created, modified int64
	var details []byte
	err := row.Scan(&m.MerchantID, &m.ID, &m.CustomerID, &status, &m.Deleted, &m.Fingerprint, &m.HasCard, &used, &created, &modified,
		&m.Version, &details, &m.Sealed)
	if err != nil {
		return nil, err
	}
	m.Status = method.Status(status)
	m.LastUsedAt, m.CreatedAt, m.ModifiedAt = moment(used), moment(created), moment(modified)
	return m, decode(details, &m.Details)
}

// InsertPaymentMethod implements engine.Tx.
func (t *tx) InsertPaymentMethod(m *method.PaymentMethod) error {
	details, err := encode(&m.Details)
	if err != nil {
		return err
	}
	m.Version = 1
	return t.insert("insert payment method", `INSERT INTO payment_methods (`+methodColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
		t.signed(methodRows, methodValues(m, details, m.Version)...)...)
}

// UpdatePaymentMethod implements engine.Tx. It does not change CreatedAt, LastUsedAt and the customer.
func (t *tx) UpdatePaymentMethod(m *method.PaymentMethod) error {
	details, err := encode(&m.Details)
	if err != nil {
		return err
	}
	return t.compareAndSet("update payment method", &m.Version,
		`SELECT 1 FROM payment_methods WHERE merchant_id = $1 AND id = $2`, []any{m.MerchantID, m.ID},
		`UPDATE payment_methods SET status = $1, deleted = $2, fingerprint = $3, has_card = $4,
		modified_at = $5, details = $6, sealed = $7, signature = $8, version = version + 1
		WHERE merchant_id = $9 AND id = $10 AND version = $11`,
		string(m.Status), m.Deleted, m.Fingerprint, m.HasCard, millis(m.ModifiedAt), details, m.Sealed,
		t.signature(methodRows, methodValues(m, details, m.Version+1)), m.MerchantID, m.ID, m.Version)
}

// TouchPaymentMethod implements engine.Tx.
func (t *tx) TouchPaymentMethod(merchantID, id string, at time.Time) error {
	return t.change("touch payment method", `UPDATE payment_methods SET last_used_at = CASE WHEN last_used_at < $1 THEN $1 ELSE last_used_at END
		WHERE merchant_id = $2 AND id = $3`, millis(at), merchantID, id)
}

// PaymentMethod implements engine.Reader.
func (t *tx) PaymentMethod(merchantID, id string) (*method.PaymentMethod, error) {
	return one(t, "read payment method", genuine(t, methodRows, scanMethod, "merchant_id", merchantID, "id", id),
		`SELECT `+methodColumns+` FROM payment_methods WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// PaymentMethodByFingerprint implements engine.Reader.
func (t *tx) PaymentMethodByFingerprint(merchantID, customerID string, fingerprint string) (*method.PaymentMethod, error) {
	return one(t, "read payment method by fingerprint", genuine(t, methodRows, scanMethod, "merchant_id", merchantID, "customer_id", customerID, "fingerprint", fingerprint),
		`SELECT `+methodColumns+` FROM payment_methods WHERE merchant_id = $1 AND customer_id = $2 AND fingerprint = $3 AND fingerprint <> ''`,
		merchantID, customerID, fingerprint)
}

// PaymentMethods implements engine.Reader.
func (t *tx) PaymentMethods(merchantID, customerID string, limit int) ([]*method.PaymentMethod, error) {
	return all(t, "list payment methods", genuine(t, methodRows, scanMethod, "merchant_id", merchantID, "customer_id", customerID),
		`SELECT `+methodColumns+` FROM payment_methods WHERE merchant_id = $1 AND customer_id = $2 AND status = 'active'
		ORDER BY last_used_at DESC, seq DESC LIMIT $3`, merchantID, customerID, rowLimit(limit))
}

// AllPaymentMethods implements engine.Reader.
func (t *tx) AllPaymentMethods(merchantID, customerID string) ([]*method.PaymentMethod, error) {
	return all(t, "list all payment methods", genuine(t, methodRows, scanMethod, "merchant_id", merchantID, "customer_id", customerID),
		`SELECT `+methodColumns+` FROM payment_methods WHERE merchant_id = $1 AND customer_id = $2 AND NOT deleted ORDER BY created_at, seq`+t.s.dialect().lockRow,
		merchantID, customerID)
}

const customerAccountColumns = `merchant_id, customer_id, account_id, version, data, signature`

var customerAccountRows = signs("customer_accounts", "merchant_id, customer_id, account_id", customerAccountColumns)

// CustomerAccount implements engine.Reader.
func (t *tx) CustomerAccount(merchantID, customerID, accountID string) (*method.CustomerAccount, error) {
	return one(t, "read customer at account", genuine(t, customerAccountRows, func(row scanner) (*method.CustomerAccount, error) {
		c := new(method.CustomerAccount)
		return c, row.Scan(&c.MerchantID, &c.CustomerID, &c.AccountID, &c.Version, &c.Data)
	}, "merchant_id", merchantID, "customer_id", customerID, "account_id", accountID), `SELECT `+customerAccountColumns+` FROM customer_accounts
		WHERE merchant_id = $1 AND customer_id = $2 AND account_id = $3`, merchantID, customerID, accountID)
}

// PutCustomerAccount implements engine.Tx.
func (t *tx) PutCustomerAccount(c *method.CustomerAccount) error {
	err := t.put("put customer at account", `INSERT INTO customer_accounts (`+customerAccountColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id, customer_id, account_id) DO UPDATE SET version = excluded.version,
		data = excluded.data, signature = excluded.signature`,
		t.signed(customerAccountRows, c.MerchantID, c.CustomerID, c.AccountID, c.Version, c.Data)...)
	return err
}

// DeleteCustomerAccounts implements engine.Tx.
func (t *tx) DeleteCustomerAccounts(merchantID, customerID string) error {
	err := t.put("delete customer at accounts", `DELETE FROM customer_accounts WHERE merchant_id = $1 AND customer_id = $2`, merchantID, customerID)
	return err
}
