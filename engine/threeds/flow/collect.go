package flow

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// collecting holds the results that this node fetches in the background, each with the time until which it tries. Wake-ups only extend that
// time, because anyone can send them: one goroutine asks, at its own pace.
type collecting struct {
	mu    sync.Mutex
	until map[string]time.Time // keyed by authentication id
}

// begin reports whether the caller must start to fetch the result. If a goroutine already fetches it, begin extends that goroutine's time to
// until.
func (c *collecting) begin(id string, until time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	had, running := c.until[id]
	if c.until == nil {
		c.until = map[string]time.Time{}
	}
	if until.After(had) {
		c.until[id] = until
	}
	return !running
}

// left returns the time for which a result is still to be fetched. At 0 the entry is gone, and the next wake-up begins anew.
func (c *collecting) left(id string, now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.until[id].Sub(now)
	if left <= 0 {
		delete(c.until, id)
		return 0
	}
	return left
}

func (c *collecting) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.until, id)
}

// collect follows a wake-up: it asks for a result until the result is there, wait is over or the engine closes.
func (s *Authentications) collect(ctx context.Context, id string, wait time.Duration) {
	until := s.Driver.Now().Add(wait)
	s.collectWhile(ctx, id, func(now time.Time) time.Duration { return until.Sub(now) })
}

// collectLater runs collect in the background, once on this node.
func (s *Authentications) collectLater(ctx context.Context, id string) {
	if !s.collecting.begin(id, s.Driver.Now().Add(resultWait)) {
		return
	}
	s.InFlight.Add(1)
	go func() {
		defer s.InFlight.Done()
		defer s.collecting.end(id)
		s.collectWhile(context.WithoutCancel(ctx), id, func(now time.Time) time.Duration { return s.collecting.left(id, now) })
	}()
}

func (s *Authentications) collectWhile(ctx context.Context, id string, left func(now time.Time) time.Duration) {
	for pace := time.Second; ; pace = min(2*pace, 4*time.Second) {
		late, err := s.pull(ctx, id)
		if err != nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "result of an authentication not read", slog.String("authentication_id", id), slog.Any("error", err))
		}
		c, err := s.loadAuthentication(ctx, id)
		if err != nil || !c.auth.State.Challenged() {
			return
		}
		rest := left(s.Driver.Now())
		switch {
		case rest <= 0 && late:
			rest = pace // the last question is still to be asked
		case rest <= 0:
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.Closing:
			return
		case <-time.After(min(max(c.auth.DueAt.Sub(s.Now()), 100*time.Millisecond), rest, pace)):
		}
	}
}
