package rule

import (
	"bytes"
	"encoding/json"
)

// The functions below read a part of a valid JSON text without checking and copying it again at every level. Parse and ParseAlgorithm have checked the text.

// fields are the members of an object, in their order.
type fields []field

type field struct {
	name  string
	value json.RawMessage // a part of the text
}

// of returns the value of a member, nil without one.
func (f fields) of(name string) json.RawMessage {
	for i := range f {
		if f[i].name == name {
			return f[i].value
		}
	}
	return nil
}

// checked returns a copy of raw, and nil if raw is no valid JSON. The parts of the copy stay as they are, whatever the caller does with raw.
func checked(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	return bytes.Clone(raw)
}

// object reads an object and demands members of it.
func object(raw json.RawMessage, at string, required ...string) (fields, error) {
	i := blank(raw, 0)
	if i == len(raw) || raw[i] != '{' {
		return nil, malformed(at, "expected an object")
	}
	o := make(fields, 0, 4)
	var many map[string]bool // the names, once there are so many that a search of all of them at each would take long
	for i = blank(raw, i+1); raw[i] != '}'; {
		end := valueEnd(raw, i)
		name, err := text(raw[i:end], at)
		if err != nil {
			return nil, err
		}
		if many == nil && len(o) == 32 {
			many = map[string]bool{}
			for _, f := range o {
				many[f.name] = true
			}
		}
		if many[name] || many == nil && o.of(name) != nil {
			return nil, malformed(at, "the object has a member twice")
		}
		if many != nil {
			many[name] = true
		}
		i = blank(raw, blank(raw, end)+1) // behind the colon
		end = valueEnd(raw, i)
		o = append(o, field{name, raw[i:end:end]})
		if i = blank(raw, end); raw[i] == ',' {
			i = blank(raw, i+1)
		}
	}
	for _, name := range required {
		if o.of(name) == nil {
			return nil, lacks(at, name, o, required...)
		}
	}
	return o, nil
}

func array(raw json.RawMessage, at string) (list []json.RawMessage, err error) {
	i := blank(raw, 0)
	if i == len(raw) || raw[i] != '[' {
		return nil, malformed(at, "expected an array")
	}
	list = []json.RawMessage{}
	for i = blank(raw, i+1); raw[i] != ']'; {
		end := valueEnd(raw, i)
		list = append(list, raw[i:end:end])
		if i = blank(raw, end); raw[i] == ',' {
			i = blank(raw, i+1)
		}
	}
	return list, nil
}

// textInto reads a text of a closed set. The caller checks the value.
func textInto[S ~string](to *S, raw json.RawMessage, at string) error {
	s, err := text(raw, at)
	*to = S(s)
	return err
}

func text(raw json.RawMessage, at string) (s string, err error) {
	i := blank(raw, 0)
	if i == len(raw) || raw[i] != '"' {
		return "", malformed(at, "expected a string")
	}
	end := stringEnd(raw, i)
	for _, c := range raw[i+1 : end-1] {
		if c == '\\' || c >= 0x80 { // an escape, or perhaps a byte that is no character
			if json.Unmarshal(raw[i:end], &s) != nil {
				return "", malformed(at, "expected a string")
			}
			return s, nil
		}
	}
	return string(raw[i+1 : end-1]), nil
}

// first returns the first byte of a value, 0 for no value.
func first(raw json.RawMessage) byte {
	if i := blank(raw, 0); i < len(raw) {
		return raw[i]
	}
	return 0
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || first(raw) == 'n' }

// blank returns the index of the first byte from i on that is no white space.
func blank(raw json.RawMessage, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index behind the value that begins at i.
func valueEnd(raw json.RawMessage, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 { // a number or a word ended before it
				return i
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// stringEnd returns the index behind the string that begins at i.
func stringEnd(raw json.RawMessage, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}
