package scheme

import (
	"slices"
	"time"

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

// FinalReasons are the reasons after which no rule of the operator's leads to another attempt. The card or the payer is at fault, or the processor
// may have taken an earlier request: the card schemes forbid to try again, or the customer could pay twice.
var FinalReasons = append([]sdk.DeclineReason{sdk.DeclineDuplicate, sdk.DeclineFraud, sdk.DeclineAbandoned}, deadReasons...)

// deadReasons say that the card, or the series of charges, has come to its end.
var deadReasons = []sdk.DeclineReason{sdk.DeclineLostCard, sdk.DeclineStolenCard, sdk.DeclinePickUpCard, sdk.DeclineClosedAccount, sdk.DeclineStopRecurring}

// visaNever are the response codes (ISO 8583 field 39) of Visa's category 1: the issuer will never approve. Source: Visa Core Rules, table 7-2.
var visaNever = []string{"04", "07", "12", "14", "15", "41", "43", "46", "57", "R0", "R1", "R3"}

// adviceNever are advice codes after which the card must not be tried again. 03 and 99: do not try again. 21: the cardholder has cancelled the series.
// Advice codes come with declines of Mastercard (merchant advice code) and, at some processors, of other schemes. Source: Mastercard Transaction
// Processing Excellence.
var adviceNever = []string{"03", "21", "99"}

// adviceLater are advice codes to try again later, for cards of any scheme but Visa, and how long to wait. For 02 Mastercard states no time.
var adviceLater = map[string]time.Duration{"02": 0, "24": time.Hour, "25": day, "26": 2 * day, "27": 4 * day, "28": 6 * day, "29": 8 * day, "30": 10 * day}

const day = 24 * time.Hour

// visaAdviceNever is the category 1 of Visa, as processors give it in place of an advice code.
const visaAdviceNever = "1"

// ReuseAfter returns what the schemes allow after a decline. network is the card's, "" where it is not known. A reason that names the card or the payer
// counts without any code.
func ReuseAfter(network sdk.CardNetwork, d sdk.Decline) Reuse {
	if forbidden(network, d) || slices.Contains(FinalReasons, d.Reason) {
		return ReuseNever
	}
	if _, later := adviceLater[d.AdviceCode]; later && network != sdk.Visa { // Visa has no such advice: its cards may be tried elsewhere
		return ReuseLater
	}
	return ReuseElsewhere
}

// forbidden reports whether a decline says that the issuer will never approve the card.
func forbidden(network sdk.CardNetwork, d sdk.Decline) bool {
	return slices.Contains(deadReasons, d.Reason) || slices.Contains(adviceNever, d.AdviceCode) ||
		network == sdk.Visa && (slices.Contains(visaNever, d.NetworkCode) || d.AdviceCode == visaAdviceNever)
}
