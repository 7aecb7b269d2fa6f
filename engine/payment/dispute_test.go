package payment

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// A dispute that is opened again stays open, also if the message that the merchant had won the first round comes last.
func TestDisputeOpenedAgain(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }
	said := func(s sdk.DisputeStatus) *sdk.Dispute {
		return &sdk.Dispute{ID: "dp_1", Status: s, Amount: sdk.Money{Minor: 100, Currency: "USD"}}
	}
	p := &Payment{Currency: "USD", Received: 100, Private: &Private{}}
	for _, m := range []struct {
		status sdk.DisputeStatus
		at     time.Time
		news   bool
	}{
		{sdk.DisputeOpened, day(1), true},
		{sdk.DisputeOpened, day(1), false},
		{sdk.DisputeOpened, day(3), true},
		{sdk.DisputeWon, day(2), false},
		{sdk.DisputeOpened, day(1), false},
	} {
		n, alarm := BookDispute(p, "a_1", said(m.status), m.at, day(9))
		require.Equal(t, m.news, n != nil, "%s of %s", m.status, m.at)
		require.Empty(t, alarm)
		if n != nil {
			p = n
		}
	}
	require.EqualValues(t, 100, p.Disputed())
	require.Zero(t, p.Refundable())
	n, _ := BookDispute(p, "a_1", said(sdk.DisputeWon), day(4), day(9))
	require.Zero(t, n.Disputed())
}
