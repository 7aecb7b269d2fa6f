package compress

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

var words = []byte(`{"payment_id":"pay_","status":"succeeded","amount":1000,"currency":"USD","customer_id":"cus_"}`)

func TestPack(t *testing.T) {
	d := New(1<<20, map[byte][]byte{1: words, 2: []byte(strings.Repeat("another", 9))})
	for _, text := range []string{"", "{}", "null", `{"a":1}`, strings.Repeat(`{"payment_id":"x"}`, 1000), string(words)} {
		for id := range d.byID {
			packed := d.Pack(id, []byte(text))
			require.True(t, Packed(packed))
			got, err := d.Unpack(packed)
			require.NoError(t, err)
			require.Equal(t, text, string(got))
		}
		got, err := d.Unpack([]byte(text))
		require.NoError(t, err)
		require.Equal(t, text, string(got), "a text that was never packed")
	}
	require.Less(t, len(d.Pack(1, words)), 12)
}

func TestUnpackOlder(t *testing.T) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, words))
	require.NoError(t, err)
	d := New(1<<20, map[byte][]byte{1: words, 2: []byte(strings.Repeat("another", 9))})
	got, err := d.Unpack(e.EncodeAll(words, nil))
	require.NoError(t, err)
	require.Equal(t, words, got)
}

func TestUnpackDamaged(t *testing.T) {
	d := New(1<<20, map[byte][]byte{1: words})
	good := d.Pack(1, []byte(`{"payment_id":"pay_1","status":"failed","amount":31,"currency":"EUR"}`))
	_, err := d.Unpack(append([]byte{mark, 9}, good[2:]...))
	require.ErrorContains(t, err, "dictionary 9")
	for _, packed := range [][]byte{good[:3], good[:len(good)-1], append(bytes.Clone(good), 0), append([]byte{mark, 1}, "damaged"...), append(bytes.Clone(olderMark), "damaged"...)} {
		_, err := d.Unpack(packed)
		require.Error(t, err, "%x", packed)
	}
	_, err = d.Unpack(binary.AppendUvarint([]byte{mark, 1}, 1<<30))
	require.ErrorIs(t, err, errDamaged, "a text of 1 GiB")
	_, err = d.Unpack(append([]byte{mark, 1}, s2.Encode(nil, make([]byte, 2<<20))...))
	require.ErrorIs(t, err, errDamaged, "a small text that becomes a large one")
}

func FuzzUnpack(f *testing.F) {
	d := New(1<<20, map[byte][]byte{1: words})
	f.Add(d.Pack(1, words))
	f.Add([]byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := d.Unpack(b)
		require.True(t, err != nil || len(text) <= max(1<<20, len(b)))
		again, err := d.Unpack(d.Pack(1, b))
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, again))
	})
}
