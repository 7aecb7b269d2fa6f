package jsontext

// Node is one value of an indexed text, or the name of a member. Offsets are in bytes.
type Node struct {
	Start, End int32 // a string's and a name's with their quotes
	Next       int32 // the index of the node after this one and its contents; Escaped for a name with a backslash
}

// Escaped is the Next of a name that holds an escape.
const Escaped = -1

// Index reads a whole text and returns its values in the order of their beginnings, the outermost first. The contents of an object or array
// follow it, each member's name before its value. depth is the greatest depth of objects and arrays. reason is "" if the text is one JSON
// value, else the reason why not. Index does not check UTF-8.
//
// Index is one loop with few calls, because in a guest a call costs as much as reading twenty bytes.
func Index(s string, depth int) (nodes []Node, reason string) {
	if len(s) > 1<<30 {
		return nil, "too long"
	}
	nodes = roomForNodes(len(s)/8 + 8)
	open := make([]int32, 0, 16) // the objects and arrays around p
	for p := 0; ; {
		if p < len(s) && s[p] <= ' ' {
			p = Space(s, p)
		}
		if p >= len(s) {
			return nil, "unexpected end"
		}
		start := p
		switch c := s[p]; {
		case c == '"':
			if p = plain(s, p+1); p < len(s) && s[p] == '"' {
				p++
			} else if p, reason = skipString(s, start); reason != "" {
				return nil, reason
			}
		case c == '{', c == '[':
			if len(open) >= depth {
				return nil, "nested too deeply"
			}
			if p++; p < len(s) && s[p] <= ' ' {
				p = Space(s, p)
			}
			if p < len(s) && s[p] == c+2 { // '}' is '{' + 2, ']' is '[' + 2
				p++
				break
			}
			open = append(open, int32(len(nodes)))
			nodes = append(nodes, Node{Start: int32(start)})
			if c == '[' {
				continue
			}
			if nodes, p, reason = name(nodes, s, p); reason != "" {
				return nil, reason
			}
			continue
		case c == '-' || c-'0' <= 9:
			if p, reason = skipNumber(s, p); reason != "" {
				return nil, reason
			}
		default:
			if p, reason = skipLiteral(s, p); reason != "" {
				return nil, reason
			}
		}
		nodes = append(nodes, Node{int32(start), int32(p), int32(len(nodes) + 1)})
		for again := true; again; {
			if p < len(s) && s[p] <= ' ' {
				p = Space(s, p)
			}
			if len(open) == 0 {
				if p < len(s) {
					return nil, "text after the value"
				}
				return nodes, ""
			}
			if p >= len(s) {
				return nil, "unexpected end"
			}
			in := &nodes[open[len(open)-1]]
			switch object := s[in.Start] == '{'; s[p] {
			case ',':
				again = false
				if p++; object {
					if nodes, p, reason = name(nodes, s, p); reason != "" {
						return nil, reason
					}
				}
			case s[in.Start] + 2:
				p++
				in.End, in.Next = int32(p), int32(len(nodes))
				open = open[:len(open)-1]
			default:
				return nil, "comma or end expected"
			}
		}
	}
}

// name reads a member's name and the colon.
func name(nodes []Node, s string, p int) ([]Node, int, string) {
	if p < len(s) && s[p] <= ' ' {
		p = Space(s, p)
	}
	if p >= len(s) || s[p] != '"' {
		return nodes, p, "name expected"
	}
	start, next, reason := p, int32(len(nodes)+1), ""
	if p = plain(s, p+1); p < len(s) && s[p] == '"' {
		p++
	} else if p, reason = skipString(s, start); reason != "" {
		return nodes, p, reason
	} else {
		next = Escaped
	}
	nodes = append(nodes, Node{int32(start), int32(p), next})
	if p < len(s) && s[p] <= ' ' {
		p = Space(s, p)
	}
	if p >= len(s) || s[p] != ':' {
		return nodes, p, "colon expected"
	}
	return nodes, p + 1, ""
}
