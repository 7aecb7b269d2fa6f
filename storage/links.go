package storage

import (
	"payswitch/engine/paylink"
)

const linkColumns = `merchant_id, kind, id, profile_id, subject, status, created_at, expires_at, version, details, signature`

var linkRows = signs("links", "merchant_id, kind, id", linkColumns)

func linkValues(l *paylink.Link, details string, version int64) []any {
	return []any{l.MerchantID, string(l.Kind), l.ID, l.ProfileID, l.Subject, string(l.Status), millis(l.CreatedAt), millis(l.ExpiresAt), version, details}
}

func scanLink(row scanner) (*paylink.Link, error) {
	l := new(paylink.Link)
	var kind, status string
	var created, expires int64
	var details []byte
	err := row.Scan(&l.MerchantID, &kind, &l.ID, &l.ProfileID, &l.Subject, &status, &created, &expires, &l.Version, &details)
	if err != nil {
		return nil, err
	}
	l.Kind, l.Status, l.CreatedAt, l.ExpiresAt = paylink.Kind(kind), paylink.Status(status), moment(created), moment(expires)
	return l, decode(details, &l.Details)
}

// InsertLink implements engine.Tx.
func (t *tx) InsertLink(l *paylink.Link) error {
	details, err := encode(&l.Details)
	if err != nil {
		return err
	}
	l.Version = 1
	return t.insert("insert link", `INSERT INTO links (`+linkColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		t.signed(linkRows, linkValues(l, details, l.Version)...)...)
}

// UpdateLinkStatus implements engine.Tx.
func (t *tx) UpdateLinkStatus(l *paylink.Link) error {
	details, err := encode(&l.Details)
	if err != nil {
		return err
	}
	return t.compareAndSet("update link", &l.Version, `SELECT 1 FROM links WHERE merchant_id = $1 AND kind = $2 AND id = $3`,
		[]any{l.MerchantID, string(l.Kind), l.ID}, `UPDATE links SET status = $1, details = $2, version = version + 1, signature = $3
		WHERE merchant_id = $4 AND kind = $5 AND id = $6 AND version = $7`,
		string(l.Status), details, t.signature(linkRows, linkValues(l, details, l.Version+1)), l.MerchantID, string(l.Kind), l.ID, l.Version)
}

// Link implements engine.Reader.
func (t *tx) Link(merchantID string, kind paylink.Kind, id string) (*paylink.Link, error) {
	return one(t, "read link", genuine(t, linkRows, scanLink, "merchant_id", merchantID, "kind", string(kind), "id", id),
		`SELECT `+linkColumns+` FROM links WHERE merchant_id = $1 AND kind = $2 AND id = $3`, merchantID, string(kind), id)
}

// Links implements engine.Reader.
func (t *tx) Links(merchantID, profileID string, kind paylink.Kind, f paylink.Filter) ([]*paylink.Link, error) {
	var where conditions
	where.add("merchant_id = ", merchantID)
	where.add("kind = ", string(kind))
	if profileID != "" {
		where.add("profile_id = ", profileID)
	}
	where.addTime("created_at = ", f.Created, false)
	where.addTime("created_at < ", f.CreatedLT, true)
	where.addTime("created_at > ", f.CreatedGT, false)
	where.addTime("created_at <= ", f.CreatedLTE, false)
	where.addTime("created_at >= ", f.CreatedGTE, true)
	limit := f.Limit
	if limit <= 0 || limit > paylink.MaxListed {
		limit = paylink.MaxListed
	}
	order := " ORDER BY created_at DESC, seq DESC LIMIT " + where.place(limit)
	return all(t, "list links", genuine(t, linkRows, scanLink, "merchant_id", merchantID, "kind", string(kind)),
		`SELECT `+linkColumns+` FROM links WHERE `+where.String()+order, where.args...)
}
