package jsontext

import (
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD. U+007F and above are not escaped.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := clean(s, 0); i < len(s); i = clean(s, i) {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			b = append(append(b, s[start:i]...), "\uFFFD"...)
			i++
			start = i
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// AppendName appends a member's name and its colon, with a comma before them unless the object has just begun.
func AppendName(b []byte, name string) []byte {
	b = AppendComma(b)
	return append(AppendString(b, name), ':')
}

// AppendComma appends a comma unless an object or array has just begun.
func AppendComma(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] != '{' && b[n-1] != '[' {
		return append(b, ',')
	}
	return b
}

// AppendInt appends an integer.
func AppendInt(b []byte, n int64) []byte {
	if n < 0 {
		return strconv.AppendInt(b, n, 10)
	}
	var digits [20]byte
	i := len(digits)
	for u := uint64(n); ; u /= 10 {
		i--
		if digits[i] = byte('0' + u%10); u < 10 {
			return append(b, digits[i:]...)
		}
	}
}

// AppendBool appends a boolean.
func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// The functions below append a member to the object at the end of b, with a comma if needed. key is the name in JSON form, with quotes and
// colon.

// Name appends a member's name. The caller appends the value.
func Name(b []byte, key string) []byte { return append(AppendComma(b), key...) }

// Str appends a member that is a string.
func Str(b []byte, key, v string) []byte { return AppendString(Name(b, key), v) }

// OptStr appends a member that is a string, unless it is "".
func OptStr(b []byte, key, v string) []byte {
	if v == "" {
		return b
	}
	return Str(b, key, v)
}

// Int appends a member that is an integer.
func Int(b []byte, key string, n int64) []byte { return AppendInt(Name(b, key), n) }

// OptInt appends a member that is an integer, unless it is 0.
func OptInt(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	return Int(b, key, n)
}

// Bool appends a member that is a boolean.
func Bool(b []byte, key string, v bool) []byte { return AppendBool(Name(b, key), v) }

// OptBool appends a member that is true, and nothing if it is false.
func OptBool(b []byte, key string, v bool) []byte {
	if !v {
		return b
	}
	return Bool(b, key, true)
}
