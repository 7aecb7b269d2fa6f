package facet

import (
	"cmp"
	"slices"
	"time"

	"payswitch/engine/listed"
)

// Row is what lists filter a payment, refund or dispute by.
type Row struct {
	Numbers [numbers]int64
	Words   [words]string
}

// Word returns a pointer to the value of a kind of words.
func (r *Row) Word(k Kind) *string { return &r.Words[k-firstWord] }

// Place returns the row's place in its list.
func (r *Row) Place() listed.Place {
	return listed.Place{CreatedAt: time.UnixMilli(r.Numbers[Created]).UTC(), Seq: r.Numbers[Seq]}
}

// Record is what lists filter a refund or dispute by.
type Record struct {
	Place                                             listed.Place
	Amount                                            int64
	Status, Currency, Connector, AccountID, ProfileID string
	Stage, Reason                                     string // of a dispute
}

// RecordRow returns the row of a refund or dispute.
func RecordRow(r Record) (row Row) {
	row.Numbers[Created], row.Numbers[Seq], row.Numbers[Amount] = r.Place.CreatedAt.UnixMilli(), r.Place.Seq, r.Amount
	for k, v := range map[Kind]string{Status: r.Status, Currency: r.Currency, Connector: r.Connector, Account: r.AccountID, Profile: r.ProfileID,
		Stage: r.Stage, Reason: r.Reason} {
		*row.Word(k) = v
	}
	return row
}

// RowOf returns the row of a payment that was scanned with its documents. email is its number of the kind Email.
func RowOf(p *listed.Scanned, email int64) Row {
	a, d := &p.Attempt, &p.Payment.Details
	four, network := "", ""
	if a.Card != nil {
		four, network = a.Card.LastFour, string(a.Card.Network)
	}
	return Row{
		Numbers: [numbers]int64{Created: p.Place.CreatedAt.UnixMilli(), Seq: p.Place.Seq, Amount: p.Payment.Amount,
			Attempts: int64(p.Payment.AttemptCount), LastFour: lastFour(four), Order: OrderHash(d.OrderReference), Email: email},
		Words: [words]string{Status - firstWord: string(p.Payment.Status), Currency - firstWord: string(p.Payment.Currency), Connector - firstWord: p.Connector,
			Account - firstWord: p.AccountID, Profile - firstWord: p.Payment.ProfileID, Method - firstWord: a.PaymentMethod,
			MethodType - firstWord: a.PaymentMethodType, Authentication - firstWord: string(d.AuthenticationType), Network - firstWord: network,
			Discovery - firstWord: a.CardDiscovery},
	}
}

// sortRows sorts by place.
func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Numbers[Created], b.Numbers[Created]), cmp.Compare(a.Numbers[Seq], b.Numbers[Seq]))
	})
}

// encode makes the columns of a block.
func encode(block int64, rows []Row) []Column {
	out := make([]Column, kinds)
	values, texts := make([]int64, len(rows)), make([]string, len(rows))
	for k := range kinds {
		c := &out[k]
		c.Kind, c.Block = Kind(k), block
		if c.Kind < firstWord {
			for i := range rows {
				values[i] = rows[i].Numbers[k]
			}
			c.Summary, c.Data = encodeNumbers(values)
			continue
		}
		for i := range rows {
			texts[i] = *rows[i].Word(c.Kind)
		}
		c.Summary, c.Data = encodeWords(texts)
	}
	return out
}

// decode is the reverse of encode.
func decode(columns []Column) ([]Row, error) {
	if len(columns) != kinds {
		return nil, ErrSpoiled
	}
	var rows []Row
	seen := [kinds]bool{}
	for _, c := range columns {
		if c.Kind < 0 || int(c.Kind) >= kinds || seen[c.Kind] {
			return nil, ErrSpoiled
		}
		seen[c.Kind] = true
		var n int
		var set func(i int)
		if c.Kind < firstWord {
			v, err := decodeNumbers(c)
			if err != nil {
				return nil, err
			}
			n, set = v.n, func(i int) { rows[i].Numbers[c.Kind] = v.at(i) }
		} else {
			v, err := decodeWords(c)
			if err != nil {
				return nil, err
			}
			n, set = v.n, func(i int) { *rows[i].Word(c.Kind) = v.values[v.code(i)] }
		}
		if rows == nil {
			rows = make([]Row, n)
		}
		if len(rows) != n {
			return nil, ErrSpoiled
		}
		for i := range rows {
			set(i)
		}
	}
	return rows, nil
}
