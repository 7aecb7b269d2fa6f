package facet

import (
	"cmp"
	"math"
	"slices"
	"time"

	"payswitch/engine/listed"
)

// Query selects payments in blocks.
type Query struct {
	words   [words][]string // nil: any
	numbers [numbers]*bounds
	behind  *listed.Place
	except  map[int64]int64 // payments that do not count: Seq and Unix milliseconds of the creation
}

type bounds struct{ low, high int64 }

// Is selects payments that have one of the values in a kind of words. No value may be empty. Called again for the same kind it selects those with
// both.
func (q *Query) Is(k Kind, values []string) {
	if len(values) == 0 {
		return
	}
	w := &q.words[k-firstWord]
	if *w == nil {
		*w = slices.Clone(values)
		return
	}
	*w = slices.DeleteFunc(*w, func(v string) bool { return !slices.Contains(values, v) })
}

// Between selects payments whose number is in a range, both ends inclusive.
func (q *Query) Between(k Kind, low, high int64) {
	if b := q.numbers[k]; b != nil {
		low, high = max(low, b.low), min(high, b.high)
	}
	q.numbers[k] = &bounds{low, high}
}

// From selects payments that were created at a time or later; the zero time is any.
func (q *Query) From(at time.Time) {
	if at.IsZero() {
		return
	}
	ms := at.UnixMilli()
	if at.After(time.UnixMilli(ms)) {
		ms++
	}
	q.Between(Created, ms, math.MaxInt64)
}

// To selects payments that were created at a time or before; the zero time is any.
func (q *Query) To(at time.Time) {
	if !at.IsZero() {
		q.Between(Created, math.MinInt64, at.UnixMilli())
	}
}

// Behind selects payments that were created before the one at a place; nil is any. Called again it selects those before both.
func (q *Query) Behind(p *listed.Place) {
	if b := q.behind; p != nil && (b == nil || p.CreatedAt.Before(b.CreatedAt) || p.CreatedAt.Equal(b.CreatedAt) && p.Seq < b.Seq) {
		q.behind = p
	}
}

// LastFour selects payments by the last four digits of their card.
func (q *Query) LastFour(digits string) {
	n := lastFour(digits)
	q.Between(LastFour, n, n)
}

// Except leaves a payment out.
func (q *Query) Except(p listed.Place) {
	if q.except == nil {
		q.except = map[int64]int64{}
	}
	q.except[p.Seq] = p.CreatedAt.UnixMilli()
}

// Matches reports whether a row has what the query selects. Behind and Except have no effect.
func (q *Query) Matches(r *Row) bool {
	for k, b := range q.numbers {
		if b != nil && (r.Numbers[k] < b.low || r.Numbers[k] > b.high) {
			return false
		}
	}
	for k, values := range q.words {
		if values != nil && !slices.Contains(values, r.Words[k]) {
			return false
		}
	}
	return true
}

// Hit is a payment that was found, with the number that it is sorted by.
type Hit struct {
	Place listed.Place
	Value int64
}

// span is what summaries say of a block.
type span struct {
	block    int64
	n, count int // all payments, and those that match if exact is true
	from, to int64
	narrow   []Kind // the values of these kinds decide
	cut      bool   // time, place or exceptions leave a part of the block out
	counted  bool   // an index says how many match
	group    *amountGroup
}

// exact reports whether the summaries say how many payments match.
func (s *span) exact() bool {
	return !s.cut && (len(s.narrow) == 0 || s.counted || len(s.narrow) == 1 && s.narrow[0] >= firstWord)
}

// least returns the least number of payments that can match.
func (s *span) least() int {
	if s.exact() {
		return s.count
	}
	return 0
}

// Finder evaluates queries over the blocks of a merchant's list, within one snapshot. It is used once.
type Finder struct {
	Reader     Reader
	List       List
	MerchantID string
	columns    map[Kind]Column // of block at
	at         int64
	ahead      map[int64]Column // of the kind aheadKind, by block
	aheadKind  Kind
	summaries  []Column // of the kind that Find sorts by
	mark       *Mark
}

// readAhead is the number of blocks whose column is read in one statement.
const readAhead = 32

// Find counts the payments that match, and returns the first of them: at most want. They are sorted by a kind of numbers, and those with the same
// number by time; Created sorts by time. Without ascending the newest or greatest come first.
func (f *Finder) Find(q *Query, order Kind, ascending bool, want int) (hits []Hit, total int, err error) {
	spans, err := f.spans(q)
	if err != nil {
		return nil, 0, err
	}
	if !ascending {
		slices.Reverse(spans)
	}
	var worst *int64 // the number of the last hit that counts, if there are enough
	for i := range spans {
		s := &spans[i]
		full := order == Created && len(hits) >= want
		if g := s.group; g != nil && order == Created {
			if full && !g.done {
				total, g.done = total+g.left, true
			}
			if g.done || g.left == 0 {
				continue
			}
			if s.exact() {
				g.left -= s.count
			}
		}
		if s.exact() && full {
			total += s.count
			continue
		}
		if order != Created && worst != nil { // a later block comes after those with the same number
			if full, err = f.worse(s, order, *worst, ascending); err != nil {
				return nil, 0, err
			}
			if s.exact() && full {
				total += s.count
				continue
			}
		}
		if err := f.readOn(spans[i:], want-len(hits), order == Created); err != nil {
			return nil, 0, err
		}
		chosen, err := f.choose(q, s)
		if err != nil {
			return nil, 0, err
		}
		total += len(chosen)
		if s.group != nil && !s.exact() {
			s.group.left -= len(chosen)
		}
		if full || len(chosen) == 0 {
			continue
		}
		found, err := f.hits(s, chosen, order)
		if err != nil {
			return nil, 0, err
		}
		if !ascending {
			slices.Reverse(found)
		}
		if worst != nil {
			found = slices.DeleteFunc(found, func(h Hit) bool { return h.Value == *worst || h.Value < *worst != ascending })
		}
		hits = append(hits, found...)
		if order != Created && len(hits) >= 2*want && want > 0 {
			hits = First(hits, want, ascending)
			last := hits[want-1].Value
			worst = &last
		}
	}
	for i := range spans { // an index that differs from its blocks is no use
		if g := spans[i].group; g != nil && order == Created && !g.done && g.left != 0 || g != nil && g.left < 0 {
			return nil, 0, ErrSpoiled
		}
	}
	return First(hits, want, ascending), total, nil
}

// worse reports whether no row of a block can come before rows with a number, which are of earlier blocks.
func (f *Finder) worse(s *span, k Kind, than int64, ascending bool) (bool, error) {
	v, err := f.bounds(k, s.block)
	if ascending {
		return err == nil && v.low >= than, err
	}
	return err == nil && v.high <= than, err
}

// bounds returns the least and the greatest number of a block.
func (f *Finder) bounds(k Kind, block int64) (v numberColumn, err error) {
	if f.summaries == nil {
		if f.summaries, err = f.summariesOf(k); err != nil {
			return v, err
		}
	}
	if block >= int64(len(f.summaries)) || f.summaries[block].Block != block {
		return v, ErrSpoiled
	}
	return numberSummary(f.summaries[block].Summary)
}

// readOn reads the column that decides about the first of some spans, and about spans that follow it, in one statement. If spans are read only until there
// are enough hits, which lack want, readOn stops there.
func (f *Finder) readOn(spans []span, want int, until bool) error {
	s := &spans[0]
	if len(s.narrow) == 0 {
		return nil
	}
	k := s.narrow[0]
	if _, there := f.ahead[s.block]; there && f.aheadKind == k {
		return nil
	}
	n, step := 1, int64(1)
	if len(spans) > 1 && spans[1].block < s.block {
		step = -1
	}
	sure := 0 // the number of hits in the blocks before this one
	for n < min(len(spans), readAhead) && spans[n].block == s.block+int64(n)*step && len(spans[n].narrow) > 0 && spans[n].narrow[0] == k {
		if until && spans[n].exact() {
			if sure += spans[n-1].least(); sure >= want {
				break
			}
		}
		n++
	}
	if n == 1 {
		return nil
	}
	from, to := s.block, spans[n-1].block
	list, err := f.Reader.FacetColumns(f.List, f.MerchantID, k, min(from, to), max(from, to))
	f.ahead, f.aheadKind = make(map[int64]Column, n), k
	for _, c := range list {
		f.ahead[c.Block] = c
	}
	return err
}

// First sorts hits by value and place, and returns the first n.
func First(hits []Hit, n int, ascending bool) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		order := cmp.Or(cmp.Compare(a.Value, b.Value), a.Place.CreatedAt.Compare(b.Place.CreatedAt), cmp.Compare(a.Place.Seq, b.Place.Seq))
		if !ascending {
			return -order
		}
		return order
	})
	return hits[:min(n, len(hits))]
}

// Count counts the payments that match by the values of a kind of words.
func (f *Finder) Count(q *Query, k Kind) (map[string]int, error) {
	spans, err := f.spans(q)
	if err != nil {
		return nil, err
	}
	summaries, err := f.summariesOf(k)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for i := range spans {
		s := &spans[i]
		if !s.cut && len(s.narrow) == 0 {
			if s.block >= int64(len(summaries)) || summaries[s.block].Block != s.block {
				return nil, ErrSpoiled
			}
			n, _, err := eachWord(summaries[s.block].Summary, func(value []byte, count int) { out[string(value)] += count })
			if err != nil || n != s.n {
				return nil, ErrSpoiled
			}
			continue
		}
		chosen, err := f.choose(q, s)
		if err != nil {
			return nil, err
		}
		w, err := f.words(s, k)
		if err != nil {
			return nil, err
		}
		for _, i := range chosen {
			out[w.values[w.code(int(i))]]++
		}
	}
	return out, nil
}

// spans returns the blocks that may have a match, in the order of time.
func (f *Finder) spans(q *Query) ([]span, error) {
	list, err := f.summariesOf(Created)
	if err != nil {
		return nil, err
	}
	spans := make([]span, len(list))
	for i, c := range list {
		s, err := numberSummary(c.Summary)
		if err != nil || c.Block != int64(i) || i > 0 && s.low <= spans[i-1].to {
			return nil, ErrSpoiled
		}
		spans[i] = span{block: c.Block, n: s.n, count: s.n, from: s.low, to: s.high}
	}
	indexed, err := f.upToDate()
	if err != nil {
		return nil, err
	}
	hashed := map[Kind]map[int64]int{}
	for k := range numbers {
		if b := q.numbers[k]; b != nil && Kind(k) != Amount {
			if err := f.within(spans, Kind(k), *b); err != nil {
				return nil, err
			}
			if indexed && indexes[Kind(k)] != 0 && b.low == b.high && b.low > 0 {
				if hashed[Kind(k)], err = f.skip(spans, Kind(k), b.low); err != nil {
					return nil, err
				}
			}
		}
	}
	for k := range words {
		if q.words[k] != nil {
			if err := f.among(spans, firstWord+Kind(k), q.words[k]); err != nil {
				return nil, err
			}
		}
	}
	if p := q.behind; p != nil {
		at := p.CreatedAt.UnixMilli()
		for i := range spans {
			if s := &spans[i]; s.from > at {
				s.count = 0
			} else if s.to >= at {
				s.cut = true
			}
		}
	}
	for _, at := range q.except {
		i, _ := slices.BinarySearchFunc(spans, at, func(s span, at int64) int { return cmp.Compare(s.to, at) })
		if i < len(spans) && spans[i].from <= at {
			spans[i].cut = true
		}
	}
	if b := q.numbers[Amount]; b != nil {
		plain := make([]bool, len(spans))
		for i, s := range spans {
			plain[i] = !s.cut && len(s.narrow) == 0 && s.count == s.n
		}
		if err := f.within(spans, Amount, *b); err != nil {
			return nil, err
		}
		if indexed {
			if err := f.countAmounts(spans, *b, plain); err != nil {
				return nil, err
			}
		}
	}
	for k, known := range hashed {
		countHashed(spans, k, known)
	}
	return slices.DeleteFunc(spans, func(s span) bool { return s.count == 0 }), nil
}

// upToDate reports whether the indexes and digests of the list serve.
func (f *Finder) upToDate() (bool, error) {
	if f.mark == nil {
		m, err := f.Reader.FacetMark(f.List, f.MerchantID)
		if err != nil {
			return false, err
		}
		f.mark = m
	}
	return f.mark.Indexed, nil
}

// summariesOf reads the summaries of all blocks.
func (f *Finder) summariesOf(k Kind) ([]Column, error) {
	upToDate, err := f.upToDate()
	if err != nil {
		return nil, err
	}
	return summaries(f.Reader, f.List, f.MerchantID, k, upToDate)
}

// within narrows the spans by a range of numbers.
func (f *Finder) within(spans []span, k Kind, b bounds) error {
	list, err := f.summariesOf(k)
	if err != nil || len(list) != len(spans) {
		return cmp.Or(err, ErrSpoiled)
	}
	for i := range spans {
		v, err := numberSummary(list[i].Summary)
		if err != nil || list[i].Block != spans[i].block || v.n != spans[i].n {
			return ErrSpoiled
		}
		switch {
		case v.low > b.high || v.high < b.low:
			spans[i].count = 0
		case v.low < b.low || v.high > b.high:
			spans[i].narrow = append(spans[i].narrow, k)
		}
	}
	return nil
}

// among narrows the spans by words.
func (f *Finder) among(spans []span, k Kind, wanted []string) error {
	list, err := f.summariesOf(k)
	if err != nil || len(list) != len(spans) {
		return cmp.Or(err, ErrSpoiled)
	}
	for i := range spans {
		s, matching := &spans[i], 0
		n, _, err := eachWord(list[i].Summary, func(value []byte, count int) {
			if isOneOf(wanted, value) {
				matching += count
			}
		})
		if err != nil || list[i].Block != s.block || n != s.n {
			return ErrSpoiled
		}
		if matching < n {
			s.narrow, s.count = append(s.narrow, k), min(s.count, matching)
		}
	}
	return nil
}

func isOneOf(list []string, value []byte) bool {
	for _, v := range list {
		if v == string(value) {
			return true
		}
	}
	return false
}

// choose returns the numbers of a block's payments that match.
func (f *Finder) choose(q *Query, s *span) ([]int32, error) {
	var chosen []int32
	narrow := s.narrow
	if len(narrow) > 0 && narrow[0] < firstWord {
		v, err := f.numbers(s, narrow[0])
		if err != nil {
			return nil, err
		}
		chosen, narrow = v.within(*q.numbers[narrow[0]]), narrow[1:]
	} else {
		chosen = make([]int32, s.n)
		for i := range chosen {
			chosen[i] = int32(i)
		}
	}
	for _, k := range narrow {
		if len(chosen) == 0 {
			return nil, nil
		}
		if k < firstWord {
			v, err := f.numbers(s, k)
			if err != nil {
				return nil, err
			}
			b := q.numbers[k]
			chosen = keep(chosen, func(i int) bool { n := v.at(i); return n >= b.low && n <= b.high })
			continue
		}
		w, err := f.words(s, k)
		if err != nil {
			return nil, err
		}
		wanted := make([]bool, len(w.values))
		for i, v := range w.values {
			wanted[i] = slices.Contains(q.words[k-firstWord], v)
		}
		chosen = keep(chosen, func(i int) bool { return wanted[w.code(i)] })
	}
	if !s.cut || len(chosen) == 0 {
		return chosen, nil
	}
	created, err := f.numbers(s, Created)
	if err != nil {
		return nil, err
	}
	seq, err := f.numbers(s, Seq)
	if err != nil {
		return nil, err
	}
	if p := q.behind; p != nil {
		at := p.CreatedAt.UnixMilli()
		chosen = keep(chosen, func(i int) bool {
			c := created.at(i)
			return c < at || c == at && seq.at(i) < p.Seq
		})
	}
	if len(q.except) > 0 {
		chosen = keep(chosen, func(i int) bool { _, out := q.except[seq.at(i)]; return !out })
	}
	return chosen, nil
}

func keep(list []int32, wanted func(i int) bool) []int32 {
	n := 0
	for _, i := range list {
		list[n] = i
		if wanted(int(i)) {
			n++
		}
	}
	return list[:n]
}

// hits reads the places of chosen payments, and what they are sorted by.
func (f *Finder) hits(s *span, chosen []int32, order Kind) ([]Hit, error) {
	created, err := f.numbers(s, Created)
	if err != nil {
		return nil, err
	}
	seq, err := f.numbers(s, Seq)
	if err != nil {
		return nil, err
	}
	out := make([]Hit, len(chosen))
	for j, i := range chosen {
		out[j].Place = listed.Place{CreatedAt: time.UnixMilli(created.at(int(i))).UTC(), Seq: seq.at(int(i))}
	}
	if order == Created {
		return out, nil
	}
	value, err := f.numbers(s, order)
	if err != nil {
		return nil, err
	}
	for j, i := range chosen {
		out[j].Value = value.at(int(i))
	}
	return out, nil
}

// column reads a column of a block once.
func (f *Finder) column(s *span, k Kind) (Column, error) {
	if f.columns == nil || f.at != s.block {
		f.columns, f.at = map[Kind]Column{}, s.block
	}
	c, ok := f.columns[k]
	if !ok && k == f.aheadKind {
		c, ok = f.ahead[s.block]
	}
	if !ok {
		var err error
		if c, err = f.Reader.FacetColumn(f.List, f.MerchantID, k, s.block); err != nil {
			return c, err
		}
		f.columns[k] = c
	}
	return c, nil
}

func (f *Finder) numbers(s *span, k Kind) (numberColumn, error) {
	c, err := f.column(s, k)
	if err != nil {
		return numberColumn{}, err
	}
	v, err := decodeNumbers(c)
	if err == nil && v.n != s.n {
		err = ErrSpoiled
	}
	return v, err
}

func (f *Finder) words(s *span, k Kind) (wordColumn, error) {
	c, err := f.column(s, k)
	if err != nil {
		return wordColumn{}, err
	}
	v, err := decodeWords(c)
	if err == nil && v.n != s.n {
		err = ErrSpoiled
	}
	return v, err
}
