package storage

import (
	"errors"
	"fmt"
	"time"

	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// FacetMark implements engine.Reader.
func (t *tx) FacetMark(merchantID string) (*facet.Mark, error) {
	return one(t, "read how far lists are", func(row scanner) (*facet.Mark, error) {
		m := &facet.Mark{MerchantID: merchantID}
		var upTo, late, read int64
		err := row.Scan(&m.Version, &m.Blocks, &upTo, &late, &read, &m.Complete)
		m.UpTo, m.Late, m.ReadAt = moment(upTo), moment(late), moment(read)
		return m, err
	}, `SELECT version, blocks, up_to, late_from, read_at, complete FROM facet_marks WHERE merchant_id = $1`, merchantID)
}

// PutFacetMark implements engine.Tx. The first version is the time, so that a mark that was dropped and made again has no earlier version.
func (t *tx) PutFacetMark(m *facet.Mark) error {
	values := []any{m.Blocks, millis(m.UpTo), millis(m.Late), millis(m.ReadAt), m.Complete, m.MerchantID}
	if m.Version == 0 {
		m.Version = max(millis(t.now), 1)
		return t.insert("insert mark of lists", `INSERT INTO facet_marks (blocks, up_to, late_from, read_at, complete, merchant_id, version, owner, lease_until)
			VALUES ($1, $2, $3, $4, $5, $6, $7, '', 0) ON CONFLICT DO NOTHING`, append(values, m.Version)...)
	}
	n, err := t.expect("update mark of lists", 1, `UPDATE facet_marks SET blocks = $1, up_to = $2, late_from = $3, read_at = $4, complete = $5, version = version + 1
		WHERE merchant_id = $6 AND version = $7`, append(values, m.Version)...)
	if err == nil && n == 0 {
		err = fmt.Errorf("update mark of lists: %w", fault.ErrConflict)
	}
	if err == nil {
		t.raise(&m.Version)
	}
	return err
}

func scanFacet(row scanner) (c facet.Column, err error) {
	var kind int64
	err = row.Scan(&kind, &c.Block, &c.Summary, &c.Data)
	c.Kind = facet.Kind(kind)
	return c, err
}

// FacetSummaries implements engine.Reader.
func (t *tx) FacetSummaries(merchantID string, k facet.Kind) ([]facet.Column, error) {
	return all(t, "read summaries of lists", func(row scanner) (c facet.Column, err error) {
		c.Kind = k
		return c, row.Scan(&c.Block, &c.Summary)
	}, `SELECT block, summary FROM payment_facets WHERE merchant_id = $1 AND kind = $2 ORDER BY block`, merchantID, int64(k))
}

// FacetColumn implements engine.Reader.
func (t *tx) FacetColumn(merchantID string, k facet.Kind, block int64) (facet.Column, error) {
	return one(t, "read a column of lists", scanFacet,
		`SELECT kind, block, summary, data FROM payment_facets WHERE merchant_id = $1 AND kind = $2 AND block = $3`, merchantID, int64(k), block)
}

// PutFacet implements engine.Tx.
func (t *tx) PutFacet(merchantID string, c facet.Column) error {
	return t.put("write a column of lists", `INSERT INTO payment_facets (merchant_id, kind, block, summary, data) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (merchant_id, kind, block) DO UPDATE SET summary = EXCLUDED.summary, data = EXCLUDED.data`,
		merchantID, int64(c.Kind), c.Block, append([]byte{}, c.Summary...), append([]byte{}, c.Data...))
}

// DropFacets implements engine.Tx.
func (t *tx) DropFacets(merchantID string) error {
	for _, table := range []string{"facet_marks", "payment_facets"} {
		if err := t.put("delete columns of lists", `DELETE FROM `+table+` WHERE merchant_id = $1`, merchantID); err != nil {
			return err
		}
	}
	return nil
}

// LeaseFacets implements engine.Tx.
func (t *tx) LeaseFacets(owner string, until time.Time) (bool, error) {
	n, err := t.exec("lease the columns of lists", `INSERT INTO facet_marks (merchant_id, version, blocks, up_to, late_from, read_at, complete, owner, lease_until)
		VALUES ('', 1, 0, 0, 0, 0, $1, $2, $3) ON CONFLICT (merchant_id) DO UPDATE SET owner = EXCLUDED.owner, lease_until = EXCLUDED.lease_until
		WHERE facet_marks.owner = EXCLUDED.owner OR facet_marks.lease_until <= $4`, false, owner, millis(until), millis(t.now))
	return n == 1, err
}

// NextPaid implements engine.Reader.
func (t *tx) NextPaid(merchantID string) (string, error) {
	id, err := one(t, "find the next merchant", func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT merchant_id FROM payments WHERE merchant_id > $1 ORDER BY merchant_id LIMIT 1`, merchantID)
	if errors.Is(err, fault.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// PaymentsFrom implements engine.Reader.
func (t *tx) PaymentsFrom(merchantID string, from, to time.Time, limit int) ([]listed.Scanned, error) {
	where := &conditions{}
	where.add("p.merchant_id = ", merchantID)
	where.add("p.created_at >= ", millis(from))
	where.add("p.created_at < ", millis(to))
	return all(t, "read payments for lists", scanScanned, `SELECT `+scannedColumns+`, NULL, p.details, `+latestColumns+latest+` WHERE `+where.String()+
		` ORDER BY p.created_at, p.seq`+where.limit(limit), where.args...)
}

// LatePayments implements engine.Reader.
func (t *tx) LatePayments(merchantID string, f request.PaymentFilter, since, created time.Time, limit int) ([]facet.LatePayment, error) {
	columns, joined := columnsFor(&f)
	from := ` FROM payments p`
	if joined {
		from = latest
	}
	where := &conditions{list: []string{"p.late_at > 0"}} // the condition of the index, or SQLite does not use it
	where.add("p.merchant_id = ", merchantID)
	where.add("p.late_at >= ", millis(since))
	where.add("p.created_at < ", millis(created))
	return all(t, "read late payments", func(row scanner) (p facet.LatePayment, err error) {
		var at int64
		p.Scanned, err = scanScannedAfter(row, &at)
		p.At = moment(at)
		return p, err
	}, `SELECT p.late_at, `+columns+from+` WHERE `+where.String()+
		` ORDER BY p.late_at`+where.limit(limit), where.args...)
}

// limit returns a LIMIT clause; 0 is no limit.
func (c *conditions) limit(n int) string {
	if n == 0 {
		return ""
	}
	return " LIMIT " + c.place(n)
}

// late returns the time of a change of a payment, 0 while the payment is young.
func (t *tx) late(p *payment.Payment) int64 {
	if t.now.Sub(p.CreatedAt) <= facet.Young {
		return 0
	}
	return millis(t.now)
}
