package jsontext

// Skip reads one value of any kind at p, with leading white space, and returns the offset after the value. depth is the greatest depth of
// objects and arrays in the value. reason is "" for a valid value, else the reason of the refusal at end. Skip does not check UTF-8.
func Skip(s string, p, depth int) (end int, reason string) {
	p = Space(s, p)
	if p >= len(s) {
		return p, "unexpected end"
	}
	switch c := s[p]; {
	case c == '"':
		return skipString(s, p)
	case c == '{', c == '[':
		if depth <= 0 {
			return p, "nested too deeply"
		}
		return skipNested(s, p, depth)
	case c == '-' || c-'0' <= 9:
		return skipNumber(s, p)
	}
	return skipLiteral(s, p)
}

func skipLiteral(s string, p int) (end int, reason string) {
	l := "null"
	switch s[p] {
	case 't':
		l = "true"
	case 'f':
		l = "false"
	}
	if len(s)-p < len(l) || s[p:p+len(l)] != l {
		return p, "value expected"
	}
	return p + len(l), ""
}

// Space returns the offset of the first byte at or after p that is not white space.
func Space(s string, p int) int {
	for p < len(s) && (s[p] == ' ' || s[p] == '\n' || s[p] == '\r' || s[p] == '\t') {
		p++
	}
	return p
}

func skipNested(s string, p, depth int) (end int, reason string) {
	object := s[p] == '{'
	shut := s[p] + 2 // '}' is '{' + 2, ']' is '[' + 2
	if p = Space(s, p+1); p < len(s) && s[p] == shut {
		return p + 1, ""
	}
	for {
		if object {
			if p = Space(s, p); p >= len(s) || s[p] != '"' {
				return p, "name expected"
			}
			if p, reason = skipString(s, p); reason != "" {
				return p, reason
			}
			if p = Space(s, p); p >= len(s) || s[p] != ':' {
				return p, "colon expected"
			}
			p++
		}
		if p, reason = Skip(s, p, depth-1); reason != "" {
			return p, reason
		}
		if p = Space(s, p); p >= len(s) {
			return p, "unexpected end"
		}
		switch s[p] {
		case ',':
			p++
		case shut:
			return p + 1, ""
		default:
			return p, "comma or end expected"
		}
	}
}

func skipString(s string, p int) (end int, reason string) {
	for p++; p < len(s); p++ {
		c := s[p]
		if c > '"' && c != '\\' {
			continue
		}
		switch {
		case c == '"':
			return p + 1, ""
		case c < ' ':
			return p, "control character in a string"
		case c == '\\':
			p++
			if p >= len(s) {
				return p, "unexpected end"
			}
			switch s[p] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if hex4(s, p+1) < 0 {
					return p, "bad escape or end in a string"
				}
				p += 4
			default:
				return p, "bad escape or end in a string"
			}
		}
	}
	return p, "unexpected end"
}

func skipNumber(s string, p int) (end int, reason string) {
	digits := func() bool {
		start := p
		for p < len(s) && s[p]-'0' <= 9 {
			p++
		}
		return p > start
	}
	if s[p] == '-' {
		p++
	}
	if p < len(s) && s[p] == '0' {
		p++
	} else if !digits() {
		return p, "digit expected"
	}
	if p < len(s) && s[p] == '.' {
		p++
		if !digits() {
			return p, "digit expected"
		}
	}
	if p < len(s) && s[p]|32 == 'e' {
		p++
		if p < len(s) && (s[p] == '+' || s[p] == '-') {
			p++
		}
		if !digits() {
			return p, "digit expected"
		}
	}
	return p, ""
}
