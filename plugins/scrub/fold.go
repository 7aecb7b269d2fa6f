package scrub

import (
	"unicode"
	"unicode/utf8"
)

// AppendFolded appends a name as the most lenient server could read it: letters in lower case, and digits, without the characters between or around
// them. PHP makes one name of "security.key", "+security_key", "security key" and "security[key"; other servers ignore case, take "-" for "_", or end
// a name at a zero byte.
func AppendFolded(b []byte, name string) []byte {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case foldedBytes[c] != 0:
			b = append(b, foldedBytes[c])
		case c == 0:
			return b
		case c < utf8.RuneSelf:
		default:
			r, size := utf8.DecodeRuneInString(name[i:])
			b = appendFoldedRune(b, r)
			i += size - 1
		}
	}
	return b
}

func appendFoldedByte(b []byte, c byte) []byte {
	if f := foldedBytes[c]; f != 0 {
		return append(b, f)
	}
	return b
}

// foldedBytes holds each ASCII letter in lower case and each digit as it is, and 0 for every other byte.
var foldedBytes = func() (all [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		if isAlphanumeric(c) {
			all[c] = c
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		all[c] = c | 32
	}
	return all
}()

// appendFoldedRune folds a character beyond ASCII: full-width forms, and those that are an ASCII letter in another case.
func appendFoldedRune(b []byte, r rune) []byte {
	if r >= 0xFF01 && r <= 0xFF5E {
		return appendFoldedByte(b, byte(r-0xFF01+'!'))
	}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f < utf8.RuneSelf {
			return append(b, byte(f)|32)
		}
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return utf8.AppendRune(b, unicode.ToLower(r))
	}
	return b
}

// Folded returns a name as AppendFolded makes it.
func Folded(name string) string { return string(AppendFolded(make([]byte, 0, len(name)), name)) }

// FoldedSet returns a set of names, folded.
func FoldedSet(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[Folded(name)] = true
	}
	return all
}
