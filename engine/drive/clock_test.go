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

// TestOldestStart: after jumps back the clock shows the same times once more, and a stored time means the earlier of two moments.
func TestOldestStart(t *testing.T) {
	t.Parallel()
	var c clockWatch
	db, at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Now()
	pass := func(d, jump time.Duration) time.Time {
		db, at = db.Add(d+jump), at.Add(d)
		c.look(db, at, time.Minute)
		return db
	}
	age := func(t time.Time) time.Duration { return db.Sub(c.oldest(t)) }
	began := pass(0, 0)
	require.Equal(t, time.Minute, pass(time.Minute, 0).Sub(c.oldest(began)), "no jump")
	old := pass(time.Minute, 0)
	pass(time.Second, -20*time.Second)
	require.Equal(t, 121*time.Second, age(began), "from long before the jump")
	require.Equal(t, time.Second, age(old), "in the future")
	again := pass(30*time.Second, 0) // in the past now
	require.Equal(t, 31*time.Second, age(old))
	require.Equal(t, time.Duration(0), age(again), "after the jump, and later than any time before")
	pass(time.Second, 2*time.Hour)
	require.Equal(t, 32*time.Second, age(old), "before a jump ahead")
	require.Equal(t, time.Second, age(again))
	pass(time.Second, -2*time.Hour)
	require.Equal(t, 33*time.Second, age(old))
	require.Equal(t, time.Minute, pass(time.Minute, 0).Sub(c.oldest(db.Add(-time.Minute))))
}
