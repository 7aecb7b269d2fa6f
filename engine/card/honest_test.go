package card_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
)

// ibanOf returns a valid IBAN without spaces: country, check digits, account.
func ibanOf(country, account string) string {
	rest := 0
	for _, c := range account + country + "00" {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return fmt.Sprintf("%s%02d%s", country, 98-rest, account)
}

// Shops keep many numbers in metadata: decimal numbers, visitor ids, bank accounts, telephone and order numbers of 13 digits. The engine must
// refuse none of them.
func TestHonestNumbersHoldNoCard(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	digits := func(n int) string {
		s := ""
		for range n {
			s += strconv.Itoa(r.IntN(10))
		}
		return s
	}
	for range 20000 {
		visitor := fmt.Sprintf("%d.%d", r.IntN(1<<31), 1_500_000_000+r.IntN(300_000_000))
		for _, text := range []string{strconv.FormatFloat(r.Float64(), 'f', -1, 64), strconv.FormatFloat(-180*r.Float64(), 'f', -1, 64), strconv.FormatFloat(1e4*r.Float64(), 'f', -1, 64),
			visitor, "GA1.2." + visitor, fmt.Sprintf("fb.1.%d.%d", 1_600_000_000_000+r.Int64N(200_000_000_000), r.IntN(1<<31)),
			"49151" + digits(8), "4" + digits(12), ibanOf("DK", digits(14)), ibanOf("NO", digits(11)), ibanOf("BE", digits(12)), ibanOf("AT", digits(16)), ibanOf("NL", "ABNA"+digits(10)),
			"pay to " + ibanOf("DK", digits(14)) + ", thanks"} {
			require.False(t, card.HoldsCard(text), text)
		}
	}
	for _, text := range []string{"4242424242424242.00", "4242.4242.4242.4242", "no 1.4242424242424242", "GB00 4242424242424242", "x.4242424242424242", "AMOUNT4242424242424242",
		"4242424242424242 " + ibanOf("DK", "42424242424242"), "DK0" + "4242424242424242"[1:] + "x 5555555555554444"} {
		require.True(t, card.HoldsCard(text), text)
	}
}

// The cost of a text with many numbers grows in proportion to its length, because every caller with the publishable key may send one.
func TestLongTextsAreLookedThroughInTime(t *testing.T) {
	fastest := func(text string) time.Duration {
		least := time.Hour
		for range 7 {
			began := time.Now()
			card.HoldsCard(text)
			card.MaskCards(text)
			least = min(least, time.Since(began))
		}
		return least
	}
	for _, part := range []string{"4242424242424242a", "4242424242424242-a-", "4242424242424242-", "1 ", "DK4242424242424242", "%34"} {
		var short, long time.Duration
		for range 20 { // a busy machine may slow one of the two down, but not each time
			short, long = fastest(strings.Repeat(part, 8000/len(part))), fastest(strings.Repeat(part, 16*8000/len(part)))
			if long < 100*short {
				break
			}
		}
		require.Less(t, long, 100*short, "%s: sixteen times the length, as the square it were 256 times the time", part)
	}
}
