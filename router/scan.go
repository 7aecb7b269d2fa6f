package router

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"payswitch/engine"
)

// maxDepth bounds how deep arrays and objects nest.
const maxDepth = 128

// reader reads one JSON document strictly (RFC 8259, valid UTF-8, no NUL in strings) and knows where it is: every error ends with the
// line and the column (both from 1, in bytes) of the last byte of what is wrong.
type reader struct {
	data  []byte
	pos   int // the next byte
	depth int

	testCards bool // take the test numbers that fail Luhn
	// apart are values, as ranges of data, in which a card number may stand.
	apart [][2]int
}

// fail is an error about what ends with the byte at index last.
func (r *reader) fail(last int, text string) error {
	last = min(last, len(r.data)-1)
	line, column := 1, 0
	for _, b := range r.data[:max(last, 0)] {
		if column++; b == '\n' {
			line, column = line+1, 0
		}
	}
	if last >= 0 {
		column++
	}
	return engine.Malformed("", text+" at line "+strconv.Itoa(line)+" column "+strconv.Itoa(column))
}

// failHere is an error about the next byte, or about the end.
func (r *reader) failHere(text, atEnd string) error {
	if r.pos >= len(r.data) {
		return r.fail(len(r.data), atEnd)
	}
	return r.fail(r.pos, text)
}

// peek skips space and returns the next byte, 0 at the end.
func (r *reader) peek() byte {
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\n', '\r', '\t':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// start checks what concerns the document as a whole.
func (r *reader) start() error {
	if utf8.Valid(r.data) {
		return nil
	}
	for i := 0; i < len(r.data); {
		c, size := utf8.DecodeRune(r.data[i:])
		if c == utf8.RuneError && size == 1 {
			return r.fail(i, "invalid unicode code point")
		}
		i += size
	}
	return nil
}

// end refuses anything after the document.
func (r *reader) end() error {
	if r.peek() != 0 || r.pos < len(r.data) {
		return r.fail(r.pos, "trailing characters")
	}
	return nil
}

func (r *reader) null() (bool, error) {
	if r.peek() != 'n' {
		return false, nil
	}
	return true, r.word("null")
}

func (r *reader) word(w string) error {
	for i := range len(w) {
		if r.pos+i >= len(r.data) {
			return r.fail(len(r.data), "EOF while parsing a value")
		}
		if r.data[r.pos+i] != w[i] {
			return r.fail(r.pos+i, "expected ident")
		}
	}
	r.pos += len(w)
	return nil
}

// string reads a string; the bytes are the document's own where it has no escapes.
func (r *reader) string() ([]byte, error) {
	r.pos++ // the quote
	from := r.pos
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; {
		case c == '"':
			r.pos++
			return r.data[from : r.pos-1], nil
		case c == '\\':
			return r.escaped(append([]byte(nil), r.data[from:r.pos]...))
		case c < ' ':
			return nil, r.fail(r.pos, "control character (\\u0000-\\u001F) found while parsing a string")
		}
		r.pos++
	}
	return nil, r.fail(r.pos, "EOF while parsing a string")
}

// escaped goes on with a string from its first backslash; out is what came before.
func (r *reader) escaped(out []byte) ([]byte, error) {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		switch {
		case c == '"':
			r.pos++
			return out, nil
		case c < ' ':
			return nil, r.fail(r.pos, "control character (\\u0000-\\u001F) found while parsing a string")
		case c != '\\':
			out = append(out, c)
			r.pos++
			continue
		}
		if r.pos++; r.pos >= len(r.data) {
			break
		}
		c = r.data[r.pos]
		if c == 'u' {
			code, err := r.unicode()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, code)
			continue
		}
		i := bytes.IndexByte([]byte(`"\/bfnrt`), c)
		if i < 0 {
			return nil, r.fail(r.pos, "invalid escape")
		}
		out = append(out, "\"\\/\b\f\n\r\t"[i])
		r.pos++
	}
	return nil, r.fail(r.pos, "EOF while parsing a string")
}

// unicode reads uXXXX, and the second half of a surrogate pair; pos is at the u.
func (r *reader) unicode() (rune, error) {
	code, err := r.hex()
	if err != nil {
		return 0, err
	}
	switch {
	case code == 0:
		return 0, r.fail(r.pos-1, "NUL character (\\u0000) found while parsing a string")
	case code >= 0xdc00 && code < 0xe000:
		return 0, r.fail(r.pos-1, "lone leading surrogate in hex escape")
	case code < 0xd800 || code >= 0xe000:
		return code, nil
	}
	if !bytes.HasPrefix(r.data[r.pos:], []byte(`\u`)) {
		return 0, r.fail(r.pos, "unexpected end of hex escape")
	}
	r.pos++
	low, err := r.hex()
	if err != nil {
		return 0, err
	}
	if code = utf16.DecodeRune(code, low); code == utf8.RuneError {
		return 0, r.fail(r.pos-1, "lone leading surrogate in hex escape")
	}
	return code, nil
}

func (r *reader) hex() (rune, error) {
	if r.pos+5 > len(r.data) {
		return 0, r.fail(len(r.data), "EOF while parsing a string")
	}
	v, err := strconv.ParseUint(string(r.data[r.pos+1:r.pos+5]), 16, 32)
	if err != nil || r.data[r.pos+1] == '+' {
		return 0, r.fail(r.pos+4, "invalid escape")
	}
	r.pos += 5
	return rune(v), nil
}

// number reads a number; whole says that it has neither fraction nor exponent (and is not -0).
func (r *reader) number() (text []byte, whole bool, err error) {
	from := r.pos
	if r.data[r.pos] == '-' {
		r.pos++
	}
	whole = true
	switch c := r.at(); {
	case c == '0':
		r.pos++
		whole = r.data[from] != '-'
	case c >= '1' && c <= '9':
		r.digits()
	default:
		return nil, false, r.failHere("invalid number", "EOF while parsing a value")
	}
	if c := r.at(); c >= '0' && c <= '9' {
		return nil, false, r.fail(r.pos, "invalid number")
	}
	if r.at() == '.' {
		whole = false
		r.pos++
		if r.digits() == 0 {
			return nil, false, r.failHere("invalid number", "EOF while parsing a value")
		}
	}
	if c := r.at(); c == 'e' || c == 'E' {
		whole = false
		r.pos++
		if c := r.at(); c == '+' || c == '-' {
			r.pos++
		}
		if r.digits() == 0 {
			return nil, false, r.failHere("invalid number", "EOF while parsing a value")
		}
	}
	text = r.data[from:r.pos]
	if !whole || len(text) > 300 {
		if _, err := strconv.ParseFloat(string(text), 64); err != nil {
			return nil, false, r.fail(r.pos-1, "number out of range")
		}
	}
	return text, whole, nil
}

func (r *reader) at() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

func (r *reader) digits() int {
	from := r.pos
	for c := r.at(); c >= '0' && c <= '9'; c = r.at() {
		r.pos++
	}
	return r.pos - from
}

// members calls f for every member of an object; f is called with the reader before the value and reads it. keyEnd is the index of the
// key's closing quote.
func (r *reader) members(f func(key []byte, keyEnd int) error) error {
	return r.nested('}', "an object", func() error {
		if c := r.peek(); c != '"' {
			return r.failHere("key must be a string", "EOF while parsing an object")
		}
		key, err := r.string()
		if err != nil {
			return err
		}
		keyEnd := r.pos - 1
		if r.peek() != ':' {
			return r.failHere("expected `:`", "EOF while parsing an object")
		}
		r.pos++
		return f(key, keyEnd)
	})
}

// elements calls f for every element of an array; f reads it.
func (r *reader) elements(f func() error) error { return r.nested(']', "a list", f) }

func (r *reader) nested(closing byte, what string, f func() error) error {
	if r.depth++; r.depth > maxDepth {
		return r.fail(r.pos, "recursion limit exceeded")
	}
	r.pos++ // the bracket
	atEnd := "EOF while parsing " + what
	for first := true; ; first = false {
		c := r.peek()
		switch {
		case c == closing:
			r.pos++
			r.depth--
			return nil
		case r.pos >= len(r.data):
			return r.fail(r.pos, atEnd)
		case !first:
			if c != ',' {
				return r.fail(r.pos, "expected `,` or `"+string(closing)+"`")
			}
			r.pos++
			if r.peek() == closing {
				return r.fail(r.pos, "trailing comma")
			}
		}
		if err := f(); err != nil {
			return err
		}
	}
}

// skip reads any value.
func (r *reader) skip() error {
	switch c := r.peek(); {
	case c == '{':
		return r.members(func([]byte, int) error { return r.skip() })
	case c == '[':
		return r.elements(r.skip)
	case c == '"':
		_, err := r.string()
		return err
	case c == 't':
		return r.word("true")
	case c == 'f':
		return r.word("false")
	case c == 'n':
		return r.word("null")
	case c == '-' || c >= '0' && c <= '9':
		_, _, err := r.number()
		return err
	}
	return r.failHere("expected value", "EOF while parsing a value")
}

// raw reads any value and returns it without insignificant space, as a copy.
func (r *reader) raw() (json.RawMessage, error) {
	r.peek()
	from := r.pos
	if err := r.skip(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(r.pos - from)
	if err := json.Compact(&out, r.data[from:r.pos]); err != nil {
		return nil, fmt.Errorf("compact a value that was read: %w", err)
	}
	return out.Bytes(), nil
}
