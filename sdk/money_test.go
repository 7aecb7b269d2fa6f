package sdk

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMoneyVectors(t *testing.T) {
	for _, v := range []struct {
		minor    int64
		currency Currency
		major    string
	}{
		{1050, "USD", "10.50"}, {5, "USD", "0.05"}, {0, "USD", "0.00"}, {-5, "USD", "-0.05"}, {-1050, "USD", "-10.50"}, {100, "USD", "1.00"},
		{1050, "JPY", "1050"}, {0, "JPY", "0"}, {-1, "JPY", "-1"}, {1050, "KWD", "1.050"}, {1, "KWD", "0.001"}, {12345, "CLF", "1.2345"},
		{math.MaxInt64, "USD", "92233720368547758.07"}, {math.MinInt64, "USD", "-92233720368547758.08"},
		{math.MaxInt64, "JPY", "9223372036854775807"}, {math.MinInt64, "JPY", "-9223372036854775808"}, {math.MaxInt64, "KWD", "9223372036854775.807"},
	} {
		m := Money{v.minor, v.currency}
		require.Equal(t, v.major, m.Major())
		got, err := ParseMajor(v.major, v.currency)
		require.NoError(t, err, v.major)
		require.Equal(t, m, got)
	}
	for s, want := range map[string]int64{"10": 1000, "10.5": 1050, "010.50": 1050, "10.5000": 1050, "-0": 0, "0.0000000000000000000000000": 0} {
		got, err := ParseMajor(s, "USD")
		require.NoError(t, err, s)
		require.Equal(t, want, got.Minor, s)
	}
	for s, want := range map[string]error{
		"": ErrAmount, "-": ErrAmount, ".5": ErrAmount, "5.": ErrAmount, "+5": ErrAmount, " 5": ErrAmount, "5 ": ErrAmount, "1,000": ErrAmount, "1e3": ErrAmount,
		"1.2.3": ErrAmount, "--1": ErrAmount, "0x10": ErrAmount, "NaN": ErrAmount, "٣": ErrAmount, "10.505": ErrFraction, "1.005x": ErrAmount,
		"92233720368547758.08": ErrOverflow, "-92233720368547758.09": ErrOverflow, "99999999999999999999999": ErrOverflow, strings.Repeat("9", 400): ErrOverflow,
	} {
		_, err := ParseMajor(s, "USD")
		require.ErrorIs(t, err, want, s)
	}
	_, err := ParseMajor("1", "XXX")
	require.ErrorIs(t, err, ErrCurrency)
	got, err := ParseMajor("1050.00", "JPY")
	require.NoError(t, err)
	require.Equal(t, int64(1050), got.Minor)
	require.Empty(t, Money{1, "usd"}.Major(), "an unknown currency has no major units")
	require.Equal(t, "0.000000000000000005", Decimal(5, 18))
	require.Empty(t, Decimal(5, 19))
	require.Empty(t, Decimal(5, -1))
}

func TestParseMinor(t *testing.T) {
	got, err := ParseMinor("-9223372036854775808", "USD")
	require.NoError(t, err)
	require.Equal(t, Money{math.MinInt64, "USD"}, got)
	for s, want := range map[string]error{"": ErrAmount, "+1": ErrAmount, "1.0": ErrAmount, "9223372036854775808": ErrOverflow, "-9223372036854775809": ErrOverflow} {
		_, err := ParseMinor(s, "USD")
		require.ErrorIs(t, err, want, s)
	}
	_, err = ParseMinor("1", "")
	require.ErrorIs(t, err, ErrCurrency)
}

// TestMoneyRoundTrip compares with exact rational arithmetic.
func TestMoneyRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	all := Currencies()
	for range 20000 {
		m := Money{int64(r.Uint64()) >> r.IntN(64), all[r.IntN(len(all))]}
		s := m.Major()
		got, err := ParseMajor(s, m.Currency)
		require.NoError(t, err)
		require.Equal(t, m, got)
		e, _ := m.Currency.Exponent()
		want := new(big.Rat).SetFrac(big.NewInt(m.Minor), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil))
		require.Equal(t, want.FloatString(e), s)
	}
}

func FuzzParseMajor(f *testing.F) {
	for _, s := range []string{"10.50", "-0.05", "1e3", "92233720368547758.07", "0.0000", "."} {
		f.Add(s, "USD")
	}
	f.Add("1.050", "KWD")
	f.Fuzz(func(t *testing.T, s, currency string) {
		m, err := ParseMajor(s, Currency(currency))
		if err != nil {
			require.Equal(t, Money{}, m)
			return
		}
		want, ok := new(big.Rat).SetString(s)
		require.True(t, ok)
		got, ok := new(big.Rat).SetString(m.Major())
		require.True(t, ok)
		require.Zero(t, want.Cmp(got))
	})
}

func TestCurrencies(t *testing.T) {
	all := Currencies()
	require.Len(t, all, 160)
	require.IsIncreasing(t, all)
	numbers := map[string]bool{}
	for _, c := range all {
		require.True(t, c.Valid())
		require.Len(t, c.Number(), 3)
		require.False(t, numbers[c.Number()])
		numbers[c.Number()] = true
		require.Equal(t, c, CurrencyByNumber(c.Number()))
	}
	exponents := map[Currency]int{"CLF": 4}
	for _, c := range strings.Fields("BIF CLP DJF GNF IRR JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF") {
		exponents[Currency(c)] = 0
	}
	for _, c := range strings.Fields("BHD IQD JOD KWD LYD OMR TND") {
		exponents[Currency(c)] = 3
	}
	for _, c := range all {
		want, special := exponents[c]
		if !special {
			want = 2
		}
		got, ok := c.Exponent()
		require.True(t, ok)
		require.Equal(t, want, got, c)
	}
	for _, c := range []Currency{"", "usd", "XXX", "USDX", "ZZZ", "AAA"} {
		require.False(t, c.Valid())
		require.Empty(t, c.Number())
	}
	require.Empty(t, CurrencyByNumber("000"))
	require.Equal(t, Currency("ALL"), CurrencyByNumber("008"))
}

func TestDeclineReasons(t *testing.T) {
	all := DeclineReasons()
	require.Len(t, all, 30)
	seen, codes := map[DeclineReason]bool{}, map[string]bool{}
	for _, f := range all {
		require.False(t, seen[f.Reason], f.Reason)
		seen[f.Reason] = true
		require.NotEmpty(t, f.Title)
		require.NotEmpty(t, f.Category)
		for _, c := range f.Codes {
			require.False(t, codes[c], "code %s stands for two reasons", c)
			codes[c] = true
			require.Equal(t, f.Reason, DeclineByCode(c))
		}
		got, ok := f.Reason.Facts()
		require.True(t, ok)
		require.Equal(t, f, got)
		code, text := f.Category.Unified()
		require.NotEmpty(t, code)
		require.NotEmpty(t, text)
	}
	_, ok := DeclineReason("x").Facts()
	require.False(t, ok)
	require.Equal(t, DeclineGeneric, DeclineByCode("99"))
	// ISO 8583 (1987), field 39: the codes from 33 to 38 ask to keep the card, so no other processor may try it.
	for _, code := range []string{"33", "34", "35", "36", "37", "38"} {
		f, _ := DeclineByCode(code).Facts()
		require.False(t, f.RetryElsewhere, code)
	}
	for code, want := range map[string]DeclineReason{"51": DeclineInsufficientFunds, "65": DeclineAuthenticationNeeded, "79": DeclineGeneric, "82": DeclineDoNotHonor, "83": DeclineFraud} {
		require.Equal(t, want, DeclineByMastercard(code))
	}
	for _, r := range []DeclineReason{DeclineStolenCard, DeclineLostCard, DeclinePickUpCard, DeclineStopRecurring, DeclineFraud} {
		f, _ := r.Facts()
		require.False(t, f.RetryElsewhere || f.RetryLater, "%s is final", r)
	}
}
