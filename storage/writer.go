package storage

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"payswitch/engine"
)

// ErrClosed is what a closed store answers.
var ErrClosed = errors.New("storage: closed")

// batchMax bounds how many callers one commit serves, and so how long the first of them waits for the others.
const batchMax = 256

// writer is group commit: it owns the only connection that writes, and commits together all callers that wait.
//
// A closure that fails is undone alone. Most that fail have changed nothing, so there is nothing to undo; a savepoint round every
// closure for the few others costs a tenth of the work. So the first of them in a batch undoes it all, and the rest of the batch is
// run again, this time, and in the following batches until one passes without such a failure, with savepoints.
type writer struct {
	conn    *liteConn
	signer  *signer
	observe func(batchSize int, took time.Duration)
	// afterCommit looks after the log file, outside any transaction.
	afterCommit func()

	mu     sync.Mutex
	queue  []*write // handed over, not begun
	closed bool
	wake   chan struct{} // 1: the queue is no longer empty, or closed was set
	done   chan struct{} // closed when the goroutine has ended

	// What follows belongs to the goroutine alone. It outlives a goroutine that a closure ended (runtime.Goexit).
	batch   []*write
	next    int // the first of batch that has not been run
	open    bool
	begun   time.Time
	careful bool // with savepoints
	dirty   bool // a closure of this batch failed after it had changed something
}

// write is one caller's closure and what came of it.
type write struct {
	f    func(tx engine.Tx) error
	tx   tx
	err  error
	done chan struct{} // 1
}

var writes = sync.Pool{New: func() any { return &write{done: make(chan struct{}, 1)} }}

func newWriter(c *liteConn, s *signer, observe func(int, time.Duration), afterCommit func()) *writer {
	w := &writer{conn: c, signer: s, observe: observe, afterCommit: afterCommit, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go w.run()
	return w
}

// do hands f over and waits until it is durable or undone.
func (w *writer) do(f func(tx engine.Tx) error) error {
	op := writes.Get().(*write)
	op.f, op.err = f, nil
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		writes.Put(op)
		return ErrClosed
	}
	w.queue = append(w.queue, op)
	w.mu.Unlock()
	w.signal()
	<-op.done
	err := op.err
	clear(op.tx.raised)
	op.f, op.tx = nil, tx{raised: op.tx.raised[:0], row: op.tx.row[:0]} // a closure that kept its tx fails at once
	writes.Put(op)
	return err
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// close lets what was handed over finish and ends the goroutine.
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
			go w.run() // a closure ended this goroutine (t.FailNow does that); its caller has its error, the others wait
		}
	}()
	for w.fill(true) {
		w.commitBatch()
	}
	finished = true
}

// fill moves waiting callers into the batch as far as there is room. It waits for the first when there is none and wait is set, and
// returns false when there is nobody (and never will be, if it waited).
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

// commitBatch runs the batch and whoever comes meanwhile in one transaction and commits it.
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
		if op.err == nil { // it has one when the batch is run again
			w.apply(op)
		}
	}
	err := c.broken
	if err == nil {
		_, err = c.exec("COMMIT")
	}
	if err != nil {
		c.exec("ROLLBACK") // fails when SQLite has done so already
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

// startOver undoes the batch and begins it again, with savepoints.
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

// finish answers the batch: err, if the transaction came to nothing, goes to all that did not fail on their own.
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
	op.tx.s, op.tx.now, op.tx.wrote, op.tx.signer = w.conn, clock(), false, w.signer.now()
	if w.careful {
		if _, op.err = w.conn.exec("SAVEPOINT op"); op.err != nil {
			w.conn.broken = op.err
			return
		}
	}
	returned := false
	defer func() {
		if !returned {
			op.err = errors.New("storage: a transaction's function ended its goroutine")
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

// release ends the savepoint of a closure, undoing it if it failed. When that does not work the transaction is not what it should be.
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

// clock is SQLite's clock, which is the host's.
func clock() time.Time { return time.UnixMilli(time.Now().UnixMilli()).UTC() }
