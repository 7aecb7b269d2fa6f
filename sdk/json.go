package sdk

import (
	"errors"
	"strings"

	"payswitch/sdk/internal/jsontext"
)

// JSON is one value of a JSON text. It is read on demand. The zero value is a missing value. A look-up in a missing value, or in a value of
// the wrong kind, returns a missing value, and every accessor returns its zero value.
//
// A path is member names and decimal array indexes separated by dots: "charges.data.0.id". The path "" is the value itself. If a name stands
// twice in an object, the first counts. Key reaches names that hold a dot.
//
// Parsing indexes the text, so a look-up skips over members without reading their values.
type JSON struct {
	doc  *document // nil for a missing value
	node int32
}

// document is a parsed text.
type document struct {
	text  string
	nodes []jsontext.Node
}

// maxJSONDepth is the greatest depth of objects and arrays in an answer.
const maxJSONDepth = 256

// ErrJSON says that a text is not one whole JSON value.
var ErrJSON = errors.New("not JSON")

// ParseJSON checks that b is one whole JSON text, at most 256 levels deep, and returns its value. It accepts invalid UTF-8 in
// strings. The only error is ErrJSON.
func ParseJSON(b []byte) (JSON, error) { return parseJSON(string(b)) }

func parseJSON(s string) (JSON, error) {
	nodes, reason := jsontext.Index(s, maxJSONDepth)
	if reason != "" {
		return JSON{}, ErrJSON
	}
	return JSON{doc: &document{s, nodes}}, nil
}

// text returns the value's JSON text, "" for a missing value.
func (j JSON) text() string {
	if j.doc == nil {
		return ""
	}
	n := &j.doc.nodes[j.node]
	return j.doc.text[n.Start:n.End]
}

// first returns the first byte of the value's text, 0 for a missing value.
func (j JSON) first() byte {
	if j.doc == nil {
		return 0
	}
	return j.doc.text[j.doc.nodes[j.node].Start]
}

// Exists says whether there is a value. null is one.
func (j JSON) Exists() bool { return j.doc != nil }

// IsNull says whether the value is null.
func (j JSON) IsNull() bool { return j.first() == 'n' }

// IsObject says whether the value is an object.
func (j JSON) IsObject() bool { return j.first() == '{' }

// IsArray reports whether the value is an array.
func (j JSON) IsArray() bool { return j.first() == '[' }

// IsString reports whether the value is a string.
func (j JSON) IsString() bool { return j.first() == '"' }

// IsNumber reports whether the value is a number.
func (j JSON) IsNumber() bool { return j.first() == '-' || j.first()-'0' <= 9 }

// IsBool reports whether the value is true or false. A missing false proves nothing: ask IsBool where false decides.
func (j JSON) IsBool() bool { return j.first() == 't' || j.first() == 'f' }

// Raw returns the JSON text of the value at the path, "" for a missing value.
func (j JSON) Raw(path string) string { return j.Get(path).text() }

// Has reports whether the path holds a value other than null.
func (j JSON) Has(path string) bool {
	v := j.Get(path)
	return v.doc != nil && !v.IsNull()
}

// Get returns the value at the path.
func (j JSON) Get(path string) JSON {
	for path != "" && j.doc != nil {
		n := 0
		for n < len(path) && path[n] != '.' {
			n++
		}
		name := path[:n]
		path = path[min(n+1, len(path)):]
		j = j.child(name)
	}
	return j
}

func (j JSON) child(name string) JSON {
	if !j.IsArray() {
		return j.Key(name)
	}
	n := 0
	for i := range len(name) {
		if name[i]-'0' > 9 || n > 1<<20 {
			return JSON{}
		}
		n = n*10 + int(name[i]-'0')
	}
	if name == "" {
		return JSON{}
	}
	for v := range j.All() {
		if n == 0 {
			return v
		}
		n--
	}
	return JSON{}
}

// Key returns the object's member of that name.
func (j JSON) Key(name string) JSON {
	if !j.IsObject() {
		return JSON{}
	}
	text, nodes := j.doc.text, j.doc.nodes
	length, first := int32(len(name)+2), byte('"') // with the quotes
	if name != "" {
		first = name[0]
	}
	for i, end := j.node+1, nodes[j.node].Next; i < end; {
		n := &nodes[i]
		if n.End-n.Start == length && text[n.Start+1] == first && text[n.Start+1:n.End-1] == name ||
			n.Next == jsontext.Escaped && unquote(text[n.Start:n.End]) == name {
			return JSON{j.doc, i + 1}
		}
		i = nodes[i+1].Next
	}
	return JSON{}
}

// Members yields the names and values of an object in order. Other values yield nothing.
func (j JSON) Members() func(yield func(string, JSON) bool) {
	return func(yield func(string, JSON) bool) {
		if !j.IsObject() {
			return
		}
		text, nodes := j.doc.text, j.doc.nodes
		for i, end := j.node+1, nodes[j.node].Next; i < end; i = nodes[i+1].Next {
			if !yield(unquote(text[nodes[i].Start:nodes[i].End]), JSON{j.doc, i + 1}) {
				return
			}
		}
	}
}

// All yields the elements of an array in order. Other values yield nothing.
func (j JSON) All() func(yield func(JSON) bool) {
	return func(yield func(JSON) bool) {
		if !j.IsArray() {
			return
		}
		nodes := j.doc.nodes
		for i, end := j.node+1, nodes[j.node].Next; i < end; i = nodes[i].Next {
			if !yield(JSON{j.doc, i}) {
				return
			}
		}
	}
}

// Len returns the number of an array's elements or an object's members.
func (j JSON) Len() int {
	n := 0
	for range j.All() {
		n++
	}
	for range j.Members() {
		n++
	}
	return n
}

// Str returns the string at the path, "" if another value stands there. Text also reads numbers.
func (j JSON) Str(path string) string {
	if v := j.Get(path); v.IsString() {
		return unquote(v.text())
	}
	return ""
}

// Text returns the string at the path, or the literal text of a number, true or false; "" for everything else.
func (j JSON) Text(path string) string {
	v := j.Get(path)
	switch {
	case v.IsString():
		return unquote(v.text())
	case v.IsNumber(), v.first() == 't', v.first() == 'f':
		return v.text()
	}
	return ""
}

// Number returns the literal text of the number at the path ("10.50"), "" if another value stands there.
func (j JSON) Number(path string) string {
	if v := j.Get(path); v.IsNumber() {
		return v.text()
	}
	return ""
}

// Int returns the number at the path if it is an integer of 64 bits, else 0. Use Money for amounts: there 0 must not mean missing.
func (j JSON) Int(path string) int64 {
	n, _ := parseInt(j.Number(path))
	return n
}

// Bool reports whether true stands at the path.
func (j JSON) Bool(path string) bool { return j.Get(path).first() == 't' }

// Money returns the amount in minor units at the path, from an integer or a string with an integer; nil for everything else.
func (j JSON) Money(path string, c Currency) *Money {
	n, err := parseInt(j.Text(path))
	if err != nil {
		return nil
	}
	return &Money{Minor: n, Currency: c}
}

// Major returns the amount in major units at the path, from a number or a string with a number ("10.50"); nil if it is not exact.
func (j JSON) Major(path string, c Currency) *Money {
	m, err := ParseMajor(j.Text(path), c)
	if err != nil {
		return nil
	}
	return &m
}

// MajorIn returns the amount in major units at a path, nil if the currency at another path is not c. A missing or null currency counts as c.
func (j JSON) MajorIn(amount, currency string, c Currency) *Money {
	if j.Has(currency) && j.Str(currency) != string(c) { // an unreadable currency counts as another one
		return nil
	}
	return j.Major(amount, c)
}

// Sum adds up the amounts of the elements of an array that count, each with its currency: see MajorIn. It returns nil if an amount is
// unreadable, a currency is missing, or another value stands in the place of the array. It returns zero for a missing or null array.
func (j JSON) Sum(amount, currency string, c Currency, counts func(JSON) bool) *Money {
	if j.Exists() && !j.IsNull() && !j.IsArray() {
		return nil
	}
	sum := &Money{Currency: c}
	for v := range j.All() {
		if !counts(v) {
			continue
		}
		m := v.MajorIn(amount, currency, c)
		if m == nil || !v.Has(currency) {
			return nil
		}
		sum.Minor += m.Minor
	}
	return sum
}

// Where returns the first element of an array with the text at the path, as Text reads it; a missing value if there is no such element. A text of "" matches nothing.
func (j JSON) Where(path, text string) JSON {
	for v := range j.All() {
		if text != "" && v.Text(path) == text {
			return v
		}
	}
	return JSON{}
}

// unquote decodes a valid JSON string. A lone surrogate becomes U+FFFD.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	return jsontext.UnescapeLenient(s, i)
}
