package main

import (
	"errors"
	"log/slog"
	"sync"
	"time"
)

// How long the result of a probe counts, and how long a caller waits for a probe.
const (
	probeEvery = 2 * time.Second
	probeWait  = 2 * time.Second
)

var errProbeSlow = errors.New("the database did not take a write within 2 seconds")

// probe runs a check for any number of callers, once every probeEvery at most. Its zero value is ready.
type probe struct {
	mu      sync.Mutex
	running chan struct{} // closed at the end of the check under way; nil without one
	at      time.Time
	err     error
}

// run returns the latest result of check, which is at most probeEvery old. A check that takes longer than probeWait counts as failed.
func (p *probe) run(check func() error) error {
	p.mu.Lock()
	if p.running == nil && !p.at.IsZero() && time.Since(p.at) < probeEvery {
		defer p.mu.Unlock()
		return p.err
	}
	if p.running == nil {
		p.running = make(chan struct{})
		go func() {
			err := check()
			p.mu.Lock()
			defer p.mu.Unlock()
			p.at, p.err = time.Now(), err
			close(p.running)
			p.running = nil
		}()
	}
	ended := p.running
	p.mu.Unlock()
	select {
	case <-ended:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.err
	case <-time.After(probeWait):
		return errProbeSlow
	}
}

// readiness logs when a node stops being ready, and when it is ready again. Its zero value takes the node for ready.
type readiness struct {
	mu      sync.Mutex
	problem string
}

func (r *readiness) note(err error, log *slog.Logger) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	r.mu.Lock()
	was := r.problem
	r.problem = text
	r.mu.Unlock()
	switch {
	case was == "" && text != "":
		log.Error("the node is not ready: /health answers 503", "error", err)
	case was != "" && text == "":
		log.Info("the node is ready again")
	}
}
