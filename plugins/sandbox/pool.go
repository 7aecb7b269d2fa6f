package sandbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pool lends the instances of a module, the most recently used first, and at most as many as it has slots. It is safe for
// concurrent use.
type pool struct {
	slots  chan struct{} // holds a token for every lent instance
	queue  chan struct{} // holds a token for every patient caller that has one, or waits for a slot
	closed chan struct{}
	once   sync.Once
	waited atomic.Int64 // nanoseconds that callers waited

	mu   sync.Mutex
	idle []*instance
}

func newPool(size int) *pool {
	return &pool{slots: make(chan struct{}, size), queue: make(chan struct{}, max(1, size/2)), closed: make(chan struct{})}
}

// stand lets half as many patient callers go on to acquire as there are slots, and the others wait. The caller calls leave after release.
func (p *pool) stand(ctx context.Context) (leave func(), err error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, ErrClosed
	case p.queue <- struct{}{}:
		return func() { <-p.queue }, nil
	}
}

// acquire waits for a slot. Its caller may take and put instances until release.
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
	case <-p.closed: // select picks at random when both are ready
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

// occupy takes all slots and returns true, or returns false at once if a caller holds one.
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

// acquireAll takes all slots, and waits for the callers that hold them.
func (p *pool) acquireAll() error {
	for n := range cap(p.slots) {
		if err := p.acquire(context.Background()); err != nil {
			for range n {
				p.release()
			}
			return err
		}
	}
	return nil
}

// leave releases the slots that occupy or acquireAll took.
func (p *pool) leave() {
	for range cap(p.slots) {
		p.release()
	}
}

// shut makes acquire fail with ErrClosed.
func (p *pool) shut() { p.once.Do(func() { close(p.closed) }) }

// drain waits until all instances are back, and closes them. The pool must be shut.
func (p *pool) drain() {
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for in := p.take(); in != nil; in = p.take() {
		in.close()
	}
}
