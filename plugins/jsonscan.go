package plugins

import (
	"encoding/json"
	"strings"
)

// maxDepth is how deeply what a request or an answer holds may be nested.
const maxDepth = 64

// jsonScan reads a JSON text (RFC 8259) without building anything, and shows every value but objects and arrays where it stands.
type jsonScan struct {
	text   string
	strict bool                       // no name twice in an object, not in another case either
	visit  func(start, end int) error // of a value at path, quotes included

	path  []step
	names []string // of the objects that are open
	pos   int
}

// run reads all of the text.
func (s *jsonScan) run() error {
	if err := s.value(); err != nil {
		return err
	}
	if s.space(); s.pos != len(s.text) {
		return s.malformed()
	}
	return nil
}

func (s *jsonScan) malformed() error { return malformed(kindJSON, "is malformed near byte %d", s.pos) }

func (s *jsonScan) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// take goes past c, if it is next.
func (s *jsonScan) take(c byte) bool {
	s.space()
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *jsonScan) value() error {
	s.space()
	if s.pos >= len(s.text) || len(s.path) > maxDepth {
		return s.malformed()
	}
	start := s.pos
	switch c := s.text[s.pos]; {
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '"':
		if err := s.string(); err != nil {
			return err
		}
	case c == '-' || c-'0' <= 9:
		if !s.number() {
			return s.malformed()
		}
	default:
		word := s.text[s.pos:]
		switch {
		case strings.HasPrefix(word, "true"), strings.HasPrefix(word, "null"):
			s.pos += 4
		case strings.HasPrefix(word, "false"):
			s.pos += 5
		default:
			return s.malformed()
		}
	}
	return s.visit(start, s.pos)
}

func (s *jsonScan) object() error {
	s.pos++
	if s.take('}') {
		return nil
	}
	base := len(s.names)
	var folded map[string]bool // names in lower case, once there are many
	for {
		s.space()
		if s.pos >= len(s.text) || s.text[s.pos] != '"' {
			return s.malformed()
		}
		start := s.pos
		if err := s.string(); err != nil {
			return err
		}
		name := s.text[start+1 : s.pos-1]
		if strings.IndexByte(name, '\\') >= 0 {
			name = unquoted(s.text[start:s.pos])
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
		if !s.take(':') {
			return s.malformed()
		}
		s.path = append(s.path, member(name))
		if err := s.value(); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
		if s.take(',') {
			continue
		}
		if !s.take('}') {
			return s.malformed()
		}
		s.names = s.names[:base]
		return nil
	}
}

// unquoted is what a string that run has read stands for.
func unquoted(quoted string) (value string) {
	if json.Unmarshal([]byte(quoted), &value) != nil {
		return quoted
	}
	return value
}

// manyNames is how many names of an object are compared one by one.
const manyNames = 24

// isTwice says whether the object whose names begin at base has a name already, in whatever case.
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
	s.pos++
	if s.take(']') {
		return nil
	}
	for i := 0; ; i++ {
		s.path = append(s.path, step{index: i})
		if err := s.value(); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
		if s.take(',') {
			continue
		}
		if !s.take(']') {
			return s.malformed()
		}
		return nil
	}
}

// string goes past a string.
func (s *jsonScan) string() error {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c < ' ':
			return s.malformed()
		case c == '\\':
			s.pos++
			if s.pos >= len(s.text) || !strings.ContainsRune(`"\/bfnrtu`, rune(s.text[s.pos])) {
				return s.malformed()
			}
			if s.text[s.pos] == 'u' {
				for range 4 {
					s.pos++
					if s.pos >= len(s.text) || !isHex(s.text[s.pos]) {
						return s.malformed()
					}
				}
			}
		}
	}
	return s.malformed()
}

func isHex(c byte) bool { return c-'0' <= 9 || c|32 >= 'a' && c|32 <= 'f' }

// number goes past a number.
func (s *jsonScan) number() bool {
	digits := func() bool {
		start := s.pos
		for s.pos < len(s.text) && s.text[s.pos]-'0' <= 9 {
			s.pos++
		}
		return s.pos > start
	}
	is := func(set string) bool {
		if s.pos < len(s.text) && strings.IndexByte(set, s.text[s.pos]) >= 0 {
			s.pos++
			return true
		}
		return false
	}
	is("-")
	if !is("0") && !digits() {
		return false
	}
	if is(".") && !digits() {
		return false
	}
	if is("eE") {
		is("+-")
		return digits()
	}
	return true
}
