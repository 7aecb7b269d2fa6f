package secret

import (
	"encoding/json"
	"reflect"
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

// Unmasked returns sent with the texts of old in place of their masks. mask is what Masked made of old. changed is false if sent stays as it is.
func Unmasked(sent, mask, old Value) (out Value, changed bool) {
	var v [3]any
	for i, s := range []Value{sent, mask, old} {
		d := json.NewDecoder(strings.NewReader(s.Reveal()))
		d.UseNumber()
		if d.Decode(&v[i]) != nil {
			return sent, false
		}
	}
	v[0] = unmaskValue(v[0], v[1], v[2], &changed)
	if reflect.DeepEqual(v[0], v[2]) {
		return old, true
	}
	b, err := json.Marshal(v[0])
	if err != nil || !changed {
		return sent, false
	}
	return New(string(b)), true
}

func unmaskValue(v, mask, old any, changed *bool) any {
	switch v := v.(type) {
	case string:
		if v == mask && v != old {
			*changed = true
			return old
		}
	case []any:
		masks, _ := mask.([]any)
		olds, _ := old.([]any)
		for i := range min(len(v), len(masks), len(olds)) {
			v[i] = unmaskValue(v[i], masks[i], olds[i], changed)
		}
	case map[string]any:
		masks, _ := mask.(map[string]any)
		olds, _ := old.(map[string]any)
		for key := range v {
			v[key] = unmaskValue(v[key], masks[key], olds[key], changed)
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
