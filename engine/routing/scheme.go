package routing

import (
	"slices"

	"payswitch/sdk"
)

// Reuse is what a card's scheme allows with the card after a decline.
type Reuse string

// The schemes charge merchants for attempts that they do not allow.
const (
	ReuseElsewhere Reuse = "elsewhere" // another account may try at once
	ReuseLater     Reuse = "later"     // the card may be tried again later, and not within the same confirm
	ReuseNever     Reuse = "never"     // the card must not be tried again with the same data
)

// visaNever are the response codes (ISO 8583 field 39) of Visa's category 1: the issuer will never approve. Source: Visa Core Rules, table 7-2.
var visaNever = []string{"04", "07", "12", "14", "15", "41", "43", "46", "57", "R0", "R1", "R3"}

// Advice codes come with declines of Mastercard (merchant advice code) and, at some processors, of other schemes. 03 and 99: do not try again. 21: the
// cardholder has cancelled the series. 02 and 24 to 30, for cards of any scheme but Visa: try again later, after an hour up to ten days.
// Source: Mastercard Transaction Processing Excellence.
var (
	adviceNever = []string{"03", "21", "99"}
	adviceLater = []string{"02", "24", "25", "26", "27", "28", "29", "30"}
)

// visaAdviceNever is the category 1 of Visa, as processors give it in place of an advice code.
const visaAdviceNever = "1"

// ReuseAfter returns what the schemes allow after a decline. network is the card's, "" where it is not known. A reason that names the card or the payer
// counts without any code.
func ReuseAfter(network sdk.CardNetwork, d sdk.Decline) Reuse {
	switch {
	case slices.Contains(finalReasons, d.Reason), slices.Contains(adviceNever, d.AdviceCode):
		return ReuseNever
	case network == sdk.Visa && (slices.Contains(visaNever, d.NetworkCode) || d.AdviceCode == visaAdviceNever):
		return ReuseNever
	case network != sdk.Visa && slices.Contains(adviceLater, d.AdviceCode): // Visa has no such advice: its cards may be tried elsewhere
		return ReuseLater
	}
	return ReuseElsewhere
}
