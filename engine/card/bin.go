package card

import (
	"strconv"

	"payswitch/sdk"
)

// binFacts are the facts that follow from an issuer identification number. Source: the card schemes' published ranges (ISO/IEC 7812-1) and,
// for single numbers, the facts by which integrators know the well-known test cards.
type binFacts struct {
	Network     sdk.CardNetwork
	Type        string // CREDIT, DEBIT, PREPAID
	Issuer      string
	Country     string
	CountryCode string
	Subtype     string          // SMALLCORPORATE …; "" where unknown
	Other       sdk.CardNetwork // of a co-badged card: the network that the payer may choose instead
}

// knownBINs holds the facts of single issuers.
var knownBINs = map[string]binFacts{
	"378282": {sdk.AmericanExpress, "CREDIT", "AMERICAN EXPRESS US CARS", "UNITED STATES OF AMERICA", "US", "SMALLCORPORATE", ""},
	"400000": {sdk.Visa, "CREDIT", "INTL HDQTRS CENTER OWNED", "UNITED STATES OF AMERICA", "US", "", ""},
	"411111": {sdk.Visa, "DEBIT", "Conotoxia Sp Z Oo", "POLAND", "PL", "", ""},
	"497000": {Network: sdk.Visa, Other: sdk.CartesBancaires},
	"424242": {sdk.Visa, "CREDIT", "STRIPE PAYMENTS UK LIMITED", "UNITEDKINGDOM", "GB", "", ""},
}

// binRange is the network of numbers whose first Digits digits lie between From and To, both included.
type binRange struct {
	From, To, Digits int
	Network          sdk.CardNetwork
}

// The search goes in order, so narrow ranges come before wide ones.
var binRanges = []binRange{
	{34, 34, 2, sdk.AmericanExpress},
	{37, 37, 2, sdk.AmericanExpress},
	{3528, 3589, 4, sdk.JCB},
	{300, 305, 3, sdk.DinersClub},
	{3095, 3095, 4, sdk.DinersClub},
	{36, 36, 2, sdk.DinersClub},
	{38, 39, 2, sdk.DinersClub},
	{508500, 508999, 6, sdk.RuPay},
	{606985, 607984, 6, sdk.RuPay},
	{608001, 608500, 6, sdk.RuPay},
	{652150, 653149, 6, sdk.RuPay},
	{817200, 819899, 6, sdk.RuPay},
	{6011, 6011, 4, sdk.Discover},
	{644, 649, 3, sdk.Discover},
	{65, 65, 2, sdk.Discover},
	{622126, 622925, 6, sdk.UnionPay},
	{62, 62, 2, sdk.UnionPay},
	{81, 81, 2, sdk.UnionPay},
	{5018, 5018, 4, sdk.Maestro},
	{5020, 5020, 4, sdk.Maestro},
	{5038, 5038, 4, sdk.Maestro},
	{5893, 5893, 4, sdk.Maestro},
	{6304, 6304, 4, sdk.Maestro},
	{6759, 6763, 4, sdk.Maestro},
	{2221, 2720, 4, sdk.Mastercard},
	{51, 55, 2, sdk.Mastercard},
	{4, 4, 1, sdk.Visa},
}

// factsOfBIN looks up a number's first digits. Unknown fields stay empty.
func factsOfBIN(number string) binFacts {
	if len(number) < 6 {
		return binFacts{}
	}
	if f, ok := knownBINs[number[:6]]; ok {
		return f
	}
	for _, r := range binRanges {
		if n, err := strconv.Atoi(number[:r.Digits]); err == nil && n >= r.From && n <= r.To {
			return binFacts{Network: r.Network}
		}
	}
	return binFacts{}
}
