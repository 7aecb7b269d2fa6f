package sdk

import (
	"strings"

	"payswitch/sdk/internal/jsontext"
)

// AppendJSONString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD. U+007F and above are not escaped, nor are <, > and &.
func AppendJSONString(b []byte, s string) []byte { return jsontext.AppendString(b, s) }

// Object builds a JSON object. The members stand in the order of the calls. The zero value is an empty object. The methods return the
// object for chaining:
//
//	body := sdk.NewObject().Int("amount", m.Minor).Str("currency", string(m.Currency)).Bytes()
type Object struct{ b []byte }

// NewObject returns an empty object.
func NewObject() *Object { return new(Object) }

func (o *Object) name(name string) {
	if o.b == nil {
		o.b = append(jsontext.Room(512), '{')
	}
	o.b = jsontext.AppendName(o.b, name)
}

// Str adds a string.
func (o *Object) Str(name, value string) *Object {
	o.name(name)
	o.b = jsontext.AppendString(o.b, value)
	return o
}

// OptStr adds a string unless it is "".
func (o *Object) OptStr(name, value string) *Object {
	if value == "" {
		return o
	}
	return o.Str(name, value)
}

// Int adds an integer.
func (o *Object) Int(name string, value int64) *Object {
	o.name(name)
	o.b = jsontext.AppendInt(o.b, value)
	return o
}

// Bool adds a boolean.
func (o *Object) Bool(name string, value bool) *Object {
	o.name(name)
	o.b = jsontext.AppendBool(o.b, value)
	return o
}

// OptInt adds an integer unless it is 0.
func (o *Object) OptInt(name string, value int64) *Object {
	if value == 0 {
		return o
	}
	return o.Int(name, value)
}

// OptBool adds true; false adds nothing.
func (o *Object) OptBool(name string, value bool) *Object {
	if !value {
		return o
	}
	return o.Bool(name, true)
}

// Strs adds an array of strings; no values add nothing.
func (o *Object) Strs(name string, values ...string) *Object {
	if len(values) == 0 {
		return o
	}
	a := NewArray()
	for _, v := range values {
		a.Str(v)
	}
	return o.Arr(name, a)
}

// StrOrNull adds a string, or null for "".
func (o *Object) StrOrNull(name, value string) *Object {
	if value == "" {
		return o.Null(name)
	}
	return o.Str(name, value)
}

// Texts adds a string for each pair, for example metadata from Sorted.
func (o *Object) Texts(pairs []Header) *Object {
	for _, p := range pairs {
		o.Str(p.Name, p.Value)
	}
	return o
}

// Number adds a number by its literal text ("10.50", as from Money.Major), or null if the text is not a JSON number.
func (o *Object) Number(name, text string) *Object { return o.Raw(name, number(text)) }

// Null adds null.
func (o *Object) Null(name string) *Object { return o.Raw(name, "null") }

// Obj adds an object; nil adds nothing.
func (o *Object) Obj(name string, value *Object) *Object {
	if value == nil {
		return o
	}
	return o.Raw(name, value.String())
}

// OptObj adds an object unless it is nil or empty.
func (o *Object) OptObj(name string, value *Object) *Object {
	if value == nil || value.b == nil {
		return o
	}
	return o.Raw(name, value.String())
}

// At adds an object at a path of names: At("order.amountDetails", x) is Obj("order", NewObject().Obj("amountDetails", x)).
// nil and an empty object add nothing.
func (o *Object) At(path string, value *Object) *Object {
	if value == nil || value.b == nil {
		return o
	}
	first, rest, deeper := strings.Cut(path, ".")
	o.name(first)
	depth := 0
	for ; deeper; depth++ {
		first, rest, deeper = strings.Cut(rest, ".")
		o.b = jsontext.AppendName(append(o.b, '{'), first)
	}
	o.b = append(append(o.b, value.b...), '}')
	for ; depth > 0; depth-- {
		o.b = append(o.b, '}')
	}
	return o
}

// StrAt adds a string at a path of names, unless it is "": StrAt("descriptor.name", x) is OptObj("descriptor", NewObject().OptStr("name", x)).
func (o *Object) StrAt(path, value string) *Object {
	if value == "" {
		return o
	}
	first, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return o.Str(first, value)
	}
	return o.Obj(first, NewObject().StrAt(rest, value))
}

// Arr adds an array; nil adds nothing.
func (o *Object) Arr(name string, value *Array) *Object {
	if value == nil {
		return o
	}
	return o.Raw(name, value.String())
}

// OptArr adds an array unless it is nil or empty.
func (o *Object) OptArr(name string, value *Array) *Object {
	if value == nil || value.b == nil {
		return o
	}
	return o.Raw(name, value.String())
}

// Raw adds JSON text as it stands.
func (o *Object) Raw(name, json string) *Object {
	o.name(name)
	o.b = append(o.b, json...)
	return o
}

// Bytes returns the object's JSON text. More members can be added afterwards.
func (o *Object) Bytes() []byte { return []byte(o.String()) }

// String returns the object's JSON text.
func (o *Object) String() string {
	if o.b == nil {
		return "{}"
	}
	return string(o.b) + "}"
}

// Array builds a JSON array. The zero value is an empty array.
type Array struct{ b []byte }

// NewArray returns an empty array.
func NewArray() *Array { return new(Array) }

// Str adds a string.
func (a *Array) Str(value string) *Array {
	a.comma()
	a.b = jsontext.AppendString(a.b, value)
	return a
}

// Int adds an integer.
func (a *Array) Int(value int64) *Array {
	a.comma()
	a.b = jsontext.AppendInt(a.b, value)
	return a
}

// Obj adds an object; nil adds nothing.
func (a *Array) Obj(value *Object) *Array {
	if value == nil {
		return a
	}
	return a.Raw(value.String())
}

// Raw adds JSON text as it stands.
func (a *Array) Raw(json string) *Array {
	a.comma()
	a.b = append(a.b, json...)
	return a
}

func (a *Array) comma() {
	if a.b == nil {
		a.b = append(jsontext.Room(128), '[')
	}
	a.b = jsontext.AppendComma(a.b)
}

// Bytes returns the array's JSON text. More elements can be added afterwards.
func (a *Array) Bytes() []byte { return []byte(a.String()) }

// String returns the array's JSON text.
func (a *Array) String() string {
	if a.b == nil {
		return "[]"
	}
	return string(a.b) + "]"
}

// number returns text if it is a JSON number, else "null".
func number(text string) string {
	j, err := ParseJSON([]byte(text))
	if err != nil || !j.IsNumber() || len(j.text()) != len(text) {
		return "null"
	}
	return text
}

// Form builds a body of type application/x-www-form-urlencoded, or a query. The pairs stand in the order of the calls. Names and values are
// escaped as by QueryEscape, but a body keeps the brackets in names, as the processors' own clients do. The zero value is an empty form.
type Form struct{ b []byte }

// NewForm returns an empty form.
func NewForm() *Form { return new(Form) }

// Add adds a pair.
func (f *Form) Add(name, value string) *Form {
	f.begin(name)
	f.b = append(f.b, '=')
	f.b = appendQuery(f.b, value, false)
	return f
}

func (f *Form) begin(name string) {
	if f.b == nil {
		f.b = jsontext.Room(2048)
	}
	if len(f.b) > 0 {
		f.b = append(f.b, '&')
	}
	f.b = appendQuery(f.b, name, true)
}

// Opt adds a pair unless the value is "".
func (f *Form) Opt(name, value string) *Form {
	if value == "" {
		return f
	}
	return f.Add(name, value)
}

// Int adds a pair with an integer as its value.
func (f *Form) Int(name string, value int64) *Form {
	f.begin(name)
	f.b = jsontext.AppendInt(append(f.b, '='), value)
	return f
}

// OptIn adds a pair whose name stands in brackets after another name, as in address[city], unless the value is "".
func (f *Form) OptIn(at, name, value string) *Form {
	if value == "" {
		return f
	}
	f.begin(at)
	f.b = append(appendQuery(append(f.b, '['), name, true), "]="...)
	f.b = appendQuery(f.b, value, false)
	return f
}

// Bytes returns the form as a body. Do not change the bytes. More pairs can be added afterwards.
func (f *Form) Bytes() []byte { return f.b[:len(f.b):len(f.b)] }

// String returns the form as a query, with escaped brackets.
func (f *Form) String() string {
	return strings.ReplaceAll(strings.ReplaceAll(string(f.b), "[", "%5B"), "]", "%5D")
}

// QueryEscape escapes a text for a query or a form: letters, digits and "-_.~" stay, a space becomes "+", the rest becomes %XX.
func QueryEscape(s string) string { return string(appendQuery(nil, s, false)) }

// PathEscape escapes a text for one segment of a URL's path: letters, digits and "-_.~" stay, the rest becomes %XX.
func PathEscape(s string) string { return strings.ReplaceAll(QueryEscape(s), "+", "%20") }

func appendQuery(b []byte, s string, brackets bool) []byte {
	const hex = "0123456789ABCDEF"
	for p := 0; ; p++ {
		start := p
		p = jsontext.Unreserved(s, p, brackets)
		b = append(b, s[start:p]...)
		if p == len(s) {
			return b
		}
		if c := s[p]; c == ' ' {
			b = append(b, '+')
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
}

// ParseForm splits a form or query into its pairs, in order. It leaves out pairs with a broken escape; ok is false then.
func ParseForm(s string) (pairs []Header, ok bool) {
	ok = true
	for s != "" {
		var pair string
		pair, s, _ = strings.Cut(s, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		n, nOK := unescapeQuery(name)
		v, vOK := unescapeQuery(value)
		if !nOK || !vOK {
			ok = false
			continue
		}
		pairs = append(pairs, Header{Name: n, Value: v})
	}
	return pairs, ok
}

func unescapeQuery(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			b = append(b, ' ')
		case '%':
			if i+2 >= len(s) {
				return "", false
			}
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high > 15 || low > 15 {
				return "", false
			}
			b = append(b, high<<4|low)
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return string(b), true
}

func unhex(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|32 >= 'a' && c|32 <= 'f':
		return c | 32 - 'a' + 10
	}
	return 255
}
