package storage

import (
	"errors"
	"fmt"
	"time"

	"payswitch/engine/facet"
	"payswitch/engine/fault"
	"payswitch/engine/listed"
	"payswitch/engine/request"
)

// FacetMark implements engine.Reader.
func (t *tx) FacetMark(l facet.List, merchantID string) (*facet.Mark, error) {
	return one(t, "read how far lists are", func(row scanner) (*facet.Mark, error) {
		m := &facet.Mark{MerchantID: merchantID, List: l}
		var upTo, late, read int64
		var indexed int64
		err := row.Scan(&m.Version, &m.Blocks, &upTo, &late, &read, &m.Complete, &indexed)
		m.Indexed = indexed == m.Version
		m.UpTo, m.Late, m.ReadAt = moment(upTo), moment(late), moment(read)
		return m, err
	}, `SELECT version, blocks, up_to, late_from, read_at, complete, indexed FROM facet_marks WHERE merchant_id = $1 AND list = $2`, merchantID, int64(l))
}

// PutFacetMark implements engine.Tx. The first version is the time, so a mark that was dropped and made again has a higher version than before.
func (t *tx) PutFacetMark(m *facet.Mark) error {
	values := []any{m.Blocks, millis(m.UpTo), millis(m.Late), millis(m.ReadAt), m.Complete, m.MerchantID, int64(m.List)}
	if m.Version == 0 {
		m.Version = max(millis(t.now), 1)
		return t.insert("insert mark of lists", `INSERT INTO facet_marks (blocks, up_to, late_from, read_at, complete, merchant_id, list, version, indexed, owner, lease_until)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, '', 0) ON CONFLICT DO NOTHING`, append(values, m.Version)...)
	}
	n, err := t.expect("update mark of lists", 1, `UPDATE facet_marks SET blocks = $1, up_to = $2, late_from = $3, read_at = $4, complete = $5, version = version + 1,
		indexed = version + 1
		WHERE merchant_id = $6 AND list = $7 AND version = $8`, append(values, m.Version)...)
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
func (t *tx) FacetSummaries(l facet.List, merchantID string, k facet.Kind, from int64) ([]facet.Column, error) {
	return all(t, "read summaries of lists", func(row scanner) (c facet.Column, err error) {
		c.Kind = k
		return c, row.Scan(&c.Block, &c.Summary)
	}, `SELECT block, summary FROM facets WHERE merchant_id = $1 AND list = $2 AND kind = $3 AND block >= $4 ORDER BY block`,
		merchantID, int64(l), int64(k), from)
}

// FacetColumn implements engine.Reader.
func (t *tx) FacetColumn(l facet.List, merchantID string, k facet.Kind, block int64) (facet.Column, error) {
	return one(t, "read a column of lists", scanFacet,
		`SELECT kind, block, summary, data FROM facets WHERE merchant_id = $1 AND list = $2 AND kind = $3 AND block = $4`,
		merchantID, int64(l), int64(k), block)
}

// FacetColumns implements engine.Reader.
func (t *tx) FacetColumns(l facet.List, merchantID string, k facet.Kind, from, to int64) ([]facet.Column, error) {
	return all(t, "read columns of lists", scanFacet,
		`SELECT kind, block, summary, data FROM facets WHERE merchant_id = $1 AND list = $2 AND kind = $3 AND block >= $4 AND block <= $5 ORDER BY block`,
		merchantID, int64(l), int64(k), from, to)
}

// PutFacet implements engine.Tx.
func (t *tx) PutFacet(l facet.List, merchantID string, c facet.Column) error {
	return t.put("write a column of lists", `INSERT INTO facets (merchant_id, list, kind, block, summary, data) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (merchant_id, list, kind, block) DO UPDATE SET summary = EXCLUDED.summary, data = EXCLUDED.data`,
		merchantID, int64(l), int64(c.Kind), c.Block, append([]byte{}, c.Summary...), append([]byte{}, c.Data...))
}

// DropFacets implements engine.Tx.
func (t *tx) DropFacets(l facet.List, merchantID string) error {
	for _, table := range []string{"facet_marks", "facets"} {
		if err := t.put("delete columns of lists", `DELETE FROM `+table+` WHERE merchant_id = $1 AND list = $2`, merchantID, int64(l)); err != nil {
			return err
		}
	}
	return nil
}

// DropFacetIndexes implements engine.Tx.
func (t *tx) DropFacetIndexes(l facet.List, merchantID string) error {
	return t.put("delete indexes of lists", `DELETE FROM facets WHERE merchant_id = $1 AND list = $2 AND kind >= $3`, merchantID, int64(l), int64(facet.FirstIndex))
}

// LeaseFacets implements engine.Tx.
func (t *tx) LeaseFacets(owner string, until time.Time) (bool, error) {
	n, err := t.exec("lease the columns of lists", `INSERT INTO facet_marks (merchant_id, list, version, blocks, up_to, late_from, read_at, complete, owner, lease_until)
		VALUES ('', $5, 1, 0, 0, 0, 0, $1, $2, $3) ON CONFLICT (merchant_id, list) DO UPDATE SET owner = EXCLUDED.owner, lease_until = EXCLUDED.lease_until
		WHERE facet_marks.owner = EXCLUDED.owner OR facet_marks.lease_until <= $4`, false, owner, millis(until), millis(t.now), int64(facet.Payments))
	return n == 1, err
}

// facetTables are the tables of the lists, and the columns of a dispute that a refund does not have.
var facetTables = map[facet.List]struct{ name, stage, reason string }{facet.Payments: {name: "payments"}, facet.Refunds: {"refunds", "''", "''"},
	facet.Disputes: {"disputes", "stage", "reason"}}

// NextListed implements engine.Reader.
func (t *tx) NextListed(l facet.List, merchantID string) (string, error) {
	id, err := one(t, "find the next merchant", func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT merchant_id FROM `+facetTables[l].name+` WHERE merchant_id > $1 ORDER BY merchant_id LIMIT 1`, merchantID)
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
	return all(t, "read payments for lists", scanScanned, `SELECT `+scannedColumns+`, p.sealed, p.details, `+latestColumns+latest+` WHERE `+where.String()+
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
		` ORDER BY p.late_at, p.seq`+where.limit(limit), where.args...)
}

// FacetRows implements engine.Reader.
func (t *tx) FacetRows(l facet.List, merchantID string, from, to time.Time, limit int) ([]facet.Row, error) {
	where := &conditions{}
	where.add("merchant_id = ", merchantID)
	where.add("created_at >= ", millis(from))
	if !to.IsZero() {
		where.add("created_at < ", millis(to))
	}
	rows, err := t.facetRows(l, where, " ORDER BY created_at, seq"+where.limit(limit))
	out := make([]facet.Row, len(rows))
	for i := range rows {
		out[i] = rows[i].Row
	}
	return out, err
}

// LateFacetRows implements engine.Reader.
func (t *tx) LateFacetRows(l facet.List, merchantID string, since, created time.Time, limit int) ([]facet.LateRow, error) {
	where := &conditions{list: []string{"late_at > 0"}} // the condition of the index, or SQLite does not use it
	where.add("merchant_id = ", merchantID)
	where.add("late_at >= ", millis(since))
	where.add("created_at < ", millis(created))
	return t.facetRows(l, where, " ORDER BY late_at, seq"+where.limit(limit))
}

func (t *tx) facetRows(l facet.List, where *conditions, last string) ([]facet.LateRow, error) {
	table := facetTables[l]
	return all(t, "read rows for lists", func(row scanner) (out facet.LateRow, err error) {
		var r facet.Record
		var created, late int64
		err = row.Scan(&r.Place.Seq, &created, &late, &r.Amount, &r.Status, &r.Currency, &r.Connector, &r.AccountID, &r.ProfileID, &r.Stage, &r.Reason)
		r.Place.CreatedAt, out.At = moment(created), moment(late)
		out.Row = facet.RecordRow(r)
		return out, err
	}, `SELECT seq, created_at, late_at, amount, status, currency, connector, account_id, profile_id, `+table.stage+`, `+table.reason+
		` FROM `+table.name+` WHERE `+where.String()+last, where.args...)
}

// limit returns a LIMIT clause; 0 is no limit.
func (c *conditions) limit(n int) string {
	if n == 0 {
		return ""
	}
	return " LIMIT " + c.place(n)
}

// late returns the time of a change of a row, 0 while the row is young.
func (t *tx) late(created time.Time) int64 {
	if t.now.Sub(created) <= facet.Young {
		return 0
	}
	return millis(t.now)
}
