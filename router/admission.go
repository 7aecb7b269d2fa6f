package router

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"payswitch/engine/fault"
)

// Admission refuses new work while the switch itself is too slow. It measures the time of the database's transactions, from the call to the commit.
// That time grows with a full disk queue, a busy machine and too many callers alike. The time that a payment's processor takes does not count, so a
// slow processor is no reason to refuse other payments.
//
// While the mean of an interval is above the target, Admission cuts the number of requests at a time by an eighth per interval. It raises the number
// again while it refuses requests and the mean is below. Admission is safe for concurrent use. Nil admits everything.
type Admission struct {
	target time.Duration
	now    func() time.Time

	mu       sync.Mutex
	inFlight int
	peak     int // the largest inFlight of this interval
	limit    int // 0: no limit
	refused  bool
	calm     int // intervals in a row without a refusal
	began    time.Time
	sum      time.Duration
	count    int
	waiting  int       // transactions under way
	moved    time.Time // when a transaction last ended, or the first of those under way began
}

const (
	admissionInterval = 100 * time.Millisecond
	admissionFloor    = 8  // requests at a time that are always admitted
	admissionCalm     = 50 // intervals without a refusal after which there is no limit
	// If no transaction ends for admissionStall times the target, the database stands still.
	admissionStall = 20
)

// NewAdmission returns an Admission that keeps the mean time of transactions below target. now is the clock; nil: time.Now.
func NewAdmission(target time.Duration, now func() time.Time) *Admission {
	if now == nil {
		now = time.Now
	}
	return &Admission{target: target, now: now, began: now()}
}

// Transaction measures a transaction that begins now. The caller calls ended at its end.
func (a *Admission) Transaction() (ended func()) {
	if a == nil {
		return func() {}
	}
	began := a.now()
	a.mu.Lock()
	if a.waiting++; a.waiting == 1 {
		a.moved = began
	}
	a.mu.Unlock()
	return func() {
		at := a.now()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.waiting--
		a.moved = at
		a.sum += at.Sub(began)
		a.count++
		a.decide(at)
	}
}

// enter admits a request, which calls leave at its end. ok is false if the request is refused.
func (a *Admission) enter() (leave func(), ok bool) {
	if a == nil {
		return func() {}, true
	}
	at := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.decide(at)
	stalled := a.waiting > 0 && at.Sub(a.moved) > admissionStall*a.target
	if stalled || a.limit > 0 && a.inFlight >= a.limit {
		a.refused = true
		return nil, false
	}
	a.inFlight++
	a.peak = max(a.peak, a.inFlight)
	return func() {
		a.mu.Lock()
		a.inFlight--
		a.mu.Unlock()
	}, true
}

// decide ends an interval. The caller holds mu.
func (a *Admission) decide(at time.Time) {
	if at.Sub(a.began) < admissionInterval {
		return
	}
	switch {
	case a.count > 0 && a.sum/time.Duration(a.count) > a.target:
		base := a.peak
		if a.limit > 0 {
			base = min(a.limit, a.peak)
		}
		a.limit, a.calm = max(admissionFloor, base-base/8), 0
	case a.limit == 0:
	case a.refused:
		a.limit, a.calm = a.limit+max(1, a.limit/16), 0
	default:
		if a.calm++; a.calm >= admissionCalm {
			a.limit, a.calm = 0, 0
		}
	}
	a.began, a.sum, a.count, a.refused, a.peak = at, 0, 0, false, a.inFlight
}

// errOverloaded is the answer to a request that is not admitted. Nothing of the request was read.
var errOverloaded = &fault.Error{Kind: fault.KindUnavailable, Code: "HE_00", Message: "The switch is at its capacity; nothing was done: try again"}

// finishing are routes that go on with work that was admitted before, or ask how it ended: they are never refused for overload.
var finishing = []string{"/payments/{payment_id}/capture", "/payments/{payment_id}/cancel", "/payments/{payment_id}/complete_authorize",
	"/payments/{payment_id}/3ds/authentication", "/payments/sync", "/refunds/sync"}

// beginsWork reports whether a request to the route may be refused for overload. Reads, health, payers' pages, messages of processors and the
// operator's calls are always admitted.
func (r *route) beginsWork() bool {
	return r.who != open && r.who != admin && r.method != http.MethodGet && r.method != http.MethodHead && !slices.Contains(finishing, r.pattern)
}
