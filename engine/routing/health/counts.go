package health

import (
	"math"
	"slices"
	"time"

	"payswitch/sdk"
)

// The half-lives of counts. An attempt counts half after one of them, and a quarter after two.
const (
	// SliceHalfLife is that of the counts per slice, which routing by success reads.
	SliceHalfLife = 6 * time.Hour
	// FaultHalfLife is that of the counts that decide whether an account is taken out.
	FaultHalfLife = time.Minute
)

// maxSlices is the number of slices that an account keeps apart. The least used ones are counted together.
const maxSlices = 50

// Slice names payments that are alike. "" means unknown.
type Slice struct {
	Network  string // of the card
	Country  string // of the card's issuer, alpha-2
	Currency string
}

// otherSlices counts together what has no slice of its own.
var otherSlices = Slice{Network: "*", Country: "*", Currency: "*"}

// Result is how an attempt at a processor has ended.
type Result int

// The results.
const (
	Approved Result = iota
	Declined        // with an answer that blames the card or the payer
	Failed          // the processor, or the way to it, is at fault
	TimedOut        // the outcome is unknown
	Pending         // the processor has accepted it, and its end comes later
)

// kinds is the number of results that a slice counts. A pending attempt has no result yet: the slice counts it at its end.
const kinds = 4

// fault reports whether the account is to blame.
func (r Result) fault() bool { return r == Failed || r == TimedOut }

// LatencyBounds are the upper bounds of the latency's classes. The last class has no bound.
var LatencyBounds = [...]time.Duration{100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
	5 * time.Second, 10 * time.Second, 30 * time.Second}

// Counts are numbers of attempts. Age has reduced them, so that they are no whole numbers.
type Counts struct {
	Results [kinds]float64 // by Result
	Reasons []ReasonCount  // of the declines, by reason
	Latency [len(LatencyBounds) + 1]float64
}

// ReasonCount counts declines with one reason.
type ReasonCount struct {
	Reason sdk.DeclineReason
	N      float64
}

// Total returns the number of attempts.
func (c *Counts) Total() float64 {
	return c.Results[Approved] + c.Results[Declined] + c.Results[Failed] + c.Results[TimedOut]
}

// Quantile returns the upper bound of the class that holds a quantile of the latency. 0 means that nothing was measured. Of the class without a bound
// it returns the largest bound.
func (c *Counts) Quantile(q float64) time.Duration {
	var sum, at float64
	for _, n := range c.Latency {
		sum += n
	}
	if sum == 0 {
		return 0
	}
	for i, n := range c.Latency {
		if at += n; at >= q*sum {
			return LatencyBounds[min(i, len(LatencyBounds)-1)]
		}
	}
	return LatencyBounds[len(LatencyBounds)-1]
}

// add adds counts times a weight.
func (c *Counts) add(o *Counts, weight float64) {
	for i, n := range o.Results {
		c.Results[i] += n * weight
	}
	for i, n := range o.Latency {
		c.Latency[i] += n * weight
	}
	for _, r := range o.Reasons {
		c.reason(r.Reason, r.N*weight)
	}
}

func (c *Counts) reason(reason sdk.DeclineReason, n float64) {
	for i := range c.Reasons {
		if c.Reasons[i].Reason == reason {
			c.Reasons[i].N += n
			return
		}
	}
	c.Reasons = append(c.Reasons, ReasonCount{reason, n})
}

// cell holds the counts of a slice as they were at a moment.
type cell struct {
	slice  Slice
	at     int64 // Unix milliseconds of the counts
	counts Counts
}

// left returns the part of a count that is left after a time.
func left(from, to int64, half time.Duration) float64 {
	if to <= from {
		return 1
	}
	return math.Exp2(-float64(to-from) / float64(half.Milliseconds()))
}

// bring reduces the counts to a later moment.
func (c *cell) bring(now int64) {
	if now <= c.at {
		return
	}
	w := left(c.at, now, SliceHalfLife)
	for i := range c.counts.Results {
		c.counts.Results[i] *= w
	}
	for i := range c.counts.Latency {
		c.counts.Latency[i] *= w
	}
	for i := range c.counts.Reasons {
		c.counts.Reasons[i].N *= w
	}
	c.at = now
}

// join adds the counts of another cell, as of the later moment of both.
func (c *cell) join(o *cell) {
	c.bring(o.at)
	c.counts.add(&o.counts, left(o.at, c.at, SliceHalfLife))
}

// tally has the counts of an account at one node.
type tally struct {
	cells []cell
	whole cell // the results of all slices, so that reading them costs the same with many slices
	// good and bad count attempts for the breaker: answered ones, and the account's faults. row counts the faults since the latest answer.
	good, bad float64
	at        int64 // Unix milliseconds of good and bad
	row       int
	faults    []int64 // Unix milliseconds of the latest faults, oldest first
}

// cellOf returns the cell of a slice, and makes it. An account with too many slices gives up one that is hardly used, or counts with the others.
func (t *tally) cellOf(s Slice, now int64) *cell {
	if c := t.find(s); c != nil {
		return c
	}
	if len(t.cells) < maxSlices || s == otherSlices {
		t.cells = append(t.cells, cell{slice: s, at: now})
		return &t.cells[len(t.cells)-1]
	}
	least, weight := -1, 1.0
	for i := range t.cells {
		if t.cells[i].slice == otherSlices {
			continue
		}
		t.cells[i].bring(now)
		if n := t.cells[i].counts.Total(); n < weight {
			least, weight = i, n
		}
	}
	if least < 0 {
		return t.cellOf(otherSlices, now)
	}
	gone := t.cells[least].counts
	t.cells[least] = cell{slice: s, at: now}
	rest := t.cellOf(otherSlices, now)
	rest.bring(now)
	rest.counts.add(&gone, 1)
	return t.find(s)
}

func (t *tally) find(s Slice) *cell {
	if i := slices.IndexFunc(t.cells, func(c cell) bool { return c.slice == s }); i >= 0 {
		return &t.cells[i]
	}
	return nil
}

// weigh reduces the breaker's counts to a later moment.
func (t *tally) weigh(now int64) {
	if w := left(t.at, now, FaultHalfLife); w < 1 {
		t.good, t.bad, t.at = t.good*w, t.bad*w, now
	} else if t.at == 0 {
		t.at = now
	}
}

// class returns the class of a latency.
func class(took time.Duration) int {
	for i, bound := range LatencyBounds {
		if took <= bound {
			return i
		}
	}
	return len(LatencyBounds)
}
