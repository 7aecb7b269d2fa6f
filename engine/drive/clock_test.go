package drive

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClockHolds: one loop looks at the clock, the clock jumps, and another loop notices. The first loop then takes nothing over in its transaction, though
// the clock has not jumped since the latest look: living work would be sent twice.
func TestClockHolds(t *testing.T) {
	t.Parallel()
	const lease = time.Minute
	for _, by := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		var c clockWatch
		db, at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Now()
		pass := func(d time.Duration) { db, at = db.Add(d), at.Add(d) }
		_, first, calm := c.look(db, at, lease)
		require.True(t, first && calm && c.holds(db, at))
		pass(time.Second)
		db = db.Add(by)
		require.False(t, c.holds(db, at), "no loop has noticed the jump")
		jump, _, calm := c.look(db, at, lease) // another loop
		require.Equal(t, by, jump)
		require.False(t, calm)
		pass(time.Millisecond)
		require.False(t, c.holds(db, at), "another loop has noticed the jump")
		pass(lease)
		require.True(t, c.holds(db, at))
	}
}
