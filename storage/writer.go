package storage

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"payswitch/engine"
)

// ErrClosed is the error of all calls to a closed store.
var ErrClosed = errors.New("storage: closed")

// batchMax limits the number of callers in one commit, and so the time that the first of them waits for the others.
const batchMax = 256

// writer is the group commit: it owns the only connection that writes, and commits all waiting callers together.
//
// A closure that fails is rolled back alone. Most closures that fail have changed nothing, so no rollback is needed. Savepoints around all
// closures for the sake of the few others would cost a tenth more work. So the first closure that fails after a change makes the writer roll
// back the whole batch and run the rest again with savepoints. The writer keeps using savepoints until a batch passes without such a failure.
type writer struct {
	conn    *liteConn
	signer  *signer
	clock   func() time.Time
	observe func(batchSize int, took time.Duration)
	// afterCommit maintains the log file, outside of any transaction.
	afterCommit func()
	writes      sync.Pool // of *write: a write's channel belongs to the bubble of testing/synctest that made it, so each writer has a pool

	mu     sync.Mutex
	queue  []*write // handed over, but not begun
	closed bool
	wake   chan struct{} // 1: the queue is no longer empty, or closed was set
	done   chan struct{} // closed when the goroutine has ended

	// The fields below belong to the goroutine alone. They survive a goroutine that a closure has ended (runtime.Goexit).
	batch   []*write
	next    int // index of the first write of batch that has not run
	open    bool
	begun   time.Time
	careful bool // use savepoints
	dirty   bool // a closure of this batch failed after it had changed a row
}

// write is one caller's closure with its result.
type write struct {
	f    func(tx engine.Tx) error
	tx   tx
	err  error
	done chan struct{} // 1
}

func newWriter(c *liteConn, s *signer, clock func() time.Time, observe func(int, time.Duration), afterCommit func()) *writer {
	w := &writer{conn: c, signer: s, clock: clock, observe: observe, afterCommit: afterCommit, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w.writes.New = func() any { return &write{done: make(chan struct{}, 1)} }
	go w.run()
	return w
}

// do hands f over and waits until its writes are durable or rolled back.
func (w *writer) do(f func(tx engine.Tx) error) error {
	op := w.writes.Get().(*write)
	op.f, op.err = f, nil
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

// close finishes the writes that were handed over, and ends the goroutine.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.signal()
	<-w.done
}

func (w *writer) run() {
	finished := false
	defer func() {
		if finished {
			close(w.done)
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
func (w *writer) fill(wait bool) bool {
	for {
		w.mu.Lock()
		n := min(len(w.queue), batchMax-len(w.batch))
		w.batch = append(w.batch, w.queue[:n]...)
		rest := copy(w.queue, w.queue[n:])
		clear(w.queue[rest:])
		w.queue = w.queue[:rest]
		closed := w.closed
		w.mu.Unlock()
		if w.next < len(w.batch) || w.open {
			return w.next < len(w.batch) || wait
		}
		if closed || !wait {
			return false
		}
		<-w.wake
	}
}

// commitBatch runs the batch, and the callers that arrive in the meantime, in one transaction and commits it.
func (w *writer) commitBatch() {
	c := w.conn
	if !w.open {
		w.begun = time.Now()
		if err := w.begin(); err != nil {
			w.finish(err)
			return
		}
	}
	for c.broken == nil {
		if w.dirty && !w.careful {
			if err := w.startOver(); err != nil {
				w.finish(err)
				return
			}
		}
		if !w.fill(false) {
			break
		}
		op := w.batch[w.next]
		w.next++
		if op.err == nil { // in a second run, a failed closure already has its error
			w.apply(op)
		}
	}
	err := c.broken
	if err == nil {
		_, err = c.exec("COMMIT")
	}
	if err != nil {
		c.exec("ROLLBACK") // fails if SQLite has already rolled back
		err = fmt.Errorf("commit: %w", err)
	}
	w.finish(err)
}

func (w *writer) begin() error {
	w.conn.broken = nil
	if _, err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	w.open = true
	return nil
}

// startOver rolls the batch back and begins it again, with savepoints.
func (w *writer) startOver() error {
	if _, err := w.conn.exec("ROLLBACK"); err != nil {
		return fmt.Errorf("undo transaction: %w", err)
	}
	for _, op := range w.batch[:w.next] {
		op.tx.undo()
	}
	w.next, w.careful = 0, true
	return w.begin()
}

// finish answers the callers of the batch. If the transaction failed, err goes to all callers without an error of their own.
func (w *writer) finish(err error) {
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
	w.batch, w.next, w.open = w.batch[:0], 0, false
	w.careful, w.dirty = w.dirty, false
	w.afterCommit()
}

// apply runs one closure.
func (w *writer) apply(op *write) {
	op.tx.s, op.tx.now, op.tx.wrote, op.tx.signer = w.conn, wholeMillis(w.clock()), false, w.signer.now()
	if w.careful {
		if _, op.err = w.conn.exec("SAVEPOINT op"); op.err != nil {
			w.conn.broken = op.err
			return
		}
	}
	returned := false
	defer func() {
		if !returned {
			op.err = errors.New("storage: the function of a transaction ended its goroutine")
			if v := recover(); v != nil {
				op.err = fmt.Errorf("storage: panic in a transaction: %v\n%s", v, debug.Stack())
			}
		}
		if op.err != nil {
			op.tx.undo()
			w.dirty = w.dirty || op.tx.wrote
		}
		if w.careful {
			w.release(op)
		}
	}()
	op.err = op.f(&op.tx)
	returned = true
}

// release ends the savepoint of a closure, and rolls it back if the closure failed. If that fails, the whole transaction is broken.
func (w *writer) release(op *write) {
	var err error
	if op.err != nil {
		_, err = w.conn.exec("ROLLBACK TO op")
	}
	if err == nil {
		_, err = w.conn.exec("RELEASE op")
	}
	if err != nil && w.conn.broken == nil {
		w.conn.broken = err
	}
}

// wholeMillis returns t as the database has it.
func wholeMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
