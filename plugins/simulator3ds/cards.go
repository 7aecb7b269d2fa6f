package simulator3ds

import (
	"slices"
	"strconv"
	"strings"
)

// Scheme is a card scheme as 3dsecure.io names it.
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

// schemes are the simulator's, in the order of the digit that stands for them in a dsTransID. Its card numbers begin with bin. A
// Cartes Bancaires card is a Visa card too.
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

// card is what the simulator knows of a card number: what becomes of it.
type card struct {
	scheme                              Scheme
	cobadged                            bool // Cartes Bancaires and Visa
	own                                 bool // the simulator's own number, not an alias or any other
	versions, method, answer, challenge byte // the digits V, M, A, C: '0' to '9'
}

// aliases are test numbers that integrators know by heart.
var aliases = [...]struct{ number, digits string }{
	{"4242424242424242", "0000"},
	{"5555555555554444", "0000"},
	{"378282246310005", "0000"},
	{"4000000000003220", "0070"},
	{"4000002500003155", "0070"},
	{"4000002760003184", "0070"},
	{"4111111111111111", "0020"},
}

// CardNumber is the simulator's number of a scheme for the four digits V, M, A and C, as "0070". It is "" for an unknown scheme and for
// anything but four digits.
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
	n = n[:12] + "1" + n[13:] // processors' sandboxes, the simulator too, decline 4000 00.. .... 0002
	return n + luhnDigit(n)
}

// luhnDigit is the check digit of a number that lacks it (ISO/IEC 7812-1).
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

// cardOf reads a card number; others is what the digits are of a number that is neither the simulator's nor an alias.
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

// schemeOf tells a scheme by a number's first digits.
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

// of makes the card one of the brand that the request asks for by 3dsecure.io's field ds; ok is false where it is not.
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

// protocolVersions are those that the card's ACS takes part in, lowest first.
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

// name is the scheme's, as people know it.
func (c card) name() string {
	for _, s := range schemes {
		if s.scheme == c.scheme {
			return s.name
		}
	}
	return ""
}

// hasMethod says whether the ACS has a 3DS method.
func (c card) hasMethod() bool { return c.method != '1' }

// eciOf is the electronic commerce indicator of a scheme's result (EMV leaves it to the schemes).
func eciOf(s Scheme, status string) string {
	table := map[string]string{"Y": "05", "A": "06", "I": "07"}
	if s == Mastercard {
		table = map[string]string{"Y": "02", "A": "01", "I": "06"}
	}
	return table[status]
}
