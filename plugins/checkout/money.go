package checkout

import "payswitch/sdk"

// decimals are Checkout.com's (checkout.com/docs/resources/calculating-the-amount) where they are not ISO 4217's. It does not take CLF.
var decimals = sdk.Decimals{"ISK": 0, "CLP": 2, "IRR": 2, "MGA": 2, "CLF": -1}

// amount is an amount as Checkout.com takes it.
func amount(m sdk.Money) int64 {
	value := sdk.Must(decimals.Scaled(m))
	if decimals.Of(m.Currency) == 3 && value%10 != 0 {
		sdk.Check(sdk.Invalid("amount", "the last decimal of "+string(m.Currency)+" must be 0"))
	}
	return value
}

// minor reads an amount of Checkout.com's at a path; nil if there is none.
func minor(j sdk.JSON, path string, currency sdk.Currency) *sdk.Money {
	return decimals.Read(j, path, currency)
}
