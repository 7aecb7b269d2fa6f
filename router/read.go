package router

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"payswitch/engine/card"
	"payswitch/engine/fault"
)

// maxDepth is how many arrays and objects may stand inside each other.
const maxDepth = 128

// document is a request body while it is read.
type document struct {
	body      []byte
	testCards bool // accept the 3DS test card numbers that fail the Luhn check
	// apart lists the values, as ranges of body, that the search for card numbers skips.
	apart [][2]int
}

// reader reads a document, or one value of it, token by token. It accepts RFC 8259 JSON in valid UTF-8. Beyond that it refuses NUL
// in strings, numbers outside a float64, and nesting deeper than maxDepth. Every error carries the path of the field at fault. It
// also carries the line and column (both from 1, in bytes) of the last byte of the offending value.
type reader struct {
	*document
	dec    *jsontext.Decoder // reads body from base on
	base   int
	prefix string // the path of the value at base; "" for the whole body
}

func newReader(body []byte) *reader { return (&document{body: body}).reader(0, len(body), "") }

// reader returns a reader of the value body[from:to], whose path is prefix.
func (d *document) reader(from, to int, prefix string) *reader {
	// The tables find duplicate keys themselves. Free-form objects may hold them.
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.body[from:to]), jsontext.AllowDuplicateNames(true))
	return &reader{document: d, dec: dec, base: from, prefix: prefix}
}

// pos returns the index in body after the token that was read last.
func (r *reader) pos() int { return r.base + int(r.dec.InputOffset()) }

// next returns the index in body of the next token.
func (r *reader) next() int {
	i := r.pos()
	for i < len(r.body) && strings.IndexByte(" \t\r\n,:", r.body[i]) >= 0 {
		i++
	}
	return i
}

// kind returns the first byte of the next token: one of n f t " 0 { } [ ]. It is 0 where the JSON ends or is broken; the next read then returns the
// error.
func (r *reader) kind() jsontext.Kind { return r.dec.PeekKind() }

// token reads the next token and returns it as it stands in the body.
func (r *reader) token() (jsontext.Value, error) {
	from := r.next()
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, r.syntaxError(err)
	}
	v := jsontext.Value(r.body[from:r.pos()])
	switch v[0] {
	case '{', '[':
		if r.dec.StackDepth() > maxDepth {
			return nil, r.fail("the JSON is nested deeper than "+strconv.Itoa(maxDepth)+" levels", "Send fewer objects and lists inside each other.")
		}
	case '"':
		if bytes.Contains(v, []byte(`\u0000`)) && bytes.IndexByte(unquote(v), 0) >= 0 {
			return nil, r.fail("a string contains the NUL character (\\u0000)", "Send the text without it.")
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if bytes.ContainsAny(v, ".eE") || len(v) > 300 {
			if _, err := strconv.ParseFloat(string(v), 64); err != nil {
				return nil, r.fail("number out of range", "Send a number that a 64-bit float can hold.")
			}
		}
	}
	return v, nil
}

// value reads the next value, with everything in it, and returns it as it stands in the body.
func (r *reader) value() (jsontext.Value, error) {
	from, depth := r.next(), r.dec.StackDepth()
	for {
		if _, err := r.token(); err != nil {
			return nil, err
		}
		if r.dec.StackDepth() == depth {
			return r.body[from:r.pos()], nil
		}
	}
}

// raw reads the next value and returns a copy without insignificant space.
func (r *reader) raw() (json.RawMessage, error) {
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	return compact(v)
}

func compact(v jsontext.Value) (json.RawMessage, error) {
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return nil, fault.Internal(err, "compact a value that was read")
	}
	return json.RawMessage(v), nil
}

// null reads a null if the next value is one.
func (r *reader) null() (bool, error) {
	if r.kind() != 'n' {
		return false, nil
	}
	_, err := r.token()
	return true, err
}

// string reads a string. With shown false, no message repeats the value.
func (r *reader) string(shown bool) ([]byte, error) {
	if r.kind() != '"' {
		return nil, r.wrongType("a string", shown)
	}
	v, err := r.token()
	if err != nil {
		return nil, err
	}
	return unquote(v), nil
}

// unquote returns the text of a JSON string. Where v has no escapes, the result shares its memory.
func unquote(v jsontext.Value) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, v) // the decoder has checked v
	return text
}

// members reads an object. For every member it calls f, which reads the value.
func (r *reader) members(f func(name []byte) error) error {
	_, err := r.token() // {
	for err == nil && r.kind() != '}' {
		var name jsontext.Value
		if name, err = r.token(); err == nil {
			err = f(unquote(name))
		}
	}
	if err != nil {
		return err
	}
	_, err = r.token() // }
	return err
}

// elements reads an array. For every element it calls f, which reads the value.
func (r *reader) elements(f func() error) error {
	_, err := r.token() // [
	for err == nil && r.kind() != ']' {
		err = f()
	}
	if err != nil {
		return err
	}
	_, err = r.token() // ]
	return err
}

// end refuses anything after the document.
func (r *reader) end() error {
	first := r.next()
	if _, err := r.dec.ReadToken(); err != io.EOF {
		return r.failAt(first+1, "", "unexpected text after the JSON document").WithHint("Send one JSON object alone.")
	}
	return nil
}

// isName reports whether the token that was read last is the name of an object's member.
func (r *reader) isName() bool {
	kind, tokens := r.dec.StackIndex(r.dec.StackDepth())
	return kind == '{' && tokens%2 == 1
}

// path returns where the reader stands in the body: order_details[0].amount. After an object's key it is the key's path, after a value the value's.
// Card numbers in names are masked.
func (r *reader) path() string { return r.pathOf(r.dec.StackPointer()) }

func (r *reader) pathOf(p jsontext.Pointer) string {
	path, depth := r.prefix, 0
	for name := range p.Tokens() {
		if depth++; depth <= r.dec.StackDepth() {
			if kind, _ := r.dec.StackIndex(depth); kind == '[' {
				path += "[" + name + "]"
				continue
			}
		}
		path = join(path, shownText([]byte(name)))
	}
	return path
}

// join returns the path of the field name within the object at path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fail returns an error about the key or value that was read last.
func (r *reader) fail(text, hint string) *fault.Error {
	return r.failAt(r.pos(), r.path(), text).WithHint(hint)
}

// failAt returns an error about the field param, whose last byte is before the index end.
func (r *reader) failAt(end int, param, text string) *fault.Error {
	before := r.body[:max(0, min(end, len(r.body))-1)]
	line, column := 1+bytes.Count(before, []byte{'\n'}), min(1, len(r.body))+len(before)-1-bytes.LastIndexByte(before, '\n')
	return fault.Malformed(param, text+" at line "+strconv.Itoa(line)+" column "+strconv.Itoa(column)).WithHint("Mend the JSON at this place.")
}

// syntaxError returns an error of the decoder: the body is not JSON.
func (r *reader) syntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
		hint := "Send the whole JSON object."
		if len(r.body) == 0 {
			hint = "Send a JSON object: {} if no field is needed."
		}
		return r.failAt(len(r.body), "", "the JSON ends before it is complete").WithHint(hint)
	}
	text := syntax.Err.Error()
	for _, broken := range []string{"invalid surrogate pair", "invalid escape sequence"} {
		if strings.HasPrefix(text, broken) {
			text = broken + " in string" // the decoder repeats what follows: it may be part of a secret
		}
	}
	return r.failAt(r.base+int(syntax.ByteOffset)+1, r.pathOf(syntax.JSONPointer), text)
}

// wrongType reads the next value and says that a value of another type was expected. With shown false, the message does not repeat
// the value.
func (r *reader) wrongType(expected string, shown bool) error {
	v, err := r.value()
	if err != nil {
		return err
	}
	var what string
	switch v.Kind() {
	case '{':
		what = "map"
	case '[':
		what = "sequence"
	case '"':
		what = "string"
		if shown {
			what += " " + quoted(unquote(v))
		}
	case 't', 'f':
		what = "boolean `" + string(v) + "`"
	case 'n':
		what = "null"
	default:
		what = "integer"
		if bytes.ContainsAny(v, ".eE") {
			what = "floating point"
		}
		if shown {
			what += " `" + shownText(v) + "`"
		}
	}
	return r.fail("invalid type: "+what+", expected "+expected, typeHint(v, expected))
}

// quoted is s in double quotes for a message.
func quoted(s []byte) string { return strconv.Quote(shownText(s)) }

// shownText returns a caller's value as a message may show it: at most 64 bytes. Runs of 12 and more digits become an asterisk, because they may be a
// card number in the wrong place.
func shownText(s []byte) string {
	s = []byte(card.MaskCards(string(s))) // this also finds digits outside ASCII
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
