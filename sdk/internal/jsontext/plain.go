package jsontext

import "math/bits"

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the offset of the first byte at or after p that does not stand for itself in a string: a quote, a backslash or a control
// character; len(s) if there is none. It looks at eight bytes at a time.
func plain(s string, p int) int {
	for ; p+8 <= len(s); p += 8 {
		w := load(s, p)
		// The lowest of these bits is at such a byte: a borrow goes upwards only.
		quote, backslash := w^'"'*ones, w^'\\'*ones
		if found := ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-' '*ones)&^w) & highs; found != 0 {
			return p + bits.TrailingZeros64(found)>>3
		}
	}
	for p < len(s) && s[p] >= ' ' && s[p] != '"' && s[p] != '\\' {
		p++
	}
	return p
}
