package drive

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/port"
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
		_, first, calm := c.look(db, at, at, lease)
		require.True(t, first && calm && c.holds(db, at))
		pass(time.Second)
		db = db.Add(by)
		require.False(t, c.holds(db, at), "no loop has noticed the jump")
		jump, _, calm := c.look(db, at, at, lease) // another loop
		require.Equal(t, by, jump)
		require.False(t, calm)
		pass(time.Millisecond)
		require.False(t, c.holds(db, at), "another loop has noticed the jump")
		pass(lease)
		require.True(t, c.holds(db, at))
	}
}

// TestStoredTimes: after jumps back the clock shows the same times once more, so a stored time means one of two moments. A start means the earlier one, and
// a send the later one.
func TestStoredTimes(t *testing.T) {
	t.Parallel()
	var c clockWatch
	db, at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Now()
	pass := func(d, jump time.Duration) time.Time {
		db, at = db.Add(d+jump), at.Add(d)
		c.look(db, at, at, time.Minute)
		return db
	}
	oldest := func(t time.Time) time.Time { first, _, _ := c.span(t, 0, db.Add(time.Minute)); return first }
	age := func(t time.Time) time.Duration { return db.Sub(oldest(t)) }
	since := func(t time.Time) time.Duration { _, last, _ := c.span(t, 0, db.Add(time.Minute)); return db.Sub(last) }
	began := pass(0, 0)
	require.Equal(t, time.Minute, pass(time.Minute, 0).Sub(oldest(began)), "no jump")
	old := pass(time.Minute, 0)
	pass(time.Second, -20*time.Second)
	require.Equal(t, 121*time.Second, age(began), "from long before the jump")
	require.Equal(t, time.Second, age(old), "in the future")
	again := pass(30*time.Second, 0) // in the past now
	require.Equal(t, 31*time.Second, age(old))
	require.Equal(t, 11*time.Second, since(old), "or the same time after the jump")
	require.Equal(t, time.Duration(0), age(again), "after the jump, and later than any time before")
	pass(time.Second, 2*time.Hour)
	require.Equal(t, 32*time.Second, age(old), "before a jump ahead")
	require.Equal(t, time.Second, age(again))
	require.Equal(t, 12*time.Second, since(old))
	pass(time.Second, -2*time.Hour)
	require.Equal(t, 33*time.Second, age(old))
	require.Equal(t, time.Minute, pass(time.Minute, 0).Sub(oldest(db.Add(-time.Minute))))
}

// TestStoredTimesOfManyJumps: a clock that jumps without end is not remembered for ever, and a time from before what is remembered means nothing.
func TestStoredTimesOfManyJumps(t *testing.T) {
	t.Parallel()
	var c clockWatch
	db, at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Now()
	began := db
	c.look(db, at, at, time.Minute)
	for i := range jumpsKept + 1 {
		_, last, known := c.span(began, 0, db.Add(time.Minute))
		require.Equal(t, time.Duration(i)*time.Second, db.Sub(last))
		require.True(t, known)
		db, at = db.Add(time.Hour), at.Add(time.Second)
		c.look(db, at, at, time.Minute)
	}
	require.Len(t, c.jumps, jumpsKept)
	_, _, known := c.span(began, 0, db.Add(time.Minute))
	require.False(t, known)
	_, last, known := c.span(db.Add(-time.Hour), 0, db.Add(time.Minute))
	require.Equal(t, time.Second, db.Sub(last))
	require.True(t, known)
}

// TestFirstMet: the time of a send that no clock explains is held against the moment at which this process first looked at the time.
func TestFirstMet(t *testing.T) {
	t.Parallel()
	var c clockWatch
	sends := []storedSend{{"op_1", 1}, {"op_2", 1}, {"op_1", 2}}
	var met []time.Time
	for _, s := range sends {
		time.Sleep(time.Millisecond)
		met = append(met, c.firstMet(s))
	}
	for i, s := range sends {
		require.Equal(t, met[i], c.firstMet(s))
	}
	for i := range metKept {
		c.firstMet(storedSend{"op_3", int64(i)})
	}
	require.LessOrEqual(t, len(c.met), metKept)
	require.True(t, c.firstMet(sends[0]).After(met[0]), "forgotten: it waits anew")
}

// forgetful is a store whose writes fail until they are allowed. It keeps the notes about the clock.
type forgetful struct {
	Tx
	now   time.Time
	fails bool
	notes []time.Duration
	noted NotedJump
	looks int    // of firstLook
	slow  func() // stalls the store: before a view has its clock, and while it reads
}

func (f *forgetful) View(_ context.Context, read func(Reader) error) error {
	now := f.now
	f.stall()
	snapshot := *f
	snapshot.now = now
	return read(&snapshot)
}
func (f *forgetful) stall() {
	if f.slow != nil {
		f.slow()
	}
}
func (f *forgetful) Update(_ context.Context, change func(Tx) error) error {
	if f.fails {
		return errors.New("the disk is full")
	}
	return change(f)
}
func (f *forgetful) Now() time.Time                 { return f.now }
func (f *forgetful) LastJump() (NotedJump, error)   { f.stall(); return f.noted, nil }
func (f *forgetful) LastDueSet() (time.Time, error) { f.looks++; return time.Time{}, nil }
func (f *forgetful) NoteJump(by time.Duration) error {
	f.notes = append(f.notes, by)
	f.noted = NotedJump{At: f.now, Back: f.noted.Back + max(-by, 0)}
	return nil
}
func (f *forgetful) RecallOperations(Recall, ...payment.OperationStatus) error {
	return nil
}

// TestJumpsAreNotedLater: a jump that the store could not note is noted once, as soon as the store can. So is the check of the due times at the start made.
func TestJumpsAreNotedLater(t *testing.T) {
	t.Parallel()
	at := time.Now()
	s := &forgetful{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), fails: true}
	d := New(Deps{Store: s, Monotonic: func() time.Time { return at }, LeaseTime: time.Minute, Metrics: port.NoMetrics{}, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, d.BeginClock(t.Context()))
	look := func(jump time.Duration) bool {
		at, s.now = at.Add(time.Second), s.now.Add(time.Second+jump)
		calm, err := d.ClockIsCalm(t.Context())
		require.NoError(t, err)
		return calm
	}
	require.True(t, look(0))
	require.False(t, look(-2*time.Hour))
	require.False(t, look(time.Hour))
	require.Empty(t, s.notes)
	s.fails = false
	look(0)
	look(0)
	require.Equal(t, []time.Duration{-2 * time.Hour, time.Hour}, s.notes)
	require.Equal(t, 1, s.looks)
}

// TestSlowLooks: a store that answers late shows neither a wrong time nor a jump, and a jump shows nevertheless.
func TestSlowLooks(t *testing.T) {
	t.Parallel()
	at := time.Now()
	s := &forgetful{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	d := New(Deps{Store: s, Monotonic: func() time.Time { return at }, LeaseTime: time.Minute, Metrics: port.NoMetrics{}, Log: slog.New(slog.DiscardHandler)})
	pass := func(d time.Duration) { at, s.now = at.Add(d), s.now.Add(d) }
	stalls := 0
	s.slow = func() {
		if stalls++; stalls <= 4 {
			pass(30 * time.Second)
		}
	}
	require.NoError(t, d.BeginClock(t.Context()))
	require.Equal(t, s.now, d.StoreNow())
	for range 3 {
		stalls = 0
		calm, err := d.ClockIsCalm(t.Context())
		require.NoError(t, err)
		require.True(t, calm)
		require.Equal(t, s.now, d.StoreNow())
	}
	for _, jump := range []time.Duration{2 * time.Hour, -time.Hour} {
		stalls, s.now = 0, s.now.Add(jump)
		calm, err := d.ClockIsCalm(t.Context())
		require.NoError(t, err)
		require.False(t, calm)
		require.InDelta(t, 0, d.StoreNow().Sub(s.now), float64(31*time.Second))
		stalls = 9
		_, err = d.ClockIsCalm(t.Context())
		require.NoError(t, err)
		require.Equal(t, s.now, d.StoreNow())
	}
}

// TestJumpsOfSeveralNodes: a jump that several nodes notice counts once, each further jump counts too, and one of the same size as well.
func TestJumpsOfSeveralNodes(t *testing.T) {
	t.Parallel()
	at := time.Now()
	s := &forgetful{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	var nodes []*Driver
	for range 3 {
		nodes = append(nodes, New(Deps{Store: s, Monotonic: func() time.Time { return at }, LeaseTime: time.Minute, Metrics: port.NoMetrics{}, Log: slog.New(slog.DiscardHandler)}))
		require.NoError(t, nodes[len(nodes)-1].BeginClock(t.Context()))
	}
	want := time.Duration(0)
	for _, jump := range []time.Duration{0, -2 * time.Hour, -2 * time.Hour, 3 * time.Hour, -2 * time.Hour, -10 * time.Second, 0, 10 * time.Second, -10 * time.Second} {
		s.now = s.now.Add(jump)
		want += max(0, -jump)
		for _, d := range nodes {
			at, s.now = at.Add(3*time.Second), s.now.Add(3*time.Second)
			_, err := d.ClockIsCalm(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, want, s.noted.Back, jump)
	}
}
