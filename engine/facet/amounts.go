package facet

import (
	"encoding/binary"
	"math"
	"slices"
)

// The index of amounts says how many payments of a group of full blocks have an amount in a range. So a list counts them without reading the blocks. A
// group has its amounts in up to amountBuckets rows, each with amounts that are near to each other: those of a row are all in a range; all outside; or,
// for a row or two at the ends of the range, counted one by one. A row's Column.Block is the number of the group << 8 | bucket. Its summary has the first block
// of the group, the number of blocks, and the count, the least and the greatest of the row's amounts. Its data has the amounts, as a column of numbers, and
// then for each the number of its block in the group.
const amountBuckets = 64

// amountRow is a row of the index of amounts. Its amounts are in no order once blocks have changed.
type amountRow struct {
	block         int64 // Column.Block
	first, blocks int64
	n             int
	low, high     int64
	values        []int64 // nil until the data is read
	of            []byte  // by value: its block in the group
	changed       bool
}

func amountSummary(c Column) (r amountRow, err error) {
	first, a := binary.Uvarint(c.Summary)
	if a <= 0 || first > math.MaxInt32 {
		return r, ErrSpoiled
	}
	blocks, b := binary.Uvarint(c.Summary[a:])
	if b <= 0 || blocks == 0 || blocks > indexBuckets {
		return r, ErrSpoiled
	}
	r = amountRow{block: c.Block, first: int64(first), blocks: int64(blocks)}
	if len(c.Summary) == a+b { // every amount of the row has left
		return r, nil
	}
	v, err := numberSummary(c.Summary[a+b:])
	r.n, r.low, r.high = v.n, v.low, v.high
	return r, err
}

func readAmounts(c Column) (r amountRow, err error) {
	if r, err = amountSummary(c); err != nil {
		return r, err
	}
	r.values, r.of = make([]int64, r.n), []byte{}
	if r.n == 0 {
		return r, nil
	}
	v := numberColumn{n: r.n, low: r.low, high: r.high, width: widthOf(r.low, r.high)}
	if len(c.Data) != r.n*(v.width+1) {
		return r, ErrSpoiled
	}
	v.data, r.of = c.Data[:r.n*v.width], slices.Clone(c.Data[r.n*v.width:])
	for i := range r.values {
		if r.values[i] = v.at(i); int64(r.of[i]) >= r.blocks {
			return r, ErrSpoiled
		}
	}
	return r, nil
}

func (r *amountRow) encode() Column {
	c := Column{Kind: amountIndex, Block: r.block, Summary: binary.AppendUvarint(binary.AppendUvarint(nil, uint64(r.first)), uint64(r.blocks))}
	if len(r.values) > 0 {
		summary, data := encodeNumbers(r.values)
		c.Summary, c.Data = append(c.Summary, summary...), append(data, r.of...)
	}
	return c
}

// encodeAmounts makes the rows of a group from the amounts of its blocks.
func encodeAmounts(group, first int64, blocks []numberColumn) (out []Column) {
	type one struct {
		value int64
		of    byte
	}
	var all []one
	for b := range blocks {
		for i := range blocks[b].n {
			all = append(all, one{blocks[b].at(i), byte(b)})
		}
	}
	slices.SortFunc(all, func(a, b one) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return int(a.of) - int(b.of)
	})
	size := (len(all) + amountBuckets - 1) / amountBuckets
	for part := range slices.Chunk(all, max(size, 1)) {
		r := amountRow{block: group<<8 | int64(len(out)), first: first, blocks: int64(len(blocks))}
		for _, v := range part {
			r.values, r.of = append(r.values, v.value), append(r.of, v.of)
		}
		out = append(out, r.encode())
	}
	return out
}

// amountGroup is what the index says of a group of blocks about a range of amounts.
type amountGroup struct {
	first, blocks int64
	left          int                 // payments in the range, without those that were counted
	each          [indexBuckets]int32 // the same by block, unless some is true
	some          bool                // a row is in the range as a whole, so that the blocks are not known
	done          bool                // left was counted
}

// amountGroups reads the index for a range.
func (f *Finder) amountGroups(b bounds) (out []*amountGroup, err error) {
	list, _, err := digested(f.Reader, f.List, f.MerchantID, amountIndex)
	if err != nil {
		return nil, err
	}
	var g *amountGroup
	for _, c := range list {
		r, err := amountSummary(c)
		if err != nil {
			return nil, err
		}
		if g == nil || g.first != r.first {
			g = &amountGroup{first: r.first, blocks: r.blocks}
			out = append(out, g)
		}
		switch {
		case r.n == 0 || r.high < b.low || r.low > b.high:
		case r.low >= b.low && r.high <= b.high:
			g.left, g.some = g.left+r.n, true
		default:
			c, err := f.Reader.FacetColumn(f.List, f.MerchantID, amountIndex, c.Block)
			if err != nil {
				return nil, err
			}
			if r, err = readAmounts(c); err != nil {
				return nil, err
			}
			for i, v := range r.values {
				if v >= b.low && v <= b.high {
					g.left++
					g.each[r.of[i]]++
				}
			}
		}
	}
	return out, nil
}

// countAmounts gives the spans what the index says about a range of amounts. plain has by block whether nothing else decides about the block's payments.
func (f *Finder) countAmounts(spans []span, b bounds, plain []bool) error {
	groups, err := f.amountGroups(b)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if g.first+g.blocks > int64(len(spans)) {
			return ErrSpoiled
		}
		of := spans[g.first : g.first+g.blocks]
		if g.some {
			if slices.Contains(plain[g.first:g.first+g.blocks], false) {
				continue
			}
			for i := range of {
				of[i].group = g
			}
			continue
		}
		for i := range of {
			switch n := int(g.each[i]); {
			case n > of[i].n:
				return ErrSpoiled
			case n == 0:
				of[i].count = 0
			case plain[g.first+int64(i)] && len(of[i].narrow) == 1:
				of[i].count, of[i].counted = n, true
			}
		}
	}
	return nil
}

// moveAmounts changes the index of amounts with a block that has one.
func (s *step) moveAmounts(before, after Column) error {
	change := map[int64]int{}
	for sign, c := range map[int]Column{-1: before, 1: after} {
		v, err := decodeNumbers(c)
		if err != nil {
			return err
		}
		for i := range v.n {
			change[v.at(i)] += sign
		}
	}
	for v, n := range change {
		if n == 0 {
			delete(change, v)
		}
	}
	if len(change) == 0 {
		return nil
	}
	return s.Store.View(s.ctx, func(r FillReader) error {
		if s.amounts == nil {
			s.amounts = map[int64]*amountRow{}
			list, _, err := digested(r, s.list, s.merchantID, amountIndex)
			if err != nil {
				return err
			}
			for _, c := range list {
				row, err := amountSummary(c)
				if err != nil {
					return err
				}
				s.amounts[c.Block] = &row
			}
		}
		var rows []*amountRow
		for _, row := range s.amounts {
			if row.first <= after.Block && after.Block < row.first+row.blocks {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			return nil // the block has no index yet
		}
		slices.SortFunc(rows, func(a, b *amountRow) int { return int(a.block - b.block) })
		for v, n := range change {
			for ; n < 0; n++ {
				if err := s.takeAmount(r, rows, v, after.Block); err != nil {
					return err
				}
			}
			for ; n > 0; n-- {
				if err := s.putAmount(r, rows, v, after.Block); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// load reads the amounts of a row.
func (s *step) load(r Reader, row *amountRow) error {
	if row.values != nil {
		return nil
	}
	c, err := r.FacetColumn(s.list, s.merchantID, amountIndex, row.block)
	if err == nil {
		*row, err = readAmounts(c)
	}
	return err
}

// takeAmount removes one amount of a block from the rows of its group.
func (s *step) takeAmount(r Reader, rows []*amountRow, v, block int64) error {
	for _, row := range rows {
		if row.n == 0 || v < row.low || v > row.high {
			continue
		}
		if err := s.load(r, row); err != nil {
			return err
		}
		for i := range row.values {
			if row.values[i] == v && int64(row.of[i]) == block-row.first {
				row.values, row.of = slices.Delete(row.values, i, i+1), slices.Delete(row.of, i, i+1)
				row.settle()
				return nil
			}
		}
	}
	return ErrSpoiled
}

// putAmount adds one amount of a block to the row with the amounts that are nearest.
func (s *step) putAmount(r Reader, rows []*amountRow, v, block int64) error {
	row := rows[len(rows)-1]
	for _, o := range rows {
		if o.n > 0 && o.high >= v {
			row = o
			break
		}
	}
	if err := s.load(r, row); err != nil {
		return err
	}
	row.values, row.of = append(row.values, v), append(row.of, byte(block-row.first))
	row.settle()
	return nil
}

// settle brings the count and the bounds of a row up to date.
func (r *amountRow) settle() {
	r.changed, r.n = true, len(r.values)
	if r.n > 0 {
		r.low, r.high = slices.Min(r.values), slices.Max(r.values)
	}
}

// addAmounts adds the rows of the index of amounts that moveAmounts has changed to what the step writes.
func (s *step) addAmounts() error {
	for _, row := range s.amounts {
		if !row.changed {
			continue
		}
		c := row.encode()
		s.columns = append(s.columns, c)
		if err := s.digestAgain(c); err != nil {
			return err
		}
	}
	return nil
}
