package compress

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// mark begins every packed text; the dictionary's id follows, and then an S2 block. No JSON begins with it.
const mark = 0x01

// olderMark begins a text that an older version packed with Zstandard.
var olderMark = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Dictionaries packs and unpacks texts with the dictionaries it was made of. It is safe for concurrent use.
type Dictionaries struct {
	most  int // bytes of an unpacked text
	byID  map[byte]*s2.Dict
	older *zstd.Decoder
}

// New makes Dictionaries of texts by id. Stored texts need every byte of their dictionary: a better dictionary gets a further id. most bounds an
// unpacked text in bytes, so that a damaged row cannot fill the memory. New panics if a dictionary is shorter than 16 bytes or longer than 64 KiB.
func New(most int, dictionaries map[byte][]byte) *Dictionaries {
	d := &Dictionaries{most: most, byID: map[byte]*s2.Dict{}}
	options := []zstd.DOption{zstd.WithDecoderMaxMemory(uint64(most)), zstd.WithDecoderConcurrency(0)}
	for id, text := range dictionaries {
		if d.byID[id] = s2.MakeDict(text, nil); d.byID[id] == nil {
			panic(fmt.Sprintf("dictionary %d has %d bytes: it needs 16 to 65,536", id, len(text)))
		}
		options = append(options, zstd.WithDecoderDictRaw(uint32(id), text))
	}
	var err error
	if d.older, err = zstd.NewReader(nil, options...); err != nil {
		panic(err) // the options are constants
	}
	return d
}

// room is where Pack writes before it knows how short the packed text is: as long as the text itself, several times for each payment.
var room = sync.Pool{New: func() any { return new([]byte) }}

// Pack compresses a text with the dictionary of the given id, which New must have got. It does not keep text.
func (d *Dictionaries) Pack(id byte, text []byte) []byte {
	scratch := room.Get().(*[]byte)
	defer room.Put(scratch)
	*scratch = slices.Grow((*scratch)[:0], 2+s2.MaxEncodedLen(len(text)))
	packed := (*scratch)[:cap(*scratch)]
	block := d.byID[id].Encode(packed[2:], text)
	packed[0], packed[1] = mark, id
	return bytes.Clone(packed[:2+len(block)])
}

// Packed reports whether a text is the result of Pack, of this version or an older one.
func Packed(text []byte) bool {
	return len(text) > 1 && text[0] == mark || bytes.HasPrefix(text, olderMark)
}

var errDamaged = errors.New("unpack: the packed text is damaged")

// Unpack reverses Pack. It returns a text that is not packed as it is.
func (d *Dictionaries) Unpack(packed []byte) ([]byte, error) {
	if !Packed(packed) {
		return packed, nil
	}
	if packed[0] != mark {
		text, err := d.older.DecodeAll(packed, nil)
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
		return text, nil
	}
	dictionary := d.byID[packed[1]]
	if dictionary == nil {
		return nil, fmt.Errorf("unpack: a later version packed the text with dictionary %d: use that version", packed[1])
	}
	if n, err := s2.DecodedLen(packed[2:]); err != nil || n > d.most {
		return nil, errDamaged
	}
	text, err := dictionary.Decode(nil, packed[2:])
	if err != nil {
		return nil, errDamaged
	}
	return text, nil
}
