package braintree

import "strings"

// A document is a notification's texts by the path of their elements: the first of each path.
type document map[string]string

func (d document) get(path string) string { return strings.TrimSpace(d[path]) }

// parse reads XML whose signature has been verified: it goes by tags and checks no more than that they match. What it cannot read is an
// empty document.
func parse(text string) document {
	d := document{}
	path := ""
	for {
		before, rest, ok := strings.Cut(text, "<")
		if _, known := d[path]; !known && strings.TrimSpace(before) != "" {
			d[path] = unescape.Replace(before)
		}
		if !ok {
			break
		}
		tag, after, ok := strings.Cut(rest, ">")
		if !ok {
			return nil
		}
		text = after
		name, _, _ := strings.Cut(strings.TrimSuffix(tag, "/"), " ")
		switch {
		case strings.HasPrefix(tag, "?"), strings.HasPrefix(tag, "!"), strings.HasSuffix(tag, "/"):
		case strings.HasPrefix(tag, "/"):
			parent, last := "", path
			if i := strings.LastIndexByte(path, '/'); i >= 0 {
				parent, last = path[:i], path[i+1:]
			}
			if last != strings.TrimSpace(tag[1:]) {
				return nil
			}
			path = parent
		case path == "":
			path = name
		default:
			path += "/" + name
		}
	}
	if path != "" {
		return nil
	}
	return d
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")
