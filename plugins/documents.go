package plugins

import (
	"encoding/xml"
	"errors"
	"io"
	"mime"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// document fills in a document: the body, or the text in its form field outer. The host reads it strictly, so that the processor cannot read anything
// else in it.
func (f *filler) document(text, kind, outer, boundary string) ([]byte, error) {
	d := &document{filler: f, text: text, kind: kind, places: make([]*place, 0, len(f.allowed))}
	for _, p := range f.allowed {
		if p.inDocument(kind, outer) {
			d.places = append(d.places, p)
			d.proves = d.proves || p.authentication
		}
	}
	return f.text(text, func() error {
		switch kind {
		case kindJSON:
			return d.json()
		case kindXML:
			return d.xml()
		case kindForm:
			return d.form()
		case kindMultipart:
			return d.multipart(boundary)
		}
		return d.scalar(nil, text, 0, len(text), noEscape)
	})
}

type document struct {
	*filler
	text   string
	kind   string
	places []*place // about this document
	proves bool     // the account's authentication stands in this document
}

func malformed(kind, format string, args ...any) error {
	return violation(RuleTemplate, "the "+kind+" body of a request with secrets "+format, args...)
}

func noEscape(v string) (string, error) { return v, nil }

// matters reports whether a value holds a stand-in, or must be checked.
func (d *document) matters(value string) bool {
	start, _ := d.secrets.next(value)
	return start >= 0 || d.proves
}

// scalar reads one whole value, which stands at start to end. It notes the edit if the value holds a stand-in.
func (d *document) scalar(path []step, value string, start, end int, escape func(string) (string, error)) error {
	if !d.matters(value) {
		return nil
	}
	var at []*place
	flat := d.kind == kindForm || d.kind == kindMultipart // the names of its fields are compared as a whole
	for _, p := range d.places {
		if flat && path[0].name == p.Field || !flat && isPath(path, p.segments) {
			at = append(at, p)
		}
	}
	v, changed, err := d.value(value, at, "the body's field "+nameOf(path), lastName(path))
	if err != nil || !changed {
		return err
	}
	if v, err = escape(v); err != nil {
		return err
	}
	d.edits = append(d.edits, edit{start, end, v})
	return nil
}

// json reads a JSON text.
func (d *document) json() error {
	if !utf8.ValidString(d.text) {
		return malformed(kindJSON, "is not UTF-8")
	}
	s := jsonScan{text: d.text, strict: true, path: make([]step, 0, 16), names: make([]string, 0, 64)}
	s.visit = func(start, end int) error {
		raw := d.text[start:end]
		if d.ruled {
			value := strings.Trim(raw, `"`)
			if strings.IndexByte(raw, '\\') >= 0 {
				value = unquoted(raw)
			}
			d.field(s.path, value)
		}
		if !d.proves && d.marked(start, end) == 0 {
			return nil
		}
		if raw[0] == '"' {
			return d.scalar(s.path, raw[1:len(raw)-1], start+1, end-1, escapeJSON)
		}
		return d.scalar(s.path, raw, start, end, noEscape) // a number, true, false or null: no stand-in
	}
	return s.run()
}

// escapeJSON escapes for a JSON string.
func escapeJSON(v string) (string, error) {
	const hex = "0123456789abcdef"
	if !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		return v, nil
	}
	var b strings.Builder
	for i := range len(v) {
		switch c := v[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// form reads pairs, some of whose values are documents of their own.
func (d *document) form() error {
	var inner map[string]string // kind by field
	for _, p := range d.allowed {
		if kind, _, chained := strings.Cut(string(p.Escapes), ","); chained && p.In == sdk.InBody && p.outer != "" {
			if inner == nil {
				inner = make(map[string]string)
			}
			inner[p.outer] = kind
		}
	}
	if begins := strings.TrimSpace(d.text); d.ruled && (strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "<")) {
		return malformed(kindForm, "begins like JSON or XML")
	}
	path := make([]step, 1)
	return d.pairs(d.text, func(name, value string) (string, bool, error) {
		kind, ok := inner[name]
		for outer := range inner {
			if d.ruled && name != outer && scrub.Folded(name) == scrub.Folded(outer) {
				d.stranger("the body's field " + name + " can be taken for " + outer)
			}
		}
		if ok {
			v, err := d.document(value, kind, name, "")
			return string(v), string(v) != value, err
		}
		path[0] = member(name)
		d.field(path, value)
		if !d.matters(value) {
			return value, false, nil
		}
		var v string
		changed := false
		err := d.scalar(path, value, 0, 0, func(filled string) (string, error) {
			v, changed = filled, true
			return filled, nil
		})
		if changed { // pairs notes the edit of the whole value of the pair
			d.edits = d.edits[:len(d.edits)-1]
		}
		return v, changed, err
	})
}

// pairs reads a form or query and notes the edits of its values. A name may stand twice only in the form name[], in which that is usual.
func (f *filler) pairs(text string, fill func(name, value string) (string, bool, error)) error {
	var seen nameSet
	start := 0
	for start <= len(text) && text != "" {
		pair, _, _ := strings.Cut(text[start:], "&")
		end := start + len(pair)
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, traits, ok := fromForm(rawName)
		value, _, ok2 := fromForm(rawValue)
		if !ok || !ok2 || traits&(formControl|formOther) != 0 && strings.ContainsFunc(name, unicode.IsControl) {
			return malformed(kindForm, "is malformed")
		}
		lower := name
		if traits&(formUpper|formOther) != 0 {
			lower = strings.ToLower(name)
		}
		if seen.add(lower) && !strings.HasSuffix(name, "[]") {
			return malformed(kindForm, "holds a name twice")
		}
		v, changed, err := fill(name, value)
		if err != nil {
			return err
		}
		if changed {
			f.edits = append(f.edits, edit{end - len(rawValue), end, url.QueryEscape(v)})
		}
		start = end + 1
	}
	return nil
}

// formTrait is a property that some byte of a text in a form has.
type formTrait byte

const (
	formEscape    formTrait = 1 << iota // the text is escaped: % and +
	formSemicolon                       // some servers take a semicolon for &
	formUpper
	formControl
	formOther // not ASCII
)

var formTraits = func() (all [256]formTrait) {
	for c := range all {
		switch {
		case c == '%' || c == '+':
			all[c] = formEscape
		case c == ';':
			all[c] = formSemicolon
		case c >= 'A' && c <= 'Z':
			all[c] = formUpper
		case c >= utf8.RuneSelf:
			all[c] = formOther
		case unicode.IsControl(rune(c)):
			all[c] = formControl
		}
	}
	return all
}()

func traitsOf(text string) (all formTrait) {
	for i := range len(text) {
		all |= formTraits[text[i]]
	}
	return all
}

// fromForm decodes a name or value of a form, and returns the text and its traits. ok is false when servers may read different texts in raw: raw is
// malformed, holds a semicolon, or is not UTF-8.
func fromForm(raw string) (text string, traits formTrait, ok bool) {
	traits = traitsOf(raw)
	if traits&formSemicolon != 0 {
		return "", 0, false
	}
	text = raw
	if traits&formEscape != 0 {
		var err error
		if text, err = url.QueryUnescape(raw); err != nil {
			return "", 0, false
		}
		traits = traitsOf(text)
	}
	return text, traits, traits&formOther == 0 || utf8.ValidString(text)
}

// nameSet is a set of names. The first names stand in an array: most forms are short, and comparing lengths is cheaper than hashing.
type nameSet struct {
	few   [32]string
	count int
	more  map[string]bool
}

// add puts a name into the set and reports whether the set held the name before.
func (s *nameSet) add(name string) (held bool) {
	if slices.Contains(s.few[:s.count], name) || s.more[name] {
		return true
	}
	if s.count < len(s.few) {
		s.few[s.count] = name
		s.count++
		return false
	}
	if s.more == nil {
		s.more = make(map[string]bool)
	}
	s.more[name] = true
	return false
}

// xml reads an XML document without declarations of its own.
func (d *document) xml() error {
	r := xml.NewDecoder(strings.NewReader(d.text))
	type element struct {
		content int             // where it begins
		parent  bool            // of elements
		text    strings.Builder // of its own
	}
	var path []step
	var open []*element
	seen := map[string]int{}
	for {
		start := int(r.InputOffset())
		token, err := r.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 && start > 0 {
			return nil
		}
		if err != nil {
			return malformed(kindXML, "is malformed")
		}
		end := int(r.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > 0 {
				open[len(open)-1].parent = true
			}
			if len(open) >= maxDepth {
				return malformed(kindXML, "is nested too deeply")
			}
			path, open = append(path, member(t.Name.Local)), append(open, &element{content: end})
			if err := d.parent(path, seen); err != nil {
				return err
			}
			if err := d.attributes(path, t.Attr, start, end); err != nil {
				return err
			}
		case xml.EndElement:
			last := open[len(open)-1]
			content := d.text[min(last.content, start):start]
			if last.parent {
				if strings.TrimSpace(last.text.String()) != "" {
					return malformed(kindXML, "holds an element with both text and elements in it")
				}
			} else {
				d.field(path, last.text.String())
				if err := d.scalar(path, content, last.content, start, escapeXML); err != nil {
					return err
				}
			}
			path, open = path[:len(path)-1], open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text.Write(t)
			}
		case xml.ProcInst:
			if start != 0 || t.Target != "xml" {
				return malformed(kindXML, "holds a processing instruction")
			}
		case xml.Directive, xml.Comment:
			return malformed(kindXML, "holds a directive or a comment")
		}
	}
}

// maxAttributes bounds the attributes of one element, because each is compared with every other.
const maxAttributes = 64

// attributes reads the attributes of the start tag that stands at start to end.
func (d *document) attributes(path []step, all []xml.Attr, start, end int) error {
	if len(all) > maxAttributes {
		return malformed(kindXML, "holds too many attributes")
	}
	for i := range all {
		a := &all[i]
		if slices.ContainsFunc(all[:i], func(b xml.Attr) bool { return b.Name == a.Name }) {
			return malformed(kindXML, "holds an attribute twice")
		}
		at := start
		if d.secrets.found(a.Value) != "" {
			n := strings.Index(d.text[start:end], a.Value)
			if n <= 0 || d.text[start+n-1] != '"' && d.text[start+n-1] != '\'' {
				return malformed(kindXML, "holds a stand-in in an attribute that is not its whole value")
			}
			at += n
		}
		d.field(append(path, member("@"+a.Name.Local)), a.Value)
		if err := d.scalar(append(path, member("@"+a.Name.Local)), a.Value, at, at+len(a.Value), escapeXML); err != nil {
			return err
		}
	}
	return nil
}

// isPlain reports whether a text is the same in JSON, XML, forms and URLs.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c-'0' > 9 && (c|32 < 'a' || c|32 > 'z') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// escapeXML escapes for an element's text and an attribute's value. A character that XML has no form for becomes U+FFFD.
func escapeXML(v string) (string, error) {
	if isPlain(v) {
		return v, nil
	}
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(v)); err != nil {
		return "", violation(RuleDerivation, "a value cannot be escaped for XML")
	}
	return b.String(), nil
}

// multipart reads a body of type multipart/form-data, line by line as RFC 2046 has it.
func (d *document) multipart(boundary string) error {
	if boundary == "" {
		return malformed(kindMultipart, "has no boundary")
	}
	seen := map[string]bool{}
	delimiter := "\r\n--" + boundary
	if bare := "\n--" + boundary; strings.Count("\r\n"+d.text, delimiter) != strings.Count("\n"+d.text, bare)+strings.Count(d.text, "\r--"+boundary) {
		return malformed(kindMultipart, "holds the boundary behind half a line break")
	}
	text, base := "\r\n"+d.text, -2
	for first := true; ; first = false {
		at := strings.Index(text, delimiter)
		if at < 0 || first && at != 0 {
			return malformed(kindMultipart, "does not begin or end with the boundary")
		}
		text, base = text[at+len(delimiter):], base+at+len(delimiter)
		if tail, ok := strings.CutPrefix(text, "--"); ok {
			if tail != "" && tail != "\r\n" {
				return malformed(kindMultipart, "goes on after its end")
			}
			return nil
		}
		end := strings.Index(text, delimiter)
		head, content, ok := strings.Cut(text[:max(end, 0)], "\r\n\r\n")
		name, file, err := partName(head)
		if end < 0 || !ok || err != nil {
			return malformed(kindMultipart, "is malformed")
		}
		if file && d.secrets.found(content) != "" {
			return malformed(kindMultipart, "has a secret in a file: files hold the merchant's content alone")
		}
		if folded := strings.ToLower(name); seen[folded] {
			return malformed(kindMultipart, "holds a name twice")
		} else {
			seen[folded] = true
		}
		start := base + end - len(content)
		d.field([]step{member(name)}, content)
		err = d.scalar([]step{member(name)}, content, start, base+end, func(v string) (string, error) {
			if strings.Contains("\r\n"+v, delimiter) {
				d.secrets.wrong = append(d.secrets.wrong, "a value for the body holds the adapter's boundary, and is left out")
				return "", nil
			}
			return v, nil
		})
		if err != nil {
			return err
		}
	}
}

// partName reads the head of a part: the line break after the boundary, and header lines. file says that the part is a file with a plain name.
func partName(head string) (name string, file bool, err error) {
	lines, ok := strings.CutPrefix(head, "\r\n")
	if !ok {
		return "", false, errors.New("no line break")
	}
	for line := range strings.SplitSeq(lines, "\r\n") {
		key, value, ok := strings.Cut(line, ":")
		ok = ok && !strings.ContainsAny(value, "\r\n")
		switch textproto.CanonicalMIMEHeaderKey(key) {
		case "Content-Disposition":
			kind, params, err := mime.ParseMediaType(strings.TrimSpace(value))
			fileName, named := params["filename"]
			file = named && plainFileName(fileName)
			if err != nil || kind != "form-data" || name != "" || len(params) != 1 && (len(params) != 2 || !file) || strings.IndexByte(value, '*') >= 0 {
				return "", false, errors.New("not the disposition of a form's field")
			}
			name = params["name"]
		case "Content-Type":
		default:
			ok = false
		}
		if !ok {
			return "", false, errors.New("a header line that a form has no use for")
		}
	}
	if name == "" {
		return "", false, errors.New("no name")
	}
	return name, file, nil
}

// plainFileName reports whether every server reads a file's name in the same way.
func plainFileName(name string) bool {
	return name != "" && len(name) <= 100 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// nameOf writes a path as placements do.
func nameOf(path []step) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		if s.index >= 0 {
			b.WriteString("[]")
		} else {
			b.WriteString(s.name[:min(len(s.name), 64)])
		}
	}
	return b.String()
}

// lastName returns the name under which an answer may repeat the value: "number" of card[number] and of card.number.
func lastName(path []step) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].index >= 0 {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path[i].name, "@"), "]")
		return name[strings.LastIndexAny(name, "[.")+1:]
	}
	return ""
}
