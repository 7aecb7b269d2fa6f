package storage

import (
	"strings"
	"time"

	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

const disputeColumns = `merchant_id, id, payment_id, attempt_id, profile_id, account_id, connector, stage, status, currency, amount, processor_id,
	reason, created_at, modified_at, version, details, signature`

var disputeRows = signs("disputes", "merchant_id, id", disputeColumns)

// disputeReason is the column by which lists filter: a text without the byte 0, which PostgreSQL refuses.
func disputeReason(d *payment.Dispute) string {
	return strings.ReplaceAll(d.Details.Reason, "\x00", "")
}

func disputeValues(d *payment.Dispute, details string, version int64) []any {
	return []any{d.MerchantID, d.ID, d.PaymentID, d.AttemptID, d.ProfileID, d.AccountID, d.Connector, string(d.Stage), string(d.Status), string(d.Currency),
		d.Amount, d.ProcessorID, disputeReason(d), millis(d.CreatedAt), millis(d.ModifiedAt), version, details}
}

func scanDispute(row scanner) (*payment.Dispute, error) {
	d := new(payment.Dispute)
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
func (t *tx) InsertDispute(d *payment.Dispute) error {
	details, err := encode(&d.Details)
	if err != nil {
		return err
	}
	d.Version = 1
	return t.insert("insert dispute", `INSERT INTO disputes (`+disputeColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT DO NOTHING`,
		t.signed(disputeRows, disputeValues(d, details, d.Version)...)...)
}

// UpdateDispute implements engine.Tx.
func (t *tx) UpdateDispute(d *payment.Dispute) error {
	details, err := encode(&d.Details)
	if err != nil {
		return err
	}
	return t.compareAndSet("update dispute", &d.Version, `SELECT 1 FROM disputes WHERE merchant_id = $1 AND id = $2`, []any{d.MerchantID, d.ID},
		`UPDATE disputes SET stage = $1, status = $2, currency = $3, amount = $4, reason = $5, modified_at = $6, version = version + 1, details = $7,
		signature = $8 WHERE merchant_id = $9 AND id = $10 AND version = $11`,
		string(d.Stage), string(d.Status), string(d.Currency), d.Amount, disputeReason(d), millis(d.ModifiedAt), details,
		t.signature(disputeRows, disputeValues(d, details, d.Version+1)), d.MerchantID, d.ID, d.Version)
}

// Dispute implements engine.Reader.
func (t *tx) Dispute(merchantID, id string) (*payment.Dispute, error) {
	return one(t, "read dispute", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID, "id", id),
		`SELECT `+disputeColumns+` FROM disputes WHERE merchant_id = $1 AND id = $2`, merchantID, id)
}

// DisputesOf implements engine.Reader.
func (t *tx) DisputesOf(merchantID, paymentID string) ([]*payment.Dispute, error) {
	return all(t, "list disputes of a payment", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID, "payment_id", paymentID),
		`SELECT `+disputeColumns+` FROM disputes WHERE merchant_id = $1 AND payment_id = $2 ORDER BY seq`, merchantID, paymentID)
}

// Disputes implements engine.Reader.
func (t *tx) Disputes(merchantID, profileID string, f request.DisputeListInput) ([]*payment.Dispute, error) {
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
	page := " ORDER BY created_at DESC, seq DESC LIMIT " + where.place(limit)
	page += " OFFSET " + where.place(max(f.Offset, 0))
	return all(t, "list disputes", genuine(t, disputeRows, scanDispute, "merchant_id", merchantID),
		`SELECT `+disputeColumns+` FROM disputes WHERE `+where.String()+page, where.args...)
}

// DisputeCounts implements engine.Reader.
func (t *tx) DisputeCounts(merchantID, profileID string, from, to time.Time) ([]listed.DisputeCount, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	if profileID != "" {
		where.add("profile_id = ", profileID)
	}
	where.addTime("created_at >= ", from, true)
	where.addTime("created_at <= ", to, false)
	return all(t, "count disputes", func(row scanner) (c listed.DisputeCount, err error) {
		var currency, stage, status string
		err = row.Scan(&c.Connector, &currency, &stage, &status, &c.N)
		c.Currency, c.Stage, c.Status = sdk.Currency(currency), sdk.DisputeStage(stage), sdk.DisputeStatus(status)
		return c, err
	}, `SELECT connector, currency, stage, status, count(*) FROM disputes WHERE `+where.String()+
		` GROUP BY connector, currency, stage, status ORDER BY connector, currency, stage, status`, where.args...)
}
