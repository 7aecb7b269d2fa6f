package adyen

import "payswitch/sdk"

// Adyen's decimals where they are not ISO 4217's (docs.adyen.com/development-resources/currency-codes).
var decimals = map[sdk.Currency]int{"CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2}

// Currencies whose decimals at Adyen are in doubt. A guess could be a hundred times off.
var doubtful = map[sdk.Currency]bool{"CLF": true, "IRR": true, "MGA": true}

func decimalsOf(c sdk.Currency) int {
	n, other := decimals[c]
	if !other {
		n, _ = c.Exponent()
	}
	return n
}

// amount writes an amount as Adyen takes it, or says why it cannot be written.
func amount(m sdk.Money) (*sdk.Object, error) {
	if doubtful[m.Currency] {
		return nil, sdk.Unsupported("currency", "Adyen does not take this currency")
	}
	value, err := m.Scaled(decimalsOf(m.Currency))
	return sdk.NewObject().Str("currency", string(m.Currency)).Int("value", value), err
}

// money reads an amount of Adyen's; nil if there is none.
func money(j sdk.JSON) *sdk.Money {
	currency := sdk.Currency(j.Str("currency"))
	return j.Scaled("value", currency, decimalsOf(currency))
}
