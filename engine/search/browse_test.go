package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

func TestCompareDecimals(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"10", "10.00", 0}, {"9.99", "10", -1}, {"10.01", "10", 1}, {"100", "99.999", 1}, {"0.5", "0.50", 0}, {"007", "7", 0}, {"1.05", "1.5", -1}} {
		require.Equal(t, c.want, compareDecimals(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, -c.want, compareDecimals(c.b, c.a), "%s %s", c.b, c.a)
	}
	for text, ok := range map[string]bool{"10": true, "10.50": true, ".5": false, "10.": false, "-1": false, "1e3": false, "": false, "1.2.3": false} {
		require.Equal(t, ok, isAmount(text), text)
	}
}

// TestQueryPasses compares amounts in the major units of each payment's own currency.
func TestQueryPasses(t *testing.T) {
	of := func(minor int64, c sdk.Currency) *listed.Scanned {
		return &listed.Scanned{Payment: &payment.Payment{Amount: minor, Currency: c}, Attempt: payment.AttemptDetails{Card: &card.Facts{LastFour: "4242"}}}
	}
	for name, c := range map[string]struct {
		q    Query
		p    *listed.Scanned
		want bool
	}{
		"above, its own amount": {Query{Above: "10"}, of(1000, "USD"), false},
		"least, its own amount": {Query{Least: "10"}, of(1000, "USD"), true},
		"below":                 {Query{Below: "10"}, of(999, "USD"), true},
		"most":                  {Query{Most: "10"}, of(1001, "USD"), false},
		"no decimals":           {Query{Above: "999"}, of(1000, "JPY"), true},
		"three decimals":        {Query{Least: "1", Most: "1"}, of(1000, "KWD"), true},
		"unknown currency":      {Query{Least: "1"}, of(1000, "XXQ"), false},
		"last four":             {Query{LastFour: "4242"}, of(1, "USD"), true},
		"other last four":       {Query{LastFour: "0000"}, of(1, "USD"), false},
		"no card":               {Query{LastFour: "4242"}, &listed.Scanned{Payment: &payment.Payment{Currency: "USD"}}, false},
	} {
		require.Equal(t, c.want, c.q.passes(c.p), name)
	}
}
