package simulator3ds

import (
	"slices"
	"strconv"
	"strings"
)

// Scheme is a card scheme, by the name that 3dsecure.io uses.
type Scheme string

const (
	Visa       Scheme = "visa"
	Mastercard Scheme = "mastercard"
	Amex       Scheme = "amex"
	JCB        Scheme = "jcb"
	Discover   Scheme = "discover"
	Diners     Scheme = "diners"
	UnionPay   Scheme = "upi"
	CB         Scheme = "cb" // Cartes Bancaires
)

// schemes are the schemes of the simulator. A dsTransID holds a scheme's place in this list, so append new ones. Card
// numbers begin with bin. A Cartes Bancaires card is also a Visa card.
var schemes = [...]struct {
	scheme Scheme
	name   string
	bin    string
	length int
}{
	{Visa, "Visa", "40000030", 16},
	{Mastercard, "Mastercard", "52000030", 16},
	{Amex, "American Express", "37000030", 15},
	{JCB, "JCB", "35280030", 16},
	{Discover, "Discover", "60110030", 16},
	{Diners, "Diners Club", "36000030", 14},
	{UnionPay, "UnionPay", "62000030", 16},
	{CB, "Cartes Bancaires and Visa", "49700030", 16},
}

// card is the scheme of a card number and the digits that decide its answers.
type card struct {
	scheme                              Scheme
	cobadged                            bool // Cartes Bancaires and Visa
	own                                 bool // the number begins with the bin of a scheme above
	versions, method, answer, challenge byte // the digits V, M, A, C: '0' to '9'
}

// aliases are well-known test numbers with the digits V, M, A and C that they stand for.
var aliases = [...]struct{ number, digits string }{
	{"4242424242424242", "0000"},
	{"5555555555554444", "0000"},
	{"378282246310005", "0000"},
	{"4000000000003220", "0070"},
	{"4000002500003155", "0070"},
	{"4000002760003184", "0070"},
	{"4111111111111111", "0020"},
}

// CardNumber returns the test card of a scheme for the four digits V, M, A and C, such as "0070". README.md lists their
// meaning. CardNumber returns "" for an unknown scheme, and if digits is not four digits.
func CardNumber(s Scheme, digits string) string {
	i := slices.IndexFunc(schemes[:], func(k struct {
		scheme Scheme
		name   string
		bin    string
		length int
	}) bool {
		return k.scheme == s
	})
	if i < 0 || len(digits) != 4 || !allDigits(digits) {
		return ""
	}
	n := schemes[i].bin + digits
	n += strings.Repeat("0", schemes[i].length-1-len(n))
	if check := luhnDigit(n); s != Visa || check != "2" {
		return n + check
	}
	n = n[:12] + "1" + n[13:] // the sandboxes of processors, and the simulated processor, decline 4000 00.. .... 0002
	return n + luhnDigit(n)
}

// luhnDigit is the check digit to append to a number (ISO/IEC 7812-1).
func luhnDigit(n string) string {
	sum := 0
	for i := range len(n) {
		d := int(n[len(n)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return strconv.Itoa((10 - sum%10) % 10)
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// cardOf reads a card number. others are the digits of a number that is neither a test card nor an alias.
func cardOf(number, others string) card {
	for _, a := range aliases {
		if a.number == number {
			return makeCard(schemeOf(number), a.digits)
		}
	}
	for _, s := range schemes {
		if strings.HasPrefix(number, s.bin) && len(number) >= len(s.bin)+4 {
			c := makeCard(s.scheme, number[8:12])
			c.own = true
			if s.scheme == CB {
				c.scheme, c.cobadged = Visa, true
			}
			return c
		}
	}
	return makeCard(schemeOf(number), others)
}

func makeCard(s Scheme, digits string) card {
	return card{scheme: s, versions: digits[0], method: digits[1], answer: digits[2], challenge: digits[3]}
}

// schemeOf finds the scheme by the first digits of a number.
func schemeOf(n string) Scheme {
	prefix := func(list ...string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(n, p) })
	}
	switch {
	case prefix("34", "37"):
		return Amex
	case prefix("35"):
		return JCB
	case prefix("36", "30", "38", "39"):
		return Diners
	case prefix("5", "2", "67"):
		return Mastercard
	case prefix("62", "81"):
		return UnionPay
	case prefix("6"):
		return Discover
	}
	return Visa
}

// of returns the card with the brand that the request selects in 3dsecure.io's field ds. ok is false if the card does
// not have that brand.
func (c card) of(ds string) (_ card, ok bool) {
	switch {
	case ds == "" || ds == "standin" || ds == string(c.scheme):
	case ds == string(CB) && c.cobadged:
		c.scheme = CB
	case ds == "protectbuy" && (c.scheme == Discover || c.scheme == Diners):
	default:
		return c, false
	}
	return c, true
}

// protocolVersions returns the versions that the card's ACS supports, lowest first.
func (c card) protocolVersions() []string {
	switch c.versions {
	case '1':
		return []string{"2.1.0"}
	case '2':
		return []string{"2.2.0"}
	case '3':
		return []string{"2.3.1"}
	}
	return []string{"2.1.0", "2.2.0", "2.3.1"}
}

// name returns the scheme's name for people.
func (c card) name() string {
	for _, s := range schemes {
		if s.scheme == c.scheme {
			return s.name
		}
	}
	return ""
}

// hasMethod reports whether the ACS has a 3DS method.
func (c card) hasMethod() bool { return c.method != '1' }

// eciOf returns the electronic commerce indicator (ECI) of a result. Each scheme defines its own values.
func eciOf(s Scheme, status string) string {
	table := map[string]string{"Y": "05", "A": "06", "I": "07"}
	if s == Mastercard {
		table = map[string]string{"Y": "02", "A": "01", "I": "06"}
	}
	return table[status]
}
