package sdk

// Scaled is the amount in units of ten to the power of -decimals, for processors whose decimals are not ISO 4217's: {1000, "CLP"} with 2
// decimals is 100000, {1000, "ISK"} with none is 10. The error is a *Reject: the currency is none of Currencies, or the amount has more
// decimals than that, or is too large.
func (m Money) Scaled(decimals int) (int64, error) {
	ours, known := m.Currency.Exponent()
	if !known || decimals < 0 {
		return 0, Unsupported("currency", "the processor does not take this currency")
	}
	n := m.Minor
	for ; ours < decimals; ours++ {
		if n > (1<<63-1)/10 || n < -(1<<63-1)/10 {
			return 0, Invalid("amount", "the amount is too large")
		}
		n *= 10
	}
	for ; ours > decimals; ours-- {
		if n%10 != 0 {
			return 0, Invalid("amount", "the processor takes amounts of "+string(m.Currency)+" with "+Decimal(int64(decimals), 0)+" decimals only")
		}
		n /= 10
	}
	return n, nil
}

// Scaled is the amount at the path, an integer or a string of one, in units of ten to the power of -decimals: see Money.Scaled. nil if
// there is none that is exact, or the currency is none of Currencies.
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

// Decimals are a processor's where they are not ISO 4217's; a negative number is a currency that it does not take.
type Decimals map[Currency]int

// Of is how many decimals the processor has for a currency.
func (d Decimals) Of(c Currency) int {
	n, other := d[c]
	if !other {
		n, _ = c.Exponent()
	}
	return n
}

// Scaled is the amount in the processor's units: see Money.Scaled.
func (d Decimals) Scaled(m Money) (int64, error) { return m.Scaled(d.Of(m.Currency)) }

// Read is the amount at the path in the processor's units: see JSON.Scaled.
func (d Decimals) Read(j JSON, path string, c Currency) *Money { return j.Scaled(path, c, d.Of(c)) }
