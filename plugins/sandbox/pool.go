package sandbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pool lends out the instances of a module, at most as many as there are slots, the most recently used first.
type pool struct {
	slots  chan struct{} // holds a token for every instance that is lent
	closed chan struct{}
	once   sync.Once
	waited atomic.Int64 // nanoseconds

	mu   sync.Mutex
	idle []*instance
}

func newPool(size int) *pool {
	return &pool{slots: make(chan struct{}, size), closed: make(chan struct{})}
}

// acquire waits for a slot. After it, take and put are allowed until release.
func (p *pool) acquire(ctx context.Context) error {
	select {
	case <-p.closed:
		return ErrClosed
	case p.slots <- struct{}{}:
	default:
		began := time.Now()
		defer func() { p.waited.Add(int64(time.Since(began))) }()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.closed:
			return ErrClosed
		case p.slots <- struct{}{}:
		}
	}
	select {
	case <-p.closed: // both were ready: closing comes first
		p.release()
		return ErrClosed
	default:
		return nil
	}
}

func (p *pool) release() { <-p.slots }

// take returns an idle instance, or nil.
func (p *pool) take() *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	in := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	return in
}

func (p *pool) put(in *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, in)
}

// occupy takes all slots if nobody has one, without waiting, and says whether it did.
func (p *pool) occupy() bool {
	for n := range cap(p.slots) {
		select {
		case p.slots <- struct{}{}:
		default:
			for range n {
				p.release()
			}
			return false
		}
	}
	return true
}

// leave gives back what occupy took.
func (p *pool) leave() {
	for range cap(p.slots) {
		p.release()
	}
}

// shut refuses all further callers.
func (p *pool) shut() { p.once.Do(func() { close(p.closed) }) }

// drain waits until nothing is lent and closes the instances. The pool must be shut.
func (p *pool) drain() {
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for in := p.take(); in != nil; in = p.take() {
		in.close()
	}
}
