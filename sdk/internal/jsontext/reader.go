// Package jsontext reads and writes JSON without reflection, fmt or floats, so that it is small and quick inside a WASM guest.
//
// The reader is strict, because the host reads the bytes of untrusted guests with it. It accepts RFC 8259 and nothing else: valid UTF-8, no
// lone surrogates, integers in range, at most MaxDepth levels. Errors are sticky: after the first error every method returns a zero value and
// every loop ends. So generated code checks for an error once, at the end.
package jsontext

import (
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is the greatest depth of objects and arrays in a message.
const MaxDepth = 64

// Error is the place and reason of a refused text.
type Error struct {
	Offset int    // in bytes
	Reason string // short and constant
}

// Error implements error.
func (e *Error) Error() string { return "json: " + e.Reason + " at byte " + strconv.Itoa(e.Offset) }

// Reader reads one JSON text from its beginning to its end. Strings without escapes share memory with the text.
type Reader struct {
	s     string
	p     int
	depth int
	err   *Error
}

// NewReader returns a reader of text. Text that is not valid UTF-8 is refused.
func NewReader(text string) Reader {
	r := Reader{s: text}
	if !utf8.ValidString(text) {
		r.Fail("invalid UTF-8")
	}
	return r
}

// NewTrustingReader returns a reader that does not check UTF-8, for text from a trusted writer.
func NewTrustingReader(text string) Reader { return Reader{s: text} }

// Fail records the first error and moves to the end of the text.
func (r *Reader) Fail(reason string) {
	if r.err == nil {
		r.err = &Error{Offset: r.p, Reason: reason}
	}
	r.p = len(r.s)
}

// Close returns the first error. A text that was not read to its end is an error too.
func (r *Reader) Close() error {
	if r.err == nil && r.peek() != 0 {
		r.Fail("text after the value")
	}
	if r.err == nil && r.p != len(r.s) {
		r.Fail("NUL in text")
	}
	if r.err != nil {
		return r.err
	}
	return nil
}

// peek skips white space and returns the next byte, 0 at the end.
func (r *Reader) peek() byte {
	for p := r.p; p < len(r.s); p++ {
		switch c := r.s[p]; c {
		case ' ', '\n', '\r', '\t':
		default:
			r.p = p
			return c
		}
	}
	r.p = len(r.s)
	return 0
}

// Null reads a null if it is next, and reports whether it was.
func (r *Reader) Null() bool {
	if r.peek() != 'n' {
		return false
	}
	r.literal("null")
	return true
}

func (r *Reader) literal(s string) {
	if len(r.s)-r.p < len(s) || r.s[r.p:r.p+len(s)] != s {
		r.Fail("unknown literal")
		return
	}
	r.p += len(s)
}

// Object enters an object and reports whether it has a member, whose Key is next. A null counts as an object without members.
func (r *Reader) Object() bool { return r.enter('{', '}', "object expected") }

// Array enters an array and reports whether it has an element, which is next. A null counts as an array without elements.
func (r *Reader) Array() bool { return r.enter('[', ']', "array expected") }

func (r *Reader) enter(open, shut byte, reason string) bool {
	switch r.peek() {
	case open:
		r.p++
	case 'n':
		r.literal("null")
		return false
	default:
		r.Fail(reason)
		return false
	}
	if r.depth++; r.depth > MaxDepth {
		r.Fail("nested too deeply")
		return false
	}
	switch r.peek() {
	case shut:
		r.p++
		r.depth--
		return false
	case 0:
		r.Fail("unexpected end")
		return false
	}
	return true
}

// More reports, after a member or element, whether another one follows in the object (shut is '}') or array (']'). If none follows, More leaves the
// object or array.
func (r *Reader) More(shut byte) bool {
	if r.p < len(r.s) && r.s[r.p] == ',' {
		r.p++
		return true
	}
	switch r.peek() {
	case ',':
		r.p++
		return true
	case shut:
		if r.err == nil {
			r.p++
			r.depth--
			return false
		}
	}
	r.Fail("comma or end expected")
	return false
}

// plainKey reads a name and its colon in the usual form, without white space and escapes. It reports whether this form stands here.
func (r *Reader) plainKey() (name string, ok bool) {
	s, start := r.s, r.p+1
	if start > len(s) || s[start-1] != '"' {
		return "", false
	}
	p := plain(s, start)
	if p+1 >= len(s) || s[p] != '"' || s[p+1] != ':' {
		return "", false
	}
	r.p = p + 2
	return s[start:p], true
}

// Key reads a member's name and the colon.
func (r *Reader) Key() string {
	if r.peek() != '"' {
		r.Fail("name expected")
		return ""
	}
	k := r.String()
	if r.peek() != ':' {
		r.Fail("colon expected")
		return ""
	}
	r.p++
	return k
}

// Field reads a member's name and the colon and returns the name's index in names, -1 if it is not there. seen is 0 at the object's
// beginning and records which names have been read: a second time is an error. There may be 64 names at most. Reading members in the
// order of names is quickest.
func (r *Reader) Field(names []string, seen *uint64) int {
	k, ok := r.plainKey()
	if !ok {
		k = r.Key()
	}
	i := bits.Len64(*seen) // the name after the last one read
	for range names {
		if i >= len(names) {
			i = 0
		}
		if names[i] == k {
			if *seen&(1<<i) != 0 {
				r.Fail("duplicate name")
			}
			*seen |= 1 << i
			return i
		}
		i++
	}
	return -1
}

// String reads a string; null is "".
func (r *Reader) String() string {
	if r.p >= len(r.s) || r.s[r.p] != '"' {
		switch r.peek() {
		case '"':
		case 'n':
			r.literal("null")
			return ""
		default:
			r.Fail("string expected")
			return ""
		}
	}
	s, start := r.s, r.p+1
	if p := plain(s, start); p < len(s) {
		switch s[p] {
		case '"':
			r.p = p + 1
			return s[start:p]
		case '\\':
			return r.unescape(start, p)
		}
		r.p = p
		r.Fail("control character in a string")
		return ""
	}
	r.Fail("unexpected end")
	return ""
}

// unescape reads a string whose first escape stands at p.
func (r *Reader) unescape(start, p int) string {
	v, end, ok := Unescape(r.s, start, p)
	if !ok {
		r.p = min(end, len(r.s))
		r.Fail("bad escape or end in a string")
		return ""
	}
	r.p = end
	return v
}

// Bool reads a boolean; null is false.
func (r *Reader) Bool() bool {
	switch r.peek() {
	case 't':
		r.literal("true")
		return r.err == nil
	case 'f':
		r.literal("false")
	case 'n':
		r.literal("null")
	default:
		r.Fail("boolean expected")
	}
	return false
}

// Int64 reads an integer: no fraction, no exponent, no leading zeros. null is 0.
func (r *Reader) Int64() int64 {
	if r.peek() == 'n' {
		r.literal("null")
		return 0
	}
	p := r.p
	neg := p < len(r.s) && r.s[p] == '-'
	if neg {
		p++
	}
	first := p
	var v uint64
	for p < len(r.s) && r.s[p]-'0' <= 9 {
		if v = v*10 + uint64(r.s[p]-'0'); p-first >= 19 {
			r.Fail("number out of range")
			return 0
		}
		p++
	}
	switch {
	case p == first || (r.s[first] == '0' && p > first+1):
		r.Fail("integer expected")
		return 0
	case p < len(r.s) && (r.s[p] == '.' || r.s[p]|32 == 'e'):
		r.Fail("integer expected, not a fraction")
		return 0
	case v > 1<<63-1 && !(neg && v == 1<<63):
		r.Fail("number out of range")
		return 0
	}
	r.p = p
	if neg {
		return int64(-v)
	}
	return int64(v)
}

// Int reads an integer of 32 bits with sign, which is what every field of Go type int holds on the wire. null is 0.
func (r *Reader) Int() int {
	n := r.Int64()
	if n != int64(int32(n)) {
		r.Fail("number out of range")
		return 0
	}
	return int(n)
}

// Skip reads one value of any kind, as strictly as the other methods.
func (r *Reader) Skip() {
	if r.err != nil {
		return
	}
	end, reason := Skip(r.s, r.p, MaxDepth-r.depth)
	r.p = end
	if reason != "" {
		r.Fail(reason)
	}
}
