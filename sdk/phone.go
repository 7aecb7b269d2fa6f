package sdk

import "strings"

// E164 returns the phone number of the address in the form of ITU-T E.164: "+447700900123". Without a country code, or if the digits cannot be a
// number of that form, it returns the number as the merchant wrote it.
func (a *Address) E164() string { return e164(a.PhoneCountry, a.Phone) }

// E164 returns the customer's phone number as Address.E164 does.
func (c *Customer) E164() string { return e164(c.PhoneCountry, c.Phone) }

// maxE164 is the largest number of digits of a number, with its country code.
const maxE164 = 15

func e164(country, phone string) string {
	number, code := digitsOf(phone), digitsOf(country)
	international := strings.HasPrefix(strings.TrimSpace(phone), "+")
	if rest, ok := strings.CutPrefix(number, "00"); ok && !international { // the usual prefix of an international call
		number, international = rest, true
	}
	switch {
	case number == "", !international && code == "":
		return phone
	case !international:
		if code != "39" { // in Italy the 0 is part of the number
			number = strings.TrimPrefix(number, "0")
		}
		number = code + number
	}
	if len(number) < 7 || len(number) > maxE164 || len(code) > 3 {
		return phone
	}
	return "+" + number
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
