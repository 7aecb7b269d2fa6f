package storage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

const paymentColumns = `merchant_id, id, profile_id, customer_id, status, currency, amount, net_amount, capturable, received,
	refunded, attempt_count, attempt_id, open_operation, client_secret_hash, expires_at, created_at, modified_at, version, details, sealed,
	signature`

var paymentRows = signs("payments", "merchant_id, id", paymentColumns)

func paymentValues(p *payment.Payment, details string, version int64) []any {
	return []any{p.MerchantID, p.ID, p.ProfileID, p.CustomerID, string(p.Status), string(p.Currency), p.Amount, p.NetAmount, p.Capturable,
		p.Received, p.Refunded, p.AttemptCount, p.AttemptID, p.OpenOperation, p.ClientSecretHash, millis(p.ExpiresAt),
		millis(p.CreatedAt), millis(p.ModifiedAt), version, details, p.Sealed}
}

func scanPayment(row scanner) (*payment.Payment, error) {
	p := new(payment.Payment)
	var status, currency string
	var expires, created, modified int64
	var details []byte
	err := row.Scan(&p.MerchantID, &p.ID, &p.ProfileID, &p.CustomerID, &status, &currency, &p.Amount, &p.NetAmount, &p.Capturable,
		&p.Received, &p.Refunded, &p.AttemptCount, &p.AttemptID, &p.OpenOperation, &p.ClientSecretHash, &expires, &created, &modified,
		&p.Version, &details, &p.Sealed)
	if err != nil {
		return nil, err
	}
	p.Status, p.Currency = payment.Status(status), sdk.Currency(currency)
	p.ExpiresAt, p.CreatedAt, p.ModifiedAt = moment(expires), moment(created), moment(modified)
	return p, decode(details, &p.Details)
}

// rareStatus returns the column that the index payments_rare has: "" for a common status.
func rareStatus(s payment.Status) string {
	if s.Common() {
		return ""
	}
	return string(s)
}

// InsertPayment implements engine.Tx.
func (t *tx) InsertPayment(p *payment.Payment) error {
	details, err := encode(&p.Details)
	if err != nil {
		return err
	}
	p.Version = 1
	query, args := insertPayment, append(t.signed(paymentRows, paymentValues(p, details, p.Version)...), rareStatus(p.Status))
	if late := t.late(p.CreatedAt); late > 0 {
		query, args = insertLatePayment, append(args, late)
	}
	return t.insert("insert payment", query, args...)
}

// The texts of statements that every payment runs are constants, so that no payment joins them anew.
const (
	insertPayment = `INSERT INTO payments (` + paymentColumns + `, rare_status)
		VALUES (` + paymentPlaces + `) ON CONFLICT DO NOTHING`
	insertLatePayment = `INSERT INTO payments (` + paymentColumns + `, rare_status, late_at)
		VALUES (` + paymentPlaces + `, $24) ON CONFLICT DO NOTHING`
	paymentPlaces = `$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23`

	setPayment = `UPDATE payments SET profile_id = $1, status = $2, currency = $3, amount = $4, net_amount = $5, capturable = $6,
	received = $7, refunded = $8, attempt_count = $9, attempt_id = $10, open_operation = $11, client_secret_hash = $12, expires_at = $13,
	modified_at = $14, version = version + 1, details = $15, sealed = $16, signature = $21, rare_status = $22`
	setLate      = `, late_at = $23`
	wherePayment = ` WHERE merchant_id = $17 AND id = $18 AND version = $19`
	// The customer rarely changes: a statement that does not set the column leaves its index alone.
	sameCustomer  = wherePayment + ` AND customer_id = $20`
	otherCustomer = `, customer_id = $20` + wherePayment

	updatePayment          = setPayment + sameCustomer
	updatePaymentOther     = setPayment + otherCustomer
	updateLatePayment      = setPayment + setLate + sameCustomer
	updateLatePaymentOther = setPayment + setLate + otherCustomer
)

// UpdatePayment implements engine.Tx. It does not change CreatedAt.
func (t *tx) UpdatePayment(p *payment.Payment) error {
	details, err := encode(&p.Details)
	if err != nil {
		return err
	}
	args := []any{p.ProfileID, string(p.Status), string(p.Currency), p.Amount, p.NetAmount, p.Capturable, p.Received, p.Refunded,
		p.AttemptCount, p.AttemptID, p.OpenOperation, p.ClientSecretHash, millis(p.ExpiresAt), millis(p.ModifiedAt), details, p.Sealed,
		p.MerchantID, p.ID, p.Version, p.CustomerID, t.signature(paymentRows, paymentValues(p, details, p.Version+1)), rareStatus(p.Status)}
	query, other := updatePayment, updatePaymentOther
	if late := t.late(p.CreatedAt); late > 0 { // a young payment leaves the index of late changes alone
		query, other, args = updateLatePayment, updateLatePaymentOther, append(args, late)
	}
	n, err := t.expect("update payment", 1, query, args...)
	if err != nil {
		return err
	}
	if n == 1 {
		t.raise(&p.Version)
		return nil
	}
	return t.compareAndSet("update payment", &p.Version, `SELECT 1 FROM payments WHERE merchant_id = $1 AND id = $2`, []any{p.MerchantID, p.ID}, other, args...)
}

// Payment implements engine.Reader.
func (t *tx) Payment(merchantID, id string) (*payment.Payment, error) {
	return one(t, "read payment", genuine(t, paymentRows, scanPayment, "merchant_id", merchantID, "id", id),
		`SELECT `+paymentColumns+` FROM payments WHERE merchant_id = $1 AND id = $2`+t.s.dialect().lockRow, merchantID, id)
}

// PaymentsAt implements engine.Reader.
func (t *tx) PaymentsAt(merchantID string, at []listed.Place) ([]*payment.Payment, error) {
	found := make(map[int64]*payment.Payment, len(at))
	for part := range slices.Chunk(at, mostAtOnce) {
		where := &conditions{} // without the merchant, or SQLite may read all payments by an index that begins with it
		places := make([]any, len(part))
		for i := range part {
			places[i] = part[i].Seq
		}
		where.addOf("seq", places)
		_, err := all(t, "read payments", func(row scanner) (p *payment.Payment, err error) {
			var seq int64
			if p, err = genuine(t, paymentRows, scanPayment)(&rowAfter{row, &seq}); err == nil && p.MerchantID == merchantID {
				found[seq] = p
			}
			return p, err
		}, `SELECT seq, `+paymentColumns+` FROM payments WHERE `+where.String(), where.args...)
		if err != nil {
			return nil, err
		}
	}
	out := make([]*payment.Payment, len(at))
	for i := range at {
		if out[i] = found[at[i].Seq]; out[i] == nil {
			return nil, fmt.Errorf("read payments: %w", fault.ErrNotFound)
		}
	}
	return out, nil
}

// rowAfter is a row without its first column, which Scan puts into first.
type rowAfter struct {
	row   scanner
	first any
}

// Scan implements scanner.
func (r *rowAfter) Scan(dest ...any) error { return r.row.Scan(append([]any{r.first}, dest...)...) }

// Payments implements engine.Reader. It orders payments of the same millisecond by insertion. A cursor of a profile other than profileID is
// ErrNotFound.
func (t *tx) Payments(merchantID, profileID string, f request.ListInput) ([]*payment.Payment, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	if profileID != "" {
		where.add("profile_id = ", profileID)
	}
	for _, cursor := range []struct{ id, compare string }{{f.StartingAfter, "<"}, {f.EndingBefore, ">"}} {
		if cursor.id == "" {
			continue
		}
		created, seq, err := t.paymentPlace(merchantID, profileID, cursor.id)
		if err != nil {
			return nil, err
		}
		where.add("(created_at, seq) "+cursor.compare+" ", created, seq)
	}
	if f.CustomerID != "" {
		where.add("customer_id = ", f.CustomerID)
		where.list = append(where.list, "customer_id <> ''") // the condition of the index payments_customer, or SQLite does not use the index
	}
	where.addTime("created_at >= ", f.Created, true) // a time between two milliseconds is that of no payment
	where.addTime("created_at <= ", f.Created, false)
	where.addTime("created_at < ", f.CreatedLT, true)
	where.addTime("created_at > ", f.CreatedGT, false)
	where.addTime("created_at <= ", f.CreatedLTE, false)
	where.addTime("created_at >= ", f.CreatedGTE, true)

	// EndingBefore asks for the payments next to the cursor: the query reads them upwards, and the list is then reversed.
	upwards := f.EndingBefore != "" && f.StartingAfter == ""
	order := " ORDER BY created_at DESC, seq DESC LIMIT "
	if upwards {
		order = " ORDER BY created_at, seq LIMIT "
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 10
	}
	out, err := all(t, "list payments", genuine(t, paymentRows, scanPayment, "merchant_id", merchantID),
		`SELECT `+paymentColumns+` FROM payments WHERE `+where.String()+order+where.place(limit), where.args...)
	if upwards {
		slices.Reverse(out)
	}
	return out, err
}

// paymentPlace returns the position of a payment in the order of lists.
func (t *tx) paymentPlace(merchantID, profileID, id string) (created, seq int64, err error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	where.add("id = ", id)
	if profileID != "" {
		where.add("profile_id = ", profileID)
	}
	type place struct{ created, seq int64 }
	p, err := one(t, "find payment of cursor", func(row scanner) (p place, err error) {
		return p, row.Scan(&p.created, &p.seq)
	}, `SELECT created_at, seq FROM payments WHERE `+where.String(), where.args...)
	return p.created, p.seq, err
}

// conditions collects the AND-ed conditions of a WHERE clause.
type conditions struct {
	list []string
	args []any
}

// place adds an argument and returns its placeholder.
func (c *conditions) place(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

// add adds "left $n", or "left ($n, $m)" for several values.
func (c *conditions) add(left string, values ...any) {
	places := make([]string, len(values))
	for i, v := range values {
		places[i] = c.place(v)
	}
	right := strings.Join(places, ", ")
	if len(values) > 1 {
		right = "(" + right + ")"
	}
	c.list = append(c.list, left+right)
}

// mostAtOnce is the number of values that addOf compares with at most.
const mostAtOnce = 50

// addOf adds the condition that a column has one of up to mostAtOnce values. It repeats the last value, so that few different statements come about.
func (c *conditions) addOf(column string, values []any) {
	n := 1
	for _, size := range []int{10, mostAtOnce} {
		if len(values) > n {
			n = size
		}
	}
	places := make([]string, n)
	for i := range places {
		places[i] = c.place(values[min(i, len(values)-1)])
	}
	c.list = append(c.list, column+" IN ("+strings.Join(places, ", ")+")")
}

// addTime compares with at unless it is zero. Stored times are whole milliseconds: up rounds a finer time up, as < and >= need it.
func (c *conditions) addTime(left string, at time.Time, up bool) {
	if at.IsZero() {
		return
	}
	ms := at.UnixMilli()
	if up && at.After(time.UnixMilli(ms)) {
		ms++
	}
	c.add(left, ms)
}

func (c *conditions) String() string { return strings.Join(c.list, " AND ") }
