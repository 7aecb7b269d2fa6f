package change

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// GuardHeld is how long a payment under way counts at its counters. A node that dies meanwhile leaves no longer trace.
const GuardHeld = 2 * time.Minute

// Hold is the claim of a payment that begins: at a counter, failures and payments under way together stay within the threshold.
type Hold struct {
	Counter   string
	Threshold int
}

// ErrHeld says that so many payments of the same card, customer or address are under way that their failures could pass a threshold. It is an
// fault.ErrConflict: the caller waits until one of them has ended, and decides again.
var ErrHeld = fmt.Errorf("other payments of the same card, customer or address are under way: %w", fault.ErrConflict)

// GuardReader reads counts of failed payments.
type GuardReader interface {
	// GuardFailures returns the failures of those counters that have any. "" names no counter.
	GuardFailures(merchantID string, counters [4]string) (map[string]int, error)
}

// GuardTx counts failed payments by card, customer and address.
type GuardTx interface {
	// HoldGuards takes one place at each counter until a time, and reports whether failures and payments under way leave one at all of them. If not, the
	// caller undoes the transaction. The counters are sorted; one statement takes all places.
	HoldGuards(merchantID string, holds []Hold, until time.Time) (bool, error)
	// CountGuardFailures adds a failure to each of the sorted counters, and gives held places back. The failures then expire at until. Concurrent calls
	// lose no count.
	CountGuardFailures(merchantID string, counters []string, held int, until time.Time) error
	// ReleaseGuards gives one place back at each counter.
	ReleaseGuards(merchantID string, counters []string) error
}

// takeHolds takes the places of a payment that begins. The order is the same for all payments, so that two of them never wait for each other.
func (c *Change) takeHolds(tx Tx) error {
	if len(c.Holds) == 0 {
		return nil
	}
	slices.SortFunc(c.Holds, func(a, b Hold) int { return strings.Compare(a.Counter, b.Counter) })
	free, err := tx.HoldGuards(c.Payment.MerchantID, c.Holds, tx.Now().Add(GuardHeld))
	if err == nil && !free {
		err = ErrHeld
	}
	return err
}

// guardCount is what an attempt that has come to rest means to its counters.
type guardCount struct {
	merchantID string
	counters   []string
	held       bool // the attempt holds a place at each
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
	n := &guardCount{merchantID: a.MerchantID, counters: slices.Sorted(slices.Values(g.Counters)), held: now.Before(g.HeldUntil),
		failed: a.Status == payment.AttemptFailure, kept: time.Duration(g.Seconds) * time.Second}
	if !n.failed && g.HeldUntil.IsZero() {
		return nil
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
