package rank

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/payment"
	"payswitch/engine/routing/health"
)

func successConfig(t testing.TB, raw string) *SuccessConfig {
	c := &SuccessConfig{}
	require.NoError(t, json.Unmarshal([]byte(raw), c))
	return c
}

// facts of ranked payments, and accounts a and b.
var (
	rankedCard = &card.Facts{Network: "Visa", CountryCode: "DE", Type: "CREDIT"}
	rankedList = []*account.Account{{ID: "a"}, {ID: "b"}}
)

func firstOf(c *SuccessConfig, b *health.Board, id string, amount int64) (string, bool) {
	list, explores := c.Order(rankedList, &payment.Payment{ID: id, Currency: "EUR", NetAmount: amount}, rankedCard, "routing_1", b)
	return list[0].ID, explores
}

func attempts(b *health.Board, id string, slice health.Slice, approved, declined int) {
	for range approved {
		b.Count(health.Attempt{Account: health.Account{ID: id}, Slice: slice, Result: health.Approved})
	}
	for range declined {
		b.Count(health.Attempt{Account: health.Account{ID: id}, Slice: slice, Result: health.Declined})
	}
}

func TestOrderBySuccessAndCost(t *testing.T) {
	t.Parallel()
	german, british := health.Slice{Network: "Visa", Country: "DE", Currency: "EUR"}, health.Slice{Network: "Visa", Country: "GB", Currency: "EUR"}
	const exploit = `"config":{"exploration_percent":0}`
	costs := func(more string) string { return `{` + exploit + `,"costs":{"margin_percent":10,` + more + `}}` }
	for name, c := range map[string]struct {
		config string
		fill   func(b *health.Board)
		amount int64
		want   string
	}{
		"nothing known keeps the order": {`{` + exploit + `}`, func(*health.Board) {}, 1000, "a"},
		"the better one first":          {`{` + exploit + `}`, func(b *health.Board) { attempts(b, "a", german, 50, 50); attempts(b, "b", german, 90, 10) }, 1000, "b"},
		"one decline proves little":     {`{"config":{"exploration_percent":0,"default_success_rate":50}}`, func(b *health.Board) { attempts(b, "a", german, 95, 5); attempts(b, "b", german, 1, 0) }, 1000, "a"},
		"the slice counts, not the account": {`{` + exploit + `}`, func(b *health.Board) {
			attempts(b, "a", german, 20, 80)
			attempts(b, "a", british, 1000, 0)
			attempts(b, "b", german, 80, 20)
			attempts(b, "b", british, 0, 1000)
		}, 1000, "b"},
		"without the country": {`{"params":["Currency"],` + exploit + `}`, func(b *health.Board) {
			attempts(b, "a", german, 20, 80)
			attempts(b, "a", british, 1000, 0)
			attempts(b, "b", german, 80, 20)
			attempts(b, "b", british, 0, 1000)
		}, 1000, "a"},
		"a fixed fee weighs on small amounts":    {costs(`"fees":[{"merchant_connector_id":"a","fixed":50},{"merchant_connector_id":"b","percent":3}]`), func(*health.Board) {}, 1000, "b"},
		"and not on large ones":                  {costs(`"fees":[{"merchant_connector_id":"a","fixed":50},{"merchant_connector_id":"b","percent":3}]`), func(*health.Board) {}, 100_000, "a"},
		"a dearer account that approves more":    {costs(`"fees":[{"merchant_connector_id":"b","percent":1}]`), func(b *health.Board) { attempts(b, "a", german, 60, 40); attempts(b, "b", german, 90, 10) }, 1000, "b"},
		"not if the fee takes it":                {costs(`"fees":[{"merchant_connector_id":"b","percent":4}]`), func(b *health.Board) { attempts(b, "a", german, 60, 40); attempts(b, "b", german, 90, 10) }, 1000, "a"},
		"the first fee that holds":               {costs(`"fees":[{"merchant_connector_id":"a","percent":5,"issuer_countries":["DE"]},{"merchant_connector_id":"a","percent":0},{"merchant_connector_id":"b","percent":1}]`), func(*health.Board) {}, 1000, "b"},
		"a fee of another network does not hold": {costs(`"fees":[{"merchant_connector_id":"a","percent":5,"card_network":"Mastercard"},{"merchant_connector_id":"a","percent":5,"card_type":"debit"},{"merchant_connector_id":"b","percent":1}]`), func(*health.Board) {}, 1000, "a"},
		"a guaranteed share":                     {costs(`"guaranteed":[{"merchant_connector_id":"b","percent":20}]`), func(b *health.Board) { attempts(b, "a", german, 90, 0); attempts(b, "b", german, 0, 10) }, 1000, "b"},
		"a guaranteed share that is reached":     {costs(`"guaranteed":[{"merchant_connector_id":"b","percent":20}]`), func(b *health.Board) { attempts(b, "a", german, 70, 0); attempts(b, "b", german, 0, 30) }, 1000, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			b := health.New(health.Deps{Now: func() time.Time { return now }})
			c.fill(b)
			got, explores := firstOf(successConfig(t, c.config), b, "pay_1", c.amount)
			require.Equal(t, c.want, got)
			require.False(t, explores)
		})
	}
}

// A share of the payments explores, evenly, and the payment's id alone decides which.
func TestExploration(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := health.New(health.Deps{Now: func() time.Time { return now }})
	attempts(b, "a", health.Slice{Currency: "EUR"}, 100, 0)
	attempts(b, "b", health.Slice{Currency: "EUR"}, 0, 100)
	c := successConfig(t, `{"config":{"exploration_percent":20}}`)
	var explored, worse int
	for n := range 5000 {
		id := fmt.Sprint("pay_", n)
		got, explores := firstOf(c, b, id, 1000)
		again, _ := firstOf(c, b, id, 1000)
		require.Equal(t, got, again)
		if explores {
			explored++
		} else {
			require.Equal(t, "a", got)
		}
		if got == "b" {
			worse++
		}
	}
	require.InDelta(t, 1000, explored, 120)
	require.InDelta(t, 500, worse, 90)
}

// BenchmarkRank measures what routing by success adds to a payment with four accounts of 50 slices.
func BenchmarkRank(b *testing.B) {
	board := health.New(health.Deps{Now: time.Now})
	var list []*account.Account
	for n := range 4 {
		list = append(list, &account.Account{ID: fmt.Sprint("mca_", n)})
		for s := range 50 {
			attempts(board, list[n].ID, health.Slice{Network: "Visa", Country: fmt.Sprint(s), Currency: "EUR"}, 10, n)
		}
	}
	c := successConfig(b, `{"config":{"exploration_percent":0},"costs":{"margin_percent":20,"fees":[{"merchant_connector_id":"mca_1","fixed":20,"percent":1}]}}`)
	p := &payment.Payment{ID: "pay_1", Currency: "EUR", NetAmount: 5000}
	b.ReportAllocs()
	for b.Loop() {
		c.Order(list, p, rankedCard, "routing_1", board)
	}
}
