package card

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cardRanges are the ranges of card numbers that networks issue: the first digits, from and to, and the lengths. Sources: ISO/IEC 7812-1 and
// the networks' published ranges. One in ten numbers of merchants, parcels and devices passes the Luhn check by chance, so the range decides.
var cardRanges = []struct {
	from, to string
	lengths  []int
}{
	{"4", "4", []int{16, 19}},                            // Visa; cards with 13 digits are out of use
	{"51", "55", []int{16}}, {"2221", "2720", []int{16}}, // Mastercard
	{"34", "34", []int{15}}, {"37", "37", []int{15}}, // American Express
	{"6011", "6011", []int{16, 19}}, {"644", "659", []int{16, 19}}, // Discover, and RuPay on 65
	{"62", "62", []int{16, 17, 18, 19}}, {"81", "81", []int{16, 17, 18, 19}}, // UnionPay, and RuPay on 81
	{"3528", "3589", []int{16, 17, 18, 19}},                                // JCB
	{"300", "305", []int{14, 16, 19}}, {"3095", "3095", []int{14, 16, 19}}, // Diners Club
	{"36", "36", []int{14, 16, 19}}, {"38", "39", []int{14, 16, 19}}, // Diners Club
	{"50", "50", []int{16, 18, 19}}, {"56", "58", []int{16, 18, 19}}, // Maestro, Elo, Dankort, RuPay
	{"60", "60", []int{16}}, {"63", "63", []int{16, 18, 19}}, // RuPay, Maestro
	{"67", "67", []int{16, 18, 19}}, {"2200", "2204", []int{16, 17, 18, 19}}, // Maestro, Mir
	{"9792", "9792", []int{16}}, // Troy
}

const (
	leastCardDigits = 14
	mostCardDigits  = 19
)

// LooksLikeCard reports whether digits can be a card number: 14 to 19 digits, in the range of a network, of a length that the network issues,
// with a valid Luhn check digit. digits must hold ASCII digits alone.
func LooksLikeCard(digits string) bool {
	if len(digits) < leastCardDigits || len(digits) > mostCardDigits {
		return false
	}
	for i := range cardRanges {
		r := &cardRanges[i]
		if first := digits[:len(r.from)]; first < r.from || first > r.to {
			continue
		}
		for _, n := range r.lengths {
			if n == len(digits) {
				return HasLuhnDigit(digits)
			}
		}
	}
	return false
}

// HasLuhnDigit reports whether the last digit is right by Luhn, the check of ISO/IEC 7812-1 annex B. digits holds ASCII digits alone.
func HasLuhnDigit(digits string) bool {
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

// HoldsCard reports whether text contains a card number, in one piece or in groups. Up to three spaces, dashes, dots, slashes or underscores
// may stand between two groups. Digits of any script count, also percent-encoded ones. HoldsCard ignores digits within a UUID, a hexadecimal
// digest, an IBAN, a decimal number, and two numbers with a point between them.
func HoldsCard(text string) bool {
	found := false
	findCards(text, func([]glyph) bool { found = true; return false })
	return found
}

// MaskCards replaces all digits but the last four of each card number that HoldsCard finds by asterisks.
func MaskCards(text string) string {
	var out []byte
	done := 0 // bytes of text that out holds already
	findCards(text, func(digits []glyph) bool {
		for _, g := range digits[:len(digits)-4] {
			if g.from < done {
				continue // two numbers overlap
			}
			out = append(append(out, text[done:g.from]...), '*')
			done = g.to
		}
		return true
	})
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// glyph is one character of a text, with the position of its bytes.
type glyph struct {
	from, to int
	digit    byte // '0' to '9', 0 for any other character
	gap      bool // the character may stand between two groups of digits
}

// glyphs returns the characters of text, percent-encoded ones decoded. It returns nil if text has too few digits for a card number.
func glyphs(text string) []glyph {
	if !mayHoldCard(text) {
		return nil
	}
	out := make([]glyph, 0, len(text))
	for i := 0; i < len(text); {
		g := glyph{from: i}
		var r rune
		r, i = nextRune(text, i)
		g.to = i
		switch {
		case r >= '0' && r <= '9':
			g.digit = byte(r)
		case r < utf8.RuneSelf:
			g.gap = isGap(byte(r))
		default:
			g.digit = digitOf(r)
			g.gap = unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Zs, unicode.Cf) || r == '\u2212' || r == '\u00b7'
		}
		out = append(out, g)
	}
	return out
}

func isGap(c byte) bool {
	switch c {
	case ' ', '-', '.', '/', '_', '+', '\t', '\r', '\n':
		return true
	}
	return false
}

// mayHoldCard is a quick test: it reports whether text has enough digits with only gaps between them. To stay fast, it counts each byte of a
// percent-encoded or non-ASCII character as a digit.
func mayHoldCard(text string) bool {
	if len(text) < leastCardDigits {
		return false
	}
	encoded := strings.Contains(text, "%")
	digits := 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= '0' && c <= '9', c >= utf8.RuneSelf, encoded && (c == '%' || isHex(c)):
			if digits++; digits >= leastCardDigits {
				return true
			}
		case !isGap(c):
			digits = 0
		}
	}
	return false
}

// nextRune decodes the character at i, which may be percent-encoded, and returns the index of the next one.
func nextRune(text string, i int) (rune, int) {
	if text[i] != '%' {
		r, n := utf8.DecodeRuneInString(text[i:])
		return r, i + n
	}
	var encoded [utf8.UTFMax]byte
	n := 0
	for at := i; n < len(encoded) && at+2 < len(text) && text[at] == '%'; at += 3 {
		high, ok1 := hexDigit(text[at+1])
		low, ok2 := hexDigit(text[at+2])
		if !ok1 || !ok2 {
			break
		}
		encoded[n] = high<<4 | low
		n++
	}
	if n == 0 {
		return '%', i + 1
	}
	r, size := utf8.DecodeRune(encoded[:n])
	return r, i + 3*size
}

func isHex(c byte) bool {
	_, ok := hexDigit(c)
	return ok
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// digitOf returns the decimal digit, '0' to '9', that a character of another script stands for, or 0 if it is not a digit. Unicode lists the
// ten digits of a script in a row.
func digitOf(r rune) byte {
	if !unicode.Is(unicode.Nd, r) {
		return 0
	}
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + byte((r-rune(t.Lo))%10)
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + byte((r-rune(t.Lo))%10)
		}
	}
	return 0
}

// findCards calls found with the digits of each card number in text, until found returns false.
func findCards(text string, found func(digits []glyph) bool) {
	if isDecimal(text) {
		return
	}
	all := glyphs(text)
	for i := 0; i < len(all); {
		if all[i].digit == 0 {
			i++
			continue
		}
		groups, end := groupsFrom(all, i)
		if !startsIBAN(text, all, i, groups) && !findInGroups(text, all, groups, found) {
			return
		}
		i = end
	}
}

// isDecimal reports whether text is one number with a decimal point, such as a score, a rate or a coordinate.
func isDecimal(text string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
	}
	return point && len(whole) < leastCardDigits && digits(whole) && digits(fraction)
}

// group is a run of adjacent digits: all[from:to].
type group struct{ from, to int }

// groupsFrom returns the groups of digits from all[i] on that only gaps separate, and the index after the last one.
func groupsFrom(all []glyph, i int) (groups []group, end int) {
	const widest = 3 // characters between two groups, as in "4242 - 4242"
	for {
		g := group{from: i}
		for i < len(all) && all[i].digit != 0 {
			i++
		}
		g.to = i
		groups = append(groups, g)
		next := i
		for next < len(all) && next-i < widest && all[next].gap {
			next++
		}
		if next == i || next == len(all) || all[next].digit == 0 {
			return groups, i
		}
		i = next
	}
}

// findInGroups tests each run of neighbouring groups that has as many digits as a card number. It returns false as soon as found does.
func findInGroups(text string, all []glyph, groups []group, found func(digits []glyph) bool) bool {
	var digits []glyph
	for first := 0; first < len(groups); first++ {
		digits = digits[:0]
		for last := first; last < len(groups) && len(digits) <= mostCardDigits; last++ {
			digits = append(digits, all[groups[last].from:groups[last].to]...)
			if isCard(text, all, groups[first:last+1], digits) {
				if !found(digits) {
					return false
				}
				first = last // the groups that follow belong to another number
				break
			}
		}
	}
	return true
}

func isCard(text string, all []glyph, groups []group, digits []glyph) bool {
	if len(digits) < leastCardDigits || len(digits) > mostCardDigits || !groupedLikeCard(groups) {
		return false
	}
	if len(groups) == 2 && groups[1].from == groups[0].to+1 && text[all[groups[0].to].from] == '.' {
		return false // a decimal number, or the two numbers of a browser visitor's id
	}
	var room [mostCardDigits]byte
	number := room[:len(digits)]
	for i, g := range digits {
		number[i] = g.digit
	}
	if !LooksLikeCard(string(number)) {
		return false
	}
	from, to := digits[0].from, digits[len(digits)-1].to
	return !inDigest(text, from, to) && !inIBAN(text, from, to)
}

// inIBAN reports whether text[from:to] lies within an IBAN without spaces whose check digits are right.
func inIBAN(text string, from, to int) bool {
	const shortest, longest = 15, 34 // ISO 13616
	word := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' }
	for from > 0 && to-from <= longest && word(text[from-1]) {
		from--
	}
	for to < len(text) && to-from <= longest && word(text[to]) {
		to++
	}
	s := text[from:to]
	if len(s) < shortest || len(s) > longest || s[0] < 'A' || s[1] < 'A' || s[2] > '9' || s[3] > '9' {
		return false
	}
	rest := 0
	for i := range len(s) {
		switch c := s[(i+4)%len(s)]; {
		case !word(c):
			return false // a digit of another script
		case c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		default:
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}

// groupedLikeCard reports whether people write card numbers in such groups. Each group but the last has three digits or more, or all have one
// digit, or all have two. Dates, times and versions are grouped differently.
func groupedLikeCard(groups []group) bool {
	short, width := true, groups[0].to-groups[0].from
	long := true
	for _, g := range groups[:len(groups)-1] {
		n := g.to - g.from
		long = long && n >= 3
		short = short && n <= 2 && n == width
	}
	return long || short
}

// startsIBAN reports whether the groups begin like an IBAN: two letters, two check digits, then groups of four.
func startsIBAN(text string, all []glyph, i int, groups []group) bool {
	if len(groups) < 3 || groups[0].to-groups[0].from != 2 || groups[1].to-groups[1].from != 4 || i < 2 {
		return false
	}
	capital := func(g glyph) bool { return text[g.from] >= 'A' && text[g.from] <= 'Z' }
	return capital(all[i-1]) && capital(all[i-2])
}

// inDigest reports whether text[from:to] lies within a UUID, or within at least 24 hexadecimal characters with a letter among them.
func inDigest(text string, from, to int) bool {
	word := func(c byte, dashes bool) bool { return isHex(c) || dashes && c == '-' }
	const most = 64 // characters on each side: texts may be long, and hold many numbers
	grow := func(dashes bool) string {
		a, b := from, to
		for a > 0 && from-a < most && word(text[a-1], dashes) {
			a--
		}
		for b < len(text) && b-to < most && word(text[b], dashes) {
			b++
		}
		return text[a:b]
	}
	hasLetter := func(s string) bool { return strings.ContainsAny(s, "abcdefABCDEF") }
	if s := grow(true); isUUID(s) && hasLetter(s) {
		return true
	}
	s := grow(false)
	allHex := strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || !word(byte(r), false) }) < 0
	return len(s) >= 24 && allHex && hasLetter(s)
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if (s[i] == '-') != (i == 8 || i == 13 || i == 18 || i == 23) {
			return false
		}
	}
	return true
}
