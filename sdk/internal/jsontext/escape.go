package jsontext

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape decodes the string whose contents begin at start and whose first escape stands at p. It returns the value and the offset
// after the closing quote. A lone surrogate is an error.
func Unescape(s string, start, p int) (value string, end int, ok bool) {
	b := make([]byte, 0, p-start+32)
	for p < len(s) {
		switch c := s[p]; {
		case c == '"':
			return string(append(b, s[start:p]...)), p + 1, true
		case c < ' ':
			return "", p, false
		case c != '\\':
			p++
			continue
		}
		b = append(b, s[start:p]...)
		u, next := escape(s, p)
		if u < 0 {
			return "", next, false
		}
		b = utf8.AppendRune(b, u)
		p, start = next, next
	}
	return "", p, false
}

// UnescapeLenient decodes the contents of a string that Skip has accepted and whose first escape stands at p. A lone surrogate becomes
// U+FFFD.
func UnescapeLenient(s string, p int) string {
	b := make([]byte, 0, len(s))
	start := 0
	for p < len(s) {
		if s[p] != '\\' {
			p++
			continue
		}
		b = append(b, s[start:p]...)
		u, next := escape(s, p)
		b = utf8.AppendRune(b, u) // -1 becomes U+FFFD
		p, start = next, next
	}
	return string(append(b, s[min(start, len(s)):]...))
}

// escape decodes the escape at p. The character is -1 for an invalid escape and for a lone surrogate.
func escape(s string, p int) (u rune, next int) {
	if p+1 >= len(s) {
		return -1, len(s)
	}
	c := s[p+1]
	p += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), p
	case 'b':
		return '\b', p
	case 'f':
		return '\f', p
	case 'n':
		return '\n', p
	case 'r':
		return '\r', p
	case 't':
		return '\t', p
	case 'u':
	default:
		return -1, p
	}
	u = hex4(s, p)
	p = min(p+4, len(s))
	if u < 0 || !utf16.IsSurrogate(u) {
		return u, p
	}
	low := rune(-1)
	if p+6 <= len(s) && s[p] == '\\' && s[p+1] == 'u' {
		low = hex4(s, p+2)
	}
	if u = utf16.DecodeRune(u, low); u == utf8.RuneError {
		return -1, p
	}
	return u, p + 6
}

// hex4 reads four hex digits at p; it returns -1 for other characters.
func hex4(s string, p int) rune {
	if p+4 > len(s) {
		return -1
	}
	var u rune
	for i := p; i < p+4; i++ {
		c := s[i]
		u <<= 4
		switch {
		case c >= '0' && c <= '9':
			u |= rune(c - '0')
		case c|32 >= 'a' && c|32 <= 'f':
			u |= rune(c|32-'a') + 10
		default:
			return -1
		}
	}
	return u
}
