package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// After a jump of the clock backwards, a release that never left begins in the future. It is sent, and not ended and begun again without end.
func TestReleaseAfterAJumpBack(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	p := &payment.Payment{ID: "p", AttemptID: "a", OpenOperation: "op"}
	a := &payment.Attempt{ID: "a", Status: payment.VoidInitiated, Authorized: 100, Details: payment.AttemptDetails{CancelWanted: true}}
	op := &payment.Operation{ID: "op", Kind: sdk.OpVoid, Status: payment.OperationUnknown, StartedAt: now.Add(2 * time.Hour)}
	unknown := Timing{Age: func(*payment.Operation) time.Duration { return AgeUnknown }}
	for _, at := range []time.Time{now, now.Add(3 * time.Hour)} { // after several jumps it may also seem to begin in the past
		_, ends := unknown.Unsent(op, a, at)
		require.False(t, ends)
	}
	old := Timing{Age: func(*payment.Operation) time.Duration { return 2 * releaseTime }}
	v, ends := old.Unsent(op, a, now.Add(3*time.Hour))
	require.True(t, ends)
	b := Book(p, a, op, &sdk.Manifest{}, v, now)
	require.False(t, b.Again, "what is given up is not begun again")
	require.Equal(t, payment.Authorized, b.Attempt.Status)

	caller := *a
	caller.Details.CancelWanted = false
	_, ends = unknown.Unsent(op, &caller, now)
	require.True(t, ends, "a void that a caller waits for is not sent at an unknown time")
}
