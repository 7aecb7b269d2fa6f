package card

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/sdk"
)

const binTable = "\ufeffIIN_start,iin_end,number_length,scheme,brand,type,prepaid,country,bank_name,bank_city,country_name\n" +
	"4571,,16,visa,Visa Classic,debit,,DK,Jyske Bank,Silkeborg,\n" +
	"45717360,45717365,,visa,,credit,no,DK,\"Bank, of \"\"Two\"\"\",,Denmark\n" +
	"457173,,,visa,,debit,yes,,,,\n" +
	"371240,,,AMEX,,CREDIT,,US,AMERICAN EXPRESS,,\n" +
	"371240,,,American Express,,CREDIT,,us,The Last,,UNITED STATES OF AMERICA\n" +
	"411111,,,,,,,,,,\n" +
	"999999,,,no such scheme,,charge,,,,\n"

func TestBINTable(t *testing.T) {
	table, err := ReadBINTable(strings.NewReader(binTable))
	require.NoError(t, err)
	for number, want := range map[string]binFacts{
		"4571000000000001": {sdk.Visa, "DEBIT", "Jyske Bank", "DK", "DK", "", ""},
		"4571736012345678": {sdk.Visa, "CREDIT", `Bank, of "Two"`, "Denmark", "DK", "", ""}, // the narrowest range
		"4571736512345678": {sdk.Visa, "CREDIT", `Bank, of "Two"`, "Denmark", "DK", "", ""},
		"4571736612345678": {sdk.Visa, "PREPAID", "", "", "", "", ""},
		"4571800000000000": {sdk.Visa, "DEBIT", "Jyske Bank", "DK", "DK", "", ""},
		"371240000000000":  {sdk.AmericanExpress, "CREDIT", "The Last", "UNITED STATES OF AMERICA", "US", "", ""},
		"371241000000000":  {sdk.AmericanExpress, "", "", "", "", "", ""},
		"9999990000000000": {},
		"4111111111111111": knownBINs["411111"], // a table without the number leaves the built-in facts
		"4570999999999999": {sdk.Visa, "", "", "", "", "", ""},
		"45717360":         {sdk.Visa, "CREDIT", `Bank, of "Two"`, "Denmark", "DK", "", ""},
		"4571":             {},
		"":                 {},
	} {
		require.Equal(t, want, table.facts(number), number)
	}
	var none *BINTable
	require.Equal(t, knownBINs["411111"], none.facts("4111111111111111"))

	for text, want := range map[string]string{
		"":                             "first line: EOF",
		"a,b\n":                        "iin_start among them",
		"iin_start\n411\n":             `line 2: iin_start "411" is not the beginning of a card number: 4 to 12 digits`,
		"iin_start\n4111\n41a1\n":      "line 3: iin_start",
		"iin_start,iin_end\n4111,41\n": `line 2: iin_end "41"`,
		"iin_start,iin_end\n4111,4110": "must have as many digits and not be smaller",
		"iin_start,country\n4111,DNK":  `line 2: country "DNK" is not an ISO 3166-1 alpha-2 code`,
		"iin_start\n\"4111\n":          "read BIN table: ",
	} {
		_, err := ReadBINTable(strings.NewReader(text))
		require.ErrorContains(t, err, want, "%q", text)
	}
}

// FuzzBINTable compares the table with a search through all ranges.
func FuzzBINTable(f *testing.F) {
	f.Add("4111", "4115", "411111", "411112", "41111200", "41111299", "4111120012345678")
	f.Add("0000", "9999", "5000", "5000", "500000000000", "999999999999", "5000000000000000")
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, number string) {
		bounds := [][2]string{{a, b}, {c, d}, {e, g}}
		var text strings.Builder
		text.WriteString("iin_start,iin_end,bank_name\n")
		for i, r := range bounds {
			fmt.Fprintf(&text, "%s,%s,%d\n", r[0], r[1], i)
		}
		if strings.ContainsAny(a+b+c+d+e+g, "\",\r\n") {
			return
		}
		table, err := ReadBINTable(strings.NewReader(text.String()))
		if err != nil || len(number) < binDigits || strings.Trim(number, "0123456789") != "" {
			return
		}
		want, width := "", int64(-1)
		n, _ := padded("", number[:binDigits], "")
		for i, r := range bounds {
			first, _ := padded("", strings.TrimSpace(r[0]), "0")
			last, _ := padded("", strings.TrimSpace(r[1]), "9")
			if strings.TrimSpace(r[1]) == "" {
				last, _ = padded("", strings.TrimSpace(r[0]), "9")
			}
			if n >= first && n <= last && (width < 0 || last-first <= width) {
				want, width = fmt.Sprint(i), last-first
			}
		}
		if got := table.facts(number).Issuer; width >= 0 && got != want {
			t.Errorf("%q: %s, want %s\n%s", number, got, want, text.String())
		}
	})
}

// TestNetworks: the payer of a co-badged card chooses the network, and of no other card.
func TestNetworks(t *testing.T) {
	table, err := ReadBINTable(strings.NewReader("iin_start,scheme\n513500,cartes bancaires/mastercard\n43210000,visa\n"))
	require.NoError(t, err)
	require.Equal(t, []sdk.CardNetwork{sdk.CartesBancaires, sdk.Mastercard}, table.Networks("51350012"))
	require.Equal(t, []sdk.CardNetwork{sdk.Visa}, table.Networks("43210000"))
	require.Equal(t, []sdk.CardNetwork{sdk.Visa, sdk.CartesBancaires}, table.Networks("49700030"), "a built-in one")
	require.Empty(t, table.Networks("999999"))
	require.Empty(t, (*BINTable)(nil).Networks("4242"))
	read := func(number string, wish sdk.CardNetwork) sdk.CardNetwork {
		c, err := table.ReadWithoutCVC(&Input{Number: secret.New(number), ExpMonth: "10", ExpYear: "50", Network: wish}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		return c.Facts.Network
	}
	require.Equal(t, sdk.CartesBancaires, read("5135000000000000", ""))
	require.Equal(t, sdk.Mastercard, read("5135000000000000", sdk.Mastercard))
	require.Equal(t, sdk.CartesBancaires, read("5135000000000000", sdk.Visa), "a claim is no fact")
	require.Equal(t, sdk.Visa, read("4242424242424242", sdk.CartesBancaires))
	require.Equal(t, sdk.JCB, read("9999990000000000", sdk.JCB), "nothing is known: the claim counts")
}
