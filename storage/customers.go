package storage

import (
	"fmt"

	"payswitch/engine/account"
	"payswitch/engine/fault"
)

const customerColumns = `merchant_id, id, sealed, metadata, default_method_id, redacted, created_at, modified_at, version, signature`

var customerRows = signs("customers", "merchant_id, id", customerColumns)

func customerValues(c *account.Customer, version int64) []any {
	return []any{c.MerchantID, c.ID, c.Sealed, text(c.Metadata), c.DefaultMethodID, c.Redacted, millis(c.CreatedAt), millis(c.ModifiedAt), version}
}

func scanCustomer(row scanner) (*account.Customer, error) {
	c := new(account.Customer)
	var metadata []byte
	var created, modified int64
	err := row.Scan(&c.MerchantID, &c.ID, &c.Sealed, &metadata, &c.DefaultMethodID, &c.Redacted, &created, &modified, &c.Version)
	c.Metadata = metadata
	c.CreatedAt, c.ModifiedAt = moment(created), moment(modified)
	return c, err
}

// InsertCustomer implements engine.Tx.
func (t *tx) InsertCustomer(c *account.Customer) error {
	c.Version = 1
	return t.insert("insert customer", `INSERT INTO customers (`+customerColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`, t.signed(customerRows, customerValues(c, c.Version)...)...)
}

// UpdateCustomer implements engine.Tx. It does not change CreatedAt.
func (t *tx) UpdateCustomer(c *account.Customer) error {
	return t.compareAndSet("update customer", &c.Version,
		`SELECT 1 FROM customers WHERE merchant_id = $1 AND id = $2`, []any{c.MerchantID, c.ID},
		`UPDATE customers SET sealed = $1, metadata = $2, default_method_id = $3, redacted = $4, modified_at = $5,
		signature = $6, version = version + 1 WHERE merchant_id = $7 AND id = $8 AND version = $9`,
		c.Sealed, text(c.Metadata), c.DefaultMethodID, c.Redacted, millis(c.ModifiedAt),
		t.signature(customerRows, customerValues(c, c.Version+1)), c.MerchantID, c.ID, c.Version)
}

// Customer implements engine.Reader.
func (t *tx) Customer(merchantID, id string) (*account.Customer, error) {
	return t.customer(merchantID, id, t.s.dialect().lockRow)
}

// CustomerUnlocked implements engine.Reader.
func (t *tx) CustomerUnlocked(merchantID, id string) (*account.Customer, error) {
	return t.customer(merchantID, id, "")
}

// KnownCustomer implements engine.Tx.
func (t *tx) KnownCustomer(merchantID, id string, found func(*account.Customer) error) error {
	scan := genuine(t, customerRows, scanCustomer, "merchant_id", merchantID, "id", id)
	n, err := t.s.expectRow(selectCustomer, []any{merchantID, id}, func(row scanner) error {
		c, err := scan(row)
		if err == nil {
			err = found(c)
		}
		return err
	})
	if err == nil && n == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		err = fmt.Errorf("read customer: %w", err)
	}
	return err
}

const selectCustomer = `SELECT ` + customerColumns + ` FROM customers WHERE merchant_id = $1 AND id = $2`

func (t *tx) customer(merchantID, id, lock string) (*account.Customer, error) {
	return one(t, "read customer", genuine(t, customerRows, scanCustomer, "merchant_id", merchantID, "id", id),
		selectCustomer+lock, merchantID, id)
}

// Customers implements engine.Reader. A limit of 0 means no limit.
func (t *tx) Customers(merchantID string, limit, offset int) ([]*account.Customer, error) {
	list, err := all(t, "list customers", genuine(t, customerRows, scanCustomer, "merchant_id", merchantID),
		`SELECT `+customerColumns+` FROM customers WHERE merchant_id = $1 ORDER BY created_at DESC, seq DESC LIMIT $2 OFFSET $3`,
		merchantID, rowLimit(limit), max(offset, 0))
	if err != nil { // an altered row fails the whole page: without it the page would lack a row unnoticed
		return nil, err
	}
	return list, nil
}

// CustomerTotal implements engine.Reader. It reads an index alone.
func (t *tx) CustomerTotal(merchantID string) (int, error) {
	return one(t, "count customers", scanCount, `SELECT count(*) FROM customers WHERE merchant_id = $1`, merchantID)
}
