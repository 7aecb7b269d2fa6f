package change

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// GuardHeld is how long a payment under way counts at its counters. If its node dies meanwhile, the place is free again after this time.
const GuardHeld = 2 * time.Minute

// Hold is the claim of a payment that begins: at a counter, failures and payments under way together stay within the threshold.
type Hold struct {
	Counter   string
	Threshold int
}

// ErrHeld says that so many payments of the same card, customer or address are under way that their failures could pass a threshold. It is a
// fault.ErrConflict: the caller waits until one of them has ended, and decides again.
var ErrHeld = fmt.Errorf("other payments of the same card, customer or address are under way: %w", fault.ErrConflict)

// GuardReader reads counts of failed payments.
type GuardReader interface {
	// GuardFailures returns the failures of those counters that have any. "" names no counter.
	GuardFailures(merchantID string, counters [4]string) (map[string]int, error)
}

// GuardTx counts failed payments by card, customer and address.
type GuardTx interface {
	// GuardsFree reports whether failures and places leave room for one more payment at all of the counters. It takes no place, and writes nothing. If there
	// is no room, the caller undoes the transaction.
	GuardsFree(merchantID string, holds []Hold) (bool, error)
	// HoldGuards takes one place at each counter until a time, and reports whether failures and payments under way leave one at all of them. If not, the
	// caller undoes the transaction. The counters are sorted; one statement takes all places.
	HoldGuards(merchantID string, holds []Hold, until time.Time) (bool, error)
	// CountGuardFailures adds a failure to each of the sorted counters, and gives held places back. The failures then expire at until. Concurrent calls
	// lose no count.
	CountGuardFailures(merchantID string, counters []string, held int, until time.Time) error
	// ReleaseGuards gives one place back at each counter.
	ReleaseGuards(merchantID string, counters []string) error
}

// takeHolds takes the places of a payment that begins. For a place in this node's memory it looks whether there is room. The order is the same for all
// payments, so that two of them never wait for each other.
func (c *Change) takeHolds(tx Tx) error {
	if len(c.Holds) == 0 {
		return nil
	}
	free, err := false, error(nil)
	if c.Attempt.Details.Guard.HeldUntil.IsZero() {
		free, err = tx.GuardsFree(c.Payment.MerchantID, c.Holds)
	} else {
		free, err = tx.HoldGuards(c.Payment.MerchantID, c.Holds, tx.Now().Add(GuardHeld))
	}
	if err == nil && !free {
		err = ErrHeld
	}
	return err
}

// guards are the places in this node's memory. Each counter has one. So a payment that is alone at its counters writes no rows: it takes those places, and
// reads in its own transaction whether failures and places in the store leave room. A second payment at a time takes places in the store, where all nodes
// count them. So failures and payments under way together pass a threshold by at most one for each further node: other nodes do not see the place in memory.
//
// guards also know which counters have had a failure, so that other payments need not read counts before they begin. The transaction decides in any case.
//
// The zero value is ready to use. It is safe for concurrent use.
type guards struct {
	mu      sync.Mutex
	places  map[string]*guardPlace // by counter
	swept   int                    // places that the latest sweep left
	failing map[string]time.Time   // until when failures of a counter may count
}

type guardPlace struct {
	payment string // its attempts have one place
	begins  int    // transactions that took the place and have not failed: two calls may confirm one payment at once, and one of them fails
	until   time.Time
}

// mostFailing bounds how many counters a node remembers. A counter that it forgets costs a payment a second decision.
const mostFailing = 20_000

// take takes the places of a payment in memory, if all are free. If they are not, it lowers the thresholds by the places that others have, and returns nil.
func (g *guards) take(paymentID string, holds []Hold, now time.Time) []*guardPlace {
	g.mu.Lock()
	defer g.mu.Unlock()
	free := true
	for i, h := range holds {
		if p, ok := g.places[h.Counter]; ok && p.payment != paymentID && now.Before(p.until) {
			holds[i].Threshold--
			free = false
		}
	}
	if !free {
		return nil
	}
	if g.places == nil {
		g.places = map[string]*guardPlace{}
	}
	if len(g.places) > 2*g.swept+1000 { // of payments that ended at another node, or not at all
		maps.DeleteFunc(g.places, func(_ string, p *guardPlace) bool { return !now.Before(p.until) })
		g.swept = len(g.places)
	}
	taken := make([]*guardPlace, len(holds))
	for i, h := range holds {
		p := g.places[h.Counter]
		if p == nil || p.payment != paymentID {
			p = &guardPlace{payment: paymentID}
			g.places[h.Counter] = p
		}
		p.begins++
		p.until = now.Add(GuardHeld)
		taken[i] = p
	}
	return taken
}

// giveBack gives places back whose transaction has failed. A place that another transaction of the payment has also taken stays taken.
func (g *guards) giveBack(taken []*guardPlace, holds []Hold) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, p := range taken {
		if p.begins--; p.begins == 0 && g.places[holds[i].Counter] == p {
			delete(g.places, holds[i].Counter)
		}
	}
}

// leave gives back the places of a payment that has come to rest.
func (g *guards) leave(paymentID string, counters []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, counter := range counters {
		if p := g.places[counter]; p != nil && p.payment == paymentID {
			delete(g.places, counter)
		}
	}
}

// fail remembers counters that have failures, or may have.
func (g *guards) fail(counters []string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failing == nil {
		g.failing = map[string]time.Time{}
	}
	for _, counter := range counters {
		if len(g.failing) >= mostFailing {
			for other := range g.failing {
				delete(g.failing, other)
				break
			}
		}
		g.failing[counter] = until
	}
}

// MayHaveFailed reports whether this node knows of failures at one of the counters. Other counters may have failures that this node does not know:
// the payment's transaction finds them, and the payment is then decided again.
func (s *Changes) MayHaveFailed(holds []Hold) bool {
	g, now := &s.guards, s.Driver.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, h := range holds {
		until, ok := g.failing[h.Counter]
		switch {
		case ok && now.Before(until):
			return true
		case ok:
			delete(g.failing, h.Counter)
		}
	}
	return false
}

// beginGuarded takes the places in memory of a change's payment, or prepares the change to take places in the store. The caller calls done with the end
// of the transaction. Without room for the payment the error is ErrHeld.
func (s *Changes) beginGuarded(c *Change) (done func(err error), err error) {
	if len(c.Holds) == 0 {
		return func(error) {}, nil
	}
	slices.SortFunc(c.Holds, func(a, b Hold) int { return strings.Compare(a.Counter, b.Counter) })
	var names []string
	for _, h := range c.Holds {
		names = append(names, h.Counter)
	}
	guard, id := *c.Attempt.Details.Guard, c.Attempt.PaymentID
	guard.HeldUntil = time.Time{}
	c.Attempt.Details.Guard = &guard
	taken := s.guards.take(id, c.Holds, s.Driver.Now())
	if taken == nil {
		guard.HeldUntil = s.Now().Add(GuardHeld).UTC().Truncate(time.Millisecond)
		if slices.ContainsFunc(c.Holds, func(h Hold) bool { return h.Threshold <= 0 }) {
			return nil, ErrHeld
		}
	}
	return func(err error) {
		if err == nil {
			return
		}
		s.guards.giveBack(taken, c.Holds)
		if errors.Is(err, ErrHeld) {
			s.guards.fail(names, s.Driver.Now().Add(GuardHeld)) // the next decision reads the counts
		}
	}, nil
}

// endGuarded brings this node's memory in line with a count that is committed.
func (s *Changes) endGuarded(n *guardCount) {
	if n == nil {
		return
	}
	if n.failed {
		s.guards.fail(n.counters, s.Driver.Now().Add(n.kept))
	}
	s.guards.leave(n.paymentID, n.counters)
}

// guardCount is what an attempt that has come to rest means to its counters.
type guardCount struct {
	merchantID string
	paymentID  string
	counters   []string
	held       bool // the attempt holds a place in the store at each
	failed     bool
	kept       time.Duration
}

// CountGuard returns the count for an attempt after a decision, nil if there is nothing to count. It marks the attempt, so that no failure counts
// twice. Commit writes the count with the attempt.
func CountGuard(a *payment.Attempt, now time.Time) *guardCount {
	g := a.Details.Guard
	if g == nil || g.Counted {
		return nil
	}
	n := &guardCount{merchantID: a.MerchantID, paymentID: a.PaymentID, counters: slices.Sorted(slices.Values(g.Counters)), held: now.Before(g.HeldUntil),
		failed: a.Status == payment.AttemptFailure, kept: time.Duration(g.Seconds) * time.Second}
	if !n.failed && g.HeldUntil.IsZero() {
		return n // it may have a place in memory
	}
	marked := *g
	marked.HeldUntil, marked.Counted = time.Time{}, n.failed
	a.Details.Guard = &marked
	return n
}

// write counts within the transaction. It does nothing for nil.
func (n *guardCount) write(tx Tx) error {
	switch {
	case n == nil || len(n.counters) == 0:
		return nil
	case n.failed:
		held := 0
		if n.held {
			held = 1
		}
		return tx.CountGuardFailures(n.merchantID, n.counters, held, tx.Now().Add(n.kept))
	case n.held:
		return tx.ReleaseGuards(n.merchantID, n.counters)
	}
	return nil
}
