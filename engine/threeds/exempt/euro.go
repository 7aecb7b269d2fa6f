package exempt

import (
	"payswitch/sdk"
)

// euroUnits maps a currency to an amount in minor units that was worth less than 30 euros at every rate of 2024
// and 2025. That is the limit of low value (PSD2 RTS, article 16). Each amount is some per cent below the rate: an amount in another currency
// then counts as a little more than its worth, and never as less. The pound's amount is the law's own (the United Kingdom's technical standards, article 16). The Danish
// krone's is the central rate less its band of 2.25 %, the lev's its fixed rate.
var euroUnits = map[sdk.Currency]int64{
	"EUR": 30_00, "GBP": 25_00, "DKK": 218_00, "BGN": 58_00, "CHF": 27_00, "CZK": 690_00, "HUF": 10_500_00, "ISK": 3_900, "NOK": 325_00,
	"PLN": 120_00, "RON": 145_00, "SEK": 305_00, "USD": 30_00,
}

// EURCents converts an amount in minor units to euro cents, rounded up and never too low. It returns -1 for a currency without a known rate:
// the engine then claims no exemption that has a limit.
func EURCents(amount int64, c sdk.Currency) int64 {
	units, ok := euroUnits[c]
	if !ok || amount < 0 || amount > 1<<40 {
		return -1
	}
	return (amount*lowValueLimit + units - 1) / units
}
