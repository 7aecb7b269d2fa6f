package facet

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"payswitch/engine/fault"
)

// An index says which blocks may have a hash, so that a list reads those alone. It is made once for each group of full blocks, in rows by the first bits of
// the hash: a look-up reads one row for each group. A row's Column.Block is bucket<<32 | number of the group; its summary the first block and the number of
// blocks, its data sorted numbers of 32 bits: the other bits of a hash, and then the number of the block in its group. A hash that leaves a block stays in
// the index: it costs one look at the block.
const (
	// FirstIndex is the first kind of an index.
	FirstIndex Kind = 1000

	orderIndex  Kind = 1000
	emailIndex  Kind = 1001
	amountIndex Kind = 1002 // see amounts.go

	indexBits    = 6 // of a hash in a row's key, and of the number of a block in its group
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
	if b <= 0 || blocks == 0 || blocks > indexBuckets || len(c.Data)%4 != 0 {
		return x, ErrSpoiled
	}
	return indexed{c, int64(first), int64(blocks)}, nil
}

// entry is the number of a hash in a row. hash is 1 to 1<<32.
func entry(hash, block int64) uint32 { return uint32(hash-1)<<indexBits | uint32(block) }

func bucketOf(hash int64) int64 { return (hash - 1) >> (32 - indexBits) }

func (x *indexed) at(i int) uint32 { return binary.LittleEndian.Uint32(x.column.Data[4*i:]) }

// find returns the place of the first number that is e or greater.
func (x *indexed) find(e uint32) int {
	low, high := 0, len(x.column.Data)/4
	for low < high {
		if mid := (low + high) / 2; x.at(mid) < e {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// blocksOf calls see with the blocks that may have a hash.
func (x *indexed) blocksOf(hash int64, see func(block int64)) {
	e := entry(hash, 0)
	for i := x.find(e); i < len(x.column.Data)/4 && x.at(i)>>indexBits == e>>indexBits; i++ {
		see(x.first + int64(x.at(i)&(indexBuckets-1)))
	}
}

// add adds a hash of a block. It returns false if it is there.
func (x *indexed) add(hash, block int64) bool {
	e := entry(hash, block-x.first)
	i := x.find(e)
	if i < len(x.column.Data)/4 && x.at(i) == e {
		return false
	}
	x.column.Data = slices.Insert(slices.Clone(x.column.Data), 4*i, binary.LittleEndian.AppendUint32(nil, e)...)
	return true
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

// encodeIndex makes the rows of a group from the hashes of its blocks.
func encodeIndex(k Kind, group, first int64, hashes []numberColumn) ([]Column, error) {
	entries := make([][]uint32, indexBuckets)
	for block := range hashes {
		for i := range hashes[block].n {
			if h := hashes[block].at(i); h > 1<<32 {
				return nil, ErrSpoiled
			} else if h > 0 {
				b := bucketOf(h)
				entries[b] = append(entries[b], entry(h, int64(block)))
			}
		}
	}
	summary := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(first)), uint64(len(hashes)))
	out := make([]Column, indexBuckets)
	for b, list := range entries {
		slices.Sort(list)
		out[b] = Column{Kind: indexes[k], Block: int64(b)<<32 | group, Summary: summary}
		for _, e := range slices.Compact(list) {
			out[b].Data = binary.LittleEndian.AppendUint32(out[b].Data, e)
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

// index makes the index of the next group of full blocks. It returns false if no group is full. No transaction holds more than one group's index of one
// kind.
func (s *step) index() (did bool, err error) {
	if s.list != Payments || s.was.Version == 0 || s.was.Blocks <= int64(s.Group) {
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
		if mine, err := s.lease(s.ctx); err != nil || !mine {
			return false, err
		}
		s.next, s.columns = s.was, columns // the mark's version keeps another node from writing blocks meanwhile
		return true, s.write()
	}
	return false, nil
}

// addToIndexes adds the hashes that a changed block did not have before to the indexes of its group. The index of amounts has the block's present ones.
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
		known := make(map[int64]bool, had.n+1)
		known[0] = true
		for i := range had.n {
			known[had.at(i)] = true
		}
		for i := range has.n {
			if h := has.at(i); !known[h] {
				known[h] = true
				if err := s.addToIndex(k, h, after[k].Block); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *step) addToIndex(k Kind, hash, block int64) error {
	for i := range s.columns { // a row that this step has changed
		if c := &s.columns[i]; c.Kind == indexes[k] && c.Block>>32 == bucketOf(hash) {
			if x, err := readIndexed(*c); err != nil {
				return err
			} else if x.first <= block && block < x.first+x.blocks {
				x.add(hash, block)
				*c = x.column
				return nil
			}
		}
	}
	return s.Store.View(s.ctx, func(r FillReader) error {
		rows, err := rowsOfIndex(r, s.list, s.merchantID, k, hash)
		for _, x := range rows {
			if x.first <= block && block < x.first+x.blocks && x.add(hash, block) {
				s.columns = append(s.columns, x.column)
			}
		}
		return err
	})
}

// skip leaves the spans out that an index says to have no row with a hash.
func (f *Finder) skip(spans []span, k Kind, hash int64) error {
	rows, err := rowsOfIndex(f.Reader, f.List, f.MerchantID, k, hash)
	for _, x := range rows {
		if x.first+x.blocks > int64(len(spans)) {
			return ErrSpoiled
		}
		var may [indexBuckets]bool
		x.blocksOf(hash, func(block int64) { may[block-x.first] = true })
		for i := range x.blocks {
			if !may[i] {
				spans[x.first+i].count = 0
			}
		}
	}
	return err
}
