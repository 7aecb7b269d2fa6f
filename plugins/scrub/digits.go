package scrub

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"payswitch/engine/card"
	"payswitch/sdk"
)

const (
	leastPAN   = 13 // digits of a card number
	mostPAN    = 19
	shownFirst = 6 // guests know these digits anyway
	shownLast  = 4
	manyDigits = 12 // from this number on, digits with something between them may be a number that was cut
)

// Card is what adapters know about a card. The zero Card is unknown. All cards of a class are masked alike.
type Card struct {
	first, last                 string // "" without a card
	reversedFirst, reversedLast string
	length                      int // 0 if it is not known
}

// Known reports whether the card is known at all.
func (c *Card) Known() bool { return c.first != "" }

// CardOf returns what adapters know about the card with a number. It returns the zero Card for a text that is no number.
func CardOf(number string) Card {
	n := digitsOf(number)
	if len(n) < shownFirst+shownLast {
		return Card{}
	}
	return NewCard(n[:shownFirst], n[len(n)-shownLast:], len(n))
}

// NewCard returns the card with the first and last digits of its number. length is 0 if it is unknown. NewCard returns the zero Card without
// six first and four last digits.
func NewCard(first, last string, length int) Card {
	if len(first) < shownFirst || len(last) != shownLast {
		return Card{}
	}
	first = first[:shownFirst]
	turned := reverse(first + last)
	return Card{first: first, last: last, length: length, reversedFirst: turned[shownLast:], reversedLast: turned[:shownLast]}
}

// ofLength reports whether numbers of the class have n digits.
func (c *Card) ofLength(n int) bool {
	if c.length == 0 {
		return n >= leastPAN && n <= mostPAN
	}
	return n == c.length
}

// lengths returns the smallest and the largest number of digits in the class.
func (c *Card) lengths() (least, most int) {
	if c.length == 0 {
		return leastPAN, mostPAN
	}
	return c.length, c.length
}

// whole reports whether digits hold a whole number of the class.
func (c *Card) whole(digits string) bool {
	least, most := c.lengths()
	for from := 0; from+least <= len(digits); from++ {
		i := strings.Index(digits[from:], c.first)
		if i < 0 {
			return false
		}
		from += i
		for n := least; n <= most && from+n <= len(digits); n++ {
			if digits[from+n-shownLast:from+n] == c.last {
				return true
			}
		}
	}
	return false
}

// backwards reports whether digits hold a whole number of the class backwards.
func (c *Card) backwards(digits string) bool {
	least, most := c.lengths()
	for from := max(0, least-shownFirst); from+shownFirst <= len(digits); from++ {
		i := strings.Index(digits[from:], c.reversedFirst)
		if i < 0 {
			return false
		}
		from += i
		for n := least; n <= most; n++ {
			if start := from + shownFirst - n; start >= 0 && digits[start:start+shownLast] == c.reversedLast {
				return true
			}
		}
	}
	return false
}

// group are digits that stand together.
type group struct{ start, end int }

// begins reports whether a number of the class, whole or cut, begins with one of the groups.
func (c *Card) begins(digits string, groups []group) bool {
	at := 0
	for i, g := range groups {
		n := g.end - g.start
		z := at
		for z < at+n-1 && digits[z] == '0' {
			z++
		}
		if strings.HasPrefix(digits[z:], c.first) && (at+n-z > shownFirst || len(digits)-z >= manyDigits) {
			return true
		}
		if n == 4 && i+1 < len(groups) && groups[i+1].end-groups[i+1].start == 4 && strings.HasPrefix(digits[at:], c.first) { // 4111 1122 **** 1111
			return true
		}
		at += n
	}
	return false
}

// kinds of bytes for scan.
const (
	kindPlain = iota
	kindDigit
	kindMark   // separates a field's name from its value
	kindEscape // the beginning of an escape, or above ASCII
)

var kinds = func() (all [256]byte) {
	for c := range all {
		switch {
		case c >= '0' && c <= '9':
			all[c] = kindDigit
		case c == ':' || c == '=' || c == '>':
			all[c] = kindMark
		case c == '\\' || c == '%' || c == '&' || c >= 0x80:
			all[c] = kindEscape
		}
	}
	return all
}()

// scan masks card numbers, and the values of fields with the name of a secret.
func (r *reading) scan(v *view) {
	var room [24]group
	run := room[:0] // digits that may be one number
	t := v.text
	for i := 0; i < len(t); {
		if i = skipPlain(t, i); i == len(t) {
			break
		}
		switch kinds[t[i]] {
		case kindDigit:
			g := group{i, i + 1}
			for g.end < len(t) && t[g.end]-'0' <= 9 {
				g.end++
			}
			i = g.end
			r.spoken(v, g)
			n := len(run)
			escape := v.at == nil && isEscapedDigits(t, g)
			if n > 0 && !escape && isJoined(t[run[n-1].end:g.start]) && !isWordEnd(t, run[n-1], g) {
				run = append(run, g)
				continue
			}
			if n > 1 || n == 1 && (run[0].end-run[0].start > shownFirst || v.followEnd > 0) {
				r.digits(v, run)
			}
			if run = run[:0]; !escape {
				run = append(run, g)
			}
			continue
		case kindMark:
			if !r.isOtherMember(t, i) {
				r.field(v, i)
			}
			v.escaped = v.escaped || t[i] == '=' && isQuotedPrintable(t[i:])
		case kindEscape:
			if t[i] < utf8.RuneSelf {
				v.escaped = v.escaped || isEscape(t[i:])
			} else if n := len(run); !v.escaped { // it may separate digits, or be a digit of another script
				v.escaped = n > 0 && i-run[n-1].end <= maxGap || isForeignDigit(t[i:])
			}
		}
		i++
	}
	r.digits(v, run)
}

// skipPlain returns the place of the first byte from i on that is not plain, or len(t). It compares eight bytes at a time: bytes from 0x24 to
// 0x27 and from 0x30 to 0x3F, backslashes, and bytes above ASCII stop it, and the table decides.
func skipPlain(t string, i int) int {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
		most = 0x7F * each
	)
	for ; i+8 <= len(t); i += 8 {
		x := load(t[i : i+8])
		low := x &^ high
		escapes := (low^0x24*each)&(0x7C*each) + most // a byte's high bit is 0 if the byte matches
		digits := (low^0x30*each)&(0x70*each) + most
		backslash := low ^ 0x5C*each + most
		found := (x | ^(escapes & digits & backslash)) & high
		for ; found != 0; found &= found - 1 {
			if at := i + bits.TrailingZeros64(found)/8; kinds[t[at]] != kindPlain {
				return at
			}
		}
	}
	for i < len(t) && kinds[t[i]] == kindPlain {
		i++
	}
	return i
}

// isEscapedDigits reports whether two digits are the code of a character: %34, =34, &#52;.
func isEscapedDigits(t string, g group) bool {
	if g.start == 0 || g.end-g.start > 7 {
		return false
	}
	switch mark := t[g.start-1]; mark {
	case '%', '=': // one of several
		return g.end-g.start == 2 && (g.end < len(t) && t[g.end] == mark || g.start > 3 && t[g.start-4] == mark)
	case '#':
		return g.start > 1 && t[g.start-2] == '&' && g.end < len(t) && (t[g.end] == ';' || t[g.end] == '&')
	}
	return false
}

// isWordEnd reports whether a digit ends a word, as in base64, and is not the first of many single digits.
func isWordEnd(t string, last, next group) bool {
	return last.end-last.start == 1 && next.end-next.start > 1 && last.start > 0 && !(t[last.start-1]-'0' <= 9) && isAlphanumeric(t[last.start-1])
}

// Limits of the text between two digits of one number.
const (
	maxGap      = 16
	maxGapMarks = 3
)

// isJoined reports whether digits on both sides of a gap may belong to one number. The gap holds at most three characters that are neither
// letters nor digits; white space and backslashes do not count. A separator of fields also separates numbers.
func isJoined(gap string) bool {
	if len(gap) > maxGap {
		return false
	}
	marks := 0
	quoted := false
	for i := range len(gap) {
		switch c := gap[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\':
			continue
		case c >= 0x80 || isAlphanumeric(c) || c == '=' || c == '<' || c == '>' || c == '{' || c == '}' || c == ':' && quoted:
			return false
		case c == '"' || c == '\'':
			quoted = true
		}
		marks++
	}
	return marks <= maxGapMarks
}

// digits masks a run of digits if it holds a number.
func (r *reading) digits(v *view, run []group) {
	n := 0
	for _, g := range run {
		n += g.end - g.start
	}
	if from, to := r.byteDump(v, run); to > 0 {
		v.blank(run[from].start, run[to-1].end)
		if from > 0 {
			r.digits(v, run[:from])
		}
		if to < len(run) {
			r.digits(v, run[to:])
		}
		return
	}
	if n > shownFirst && r.card.first != "" {
		var room [64]byte
		all := ""
		if len(run) == 1 {
			all = v.text[run[0].start:run[0].end]
		} else {
			b := room[:0]
			for _, g := range run {
				b = append(b, v.text[g.start:g.end]...)
			}
			all = string(b)
		}
		if r.card.begins(all, run) && !isInUUID(v.text, run) || r.card.whole(all) || r.card.backwards(all) || n >= 2*manyDigits && r.isHexDump(all) {
			r.known = r.known || n >= manyDigits
			if n >= 2*manyDigits && r.isHexDump(all) {
				v.put(hexBytesAround(v.text, run))
			}
			r.maskRun(v, run, all)
			if end := run[len(run)-1].end; n >= manyDigits && !v.isNumber(end-1) {
				v.follow, v.followEnd = end, end+followed
			}
			return
		}
	}
	if n >= leastPAN && r.others {
		r.otherCards(v, run)
	}
	r.following(v, run)
}

// isInUUID reports whether a run is part of a UUID. A cut number does not stand in one. The UUIDs of some processors begin with many zeros or
// contain them: together with the digit before them, these would look like the beginning of a card.
func isInUUID(t string, run []group) bool {
	const length = 36
	start, end := run[0].start, run[len(run)-1].end
	for start > 0 && run[0].start-start < length && (isHex(t[start-1]) || t[start-1] == '-') {
		start--
	}
	for end < len(t) && end-start <= length && (isHex(t[end]) || t[end] == '-') {
		end++
	}
	if end-start != length {
		return false
	}
	for i := range length {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (t[start+i] == '-') {
			return false
		}
	}
	return true
}

// isHexDump reports whether digits are the codes of digits ("34 31 31 …") that hold a number.
func (r *reading) isHexDump(all string) bool {
	for _, from := range [2]int{0, 1} {
		var b []byte
		for i := from; i+1 < len(all); i += 2 {
			if all[i] != '3' {
				b = append(b, 'x')
				continue
			}
			b = append(b, all[i+1])
		}
		if r.card.whole(string(b)) {
			return true
		}
	}
	return false
}

// maskRun masks a run except the digits that guests know: the first six if the run begins with them, and the last four if the run is as long
// as the number. The digits between them do not change what is shown.
func (r *reading) maskRun(v *view, run []group, all string) {
	z := 0
	for z < run[0].end-run[0].start-1 && all[z] == '0' {
		z++
	}
	from, to, last := 0, 0, len(all)
	// The last four digits of the class, turned, may be its first four. Then a number backwards could begin with all six, so nothing is shown.
	turned := strings.HasPrefix(all[z:], r.card.reversedLast) || strings.HasPrefix(all, r.card.reversedLast)
	if !turned && strings.HasPrefix(all[z:], r.card.first) {
		from, to = z, z+shownFirst
		if r.card.ofLength(len(all)-z) && strings.HasSuffix(all, r.card.last) {
			last = len(all) - shownLast
		}
	}
	at := 0
	for _, g := range run {
		n := g.end - g.start
		out := make([]byte, n)
		hidden := byte('*')
		if v.isNumber(g.start) {
			if hidden = '0'; at < from || at >= to {
				out, n = []byte{'0'}, 0 // the value stays a JSON number, which has no zero before another digit
			}
		}
		for i := range n {
			if out[i] = hidden; at+i >= from && at+i < to || at+i >= last {
				out[i] = all[at+i]
			}
		}
		at += g.end - g.start
		v.put(g.start, g.end, string(out))
	}
}

// followed is the distance behind a card number within which digits may be its CVC, in any form of writing.
const followed = 64

// following masks a possible CVC behind a card number in the same value: three or four digits that stand alone.
func (r *reading) following(v *view, run []group) {
	if v.followEnd == 0 {
		return
	}
	for _, g := range run {
		if g.start >= v.followEnd || strings.ContainsAny(v.text[v.follow:g.start], "\"<>&{}") {
			v.followEnd = 0
			return
		}
		if n := g.end - g.start; n != 3 && n != 4 || g.start > 0 && isWord(v.text[g.start-1]) || g.end < len(v.text) && isWord(v.text[g.end]) {
			continue
		}
		v.put(g.start, g.end, strings.Repeat("*", g.end-g.start))
	}
}

// otherCards masks a text that stands alone and is a card number by network, length and check digit. If the own card is masked, a text that
// the adapter wrote itself stays, because such a text is often an id of digits.
func (r *reading) otherCards(v *view, run []group) {
	for len(run) > 0 {
		n := 1
		for n < len(run) {
			if gap := v.text[run[n-1].end:run[n].start]; gap != " " && gap != "-" {
				break
			}
			n++
		}
		r.otherCard(v, run[:n])
		run = run[n:]
	}
}

func (r *reading) otherCard(v *view, run []group) {
	start, end := run[0].start, run[len(run)-1].end
	text := v.text[start:end]
	digits := text
	if len(run) > 1 {
		digits = digitsOf(text)
	}
	switch {
	case !looksLikeCard(digits) || !isGrouped(text):
		return
	case start > 0 && isWord(v.text[start-1]) || end < len(v.text) && isWord(v.text[end]):
		return
	case r.card.first != "" && wrote(r.request, text):
		return
	case r.isID(v, start, end) || isInUUID(v.text, run):
		return
	}
	at := 0
	number := v.isNumber(start)
	for _, g := range run {
		out := []byte(v.text[g.start:g.end])
		for i := range out {
			if at >= shownFirst && at < len(digits)-shownLast {
				if out[i] = '*'; number {
					out[i] = '0'
				}
			}
			at++
		}
		if number && len(run) > 1 && out[0] == '0' {
			out = []byte{'0'}
		}
		v.put(g.start, g.end, string(out))
	}
}

// isID reports whether a text is the whole value of a field with the name of an id or a reference. One in ten ids of a card number's length
// has a right check digit. The network's id of a payment may begin like a card number.
func (r *reading) isID(v *view, start, end int) bool {
	t := v.text
	at := start
	for at > 0 && strings.IndexByte(" \t\r\n\"'\\", t[at-1]) >= 0 {
		at--
	}
	if at == 0 || kinds[t[at-1]] != kindMark {
		return false
	}
	from, to, element := fieldNameAt(t, at-1)
	if from >= to {
		return false
	}
	first, last, _ := fieldValueAt(t, at-1, element, false)
	if first != start || last != end {
		return false
	}
	var room [maxFieldName]byte
	name := string(AppendFolded(room[:0], t[from:to]))
	return saysID(name) && (r.names == nil || r.names.kinds[name] != fieldNumber)
}

// saysID reports whether the folded name of a field is that of an id or a reference.
func saysID(name string) bool {
	return strings.HasSuffix(name, "id") || strings.HasSuffix(name, "ref") || strings.HasSuffix(name, "reference")
}

// wrote reports whether a text stands in a request as the adapter wrote it.
func wrote(s *sdk.Send, text string) bool {
	return s != nil && (strings.Contains(s.URL, text) || bytes.Contains(s.Body, []byte(text)))
}

// isGrouped reports whether digits stand together, or in groups as on a card: in fours, or 4-6-5.
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

// looksLikeCard reports whether digits are a card number by network, length and check digit. Masking also covers the old Visa numbers of 13
// digits: processors may still answer with one.
func looksLikeCard(digits string) bool {
	return card.LooksLikeCard(digits) || len(digits) == leastPAN && digits[0] == '4' && card.HasLuhnDigit(digits)
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
