package secret

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// TextOf decodes a secret JSON string. It returns an absent secret if s is not a JSON string.
func TextOf(s Value) Value {
	var text string
	if json.Unmarshal([]byte(s.Reveal()), &text) != nil {
		return Value{}
	}
	return New(text)
}

// JSONOf encodes text as a secret JSON string.
func JSONOf(text string) Value {
	b, _ := json.Marshal(text) // a string always encodes
	return New(string(b))
}

// Leaves returns the texts of a secret JSON object by name. A nested object gives names with dots ("auth_key_map.USD").
func Leaves(s Value) map[string]Value {
	out := map[string]Value{}
	var v map[string]any
	if json.Unmarshal([]byte(s.Reveal()), &v) == nil {
		collect(out, "", v)
	}
	return out
}

func collect(out map[string]Value, prefix string, v map[string]any) {
	for name, x := range v {
		switch x := x.(type) {
		case string:
			out[prefix+name] = New(x)
		case map[string]any:
			collect(out, prefix+name+".", x)
		}
	}
}

// Masked returns a secret JSON value with its texts masked. At the top level and in a list it masks every text; in an object only the texts
// under keys for which hide is true. It returns nil if s is absent or not JSON.
func Masked(s Value, hide func(key string) bool) json.RawMessage {
	var v any
	d := json.NewDecoder(strings.NewReader(s.Reveal()))
	d.UseNumber()
	if s.IsZero() || d.Decode(&v) != nil {
		return nil
	}
	b, err := json.Marshal(maskValue(v, hide))
	if err != nil {
		return nil
	}
	return b
}

func maskValue(v any, hide func(key string) bool) any {
	switch v := v.(type) {
	case string:
		return maskText(v)
	case []any:
		for i := range v {
			v[i] = maskValue(v[i], hide)
		}
	case map[string]any:
		for key := range v {
			if hide(key) {
				v[key] = maskValue(v[key], hide)
			}
		}
	}
	return v
}

// maskText keeps the first two and the last two characters. It masks texts of up to four characters completely.
func maskText(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= 4 {
		return strings.Repeat("*", n)
	}
	r := []rune(s)
	return string(r[:2]) + strings.Repeat("*", n-4) + string(r[n-2:])
}
