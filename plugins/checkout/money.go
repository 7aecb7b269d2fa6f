package checkout

import "payswitch/sdk"

// Checkout.com's decimals (checkout.com/docs/resources/calculating-the-amount): none or three for these, two for all others, whatever
// ISO 4217 says.
var decimals = map[sdk.Currency]int{
	"BIF": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

func decimalsOf(c sdk.Currency) int {
	if n, ok := decimals[c]; ok {
		return n
	}
	return 2
}

// amount is an amount as Checkout.com takes it.
func amount(m sdk.Money) int64 {
	if m.Currency == "CLF" {
		sdk.Check(sdk.Unsupported("currency", "Checkout.com does not take this currency"))
	}
	value := sdk.Must(m.Scaled(decimalsOf(m.Currency)))
	if decimalsOf(m.Currency) == 3 && value%10 != 0 {
		sdk.Check(sdk.Invalid("amount", "the last decimal of "+string(m.Currency)+" must be 0"))
	}
	return value
}

// minor reads an amount of Checkout.com's at a path; nil if there is none.
func minor(j sdk.JSON, path string, currency sdk.Currency) *sdk.Money {
	return j.Scaled(path, currency, decimalsOf(currency))
}
