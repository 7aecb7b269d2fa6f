package jsontext

import "math/bits"

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the offset of the first quote, backslash or control character at or after p, len(s) without one. It reads eight bytes at a
// time.
func plain(s string, p int) int {
	for ; p+8 <= len(s); p += 8 {
		if found := stops(load(s, p)); found != 0 {
			return p + bits.TrailingZeros64(found)>>3
		}
	}
	for p < len(s) && s[p] >= ' ' && s[p] != '"' && s[p] != '\\' {
		p++
	}
	return p
}

// clean is plain that also stops at bytes outside of ASCII.
func clean(s string, p int) int {
	for ; p+8 <= len(s); p += 8 {
		w := load(s, p)
		if found := stops(w) | w&highs; found != 0 {
			return p + bits.TrailingZeros64(found)>>3
		}
	}
	for p < len(s) && s[p] >= ' ' && s[p] != '"' && s[p] != '\\' && s[p] < 0x80 {
		p++
	}
	return p
}

// stops sets the high bit of each byte that plain stops at. Only the lowest set bit is reliable, as a borrow moves upwards.
func stops(w uint64) uint64 {
	quote, backslash := w^'"'*ones, w^'\\'*ones
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-' '*ones)&^w) & highs
}

// Unreserved returns the offset of the first byte at or after p that does not stand for itself in a URL (RFC 3986, section 2.3: letters, digits, "-", ".", "_"
// and "~" do), nor is a bracket where brackets are left; len(s) if there is none. It looks at eight bytes at a time.
func Unreserved(s string, p int, brackets bool) int {
	for ; p+8 <= len(s); p += 8 {
		w := load(s, p)
		low := w &^ highs
		fits := between(low|' '*ones, 'a', 'z') | between(low, '0', '9') | between(low, '-', '.') | between(low, '_', '_') | between(low, '~', '~')
		if brackets {
			fits |= between(low, '[', '[') | between(low, ']', ']')
		}
		if found := (^fits | w) & highs; found != 0 {
			return p + bits.TrailingZeros64(found)>>3
		}
	}
	for ; p < len(s); p++ {
		if c := s[p]; (c|' ')-'a' > 'z'-'a' && c-'0' > 9 && c-'-' > 1 && c != '_' && c != '~' && !(brackets && (c == '[' || c == ']')) {
			break
		}
	}
	return p
}

// between sets the high bit of each byte from first to last. No byte may be above 0x7f.
func between(w, first, last uint64) uint64 {
	return (w + (0x80-first)*ones) &^ (w + (0x7f-last)*ones)
}
