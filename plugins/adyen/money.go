package adyen

import "payswitch/sdk"

// decimals are Adyen's (docs.adyen.com/development-resources/currency-codes). For the last three they are in doubt: a guess could be a
// hundred times off.
var decimals = sdk.Decimals{"CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2, "CLF": -1, "IRR": -1, "MGA": -1}

// amount writes an amount as Adyen takes it.
func amount(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Str("currency", string(m.Currency)).Int("value", sdk.Must(decimals.Scaled(m)))
}

// money reads an amount of Adyen's; nil if there is none.
func money(j sdk.JSON) *sdk.Money { return decimals.Read(j, "value", sdk.Currency(j.Str("currency"))) }
