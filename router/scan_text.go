package router

import (
	"bytes"
	"strconv"

	"payswitch/engine"
)

// wrongType reads the value that is there and says that another was expected. shown false keeps the value itself out of the message.
func (r *reader) wrongType(expected string, shown bool) error {
	c := r.peek()
	from := r.pos
	if err := r.skip(); err != nil {
		return err
	}
	text := r.data[from:r.pos]
	var what string
	switch c {
	case '{':
		what = "map"
	case '[':
		what = "sequence"
	case '"':
		what = "string"
		if shown {
			r.pos = from
			s, _ := r.string() // it was read before
			what = "string " + quoted(s)
		}
	case 't', 'f':
		what = "boolean `" + string(text) + "`"
	case 'n':
		what = "null"
	default:
		what = "integer"
		if bytes.ContainsAny(text, ".eE") {
			what = "floating point"
		}
		if shown {
			what += " `" + shownText(text) + "`"
		}
	}
	return r.fail(r.pos-1, "invalid type: "+what+", expected "+expected)
}

// quoted is s in double quotes for a message.
func quoted(s []byte) string { return strconv.Quote(shownText(s)) }

// shownText is a caller's value as a message may show it: at most 64 bytes, and without runs of 12 and more digits, which may be a
// card number in the wrong place.
func shownText(s []byte) string {
	s = []byte(engine.MaskCards(string(s))) // in other digits than ours, too
	out := make([]byte, 0, min(len(s), 67))
	for i := 0; i < len(s); {
		if len(out) >= 64 {
			return string(bytes.ToValidUTF8(out, nil)) + "..."
		}
		n := 0
		for i+n < len(s) && (s[i+n] >= '0' && s[i+n] <= '9' || n > 0 && (s[i+n] == ' ' || s[i+n] == '-')) {
			n++
		}
		switch {
		case n >= 12:
			out = append(out, '*')
			i += n
		default:
			n = max(n, 1)
			out = append(out, s[i:i+n]...)
			i += n
		}
	}
	return string(out)
}
