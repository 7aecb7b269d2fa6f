package card

import (
	"slices"
	"strings"

	"payswitch/sdk"
)

// Networks returns the networks of a card by the first digits of its number, the one that counts without a choice first. A co-badged card has two.
// Fewer than six digits, and digits of an unknown network, return none.
func (t *BINTable) Networks(digits string) []sdk.CardNetwork {
	f := t.facts(digits)
	if f.Network == "" {
		return nil
	}
	list := []sdk.CardNetwork{f.Network}
	if f.Other != "" && !slices.Contains(list, f.Other) {
		list = append(list, f.Other)
	}
	return list
}

// chosen returns the network that the payer chose of a co-badged card, else the card's own.
func (f *binFacts) chosen(wish sdk.CardNetwork) sdk.CardNetwork {
	if f.Network == "" || wish != "" && wish == f.Other {
		return wish
	}
	return f.Network
}

// networksOf reads the column scheme of a table: one name, or two with a slash between them for a co-badged card.
func networksOf(scheme string) (first, other sdk.CardNetwork) {
	named := func(name string) sdk.CardNetwork {
		return binNetworks[strings.ToUpper(strings.Join(strings.Fields(name), ""))]
	}
	a, b, _ := strings.Cut(scheme, "/")
	return named(a), named(b)
}
