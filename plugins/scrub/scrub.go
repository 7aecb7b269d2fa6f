package scrub

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"payswitch/engine/secret"
	"payswitch/sdk"
)

// Blanked replaces a secret that must not be shown even in part.
const Blanked = "[redacted]"

// Scrubber masks secrets in everything of an operation that the adapter, log, journal and database may see. It recognizes card data by what
// the adapter knows too: the first six digits, the last four, the length of the number, and the names of fields. It does not know the number
// or the CVC itself. So an adapter cannot test guesses by what is masked. A Scrubber serves one goroutine at a time.
type Scrubber struct {
	card      Card
	names     *Names
	isStandIn func(text string) bool
	keys      keyIndex
}

// New makes a Scrubber. names are those of the fields that the manifest declares for secrets, nil for none. isStandIn reports whether a text holds a
// stand-in, which stays as it is; it may be nil.
func New(card Card, names *Names, isStandIn func(text string) bool) Scrubber {
	return Scrubber{card: card, names: names, isStandIn: isStandIn}
}

// SetCard changes the card whose number is masked.
func (c *Scrubber) SetCard(card Card) { c.card = card }

// AddKey masks a credential from now on: also a part of it, or another form.
func (c *Scrubber) AddKey(v secret.Value) { c.keys.addKey(v.Reveal()) }

// AddCryptogram masks a cryptogram of 3-D Secure from now on, whatever its encoding.
func (c *Scrubber) AddCryptogram(v secret.Value) { c.keys.addCryptogram(v.Reveal()) }

// Add masks a value from now on, wherever it stands as a whole. The value must be impossible to guess.
func (c *Scrubber) Add(value string) { c.keys.addValue(value) }

// Text masks a text. known is true if the text held something like a secret of this operation, which should not be there. request is the
// text that the adapter wrote, and so knows; it may be nil.
func (c *Scrubber) Text(text string, request *sdk.Send) (clean string, known bool) {
	return c.mask(text, request, true)
}

// Own masks a text of the adapter. It does not mask other card numbers, because the adapter has never seen one.
func (c *Scrubber) Own(text string) string {
	clean, _ := c.mask(text, nil, false)
	return clean
}

// bodyDigests are headers with a digest of the body. If the body held a card number, the adapter could test digits with the digest.
var bodyDigests = FoldedSet("Content-MD5", "Digest", "Content-Digest", "Repr-Digest", "ETag", "X-Content-SHA256", "X-Checksum", "X-Amz-Checksum-SHA256", "X-Goog-Hash")

// Headers masks an answer's headers: names, values, and the whole values of headers with the name of a secret.
func (c *Scrubber) Headers(all []sdk.Header, request *sdk.Send, altered, known bool) ([]sdk.Header, bool) {
	kept := all[:0]
	for _, h := range all {
		if altered && bodyDigests[Folded(h.Name)] {
			continue
		}
		name, found := c.Text(h.Name, request)
		value, also := c.Text(h.Value, request)
		known = known || found || also
		const field = ": "
		if !c.mayName(h.Name) {
		} else if line, secret := c.Text(h.Name+field+value, request); secret && strings.HasPrefix(line, name+field) { // the value, as a field of that name
			value, known = line[len(name)+len(field):], true
		}
		kept = append(kept, sdk.Header{Name: name, Value: value})
	}
	return kept, known
}

// mayName reports whether a header's name may say that its whole value is secret.
func (c *Scrubber) mayName(header string) bool {
	var room [maxFieldName]byte
	name := AppendFolded(room[:0], header)
	return fixedNames.kinds[string(name)] != fieldOther || c.names != nil && c.names.kinds[string(name)] != fieldOther
}

func (c *Scrubber) mask(text string, request *sdk.Send, others bool) (clean string, known bool) {
	r := reading{Scrubber: c, request: request, others: others, work: 16*len(text) + 64<<10}
	clean = r.read(text)
	return clean, r.known
}

// reading is the state of searching one text for secrets.
type reading struct {
	*Scrubber
	request *sdk.Send
	others  bool // other card numbers are masked too
	depth   int  // of encodings around the text
	work    int  // bytes that may still be decoded
	known   bool
}

// maxEncodings limits the depth of encodings in encodings that are searched.
const maxEncodings = 3

// read masks a text as it stands. If the text holds escapes or bytes above ASCII, read also masks it as it reads without them. Encoded text
// comes first, so that no remainder of it counts as digits.
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

// decoded masks a scanned view in all its readings together, so that no reading hides something from another. Numbers come first, so that no
// field's name removes a part of a number.
func (r *reading) decoded(v *view) {
	escaped := v.escaped
	early := slices.DeleteFunc(slices.Clone(v.fields), func(e edit) bool {
		return e.text == Blanked || !strings.ContainsFunc(v.source[e.start:e.end], unicode.IsLetter)
	})
	if len(early) > 0 { // a CVC in base64 may end with a digit that belongs to no number after it
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
		if f.fold() { // a number may stand behind what looks like an escape
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

// view is a text in the form that is searched, with the origin of each byte.
type view struct {
	source string // the text itself
	text   string // the searched text
	first  string // the first digits of the card's number
	at     []span // of each byte of text in source; nil: they are the same
	edits  []edit // of source
	fields []edit // edits of fields with a secret value

	escaped bool // the scanned text holds an escape

	json    bool     // source is an object or array of JSON
	strings []uint64 // which bytes of source are within a string; nil until the first use

	schemeEnd         int // end of the value of the last authentication header
	follow, followEnd int // where digits that follow a card number are masked
}

// edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

type span struct{ start, end int32 }

// place returns the place of a part of the text in source.
func (v *view) place(start, end int) (int, int) {
	if v.at == nil {
		return start, end
	}
	return int(v.at[start].start), int(v.at[end-1].end)
}

// putField records an edit of a field's value.
func (v *view) putField(start, end int, text string) {
	if start < end {
		s, e := v.place(start, end)
		v.fields = append(v.fields, edit{s, e, text})
	}
}

// put records an edit of a part of the text.
func (v *view) put(start, end int, text string) {
	if start < end {
		s, e := v.place(start, end)
		v.edits = append(v.edits, edit{s, e, text})
	}
}

// blank records that a part must not be shown at all.
func (v *view) blank(start, end int) {
	start, end, text := v.blankOf(start, end)
	v.put(start, end, text)
}

// blankOf returns the replacement for a part that must not be shown. A number in JSON stays a number.
func (v *view) blankOf(start, end int) (int, int, string) {
	if !v.isNumber(start) {
		return start, end, Blanked
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

// isNumber reports whether a place in source is in a JSON value that is not a string.
func (v *view) isNumber(at int) bool {
	if !v.json {
		return false
	}
	if v.strings == nil {
		if v.json = json.Valid([]byte(v.source)); !v.json { // words stand outside of its strings too
			return false
		}
		v.readStrings()
	}
	start, _ := v.place(at, at+1)
	return v.strings[start/64]&(1<<(start%64)) == 0
}

// isJSON reports whether a text has the form of an object or array.
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

// apply makes the edits and reports whether there were any. Of two overlapping edits, the larger one counts, because it shows less.
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
