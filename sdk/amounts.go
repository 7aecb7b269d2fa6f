package sdk

import (
	"errors"
	"strings"
)

// ErrNoAmount ends an operation as unknown (see Require): the answer shows a payment, capture or refund without the amount that its status needs.
var ErrNoAmount = errors.New("the answer lacks the amount")

// Positive reports whether there is an amount above zero; false for nil.
func (m *Money) Positive() bool { return m != nil && m.Minor > 0 }

// NeedMajor is Stated for an amount that the processor always states. An answer without it proves nothing and ends the operation with
// an error (see Must). It returns nil only if c is "".
func (j JSON) NeedMajor(amount, currency string, c Currency) *Money {
	m := j.Stated(amount, currency, c)
	Require(m != nil || c == "", ErrNoAmount)
	return m
}

// Stated returns the amount at a path, in the processor's units. The processor states its currency at another path, in upper or lower
// case. A missing currency counts as c. Stated returns nil if there is no amount, or if c is "". An unreadable amount, and a currency other than
// c, end the operation with an error (see Must).
func (d Decimals) Stated(j JSON, amount, currency string, c Currency) *Money {
	if c == "" || !j.states(amount) {
		return nil
	}
	said := j.Get(currency)
	other := said.Exists() && !said.IsNull() && (!said.IsString() || CurrencyOf(said.Str("")) != c)
	m := d.Read(j, amount, c)
	Require(m != nil && m.Minor >= 0 && !other, errOtherAmount)
	return m
}

// Need is Stated for an amount that the processor always states. An answer without it proves nothing and ends the operation with an
// error (see Must). It returns nil only if c is "".
func (d Decimals) Need(j JSON, amount, currency string, c Currency) *Money {
	m := d.Stated(j, amount, currency, c)
	Require(m != nil || c == "", ErrNoAmount)
	return m
}

// states reports whether the path holds something other than null. It also reports true if a text or an empty object stands where an
// object with the amount belongs.
func (j JSON) states(path string) bool {
	for at := path; ; {
		v := j.Get(at)
		if v.Exists() && !v.IsNull() {
			return at == path || !v.IsObject() || v.Len() == 0
		}
		i := strings.LastIndexByte(at, '.')
		if v.Exists() || i < 0 {
			return false
		}
		at = at[:i]
	}
}
