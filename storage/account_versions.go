package storage

import (
	"time"

	"payswitch/engine/account"
)

const accountVersionColumns = `merchant_id, account_id, fingerprint, family, rank, original, details, sealed, created_at, used_at, signature`

// Logs name a version by its rank, which no other version of the account has: fingerprints are not for logs.
var accountVersionRows = signs("account_versions", "merchant_id, account_id, rank", accountVersionColumns)

func accountVersionValues(v *account.Version, details string) []any {
	return []any{v.MerchantID, v.AccountID, v.Fingerprint, v.Family, v.Rank, v.Original, details, v.Sealed, millis(v.CreatedAt), millis(v.UsedAt)}
}

func scanAccountVersion(row scanner) (*account.Version, error) {
	v := new(account.Version)
	var created, used int64
	var details []byte
	err := row.Scan(&v.MerchantID, &v.AccountID, &v.Fingerprint, &v.Family, &v.Rank, &v.Original, &details, &v.Sealed, &created, &used)
	if err != nil {
		return nil, err
	}
	v.CreatedAt, v.UsedAt = moment(created), moment(used)
	return v, decode(details, &v.Details)
}

// InsertAccountVersion implements engine.Tx.
func (t *tx) InsertAccountVersion(v *account.Version) error {
	details, err := encode(&v.Details)
	if err != nil {
		return err
	}
	return t.insert("insert account version", `INSERT INTO account_versions (`+accountVersionColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		t.signed(accountVersionRows, accountVersionValues(v, details)...)...)
}

// UpdateAccountVersion implements engine.Tx.
func (t *tx) UpdateAccountVersion(v *account.Version) error {
	details, err := encode(&v.Details)
	if err != nil {
		return err
	}
	return t.change("update account version", `UPDATE account_versions SET family = $1, rank = $2, original = $3, details = $4, sealed = $5,
		created_at = $6, used_at = $7, signature = $8 WHERE merchant_id = $9 AND account_id = $10 AND fingerprint = $11`,
		v.Family, v.Rank, v.Original, details, v.Sealed, millis(v.CreatedAt), millis(v.UsedAt),
		t.signature(accountVersionRows, accountVersionValues(v, details)), v.MerchantID, v.AccountID, v.Fingerprint)
}

// DeleteAccountVersion implements engine.Tx.
func (t *tx) DeleteAccountVersion(merchantID, accountID, fingerprint string) error {
	return t.change("delete account version", `DELETE FROM account_versions WHERE merchant_id = $1 AND account_id = $2 AND fingerprint = $3`,
		merchantID, accountID, fingerprint)
}

// AccountVersion implements engine.Reader.
func (t *tx) AccountVersion(merchantID, accountID, fingerprint string) (*account.Version, error) {
	return one(t, "read account version",
		genuine(t, accountVersionRows, scanAccountVersion, "merchant_id", merchantID, "account_id", accountID, "fingerprint", fingerprint),
		`SELECT `+accountVersionColumns+` FROM account_versions WHERE merchant_id = $1 AND account_id = $2 AND fingerprint = $3`+t.s.dialect().lockRow,
		merchantID, accountID, fingerprint)
}

// AccountVersions implements engine.Reader.
func (t *tx) AccountVersions(merchantID, accountID string) ([]*account.Version, error) {
	return all(t, "list account versions", genuine(t, accountVersionRows, scanAccountVersion, "merchant_id", merchantID, "account_id", accountID),
		`SELECT `+accountVersionColumns+` FROM account_versions WHERE merchant_id = $1 AND account_id = $2 ORDER BY rank, seq`+t.s.dialect().lockRow,
		merchantID, accountID)
}

// UnusedVersions implements engine.Reader. It reads account_versions_used.
func (t *tx) UnusedVersions(before time.Time) ([]*account.Version, error) {
	return all(t, "list unused account versions", genuine(t, accountVersionRows, scanAccountVersion),
		`SELECT `+accountVersionColumns+` FROM account_versions WHERE used_at < $1 ORDER BY seq`, millis(before))
}

// OpenVersions implements engine.Reader. It reads operations_due, as OpenOperations does.
func (t *tx) OpenVersions(merchantID, accountID string) ([]string, error) {
	return all(t, "list versions of open operations", func(row scanner) (name string, err error) { return name, row.Scan(&name) },
		`SELECT DISTINCT account_version FROM operations WHERE due_at >= 0 AND merchant_id || '' = $1 AND account_id = $2 AND status IN ('started', 'unknown', 'pending')`,
		merchantID, accountID)
}

// AccountUsed implements engine.Reader. It reads attempts_reference: an attempt that has an account has a reference.
func (t *tx) AccountUsed(merchantID, accountID string) (bool, error) {
	n, err := one(t, "look for attempts at an account", scanCount,
		`SELECT count(*) FROM (SELECT 1 FROM attempts WHERE merchant_id = $1 AND account_id = $2 AND reference <> '' LIMIT 1) AS a`, merchantID, accountID)
	return n > 0, err
}
