package threeds

import "payswitch/sdk"

// euroUnits are amounts in minor units that were worth less than 30 euros, the limit of low value (PSD2 RTS, article 16), at any rate of
// 2024 and 2025. Rates move, and an amount must not be taken for less than it is: each is some per cent below the rate, so that an amount in
// another currency counts as a little more than it is. The pound's is the law's own (the United Kingdom's technical standards, article 16),
// the Danish krone's the central rate less its band of 2.25 %, the lev's its fixed rate.
var euroUnits = map[sdk.Currency]int64{
	"EUR": 30_00, "GBP": 25_00, "DKK": 218_00, "BGN": 58_00, "CHF": 27_00, "CZK": 690_00, "HUF": 10_500_00, "ISK": 3_900, "NOK": 325_00,
	"PLN": 120_00, "RON": 145_00, "SEK": 305_00, "USD": 30_00,
}

// EURCents is what an amount in minor units is worth, euro cents, rounded up and never too low; -1 for a currency that no rate is known of:
// then nothing that has a limit is claimed.
func EURCents(amount int64, c sdk.Currency) int64 {
	units, ok := euroUnits[c]
	if !ok || amount < 0 || amount > 1<<40 {
		return -1
	}
	return (amount*lowValueLimit + units - 1) / units
}
