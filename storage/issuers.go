package storage

import (
	"unicode/utf8"

	"payswitch/engine/risk"
)

const issuerColumns = `id, name, folded, created_at, modified_at, signature`

var issuerRows = signs("card_issuers", "id", issuerColumns)

func issuerValues(i *risk.Issuer) []any {
	return []any{i.ID, i.Name, i.Folded, millis(i.CreatedAt), millis(i.ModifiedAt)}
}

func scanIssuer(row scanner) (*risk.Issuer, error) {
	i := new(risk.Issuer)
	var created, modified int64
	err := row.Scan(&i.ID, &i.Name, &i.Folded, &created, &modified)
	i.CreatedAt, i.ModifiedAt = moment(created), moment(modified)
	return i, err
}

// InsertIssuer implements engine.Tx.
func (t *tx) InsertIssuer(i *risk.Issuer) error {
	return t.insert("insert card issuer", `INSERT INTO card_issuers (`+issuerColumns+`) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		t.signed(issuerRows, issuerValues(i)...)...)
}

// UpdateIssuer implements engine.Tx.
func (t *tx) UpdateIssuer(i *risk.Issuer) error {
	return t.change("update card issuer", `UPDATE card_issuers SET name = $1, folded = $2, created_at = $3, modified_at = $4, signature = $5 WHERE id = $6`,
		i.Name, i.Folded, millis(i.CreatedAt), millis(i.ModifiedAt), t.signature(issuerRows, issuerValues(i)), i.ID)
}

// DeleteIssuer implements engine.Tx.
func (t *tx) DeleteIssuer(id string) error {
	return t.change("delete card issuer", `DELETE FROM card_issuers WHERE id = $1`, id)
}

// Issuer implements engine.Reader.
func (t *tx) Issuer(id string) (*risk.Issuer, error) {
	return one(t, "read card issuer", genuine(t, issuerRows, scanIssuer, "id", id), `SELECT `+issuerColumns+` FROM card_issuers WHERE id = $1`, id)
}

// IssuersNamed implements engine.Reader.
func (t *tx) IssuersNamed(folded string) ([]*risk.Issuer, error) {
	return all(t, "look up card issuers", genuine(t, issuerRows, scanIssuer, "folded", folded),
		`SELECT `+issuerColumns+` FROM card_issuers WHERE folded = $1 ORDER BY name`, folded)
}

// Issuers implements engine.Reader.
func (t *tx) Issuers(prefix string, limit int) ([]*risk.Issuer, error) {
	return all(t, "list card issuers", genuine(t, issuerRows, scanIssuer),
		`SELECT `+issuerColumns+` FROM card_issuers WHERE substr(folded, 1, $1) = $2 ORDER BY folded, name LIMIT $3`, utf8.RuneCountInString(prefix), prefix, limit)
}
