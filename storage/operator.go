package storage

import (
	"errors"
	"fmt"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// AccountsAt implements engine.Reader.
func (t *tx) AccountsAt(connector string) (int, error) {
	return one(t, "count accounts of connector", scanCount, `SELECT count(*) FROM accounts WHERE connector = $1`, connector)
}

const violationColumns = `merchant_id, account_id, at, operation_id, operation, adapter, adapter_hash, rule, place`

// InsertViolation implements engine.Tx.
func (t *tx) InsertViolation(v *port.Violation, keep int) error {
	err := t.insert("insert violation", `INSERT INTO violations (`+violationColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		v.MerchantID, v.AccountID, millis(v.At), v.OperationID, string(v.Operation), v.Adapter, v.AdapterHash, v.Rule, v.Place)
	if errors.Is(err, errNoParent) {
		return fmt.Errorf("insert violation: connector account %w", fault.ErrNotFound)
	}
	if err != nil {
		return err
	}
	_, err = t.exec("remove old violations", `DELETE FROM violations WHERE merchant_id = $1 AND account_id = $2 AND seq <=
		(SELECT seq FROM violations WHERE merchant_id = $1 AND account_id = $2 ORDER BY seq DESC LIMIT 1 OFFSET $3)`, v.MerchantID, v.AccountID, keep)
	return err
}

// Violations implements engine.Reader.
func (t *tx) Violations(merchantID, accountID string, limit int) ([]*port.Violation, error) {
	return all(t, "list violations", func(row scanner) (*port.Violation, error) {
		v := new(port.Violation)
		var at int64
		var operation string
		err := row.Scan(&v.MerchantID, &v.AccountID, &at, &v.OperationID, &operation, &v.Adapter, &v.AdapterHash, &v.Rule, &v.Place)
		v.At, v.Operation = moment(at), sdk.Operation(operation)
		return v, err
	}, `SELECT `+violationColumns+` FROM violations WHERE merchant_id = $1 AND account_id = $2 ORDER BY seq DESC LIMIT $3`, merchantID, accountID, limit)
}
