package plugins

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"payswitch/engine"
	"payswitch/sdk"
)

// minScrubbed is the length from which on a secret is looked for in answers. What is shorter is there by chance too often.
const minScrubbed = 12

const (
	blanked    = "[redacted]"
	leastPAN   = 13 // digits of a card number
	mostPAN    = 19
	shownFirst = 6 // digits that guests know anyway
	shownLast  = 4
)

// scrubber takes secrets out of answers before guest, journal or log see them.
type scrubber struct {
	number string   // the card's
	cvc    []string // in every form it was sent in
	cvcIn  []string // the names of the fields it was sent under, in lower case
	values []string // longest first, in every form they may come back in
}

func newScrubber(s *standIns) (c scrubber) {
	for i := range s.secrets {
		switch x := &s.secrets[i]; x.name {
		case secretNumber:
			c.number = digitsOf(x.value.Reveal())
		case secretCVC:
			c.cvc = []string{x.value.Reveal()}
		default:
			c.addSecret(x.value)
		}
	}
	return c
}

func (c *scrubber) addSecret(v engine.Secret) {
	if v != notYet {
		c.add(v.Reveal())
	}
}

// add has a value looked for from now on.
func (c *scrubber) add(value string) {
	if len(value) < minScrubbed || slices.Contains(c.values, value) {
		return
	}
	c.values = append(c.values, value)
	if !isPlain(value) {
		quoted, _ := escapeJSON(value)
		marked, _ := escapeXML(value)
		for _, form := range []string{quoted, strings.ReplaceAll(quoted, "/", `\/`), marked, url.QueryEscape(value), url.PathEscape(value)} {
			if form != "" && !slices.Contains(c.values, form) {
				c.values = append(c.values, form)
			}
		}
	}
	slices.SortStableFunc(c.values, func(a, b string) int { return len(b) - len(a) })
}

// sent takes in what a request held.
func (c *scrubber) sent(all []put) {
	for i := range all {
		switch p := &all[i]; {
		case p.secret == secretCVC || p.card && len(p.value) < minScrubbed:
			if !c.isCVC(p.value) {
				c.cvc = append(c.cvc, p.value)
			}
			if name := strings.ToLower(p.field); name != "" && !slices.Contains(c.cvcIn, name) {
				c.cvcIn = append(c.cvcIn, name)
			}
		case p.secret != secretNumber:
			c.add(p.value)
		}
	}
}

// text scrubs a text. known says that something was found that was ours, and so should not be there; request is what the adapter wrote,
// and so knows; nil for nothing.
func (c *scrubber) text(text string, request *sdk.Send) (clean string, known bool) {
	for _, v := range c.values {
		if strings.Contains(text, v) {
			text, known = strings.ReplaceAll(text, v, blanked), true
		}
	}
	text, number := c.numbers(text, request)
	text, cvc := c.fields(text)
	return text, known || number || cvc
}

// numbers masks card numbers but for what guests know anyway: the card's own wherever it stands, others only where they stand alone and
// are of a form that card numbers have.
func (c *scrubber) numbers(text string, request *sdk.Send) (clean string, known bool) {
	m := masking{text: text, json: isJSON(text)}
	least := leastPAN
	if n := len(c.number); n > shownFirst+shownLast {
		least = min(least, n)
	}
	for i := 0; i < len(text); {
		if end := i + least; end <= len(text) && text[end-1]-'0' > 9 && text[end-2]-'0' > 9 {
			i = end // no run that begins before is long enough: these two, which are no digits, would be in it
			continue
		}
		if text[i]-'0' > 9 {
			i++
			continue
		}
		start, n := i, 0
		for end := i; ; { // digits, with a space or dash between any two of them
			for i < len(text) && text[i]-'0' <= 9 {
				i++
				n++
			}
			if end = i; end+1 >= len(text) || text[end] != ' ' && text[end] != '-' || text[end+1]-'0' > 9 {
				break
			}
			i++
		}
		if n < least {
			continue
		}
		known = c.run(&m, start, i, request) || known
	}
	if m.out == nil {
		return text, false
	}
	return string(m.out), known
}

// masking is a text some of whose digits are masked, from its beginning to its end.
type masking struct {
	text   string
	out    []byte // nil while nothing is
	json   bool
	at     int  // how far it has been read for
	inside bool // whether that is within a string
}

// mask masks the digits at these places but for the first six and the last four: by zeros in a number of JSON, which stays one.
func (m *masking) mask(at []int) {
	if m.out == nil {
		m.out = []byte(m.text)
	}
	for ; m.json && m.at < at[0]; m.at++ {
		switch m.text[m.at] {
		case '\\':
			m.at++
		case '"':
			m.inside = !m.inside
		}
	}
	with := byte('*')
	if m.json && !m.inside {
		with = '0'
	}
	for _, i := range at[shownFirst : len(at)-shownLast] {
		m.out[i] = with
	}
}

func isJSON(text string) bool {
	t := strings.TrimLeft(text, " \t\r\n")
	return t != "" && (t[0] == '{' || t[0] == '[')
}

// run masks what is a card number in text[start:end], which is digits and what separates them.
func (c *scrubber) run(m *masking, start, end int, request *sdk.Send) (known bool) {
	text := m.text
	if s := text[start:end]; !strings.ContainsAny(s, " -") && (c.number == "" || !strings.Contains(s, c.number)) && !looksLikeCard(s) {
		return false // as most numbers are
	}
	digits, at := make([]byte, 0, 32), make([]int, 0, 32)
	for i := start; i < end; i++ {
		if text[i]-'0' <= 9 {
			digits, at = append(digits, text[i]), append(at, i)
		}
	}
	if n := len(c.number); n > shownFirst+shownLast {
		for from := 0; ; {
			i := strings.Index(string(digits[from:]), c.number)
			if i < 0 {
				break
			}
			m.mask(at[from+i : from+i+n])
			from += i + n
			known = true
		}
	}
	alone := (start == 0 || !isWord(text[start-1])) && (end == len(text) || !isWord(text[end]))
	if !known && alone && looksLikeCard(string(digits)) && isGrouped(text[start:end]) && !wrote(request, text[start:end]) {
		m.mask(at)
	}
	return known
}

// wrote says whether a text stands in a request as the adapter wrote it.
func wrote(s *sdk.Send, text string) bool {
	return s != nil && (strings.Contains(s.URL, text) || bytes.Contains(s.Body, []byte(text)))
}

func isWord(c byte) bool {
	return c-'0' <= 9 || c|32 >= 'a' && c|32 <= 'z' || c == '_' || c >= 0x80
}

// isGrouped says whether digits stand together, or apart as on a card: in fours, or 4-6-5.
func isGrouped(s string) bool {
	groups := strings.FieldsFunc(s, func(r rune) bool { return r < '0' })
	if len(groups) == 1 {
		return true
	}
	if len(groups) == 3 {
		return len(groups[0]) == 4 && len(groups[1]) == 6 && (len(groups[2]) == 5 || len(groups[2]) == 4)
	}
	for i, g := range groups {
		if len(g) != 4 && i < len(groups)-1 {
			return false
		}
	}
	return true
}

// numberRanges are the schemes of card numbers: first digits from and to, and the lengths there are. An id that an adapter needs is digits as often as not:
// what no network issues is left alone.
var numberRanges = []struct {
	from, to string
	lengths  []int
}{
	{"4", "4", []int{13, 16, 19}},
	{"51", "55", []int{16}}, {"2221", "2720", []int{16}},
	{"34", "34", []int{15}}, {"37", "37", []int{15}},
	{"6011", "6011", []int{16, 19}}, {"644", "659", []int{16, 19}}, {"62", "62", []int{16, 17, 18, 19}},
	{"3528", "3589", []int{16, 19}},
	{"300", "305", []int{14, 16}}, {"36", "36", []int{14, 16}}, {"38", "39", []int{14, 16}},
	{"50", "50", []int{16, 18, 19}}, {"56", "58", []int{16, 18, 19}}, {"63", "63", []int{16, 18, 19}}, {"67", "67", []int{16, 18, 19}},
}

func looksLikeCard(digits string) bool {
	if len(digits) < leastPAN || len(digits) > mostPAN {
		return false
	}
	for i := range numberRanges {
		r := &numberRanges[i]
		if p := digits[:len(r.from)]; p >= r.from && p <= r.to && slices.Contains(r.lengths, len(digits)) {
			return luhn(digits)
		}
	}
	return false
}

// luhn is the check of ISO/IEC 7812-1 annex B.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func (c *scrubber) isCVC(value string) bool { return slices.Contains(c.cvc, value) }

// fields blanks the CVC where it is the whole value of a field of a name that it was sent under: "cvc":"737", cvc=737, <cvc>737</cvc>.
func (c *scrubber) fields(text string) (clean string, known bool) {
	if len(c.cvcIn) == 0 {
		return text, false
	}
	for _, cvc := range c.cvc {
		var found bool
		text, found = c.blank(text, cvc)
		known = known || found
	}
	return text, known
}

// blank does that for one form of the CVC.
func (c *scrubber) blank(text, cvc string) (clean string, known bool) {
	var out strings.Builder
	done := 0
	for from := 0; ; {
		i := strings.Index(text[from:], cvc)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(cvc)
		from = end
		if start > 0 && isWord(text[start-1]) || end < len(text) && isWord(text[end]) {
			continue
		}
		if blank, is := c.field(text[max(0, start-maxFieldName):start]); is {
			out.WriteString(text[done:start])
			out.WriteString(blank)
			done, known = end, true
		}
	}
	if !known {
		return text, false
	}
	out.WriteString(text[done:])
	return out.String(), true
}

// maxFieldName is how far before a value the name of its field is looked for.
const maxFieldName = 128

// field says whether the text before a value makes it one of a field that the CVC was sent under, and what is put in its place.
func (c *scrubber) field(text string) (blank string, is bool) {
	before := strings.TrimRight(text, " \t\r\n\"'\\")
	if before == "" || strings.IndexByte(":=>", before[len(before)-1]) < 0 {
		return "", false
	}
	if !strings.ContainsAny(text[len(before):], `"'`) && before[len(before)-1] == ':' {
		blank = "0" // a JSON number
	}
	name := strings.ToLower(strings.TrimRight(before[:len(before)-1], " \t\r\n\"']\\"))
	name = strings.TrimSuffix(name, "%5d")
	return blank, slices.ContainsFunc(c.cvcIn, func(n string) bool {
		rest, ok := strings.CutSuffix(name, n)
		return ok && (rest == "" || !isWord(rest[len(rest)-1]) || strings.HasSuffix(rest, "%5b"))
	})
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
