package staff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestRoleTable compares the table with its picture, so that a change of what a role may do is seen twice.
func TestRoleTable(t *testing.T) {
	t.Parallel()
	const want = `
adapters.manage   - - - - A
audit.see         - - - A A
customers.manage  - A - A -
customers.unmask  - A - A -
decisions.make    - - - A A
disputes.answer   - A - A -
events.resend     - A A A -
events.see        - A A A A
exchanges.see     - - A A A
keys.manage       - - T A -
links.manage      - A T A -
logs.see          - - A A A
merchants.manage  - - - - A
money.move        - L T A -
payments.see      A A A A -
settings.change   - - T A -
settings.see      - - A A -
simulator.use     - - A A -
system.see        - - - - A
team.manage       - - - A -
urls.manage       - - A A -
users.manage      - - - - A
`
	var b strings.Builder
	b.WriteString("\n")
	for _, p := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "%-17s", p)
		for _, r := range Roles() {
			b.WriteString(" " + string("-TLA"[ReachOf(r, p)]))
		}
		b.WriteString("\n")
	}
	require.Equal(t, want, b.String())
}

func TestMay(t *testing.T) {
	t.Parallel()
	s := &Session{Grants: []Grant{{MerchantID: "m1", Role: Developer}, {MerchantID: "m2", Role: Viewer}}}
	assert.True(t, s.May(ManageKeys, "m1"))
	assert.True(t, s.MayOn(ManageKeys, "m1", false))
	assert.False(t, s.MayOn(ManageKeys, "m1", true), "a developer makes no live key")
	assert.False(t, s.May(ManageKeys, "m2"))
	assert.False(t, s.May(SeePayments, "m3"))
	assert.False(t, s.May(SeePayments, ""), "a grant at one merchant says nothing about the installation")
	assert.False(t, s.May("no.such", "m1"))
	all := &Session{Grants: []Grant{{Role: Operator}}}
	assert.True(t, all.May(Decide, "m9"))
	assert.True(t, all.May(ManageAdapters, ""))
	assert.False(t, all.May(SeePayments, "m9"), "an operator sees no payments")
	ids, every := s.Merchants()
	assert.Equal(t, []string{"m1", "m2"}, ids)
	assert.False(t, every)
}

func TestMayMove(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	usd := func(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }
	limits := map[sdk.Currency]int64{"USD": 10000}
	support := &Session{SecondFactorAt: now, Grants: []Grant{{MerchantID: "m1", Role: Support, Limits: limits}}}
	assert.Equal(t, Allowed, support.MayMove("m1", usd(10000), true, now))
	most, limited := support.Limit("m1", "USD")
	assert.Equal(t, int64(10000), most)
	assert.True(t, limited)
	assert.Equal(t, Refused, support.MayMove("m1", usd(10001), true, now))
	assert.Equal(t, Refused, support.MayMove("m1", sdk.Money{Minor: 1, Currency: "JPY"}, true, now), "no limit in a currency is no permission")
	assert.Equal(t, Refused, support.MayMove("m2", usd(1), true, now))
	admin := &Session{Grants: []Grant{{MerchantID: "m1", Role: Admin, Limits: limits}}}
	assert.Equal(t, Allowed, admin.MayMove("m1", usd(10000), true, now))
	_, limited = admin.Limit("m1", "USD")
	assert.False(t, limited)
	assert.Equal(t, StepUp, admin.MayMove("m1", usd(10001), true, now))
	assert.Equal(t, Allowed, admin.MayMove("m1", usd(10001), false, now))
	admin.SecondFactorAt = now.Add(-StepUpTime + time.Second)
	assert.Equal(t, Allowed, admin.MayMove("m1", usd(10001), true, now))
	admin.SecondFactorAt = now.Add(-StepUpTime)
	assert.Equal(t, StepUp, admin.MayMove("m1", usd(10001), true, now))
	dev := &Session{SecondFactorAt: now, Grants: []Grant{{MerchantID: "m1", Role: Developer}}}
	assert.Equal(t, Allowed, dev.MayMove("m1", usd(1), false, now))
	assert.Equal(t, Refused, dev.MayMove("m1", usd(1), true, now))
}
