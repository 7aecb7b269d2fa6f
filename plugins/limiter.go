package plugins

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is the error of a drive whose connector account already has as many drives under way as it may. No request has left.
var ErrBusy = errors.New("too many operations of this connector account are under way: try again later")

// limiter bounds how many drives of one connector account run at a time. It is safe for concurrent use.
type limiter struct {
	most int
	wait time.Duration

	mu    sync.Mutex
	slots map[string]*slot
}

type slot struct {
	users  int // holders and waiters
	tokens chan struct{}
}

func newLimiter(most int, wait time.Duration) *limiter {
	return &limiter{most: most, wait: wait, slots: make(map[string]*slot)}
}

// acquire waits for a turn. A caller that gets nil must call release once. Its errors are ErrBusy and the context's.
func (l *limiter) acquire(ctx context.Context, account string) error {
	l.mu.Lock()
	s := l.slots[account]
	if s == nil {
		s = &slot{tokens: make(chan struct{}, l.most)}
		l.slots[account] = s
	}
	s.users++
	l.mu.Unlock()
	select {
	case s.tokens <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(l.wait)
	defer timer.Stop()
	var err error
	select {
	case s.tokens <- struct{}{}:
		return nil
	case <-timer.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.leave(account, s)
	return err
}

func (l *limiter) release(account string) {
	l.mu.Lock()
	s := l.slots[account]
	l.mu.Unlock()
	<-s.tokens
	l.leave(account, s)
}

func (l *limiter) leave(account string, s *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(l.slots, account)
	}
}
