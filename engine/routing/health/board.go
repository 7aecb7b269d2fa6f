package health

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"payswitch/engine/port"
	"payswitch/sdk"
)

// Board has the health of all accounts that this node has heard of. It is safe for concurrent use, and none of its methods but Sweep waits for a store.
type Board struct {
	Deps

	mu   sync.RWMutex
	all  map[Account]*entry
	wake chan struct{}

	sweeping sync.Mutex
	read     time.Time // the store's time up to which this node has read the other nodes' rows, zero before the first sweep
}

// Deps are the parts that Board is built from.
type Deps struct {
	Store Store
	Now   port.Clock
	Node  string // the node's name in stored rows
	// Moved is called after an account was taken out or let in, outside of locks.
	Moved func(a Account, connector string, out bool)
}

// New builds a Board. It reads nothing: Sweep does.
func New(d Deps) *Board {
	return &Board{Deps: d, all: map[Account]*entry{}, wake: make(chan struct{}, 1)}
}

// Account names a connector account.
type Account struct{ MerchantID, ID string }

// entry is the health of one account.
type entry struct {
	mu        sync.Mutex
	connector string
	own       tally
	others    map[string]*stored // by node
	breaker   Breaker
	volume    volume
	dirty     bool
}

// Attempt is an attempt at a processor that has ended, or has got its first answer.
type Attempt struct {
	Account   Account
	Connector string
	Slice     Slice
	Result    Result
	Reason    sdk.DeclineReason // of a decline
	Took      time.Duration
	// Late is true for the end of an attempt whose first answer was Pending. The processor answered long ago, so that the end says nothing about its
	// health now.
	Late bool
}

// Count takes in an attempt.
func (b *Board) Count(t Attempt) {
	now := b.Now().UnixMilli()
	s := b.of(t.Account)
	s.mu.Lock()
	s.connector, s.dirty = t.Connector, true
	was := s.breaker.Open
	if !t.Late {
		s.judge(t, now)
	}
	if t.Result != Pending || !t.Late {
		c := s.own.cellOf(t.Slice, now)
		c.bring(now)
		if t.Result != Pending {
			c.counts.Results[t.Result]++
			s.own.whole.bring(now)
			s.own.whole.counts.Results[t.Result]++
			if !t.Result.fault() {
				s.volume.count(now)
			}
		}
		if t.Result == Declined {
			if _, known := t.Reason.Facts(); !known {
				t.Reason = sdk.DeclineGeneric
			}
			c.counts.reason(t.Reason, 1)
		}
		if !t.Late {
			c.counts.Latency[class(t.Took)]++
		}
	}
	is := s.breaker.Open
	s.mu.Unlock()
	if was != is {
		b.moved(t.Account, t.Connector, is)
	}
}

// judge takes in an attempt for the breaker.
func (s *entry) judge(t Attempt, now int64) {
	bad := t.Result.fault()
	if bad {
		s.own.faults = recentFaults(append(s.own.faults, now), now)
	}
	if s.breaker.Open {
		if now-t.Took.Milliseconds() >= s.breaker.At && s.breaker.tried(bad, now) {
			s.own.forget()
		}
		return
	}
	s.own.weigh(now)
	if bad {
		s.own.bad++
		s.own.row++
	} else {
		s.own.good++
		s.own.row = 0
	}
	good, recent := s.recent(now)
	if bad && fails(good, recent, s.own.row) {
		s.breaker.open(now)
		s.own.forget()
	}
}

// forget sets the breaker's counts to nothing.
func (t *tally) forget() { t.good, t.bad, t.row = 0, 0, 0 }

// recent returns the breaker's counts of all nodes. Counts from before the latest change do not count.
func (s *entry) recent(now int64) (good, bad float64) {
	w := left(s.own.at, now, FaultHalfLife)
	good, bad = s.own.good*w, s.own.bad*w
	for _, o := range s.others {
		if o.Breaker.At == s.breaker.At {
			w := left(o.FastAt, now, FaultHalfLife)
			good, bad = good+o.Good*w, bad+o.Bad*w
		}
	}
	return good, bad
}

func (b *Board) of(a Account) *entry {
	if s := b.known(a); s != nil {
		return s
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.all[a]
	if s == nil {
		s = &entry{}
		b.all[a] = s
	}
	return s
}

func (b *Board) known(a Account) *entry {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.all[a]
}

// moved reports to the callback Moved that an account was taken out or let in. It also asks the saving loop to write at once, so that other nodes see
// the change.
func (b *Board) moved(a Account, connector string, out bool) {
	if b.Moved != nil {
		b.Moved(a, connector, out)
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Wake receives when an account was taken out or let in, so that the caller sweeps soon.
func (b *Board) Wake() <-chan struct{} { return b.wake }

// Standing says what routing may do with an account.
func (b *Board) Standing(a Account) Standing {
	s := b.known(a)
	if s == nil {
		return In
	}
	now := b.Now().UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.breaker.standing(now)
}

// Begin begins the trial of an account whose standing is Trial. It returns false if another payment was faster.
func (b *Board) Begin(a Account) bool {
	s := b.known(a)
	if s == nil {
		return false
	}
	now := b.Now().UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.breaker.standing(now) != Trial {
		return false
	}
	s.breaker.trial = now
	return true
}

// Recent returns the recent attempts of an account at all nodes: answered ones, and the account's faults.
func (b *Board) Recent(a Account) (good, bad float64) {
	s := b.known(a)
	if s == nil {
		return 0, 0
	}
	now := b.Now().UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent(now)
}

// Rates returns the numbers of approved attempts and of all attempts in the slices that match of, at all nodes. "" in of stands for every value.
func (b *Board) Rates(a Account, of Slice) (approved, total float64) {
	s := b.known(a)
	if s == nil {
		return 0, 0
	}
	now := b.Now().UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	add := func(c *cell) {
		if of == (Slice{}) || c.slice.matches(of) {
			w := left(c.at, now, SliceHalfLife)
			approved += c.counts.Results[Approved] * w
			total += c.counts.Total() * w
		}
	}
	if of == (Slice{}) {
		add(&s.own.whole)
		for _, o := range s.others {
			add(&o.whole)
		}
		return approved, total
	}
	for i := range s.own.cells {
		add(&s.own.cells[i])
	}
	for _, o := range s.others {
		for i := range o.cells {
			add(&o.cells[i])
		}
	}
	return approved, total
}

// matches reports whether a slice is one of those that of describes. The slices that are counted together match no value.
func (s Slice) matches(of Slice) bool {
	return (of.Network == "" || of.Network == s.Network) && (of.Country == "" || of.Country == s.Country) && (of.Currency == "" || of.Currency == s.Currency)
}

// Report is the health of an account.
type Report struct {
	Standing Standing
	Breaker  Breaker
	// Good and Bad are the recent attempts: answered ones, and the account's faults.
	Good, Bad float64
	All       Counts
	Slices    []SliceReport // those with the most attempts first
}

// SliceReport are the counts of a slice. Other is true for what has no slice of its own.
type SliceReport struct {
	Slice  Slice
	Other  bool
	Counts Counts
}

// Report returns the health of an account at all nodes.
func (b *Board) Report(a Account) Report {
	s := b.known(a)
	if s == nil {
		return Report{}
	}
	now := b.Now().UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Report{Standing: s.breaker.standing(now), Breaker: s.breaker}
	r.Good, r.Bad = s.recent(now)
	by := map[Slice]*Counts{}
	add := func(cells []cell) {
		for i := range cells {
			c := &cells[i]
			if by[c.slice] == nil {
				by[c.slice] = &Counts{}
			}
			w := left(c.at, now, SliceHalfLife)
			by[c.slice].add(&c.counts, w)
			r.All.add(&c.counts, w)
		}
	}
	add(s.own.cells)
	for _, o := range s.others {
		add(o.cells)
	}
	for slice, counts := range by {
		if counts.Total() >= forgotten {
			r.Slices = append(r.Slices, SliceReport{Slice: slice, Other: slice == otherSlices, Counts: *counts})
		}
	}
	slices.SortFunc(r.Slices, func(x, y SliceReport) int {
		return cmp.Or(cmp.Compare(math.Round(y.Counts.Total()*1000), math.Round(x.Counts.Total()*1000)), cmp.Compare(x.Slice.Network, y.Slice.Network),
			cmp.Compare(x.Slice.Country, y.Slice.Country), cmp.Compare(x.Slice.Currency, y.Slice.Currency))
	})
	for i := range r.Slices {
		sortReasons(r.Slices[i].Counts.Reasons)
	}
	sortReasons(r.All.Reasons)
	return r
}

func sortReasons(list []ReasonCount) {
	slices.SortFunc(list, func(x, y ReasonCount) int { return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Reason, y.Reason)) })
}

// Outs counts the accounts that are taken out.
func (b *Board) Outs() (n int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, s := range b.all {
		s.mu.Lock()
		if s.breaker.Open {
			n++
		}
		s.mu.Unlock()
	}
	return n
}
