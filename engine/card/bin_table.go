package card

import (
	"cmp"
	"container/heap"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// BINTable returns a card's network, kind, issuer and country for the first digits of its number. It holds the ranges that an operator has
// loaded; the few built-in ranges fill the gaps. Read it with ReadBINTable. A BINTable does not change and is safe for concurrent use. A nil
// table has only the built-in ranges.
type BINTable struct {
	starts []int64     // starts of stretches with equal facts, ascending, as numbers of binDigits digits
	known  []*binFacts // facts of each stretch, nil for no facts
}

// binDigits is the number of leading digits that the table compares. ISO/IEC 7812-1 has identification numbers of 8; some tables split
// further.
const binDigits = 12

// binNetworks are the schemes' names in tables, without spaces and in capitals.
var binNetworks = map[string]sdk.CardNetwork{
	"VISA": sdk.Visa, "MASTERCARD": sdk.Mastercard, "AMEX": sdk.AmericanExpress, "AMERICANEXPRESS": sdk.AmericanExpress,
	"JCB": sdk.JCB, "DINERS": sdk.DinersClub, "DINERSCLUB": sdk.DinersClub, "DINERSCLUBINTERNATIONAL": sdk.DinersClub,
	"DISCOVER": sdk.Discover, "CARTESBANCAIRES": sdk.CartesBancaires, "CB": sdk.CartesBancaires, "UNIONPAY": sdk.UnionPay,
	"CHINAUNIONPAY": sdk.UnionPay, "INTERAC": sdk.Interac, "RUPAY": sdk.RuPay, "MAESTRO": sdk.Maestro, "STAR": sdk.Star,
	"PULSE": sdk.Pulse, "ACCEL": sdk.Accel, "NYCE": sdk.Nyce,
}

// ReadBINTable reads a table as CSV in UTF-8. Its first line names the columns, in any order. ReadBINTable ignores other columns than these:
//
//	iin_start     first digits of the range, 4–12 (required)
//	iin_end       last of the range, with as many digits; empty: the same as iin_start
//	scheme        visa, mastercard, amex …; cartes bancaires/visa for a co-badged card
//	type          credit, debit or prepaid
//	prepaid       yes, true or 1: prepaid, whatever type says
//	bank_name     the issuer
//	subtype       kind of the product, such as SMALLCORPORATE
//	country       ISO 3166-1 alpha-2
//	country_name  name of the country for answers; empty: country
//
// These are the columns of ranges.csv of the public list at https://github.com/binlist/data, country_name and subtype. A value that is empty, or that
// payswitch does not know, stays unknown. If ranges overlap, the narrowest counts; of equal ranges, the last.
func ReadBINTable(r io.Reader) (*BINTable, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	header, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("read BIN table: first line: %w", err)
	}
	column := map[string]int{}
	for i, name := range header {
		column[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	if _, ok := column["iin_start"]; !ok {
		return nil, errors.New("read BIN table: the first line must name the columns, iin_start among them")
	}
	var ranges []factsRange
	for {
		record, err := c.Read()
		if err == io.EOF {
			return newBINTable(ranges), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read BIN table: %w", err)
		}
		line, _ := c.FieldPos(0)
		field := func(name string) string {
			if i, ok := column[name]; ok && i < len(record) {
				return strings.TrimSpace(record[i])
			}
			return ""
		}
		n, err := readFactsRange(field)
		if err != nil {
			return nil, fmt.Errorf("read BIN table: line %d: %w", line, err)
		}
		n.order = len(ranges)
		ranges = append(ranges, n)
	}
}

// factsRange holds the facts of numbers that begin with start to end, both of binDigits digits.
type factsRange struct {
	start, end int64
	order      int
	facts      *binFacts
}

func readFactsRange(field func(string) string) (n factsRange, err error) {
	first, last := field("iin_start"), field("iin_end")
	if last == "" {
		last = first
	}
	if n.start, err = padded("iin_start", first, "0"); err != nil {
		return n, err
	}
	if n.end, err = padded("iin_end", last, "9"); err != nil {
		return n, err
	}
	if len(first) != len(last) || n.end < n.start {
		return n, fmt.Errorf("iin_end %q does not fit iin_start %q: it must have as many digits and not be smaller", last, first)
	}
	f := &binFacts{Issuer: field("bank_name"), Subtype: strings.ToUpper(field("subtype"))}
	f.Network, f.Other = networksOf(field("scheme"))
	switch kind := strings.ToUpper(field("type")); kind {
	case "CREDIT", "DEBIT", "PREPAID":
		f.Type = kind
	}
	switch strings.ToLower(field("prepaid")) {
	case "yes", "y", "true", "1":
		f.Type = "PREPAID"
	}
	code := strings.ToUpper(field("country"))
	if code != "" && (len(code) != 2 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		return n, fmt.Errorf("country %q is not an ISO 3166-1 alpha-2 code", code)
	}
	f.CountryCode, f.Country = code, cmp.Or(field("country_name"), code)
	n.facts = f
	return n, nil
}

// padded returns the number of binDigits digits that begins with digits and ends with fill.
func padded(name, digits, fill string) (int64, error) {
	if len(digits) < 4 || len(digits) > binDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%s %q is not the beginning of a card number: 4 to %d digits", name, digits, binDigits)
	}
	return strconv.ParseInt(digits+strings.Repeat(fill, binDigits-len(digits)), 10, 64)
}

// newBINTable cuts the ranges into stretches that do not overlap.
func newBINTable(ranges []factsRange) *BINTable {
	slices.SortStableFunc(ranges, func(a, b factsRange) int { return cmp.Compare(a.start, b.start) })
	var edges []int64
	for _, r := range ranges {
		edges = append(edges, r.start, r.end+1)
	}
	slices.Sort(edges)
	t := &BINTable{}
	var open narrowest
	for _, at := range slices.Compact(edges) {
		for len(ranges) > 0 && ranges[0].start == at {
			heap.Push(&open, ranges[0])
			ranges = ranges[1:]
		}
		for len(open) > 0 && open[0].end < at {
			heap.Pop(&open)
		}
		var f *binFacts
		if len(open) > 0 {
			f = open[0].facts
		}
		t.starts, t.known = append(t.starts, at), append(t.known, f)
	}
	return t
}

// narrowest is a heap of ranges. The range that counts comes first.
type narrowest []factsRange

func (h narrowest) Len() int { return len(h) }
func (h narrowest) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(cmp.Compare(a.end-a.start, b.end-b.start), cmp.Compare(b.order, a.order)) < 0
}
func (h narrowest) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *narrowest) Push(v any)   { *h = append(*h, v.(factsRange)) }
func (h *narrowest) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// facts looks up a number's first digits in the table. The built-in ranges fill the fields that the table leaves open.
func (t *BINTable) facts(number string) binFacts {
	known := factsOfBIN(number)
	if t == nil || len(number) < 6 {
		return known
	}
	if len(number) > binDigits {
		number = number[:binDigits]
	}
	n, err := strconv.ParseInt(number+strings.Repeat("0", binDigits-len(number)), 10, 64)
	if err != nil {
		return known
	}
	i, exact := slices.BinarySearch(t.starts, n)
	if !exact {
		i--
	}
	if i < 0 || t.known[i] == nil {
		return known
	}
	f := *t.known[i]
	f.Network, f.Type, f.Issuer = cmp.Or(f.Network, known.Network), cmp.Or(f.Type, known.Type), cmp.Or(f.Issuer, known.Issuer)
	f.Subtype = cmp.Or(f.Subtype, known.Subtype)
	if f.Other == "" && f.Network == known.Network {
		f.Other = known.Other
	}
	if f.CountryCode == "" {
		f.Country, f.CountryCode = known.Country, known.CountryCode
	}
	return f
}

// Record are the facts of an issuer's range that rules of risk compare. An unknown fact is "".
type Record struct {
	CountryCode string // ISO 3166-1 alpha-2
	Type        string // CREDIT, DEBIT or PREPAID
	Subtype     string // in capitals
	Issuer      string // name
}

// Record returns what is known of a number's issuer. It returns false for a number whose network alone is known.
func (t *BINTable) Record(number string) (Record, bool) {
	f := t.facts(number)
	r := Record{f.CountryCode, f.Type, f.Subtype, f.Issuer}
	return r, r != Record{}
}
