package scrub

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// minScrubbed is the minimum number of unguessable characters by which a value is masked anywhere. A shorter value is masked by its place.
const minScrubbed = 12

// keyIndex finds credentials, and other unguessable values, in a text. Unlike numbers and CVCs they can be compared: an adapter that writes
// guesses for a processor to echo would have to guess twelve unknown characters at once. Credentials are compared in blocks that do not
// overlap, so a known or guessed part does not help with the next one.
type keyIndex struct {
	prefixes []prefix // public beginnings of credentials
	arena    []byte   // the texts of all patterns, folded
	patterns []pattern
	grams    []gram
	slots    [512]int16 // the first gram of a hash, counted from 1
	values   []string   // the indexed values
}

// pattern is a text that is masked anywhere. The text is arena[start:end].
type pattern struct{ start, end int32 }

// gram represents the eight characters of a pattern that begin at arena[at].
type gram struct {
	at      int32
	pattern int16
	next    int16 // the next gram of the same hash, counted from 1; 0 for none
}

// prefix is the public beginning of a credential, folded: sk_live_. A token that begins with it is masked, whatever follows.
type prefix struct {
	text   string
	common bool // a word that other texts may begin with too: the rest must look like a key
}

const (
	gramSize = 8
	gramStep = minScrubbed - gramSize + 1 // every gramStep-th place of a text is looked at: one of them begins a gram of a pattern
)

// maxPatterns limits the size of the index.
const maxPatterns = 4000

func (x *keyIndex) has(value string) bool {
	if slices.Contains(x.values, value) {
		return true
	}
	x.values = append(x.values, value)
	return false
}

// addValue masks a value that stands as a whole.
func (x *keyIndex) addValue(value string) {
	if len(value) >= minScrubbed && !x.has(value) {
		x.addPattern([]byte(value))
	}
}

// addCryptogram masks an authentication value, also in the hexadecimal form of its decoded base64.
func (x *keyIndex) addCryptogram(value string) {
	x.addValue(value)
	if b, err := base64.StdEncoding.DecodeString(value); err == nil && len(b) >= minScrubbed {
		x.addValue(hex.EncodeToString(b))
	}
}

// addKey masks a credential: any token with its public prefix, and every block of the rest, plain and encoded.
func (x *keyIndex) addKey(value string) {
	if value == "" || x.has(value) {
		return
	}
	if strings.Contains(value, "-----BEGIN ") {
		x.addPEM(value)
		return
	}
	public := publicPrefix(value)
	if public.text != "" && !slices.Contains(x.prefixes, public) {
		x.prefixes = append(x.prefixes, public)
	}
	rest := value[len(public.text):]
	if public.text != "" && len(value)/3 > len(public.text) {
		rest = value[len(value)/3:] // such keys begin with public parts too: the account's id, a version
	}
	size := minScrubbed
	if isDigits(rest) {
		size += size / 4 // a digit holds less to guess
	}
	n := len(rest)
	if n < size {
		return
	}
	for at := 0; at+2*size <= n; at += size {
		x.addBlock(rest[at : at+size])
	}
	if n%size != 0 && n < 2*size {
		x.addBlock(rest[:size])
	}
	x.addBlock(rest[n-size:]) // so that the rest of a key that was cut at its beginning is found too
}

// addBlock masks a part of a credential in any encoding.
func (x *keyIndex) addBlock(block string) {
	var room, out [4 * minScrubbed]byte
	x.addPattern(append(room[:0], block...))
	x.addPattern(hex.AppendEncode(out[:0], append(room[:0], block...)))
	for before := range 3 {
		b := append(append(room[:0], "\x00\x00"[:before]...), block...)
		first, last := (8*before+5)/6, 8*len(b)/6 // the characters that depend on this part alone
		encoded := base64.RawStdEncoding.AppendEncode(out[:0], b)[first:last]
		x.addPattern(encoded)
		if bytes.ContainsAny(encoded, "+/") {
			x.addPattern(base64.RawURLEncoding.AppendEncode(out[:0], b)[first:last])
		}
	}
}

// addPEM masks the secret part of a PEM key in its lines.
func (x *keyIndex) addPEM(value string) {
	const line, least = 64, 20
	for block := range strings.SplitSeq(value, "-----BEGIN ") {
		header, block, _ := strings.Cut(block, "-----")
		block, _, _ = strings.Cut(block, "-----END")
		if !strings.Contains(header, "PRIVATE KEY") {
			continue
		}
		body := strings.Join(strings.Fields(block), "")
		from, to := line, len(body) // skip the common beginning of keys of one kind
		for begins, at := range map[string]int{"MHcCAQEEI": 10, "MIGHAgEAMBMGByqGSM49AgEG": 48, "MIGkAgEBBD": 12, "MIG2AgEAMBAGByqGSM49AgEG": 48, "MC4CAQAwBQYDK2VwBCIEI": 22} {
			if strings.HasPrefix(body, begins) {
				from, to = at, min(to, at+2*line)
				if strings.Contains(begins, "MHc") || strings.Contains(begins, "MIGH") || strings.Contains(begins, "MC4") {
					to = min(to, at+42) // 32 bytes; the rest is public
				}
			}
		}
		for from < to {
			end := min(to, (from/line+1)*line, from+line/2)
			if end-from >= least || len(body) < 400 && end-from >= minScrubbed {
				x.addPattern([]byte(body[from:end]))
			}
			from = end
		}
	}
}

// publicPrefix returns the public beginning of a credential: words that end with _ or - within the first twelve characters.
func publicPrefix(value string) (p prefix) {
	end, words := 0, 0
	for {
		i := end
		for i < len(value) && value[i]|32 >= 'a' && value[i]|32 <= 'z' {
			i++
		}
		if i == end || i >= len(value) || i >= minScrubbed || value[i] != '_' && value[i] != '-' {
			break
		}
		end = i + 1
		words++
	}
	if end-words < 3 {
		return prefix{}
	}
	return prefix{text: strings.ToLower(value[:end]), common: words < 2}
}

const foldBits = 0x2020202020202020

// foldByte makes letters lower case. It also makes some other characters equal, which does no harm.
func foldByte(c byte) byte { return c | 0x20 }

func (x *keyIndex) addPattern(text []byte) {
	if len(x.patterns) >= maxPatterns {
		return
	}
	if x.arena == nil { // space for one credential of usual length
		const patterns, length = 24, 16
		x.arena, x.patterns, x.grams = make([]byte, 0, patterns*length), make([]pattern, 0, patterns), make([]gram, 0, patterns*gramStep)
	}
	start := int32(len(x.arena))
	x.arena = append(x.arena, text...)
	added := x.arena[start:]
	for i, c := range added {
		added[i] = foldByte(c)
	}
	x.patterns = append(x.patterns, pattern{start, int32(len(x.arena))})
	for i := range int32(gramStep) {
		slot := &x.slots[slotOf(load(added[i:]))]
		x.grams = append(x.grams, gram{at: start + i, pattern: int16(len(x.patterns) - 1), next: *slot})
		*slot = int16(len(x.grams))
	}
}

func load[T string | []byte](b T) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func slotOf(value uint64) uint64 { return value * 0x9E3779B97F4A7C15 >> 55 }

// find blanks every token that holds a pattern or a public prefix.
func (x *keyIndex) find(r *reading, v *view) {
	t := v.text
	for i := 0; i+gramSize <= len(t) && len(x.patterns) > 0; i += gramStep {
		value := load(t[i:i+gramSize]) | foldBits
		for n := x.slots[slotOf(value)]; n > 0; n = x.grams[n-1].next {
			g := x.grams[n-1]
			if load(x.arena[g.at:]) != value {
				continue
			}
			p := x.patterns[g.pattern]
			start := i - int(g.at-p.start)
			if end := start + int(p.end-p.start); start >= 0 && end <= len(t) && x.stands(p, t[start:end]) {
				r.known = true
				v.token(start, end)
			}
		}
	}
	for i := range x.prefixes {
		x.findPrefix(r, v, &x.prefixes[i])
	}
}

func (x *keyIndex) stands(p pattern, text string) bool {
	for i, c := range x.arena[p.start:p.end] {
		if foldByte(text[i]) != c {
			return false
		}
	}
	return true
}

func (x *keyIndex) findPrefix(r *reading, v *view, p *prefix) {
	t := v.text
	n := len(p.text)
	for from := n - 1; from < len(t); from++ {
		i := strings.IndexByte(t[from:], p.text[n-1])
		if i < 0 {
			return
		}
		from += i
		start := from + 1 - n
		if foldByte(t[from-1]) != foldByte(p.text[n-2]) { // most texts have many of these marks
			continue
		}
		if !strings.EqualFold(t[start:from+1], p.text) || start > 0 && isAlphanumeric(t[start-1]) {
			continue
		}
		end := from + 1
		for end < len(t) && isTokenChar(t[end]) {
			end++
		}
		if rest := t[from+1 : end]; rest == "" || p.common && (end-start < minScrubbed || !isKeyLike(rest)) {
			continue
		}
		r.known = true
		v.token(start, end)
		from = end - 1
	}
}

// isKeyLike reports whether the text after a common word looks like a key: it holds a digit or a capital letter.
func isKeyLike(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' })
}

func isTokenChar(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '-' || c == '+' || c == '/' || c == '.' || c == '~'
}

// token blanks the whole token around a match, so that the rest of the token reveals nothing about it.
func (v *view) token(start, end int) {
	t := v.text
	for start > 0 && isTokenChar(t[start-1]) && (t[start-1] != '/' || start < 2 || t[start-2] != '/') {
		start--
	}
	for end < len(t) && isTokenChar(t[end]) {
		end++
	}
	for end < len(t) && t[end] == '=' && (end+1 == len(t) || !isTokenChar(t[end+1])) {
		end++
	}
	v.blank(start, end)
}
