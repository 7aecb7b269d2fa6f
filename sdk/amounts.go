package sdk

import (
	"errors"
	"strings"
)

var errNoAmount = errors.New("the answer does not tell the amount")

// NeedMajor is Told for an amount that the processor always tells: an answer without it proves nothing and ends the operation with an error
// (see Must). nil only where c is "".
func (j JSON) NeedMajor(amount, currency string, c Currency) *Money {
	m := j.Told(amount, currency, c)
	Require(m != nil || c == "", errNoAmount)
	return m
}

// Told is the amount in the processor's units at a path, beside its currency at another; upper and lower case are alike. nil where there is
// none. One that cannot be read, and one in another currency than c, end the operation with an error (see Must). A currency of "" is not
// compared, nor is the amount read: nil.
func (d Decimals) Told(j JSON, amount, currency string, c Currency) *Money {
	if c == "" || !j.tells(amount) {
		return nil
	}
	said := j.Get(currency)
	other := said.Exists() && !said.IsNull() && (!said.IsString() || CurrencyOf(said.Str("")) != c)
	m := d.Read(j, amount, c)
	Require(m != nil && m.Minor >= 0 && !other, errOtherAmount)
	return m
}

// Need is Told for an amount that the processor always tells: an answer without it proves nothing and ends the operation with an error (see
// Must). nil only where c is "".
func (d Decimals) Need(j JSON, amount, currency string, c Currency) *Money {
	m := d.Told(j, amount, currency, c)
	Require(m != nil || c == "", errNoAmount)
	return m
}

// tells says whether something other than null stands at the path, or in its place: a text or an empty object where an object with the
// amount should be.
func (j JSON) tells(path string) bool {
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
