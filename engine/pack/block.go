package pack

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/s2"
)

// This file writes S2 blocks of short texts. The library's own encoder clears 64 KiB for each text, many times what the texts here have; a payment packs
// five. The library reads the blocks, and writes those of longer texts.

// short is the length in bytes up to which appendBlock packs a text: positions in it fit 16 bits.
const short = 1<<15 - 1

const (
	sharedBits = 14 // of a dictionary's table
	ownBits    = 12 // of a text's table
	least      = 4  // bytes of a match
)

// dictionary is a text that others are packed with. at holds where its sequences are: the position after that of the sequence with a hash, 0 for none.
type dictionary struct {
	s2   *s2.Dict
	text []byte
	at   [1 << sharedBits]uint16
}

// newDictionary returns nil if S2 has no use for the text.
func newDictionary(text []byte) *dictionary {
	d := &dictionary{s2: s2.MakeDict(text, nil), text: text}
	if d.s2 == nil {
		return nil
	}
	for i := 0; i+8 <= len(text); i++ {
		d.at[hash(text[i:])>>(64-sharedBits)] = uint16(i + 1)
	}
	return d
}

// hash is of the first six of eight bytes.
func hash(b []byte) uint64 { return binary.LittleEndian.Uint64(b) << 16 * 227718039650203 }

var tables = sync.Pool{New: func() any { return new([1 << ownBits]uint16) }}

// appendBlock appends a short text as an S2 block.
func (d *dictionary) appendBlock(block, text []byte) []byte {
	block = binary.AppendUvarint(block, uint64(len(text)))
	seen := tables.Get().(*[1 << ownBits]uint16)
	defer tables.Put(seen)
	clear(seen[:])
	done := 0 // bytes of text that block holds already
	for i := 0; i+8 <= len(text); {
		h := hash(text[i:])
		own, shared := int(seen[h>>(64-ownBits)])-1, int(d.at[h>>(64-sharedBits)])-1
		seen[h>>(64-ownBits)] = uint16(i + 1)
		from, at, length, offset := text, own, 0, i-own
		if own >= 0 {
			length = common(text[own:], text[i:])
		}
		if back := len(d.text) - shared + i; shared >= 0 && back < 1<<16 {
			if n := common(d.text[shared:], text[i:]); n > length {
				from, at, length, offset = d.text, shared, n, back
			}
		}
		if length < least {
			i += 1 + (i-done)>>6 // faster through a text that has no matches
			continue
		}
		for i > done && at > 0 && from[at-1] == text[i-1] {
			i, at, length = i-1, at-1, length+1
		}
		block = appendCopy(appendLiteral(block, text[done:i]), offset, length)
		i += length
		done = i
	}
	return appendLiteral(block, text[done:])
}

// common returns the number of bytes with which both a and b begin.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// Tags of S2, in the low bits of an element's first byte.
const (
	tagLiteral = 0
	tagCopy1   = 1 // 11 bits of offset; an offset of 0 repeats the last one
	tagCopy2   = 2 // 16 bits of offset
)

// appendLiteral appends text that no match covers. text is shorter than 1<<16.
func appendLiteral(block, text []byte) []byte {
	switch n := len(text) - 1; {
	case n < 0:
		return block
	case n < 60:
		block = append(block, byte(n)<<2|tagLiteral)
	case n < 1<<8:
		block = append(block, 60<<2|tagLiteral, byte(n))
	default:
		block = append(block, 61<<2|tagLiteral, byte(n), byte(n>>8))
	}
	return append(block, text...)
}

// appendCopy appends a copy of what stands offset bytes before, in the text or, before its begin, at the end of the dictionary. offset and length are
// below 1<<16.
func appendCopy(block []byte, offset, length int) []byte {
	if length < 12 && offset < 1<<11 {
		return append(block, byte(offset>>8)<<5|byte(length-4)<<2|tagCopy1, byte(offset))
	}
	first := length
	if length > 64 {
		first = 60 // the rest is at least as long as a repeat must be
	}
	block = append(block, byte(first-1)<<2|tagCopy2, byte(offset), byte(offset>>8))
	switch rest := length - first; {
	case rest == 0:
		return block
	case rest < 9:
		return append(block, byte(rest-4)<<2|tagCopy1, 0)
	case rest < 1<<8+8:
		return append(block, 5<<2|tagCopy1, 0, byte(rest-8))
	default:
		rest -= 1<<8 + 4
		return append(block, 6<<2|tagCopy1, 0, byte(rest), byte(rest>>8))
	}
}
