package storage

import (
	"context"

	"payswitch/engine"
	"payswitch/engine/account"
)

const accountColumns = `merchant_id, id, profile_id, type, connector, label, disabled, active, test_mode, auth_type, sealed, metadata,
	base_url, hosts, payment_methods, details, operator, created_at, modified_at, version, signature`

var accountRows = signs("accounts", "merchant_id, id", accountColumns)

func accountValues(a *account.Account, hosts, operator string, version int64) []any {
	return []any{a.MerchantID, a.ID, a.ProfileID, string(a.Type), a.Connector, a.Label, a.Disabled, a.Active, a.TestMode, string(a.AuthType), a.Sealed,
		text(a.Metadata), a.BaseURL, hosts, text(a.PaymentMethods), text(a.Details), operator, millis(a.CreatedAt), millis(a.ModifiedAt), version}
}

func scanAccount(row scanner) (*account.Account, error) {
	a := new(account.Account)
	var metadata, hosts, methods, details, operator []byte
	var created, modified int64
	err := row.Scan(&a.MerchantID, &a.ID, &a.ProfileID, (*string)(&a.Type), &a.Connector, &a.Label, &a.Disabled, &a.Active, &a.TestMode,
		(*string)(&a.AuthType), &a.Sealed, &metadata, &a.BaseURL, &hosts, &methods, &details, &operator, &created, &modified, &a.Version)
	if err != nil {
		return nil, err
	}
	a.Metadata, a.PaymentMethods, a.Details = metadata, methods, details
	a.CreatedAt, a.ModifiedAt = moment(created), moment(modified)
	if operator != nil {
		if err := decode(operator, &a.Operator); err != nil {
			return nil, err
		}
	}
	return a, decode(hosts, &a.Hosts)
}

// InsertAccount implements engine.Tx. It returns ErrNotFound if the merchant does not exist.
func (t *tx) InsertAccount(a *account.Account) error {
	hosts, operator, err := encodeTwo(a.Hosts, a.Operator)
	if err != nil {
		return err
	}
	a.Version = 1
	return t.configured(t.insertUnder("insert account", `INSERT INTO accounts (`+accountColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) ON CONFLICT DO NOTHING`,
		t.signed(accountRows, accountValues(a, hosts, operator, a.Version)...)...))
}

// UpdateAccount implements engine.Tx. It returns ErrConflict also if the new label is taken.
func (t *tx) UpdateAccount(a *account.Account) error {
	hosts, operator, err := encodeTwo(a.Hosts, a.Operator)
	if err != nil {
		return err
	}
	return t.configured(t.compareAndSet("update account", &a.Version,
		`SELECT 1 FROM accounts WHERE merchant_id = $1 AND id = $2`, []any{a.MerchantID, a.ID},
		`UPDATE accounts SET profile_id = $1, type = $2, connector = $3, label = $4, disabled = $5, active = $6, test_mode = $7,
		auth_type = $8, sealed = $9, metadata = $10, base_url = $11, hosts = $12, payment_methods = $13, details = $14,
		operator = $15, created_at = $16, modified_at = $17, signature = $18, version = version + 1
		WHERE merchant_id = $19 AND id = $20 AND version = $21`,
		a.ProfileID, string(a.Type), a.Connector, a.Label, a.Disabled, a.Active, a.TestMode, string(a.AuthType), a.Sealed, text(a.Metadata),
		a.BaseURL, hosts, text(a.PaymentMethods), text(a.Details), operator, millis(a.CreatedAt), millis(a.ModifiedAt),
		t.signature(accountRows, accountValues(a, hosts, operator, a.Version+1)), a.MerchantID, a.ID, a.Version))
}

// DeleteAccount implements engine.Tx.
func (t *tx) DeleteAccount(merchantID, id string) error {
	return t.configured(t.change("delete account", `DELETE FROM accounts WHERE merchant_id = $1 AND id = $2`, merchantID, id))
}

// Account implements engine.Reader.
func (t *tx) Account(merchantID, id string) (*account.Account, error) {
	return one(t, "read account", genuine(t, accountRows, scanAccount, "merchant_id", merchantID, "id", id),
		`SELECT `+accountColumns+` FROM accounts WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// Accounts implements engine.Reader.
func (t *tx) Accounts(merchantID string) ([]*account.Account, error) {
	return all(t, "list accounts", genuine(t, accountRows, scanAccount, "merchant_id", merchantID),
		`SELECT `+accountColumns+` FROM accounts WHERE merchant_id = $1 ORDER BY created_at, seq`+t.s.dialect().lockRow, merchantID)
}

const keyColumns = `merchant_id, id, name, description, prefix, hash, created_at, expires_at, revoked_at, signature`

var keyRows = signs("api_keys", "merchant_id, id", keyColumns)

func keyValues(k *account.APIKey) []any {
	return []any{k.MerchantID, k.ID, k.Name, k.Description, k.Prefix, k.Hash, millis(k.CreatedAt), millis(k.ExpiresAt), millis(k.RevokedAt)}
}

func scanKey(row scanner) (*account.APIKey, error) {
	k := new(account.APIKey)
	var created, expires, revoked int64
	err := row.Scan(&k.MerchantID, &k.ID, &k.Name, &k.Description, &k.Prefix, &k.Hash, &created, &expires, &revoked)
	k.CreatedAt, k.ExpiresAt, k.RevokedAt = moment(created), moment(expires), moment(revoked)
	return k, err
}

// InsertAPIKey implements engine.Tx. It returns ErrNotFound if the merchant does not exist.
func (t *tx) InsertAPIKey(k *account.APIKey) error {
	return t.configured(t.insertUnder("insert API key", `INSERT INTO api_keys (`+keyColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`, t.signed(keyRows, keyValues(k)...)...))
}

// UpdateAPIKey implements engine.Tx. Keys have no version: the last update wins.
func (t *tx) UpdateAPIKey(k *account.APIKey) error {
	return t.configured(t.change("update API key", `UPDATE api_keys SET name = $1, description = $2, prefix = $3, hash = $4, created_at = $5,
		expires_at = $6, revoked_at = $7, signature = $8 WHERE merchant_id = $9 AND id = $10`,
		k.Name, k.Description, k.Prefix, k.Hash, millis(k.CreatedAt), millis(k.ExpiresAt), millis(k.RevokedAt),
		t.signature(keyRows, keyValues(k)), k.MerchantID, k.ID))
}

// APIKey implements engine.Reader.
func (t *tx) APIKey(merchantID, id string) (*account.APIKey, error) {
	return one(t, "read API key", genuine(t, keyRows, scanKey, "merchant_id", merchantID, "id", id), `SELECT `+keyColumns+` FROM api_keys WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// APIKeyByHash implements engine.Reader.
func (t *tx) APIKeyByHash(hash []byte) (*account.APIKey, error) {
	return one(t, "read API key by hash", genuine(t, keyRows, scanKey, "hash", hash), `SELECT `+keyColumns+` FROM api_keys WHERE hash = $1`, hash)
}

// noLimit stands for "all" in LIMIT, because some databases do not accept -1.
const noLimit = int64(1) << 62

// APIKeys implements engine.Reader. A limit of 0 means no limit.
func (t *tx) APIKeys(merchantID string, limit, skip int) ([]*account.APIKey, error) {
	return all(t, "list API keys", genuine(t, keyRows, scanKey, "merchant_id", merchantID),
		`SELECT `+keyColumns+` FROM api_keys WHERE merchant_id = $1 ORDER BY created_at, seq LIMIT $2 OFFSET $3`,
		merchantID, rowLimit(limit), max(skip, 0))
}

func rowLimit(limit int) int64 {
	if limit <= 0 {
		return noLimit
	}
	return int64(limit)
}

// Connectors lists the connectors of all enabled accounts. It does not check the rows' signatures: a node that starts compiles the adapters of these
// connectors, and does nothing else with them.
func (d *DB) Connectors(ctx context.Context) (out []string, err error) {
	err = d.View(ctx, func(r engine.Reader) (err error) {
		out, err = all(r.(*tx), "list connectors", func(row scanner) (c string, err error) { err = row.Scan(&c); return c, err },
			`SELECT DISTINCT connector FROM accounts WHERE NOT disabled ORDER BY connector`)
		return err
	})
	return out, err
}
