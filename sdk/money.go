package sdk

import (
	"errors"
	"slices"
	"strings"
)

// Currency is an ISO 4217 code in upper case.
type Currency string

// Money is an amount in minor units of its currency: {1050, "USD"} is 10.50 dollars, {1050, "JPY"} is 1050 yen.
type Money struct {
	Minor    int64    `json:"minor"`
	Currency Currency `json:"currency"`
}

// Errors of ParseMajor.
var (
	ErrCurrency = errors.New("unknown currency")
	ErrAmount   = errors.New("not a decimal amount")
	ErrOverflow = errors.New("amount does not fit into 64 bits")
	ErrFraction = errors.New("amount has more decimals than the currency")
)

// Valid reports whether the currency is one of Currencies.
func (c Currency) Valid() bool {
	_, ok := c.Exponent()
	return ok
}

// Exponent returns the number of decimals of the currency's minor unit: 2 for USD, 0 for JPY, 3 for KWD, 4 for CLF. For an unknown currency
// ok is false and exponent is 0.
func (c Currency) Exponent() (exponent int, ok bool) {
	if i := c.index(); i >= 0 {
		return int(currencies[i].exponent), true
	}
	return 0, false
}

// Number returns the ISO 4217 numeric code, three digits as text ("840"); "" for an unknown currency.
func (c Currency) Number() string {
	i := c.index()
	if i < 0 {
		return ""
	}
	return currencies[i].number
}

// CurrencyOf returns the currency of a code in upper or lower case, as processors write it. It returns an unknown text unchanged.
func CurrencyOf(text string) Currency {
	if i := Currency(text).find(0x202020); i >= 0 {
		return currencies[i].code
	}
	return Currency(text)
}

// index returns the currency's index in the table, -1 for an unknown currency.
func (c Currency) index() int { return c.find(0) }

// find returns the index of the currency in the sorted table, -1 for an unknown currency. It ignores the bits of fold in the code.
func (c Currency) find(fold uint32) int {
	low, high := 0, len(currencies)
	for key := c.key() &^ fold; key != 0 && low < high; {
		mid := (low + high) / 2
		switch k := currencies[mid].code.key(); {
		case k == key:
			return mid
		case k < key:
			low = mid + 1
		default:
			high = mid
		}
	}
	return -1
}

// key returns the code's three letters as one number, which compares faster.
func (c Currency) key() uint32 {
	if len(c) != 3 {
		return 0
	}
	return uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2])
}

// Currencies returns the codes that payswitch knows, in alphabetical order.
func Currencies() []Currency {
	all := make([]Currency, len(currencies))
	for i := range currencies {
		all[i] = currencies[i].code
	}
	return all
}

// CurrenciesExcept returns Currencies without those that a processor does not take, for Manifest.Currencies.
func CurrenciesExcept(refused ...Currency) []Currency {
	all := make([]Currency, 0, len(currencies))
	for i := range currencies {
		if c := currencies[i].code; !slices.Contains(refused, c) {
			all = append(all, c)
		}
	}
	return all
}

// CurrencyByNumber returns the currency of an ISO 4217 numeric code ("840", with leading zeros), "" for an unknown code.
func CurrencyByNumber(number string) Currency {
	for i := range currencies {
		if currencies[i].number == number {
			return currencies[i].code
		}
	}
	return ""
}

// Major returns the amount in major units with exactly the currency's decimals: "10.50", "1050", "1.050", "-0.05". It returns "" for an
// unknown currency, so that an adapter never sends a guessed decimal point.
func (m Money) Major() string {
	e, ok := m.Currency.Exponent()
	if !ok {
		return ""
	}
	return Decimal(m.Minor, e)
}

// Decimal writes n divided by ten to the power of decimals (0 to 18), with exactly that many decimals: Decimal(1050, 2) is "10.50". Other values of decimals give "".
func Decimal(n int64, decimals int) string {
	if decimals < 0 || decimals > 18 {
		return ""
	}
	var buf [40]byte
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	p := len(buf)
	for i := 0; i <= decimals || u > 0; i++ {
		if i == decimals && i > 0 {
			p--
			buf[p] = '.'
		}
		p--
		buf[p] = '0' + byte(u%10)
		u /= 10
	}
	if n < 0 {
		p--
		buf[p] = '-'
	}
	return string(buf[p:])
}

// ParseMajor reads an amount in major units: "10.50", "10.5" and "10" are {1050, "USD"}; "-0.05" is {-5, "USD"}. Decimals beyond the
// currency's must be zeros ("1050.00" JPY), else the error is ErrFraction. Signs other than "-", exponents, thousands separators and white
// space are ErrAmount. A number above 64 bits is ErrOverflow. An unknown currency is ErrCurrency.
func ParseMajor(s string, c Currency) (Money, error) {
	e, ok := c.Exponent()
	if !ok {
		return Money{}, ErrCurrency
	}
	neg := s != "" && s[0] == '-'
	if neg {
		s = s[1:]
	}
	whole, fraction, point := strings.Cut(s, ".")
	if whole == "" || (point && fraction == "") || !digits(whole) || !digits(fraction) {
		return Money{}, ErrAmount
	}
	for len(fraction) > e {
		if fraction[len(fraction)-1] != '0' {
			return Money{}, ErrFraction
		}
		fraction = fraction[:len(fraction)-1]
	}
	n, ok := parseDigits(whole, fraction, e)
	if !ok {
		return Money{}, ErrOverflow
	}
	switch {
	case neg:
		return Money{Minor: int64(-n), Currency: c}, nil
	case n > 1<<63-1:
		return Money{}, ErrOverflow
	}
	return Money{Minor: int64(n), Currency: c}, nil
}

// digits reports whether s holds nothing but decimal digits; true for "".
func digits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// ParseMinor reads an amount in minor units: "1050". The errors are ErrCurrency, ErrAmount and ErrOverflow.
func ParseMinor(s string, c Currency) (Money, error) {
	if !c.Valid() {
		return Money{}, ErrCurrency
	}
	n, err := parseInt(s)
	if err != nil {
		return Money{}, err
	}
	return Money{Minor: n, Currency: c}, nil
}

// parseInt reads an integer: an optional "-" and digits. The errors are ErrAmount and ErrOverflow; the number is 0 then.
func parseInt(s string) (int64, error) {
	neg := s != "" && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if s == "" || !digits(s) {
		return 0, ErrAmount
	}
	n, ok := parseDigits(s, "", 0)
	switch {
	case !ok || (n > 1<<63-1 && !neg):
		return 0, ErrOverflow
	case neg:
		return int64(-n), nil
	}
	return int64(n), nil
}

// parseDigits reads whole and the first e digits of fraction, padded with zeros, as one number of at most 1<<63: the magnitude of the
// lowest amount.
func parseDigits(whole, fraction string, e int) (n uint64, ok bool) {
	for i := range len(whole) + e {
		var d uint64
		if i < len(whole) {
			d = uint64(whole[i] - '0')
		} else if i-len(whole) < len(fraction) {
			d = uint64(fraction[i-len(whole)] - '0')
		}
		if n > (1<<63-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}
