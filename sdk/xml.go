package sdk

import (
	"errors"
	"strconv"
	"strings"
)

// XML is an element without its attributes. The zero value is a missing element. A look-up in a missing element returns a missing element.
type XML struct {
	name, text string
	children   []XML
}

// maxXMLDepth is the greatest depth of elements.
const maxXMLDepth = 32

// ErrXML means that a text is not one whole XML document, or that ParseXML does not support it.
var ErrXML = errors.New("not a whole XML document")

// ParseXML reads a document of one element, at most 32 levels deep, with prolog, comments and an optional byte order mark. It checks that
// tags match, and reads only the five entities of XML and numeric references. A document type is an error, so nothing is expanded. A
// truncated document is an error. The only error is ErrXML.
func ParseXML(b []byte) (XML, error) {
	p := &xmlParser{rest: strings.TrimPrefix(string(b), "\xef\xbb\xbf")}
	root := &XML{}
	if !p.content(root, 0) || len(root.children) != 1 || strings.TrimSpace(root.text) != "" {
		return XML{}, ErrXML
	}
	return root.children[0], nil
}

// Name returns the element's literal name with its prefix, "" for a missing element.
func (x XML) Name() string { return x.name }

// Get returns the element at the path: names of children separated by slashes, the first of each name. "" is the element itself.
func (x XML) Get(path string) XML {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		x = x.child(name)
	}
	return x
}

func (x XML) child(name string) XML {
	for i := range x.children {
		if x.children[i].name == name {
			return x.children[i]
		}
	}
	return XML{}
}

// Text returns the text of the element at the path, without its children's text and without surrounding white space.
func (x XML) Text(path string) string { return strings.TrimSpace(x.Get(path).text) }

// All yields the children of that name in order.
func (x XML) All(name string) func(yield func(XML) bool) {
	return func(yield func(XML) bool) {
		for i := range x.children {
			if x.children[i].name == name && !yield(x.children[i]) {
				return
			}
		}
	}
}

type xmlParser struct{ rest string }

// content reads the contents of an element up to its end tag, or, at depth 0, up to the end of the document.
func (p *xmlParser) content(e *XML, depth int) bool {
	for {
		text, markup, found := strings.Cut(p.rest, "<")
		plain, ok := unescapeXML(text)
		e.text += plain
		p.rest = markup
		switch {
		case !ok:
			return false
		case !found:
			return depth == 0
		case strings.HasPrefix(markup, "/"):
			name, ok := p.until(">")
			return ok && depth > 0 && strings.TrimSpace(name[1:]) == e.name
		case strings.HasPrefix(markup, "?"):
			_, ok = p.until("?>")
		case strings.HasPrefix(markup, "!--"):
			_, ok = p.until("-->")
		case strings.HasPrefix(markup, "![CDATA["):
			var data string
			data, ok = p.until("]]>")
			e.text += strings.TrimPrefix(data, "![CDATA[")
		default:
			ok = p.child(e, depth)
		}
		if !ok {
			return false
		}
	}
}

// child reads an element after its "<".
func (p *xmlParser) child(parent *XML, depth int) bool {
	tag, ok := p.until(">")
	if !ok || depth >= maxXMLDepth || strings.ContainsAny(tag, "<!") {
		return false
	}
	tag, empty := strings.CutSuffix(tag, "/")
	name := tag
	if i := strings.IndexAny(tag, " \t\r\n"); i >= 0 { // attributes follow
		name = tag[:i]
	}
	e := XML{name: name}
	if name == "" || !empty && !p.content(&e, depth+1) {
		return false
	}
	parent.children = append(parent.children, e)
	return true
}

// until reads up to and including the mark, and returns the text before the mark.
func (p *xmlParser) until(mark string) (string, bool) {
	before, after, found := strings.Cut(p.rest, mark)
	p.rest = after
	return before, found
}

// unescapeXML replaces the five entities of XML and numeric references.
func unescapeXML(s string) (string, bool) {
	out := ""
	for {
		before, rest, found := strings.Cut(s, "&")
		out += before
		if !found {
			return out, true
		}
		name, after, ok := strings.Cut(rest, ";")
		if !ok {
			return "", false
		}
		switch name {
		case "amp":
			out += "&"
		case "lt":
			out += "<"
		case "gt":
			out += ">"
		case "quot":
			out += `"`
		case "apos":
			out += "'"
		default:
			digits, numeric := strings.CutPrefix(name, "#")
			base := 10
			if hex, ok := strings.CutPrefix(digits, "x"); ok {
				digits, base = hex, 16
			}
			n, err := strconv.ParseUint(digits, base, 21)
			if !numeric || err != nil {
				return "", false
			}
			out += string(rune(n))
		}
		s = after
	}
}
