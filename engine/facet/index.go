package facet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"payswitch/engine/fault"
)

// An index says how many payments with a hash each block has, so that a list reads the blocks of its page alone. It is made once for each group of full
// blocks, in rows by the first bits of the hash: a look-up reads one row for each group. A row's Column.Block is bucket<<32 | number of the group; its summary
// the first block and the number of blocks, its data sorted numbers of 64 bits: the other bits of a hash, the number of the block in its group, and the number
// of payments. Blocks with more payments than a number can say have several.
const (
	// FirstIndex is the first kind of an index.
	FirstIndex Kind = 1000

	orderIndex  Kind = 1000
	emailIndex  Kind = 1001
	amountIndex Kind = 1002 // see amounts.go

	indexBits    = 6  // of a hash in a row's key, and of the number of a block in its group
	countBits    = 13 // of a number of payments
	mostCounted  = 1<<countBits - 1
	indexBuckets = 1 << indexBits
	// indexedTo is the Block of the row that says how many blocks have an index.
	indexedTo = -1
)

// indexes are the columns that have an index.
var indexes = map[Kind]Kind{Order: orderIndex, Email: emailIndex}

// indexed is what an index says of a group of blocks in one row.
type indexed struct {
	column Column
	first  int64 // block
	blocks int64
}

func readIndexed(c Column) (x indexed, err error) {
	first, a := binary.Uvarint(c.Summary)
	if a <= 0 || first > math.MaxInt32 {
		return x, ErrSpoiled
	}
	blocks, b := binary.Uvarint(c.Summary[a:])
	if b <= 0 || blocks == 0 || blocks > indexBuckets || len(c.Data)%8 != 0 {
		return x, ErrSpoiled
	}
	return indexed{c, int64(first), int64(blocks)}, nil
}

// entry returns the number that stands in a row for n payments with a hash. The hash is 1 to 1<<HashBits.
func entry(hash, block int64, n int) uint64 {
	return (uint64(hash-1)<<indexBits|uint64(block))<<countBits | uint64(n)
}

func bucketOf(hash int64) int64 { return (hash - 1) >> (HashBits - indexBits) }

func (x *indexed) at(i int) uint64 { return binary.LittleEndian.Uint64(x.column.Data[8*i:]) }

// find returns the place of the first number that is e or greater.
func (x *indexed) find(e uint64) int {
	low, high := 0, len(x.column.Data)/8
	for low < high {
		if mid := (low + high) / 2; x.at(mid) < e {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// blocksOf calls see with the blocks that have payments with a hash, and their number.
func (x *indexed) blocksOf(hash int64, see func(block int64, n int)) {
	e := entry(hash, 0, 0)
	for i := x.find(e); i < len(x.column.Data)/8 && x.at(i)>>(indexBits+countBits) == e>>(indexBits+countBits); i++ {
		see(x.first+int64(x.at(i)>>countBits&(indexBuckets-1)), int(x.at(i)&mostCounted))
	}
}

// set sets how many payments of a block have a hash.
func (x *indexed) set(hash, block int64, n int) {
	from, to := x.find(entry(hash, block-x.first, 0)), x.find(entry(hash, block-x.first, mostCounted)+1)
	x.column.Data = slices.Replace(slices.Clone(x.column.Data), 8*from, 8*to, entries(hash, block-x.first, n)...)
}

// entries returns the numbers of n payments, sorted.
func entries(hash, block int64, n int) (b []byte) {
	if rest := n % mostCounted; rest > 0 {
		b = binary.LittleEndian.AppendUint64(b, entry(hash, block, rest))
	}
	for range n / mostCounted {
		b = binary.LittleEndian.AppendUint64(b, entry(hash, block, mostCounted))
	}
	return b
}

// rowsOfIndex reads the rows of all groups for a hash.
func rowsOfIndex(r Reader, l List, merchantID string, k Kind, hash int64) (out []indexed, err error) {
	from := bucketOf(hash) << 32
	list, err := r.FacetColumns(l, merchantID, indexes[k], from, from+math.MaxInt32)
	for _, c := range list {
		x, err := readIndexed(c)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, err
}

// hashes counts the payments of a block by their hash.
func hashes(v *numberColumn) (map[int64]int, error) {
	out := make(map[int64]int, v.n)
	for i := range v.n {
		if h := v.at(i); h < 0 || h > 1<<HashBits {
			return nil, ErrSpoiled
		} else if h > 0 {
			out[h]++
		}
	}
	return out, nil
}

// encodeIndex makes the rows of a group from the hashes of its blocks.
func encodeIndex(k Kind, group, first int64, blocks []numberColumn) ([]Column, error) {
	type one struct {
		hash, block int64
		n           int
	}
	lists := make([][]one, indexBuckets)
	for block := range blocks {
		counts, err := hashes(&blocks[block])
		if err != nil {
			return nil, err
		}
		for h, n := range counts {
			lists[bucketOf(h)] = append(lists[bucketOf(h)], one{h, int64(block), n})
		}
	}
	summary := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(first)), uint64(len(blocks)))
	out := make([]Column, indexBuckets)
	for b, list := range lists {
		slices.SortFunc(list, func(a, b one) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.block, b.block)) })
		out[b] = Column{Kind: indexes[k], Block: int64(b)<<32 | group, Summary: summary}
		for _, o := range list {
			out[b].Data = append(out[b].Data, entries(o.hash, o.block, o.n)...)
		}
	}
	return out, nil
}

// indexedBlocks reads how many blocks have an index, and the number of groups.
func indexedBlocks(r Reader, l List, merchantID string, index Kind) (blocks, groups int64, err error) {
	c, err := r.FacetColumn(l, merchantID, index, indexedTo)
	if errors.Is(err, fault.ErrNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	b, n := binary.Uvarint(c.Summary)
	g, m := binary.Uvarint(c.Summary[max(n, 0):])
	if n <= 0 || m <= 0 || b > math.MaxInt32 || g > b {
		return 0, 0, ErrSpoiled
	}
	return int64(b), int64(g), nil
}

// index makes the digests or an index of the next group of full blocks. It returns false if no group is full. No transaction holds more than one group's
// index of one kind.
func (s *step) index() (did bool, err error) {
	if s.was.Version == 0 || s.was.Blocks <= int64(s.Group) {
		return false, nil
	}
	if did, err := s.digest(); did || err != nil {
		return did, err
	}
	if s.list != Payments {
		return false, nil
	}
	for _, k := range []Kind{Order, Email, Amount} {
		index := indexes[k]
		if k == Amount {
			index = amountIndex
		}
		var columns []Column
		err := s.Store.View(s.ctx, func(r FillReader) error {
			columns = nil
			done, group, err := indexedBlocks(r, s.list, s.merchantID, index)
			if err != nil || s.was.Blocks-1 < done+int64(s.Group) { // rows may come into the last block
				return err
			}
			list, err := r.FacetColumns(s.list, s.merchantID, k, done, done+int64(s.Group)-1)
			if err != nil {
				return err
			}
			values := make([]numberColumn, len(list))
			for i, c := range list {
				if values[i], err = decodeNumbers(c); err != nil {
					return err
				}
			}
			if len(values) != s.Group {
				return ErrSpoiled
			}
			if k == Amount {
				columns = encodeAmounts(group, done, values)
				columns = append(columns, encodeDigest(amountIndex, group, columns))
			} else if columns, err = encodeIndex(k, group, done, values); err != nil {
				return err
			}
			to := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(done)+uint64(s.Group)), uint64(group)+1)
			columns = append(columns, Column{Kind: index, Block: indexedTo, Summary: to})
			return nil
		})
		if err != nil {
			return false, err
		}
		if columns == nil {
			continue
		}
		return s.put(columns)
	}
	return false, nil
}

// put writes columns of indexes or digests. It returns false if another node has the lease.
func (s *step) put(columns []Column) (did bool, err error) {
	if mine, err := s.lease(s.ctx); err != nil || !mine {
		return false, err
	}
	s.next, s.columns = s.was, columns // the mark's version keeps another node from writing blocks meanwhile
	return true, s.write()
}

// addToIndexes brings the indexes of a changed block's group up to date.
func (s *step) addToIndexes(before, after []Column) error {
	if err := s.moveAmounts(before[Amount], after[Amount]); err != nil {
		return err
	}
	for _, k := range []Kind{Order, Email} {
		var done int64
		err := s.Store.View(s.ctx, func(r FillReader) (err error) {
			done, _, err = indexedBlocks(r, s.list, s.merchantID, indexes[k])
			return err
		})
		if err != nil {
			return err
		}
		if after[k].Block >= done {
			continue
		}
		had, err := decodeNumbers(before[k])
		if err != nil {
			return err
		}
		has, err := decodeNumbers(after[k])
		if err != nil {
			return err
		}
		was, err := hashes(&had)
		if err != nil {
			return err
		}
		is, err := hashes(&has)
		if err != nil {
			return err
		}
		for h := range was {
			is[h] += 0 // a hash that has left has the number 0
		}
		for h, n := range is {
			if n == was[h] {
				continue
			}
			if err := s.setInIndex(k, h, after[k].Block, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *step) setInIndex(k Kind, hash, block int64, n int) error {
	for i := range s.columns { // a row that this step has changed
		if c := &s.columns[i]; c.Kind == indexes[k] && c.Block>>32 == bucketOf(hash) {
			if x, err := readIndexed(*c); err != nil {
				return err
			} else if x.first <= block && block < x.first+x.blocks {
				x.set(hash, block, n)
				*c = x.column
				return nil
			}
		}
	}
	return s.Store.View(s.ctx, func(r FillReader) error {
		rows, err := rowsOfIndex(r, s.list, s.merchantID, k, hash)
		for _, x := range rows {
			if x.first <= block && block < x.first+x.blocks {
				x.set(hash, block, n)
				s.columns = append(s.columns, x.column)
			}
		}
		return err
	})
}

// skip leaves out the spans that have no row with a hash, as an index says. It returns the number of rows of the others, by block.
func (f *Finder) skip(spans []span, k Kind, hash int64) (known map[int64]int, err error) {
	known = map[int64]int{}
	rows, err := rowsOfIndex(f.Reader, f.List, f.MerchantID, k, hash)
	for _, x := range rows {
		if x.first+x.blocks > int64(len(spans)) {
			return nil, ErrSpoiled
		}
		var has [indexBuckets]int
		x.blocksOf(hash, func(block int64, n int) { has[block-x.first] += n })
		for i := range x.blocks {
			s := &spans[x.first+i]
			if has[i] > s.n {
				return nil, ErrSpoiled
			}
			if has[i] == 0 {
				s.count = 0
			} else {
				known[s.block] = has[i]
			}
		}
	}
	return known, err
}

// countHashed gives the spans what an index says about a hash, where nothing else decides about the block's payments.
func countHashed(spans []span, k Kind, known map[int64]int) {
	for i := range spans {
		s := &spans[i]
		if n, ok := known[s.block]; ok && s.count > 0 && !s.cut && len(s.narrow) == 1 && s.narrow[0] == k {
			s.count, s.counted = n, true
		}
	}
}
