package drive

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// clockTolerance is the difference between the database's clock and this process's monotonic clock, from one look to the next. Above it the
// database's clock has jumped. Clock synchronization moves a clock far more slowly.
const clockTolerance = 5 * time.Second

// clockWatch compares the database's clock, which deadlines are read from, with the monotonic clock of this process. The zero value is ready. It is
// safe for concurrent use.
type clockWatch struct {
	mono func() time.Time // nil: time.Now

	mu      sync.Mutex
	db      time.Time     // the database's clock at the latest look; zero before the first
	at      time.Time     // the same moment by the monotonic clock
	calm    time.Time     // by the monotonic clock; until then deadlines prove nothing
	jumps   []clockJump   // the latest ones, oldest first
	dropped bool          // jumps before them
	earlier time.Time     // the latest jump that was noticed before this process first looked, by the monotonic clock; zero without one
	back    time.Duration // by how much the clock jumped back before this process first looked, at most
	checked bool          // the due times from before this process were checked
	unnoted []clockJump   // jumps that the database does not know of yet
	met     map[storedSend]time.Time
}

// moment returns the present time with its monotonic reading.
func (c *clockWatch) moment() time.Time {
	if c.mono == nil {
		return time.Now()
	}
	return c.mono()
}

// clockJump is a jump of the database's clock.
type clockJump struct {
	before, after time.Time // the clock before it, at the latest look, and after it, when it was noticed
	by            time.Duration
}

// storedSend is a time of a send that no clock explains which this process has seen. clockWatch.met has the first look at it, by the monotonic clock.
type storedSend struct {
	operationID string
	at          int64
}

// Limits of what a process remembers.
const (
	jumpsKept = 256
	metKept   = 100_000
)

// span returns the earliest and the latest moment, by the present clock, that a stored time can mean. After a jump back the clock shows the same times
// once more. ahead is by how much the time may have been in the future when it was stored. soon is the latest time that can have been stored by now.
// known is false if this process has seen no clock that explains the time.
func (c *clockWatch) span(t time.Time, ahead time.Duration, soon time.Time) (first, last time.Time, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	since := time.Duration(0) // the sum of the jumps after the stretch between two jumps that is looked at
	for i := len(c.jumps); i >= 0; i-- {
		end := soon
		if i < len(c.jumps) {
			since += c.jumps[i].by
			end = c.jumps[i].after.Add(clockTolerance + ahead - c.jumps[i].by)
		}
		switch {
		case t.After(end): // later than any time of this stretch
			continue
		case i > 0 && t.Before(c.jumps[i-1].before.Add(c.jumps[i-1].by-clockTolerance)): // earlier than any time of this stretch
			continue
		case i == 0 && c.dropped: // perhaps before jumps that are forgotten
			return time.Time{}, time.Time{}, false
		}
		was := t.Add(since)
		if !known || was.Before(first) {
			first = was
		}
		if !known || was.After(last) {
			last = was
		}
		known = true
	}
	return first, last, known && !last.After(soon)
}

// begin is the first look. A note from the future shows that the clock has jumped back since: a moment ago, for all that is known.
func (c *clockWatch) begin(noted NotedJump, db, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.db, c.at = db, at
	if !noted.At.IsZero() {
		c.earlier, c.back = at.Add(min(0, noted.At.Sub(db))), noted.Back+max(0, noted.At.Sub(db))
	}
}

// now returns the database's clock at the latest look and the time since by the monotonic clock. Before the first look it is zero.
func (c *clockWatch) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db.IsZero() {
		return time.Time{}
	}
	return c.db.Add(c.moment().Sub(c.at))
}

// sinceEarlier returns how long ago the clock jumped before this process first looked, and by how much it has jumped back at most. is is false if no such jump
// is known.
func (c *clockWatch) sinceEarlier() (d, back time.Duration, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moment().Sub(c.earlier), c.back, !c.earlier.IsZero()
}

// exchangeUnnoted returns the jumps that the database does not know of yet, and keeps jumps in their place.
func (c *clockWatch) exchangeUnnoted(jumps ...clockJump) []clockJump {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.unnoted
	c.unnoted = jumps
	return was
}

// firstMet returns when this process first looked at the time of a send that no clock explains: now, or earlier.
func (c *clockWatch) firstMet(s storedSend) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, is := c.met[s]
	if !is {
		if c.met == nil || len(c.met) >= metKept { // without its entry a send counts as met now: its wait begins anew
			c.met = map[storedSend]time.Time{}
		}
		at = c.moment()
		c.met[s] = at
	}
	return at
}

// uncheck makes the next look the first one again.
func (c *clockWatch) uncheck() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked = false
}

// off returns by how much the database's clock has jumped at least since the latest look; 0 within the tolerance. That clock was read between from and at.
// The caller holds mu.
func (c *clockWatch) off(db, from, at time.Time) time.Duration {
	if c.db.IsZero() || at.Before(c.at) { // a look that overtook this one
		return 0
	}
	least := db.Sub(c.db) - at.Sub(c.at)
	switch most := least + at.Sub(from); {
	case least > clockTolerance:
		return least
	case most < -clockTolerance:
		return most
	}
	return 0
}

// look returns what off returns, and remembers the moment. first is true once: nothing has checked the due times yet. calm is false for calmFor after a jump.
// A look that took long says less of the time than an earlier one.
func (c *clockWatch) look(db, from, at time.Time, calmFor time.Duration) (jump time.Duration, first, calm bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.db
	jump, first, c.checked = c.off(db, from, at), !c.checked, true
	if jump != 0 || !at.Before(c.at) && at.Sub(from) <= slowLook {
		c.db, c.at = db, at
	}
	if jump != 0 {
		c.calm = at.Add(calmFor)
		j := clockJump{before: was, after: db, by: jump}
		c.jumps, c.unnoted = append(c.jumps, j), append(c.unnoted, j)
		if over := len(c.jumps) - jumpsKept; over > 0 {
			c.jumps, c.dropped = slices.Clone(c.jumps[over:]), true
		}
	}
	return jump, first, !at.Before(c.calm)
}

// slowLook is how long a look may take that sets the time of StoreNow.
const slowLook = time.Second

// BeginClock looks at the database's clock for the first time. StoreNow needs it. After slow looks it looks again, and the quickest counts.
func (d *Driver) BeginClock(ctx context.Context) error {
	quickest := time.Duration(math.MaxInt64)
	for try := 0; try < 5 && quickest > slowLook; try++ {
		from := d.clock.moment()
		err := d.Store.View(ctx, func(r Reader) error {
			db, at := r.Now(), d.clock.moment()
			jumped, err := r.LastJump()
			if took := at.Sub(from); err == nil && took < quickest {
				quickest = took
				d.clock.begin(jumped, db, at)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// StoreNow returns the present time by the database's clock, in UTC. All nodes share that clock, and the clock of a node's machine may be wrong. So the times of
// sends, and what is decided by them, are by StoreNow. It needs no transaction: it adds the time since the latest look by the monotonic clock. A jump of the
// database's clock shows at the next look.
func (d *Driver) StoreNow() time.Time { return d.clock.now().UTC() }

// LeaseEnd returns the end of a lease that begins now, by the node's own clock.
func (d *Driver) LeaseEnd() time.Time { return d.Now().Add(d.LeaseTime) }

// ClockIsCalm reports whether deadlines by the database's clock prove something: whether that clock has not jumped for one lease time. After a
// jump the leases of living runs look ended, or those of dead runs look new. Within one lease time every run that was under way ends, so no node
// takes an operation over until then. ClockIsCalm reports each jump once. After a jump back, also one before this process began, it makes
// operations due that would otherwise wait until the clock has caught up.
func (d *Driver) ClockIsCalm(ctx context.Context) (bool, error) {
	var db, at time.Time
	from := d.clock.moment()
	if err := d.Store.View(ctx, func(r Reader) error { db, at = r.Now(), d.clock.moment(); return nil }); err != nil {
		return false, err
	}
	jump, first, calm := d.clock.look(db, from, at, d.LeaseTime)
	if first {
		d.firstLook(ctx)
	}
	if jump == 0 {
		d.noteJumps(ctx)
		return calm, nil
	}
	d.Metrics.Alarm(alarm.ClockJump)
	d.Log.LogAttrs(ctx, slog.LevelError, "the clock has jumped; this node takes nothing over until a lease time has passed", slog.Duration("by", jump),
		slog.Duration("lease_time", d.LeaseTime))
	d.noteJumps(ctx)
	return false, nil
}

// isNoted reports whether another node has noted the jump at now: since the look before it, and in full.
func (j *clockJump) isNoted(noted NotedJump, now time.Time) bool {
	return !noted.At.Before(j.before.Add(j.by)) && !noted.At.After(now) && noted.Back >= -j.by
}

// noteJumps notes jumps of the clock for processes that start later. A jump that cannot be noted is noted after a later look.
func (d *Driver) noteJumps(ctx context.Context) {
	jumps := d.clock.exchangeUnnoted()
	if len(jumps) == 0 {
		return
	}
	done := d.correct(ctx, func(tx Tx) error {
		noted, err := tx.LastJump()
		if err != nil {
			return err
		}
		back := false
		for _, j := range jumps {
			back = back || j.by < 0
			if len(jumps) == 1 && j.isNoted(noted, tx.Now()) {
				j.by = 0 // only its time
			}
			if err := tx.NoteJump(j.by); err != nil {
				return err
			}
		}
		if !back {
			return nil
		}
		return d.catchUp(tx, time.Time{})
	})
	if !done {
		d.clock.exchangeUnnoted(append(d.clock.exchangeUnnoted(), jumps...)...)
	}
}

// firstLook finds out whether the clock has jumped back before this process began: then a due time was written in the future. Due times from before
// payswitch stored that are judged by the longest wait that there is.
func (d *Driver) firstLook(ctx context.Context) {
	done := d.correct(ctx, func(tx Tx) error {
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
	if !done {
		d.clock.uncheck()
	}
}

// catchUp makes open operations due within a lease time after a jump of the clock back. setSince is that of Recall.
func (d *Driver) catchUp(tx Tx, setSince time.Time) error {
	r := Recall{DueBy: tx.Now().Add(d.LeaseTime), SetSince: setSince}
	return tx.RecallOperations(r, payment.OperationStarted, payment.OperationUnknown, payment.OperationPending)
}

// correct reports whether the change was made.
func (d *Driver) correct(ctx context.Context, change func(tx Tx) error) bool {
	err := d.Store.Update(ctx, change)
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelError, "a jump of the clock is not noted yet; it is tried again. After a jump back, open operations wait until then",
			slog.Any("error", err))
	}
	return err == nil
}

// KeepDue moves the next look at an operation to the time that its tries allow at now, by the database's clock. A later time is from before a jump of that
// clock back, or from a node whose own clock is ahead.
func (d *Driver) KeepDue(op *payment.Operation, now time.Time) {
	if op.Unsent() && op.ResolveTries == 0 { // its first send may be put off for longer
		return
	}
	op.QueryBy(now.Add(evidence.ResolveDelay(op.Status, op.ResolveTries)))
	op.QueryBy(now.Add(d.ResolvePause))
}

// ClockHolds reports whether deadlines by the database's clock prove something in a transaction at db now: whether the clock has not jumped since the latest
// look, nor within one lease time before it. Another loop may have noticed a jump after the caller's look.
func (d *Driver) ClockHolds(db time.Time) bool { return d.clock.holds(db, d.clock.moment()) }

func (c *clockWatch) holds(db, at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off(db, at, at) == 0 && !at.Before(c.calm)
}

// sentBy returns the moment, by the present clock, by which a send had left whose operation has time t for it. A time that can mean several moments means the
// latest. One that no clock explains was stored before this process looked at it, and its lease has ended one lease time later. Of a jump before this process
// began no more is known than when it was: what was sent before it counts from then.
func (d *Driver) sentBy(operationID string, t time.Time) time.Time {
	now := d.StoreNow()
	_, sent, known := d.clock.span(t, d.LeaseTime, now.Add(d.LeaseTime+clockTolerance))
	if !known {
		return now.Add(d.LeaseTime - d.clock.moment().Sub(d.clock.firstMet(storedSend{operationID, t.UnixMilli()})))
	}
	if since, _, is := d.clock.sinceEarlier(); is {
		if jumped := now.Add(d.LeaseTime - since); sent.Before(jumped) {
			return jumped
		}
	}
	return sent
}

// age returns how long ago an operation began, or payment.AgeUnknown. An operation is as old as it can be: no customer is charged late, and no key is used
// that the processor has forgotten.
func (d *Driver) age(op *payment.Operation) time.Duration {
	now := d.StoreNow()
	first, _, known := d.clock.span(op.StartedAt, 0, now.Add(d.LeaseTime+clockTolerance))
	if !known {
		return evidence.AgeUnknown
	}
	if since, back, is := d.clock.sinceEarlier(); is && !first.After(now.Add(back-since)) { // perhaps from before a jump back
		first = first.Add(-back)
	}
	return now.Sub(first)
}

// AskNow begins a query about an operation. It returns the present time by the database's clock, the time from which "not found" is final, and whether it is
// final now. A clock that jumps at this very moment makes nothing final.
func (d *Driver) AskNow(ctx context.Context, op *payment.Operation, rule sdk.ResolveRule) (asked, from time.Time, final bool, err error) {
	before, at := d.StoreNow(), d.clock.moment()
	if _, err := d.ClockIsCalm(ctx); err != nil { // a jump must not make "it did not happen" believable
		return asked, from, false, fault.Internal(err, "read the clock")
	}
	asked, from = d.StoreNow(), d.Timing().NotFoundFinal(op, rule)
	jump := asked.Sub(before) - d.clock.moment().Sub(at)
	return asked, from, !asked.Before(from) && jump.Abs() <= clockTolerance, nil
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
