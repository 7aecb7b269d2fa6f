package facet

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// A digest has the summaries of a group of full blocks, or of a group's rows of the index of amounts, in one row: a list reads a row for each group instead of
// one for each block. The row's Column.Block is the number of the group. Its summary has the first Column.Block of the group and the number of them, and then
// each summary with its length.
const firstDigest Kind = 2000

// digestOf returns the kind of the digests of a kind.
func digestOf(k Kind) Kind { return firstDigest + k }

func encodeDigest(k Kind, group int64, columns []Column) Column {
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(columns[0].Block)), uint64(len(columns)))
	for _, c := range columns {
		b = append(binary.AppendUvarint(b, uint64(len(c.Summary))), c.Summary...)
	}
	return Column{Kind: digestOf(k), Block: group, Summary: b}
}

// decodeDigest appends the columns of a digest, without their data.
func decodeDigest(out []Column, digest Column) ([]Column, error) {
	rest := digest.Summary
	next := func() (uint64, bool) {
		v, n := binary.Uvarint(rest)
		rest = rest[max(n, 0):]
		return v, n > 0 && v <= math.MaxInt32
	}
	first, ok := next()
	n, also := next()
	if !ok || !also || n == 0 || n > indexBuckets {
		return nil, ErrSpoiled
	}
	for i := range n {
		size, ok := next()
		if !ok || size > uint64(len(rest)) {
			return nil, ErrSpoiled
		}
		out = append(out, Column{Kind: digest.Kind - firstDigest, Block: int64(first + i), Summary: rest[:size:size]})
		rest = rest[size:]
	}
	if len(rest) > 0 {
		return nil, ErrSpoiled
	}
	return out, nil
}

// digested reads the summaries of one kind that digests have, and the number of digests.
func digested(r Reader, l List, merchantID string, k Kind) (out []Column, digests int64, err error) {
	list, err := r.FacetSummaries(l, merchantID, digestOf(k), 0)
	if err != nil {
		return nil, 0, err
	}
	for i, d := range list {
		if out, err = decodeDigest(out, d); err != nil || d.Block != int64(i) {
			return nil, 0, ErrSpoiled
		}
	}
	return out, int64(len(list)), nil
}

// summaries reads the summaries of all columns of one kind: those of full groups from their digests, if these are up to date.
func summaries(r Reader, l List, merchantID string, k Kind, upToDate bool) (out []Column, err error) {
	if upToDate {
		if out, _, err = digested(r, l, merchantID, k); err != nil {
			return nil, err
		}
	}
	rest, err := r.FacetSummaries(l, merchantID, k, int64(len(out)))
	return append(out, rest...), err
}

// digest makes the digests of the next group of full blocks, one for each kind. It returns false if no group is full.
func (s *step) digest() (did bool, err error) {
	var columns []Column
	err = s.Store.View(s.ctx, func(r FillReader) error {
		columns = nil
		done, group, err := digested(r, s.list, s.merchantID, Created)
		if err != nil || s.was.Blocks-1 < int64(len(done)+s.Group) { // rows may come into the last block
			return err
		}
		for k := range Kind(kinds) {
			list, err := r.FacetSummaries(s.list, s.merchantID, k, int64(len(done)))
			if err != nil {
				return err
			}
			if len(list) < s.Group || list[0].Block != int64(len(done)) {
				return ErrSpoiled
			}
			columns = append(columns, encodeDigest(k, group, list[:s.Group]))
		}
		return nil
	})
	if err != nil || columns == nil {
		return false, err
	}
	return s.put(columns)
}

// addToDigests puts the summaries of changed columns into the digests that have them.
func (s *step) addToDigests(before, after []Column) error {
	for i, c := range after {
		if bytes.Equal(before[i].Summary, c.Summary) {
			continue
		}
		if err := s.digestAgain(c); err != nil {
			return err
		}
	}
	return nil
}

// digestAgain puts the summary of one column, or of a row of the index of amounts, into the digest that has it.
func (s *step) digestAgain(c Column) error {
	if s.digests == nil {
		s.digests = map[Kind][]Column{}
	}
	list, ok := s.digests[c.Kind]
	if !ok {
		err := s.Store.View(s.ctx, func(r FillReader) (err error) {
			list, err = r.FacetSummaries(s.list, s.merchantID, digestOf(c.Kind), 0)
			return err
		})
		if err != nil {
			return err
		}
		s.digests[c.Kind] = list
	}
	for i := range list {
		columns, err := decodeDigest(nil, list[i])
		if err != nil {
			return err
		}
		if at := c.Block - columns[0].Block; at >= 0 && at < int64(len(columns)) {
			columns[at].Summary = c.Summary
			list[i] = encodeDigest(c.Kind, list[i].Block, columns)
			s.columns = slices.DeleteFunc(s.columns, func(o Column) bool { return o.Kind == list[i].Kind && o.Block == list[i].Block })
			s.columns = append(s.columns, list[i])
			return nil
		}
	}
	return nil // the block is in no full group
}
