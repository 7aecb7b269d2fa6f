package storage

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"payswitch/engine"
)

// ErrClosed is the error of all calls to a closed store.
var ErrClosed = errors.New("storage: closed")

// batchMax limits the number of callers in one commit, and so the time that the first of them waits for the others.
const batchMax = 256

// writer is the group commit: its workers own the connections that write, and each commits all waiting callers together. SQLite has one worker,
// PostgreSQL several.
//
// A closure that fails is rolled back alone. Most closures that fail have changed nothing, so no rollback is needed. Savepoints around all
// closures for the sake of the few others would cost a tenth more work. So the first closure that fails after a change makes the worker roll
// back the whole batch and run the rest again. One worker alone then uses savepoints until a batch passes without such a failure. Several
// workers use savepoints for the closures that need them.
type writer struct {
	signer  *signer
	observe func(batchSize int, took time.Duration)
	// afterCommit runs outside of any transaction; nil: nothing runs. SQLite maintains its log file there.
	afterCommit func()
	writes      sync.Pool // of *write: a write's channel belongs to the bubble of testing/synctest that made it, so each writer has a pool
	batchMax    int

	mu     sync.Mutex
	queue  []*write // handed over, but not begun
	closed bool
	all    []*worker
	wake   chan struct{} // 1: the queue is no longer empty, or closed was set

	workers sync.WaitGroup
}

// writeConn is a worker's connection.
type writeConn interface {
	session
	// begin begins a transaction and forgets the failure of the one before.
	begin() error
	// check returns once the database has answered all statements. Afterwards again and failure are up to date.
	check()
	// commit returns nil once the transaction is durable.
	commit() error
	rollback() error
	// enter names the closure that runs next. With careful the closure has a savepoint, and its statements are answered by the database alone.
	enter(op *write, careful bool) error
	// leave ends the closure's savepoint, and rolls it back if undo is true.
	leave(undo bool) error
	// now returns the database's clock.
	now() time.Time
	// failure returns an error after which the transaction cannot be committed.
	failure() error
	// again reports that the batch must run again, because the connection answered a statement before the database did, and wrongly. The caller of
	// that statement then runs with savepoints and waits for each answer.
	again() bool
	// retry reports whether the batch may run again after err, which came up the given number of times in a row since began. It waits before it
	// returns true.
	retry(err error, times int, began time.Time) bool
}

// worker runs batches on one connection. Its fields belong to its goroutine alone. They survive a goroutine that a closure has ended
// (runtime.Goexit).
type worker struct {
	*writer
	conn    writeConn
	several bool      // there may be other workers, also in other processes
	since   time.Time // when the worker took its batch, zero without one; guarded by writer.mu
	batch   []*write
	next    int // index of the first write of batch that has not run
	open    bool
	begun   time.Time
	careful bool      // use savepoints for all
	dirty   bool      // a closure of this batch failed after it had changed a row
	undone  int       // how often this batch was rolled back to run again
	failed  int       // how often in a row a batch failed, and may run again
	first   time.Time // the begin of the first of them
	alone   bool      // the batch takes no further callers
	last    int       // the number of callers in the batch before
}

// write is one caller's closure with its result.
type write struct {
	f       func(tx engine.Tx) error
	tx      tx
	err     error
	careful bool          // this write needs a savepoint and the database's own answers
	done    chan struct{} // 1
}

func newWriter(s *signer, observe func(int, time.Duration), afterCommit func(), batchMax int) *writer {
	w := &writer{signer: s, observe: observe, afterCommit: afterCommit, batchMax: batchMax, wake: make(chan struct{}, 1)}
	w.writes.New = func() any { return &write{done: make(chan struct{}, 1)} }
	return w
}

// start adds a worker.
func (w *writer) start(c writeConn, several bool) {
	w.workers.Add(1)
	k := &worker{writer: w, conn: c, several: several}
	w.mu.Lock()
	w.all = append(w.all, k)
	w.mu.Unlock()
	go k.run()
}

// do hands f over and waits until its writes are durable or rolled back.
func (w *writer) do(f func(tx engine.Tx) error) error {
	op := w.writes.Get().(*write)
	op.f, op.err, op.careful = f, nil, false
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		w.writes.Put(op)
		return ErrClosed
	}
	w.queue = append(w.queue, op)
	w.mu.Unlock()
	w.signal()
	<-op.done
	err := op.err
	clear(op.tx.raised)
	op.f, op.tx = nil, tx{raised: op.tx.raised[:0], row: op.tx.row[:0]} // a closure that kept its tx fails at once
	w.writes.Put(op)
	return err
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// close finishes the writes that were handed over, and ends the workers.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.signal()
	w.workers.Wait()
}

func (w *worker) run() {
	finished := false
	defer func() {
		if finished {
			w.workers.Done()
		} else {
			go w.run() // a closure ended this goroutine (t.FailNow does that); its caller has its error, the other callers wait
		}
	}()
	for w.fill(true) {
		w.commitBatch()
	}
	finished = true
}

// fill moves waiting callers into the batch, up to its limit. If wait is true and no caller waits, fill blocks until the first one. It
// returns false if the batch is complete or, with wait, if the writer is closed.
func (w *worker) fill(wait bool) bool {
	for {
		w.mu.Lock()
		if wait && w.next == len(w.batch) && !w.open {
			w.since = time.Time{}
			if w.holdsBack() {
				w.mu.Unlock()
				w.pause()
				continue
			}
		}
		n := 0
		if !w.alone || len(w.batch) == 0 {
			n = min(len(w.queue), w.batchMax-len(w.batch))
		}
		w.batch = append(w.batch, w.queue[:n]...)
		rest := copy(w.queue, w.queue[n:])
		clear(w.queue[rest:])
		w.queue = w.queue[:rest]
		closed := w.closed
		if n > 0 && w.since.IsZero() && w.several {
			w.since = time.Now()
		}
		w.mu.Unlock()
		if rest > 0 || closed {
			w.signal() // another worker
		}
		if w.next < len(w.batch) || w.open {
			return w.next < len(w.batch) || wait
		}
		if closed || !wait {
			return false
		}
		<-w.wake
	}
}

const (
	// fullBatch is the number of waiting callers that a further worker takes at once. Small batches cost the database more for each caller.
	fullBatch = 16
	// slowBatch is how long a batch usually takes at most: a worker that takes longer waits for a lock, or for the network.
	slowBatch = 10 * time.Millisecond
)

// holdsBack reports whether the worker leaves few callers to two workers that are about to finish their batches. The caller holds mu.
func (w *worker) holdsBack() bool {
	if !w.several || w.closed || len(w.queue) == 0 || len(w.queue) >= fullBatch {
		return false
	}
	soon := 0
	for _, other := range w.all {
		if !other.since.IsZero() && time.Since(other.since) < slowBatch {
			soon++
		}
	}
	return soon >= 2
}

// pause waits for a further caller, or for as long as a batch takes.
func (w *worker) pause() {
	timer := time.NewTimer(slowBatch)
	defer timer.Stop()
	select {
	case <-w.wake:
	case <-timer.C:
	}
}

// Under load a worker lets ready goroutines run before it commits, mostYields times: they hand over further callers, which then share the commit. After
// a batch of fewer than largeBatch callers the worker commits at once, because the callers that it has would only wait.
const (
	largeBatch = 8
	mostYields = 4
)

// commitBatch runs the batch, and the callers that arrive in the meantime, in one transaction and commits it.
func (w *worker) commitBatch() {
	err := w.runBatch()
	if err == nil {
		if err = w.conn.commit(); err != nil {
			err = fmt.Errorf("commit: %w", err)
		}
	}
	if err != nil {
		if w.open {
			w.conn.rollback() // fails if the database has already rolled back
		}
		if w.failed++; w.failed == 1 {
			w.first = w.begun
		}
		if w.conn.retry(err, w.failed, w.first) {
			w.runAgain()
			return
		}
	}
	w.finish(err)
}

// runBatch begins the transaction and runs the closures in it.
func (w *worker) runBatch() error {
	c := w.conn
	if !w.open {
		w.begun = time.Now()
		if err := w.begin(); err != nil {
			return err
		}
	}
	for yields := 0; c.failure() == nil; {
		if c.again() || w.dirty && !w.careful {
			if err := w.startOver(); err != nil {
				return err
			}
		}
		if !w.fill(false) {
			if w.last >= largeBatch && yields < mostYields {
				yields++
				runtime.Gosched()
				continue
			}
			if c.check(); c.again() {
				continue
			}
			break
		}
		op := w.batch[w.next]
		w.next++
		if op.err == nil { // in a second run, a failed closure already has its error
			w.apply(op)
		}
	}
	return c.failure()
}

func (w *worker) begin() error {
	if err := w.conn.begin(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	w.open = true
	return nil
}

// manyUndone is the number of times that a batch starts over before all of its closures are careful.
const manyUndone = 3

// startOver rolls the batch back and begins it again. After wrong answers every closure runs again, because its error may come from them.
func (w *worker) startOver() error {
	again := w.conn.again()
	if err := w.conn.rollback(); err != nil {
		return fmt.Errorf("undo transaction: %w", err)
	}
	for _, op := range w.batch[:w.next] {
		op.tx.undo()
		if again {
			op.err = nil
		}
	}
	w.undone++
	w.next, w.open = 0, false
	if w.careful = !w.several || w.undone >= manyUndone; w.several {
		w.dirty = false
	}
	return w.begin()
}

// runAgain prepares the batch for another run. From the second failure on, callers run one by one: the others go back to the queue.
func (w *worker) runAgain() {
	for _, op := range w.batch {
		op.tx.undo()
		op.err = nil
	}
	w.next, w.open, w.dirty, w.careful, w.undone = 0, false, false, false, 0
	if w.failed > 1 && len(w.batch) > 1 {
		w.mu.Lock()
		w.queue = append(w.batch[1:len(w.batch):len(w.batch)], w.queue...)
		w.mu.Unlock()
		w.batch, w.alone = []*write{w.batch[0]}, true
		w.signal()
	}
}

// finish answers the callers of the batch. If the transaction failed, err goes to all callers without an error of their own.
func (w *worker) finish(err error) {
	if err == nil && w.observe != nil {
		w.observe(len(w.batch), time.Since(w.begun))
	}
	for i, op := range w.batch {
		if err != nil && op.err == nil {
			op.err = err
			op.tx.undo()
		}
		op.done <- struct{}{}
		w.batch[i] = nil
	}
	w.last = len(w.batch)
	w.batch, w.next, w.open = w.batch[:0], 0, false
	w.careful, w.dirty = w.dirty && !w.several, false
	w.undone, w.failed, w.alone = 0, 0, false
	if w.afterCommit != nil {
		w.afterCommit()
	}
}

// apply runs one closure.
func (w *worker) apply(op *write) {
	careful := w.careful || op.careful
	if op.err = w.conn.enter(op, careful); op.err != nil {
		return
	}
	op.tx.s, op.tx.now, op.tx.wrote, op.tx.signer = w.conn, wholeMillis(w.conn.now()), false, w.signer.now()
	returned := false
	defer func() {
		if !returned {
			op.err = errors.New("storage: the function of a transaction ended its goroutine")
			if v := recover(); v != nil {
				op.err = fmt.Errorf("storage: panic in a transaction: %v\n%s", v, debug.Stack())
			}
		}
		if op.err != nil {
			w.conn.check() // the error may come from an answer that was wrong
			op.tx.undo()
			w.dirty = w.dirty || op.tx.wrote && !(careful && w.several)
		}
		if careful {
			w.conn.leave(op.err != nil)
		}
	}()
	op.err = op.f(&op.tx)
	returned = true
}

// wholeMillis returns t as the database has it.
func wholeMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
