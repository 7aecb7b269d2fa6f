package card_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
)

func TestCardsInText(t *testing.T) {
	for text, masked := range map[string]string{
		"4242424242424242":                                "************4242",
		"my card is 4242 4242 4242 4242, thanks":          "my card is **** **** **** 4242, thanks",
		"5555-5555-5555-4444":                             "****-****-****-4444",
		"3782 822463 10005":                               "**** ****** *0005",
		"371449635398431":                                 "***********8431",
		"6011111111111117 12/30 737":                      "************1117 12/30 737",
		"3530111333300000":                                "************0000",
		"36227206271667":                                  "**********1667",
		"6200000000000005":                                "************0005",
		"6759649826438453":                                "************8453",
		"2223003122003222":                                "************3222",
		"order_4242424242424242_a":                        "order_************4242_a",
		"card4242424242424242":                            "card************4242",
		"4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2":                 "* * * * * * * * * * * * 4 2 4 2",
		"42-42-42-42-42-42-42-42":                         "**-**-**-**-**-**-42-42",
		"42424242 42424242":                               "******** ****4242",
		"4242 - 4242 - 4242 - 4242":                       "**** - **** - **** - 4242",
		"4242.4242.4242.4242":                             "****.****.****.4242",
		"4242\n4242\n4242\n4242":                          "****\n****\n****\n4242",
		"4242\u00a04242\u00a04242\u00a04242":              "****\u00a0****\u00a0****\u00a04242",
		"42\u200b42424242424242":                          "**\u200b**********4242",
		"4242–4242–4242–4242":                             "****–****–****–4242",
		"４２４２４２４２４２４２４２４２":                                "************４２４２",
		"٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢":                                "************٤٢٤٢",
		"https://shop.example/?pan=%34242424242424242":    "https://shop.example/?pan=************4242",
		"https://shop.example/?n=4242+4242%204242%204242": "https://shop.example/?n=****+****%20****%204242",
		"%EF%BC%94242424242424242":                        "************4242",
		"4242424242424242 and 5555555555554444":           "************4242 and ************4444",
		"call 0511 4242, card 4242424242424242":           "call 0511 4242, card ************4242",
		"12 4242424242424242":                             "12 ************4242",
		"+4242424242424242":                               "+************4242",
	} {
		require.True(t, card.HoldsCard(text), text)
		require.Equal(t, masked, card.MaskCards(text), text)
		require.False(t, card.HoldsCard(card.MaskCards(text)), text)
	}

	for _, text := range []string{"", "hello", "4242424242424241", "424242424242", "42424242424242424242", "1234567890123456", "0000000000000000",
		"8835511210681327", "2026-10-05 12:30:45.123456", "+4915123456785", "4915123456785", "4222222222222", "4006381333931", "1759668012345", "1759668012345678",
		"DE12 4405 0199 1234 5678 90", "**** **** **** 4242", "4242 **** **** 4242", "XXXX-XXXX-XXXX-4242", "490154203237518",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.6422.112 Safari/537.36",
		"4242424242424242a5555555555554444", // it cannot be told apart from a digest
	} {
		require.False(t, card.HoldsCard(text), text)
		require.Equal(t, text, card.MaskCards(text), text)
	}
}

// cardOf returns a random number of a range with a valid Luhn digit.
func cardOf(r *rand.Rand, prefix string, length int) string {
	for len(prefix) < length-1 {
		prefix += strconv.Itoa(r.IntN(10))
	}
	for d := range 10 {
		if n := prefix + strconv.Itoa(d); card.LooksLikeCard(n) {
			return n
		}
	}
	panic("no check digit for " + prefix)
}

// HoldsCard finds every number of a network in all the ways that people write it, and ignores numbers that machines write.
func TestCardsInTextStatistics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		kinds := []struct {
			prefix string
			length int
		}{{"4", 16}, {"51", 16}, {"2221", 16}, {"37", 15}, {"6011", 16}, {"65", 16}, {"62", 19}, {"3528", 16}, {"36", 14}, {"67", 16}, {"4", 19}}
		k := kinds[r.IntN(len(kinds))]
		number := cardOf(r, k.prefix, k.length)
		for _, sep := range []string{"", " ", "-", " - ", "\u00a0", ".", "%20"} {
			written := ""
			for i, c := range number {
				if i > 0 && i%4 == 0 {
					written += sep
				}
				written += string(c)
			}
			for _, text := range []string{written, "Card: " + written + ".", "x" + written + "x", written + " 12/30 123"} {
				require.True(t, card.HoldsCard(text), text)
				require.NotContains(t, card.MaskCards(text), number[:10])
			}
		}
	}

	wrong := 0
	const each = 5000
	for i := range each {
		sum := sha256.Sum256([]byte(strconv.Itoa(i)))
		at := time.Unix(1_600_000_000+r.Int64N(500_000_000), r.Int64N(1_000_000_000)).UTC()
		for _, text := range []string{uuid.Must(uuid.NewRandomFromReader(reader{r})).String(), hex.EncodeToString(sum[:]), hex.EncodeToString(sum[:12]),
			at.Format(time.RFC3339Nano), at.Format("20060102150405.000"), strconv.FormatInt(at.UnixMicro(), 10), strconv.FormatInt(at.UnixNano(), 10),
			fmt.Sprintf("+49 151 %08d", r.IntN(1e8)), fmt.Sprintf("+49151%08d", r.IntN(1e8)), fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256)),
			fmt.Sprintf("INV-%d-%06d", 2000+r.IntN(40), r.IntN(1e6)), fmt.Sprintf("%.2f EUR", r.Float64()*1e6)} {
			if card.HoldsCard(text) {
				t.Log(text)
				wrong++
			}
		}
	}
	require.LessOrEqual(t, wrong, 3, "of %d texts that hold no card", 12*each)
}

type reader struct{ r *rand.Rand }

func (r reader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.r.Uint32())
	}
	return len(p), nil
}

func FuzzMaskCards(f *testing.F) {
	f.Add("4242 4242 4242 4242 %34 ４２ + 2026-10-05")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		masked := card.MaskCards(text)
		require.Equal(t, card.HoldsCard(text), masked != text)
		require.LessOrEqual(t, len(masked), len(text))
		require.False(t, strings.Contains(masked, "4242424242424242") && !strings.Contains(text, "4242424242424242"))
	})
}
