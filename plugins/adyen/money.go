package adyen

import (
	"math"

	"payswitch/sdk"
)

// Adyen's decimals where they are not ISO 4217's (docs.adyen.com/development-resources/currency-codes).
var decimals = map[sdk.Currency]int{"CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2}

// Currencies whose decimals at Adyen are in doubt. A guess could be a hundred times off.
var doubtful = map[sdk.Currency]bool{"CLF": true, "IRR": true, "MGA": true}

// amount writes an amount as Adyen takes it, or says why it cannot be written.
func amount(m sdk.Money) (*sdk.Object, error) {
	value := m.Minor
	ours, known := m.Currency.Exponent()
	if !known || doubtful[m.Currency] {
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "Adyen does not take this currency", Parameter: "currency"}
	}
	theirs, other := decimals[m.Currency]
	for ; other && ours < theirs; ours++ {
		if value > math.MaxInt64/10 {
			return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "the amount is too large", Parameter: "amount"}
		}
		value *= 10
	}
	for ; other && ours > theirs; ours-- {
		if value%10 != 0 {
			return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "Adyen takes whole units of " + string(m.Currency) + " only", Parameter: "amount"}
		}
		value /= 10
	}
	return sdk.NewObject().Str("currency", string(m.Currency)).Int("value", value), nil
}

// money reads an amount of Adyen's; nil if there is none.
func money(j sdk.JSON) *sdk.Money {
	currency := sdk.Currency(j.Str("currency"))
	m := j.Money("value", currency)
	ours, known := currency.Exponent()
	if m == nil || !known {
		return nil
	}
	theirs, other := decimals[currency]
	for ; other && ours < theirs; theirs-- {
		m.Minor /= 10
	}
	for ; other && ours > theirs; theirs++ {
		m.Minor *= 10
	}
	return m
}
