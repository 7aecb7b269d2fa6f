package nmi

import (
	"errors"
	"strconv"
	"strings"
)

// element is an XML element without its attributes, which the Query API does not use for anything we read.
type element struct {
	name, text string
	children   []element
}

// maxDepth is how deep elements may be nested.
const maxDepth = 32

var errXML = errors.New("not a whole XML document")

// parseXML reads a document: one element and nothing else but a prolog and comments. A document that ends too early is an error.
func parseXML(s string) (*element, error) {
	p := &xmlParser{rest: strings.TrimPrefix(s, "\xef\xbb\xbf")}
	root := &element{}
	if !p.content(root, 0) || len(root.children) != 1 || strings.TrimSpace(root.text) != "" {
		return nil, errXML
	}
	return &root.children[0], nil
}

// get is the text of the first child of that name.
func (e *element) get(name string) string {
	for i := range e.children {
		if e.children[i].name == name {
			return strings.TrimSpace(e.children[i].text)
		}
	}
	return ""
}

// all yields the children of that name.
func (e *element) all(name string) func(yield func(*element) bool) {
	return func(yield func(*element) bool) {
		for i := range e.children {
			if e.children[i].name == name && !yield(&e.children[i]) {
				return
			}
		}
	}
}

type xmlParser struct{ rest string }

// content reads what stands in an element up to its end tag, or, at depth 0, up to the end of the document.
func (p *xmlParser) content(e *element, depth int) bool {
	for {
		text, markup, found := strings.Cut(p.rest, "<")
		plain, ok := unescape(text)
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

// child reads an element whose "<" has been read.
func (p *xmlParser) child(parent *element, depth int) bool {
	tag, ok := p.until(">")
	if !ok || depth >= maxDepth || strings.ContainsAny(tag, "<!") {
		return false
	}
	tag, empty := strings.CutSuffix(tag, "/")
	name, _, _ := strings.Cut(strings.TrimRight(tag, " \t\r\n"), " ")
	e := element{name: name}
	if name == "" || !empty && !p.content(&e, depth+1) {
		return false
	}
	parent.children = append(parent.children, e)
	return true
}

// until reads up to and with the mark, and returns what stands before it.
func (p *xmlParser) until(mark string) (string, bool) {
	before, after, found := strings.Cut(p.rest, mark)
	p.rest = after
	return before, found
}

// unescape replaces the five entities of XML and numeric references.
func unescape(s string) (string, bool) {
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
