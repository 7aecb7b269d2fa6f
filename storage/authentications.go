package storage

import (
	"time"

	"payswitch/engine/authentication"
)

const authenticationColumns = `id, merchant_id, payment_id, attempt_id, profile_id, account_id, connector, adapter_hash, state, outcome,
	created_at, modified_at, deadline, due_at, owner, lease_until, version, details, sealed, request, instrument,
	server_trans_id, signature`

var authenticationRows = signs("authentications", "id", authenticationColumns, "owner", "lease_until", "due_at")

func authenticationValues(a *authentication.Record, details string, version int64) []any {
	return []any{a.ID, a.MerchantID, a.PaymentID, a.AttemptID, a.ProfileID, a.AccountID, a.Connector, a.AdapterHash, string(a.State), string(a.Outcome),
		millis(a.CreatedAt), millis(a.ModifiedAt), millis(a.Deadline), millis(a.DueAt), a.Owner, millis(a.LeaseUntil), version, details,
		a.Sealed, a.Request, a.Instrument, a.Details.ServerTransID}
}

func scanAuthentication(row scanner) (*authentication.Record, error) {
	a := new(authentication.Record)
	var state, serverTransID string
	var created, modified, deadline, due, lease int64
	var details []byte
	err := row.Scan(&a.ID, &a.MerchantID, &a.PaymentID, &a.AttemptID, &a.ProfileID, &a.AccountID, &a.Connector, &a.AdapterHash, &state,
		(*string)(&a.Outcome), &created, &modified, &deadline, &due, &a.Owner, &lease, &a.Version, &details, &a.Sealed, &a.Request, &a.Instrument,
		&serverTransID)
	if err != nil {
		return nil, err
	}
	a.State = authentication.State(state)
	a.CreatedAt, a.ModifiedAt, a.Deadline = moment(created), moment(modified), moment(deadline)
	a.DueAt, a.LeaseUntil = moment(due), moment(lease)
	return a, decode(details, &a.Details)
}

// InsertAuthentication implements engine.Tx.
func (t *tx) InsertAuthentication(a *authentication.Record) error {
	details, err := encode(&a.Details)
	if err != nil {
		return err
	}
	a.Version = 1
	err = t.insert("insert authentication", `INSERT INTO authentications (`+authenticationColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		ON CONFLICT DO NOTHING`, t.signed(authenticationRows, authenticationValues(a, details, a.Version)...)...)
	if err != nil || a.Key == nil {
		return err
	}
	return t.putShortTermKey(a.MerchantID, a.ShortTermID(), a.Key)
}

// UpdateAuthentication implements engine.Tx. Without an Instrument it destroys the instrument's key.
func (t *tx) UpdateAuthentication(a *authentication.Record) error {
	details, err := encode(&a.Details)
	if err != nil {
		return err
	}
	err = t.compareAndSet("update authentication", &a.Version,
		`SELECT 1 FROM authentications WHERE id = $1 AND merchant_id = $2`, []any{a.ID, a.MerchantID},
		`UPDATE authentications SET account_id = $1, connector = $2, adapter_hash = $3, state = $4, outcome = $5, modified_at = $6,
		deadline = $7, due_at = $8, version = version + 1, details = $9, sealed = $10, request = $11, instrument = $12,
		server_trans_id = $13, signature = $14 WHERE id = $15 AND merchant_id = $16 AND version = $17`,
		a.AccountID, a.Connector, a.AdapterHash, string(a.State), string(a.Outcome), millis(a.ModifiedAt), millis(a.Deadline), millis(a.DueAt),
		details, a.Sealed, a.Request, a.Instrument, a.Details.ServerTransID,
		t.signature(authenticationRows, authenticationValues(a, details, a.Version+1)), a.ID, a.MerchantID, a.Version)
	if err != nil || a.Instrument != nil {
		return err
	}
	return t.shred(a.MerchantID, a.ShortTermID())
}

// Authentication implements engine.Reader.
func (t *tx) Authentication(id string) (*authentication.Record, error) {
	return one(t, "read authentication", genuine(t, authenticationRows, scanAuthentication, "id", id),
		`SELECT `+authenticationColumns+` FROM authentications WHERE id = $1`+t.s.dialect().lockRow, id)
}

// Authentications implements engine.Reader.
func (t *tx) Authentications(merchantID, paymentID string) ([]*authentication.Record, error) {
	return all(t, "list authentications", genuine(t, authenticationRows, scanAuthentication, "merchant_id", merchantID, "payment_id", paymentID), `SELECT `+authenticationColumns+` FROM authentications
		WHERE merchant_id = $1 AND payment_id = $2 ORDER BY seq`, merchantID, paymentID)
}

// AuthenticationsAt implements engine.Reader.
func (t *tx) AuthenticationsAt(merchantID, accountID, serverTransID string) ([]*authentication.Record, error) {
	return all(t, "find authentications", genuine(t, authenticationRows, scanAuthentication, "merchant_id", merchantID, "account_id", accountID, "server_trans_id", serverTransID), `SELECT `+authenticationColumns+` FROM authentications
		WHERE merchant_id = $1 AND account_id = $2 AND server_trans_id = $3 AND server_trans_id <> '' ORDER BY seq DESC`,
		merchantID, accountID, serverTransID)
}

// ClaimAuthentications implements engine.Tx. It claims those that are due longest.
func (t *tx) ClaimAuthentications(owner string, until time.Time, limit int) ([]*authentication.Record, error) {
	t.wrote = true
	return all(t, "claim authentications", genuine(t, authenticationRows, scanAuthentication), `UPDATE authentications SET owner = $1, lease_until = $2
		WHERE seq`+t.s.dialect().among(`SELECT seq FROM authentications WHERE due_at > 0 AND due_at <= $3 AND lease_until <= $3
			ORDER BY due_at LIMIT $4`+t.s.dialect().skipLocked)+`
		RETURNING `+authenticationColumns, owner, millis(until), millis(t.now), limit)
}

// LeaseAuthentication implements engine.Tx.
func (t *tx) LeaseAuthentication(id, owner string, until time.Time) (bool, error) {
	n, err := t.expect("lease authentication", 1, `UPDATE authentications SET owner = $1, lease_until = $2
		WHERE id = $3 AND lease_until <= $4`, owner, millis(until), id, millis(t.now))
	return n == 1, err
}

// ReleaseAuthentication implements engine.Tx.
func (t *tx) ReleaseAuthentication(id, owner string) error {
	err := t.put("release authentication", `UPDATE authentications SET owner = '', lease_until = 0 WHERE id = $1 AND owner = $2`, id, owner)
	return err
}
