package relay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// What a report on the transaction says of a relay whose answer was lost. "Not done" counts once it is final, and never for one that the processor has
// accepted. What others may have done stays in doubt.
func TestReportOnATransaction(t *testing.T) {
	t.Parallel()
	const success, failure, pending = payment.OperationSucceeded, payment.OperationNotActed, payment.OperationPending
	amount := func(n int64) *int64 { return &n }
	totals := func(s sdk.OutcomeStatus, authorized, captured, refunded int64) *sdk.Outcome {
		return &sdk.Outcome{Status: s, Totals: &sdk.Totals{Authorized: authorized, Captured: captured, Refunded: refunded}}
	}
	said := func(s sdk.OutcomeStatus, id string, held int64) *sdk.Outcome {
		o := &sdk.Outcome{Status: s, CaptureID: id}
		if held > 0 {
			o.Amount = &sdk.Money{Minor: held, Currency: "EUR"}
		}
		return o
	}
	void, named := Data{Void: &VoidData{}}, Data{Void: &VoidData{Amount: amount(60), Currency: "EUR"}}
	raise, capture := Data{Increment: &IncrementData{Total: 80, Additional: 20}}, Data{Capture: &CaptureData{Authorized: 60, Amount: 20, Currency: "EUR"}}
	held, less := &Before{Status: sdk.StatusAuthorized, Held: 60}, &Before{Status: sdk.StatusAuthorized, Held: 80}
	took := func(n int64) *Before { return &Before{Status: sdk.StatusAuthorized, Captured: &n} }
	for _, c := range []struct {
		name   string
		kind   Type
		data   Data
		before *Before
		by     others
		said   *sdk.Outcome
		want   payment.OperationStatus
	}{
		{"voided", Void, void, nil, others{}, said(sdk.StatusVoided, "", 0), success},
		{"nothing was held", Void, void, nil, others{}, said(sdk.StatusDeclined, "", 0), success},
		{"the void was refused, or nothing was held", Void, named, nil, others{}, said(sdk.StatusDeclined, "", 0), failure},
		{"still held", Void, void, nil, others{}, totals(sdk.StatusAuthorized, 60, 0, 0), failure},
		{"no void is known", Void, void, nil, others{}, said(sdk.StatusNotFound, "", 0), failure},
		{"all is captured", Void, void, nil, others{}, totals(sdk.StatusCaptured, 60, 60, 0), failure},
		{"a part is captured, the rest may be voided", Void, void, nil, others{}, totals(sdk.StatusCaptured, 60, 20, 0), pending},
		{"captured, it says not how much", Void, void, nil, others{}, said(sdk.StatusCaptured, "", 60), pending},
		{"given back", Void, void, nil, others{}, totals(sdk.StatusCaptured, 60, 60, 60), pending},
		{"under way", Void, void, nil, others{}, said(sdk.StatusPending, "", 0), pending},

		{"raised", Increment, raise, nil, others{}, totals(sdk.StatusAuthorized, 80, 0, 0), success},
		{"raised, without totals", Increment, raise, nil, others{}, said(sdk.StatusAuthorized, "", 80), success},
		{"as it was", Increment, raise, nil, others{}, said(sdk.StatusAuthorized, "", 60), failure},
		{"not known", Increment, raise, nil, others{}, said(sdk.StatusNotFound, "", 0), failure},
		{"raised further", Increment, raise, nil, others{}, totals(sdk.StatusAuthorized, 90, 0, 0), pending},
		{"held without an amount", Increment, raise, nil, others{}, said(sdk.StatusAuthorized, "", 0), pending},
		{"captured since", Increment, raise, nil, others{}, totals(sdk.StatusAuthorized, 60, 60, 0), pending},
		{"voided since", Increment, raise, nil, others{}, totals(sdk.StatusVoided, 60, 0, 0), pending},

		{"taken", Capture, capture, took(0), others{}, totals(sdk.StatusCaptured, 60, 20, 0), success},
		{"taken beside what was taken", Capture, capture, took(30), others{taken: 10}, totals(sdk.StatusAuthorized, 60, 50, 0), success},
		{"not taken", Capture, capture, took(30), others{taken: 10}, totals(sdk.StatusCaptured, 60, 30, 0), failure},
		{"another was taken too", Capture, capture, took(0), others{}, totals(sdk.StatusCaptured, 60, 40, 0), pending},
		{"a part was taken", Capture, capture, took(0), others{}, totals(sdk.StatusCaptured, 60, 10, 0), pending},
		{"another relay may have taken it", Capture, capture, took(0), others{since: true}, totals(sdk.StatusCaptured, 60, 20, 0), pending},
		{"another relay has taken it", Capture, capture, took(0), others{taken: 20, since: true}, totals(sdk.StatusCaptured, 60, 20, 0), failure},
		{"the report before lacked a relay's capture", Capture, capture, took(0), others{taken: 20}, totals(sdk.StatusCaptured, 60, 40, 0), pending},
		{"nothing was taken, now or before", Capture, capture, nil, others{}, totals(sdk.StatusAuthorized, 60, 0, 0), failure},
		{"something was taken, perhaps before", Capture, capture, nil, others{}, totals(sdk.StatusCaptured, 60, 20, 0), pending},
		{"given back since", Capture, capture, took(20), others{}, totals(sdk.StatusCaptured, 60, 20, 20), pending},
		{"voided since", Capture, capture, took(0), others{}, totals(sdk.StatusVoided, 60, 0, 0), pending},
		{"captured since, without totals", Capture, capture, held, others{}, said(sdk.StatusCaptured, "new", 20), success},
		{"found since", Capture, capture, held, others{}, said(sdk.StatusCaptured, "new", 0), success},
		{"captured since, another amount", Capture, capture, held, others{}, said(sdk.StatusCaptured, "new", 60), pending},
		{"still held, as before", Capture, capture, held, others{}, said(sdk.StatusAuthorized, "", 60), failure},
		{"no capture is known", Capture, capture, held, others{}, said(sdk.StatusNotFound, "", 0), failure},
		{"no capture is known, but the caller errs about what is held", Capture, capture, less, others{}, said(sdk.StatusNotFound, "", 0), pending},
		{"not found, and never asked", Capture, capture, nil, others{}, said(sdk.StatusNotFound, "", 0), pending},
		{"captured before already", Capture, capture, &Before{Status: sdk.StatusCaptured}, others{}, said(sdk.StatusCaptured, "", 20), pending},
		{"captured since, perhaps by another relay", Capture, capture, held, others{since: true}, said(sdk.StatusCaptured, "new", 20), pending},
	} {
		r := &Relay{Type: c.kind, ResourceID: "tx", Details: Details{Data: c.data, Before: c.before, Unanswered: true}}
		v, why := r.look(c.said, c.by, true)
		require.Equal(t, c.want, v.Status, "%s: %s", c.kind, c.name)
		require.Equal(t, c.want == pending, why != "", c.name)
		if c.want == success {
			require.Equal(t, c.said.CaptureID, v.Outcome.CaptureID, c.name)
		}
		if c.want == failure {
			early, _ := r.look(c.said, c.by, false)
			r.Details.Unanswered = false
			accepted, _ := r.look(c.said, c.by, true)
			require.Equal(t, []any{pending, pending}, []any{early.Status, accepted.Status}, c.name)
		}
	}

	r := &Relay{Type: Capture, ResourceID: "tx", ReferenceID: "own", Details: Details{Data: capture, Before: took(0)}}
	v, _ := r.look(&sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "last", Totals: &sdk.Totals{Authorized: 60, Captured: 20}}, others{}, true)
	require.Equal(t, []any{success, ""}, []any{v.Status, v.Outcome.CaptureID}, "the relay keeps its own id")
}

// The other captures of a transaction: which count as taken, and which leave a report in doubt.
func TestOtherCaptures(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	relay := func(id string, s Status, amount int64, began, ended time.Duration) *Relay {
		return &Relay{ID: id, Type: Capture, Status: s, CreatedAt: at.Add(began), ModifiedAt: at.Add(ended), Details: Details{Data: Data{Capture: &CaptureData{Amount: amount, Currency: "EUR"}}}}
	}
	own := relay("own", Pending, 20, 0, 0)
	dollars := relay("dollars", Success, 5, -time.Hour, time.Hour)
	dollars.Details.Data.Capture.Currency = "USD"
	refund := &Relay{ID: "refund", Type: Refund, Status: Success, ModifiedAt: at.Add(time.Hour)}
	before, failed := relay("before", Success, 7, -time.Hour, -time.Minute), relay("failed", Failure, 9, time.Minute, time.Hour)
	require.Equal(t, others{taken: 7}, own.othersOf([]*Relay{own, before, failed, dollars, refund}, nil))
	require.Equal(t, others{taken: 10, since: true}, own.othersOf([]*Relay{own, before, relay("meanwhile", Success, 3, -time.Minute, time.Minute)}, nil))
	require.Equal(t, others{since: true}, own.othersOf([]*Relay{own, relay("open", Pending, 3, -time.Hour, -time.Hour)}, nil))
}

// TestOthersOfEachType: relays of every type meet an earlier capture of their transaction, which counts in their currency alone.
func TestOthersOfEachType(t *testing.T) {
	capture := &Relay{ID: "relay_1", Type: Capture, Status: Success, Details: Details{Data: Data{Capture: &CaptureData{Amount: 40, Currency: "USD"}}}}
	for kind, data := range map[Type]Data{
		Capture:   {Capture: &CaptureData{Amount: 60, Currency: "USD"}},
		Increment: {Increment: &IncrementData{Total: 140, Additional: 40, Currency: "USD"}},
		Void:      {Void: &VoidData{Currency: "USD"}},
	} {
		r := &Relay{ID: "relay_2", Type: kind, Status: Pending, Details: Details{Data: data}}
		require.EqualValues(t, 40, r.othersOf([]*Relay{capture, r}, nil).taken, kind)
	}
	other := &Relay{ID: "relay_2", Type: Void, Details: Details{Data: Data{Void: &VoidData{Currency: "EUR"}}}}
	require.Zero(t, other.othersOf([]*Relay{capture}, nil).taken)
}
