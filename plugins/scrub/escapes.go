package scrub

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape turns the view into the text without its escapes, with the digits of every script as ASCII digits. It reports whether that differs.
// The origin of each byte stays known, so that an edit covers whole escapes.
func (v *view) unescape() bool {
	text, at := v.source, []span(nil)
	changed := false
	for range maxEncodings { // escapes may stand in escapes
		out, outAt, again := unescapeOnce(text, at, v.first)
		if !again {
			break
		}
		text, at, changed = string(out), outAt, true
	}
	if out, outAt, also := foldDigits(text, at); also {
		text, at, changed = string(out), outAt, true
	}
	if changed {
		v.text, v.at = text, at
	}
	return changed
}

// fold turns the view into the text with the digits of every script as ASCII digits, and with its escapes unchanged.
func (v *view) fold() bool {
	out, at, changed := foldDigits(v.source, nil)
	v.text, v.at = string(out), at
	return changed
}

// isForeignDigit reports whether a text begins with a digit of another script.
func isForeignDigit(t string) bool {
	if t[0] < 0xD9 { // U+0660 is the first one
		return false
	}
	r, _ := utf8.DecodeRuneInString(t)
	_, ok := digitValue(r)
	return ok
}

// isEscape reports whether a text may begin with an escape.
func isEscape(t string) bool {
	switch t[0] {
	case '%':
		return len(t) > 2 && isHex(t[1]) && isHex(t[2])
	case '&':
		_, n := entity(t)
		return n > 0
	}
	return true
}

// isQuotedPrintable reports whether a text begins with two digits in a row in quoted-printable, or with a line break of it. A single digit may
// as well be part of a form's field.
func isQuotedPrintable(t string) bool {
	return len(t) > 5 && t[1] == '3' && t[2]-'0' <= 9 && t[3] == '=' && t[4] == '3' && t[5]-'0' <= 9 || strings.HasPrefix(t, "=\n") || strings.HasPrefix(t, "=\r\n")
}

// decoder collects bytes and their origins.
type decoder struct {
	out []byte
	at  []span
	was []span // origins of the text that is read; nil: it is the source

	first string // a number's first digits: after the apparent beginning of an escape they are not a code
}

func (d *decoder) place(start, end int) span {
	if d.was == nil {
		return span{int32(start), int32(end)}
	}
	return span{d.was[start].start, d.was[end-1].end}
}

func (d *decoder) byte(c byte, start, end int) {
	d.out, d.at = append(d.out, c), append(d.at, d.place(start, end))
}

func (d *decoder) rune(r rune, start, end int) {
	if r < utf8.RuneSelf {
		d.byte(byte(r), start, end)
		return
	}
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		d.byte(c, start, end)
	}
}

// unescapeOnce removes one layer of escapes: those of JSON and programming languages, of URLs, of HTML and XML, and of quoted-printable.
func unescapeOnce(t string, was []span, first string) (out []byte, at []span, changed bool) {
	d := decoder{out: make([]byte, 0, len(t)), at: make([]span, 0, len(t)), was: was, first: first}
	quoted := -1 // end of the last digit in quoted-printable
	for i := 0; i < len(t); {
		n := 0
		switch t[i] {
		case '\\':
			n = d.backslash(t, i)
		case '%':
			if i+2 < len(t) && isHex(t[i+1]) && isHex(t[i+2]) && !d.isNumber(t[i+1:]) {
				d.byte(unhexByte(t[i+1])<<4|unhexByte(t[i+2]), i, i+3)
				n = 3
			}
		case '&':
			if code := strings.TrimLeft(t[i:min(len(t), i+3)], "&#xX"); !d.isNumber(t[min(len(t), i+3)-len(code):]) {
				var r rune
				if r, n = entity(t[i:]); n > 0 {
					d.rune(r, i, i+n)
				}
			}
		case '=':
			switch rest := t[i:]; {
			case strings.HasPrefix(rest, "=\r\n"):
				n = 3
			case strings.HasPrefix(rest, "=\n"):
				n = 2
			case isQuotedPrintable(rest) || quoted == i && len(rest) > 2 && rest[1] == '3' && rest[2]-'0' <= 9:
				d.byte(rest[2], i, i+3)
				n, quoted = 3, i+3
			}
		}
		if changed = changed || n > 0; n == 0 {
			d.byte(t[i], i, i+1)
			n = 1
		}
		i += n
	}
	return d.out, d.at, changed
}

// isNumber reports whether a text begins like the card's number.
func (d *decoder) isNumber(t string) bool {
	return len(d.first) >= 4 && strings.HasPrefix(t, d.first[:4])
}

// backslash reads an escape that begins with one or more backslashes, as in a text that was escaped several times. It returns its length.
func (d *decoder) backslash(t string, i int) int {
	n := 1
	for i+n < len(t) && t[i+n] == '\\' {
		n++
	}
	if i+n == len(t) {
		d.byte('\\', i, i+n)
		return n
	}
	switch c := t[i+n]; {
	case c == 'u' && isHexes(t[i+n+1:], 4) && !isDigitsByChance(t[i+n+1:i+n+5]):
		r := hexRune(t[i+n+1 : i+n+5])
		size := n + 5
		if utf16.IsSurrogate(r) {
			rest := t[i+size:]
			backslashes := len(rest) - len(strings.TrimLeft(rest, `\`))
			if rest = rest[backslashes:]; backslashes > 0 && rest != "" && rest[0] == 'u' && isHexes(rest[1:], 4) {
				if both := utf16.DecodeRune(r, hexRune(rest[1:5])); both != unicode.ReplacementChar {
					r, size = both, size+backslashes+5
				}
			}
		}
		d.rune(r, i, i+size)
		return size
	case c == 'x' && isHexes(t[i+n+1:], 2) && !d.isNumber(t[i+n+1:]):
		d.byte(byte(hexRune(t[i+n+1:i+n+3])), i, i+n+3)
		return n + 3
	case c == 'n' || c == 'r':
		d.byte('\n', i, i+n+1)
		return n + 1
	case c == 't' || c == 'b' || c == 'f':
		d.byte(' ', i, i+n+1)
		return n + 1
	case c < 0x80 && !isAlphanumeric(c) && c >= ' ':
		d.byte(c, i, i+n+1)
		return n + 1
	}
	d.byte('\\', i, i+n)
	return n
}

// isDigitsByChance reports whether four digits are more likely digits than a character's code: a code of no digit and no separator.
func isDigitsByChance(s string) bool {
	if !isDigits(s) {
		return false
	}
	r := hexRune(s)
	_, digit := digitValue(r)
	return r >= 0x100 && !digit && (r < 0x2000 || r > 0x206F) && r != 0x3000
}

func isHexes(s string, n int) bool {
	if len(s) < n {
		return false
	}
	for i := range n {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func hexRune(s string) (r rune) {
	for i := range len(s) {
		r = r<<4 | rune(unhexByte(s[i]))
	}
	return r
}

func unhexByte(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 32 - 'a' + 10
}

// entities are those of separators and quotes. Other entities are letters or signs.
var entities = map[string]rune{"quot": '"', "apos": '\'', "amp": '&', "lt": '<', "gt": '>'}

// entity returns the character of the HTML or XML entity at the beginning of a text, and the entity's length, or 0 without an entity.
func entity(t string) (r rune, n int) {
	if len(t) < 4 {
		return 0, 0
	}
	if t[1] != '#' {
		for n = 1; n < len(t) && n < 10 && t[n]|32 >= 'a' && t[n]|32 <= 'z'; n++ {
		}
		if n < 3 || n == len(t) || t[n] != ';' {
			return 0, 0
		}
		if r, ok := entities[t[1:n]]; ok {
			return r, n + 1
		}
		return ' ', n + 1
	}
	n = 2
	if t[2]|32 == 'x' {
		for n = 3; n < len(t) && n < 10 && isHex(t[n]); n++ {
			r = r<<4 | rune(unhexByte(t[n]))
		}
		if n == 3 {
			return 0, 0
		}
	} else {
		for ; n < len(t) && n < 10 && t[n]-'0' <= 9; n++ {
			r = r*10 + rune(t[n]-'0')
		}
		if n == 2 {
			return 0, 0
		}
	}
	switch {
	case r > unicode.MaxRune || n == len(t) || t[n] != ';' && t[n] != '&': // some programs write no semicolon before the next entity
		return 0, 0
	case t[n] == ';':
		n++
	}
	return r, n
}

// foldDigits replaces each digit of another script by an ASCII digit; other characters that are not letters by a space, and letters by one
// byte above ASCII.
func foldDigits(t string, was []span) (out []byte, at []span, changed bool) {
	i := 0
	for i < len(t) && t[i] < utf8.RuneSelf {
		i++
	}
	if i == len(t) {
		return nil, nil, false
	}
	d := decoder{out: make([]byte, 0, len(t)), at: make([]span, 0, len(t)), was: was}
	for i = 0; i < len(t); {
		if t[i] < utf8.RuneSelf {
			d.byte(t[i], i, i+1)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(t[i:])
		if r == utf8.RuneError && n == 1 {
			r = rune(t[i]) // read as Latin 1
		}
		c := byte(' ')
		if v, ok := digitValue(r); ok {
			c = '0' + v
		} else if unicode.IsLetter(r) {
			c = 0xFF
		}
		d.byte(c, i, i+n)
		i += n
	}
	return d.out, d.at, true
}

// digitValue returns the value of a decimal digit of any script. Unicode has them in rows of ten, each beginning with the zero.
func digitValue(r rune) (byte, bool) {
	if r >= 0xFF10 && r <= 0xFF19 {
		return byte(r - 0xFF10), true
	}
	if !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, x := range unicode.Nd.R16 {
		if r >= rune(x.Lo) && r <= rune(x.Hi) {
			return byte((r - rune(x.Lo)) % 10), true
		}
	}
	for _, x := range unicode.Nd.R32 {
		if r >= rune(x.Lo) && r <= rune(x.Hi) {
			return byte((r - rune(x.Lo)) % 10), true
		}
	}
	return 0, false
}

func isHex(c byte) bool { return c-'0' <= 9 || c|32 >= 'a' && c|32 <= 'f' }
