package storage

import (
	"fmt"
	"time"

	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

const refundColumns = `merchant_id, id, payment_id, attempt_id, profile_id, account_id, connector, status, currency, amount, processor_id,
	reference, operation_id, created_at, modified_at, version, details, signature`

var refundRows = signs("refunds", "merchant_id, id", refundColumns)

func refundValues(r *payment.Refund, details string, version int64) []any {
	return []any{r.MerchantID, r.ID, r.PaymentID, r.AttemptID, r.ProfileID, r.AccountID, r.Connector, string(r.Status), string(r.Currency),
		r.Amount, r.ProcessorID, r.Reference, r.OperationID, millis(r.CreatedAt), millis(r.ModifiedAt), version, details}
}

func scanRefund(row scanner) (*payment.Refund, error) {
	r := new(payment.Refund)
	var status, currency string
	var created, modified int64
	var details []byte
	err := row.Scan(&r.MerchantID, &r.ID, &r.PaymentID, &r.AttemptID, &r.ProfileID, &r.AccountID, &r.Connector, &status, &currency,
		&r.Amount, &r.ProcessorID, &r.Reference, &r.OperationID, &created, &modified, &r.Version, &details)
	if err != nil {
		return nil, err
	}
	r.Status, r.Currency = payment.RefundStatus(status), sdk.Currency(currency)
	r.CreatedAt, r.ModifiedAt = moment(created), moment(modified)
	return r, decode(details, &r.Details)
}

// InsertRefund implements engine.Tx.
func (t *tx) InsertRefund(r *payment.Refund) error {
	details, err := encode(&r.Details)
	if err != nil {
		return err
	}
	r.Version = 1
	return t.insert("insert refund", `INSERT INTO refunds (`+refundColumns+`, late_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING`,
		append(t.signed(refundRows, refundValues(r, details, r.Version)...), t.late(r.CreatedAt))...)
}

// UpdateRefund implements engine.Tx. It does not change the payment, the attempt, the account and CreatedAt.
func (t *tx) UpdateRefund(r *payment.Refund) error {
	details, err := encode(&r.Details)
	if err != nil {
		return err
	}
	args := []any{string(r.Status), string(r.Currency), r.Amount, r.ProcessorID, r.Reference, r.OperationID, millis(r.ModifiedAt), details,
		t.signature(refundRows, refundValues(r, details, r.Version+1)), r.MerchantID, r.ID, r.Version}
	set := ""
	if late := t.late(r.CreatedAt); late > 0 {
		set, args = ", late_at = $13", append(args, late)
	}
	return t.compareAndSet("update refund", &r.Version, `SELECT 1 FROM refunds WHERE merchant_id = $1 AND id = $2`, []any{r.MerchantID, r.ID},
		`UPDATE refunds SET status = $1, currency = $2, amount = $3, processor_id = $4, reference = $5, operation_id = $6, modified_at = $7,
		version = version + 1, details = $8, signature = $9`+set+` WHERE merchant_id = $10 AND id = $11 AND version = $12`, args...)
}

// Refund implements engine.Reader.
func (t *tx) Refund(merchantID, id string) (*payment.Refund, error) {
	return one(t, "read refund", genuine(t, refundRows, scanRefund, "merchant_id", merchantID, "id", id),
		`SELECT `+refundColumns+` FROM refunds WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// RefundsOf implements engine.Reader.
func (t *tx) RefundsOf(merchantID, paymentID string) ([]*payment.Refund, error) {
	return all(t, "list refunds of a payment", genuine(t, refundRows, scanRefund, "merchant_id", merchantID, "payment_id", paymentID),
		`SELECT `+refundColumns+` FROM refunds WHERE merchant_id = $1 AND payment_id = $2 ORDER BY seq`, merchantID, paymentID)
}

// RefundsAt implements engine.Reader.
func (t *tx) RefundsAt(merchantID, accountID, processorID, reference string) ([]*payment.Refund, error) {
	const at = `SELECT seq, ` + refundColumns + ` FROM refunds WHERE merchant_id = $1 AND account_id = $2 AND `
	return all(t, "find refunds at an account", genuine(t, refundRows, scanRefund, "merchant_id", merchantID, "account_id", accountID),
		`SELECT `+refundColumns+` FROM (`+at+`processor_id = $3 AND processor_id <> '' UNION `+at+`reference = $4 AND reference <> '') AS r ORDER BY seq DESC`,
		merchantID, accountID, processorID, reference)
}

// Refunds implements engine.Reader.
func (t *tx) Refunds(merchantID, profileID string, f request.RefundListInput) ([]*payment.Refund, int, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	for _, c := range []struct{ left, value string }{{"profile_id = ", profileID}, {"profile_id = ", f.ProfileID}, {"payment_id = ", f.PaymentID},
		{"id = ", f.RefundID}} {
		if c.value != "" {
			where.add(c.left, c.value)
		}
	}
	where.addTime("created_at >= ", f.From, true)
	where.addTime("created_at <= ", f.To, false)
	if f.MinAmount != nil {
		where.add("amount >= ", *f.MinAmount)
	}
	if f.MaxAmount != nil {
		where.add("amount <= ", *f.MaxAmount)
	}
	where.addAny("connector", f.Connectors)
	where.addAny("account_id", f.Accounts)
	where.addAny("currency", f.Currencies)
	where.addAny("status", f.Statuses)
	total, err := one(t, "count refunds", scanCount, `SELECT count(*) FROM refunds WHERE `+where.String(), where.args...)
	if err != nil {
		return nil, 0, err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 10
	}
	page := newestFirst(f.PaymentID) + " LIMIT " + where.place(limit)
	page += " OFFSET " + where.place(max(f.Offset, 0))
	list, err := all(t, "list refunds", genuine(t, refundRows, scanRefund, "merchant_id", merchantID),
		`SELECT `+refundColumns+` FROM refunds WHERE `+where.String()+page, where.args...)
	return list, total, err
}

// RefundAt implements engine.Reader.
func (t *tx) RefundAt(merchantID string, at listed.Place) (*payment.Refund, error) {
	return one(t, "read refund", genuine(t, refundRows, scanRefund, "merchant_id", merchantID),
		`SELECT `+refundColumns+` FROM refunds WHERE seq = $1 AND merchant_id = $2`, at.Seq, merchantID)
}

// RefundCounts implements engine.Reader.
func (t *tx) RefundCounts(merchantID, profileID string, from, to time.Time) (listed.Tally, error) {
	return t.tallyRows("refunds", "''", merchantID, profileID, from, to)
}

// tallyRows counts the rows of a table by connector, currency, stage and status.
func (t *tx) tallyRows(table, stage, merchantID, profileID string, from, to time.Time) (listed.Tally, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	if profileID != "" {
		where.add("profile_id = ", profileID)
	}
	where.addTime("created_at >= ", from, true)
	where.addTime("created_at <= ", to, false)
	tally := listed.NewTally()
	err := t.s.query(`SELECT connector, currency, `+stage+`, status, count(*) FROM `+table+` WHERE `+where.String()+` GROUP BY 1, 2, 3, 4`, where.args,
		func(row scanner) error {
			var connector, currency, stage, status string
			var n int64
			if err := row.Scan(&connector, &currency, &stage, &status, &n); err != nil {
				return err
			}
			tally.Connectors[connector] += n
			tally.Currencies[currency] += n
			tally.Stages[stage] += n
			tally.Statuses[status] += n
			return nil
		})
	if err != nil {
		err = fmt.Errorf("count %s: %w", table, err)
	}
	return tally, err
}

// newestFirst sorts a list of refunds or disputes. For those of one payment it sorts by an expression: SQLite would else read all of a merchant's rows in
// order, rather than the payment's few by their index.
func newestFirst(paymentID string) string {
	if paymentID != "" {
		return " ORDER BY +created_at DESC, seq DESC"
	}
	return " ORDER BY created_at DESC, seq DESC"
}

// addAny adds "column IN (…)" unless the list is empty.
func (c *conditions) addAny(column string, list []string) {
	if len(list) == 0 {
		return
	}
	in := ""
	for i, v := range list {
		if i > 0 {
			in += ", "
		}
		in += c.place(v)
	}
	c.list = append(c.list, column+" IN ("+in+")")
}
