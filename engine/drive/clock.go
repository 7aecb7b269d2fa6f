package drive

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
)

// clockTolerance is the difference between the database's clock and this process's monotonic clock, from one look to the next. Above it the
// database's clock has jumped. Clock synchronization moves a clock far more slowly.
const clockTolerance = 5 * time.Second

// clockWatch compares the database's clock, which deadlines are read from, with the monotonic clock of this process. The zero value is ready. It is
// safe for concurrent use.
type clockWatch struct {
	mu     sync.Mutex
	first  time.Time     // the database's clock at the first look
	db     time.Time     // the database's clock at the latest look
	at     time.Time     // the same moment by the monotonic clock
	calm   time.Time     // by the monotonic clock; until then deadlines prove nothing
	jumped time.Time     // when the latest jump was noticed, by the clock after it
	by     time.Duration // the latest jump; 0 for none
	jumps  []clockJump   // the latest ones, oldest first
}

// clockJump is a jump of the database's clock.
type clockJump struct {
	before, after time.Time // the clock before it, at the latest look, and after it, when it was noticed
	by            time.Duration
}

// jumpsKept limits how many jumps a process remembers.
const jumpsKept = 32

// oldest returns the earliest moment, by the present clock, that a stored time of a start can mean; t if the clock has shown no such time. After a jump back the
// clock shows the same times once more.
func (c *clockWatch) oldest(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first time.Time
	since := time.Duration(0) // the sum of the jumps after the times that are looked at
	for i := len(c.jumps); i >= 0; i-- {
		if i < len(c.jumps) {
			since += c.jumps[i].by
			if t.After(c.jumps[i].after.Add(clockTolerance - c.jumps[i].by)) {
				continue // later than any time before this jump
			}
		}
		if i > 0 && t.Before(c.jumps[i-1].before.Add(c.jumps[i-1].by-clockTolerance)) {
			continue // earlier than any time after the jump before
		}
		if was := t.Add(since); first.IsZero() || was.Before(first) {
			first = was
		}
	}
	if first.IsZero() {
		return t
	}
	return first
}

// off returns by how much the database's clock has jumped since the latest look; 0 within the tolerance. The caller holds mu.
func (c *clockWatch) off(db, at time.Time) time.Duration {
	if c.db.IsZero() || at.Before(c.at) { // a look that overtook this one
		return 0
	}
	jump := db.Sub(c.db) - at.Sub(c.at)
	if jump.Abs() <= clockTolerance {
		return 0
	}
	return jump
}

// look returns what off returns, and remembers the moment. calm is false for calmFor after a jump.
func (c *clockWatch) look(db, at time.Time, calmFor time.Duration) (jump time.Duration, first, calm bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.db
	jump = c.off(db, at)
	if first = c.first.IsZero(); first {
		c.first = db
	}
	if !at.Before(c.at) {
		c.db, c.at = db, at
	}
	if jump != 0 {
		c.calm, c.jumped, c.by = at.Add(calmFor), db, jump
		c.jumps = append(c.jumps, clockJump{before: was, after: db, by: jump})
		c.jumps = c.jumps[max(0, len(c.jumps)-jumpsKept):]
	}
	return jump, first, !at.Before(c.calm)
}

// ClockIsCalm reports whether deadlines by the database's clock prove something: whether that clock has not jumped for one lease time. After a
// jump the leases of living runs look ended, or those of dead runs look new. Within one lease time every run that was under way ends, so no node
// takes an operation over until then. ClockIsCalm reports each jump once. After a jump back, also one before this process began, it makes
// operations due that would otherwise wait until the clock has caught up.
func (d *Driver) ClockIsCalm(ctx context.Context) (bool, error) {
	var db, at time.Time
	err := d.Store.View(ctx, func(r Reader) error { db, at = r.Now(), time.Now(); return nil })
	if err != nil {
		return false, err
	}
	jump, first, calm := d.clock.look(db, at, d.LeaseTime)
	if first {
		d.firstLook(ctx)
	}
	if jump == 0 {
		return calm, nil
	}
	d.Metrics.Alarm(alarm.ClockJump)
	d.Log.LogAttrs(ctx, slog.LevelError, "the clock has jumped; this node takes nothing over until a lease time has passed", slog.Duration("by", jump),
		slog.Duration("lease_time", d.LeaseTime))
	if jump < 0 {
		d.jumpedBack(ctx, func(tx Tx) error { return d.catchUp(tx, time.Time{}) })
	}
	return false, nil
}

// firstLook finds out whether the clock has jumped back before this process began: then a due time was written in the future. Due times from before
// payswitch stored that are judged by the longest wait that there is.
func (d *Driver) firstLook(ctx context.Context) {
	d.jumpedBack(ctx, func(tx Tx) error {
		last, err := tx.LastDueSet()
		if err == nil && last.After(tx.Now()) {
			err = d.catchUp(tx, tx.Now().Add(time.Millisecond))
		}
		if err != nil {
			return err
		}
		longest := min(evidence.ResolveDelay(payment.OperationUnknown, math.MaxInt32), d.ResolvePause)
		return tx.RecallOperations(Recall{DueBy: tx.Now().Add(longest + d.LeaseTime)}, payment.OperationStarted, payment.OperationUnknown)
	})
}

// catchUp makes open operations due within a lease time after a jump of the clock back. setSince is that of Recall.
func (d *Driver) catchUp(tx Tx, setSince time.Time) error {
	r := Recall{DueBy: tx.Now().Add(d.LeaseTime), SetSince: setSince}
	return tx.RecallOperations(r, payment.OperationStarted, payment.OperationUnknown, payment.OperationPending)
}

func (d *Driver) jumpedBack(ctx context.Context, correct func(tx Tx) error) {
	if err := d.Store.Update(ctx, correct); err != nil {
		d.Log.LogAttrs(ctx, slog.LevelError, "after a jump back, open operations wait until the clock has caught up", slog.Any("error", err))
	}
}

// keepDue moves the next look at an operation to the time that its tries allow. A later time is from before a jump of the clock back.
func (d *Driver) keepDue(op *payment.Operation, now time.Time) {
	if op.Unsent() && op.ResolveTries == 0 { // its first send may be put off for longer
		return
	}
	op.QueryBy(now.Add(evidence.ResolveDelay(op.Status, op.ResolveTries)))
	op.QueryBy(now.Add(d.ResolvePause))
}

// ClockHolds reports whether deadlines by the database's clock prove something in a transaction at db now: whether the clock has not jumped since the latest
// look, nor within one lease time before it. Another loop may have noticed a jump after the caller's look.
func (d *Driver) ClockHolds(db time.Time) bool { return d.clock.holds(db, time.Now()) }

func (c *clockWatch) holds(db, at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off(db, at) == 0 && !at.Before(c.calm)
}

// moved returns a stored time of a start or a send in terms of the clock after its latest jump. known is false for a time in the future: it is
// from before a jump that this process has not seen.
func (d *Driver) moved(t time.Time) (_ time.Time, known bool) {
	c, soon := &d.clock, d.Now().Add(d.LeaseTime+clockTolerance) // a send is stored up to one lease time ahead
	c.mu.Lock()
	defer c.mu.Unlock()
	if !t.IsZero() && (c.by > 0 && t.Before(c.jumped) || c.by < 0 && t.After(soon)) {
		t = t.Add(c.by)
	}
	return t, !t.After(soon)
}

// sentBy returns the moment, by the present clock, by which a send that was stored with time t had left.
func (d *Driver) sentBy(t time.Time) time.Time {
	moved, known := d.moved(t)
	if !known && !d.clock.began().IsZero() {
		return d.clock.began().Add(d.LeaseTime) // before this process began, so the lease has ended since
	}
	return moved
}

// age returns how long ago an operation began, or payment.AgeUnknown. One that can charge is as old as it can be: no customer is charged late.
func (d *Driver) age(op *payment.Operation) time.Duration {
	began, known := d.moved(op.StartedAt)
	if op.Charges() && d.clock.hasJumped() {
		if first := d.clock.oldest(op.StartedAt); first.Before(began) {
			began, known = first, true
		}
	}
	if !known {
		return evidence.AgeUnknown
	}
	return d.Now().Sub(began)
}

func (c *clockWatch) hasJumped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.jumps) > 0
}

// began returns the database's clock at the first look, zero before it.
func (c *clockWatch) began() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// holds counts the runs of this process by their operations. The zero value is ready.
type holds struct {
	mu   sync.Mutex
	runs map[string]int
}

// Held reports whether a run of this process works on an operation.
func (d *Driver) Held(operationID string) bool {
	d.held.mu.Lock()
	defer d.held.mu.Unlock()
	return d.held.runs[operationID] > 0
}

// Hold marks an operation as one that a run of this process works on, until end. first is false if another run does so already.
func (d *Driver) Hold(operationID string) (end func(), first bool) {
	h := &d.held
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs == nil {
		h.runs = map[string]int{}
	}
	h.runs[operationID]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.runs[operationID]--; h.runs[operationID] == 0 {
			delete(h.runs, operationID)
		}
	}, h.runs[operationID] == 1
}
