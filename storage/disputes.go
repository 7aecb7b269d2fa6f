package storage

import (
	"time"

	"payswitch/engine/disputed"
	"payswitch/engine/listed"
	"payswitch/engine/request"
	"payswitch/sdk"
)

const disputeColumns = `merchant_id, id, payment_id, attempt_id, profile_id, account_id, connector, stage, status, currency, amount, processor_id,
	reason, created_at, modified_at, version, details, signature`

var disputeRows = signs("disputes", "merchant_id, id", disputeColumns)

func disputeValues(d *disputed.Record, details string, version int64) []any {
	return []any{d.MerchantID, d.ID, d.PaymentID, d.AttemptID, d.ProfileID, d.AccountID, d.Connector, string(d.Stage), string(d.Status), string(d.Currency),
		d.Amount, d.ProcessorID, d.ReasonWord(), millis(d.CreatedAt), millis(d.ModifiedAt), version, details}
}

func scanDispute(row scanner) (*disputed.Record, error) {
	d := new(disputed.Record)
	var stage, status, currency, reason string
	var created, modified int64
	var details []byte
	err := row.Scan(&d.MerchantID, &d.ID, &d.PaymentID, &d.AttemptID, &d.ProfileID, &d.AccountID, &d.Connector, &stage, &status, &currency,
		&d.Amount, &d.ProcessorID, &reason, &created, &modified, &d.Version, &details)
	if err != nil {
		return nil, err
	}
	d.Stage, d.Status, d.Currency = sdk.DisputeStage(stage), sdk.DisputeStatus(status), sdk.Currency(currency)
	d.CreatedAt, d.ModifiedAt = moment(created), moment(modified)
	return d, decode(details, &d.Details)
}

// InsertDispute implements engine.Tx.
func (t *tx) InsertDispute(d *disputed.Record) error {
	details, err := encode(&d.Details)
	if err != nil {
		return err
	}
	d.Version = 1
	return t.insert("insert dispute", `INSERT INTO disputes (`+disputeColumns+`, late_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING`,
		append(t.signed(disputeRows, disputeValues(d, details, d.Version)...), t.late(d.CreatedAt))...)
}

// UpdateDispute implements engine.Tx.
func (t *tx) UpdateDispute(d *disputed.Record) error {
	details, err := encode(&d.Details)
	if err != nil {
		return err
	}
	args := []any{string(d.Stage), string(d.Status), string(d.Currency), d.Amount, d.ReasonWord(), millis(d.ModifiedAt), details,
		t.signature(disputeRows, disputeValues(d, details, d.Version+1)), d.MerchantID, d.ID, d.Version}
	set := ""
	if late := t.late(d.CreatedAt); late > 0 {
		set, args = ", late_at = $12", append(args, late)
	}
	return t.compareAndSet("update dispute", &d.Version, `SELECT 1 FROM disputes WHERE merchant_id = $1 AND id = $2`, []any{d.MerchantID, d.ID},
		`UPDATE disputes SET stage = $1, status = $2, currency = $3, amount = $4, reason = $5, modified_at = $6, version = version + 1, details = $7,
		signature = $8`+set+` WHERE merchant_id = $9 AND id = $10 AND version = $11`, args...)
}

// Dispute implements engine.Reader.
func (t *tx) Dispute(merchantID, id string) (*disputed.Record, error) {
	return one(t, "read dispute", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID, "id", id),
		`SELECT `+disputeColumns+` FROM disputes WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// DisputesOf implements engine.Reader.
func (t *tx) DisputesOf(merchantID, paymentID string) ([]*disputed.Record, error) {
	return all(t, "list disputes of a payment", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID, "payment_id", paymentID),
		`SELECT `+disputeColumns+` FROM disputes WHERE merchant_id = $1 AND payment_id = $2 ORDER BY seq`, merchantID, paymentID)
}

// Disputes implements engine.Reader.
func (t *tx) Disputes(merchantID, profileID string, f request.DisputeListInput) ([]*disputed.Record, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	for _, c := range []struct{ left, value string }{{"profile_id = ", profileID}, {"profile_id = ", f.ProfileID}, {"payment_id = ", f.PaymentID},
		{"id = ", f.DisputeID}, {"account_id = ", f.AccountID}, {"reason = ", f.Reason}} {
		if c.value != "" {
			where.add(c.left, c.value)
		}
	}
	where.addTime("created_at >= ", f.From, true)
	where.addTime("created_at <= ", f.To, false)
	where.addAny("connector", f.Connectors)
	where.addAny("currency", f.Currencies)
	where.addAny("stage", f.Stages)
	where.addAny("status", f.Statuses)
	limit := f.Limit
	if limit <= 0 {
		limit = 10
	}
	page := newestFirst(f.PaymentID) + " LIMIT " + where.place(limit)
	page += " OFFSET " + where.place(max(f.Offset, 0))
	return all(t, "list disputes", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID),
		`SELECT `+disputeColumns+` FROM disputes WHERE `+where.String()+page, where.args...)
}

// DisputeAt implements engine.Reader.
func (t *tx) DisputeAt(merchantID string, at listed.Place) (*disputed.Record, error) {
	return one(t, "read dispute", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID),
		`SELECT `+disputeColumns+` FROM disputes WHERE seq = $1 AND merchant_id = $2`, at.Seq, merchantID)
}

// DisputeCounts implements engine.Reader.
func (t *tx) DisputeCounts(merchantID, profileID string, from, to time.Time) (listed.Tally, error) {
	return t.tallyRows("disputes", "stage", merchantID, profileID, from, to)
}
