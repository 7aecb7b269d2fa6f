package sdk

import (
	"errors"
	"strings"

	"payswitch/sdk/internal/jsontext"
)

// JSON is one value of a JSON text, read where it stands: nothing is built for what is not asked for. The zero value is a value that is
// missing; looking something up in it, or in a value of another kind, gives a missing value, and every accessor gives its zero.
//
// A path is member names and decimal array indexes separated by dots: "charges.data.0.id". The path "" is the value itself. Where a
// name stands twice in an object, the first is read. Key reaches names that hold a dot.
type JSON struct{ text string }

// maxJSONDepth is how many objects and arrays may be nested in an answer.
const maxJSONDepth = 256

// ErrJSON says that a text is not one whole JSON value.
var ErrJSON = errors.New("not JSON")

// ParseJSON checks that b is one whole JSON text, at most 256 levels deep, and returns its value. Bytes that are no UTF-8 are let
// through in strings. The only error is ErrJSON.
func ParseJSON(b []byte) (JSON, error) { return parseJSON(string(b)) }

func parseJSON(s string) (JSON, error) {
	end, reason := jsontext.Skip(s, 0, maxJSONDepth)
	if reason != "" || jsontext.Space(s, end) != len(s) {
		return JSON{}, ErrJSON
	}
	return JSON{s[jsontext.Space(s, 0):end]}, nil
}

// Exists says whether there is a value. null is one.
func (j JSON) Exists() bool { return j.text != "" }

// IsNull says whether the value is null.
func (j JSON) IsNull() bool { return j.text == "null" }

// IsObject says whether the value is an object.
func (j JSON) IsObject() bool { return j.text != "" && j.text[0] == '{' }

// IsArray says whether the value is an array.
func (j JSON) IsArray() bool { return j.text != "" && j.text[0] == '[' }

// IsString says whether the value is a string.
func (j JSON) IsString() bool { return j.text != "" && j.text[0] == '"' }

// IsNumber says whether the value is a number.
func (j JSON) IsNumber() bool { return j.text != "" && (j.text[0] == '-' || j.text[0]-'0' <= 9) }

// Raw is the JSON text of the value at the path, "" if it is missing.
func (j JSON) Raw(path string) string { return j.Get(path).text }

// Has says whether there is a value other than null at the path.
func (j JSON) Has(path string) bool {
	v := j.Get(path)
	return v.text != "" && v.text != "null"
}

// Get returns the value at the path.
func (j JSON) Get(path string) JSON {
	for path != "" && j.text != "" {
		name := path
		if i := strings.IndexByte(path, '.'); i >= 0 {
			name, path = path[:i], path[i+1:]
		} else {
			path = ""
		}
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
	s := j.text
	for p := jsontext.Space(s, 1); p < len(s) && s[p] == '"'; {
		end := jsontext.End(s, p)
		value := jsontext.Space(s, jsontext.Space(s, end)+1) // after the colon
		after := jsontext.End(s, value)
		if key := s[p+1 : end-1]; key == name || strings.IndexByte(key, '\\') >= 0 && unquote(s[p:end]) == name {
			return JSON{s[value:after]}
		}
		p = jsontext.Space(s, jsontext.Space(s, after)+1) // after the comma
	}
	return JSON{}
}

// Members yields the names and values of an object in order; nothing for other values.
func (j JSON) Members() func(yield func(string, JSON) bool) {
	return func(yield func(string, JSON) bool) {
		if !j.IsObject() {
			return
		}
		s := j.text
		for p := jsontext.Space(s, 1); p < len(s) && s[p] == '"'; {
			end := jsontext.End(s, p)
			name := unquote(s[p:end])
			p = jsontext.Space(s, jsontext.Space(s, end)+1)
			end = jsontext.End(s, p)
			if !yield(name, JSON{s[p:end]}) {
				return
			}
			p = jsontext.Space(s, jsontext.Space(s, end)+1)
		}
	}
}

// All yields the elements of an array in order; nothing for other values.
func (j JSON) All() func(yield func(JSON) bool) {
	return func(yield func(JSON) bool) {
		if !j.IsArray() {
			return
		}
		s := j.text
		for p := jsontext.Space(s, 1); p < len(s) && s[p] != ']'; {
			end := jsontext.End(s, p)
			if !yield(JSON{s[p:end]}) {
				return
			}
			p = jsontext.Space(s, jsontext.Space(s, end)+1)
		}
	}
}

// Len is the number of an array's elements or an object's members.
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

// Str is the string at the path, "" if there is none. Numbers are none: see Text.
func (j JSON) Str(path string) string {
	if v := j.Get(path); v.IsString() {
		return unquote(v.text)
	}
	return ""
}

// Text is the string at the path, or the number, true or false there as it is written; "" for everything else.
func (j JSON) Text(path string) string {
	v := j.Get(path)
	switch {
	case v.IsString():
		return unquote(v.text)
	case v.IsNumber(), v.text == "true", v.text == "false":
		return v.text
	}
	return ""
}

// Number is the number at the path as it is written ("10.50"), "" if there is none.
func (j JSON) Number(path string) string {
	if v := j.Get(path); v.IsNumber() {
		return v.text
	}
	return ""
}

// Int is the number at the path if it is an integer of 64 bits, else 0. Use Money for amounts, where 0 must not mean missing.
func (j JSON) Int(path string) int64 {
	n, _ := parseInt(j.Number(path))
	return n
}

// Bool says whether true stands at the path.
func (j JSON) Bool(path string) bool { return j.Get(path).text == "true" }

// Money is the amount in minor units at the path, an integer or a string of one; nil if there is none.
func (j JSON) Money(path string, c Currency) *Money {
	n, err := parseInt(j.Text(path))
	if err != nil {
		return nil
	}
	return &Money{Minor: n, Currency: c}
}

// Major is the amount in major units at the path, a number or a string of one ("10.50"); nil if there is none that is exact.
func (j JSON) Major(path string, c Currency) *Money {
	m, err := ParseMajor(j.Text(path), c)
	if err != nil {
		return nil
	}
	return &m
}

// unquote decodes a JSON string that has been checked. A lone surrogate becomes U+FFFD.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	return jsontext.UnescapeLenient(s, i)
}
