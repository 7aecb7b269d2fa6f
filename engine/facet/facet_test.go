package facet

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomRows makes rows whose columns have up to distinct words.
func randomRows(r *rand.Rand, n, distinct int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		for k := range rows[i].Numbers {
			rows[i].Numbers[k] = []int64{0, 1, -1, math.MaxInt64, math.MinInt64, r.Int64(), r.Int64N(1000)}[r.IntN(7)]
		}
		for k := range rows[i].Words {
			if v := r.IntN(distinct); v > 0 {
				rows[i].Words[k] = strconv.Itoa(v)
			}
		}
	}
	return rows
}

func TestColumnsRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 9, 1000} {
		for _, distinct := range []int{1, 2, 3, 5, 17, 200, 300} {
			rows := randomRows(r, n, distinct)
			got, err := decode(encode(7, rows))
			require.NoError(t, err)
			require.Equal(t, rows, got)
		}
	}
	for _, c := range []struct {
		low, high int64
		width     int
	}{{5, 5, 0}, {0, 255, 1}, {0, 256, 2}, {-1, 1, 1}, {math.MinInt64, math.MaxInt64, 8}} {
		summary, data := encodeNumbers([]int64{c.high, c.low})
		require.Len(t, data, 2*c.width)
		v, err := decodeNumbers(Column{Summary: summary, Data: data})
		require.NoError(t, err)
		require.Equal(t, []int64{c.high, c.low}, []int64{v.at(0), v.at(1)})
	}
}

// TestWithin compares the search of a range with a naive one.
func TestWithin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	number := func() int64 {
		return []int64{0, 1, -1, 255, 256, math.MaxInt64, math.MinInt64, r.Int64(), r.Int64N(300) - 150}[r.IntN(9)]
	}
	for range 5000 {
		values := make([]int64, 1+r.IntN(9))
		for i := range values {
			values[i] = number()
		}
		b := bounds{number(), number()}
		summary, data := encodeNumbers(values)
		c, err := decodeNumbers(Column{Summary: summary, Data: data})
		require.NoError(t, err)
		var want []int32
		for i, v := range values {
			if v >= b.low && v <= b.high {
				want = append(want, int32(i))
			}
		}
		require.ElementsMatch(t, want, c.within(b), "%v %v", values, b)
	}
}

// TestDamagedColumns cuts, lengthens and changes columns. None panics, and what is read has the right number of rows.
func TestDamagedColumns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	spoiled := 0
	for range 3000 {
		columns := encode(0, randomRows(r, 1+r.IntN(40), 1+r.IntN(20)))
		c := &columns[r.IntN(len(columns))]
		at := &c.Summary
		if r.IntN(2) == 0 && len(c.Data) > 0 {
			at = &c.Data
		}
		switch r.IntN(4) {
		case 0:
			*at = (*at)[:r.IntN(len(*at))]
		case 1:
			*at = append(*at, byte(r.Uint32()))
		case 2:
			(*at)[r.IntN(len(*at))] = byte(r.Uint32())
		case 3:
			c.Kind = Kind(r.IntN(2*kinds) - kinds)
		}
		rows, err := decode(columns)
		if err != nil {
			require.ErrorIs(t, err, ErrSpoiled)
			spoiled++
			continue
		}
		require.NotEmpty(t, rows)
	}
	require.Greater(t, spoiled, 1000)
	_, err := numberSummary([]byte{0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0})
	require.ErrorIs(t, err, ErrSpoiled, "a number of rows that would take all memory")
}

func TestOrderHash(t *testing.T) {
	require.Zero(t, OrderHash(""))
	seen := []int64{0}
	for i := range 1000 {
		h := OrderHash("order-" + strconv.Itoa(i))
		require.False(t, slices.Contains(seen, h))
		seen = append(seen, h)
	}
}

// TestIndexRows: an index of hashes says how many payments each block has, also after a block has changed.
func TestIndexRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	known := []int64{1, 2, 1 << 42, 1<<42 + 1, 1<<HashBits - 1, 1 << HashBits}
	blocks, want := make([]numberColumn, 5), make([]map[int64]int, 5)
	for b := range blocks {
		values := make([]int64, 9000*(b%2)+1+r.IntN(50))
		want[b] = map[int64]int{}
		for i := range values {
			if values[i] = known[0]; i%3 > 0 && b != 3 { // block 3 has more of one hash than a number can say
				values[i] = known[r.IntN(len(known))] * int64(r.IntN(2))
			}
			want[b][values[i]]++
		}
		summary, data := encodeNumbers(values)
		var err error
		blocks[b], err = decodeNumbers(Column{Summary: summary, Data: data})
		require.NoError(t, err)
	}
	rows, err := encodeIndex(Email, 2, 10, blocks)
	require.NoError(t, err)
	require.Len(t, rows, indexBuckets)
	compare := func() {
		for _, h := range known {
			x, err := readIndexed(rows[bucketOf(h)])
			require.NoError(t, err)
			got := make([]int, len(blocks))
			x.blocksOf(h, func(block int64, n int) { got[block-10] += n })
			for b := range blocks {
				require.Equal(t, want[b][h], got[b], "block %d of %d", b, h)
			}
		}
	}
	compare()
	require.Greater(t, want[3][known[0]], mostCounted)
	for range 300 {
		h, b, n := known[r.IntN(len(known))], r.IntN(len(blocks)), []int{0, 1, 7, mostCounted, mostCounted + 1, 3 * mostCounted}[r.IntN(6)]
		x, err := readIndexed(rows[bucketOf(h)])
		require.NoError(t, err)
		x.set(h, int64(10+b), n)
		rows[bucketOf(h)], want[b][h] = x.column, n
	}
	compare()
	_, err = hashes(&numberColumn{n: 1, low: 1<<HashBits + 1, high: 1<<HashBits + 1})
	require.ErrorIs(t, err, ErrSpoiled)
}

// TestDigests: summaries come back as they were. A damaged digest neither panics nor takes memory.
func TestDigests(t *testing.T) {
	t.Parallel()
	columns := []Column{{Kind: Status, Block: 64, Summary: []byte("one")}, {Kind: Status, Block: 65, Summary: []byte{}}, {Kind: Status, Block: 66, Summary: []byte("three")}}
	d := encodeDigest(Status, 1, columns)
	got, err := decodeDigest(nil, d)
	require.NoError(t, err)
	require.Equal(t, columns, got)
	for cut := range d.Summary {
		_, err := decodeDigest(nil, Column{Kind: d.Kind, Summary: d.Summary[:cut]})
		require.ErrorIs(t, err, ErrSpoiled)
	}
	_, err = decodeDigest(nil, Column{Kind: d.Kind, Summary: append(d.Summary[:len(d.Summary):len(d.Summary)], 0)})
	require.ErrorIs(t, err, ErrSpoiled)
	_, err = decodeDigest(nil, Column{Kind: d.Kind, Summary: []byte{0, indexBuckets + 1}})
	require.ErrorIs(t, err, ErrSpoiled)
}

// TestAmountRows: the rows of the index of amounts hold what the blocks hold, whatever the amounts are, and come back as they were written. Damaged ones
// neither panic nor take memory.
func TestAmountRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	type one struct {
		value int64
		block byte
	}
	for _, n := range []int{1, 5, 30} {
		blocks := make([]numberColumn, 1+r.IntN(indexBuckets))
		var want, got []one
		for b := range blocks {
			values := make([]int64, n)
			for i := range values {
				values[i] = []int64{0, 1, 250, math.MaxInt64, math.MinInt64, r.Int64N(1000), r.Int64()}[r.IntN(7)]
				want = append(want, one{values[i], byte(b)})
			}
			summary, data := encodeNumbers(values)
			var err error
			blocks[b], err = decodeNumbers(Column{Summary: summary, Data: data})
			require.NoError(t, err)
		}
		rows := encodeAmounts(3, 7, blocks)
		require.LessOrEqual(t, len(rows), amountBuckets)
		for i, c := range rows {
			require.Equal(t, int64(3<<8|i), c.Block)
			row, err := readAmounts(c)
			require.NoError(t, err)
			require.Equal(t, []int64{7, int64(len(blocks))}, []int64{row.first, row.blocks})
			require.Equal(t, c, row.encode())
			for j, v := range row.values {
				require.True(t, v >= row.low && v <= row.high)
				got = append(got, one{v, row.of[j]})
			}
			for cut := range c.Summary {
				_, _ = amountSummary(Column{Summary: c.Summary[:cut]})
			}
			_, err = readAmounts(Column{Summary: c.Summary, Data: append(c.Data[:len(c.Data):len(c.Data)], 0)})
			require.ErrorIs(t, err, ErrSpoiled)
		}
		order := func(a, b one) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.block, b.block)) }
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		require.Equal(t, want, got)
	}
	empty := amountRow{block: 1, first: 2, blocks: 3, values: []int64{}}
	row, err := readAmounts(empty.encode())
	require.NoError(t, err)
	require.Zero(t, row.n)
}
