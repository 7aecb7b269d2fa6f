package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is the greatest depth of nested values in a request or an answer.
const maxDepth = 64

// jsonScan reads a JSON text (RFC 8259) and calls visit for every value except objects and arrays. It builds nothing.
type jsonScan struct {
	text   string
	strict bool                       // refuses a name that an object holds already, also in another case
	visit  func(start, end int) error // of the value at path; a string's quotes are included

	path  []step
	names []string // of the open objects
	d     *jsontext.Decoder
}

// run reads the whole text. It ends with the first error of visit.
func (s *jsonScan) run() error {
	// jsontext compares names byte by byte: isTwice also ignores their case. Invalid UTF-8 is the caller's to refuse.
	s.d = jsontext.NewDecoder(bytes.NewBufferString(s.text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := s.value(); err != nil {
		return err
	}
	if _, err := s.d.ReadToken(); !errors.Is(err, io.EOF) {
		return s.malformed()
	}
	return nil
}

func (s *jsonScan) malformed() error {
	return malformed(kindJSON, "is malformed near byte %d", s.d.InputOffset())
}

func (s *jsonScan) value() error {
	if len(s.path) > maxDepth {
		return s.malformed()
	}
	switch s.d.PeekKind() {
	case '{':
		return s.object()
	case '[':
		return s.array()
	}
	value, err := s.d.ReadValue()
	if err != nil {
		return s.malformed()
	}
	end := int(s.d.InputOffset())
	return s.visit(end-len(value), end)
}

// open reads the first token of an object or array.
func (s *jsonScan) open() error {
	if _, err := s.d.ReadToken(); err != nil {
		return s.malformed()
	}
	return nil
}

func (s *jsonScan) object() error {
	if err := s.open(); err != nil {
		return err
	}
	base := len(s.names)
	var folded map[string]bool // names in lower case, once there are many
	for s.d.PeekKind() == '"' {
		quoted, err := s.d.ReadValue()
		if err != nil {
			return s.malformed()
		}
		end := int(s.d.InputOffset())
		name := s.text[end-len(quoted)+1 : end-1]
		if strings.IndexByte(name, '\\') >= 0 {
			name = unquoted(s.text[end-len(quoted) : end])
		}
		if s.strict {
			if len(s.names)-base == manyNames {
				folded = make(map[string]bool, 4*manyNames)
				for _, n := range s.names[base:] {
					folded[strings.ToLower(n)] = true
				}
			}
			if s.isTwice(base, folded, name) {
				return malformed(kindJSON, "holds a name twice in an object")
			}
			s.names = append(s.names, name)
		}
		s.path = append(s.path, member(name))
		if err := s.value(); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	s.names = s.names[:base]
	return s.open()
}

// unquoted returns the value of a string that run has read.
func unquoted(quoted string) (value string) {
	if json.Unmarshal([]byte(quoted), &value) != nil {
		return quoted
	}
	return value
}

// manyNames is the number of names of an object that are compared one by one.
const manyNames = 24

// isTwice reports whether the object whose names begin at base has a name already, in any case.
func (s *jsonScan) isTwice(base int, folded map[string]bool, name string) bool {
	if folded == nil {
		for _, n := range s.names[base:] {
			if len(n) == len(name) && strings.EqualFold(n, name) {
				return true
			}
		}
		return false
	}
	lower := strings.ToLower(name)
	twice := folded[lower]
	folded[lower] = true
	return twice
}

func (s *jsonScan) array() error {
	if err := s.open(); err != nil {
		return err
	}
	for i := 0; s.d.PeekKind() != ']'; i++ {
		s.path = append(s.path, step{index: i})
		if err := s.value(); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	return s.open()
}

func isHex(c byte) bool { return c-'0' <= 9 || c|32 >= 'a' && c|32 <= 'f' }
