package storage

import (
	"payswitch/engine/evidence"
)

const insertProcessorID = `INSERT INTO processor_ids (merchant_id, account_id, kind, processor_id, owner) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`

// ClaimID implements engine.Tx. A row that exists stays locked until the transaction ends. Rows have no signature: they move no money, and a statement inserts them unread.
func (t *tx) ClaimID(c evidence.Claim) (bool, error) {
	n, err := t.expect("claim a processor's id", 1, insertProcessorID, c.MerchantID, c.AccountID, c.Kind, c.ID, c.Owner)
	if err != nil || n == 1 {
		return err == nil, err
	}
	owner, err := one(t, "read the owner of a processor's id", func(row scanner) (owner string, err error) {
		err = row.Scan(&owner)
		return owner, err
	}, `SELECT owner FROM processor_ids WHERE merchant_id = $1 AND account_id = $2 AND kind = $3 AND processor_id = $4`+t.s.dialect().lockRow, c.MerchantID, c.AccountID, c.Kind, c.ID)
	return owner == c.Owner, err
}
