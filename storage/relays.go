package storage

import (
	"time"

	"payswitch/engine/relay"
)

const relayColumns = `merchant_id, id, profile_id, account_id, connector, type, status, resource_id, reference_id, created_at, modified_at, version, details, signature`

var relayRows = signs("relays", "merchant_id, id", relayColumns)

func relayValues(r *relay.Relay, details string, version int64) []any {
	return []any{r.MerchantID, r.ID, r.ProfileID, r.AccountID, r.Connector, string(r.Type), string(r.Status), r.ResourceID, r.ReferenceID, millis(r.CreatedAt),
		millis(r.ModifiedAt), version, details}
}

func scanRelay(row scanner) (*relay.Relay, error) {
	r := new(relay.Relay)
	var kind, status string
	var created, modified int64
	var details []byte
	err := row.Scan(&r.MerchantID, &r.ID, &r.ProfileID, &r.AccountID, &r.Connector, &kind, &status, &r.ResourceID, &r.ReferenceID, &created, &modified, &r.Version, &details)
	if err != nil {
		return nil, err
	}
	r.Type, r.Status = relay.Type(kind), relay.Status(status)
	r.CreatedAt, r.ModifiedAt = moment(created), moment(modified)
	return r, decode(details, &r.Details)
}

// InsertRelay implements engine.Tx.
func (t *tx) InsertRelay(r *relay.Relay) error {
	details, err := encode(&r.Details)
	if err != nil {
		return err
	}
	r.Version = 1
	return t.insert("insert relay", `INSERT INTO relays (`+relayColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`, t.signed(relayRows, relayValues(r, details, r.Version)...)...)
}

// UpdateRelay implements engine.Tx.
func (t *tx) UpdateRelay(r *relay.Relay) error {
	details, err := encode(&r.Details)
	if err != nil {
		return err
	}
	return t.compareAndSet("update relay", &r.Version, `SELECT 1 FROM relays WHERE merchant_id = $1 AND id = $2`, []any{r.MerchantID, r.ID},
		`UPDATE relays SET status = $1, reference_id = $2, modified_at = $3, version = version + 1, details = $4, signature = $5
		WHERE merchant_id = $6 AND id = $7 AND version = $8`,
		string(r.Status), r.ReferenceID, millis(r.ModifiedAt), details, t.signature(relayRows, relayValues(r, details, r.Version+1)), r.MerchantID, r.ID, r.Version)
}

// Relay implements engine.Reader.
func (t *tx) Relay(merchantID, id string) (*relay.Relay, error) {
	return one(t, "read relay", genuine(t, relayRows, scanRelay, "merchant_id", merchantID, "id", id),
		`SELECT `+relayColumns+` FROM relays WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// RelaysOf implements engine.Reader.
func (t *tx) RelaysOf(merchantID, accountID, resourceID string) ([]*relay.Relay, error) {
	return all(t, "find relays of a transaction", genuine(t, relayRows, scanRelay, "merchant_id", merchantID, "account_id", accountID, "resource_id", resourceID),
		`SELECT `+relayColumns+` FROM relays WHERE merchant_id = $1 AND account_id = $2 AND resource_id = $3 AND type <> $4 ORDER BY seq DESC LIMIT $5`,
		merchantID, accountID, resourceID, string(relay.UnreferencedRefund), relay.MaxOfTransaction)
}

// RelayWrites implements engine.Reader. Relays are never deleted, so the sum of their versions never falls.
func (t *tx) RelayWrites(merchantID, accountID, resourceID string) (int64, error) {
	n, err := one(t, "look for writes of relays", scanCount, `SELECT CAST(coalesce(sum(version), 0) AS BIGINT) FROM relays
		WHERE merchant_id = $1 AND account_id = $2 AND resource_id = $3`, merchantID, accountID, resourceID)
	return int64(n), err
}

// RelaysPending implements engine.Reader.
func (t *tx) RelaysPending(since time.Time) ([]*relay.Relay, error) {
	return all(t, "find pending relays", genuine(t, relayRows, scanRelay),
		`SELECT `+relayColumns+` FROM relays WHERE status = 'pending' AND created_at >= $1 ORDER BY seq LIMIT $2`, millis(since), maxRelaysAsked)
}

// maxRelaysAt limits what one message or request can make the store read.
const maxRelaysAt = 1000

// RelaysAt implements engine.Reader.
func (t *tx) RelaysAt(merchantID, accountID, referenceID string) ([]*relay.Relay, error) {
	return all(t, "find relays at an account", genuine(t, relayRows, scanRelay, "merchant_id", merchantID, "account_id", accountID),
		`SELECT `+relayColumns+` FROM relays WHERE merchant_id = $1 AND account_id = $2 AND reference_id = $3 ORDER BY seq DESC LIMIT $4`,
		merchantID, accountID, referenceID, maxRelaysAt)
}

// maxRelaysAsked limits what background work holds in memory. Merchants' own questions reach the relays beyond it.
const maxRelaysAsked = 10_000
