package storage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payswitch/engine/card"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// latest joins the latest attempt of each payment.
const latest = ` FROM payments p LEFT JOIN attempts a ON a.merchant_id = p.merchant_id AND a.id = p.attempt_id`

// wantedPayments returns the conditions of a filter that columns decide, and the tables that they need.
func wantedPayments(merchantID, profileID string, f *request.PaymentFilter) (where *conditions, from string) {
	where, from = &conditions{}, ` FROM payments p`
	where.add("p.merchant_id = ", merchantID)
	for _, c := range []struct{ left, value string }{{"p.profile_id = ", profileID}, {"p.profile_id = ", f.ProfileID}, {"p.id = ", f.PaymentID}} {
		if c.value != "" {
			where.add(c.left, c.value)
		}
	}
	if f.CustomerID != "" {
		where.add("p.customer_id = ", f.CustomerID)
		where.list = append(where.list, "p.customer_id <> ''") // the condition of the index payments_customer
	}
	where.addTime("p.created_at >= ", f.From, true)
	where.addTime("p.created_at <= ", f.To, false)
	if f.MinAmount != nil {
		where.add("p.amount >= ", *f.MinAmount)
	}
	if f.MaxAmount != nil {
		where.add("p.amount <= ", *f.MaxAmount)
	}
	where.addAny("p.currency", f.Currencies)
	if f.Exceptional() {
		where.addAny("p.rare_status", f.Statuses)
		where.list = append(where.list, "p.rare_status <> ''") // the condition of the index payments_rare, or SQLite does not use the index
	} else {
		where.addAny("p.status", f.Statuses)
	}
	if len(f.Connectors)+len(f.Accounts) > 0 {
		from = latest
		where.addAny("a.connector", f.Connectors)
		where.addAny("a.account_id", f.Accounts)
	}
	return where, from
}

// FindPayments implements engine.Reader.
func (t *tx) FindPayments(merchantID, profileID string, f request.PaymentFilter) ([]*payment.Payment, error) {
	where, from := wantedPayments(merchantID, profileID, &f)
	columns := "p." + strings.Join(append(slices.Clone(paymentRows.columns), "signature"), ", p.")
	way := " DESC"
	if f.Ascending {
		way = ""
	}
	page := " ORDER BY p.created_at" + way + ", p.seq" + way + " LIMIT " + where.place(max(f.Limit, 1))
	page += " OFFSET " + where.place(max(f.Offset, 0))
	return all(t, "find payments", genuine(t, paymentRows, scanPayment, "merchant_id", merchantID), `SELECT `+columns+from+` WHERE `+where.String()+page, where.args...)
}

// PaymentTotal implements engine.Reader.
func (t *tx) PaymentTotal(merchantID, profileID string, f request.PaymentFilter) (int, error) {
	where, from := wantedPayments(merchantID, profileID, &f)
	return one(t, "count payments", scanCount, `SELECT count(*)`+from+` WHERE `+where.String(), where.args...)
}

// ScanPayments implements engine.Reader.
func (t *tx) ScanPayments(merchantID, profileID string, f request.PaymentFilter, behind *listed.Place, window int) ([]listed.Scanned, *listed.Place, error) {
	end, err := t.windowEnd(merchantID, &f, behind, window)
	if err != nil {
		return nil, nil, err
	}
	list, err := eachStatus(f, scannedPlace, func(f request.PaymentFilter) ([]listed.Scanned, error) {
		return t.scanned(merchantID, profileID, f, behind, end, 0)
	})
	return list, end, err
}

// PaymentsBehind implements engine.Reader.
func (t *tx) PaymentsBehind(merchantID, profileID string, f request.PaymentFilter, behind *listed.Place, limit int) ([]listed.Scanned, error) {
	limit = max(limit, 1)
	list, err := eachStatus(f, scannedPlace, func(f request.PaymentFilter) ([]listed.Scanned, error) {
		return t.scanned(merchantID, profileID, f, behind, nil, limit)
	})
	return list[:min(len(list), limit)], err
}

func scannedPlace(s listed.Scanned) listed.Place { return s.Place }

// eachStatus calls find for each of the exceptional statuses of a filter, and returns all results, newest first. The index is in the list's order within
// one status: a statement for several would read and sort all their payments. For other filters it calls find once.
func eachStatus[T any](f request.PaymentFilter, place func(T) listed.Place, find func(request.PaymentFilter) ([]T, error)) (list []T, err error) {
	if len(f.Statuses) < 2 || !f.Exceptional() {
		return find(f)
	}
	for _, status := range slices.Compact(slices.Sorted(slices.Values(f.Statuses))) {
		f.Statuses = []string{status}
		more, err := find(f)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortFunc(list, func(a, b T) int {
		p, q := place(a), place(b)
		return cmp.Or(q.CreatedAt.Compare(p.CreatedAt), cmp.Compare(q.Seq, p.Seq))
	})
	return list, nil
}

// scannedColumns are the columns that scanScanned reads first. What follows are sealed, details, and latestColumns.
const (
	scannedColumns = `p.seq, p.created_at, p.modified_at, p.merchant_id, p.id, p.profile_id, p.status, p.currency, p.amount, p.attempt_count`
	latestColumns  = `COALESCE(a.connector, ''), COALESCE(a.account_id, ''), COALESCE(a.details, '')`
)

// columnsFor returns the columns that scanScanned reads for a filter. joined is true if they need the latest attempt.
func columnsFor(f *request.PaymentFilter) (columns string, joined bool) {
	details, attempt, sealed := "''", "'', '', ''", "NULL"
	if f.Documents || len(f.AuthenticationTypes) > 0 || f.OrderReference != "" {
		details = "p.details"
	}
	if f.Documents || len(f.Connectors)+len(f.Accounts)+len(f.Methods)+len(f.MethodTypes)+len(f.Networks)+len(f.Discoveries) > 0 {
		joined, attempt = true, latestColumns
	}
	if f.Email != "" || f.Sealed {
		sealed = "p.sealed"
	}
	return scannedColumns + ", " + sealed + ", " + details + ", " + attempt, joined
}

// scanned lists the payments behind a place, up to the place end if it is not nil, and at most limit unless that is 0.
func (t *tx) scanned(merchantID, profileID string, f request.PaymentFilter, behind, end *listed.Place, limit int) ([]listed.Scanned, error) {
	where, from := wantedPayments(merchantID, profileID, &f)
	if behind != nil {
		where.add("(p.created_at, p.seq) < ", millis(behind.CreatedAt), behind.Seq)
	}
	if end != nil {
		where.add("(p.created_at, p.seq) >= ", millis(end.CreatedAt), end.Seq)
	}
	columns, joined := columnsFor(&f)
	if joined {
		from = latest
	}
	last := ""
	if limit > 0 {
		last = " LIMIT " + where.place(limit)
	}
	return all(t, "scan payments", scanScanned, `SELECT `+columns+from+` WHERE `+where.String()+` ORDER BY p.created_at DESC, p.seq DESC`+last, where.args...)
}

// searched are the parts of documents that lists filter by. Reading the whole documents would take several times as long.
type searched struct {
	AuthenticationType payment.AuthenticationType `json:"authentication_type"`
	OrderReference     string                     `json:"order_reference"`
}

type searchedAttempt struct {
	PaymentMethod     string `json:"payment_method"`
	PaymentMethodType string `json:"payment_method_type"`
	CardDiscovery     string `json:"card_discovery"`
	Card              *struct {
		Network  sdk.CardNetwork `json:"network"`
		LastFour string          `json:"last_four"`
	} `json:"card"`
}

// windowEnd returns the place of the last of the next payments that a scan looks at; nil if they are fewer than window. An index alone finds it: of
// exceptional statuses, or else of all payments.
func (t *tx) windowEnd(merchantID string, f *request.PaymentFilter, behind *listed.Place, window int) (end *listed.Place, err error) {
	of := request.PaymentFilter{PaymentID: f.PaymentID, CustomerID: f.CustomerID, From: f.From, To: f.To}
	if f.Exceptional() && f.PaymentID == "" && f.CustomerID == "" {
		of.Statuses = f.Statuses
	}
	rows, skipped := 1, window-1
	if len(of.Statuses) > 1 { // the last of all of them is found once all are there
		rows, skipped = window, 0
	}
	list, err := eachStatus(of, func(p listed.Place) listed.Place { return p }, func(one request.PaymentFilter) ([]listed.Place, error) {
		where, _ := wantedPayments(merchantID, "", &one)
		if behind != nil {
			where.add("(p.created_at, p.seq) < ", millis(behind.CreatedAt), behind.Seq)
		}
		return all(t, "find the end of a window", func(row scanner) (p listed.Place, err error) {
			var created int64
			err = row.Scan(&created, &p.Seq)
			p.CreatedAt = moment(created)
			return p, err
		}, `SELECT p.created_at, p.seq FROM payments p WHERE `+where.String()+` ORDER BY p.created_at DESC, p.seq DESC LIMIT `+where.place(rows)+` OFFSET `+where.place(skipped), where.args...)
	})
	if err != nil || len(list) < rows {
		return nil, err
	}
	return &list[rows-1], nil
}

func scanScanned(row scanner) (listed.Scanned, error) { return scanScannedAfter(row) }

// scanScannedAfter scans more columns before those of a scanned payment.
func scanScannedAfter(row scanner, more ...any) (s listed.Scanned, err error) {
	s.Payment = new(payment.Payment)
	p := s.Payment
	var created, modified int64
	var status, currency string
	var details, attempt []byte
	err = row.Scan(append(more, &s.Place.Seq, &created, &modified, &p.MerchantID, &p.ID, &p.ProfileID, &status, &currency, &p.Amount, &p.AttemptCount, &p.Sealed,
		&details, &s.Connector, &s.AccountID, &attempt)...)
	if err != nil {
		return s, err
	}
	p.Status, p.Currency, p.CreatedAt, p.ModifiedAt = payment.Status(status), sdk.Currency(currency), moment(created), moment(modified)
	s.Place.CreatedAt = p.CreatedAt
	if len(details) > 0 {
		var d searched
		if err := decode(details, &d); err != nil {
			return s, err
		}
		p.Details.AuthenticationType, p.Details.OrderReference = d.AuthenticationType, d.OrderReference
	}
	if len(attempt) == 0 {
		return s, nil
	}
	var a searchedAttempt
	if err := decode(attempt, &a); err != nil {
		return s, err
	}
	s.Attempt.PaymentMethod, s.Attempt.PaymentMethodType, s.Attempt.CardDiscovery = a.PaymentMethod, a.PaymentMethodType, a.CardDiscovery
	if a.Card != nil {
		s.Attempt.Card = &card.Facts{Network: a.Card.Network, LastFour: a.Card.LastFour}
	}
	return s, nil
}

// PaymentCounts implements engine.Reader.
func (t *tx) PaymentCounts(merchantID, profileID string, from, to time.Time) ([]listed.Count, error) {
	where, tables := wantedPayments(merchantID, profileID, &request.PaymentFilter{From: from, To: to})
	return all(t, "count payments by status", func(row scanner) (c listed.Count, err error) {
		var status string
		err = row.Scan(&status, &c.N)
		c.Status = payment.Status(status)
		return c, err
	}, `SELECT p.status, count(*)`+tables+` WHERE `+where.String()+` GROUP BY p.status ORDER BY p.status`, where.args...)
}
