package evidence

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/disputed"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// A dispute that is opened again stays open, also if the message that the merchant had won the first round comes last.
func TestDisputeOpenedAgain(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }
	said := func(s sdk.DisputeStatus) *sdk.Dispute {
		return &sdk.Dispute{ID: "dp_1", Status: s, Amount: sdk.Money{Minor: 100, Currency: "USD"}}
	}
	p := &payment.Payment{Currency: "USD", Received: 100, Private: &payment.Private{}}
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
		b := BookDispute(p, "a_1", said(m.status), m.at, day(9))
		require.Equal(t, m.news, b.Payment != nil, "%s of %s", m.status, m.at)
		require.Empty(t, b.Alarm)
		if b.Payment != nil {
			p = b.Payment
		}
	}
	require.EqualValues(t, 100, p.Disputed())
	require.Zero(t, p.Refundable())
	require.Zero(t, BookDispute(p, "a_1", said(sdk.DisputeWon), day(4), day(9)).Payment.Disputed())
}

// TestDisputeStages sends messages about one dispute in bad orders. The stage never goes back, and what the customer may get is never refunded too.
func TestDisputeStages(t *testing.T) {
	type message struct {
		stage  sdk.DisputeStage
		status sdk.DisputeStatus
		minute int // 0 for a message without a time
	}
	for name, c := range map[string]struct {
		messages []message
		moved    string // one letter a message: m moved, n news without a move, - nothing
		stage    sdk.DisputeStage
		status   sdk.DisputeStatus
		disputed int64
	}{
		"a question":                    {[]message{{sdk.StagePreDispute, sdk.DisputeOpened, 1}}, "m", sdk.StagePreDispute, sdk.DisputeOpened, 0},
		"a question that is answered":   {[]message{{sdk.StagePreDispute, sdk.DisputeOpened, 0}, {"", sdk.DisputeChallenged, 0}}, "mm", sdk.StagePreDispute, sdk.DisputeChallenged, 0},
		"a question that is withdrawn":  {[]message{{sdk.StagePreDispute, sdk.DisputeOpened, 1}, {sdk.StagePreDispute, sdk.DisputeCancelled, 2}}, "mm", sdk.StagePreDispute, sdk.DisputeCancelled, 0},
		"a question that is accepted":   {[]message{{sdk.StagePreDispute, sdk.DisputeAccepted, 1}}, "m", sdk.StagePreDispute, sdk.DisputeAccepted, 100},
		"a question becomes a dispute":  {[]message{{sdk.StagePreDispute, sdk.DisputeChallenged, 0}, {sdk.StageDispute, sdk.DisputeOpened, 0}}, "mm", sdk.StageDispute, sdk.DisputeOpened, 100},
		"the question comes late":       {[]message{{sdk.StageDispute, sdk.DisputeOpened, 1}, {sdk.StagePreDispute, sdk.DisputeCancelled, 9}}, "m-", sdk.StageDispute, sdk.DisputeOpened, 100},
		"answered":                      {[]message{{"", sdk.DisputeOpened, 0}, {"", sdk.DisputeChallenged, 0}, {"", sdk.DisputeOpened, 0}}, "mm-", "", sdk.DisputeChallenged, 100},
		"expired, and won all the same": {[]message{{"", sdk.DisputeOpened, 0}, {"", sdk.DisputeExpired, 0}, {"", sdk.DisputeWon, 0}, {"", sdk.DisputeExpired, 0}}, "mmm-", "", sdk.DisputeWon, 0},
		"lost in the second round": {[]message{{sdk.StageDispute, sdk.DisputeWon, 0}, {sdk.StagePreArbitration, sdk.DisputeLost, 0}, {"", sdk.DisputeLost, 0}},
			"mm-", sdk.StagePreArbitration, sdk.DisputeLost, 100},
		"won in the second round": {[]message{{sdk.StagePreArbitration, sdk.DisputeLost, 0}, {sdk.StagePreArbitration, sdk.DisputeWon, 0}},
			"mm", sdk.StagePreArbitration, sdk.DisputeWon, 0},
		"the same later":      {[]message{{"", sdk.DisputeOpened, 1}, {"", sdk.DisputeOpened, 2}}, "mn", "", sdk.DisputeOpened, 100},
		"a time is kept":      {[]message{{"", sdk.DisputeOpened, 5}, {"", sdk.DisputeWon, 0}, {"", sdk.DisputeOpened, 4}, {"", sdk.DisputeOpened, 6}}, "mm-m", "", sdk.DisputeOpened, 100},
		"cancelled":           {[]message{{"", sdk.DisputeOpened, 1}, {"", sdk.DisputeCancelled, 2}}, "mm", "", sdk.DisputeCancelled, 0},
		"accepted":            {[]message{{"", sdk.DisputeOpened, 1}, {"", sdk.DisputeAccepted, 2}}, "mm", "", sdk.DisputeAccepted, 100},
		"an unknown stage":    {[]message{{"made_up", sdk.DisputeOpened, 1}}, "!", "", "", 0},
		"an unknown status":   {[]message{{"", "made_up", 1}}, "!", "", "", 0},
		"won before it opens": {[]message{{"", sdk.DisputeWon, 2}, {"", sdk.DisputeOpened, 1}}, "m-", "", sdk.DisputeWon, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := &payment.Payment{Currency: "USD", Received: 100, Private: &payment.Private{}}, ""
			for _, m := range c.messages {
				at := time.Time{}
				if m.minute > 0 {
					at = time.Date(2026, 5, 1, 0, m.minute, 0, 0, time.UTC)
				}
				b := BookDispute(p, "a_1", &sdk.Dispute{ID: "dp_1", Status: m.status, Stage: m.stage, Amount: sdk.Money{Minor: 100, Currency: "USD"}}, at, at)
				switch {
				case b.Alarm != "":
					got += "!"
				case b.Payment == nil:
					got += "-"
				case b.Moved:
					got += "m"
				default:
					got += "n"
				}
				if b.Payment != nil {
					p = b.Payment
				}
			}
			require.Equal(t, c.moved, got)
			require.Equal(t, c.disputed, p.Disputed())
			if c.status != "" {
				require.Equal(t, []payment.Claim{{ID: "dp_1", AttemptID: "a_1", Stage: c.stage, Status: c.status, Amount: 100, At: p.Details.Disputes[0].At}}, p.Details.Disputes)
			}
		})
	}
}

// TestDisputeTakes writes a hostile message into the record: its texts are short, and its times are such that JSON can write them.
func TestDisputeTakes(t *testing.T) {
	d := &disputed.Record{Details: disputed.Details{Reason: "fraud", RespondBy: time.UnixMilli(5).UTC()}}
	long := strings.Repeat("ü", 300)
	d.Take(payment.Claim{Status: sdk.DisputeOpened, Amount: 7}, &sdk.Dispute{ConnectorStatus: long, ReasonCode: long, RespondBy: 1 << 62, CreatedAt: -1,
		Amount: sdk.Money{Minor: 7, Currency: "EUR"}}, time.UnixMilli(9).UTC())
	require.Equal(t, &disputed.Record{Stage: sdk.StageDispute, Status: sdk.DisputeOpened, Amount: 7, Currency: "EUR", ModifiedAt: time.UnixMilli(9).UTC(),
		Details: disputed.Details{ConnectorStatus: strings.Repeat("ü", 127), Reason: "fraud", ReasonCode: strings.Repeat("ü", 127), RespondBy: time.UnixMilli(5).UTC()}}, d)
	require.Equal(t, "dispute_opened", d.Event())
}
