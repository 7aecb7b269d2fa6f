package plugins

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"payswitch/engine/secret"
	"payswitch/sdk"
)

// blanked stands in the place of a secret of which nothing may be shown.
const blanked = "[redacted]"

// scrubber masks secrets in everything that adapter, log, journal and database may see of an operation. Card data it masks by what it looks
// like to somebody who knows what the adapter knows: the first six digits, the last four and the length of the number, the name of a field.
// The number and the CVC themselves it does not know. So an adapter learns nothing from what is masked of the guesses it has written.
type scrubber struct {
	card    cardClass
	names   *fieldNames // of the fields that the manifest declares for secrets; nil for none
	secrets *standIns   // stand-ins stay as they are; nil for none
	keys    keyIndex
}

// newScrubber makes one that knows an operation's credentials and cryptogram, and the facts of its card.
func newScrubber(s *standIns) (c scrubber) {
	c.secrets = s
	for i := range s.secrets {
		switch x := &s.secrets[i]; x.name {
		case secretNumber:
			c.card = classOf(x.value.Reveal())
		case secretCVC:
		case secretCAVV:
			c.keys.addCryptogram(x.value.Reveal())
		default:
			c.addSecret(x.value)
		}
	}
	return c
}

// addSecret has a credential masked from now on.
func (c *scrubber) addSecret(v secret.Value) {
	if v != notYet {
		c.keys.addKey(v.Reveal())
	}
}

// add has a value masked from now on wherever it stands as a whole. It is for values that nobody can guess.
func (c *scrubber) add(value string) { c.keys.addValue(value) }

// sent takes in what a request held: signatures, ciphertexts and whatever else was derived. Numbers and CVCs are not looked for.
func (c *scrubber) sent(all []put) {
	for i := range all {
		if all[i].secret == "" {
			c.add(all[i].value)
		}
	}
}

// text masks a text. known says that it held what looks like a secret of this operation's, and so should not be there. request is what the
// adapter wrote, and so knows; nil for nothing.
func (c *scrubber) text(text string, request *sdk.Send) (clean string, known bool) {
	return c.mask(text, request, true)
}

// own masks a text but for the numbers of other cards: a text of the adapter's, who has never seen one.
func (c *scrubber) own(text string) string {
	clean, _ := c.mask(text, nil, false)
	return clean
}

// bodyDigests are headers that hold a digest of the body. Of a body that held a card number, they would let the adapter try its digits.
var bodyDigests = foldedSet("Content-MD5", "Digest", "Content-Digest", "Repr-Digest", "ETag", "X-Content-SHA256", "X-Checksum", "X-Amz-Checksum-SHA256", "X-Goog-Hash")

// headers masks those of an answer: names, values, and the values of those whose name says that they are secret.
func (c *scrubber) headers(all []sdk.Header, request *sdk.Send, altered, known bool) ([]sdk.Header, bool) {
	kept := all[:0]
	for _, h := range all {
		if altered && bodyDigests[folded(h.Name)] {
			continue
		}
		name, found := c.text(h.Name, request)
		value, also := c.text(h.Value, request)
		known = known || found || also
		const field = ": "
		if !c.mayName(h.Name) {
		} else if line, secret := c.text(h.Name+field+value, request); secret && strings.HasPrefix(line, name+field) { // as a field of that name
			value, known = line[len(name)+len(field):], true
		}
		kept = append(kept, sdk.Header{Name: name, Value: value})
	}
	return kept, known
}

// mayName says whether a header may be one whose value is a secret, whatever it is.
func (c *scrubber) mayName(header string) bool {
	var room [maxFieldName]byte
	name := appendFolded(room[:0], header)
	return fixedNames.kinds[string(name)] != fieldOther || c.names != nil && c.names.kinds[string(name)] != fieldOther
}

func (c *scrubber) mask(text string, request *sdk.Send, others bool) (clean string, known bool) {
	r := reading{scrubber: c, request: request, others: others, work: 16*len(text) + 64<<10}
	clean = r.read(text)
	return clean, r.known
}

// reading is how one text is read for secrets.
type reading struct {
	*scrubber
	request *sdk.Send
	others  bool // the numbers of other cards are masked, too
	depth   int  // of encodings around the text
	work    int  // bytes that may still be decoded
	known   bool
}

// maxEncodings bounds how deep encodings are looked into.
const maxEncodings = 3

// read masks a text as it stands and, where it holds escapes or other characters than ASCII, as it is read without them. Encoded text comes
// first, so that what is left of it is not taken for digits.
func (r *reading) read(text string) string {
	if len(text) < 3 || len(text) < minScrubbed && isLetters(text) {
		return text
	}
	v := view{source: text, text: text, first: r.card.first, json: isJSON(text)}
	r.encoded(&v)
	v.apply()
	r.scan(&v)
	if len(v.edits)+len(v.fields) == 0 && !v.escaped {
		r.keys.find(r, &v)
		v.apply()
		return v.source
	}
	r.decoded(&v)
	r.keys.find(r, &v)
	v.apply()
	d := view{source: v.source, first: v.first, json: v.json}
	if !v.escaped || !d.unescape() {
		return v.source
	}
	r.keys.find(r, &d)
	d.apply()
	return d.source
}

// decoded masks a view that has been scanned, in all its readings together: none may hide from another what it would have found. Numbers go
// first, so that no field's name takes away a part of one.
func (r *reading) decoded(v *view) {
	escaped := v.escaped
	early := slices.DeleteFunc(slices.Clone(v.fields), func(e edit) bool {
		return e.text == blanked || !strings.ContainsFunc(v.source[e.start:e.end], unicode.IsLetter)
	})
	if len(early) > 0 { // a CVC in base64 may end with a digit, which is none of a number beside it
		v.edits = early
		v.apply()
		r.scan(v)
	}
	d := view{source: v.source, first: v.first, json: v.json}
	f := d
	if escaped && d.unescape() {
		if r.encoded(&d); d.apply() {
			*v = view{source: d.source, text: d.source, first: d.first, json: d.json}
			r.scan(v)
			f.source = d.source
		}
		r.scan(&d)
		if f.fold() { // where a number stands behind what looks like an escape
			r.scan(&f)
		}
	}
	found := len(v.fields) + len(d.fields)
	v.edits = slices.Concat(v.edits, d.edits, f.edits)
	v.apply()
	if found > 0 {
		r.fields(v)
		if d = (view{source: v.source, first: v.first, json: v.json}); escaped && d.unescape() {
			r.fields(&d)
		}
		v.edits = slices.Concat(v.fields, d.fields)
		v.apply()
	}
	v.escaped = escaped
}

// view is a text in the form in which it is searched, and where that comes from.
type view struct {
	source string // the text itself
	text   string // what is searched
	first  string // of the card's number
	at     []span // of each byte of text in source; nil: they are the same
	edits  []edit // of source
	fields []edit // those of fields whose value is a secret

	escaped bool // there is an escape in the text that was scanned

	json    bool     // source is an object or array of JSON
	strings []uint64 // which bytes of source are within a string; nil until that is asked for

	schemeEnd         int // of the value of a header of authentication that was read last
	follow, followEnd int // where digits are masked that follow a card number
}

type span struct{ start, end int32 }

// place is where a part of the text stands in source.
func (v *view) place(start, end int) (int, int) {
	if v.at == nil {
		return start, end
	}
	return int(v.at[start].start), int(v.at[end-1].end)
}

// putField notes an edit of a field's value.
func (v *view) putField(start, end int, text string) {
	if start < end {
		s, e := v.place(start, end)
		v.fields = append(v.fields, edit{s, e, text})
	}
}

// put notes an edit of a part of the text.
func (v *view) put(start, end int, text string) {
	if start < end {
		s, e := v.place(start, end)
		v.edits = append(v.edits, edit{s, e, text})
	}
}

// blank notes that nothing of a part is to be seen.
func (v *view) blank(start, end int) {
	start, end, text := v.blankOf(start, end)
	v.put(start, end, text)
}

// blankOf is what stands in the place of a part of which nothing is to be seen. A number of JSON stays one.
func (v *view) blankOf(start, end int) (int, int, string) {
	if !v.isNumber(start) {
		return start, end, blanked
	}
	for start > 0 && isNumeral(v.text[start-1]) {
		start--
	}
	for end < len(v.text) && isNumeral(v.text[end]) {
		end++
	}
	return start, end, "0"
}

func isNumeral(c byte) bool { return c-'0' <= 9 || c == '.' || c == '-' || c == '+' || c|32 == 'e' }

// isNumber says that what stands there is part of a JSON value that is no string.
func (v *view) isNumber(at int) bool {
	if !v.json {
		return false
	}
	if v.strings == nil {
		v.readStrings()
	}
	start, _ := v.place(at, at+1)
	return v.strings[start/64]&(1<<(start%64)) == 0
}

// isJSON says whether a text has the form of an object or array.
func isJSON(text string) bool {
	const space = " \t\r\n"
	t := strings.Trim(text, space)
	if len(t) < 2 {
		return false
	}
	next := strings.TrimLeft(t[1:], space)[0]
	switch t[0] {
	case '{':
		return t[len(t)-1] == '}' && (next == '"' || next == '}')
	case '[':
		return t[len(t)-1] == ']' && strings.IndexByte(`"{[]-0123456789tfn`, next) >= 0
	}
	return false
}

func (v *view) readStrings() {
	v.strings = make([]uint64, len(v.source)/64+1)
	inside := false
	for i := 0; i < len(v.source); i++ {
		c := v.source[i]
		if inside {
			v.strings[i/64] |= 1 << (i % 64)
			if c == '\\' {
				if i++; i < len(v.source) {
					v.strings[i/64] |= 1 << (i % 64)
				}
				continue
			}
		}
		if c == '"' {
			inside = !inside
		}
	}
}

// apply makes the edits and says whether there were any. Of two that overlap the larger counts: it leaves less to be seen.
func (v *view) apply() bool {
	if len(v.edits) == 0 {
		return false
	}
	slices.SortStableFunc(v.edits, func(a, b edit) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	all := v.edits[:1]
	for _, e := range v.edits[1:] {
		last := &all[len(all)-1]
		switch {
		case e.start >= last.end:
			all = append(all, e)
		case e.end > last.end:
			if e.end-e.start > last.end-last.start {
				last.text = e.text
			}
			last.end = e.end
		}
	}
	var out strings.Builder
	done := 0
	for _, e := range all {
		out.WriteString(v.source[done:e.start])
		out.WriteString(e.text)
		done = e.end
	}
	out.WriteString(v.source[done:])
	decoded := v.at != nil
	*v = view{source: out.String(), first: v.first, json: v.json, escaped: v.escaped}
	v.text = v.source
	if decoded {
		v.unescape()
	}
	return true
}

// isLetters reports whether a text holds ASCII letters alone. A short one hides neither digits nor a field, nor a credential with its prefix.
func isLetters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 32; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

func isWord(c byte) bool { return isAlphanumeric(c) || c == '_' || c >= 0x80 }

func isAlphanumeric(c byte) bool { return c-'0' <= 9 || c|32 >= 'a' && c|32 <= 'z' }
