package braintree

import "strings"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// base64 encodes without padding.
func base64(s string) string {
	var b []byte
	for len(s) > 0 {
		n := min(3, len(s))
		var v [3]byte
		copy(v[:], s[:n])
		s = s[n:]
		group := uint(v[0])<<16 | uint(v[1])<<8 | uint(v[2])
		for i := range n + 1 {
			b = append(b, alphabet[group>>(18-6*i)&63])
		}
	}
	return string(b)
}

// unbase64 decodes up to the first "="; line breaks are passed over. Anything else makes it nil.
func unbase64(s string) []byte {
	var b []byte
	group, bits := uint(0), 0
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' {
			continue
		}
		if s[i] == '=' {
			break
		}
		v := strings.IndexByte(alphabet, s[i])
		if v < 0 {
			return nil
		}
		group, bits = group<<6|uint(v), bits+6
		if bits >= 8 {
			bits -= 8
			b = append(b, byte(group>>bits))
		}
	}
	return b
}

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
