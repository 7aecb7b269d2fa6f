package dashboard

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCurrencyFilter: a code of three letters filters by its currency. Another word of three letters is looked up as an id or an order, and is refused as a currency.
func TestCurrencyFilter(t *testing.T) {
	t.Parallel()
	f := readFilters(url.Values{})
	require.Equal(t, "A12 ada", f.addWords("kwd A12 ada"))
	require.Equal(t, "KWD", f.values.Get("currency"))
	for text, amount := range map[string]string{"42.00": "42.00", "42 usd": "42", ">100": ">100", "0.5 KWD": "0.5", "42": "", "A-42.00": "", "1234 usd": ""} {
		f := readFilters(url.Values{})
		f.addWords(text)
		require.Equal(t, amount, f.values.Get("amount"), text)
	}
	for code, good := range map[string]bool{"jpy": true, "KWD": true, "dollars": false, "xyz": false, "xx": false} {
		f := readFilters(url.Values{"currency": {code}})
		q := f.query(time.UTC)
		require.Equal(t, good, f.problems["currency"] == "", code)
		require.Equal(t, good, len(q.Filter.Currencies) == 1, code)
	}
}
