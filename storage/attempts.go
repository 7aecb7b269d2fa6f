package storage

import (
	"slices"

	"payswitch/engine/payment"
)

const attemptColumns = `merchant_id, payment_id, id, number, status, connector, account_id, amount, authorized, captured, transaction_id,
	created_at, modified_at, version, details, sealed, reference, account_version, signature`

var attemptRows = signs("attempts", "merchant_id, id", attemptColumns)

func attemptValues(a *payment.Attempt, details string, version int64) []any {
	return []any{a.MerchantID, a.PaymentID, a.ID, a.Number, string(a.Status), a.Connector, a.AccountID, a.Amount, a.Authorized, a.Captured,
		a.TransactionID, millis(a.CreatedAt), millis(a.ModifiedAt), version, details, a.Sealed, a.Details.Reference, a.AccountVersion}
}

func scanAttempt(row scanner) (*payment.Attempt, error) {
	a := new(payment.Attempt)
	var status string
	var created, modified int64
	var details []byte
	err := row.Scan(&a.MerchantID, &a.PaymentID, &a.ID, &a.Number, &status, &a.Connector, &a.AccountID, &a.Amount, &a.Authorized,
		&a.Captured, &a.TransactionID, &created, &modified, &a.Version, &details, &a.Sealed, &a.Details.Reference, &a.AccountVersion)
	if err != nil {
		return nil, err
	}
	a.Status = payment.AttemptStatus(status)
	a.CreatedAt, a.ModifiedAt = moment(created), moment(modified)
	return a, decode(details, &a.Details)
}

// InsertAttempt implements engine.Tx.
func (t *tx) InsertAttempt(a *payment.Attempt) error {
	details, err := encode(&a.Details)
	if err != nil {
		return err
	}
	a.Version = 1
	return t.insert("insert attempt", insertAttempt, t.signed(attemptRows, attemptValues(a, details, a.Version)...)...)
}

// UpdateAttempt implements engine.Tx. It does not change PaymentID, Number and CreatedAt.
func (t *tx) UpdateAttempt(a *payment.Attempt) error {
	details, err := encode(&a.Details)
	if err != nil {
		return err
	}
	args := []any{string(a.Status), a.Connector, a.Amount, a.Authorized, a.Captured, a.TransactionID, millis(a.ModifiedAt), details, a.Sealed, a.AccountVersion,
		t.signature(attemptRows, attemptValues(a, details, a.Version+1)), a.MerchantID, a.ID, a.Version, a.AccountID, a.Details.Reference}
	if t.s.dialect().writesIndexes { // most updates change neither column: then its index stays as it is
		n, err := t.expect("update attempt", 1, updateAttempt, args...)
		if err != nil {
			return err
		}
		if n == 1 {
			t.raise(&a.Version)
			return nil
		}
	}
	return t.compareAndSet("update attempt", &a.Version, `SELECT 1 FROM attempts WHERE merchant_id = $1 AND id = $2`, []any{a.MerchantID, a.ID}, updateAttemptAt, args...)
}

const (
	insertAttempt = `INSERT INTO attempts (` + attemptColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING`
	setAttempt = `UPDATE attempts SET status = $1, connector = $2, amount = $3, authorized = $4, captured = $5, transaction_id = $6, modified_at = $7,
		version = version + 1, details = $8, sealed = $9, account_version = $10, signature = $11`
	whereAttempt    = ` WHERE merchant_id = $12 AND id = $13 AND version = $14`
	updateAttempt   = setAttempt + whereAttempt + ` AND account_id = $15 AND reference = $16`
	updateAttemptAt = setAttempt + `, account_id = $15, reference = $16` + whereAttempt
)

// Attempt implements engine.Reader.
func (t *tx) Attempt(merchantID, id string) (*payment.Attempt, error) {
	return one(t, "read attempt", genuine(t, attemptRows, scanAttempt, "merchant_id", merchantID, "id", id),
		`SELECT `+attemptColumns+` FROM attempts WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// AttemptsOf implements engine.Reader.
func (t *tx) AttemptsOf(merchantID string, ids []string) (map[string]*payment.Attempt, error) {
	found := make(map[string]*payment.Attempt, len(ids))
	for part := range slices.Chunk(ids, mostAtOnce) {
		where := &conditions{}
		where.add("merchant_id = ", merchantID)
		values := make([]any, len(part))
		for i := range part {
			values[i] = part[i]
		}
		where.addOf("id", values)
		list, err := all(t, "read attempts", genuine(t, attemptRows, scanAttempt, "merchant_id", merchantID),
			`SELECT `+attemptColumns+` FROM attempts WHERE `+where.String(), where.args...)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			found[a.ID] = a
		}
	}
	return found, nil
}

// Attempts implements engine.Reader.
func (t *tx) Attempts(merchantID, paymentID string) ([]*payment.Attempt, error) {
	return all(t, "list attempts", genuine(t, attemptRows, scanAttempt, "merchant_id", merchantID, "payment_id", paymentID),
		`SELECT `+attemptColumns+` FROM attempts WHERE merchant_id = $1 AND payment_id = $2 ORDER BY number`, merchantID, paymentID)
}

// AttemptsAt implements engine.Reader.
func (t *tx) AttemptsAt(merchantID, accountID, transactionID, reference string) ([]*payment.Attempt, error) {
	const at = `SELECT seq FROM attempts WHERE merchant_id = $1 AND account_id = $2 AND `
	return all(t, "find attempts", genuine(t, attemptRows, scanAttempt, "merchant_id", merchantID, "account_id", accountID), `SELECT `+attemptColumns+` FROM attempts WHERE seq IN (
		`+at+`transaction_id = $3 AND transaction_id <> '' UNION `+at+`reference = $4 AND reference <> '') ORDER BY seq DESC`,
		merchantID, accountID, transactionID, reference)
}
