package risk

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Each node knows which data its merchants' lists may have, so that a payment whose card no list has costs no statement. What it knows is a set of hashes:
// a payment whose data has one of them asks the store, which alone decides. An entry counts at once at the node that added it, and at other nodes within
// knownFor.
const (
	knownFor = 500 * time.Millisecond
	// knownMost is the largest number of entries that a node knows of one merchant, and knownAll of all merchants. Beyond them payments ask the
	// store.
	knownMost = 200_000
	knownAll  = 1_000_000
	// knownSmall is how many entries a node reads again whenever the list has changed. Of a longer list it reads those that were added since
	// knownOverlap before the latest read: clocks differ, and a transaction takes a while.
	knownSmall   = 2000
	knownOverlap = time.Minute
)

var knownSeed = maphash.MakeSeed()

// known are the lists that a node knows. The zero value is ready to use. It is safe for concurrent use.
type known struct {
	changes atomic.Uint64 // on this node
	mu      sync.Mutex
	lists   map[string]*knownList
	entries int // of all lists, at their latest reads
}

// knownList is one merchant's list.
type knownList struct {
	reading sync.Mutex // one caller reads

	mu      sync.RWMutex // guards what follows
	hashes  map[uint64]struct{}
	version int64     // of the list in the store
	read    time.Time // by the store's clock
	at      time.Time // when the read began; zero: the list is not known
	changes uint64    // of the node, when the read began
	long    bool      // it has more than knownMost entries
}

// changed makes the node read its lists again before it uses them.
func (k *known) changed() { k.changes.Add(1) }

// list returns the list of a merchant.
func (k *known) list(merchantID string) *knownList {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.lists[merchantID]
	if l == nil {
		if k.lists == nil {
			k.lists = map[string]*knownList{}
		}
		l = &knownList{}
		k.lists[merchantID] = l
	}
	return l
}

// grown records how many entries a list has more than before. Beyond knownAll it drops other lists, which are read again when a payment needs them.
func (k *known) grown(merchantID string, by int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries += by
	for id, l := range k.lists {
		if k.entries <= knownAll {
			return
		}
		if id == merchantID {
			continue
		}
		l.mu.RLock()
		k.entries -= len(l.hashes)
		l.mu.RUnlock()
		delete(k.lists, id)
	}
}

// mayHave reports whether a merchant's list may have one of the data. It reads what has changed if its knowledge is older than knownFor.
func (s *Risk) mayHave(ctx context.Context, merchantID string, data [3]string) bool {
	l := s.known.list(merchantID)
	fresh, has := l.look(s.known.changes.Load(), data)
	if fresh {
		return has
	}
	if !l.reading.TryLock() { // another payment reads
		return true
	}
	defer l.reading.Unlock()
	changes, at := s.known.changes.Load(), time.Now()
	err := s.Store.View(ctx, func(r Reader) error { return s.readList(r, merchantID, l) })
	if err != nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.changes = at, changes
	return l.has(data) // also after a read that took longer than knownFor: it began after the payment did
}

// look reports whether the list is known as it was within knownFor, and whether it may have one of the data.
func (l *knownList) look(changes uint64, data [3]string) (fresh, has bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.at.IsZero() || l.changes != changes || time.Since(l.at) >= knownFor {
		return false, true
	}
	return true, l.has(data)
}

// has reports whether the list may have one of the data. The caller holds l.mu.
func (l *knownList) has(data [3]string) bool {
	return l.long || slices.ContainsFunc(data[:], func(d string) bool { _, ok := l.hashes[maphash.String(knownSeed, d)]; return ok })
}

// readList reads what a list has. The caller holds l.reading, so that no other caller writes l.
func (s *Risk) readList(r Reader, merchantID string, l *knownList) error {
	version, err := r.BlockVersion(merchantID)
	if err != nil || version == l.version && !l.at.IsZero() {
		return err
	}
	since := time.Time{}
	if whole := len(l.hashes) <= knownSmall && !l.long; !whole {
		since = l.read.Add(-knownOverlap)
	}
	data, err := r.BlockedSince(merchantID, since, knownMost+1)
	if err != nil {
		return err
	}
	l.mu.Lock()
	before := len(l.hashes)
	if since.IsZero() || l.hashes == nil {
		l.hashes = make(map[uint64]struct{}, len(data))
	}
	for _, d := range data {
		l.hashes[maphash.String(knownSeed, d)] = struct{}{}
	}
	if len(l.hashes) > knownMost {
		l.long, l.hashes = true, nil
	}
	l.version, l.read = version, r.Now()
	by := len(l.hashes) - before
	l.mu.Unlock()
	s.known.grown(merchantID, by)
	return nil
}
