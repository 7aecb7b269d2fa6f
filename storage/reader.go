package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payswitch/engine"
)

// readers is the pool of read-only connections.
type readers struct {
	path string
	busy time.Duration
	idle chan *liteConn
	quit chan struct{}
	size int
	// signer checks the rows that are read.
	signer *signer
	clock  func() time.Time
}

func openReaders(path string, busy time.Duration, size int, s *signer, clock func() time.Time) (*readers, error) {
	r := &readers{path: path, busy: busy, idle: make(chan *liteConn, size), quit: make(chan struct{}), size: size, signer: s, clock: clock}
	for range size {
		c, err := openLite(path, busy, "query_only(1)")
		if err != nil {
			for range len(r.idle) {
				err = errors.Join(err, (<-r.idle).close())
			}
			return nil, err
		}
		r.idle <- c
	}
	return r, nil
}

// view runs f in a read transaction. SQLite takes the snapshot at the first read.
func (r *readers) view(ctx context.Context, f func(engine.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *liteConn
	select {
	case <-r.quit: // checked first, because both channels may be ready
		return ErrClosed
	default:
	}
	select {
	case c = <-r.idle:
	case <-ctx.Done():
		return ctx.Err()
	case <-r.quit:
		return ErrClosed
	}
	defer func() { r.idle <- c }() // also if f panics, after the transaction has ended
	if _, err := c.exec("BEGIN DEFERRED"); err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	defer c.exec("ROLLBACK") // there is nothing to commit
	t := &tx{s: c, now: wholeMillis(r.clock()), signer: r.signer.now()}
	defer func() { t.s = nil }() // a reader that f kept then fails, and does not read in another transaction
	return f(t)
}

// close waits for the views under way and closes their connections.
func (r *readers) close() {
	close(r.quit)
	for range r.size {
		(<-r.idle).close()
	}
}

// pause takes all connections out of the pool, so that no view reads; resume puts them back. If that takes longer than limit, pause puts back
// the connections that it has and returns false.
func (r *readers) pause(limit time.Duration) (resume func(), ok bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var held []*liteConn
	resume = func() {
		for _, c := range held {
			r.idle <- c
		}
	}
	for len(held) < r.size {
		select {
		case c := <-r.idle:
			held = append(held, c)
		case <-timer.C:
			resume()
			return nil, false
		}
	}
	return resume, true
}
