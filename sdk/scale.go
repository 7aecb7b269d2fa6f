package sdk

// Scaled returns the amount in units of ten to the power of -decimals, for processors with other decimals than ISO 4217: {1000, "CLP"} with
// 2 decimals is 100000, {1000, "ISK"} with 0 decimals is 10. The error is a *Reject: the currency is unknown, the amount has more decimals,
// or the amount is too large.
func (m Money) Scaled(decimals int) (int64, error) {
	ours, known := m.Currency.Exponent()
	if !known || decimals < 0 {
		return 0, Unsupported("currency", "the processor does not accept the currency "+string(m.Currency))
	}
	n := m.Minor
	for ; ours < decimals; ours++ {
		if n > (1<<63-1)/10 || n < -(1<<63-1)/10 {
			return 0, Invalid("amount", "the amount "+m.text()+" is too large for the processor")
		}
		n *= 10
	}
	for ; ours > decimals; ours-- {
		if n%10 != 0 {
			return 0, Invalid("amount", "the amount "+m.text()+" has more decimals than the processor allows for "+string(m.Currency)+" ("+Decimal(int64(decimals), 0)+")")
		}
		n /= 10
	}
	return n, nil
}

// Scaled reads the amount at the path in units of ten to the power of -decimals, from an integer or a string with an integer: see
// Money.Scaled. It returns nil if the amount is not exact or the currency is unknown.
func (j JSON) Scaled(path string, c Currency, decimals int) *Money {
	m := j.Money(path, c)
	ours, known := c.Exponent()
	if m == nil || !known {
		return nil
	}
	for ; ours < decimals; decimals-- {
		if m.Minor%10 != 0 {
			return nil
		}
		m.Minor /= 10
	}
	for ; ours > decimals; decimals++ {
		if m.Minor > (1<<63-1)/10 || m.Minor < -(1<<63-1)/10 {
			return nil
		}
		m.Minor *= 10
	}
	return m
}

// Decimals holds a processor's decimals for currencies in which they differ from ISO 4217. A negative number means that the processor does not accept the currency.
type Decimals map[Currency]int

// Of returns the processor's number of decimals for a currency.
func (d Decimals) Of(c Currency) int {
	n, other := d[c]
	if !other {
		n, _ = c.Exponent()
	}
	return n
}

// Scaled returns the amount in the processor's units: see Money.Scaled.
func (d Decimals) Scaled(m Money) (int64, error) { return m.Scaled(d.Of(m.Currency)) }

// Read reads the amount at the path in the processor's units: see JSON.Scaled.
func (d Decimals) Read(j JSON, path string, c Currency) *Money { return j.Scaled(path, c, d.Of(c)) }
