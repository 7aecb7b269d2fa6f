package routing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
)

// BenchmarkConfiguration measures what an active configuration of 100 rules adds to a payment: its facts, the rules, and the accounts.
func BenchmarkConfiguration(b *testing.B) {
	const condition = `{"lhs":%q,"comparison":%q,"value":{"type":%q,"value":%s},"metadata":{}}`
	var rules []string
	for i := range 100 {
		rules = append(rules, fmt.Sprintf(`{"name":"r%d","connectorSelection":{"type":"priority","data":["b"]},"statements":[{"condition":[%s,%s]}]}`, i,
			fmt.Sprintf(condition, "amount", "greater_than", "number", fmt.Sprint(10_000+i)), fmt.Sprintf(condition, "currency", "equal", "enum_variant", `"EUR"`)))
	}
	raw := `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":["a"]},"metadata":{},"rules":[` + strings.Join(rules, ",") + `]}}`
	active, err := compile(&Config{ID: "routing_1", Algorithm: json.RawMessage(raw)})
	require.NoError(b, err)
	p := &payment.Payment{ID: "pay_1", Currency: "EUR", NetAmount: 5000, Private: &payment.Private{},
		Details: payment.Details{CaptureMethod: payment.CaptureAutomatic, Metadata: json.RawMessage(`{"order":"1","shop":"berlin"}`)}}
	c := &card.Card{Facts: card.Facts{BIN: "424242", Network: "Visa", Type: "CREDIT", CountryCode: "DE"}}
	all := []*account.Account{{ID: "mca_a", Connector: "a"}, {ID: "mca_b", Connector: "b"}}
	profile, in := &account.Profile{}, &request.Input{}
	b.ReportAllocs()
	for b.Loop() {
		chosen := &candidates{trace: &routed.Trace{}}
		chosen.configured(active, all, p, func() *rule.Input { return InputOf(p, profile, in, c) })
		if len(chosen.list) != 1 {
			b.Fatal("no account was chosen")
		}
	}
}

// An attempt keeps how it was routed. That costs few bytes, because every attempt has it.
func TestTraceIsSmall(t *testing.T) {
	size := func(r routed.Trace) int {
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		return len(raw)
	}
	require.LessOrEqual(t, size(routed.Trace{By: routed.ByDefault}), 20)
	typical := routed.Trace{By: routed.ByConfig, Config: "routing_0123456789abcdefghij", Rule: 12, Place: 1,
		Left: []routed.LeftOut{{Account: "mca_0123456789abcdefghij", Why: routed.LeftCurrency}}}
	require.LessOrEqual(t, size(typical), 150)
}

func TestCorrectByPSD2(t *testing.T) {
	for name, c := range map[string]struct {
		issuer, acquirer string
		decision, want   rule.Decision
	}{
		"within, no 3DS":       {"FR", "DE", rule.DecideNoThreeDS, rule.DecideChallenge},
		"within, an exemption": {"FR", "DE", rule.DecideTRA, rule.DecideTRA},
		"outside, no 3DS":      {"US", "DE", rule.DecideNoThreeDS, rule.DecideNoThreeDS},
		"outside, exemption":   {"FR", "US", rule.DecideLowValue, rule.DecideChallenge},
		"unknown issuer":       {"", "DE", rule.DecideChallengePreferred, rule.DecideChallenge},
	} {
		in := &rule.Input{}
		in.SetCountry(rule.IssuerCountry, c.issuer)
		in.SetCountry(rule.AcquirerCountry, c.acquirer)
		require.Equal(t, c.want, correct(c.decision, in), name)
	}
}

// A cache holds no more text than its limit, however few entries have it.
func TestCacheIsBounded(t *testing.T) {
	var c cache[int]
	for i := range 100 {
		c.put(fmt.Sprint(i), i, cachedBytes/4)
		require.LessOrEqual(t, len(c.m), 4)
		require.LessOrEqual(t, c.bytes, cachedBytes)
		got, ok := c.get(fmt.Sprint(i))
		require.Equal(t, []any{i, true}, []any{got, ok}, "the latest entry is there")
	}
	c.put("huge", 1, 2*cachedBytes)
	require.Len(t, c.m, 1)
	for i := range 2 * cachedPrograms {
		c.put(fmt.Sprint(i), i, 0)
	}
	require.LessOrEqual(t, len(c.m), cachedPrograms)
}
