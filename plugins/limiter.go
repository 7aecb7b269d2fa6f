package plugins

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"payswitch/engine/fault"
)

// The limit of an account follows its processor by additive increase and multiplicative decrease, as TCP does. A round ends when as many
// operations have ended as the limit allows, twenty at most. Only operations that began in the round count. When more than a tenth of them met
// a processor in trouble (no answer, 429, 503), the limit is halved. Otherwise the limit rises by eight if callers had used all of it.
const (
	firstLimit    = 512  // the limit before the processor has shown how much it sustains
	lowestLimit   = 4    // so that a recovered processor is noticed
	highestLimit  = 4096 // what this host should hold open
	limitStep     = 8
	roundSize     = 20
	troubledShare = 10 // one in ten
)

// limiter bounds how many drives of one connector account run at a time. It is safe for concurrent use.
type limiter struct {
	fixed   int // the limit of every account; 0: adaptive
	wait    time.Duration
	changed func(account string, from, to int) // reports a lowered limit; it must not block

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is the state of one account.
type lane struct {
	limit   int
	inUse   int
	waiting []chan struct{} // in order of arrival; closing one hands a turn over

	round           int  // counts the rounds
	ended, troubled int  // operations that began in this round
	full            bool // callers have used the whole limit in this round
}

// turn is a caller's place among the drives of an account.
type turn struct {
	account string
	round   int
}

func newLimiter(fixed int, wait time.Duration, changed func(string, int, int)) *limiter {
	return &limiter{fixed: fixed, wait: wait, changed: changed, lanes: make(map[string]*lane)}
}

// acquire waits for a turn, first come, first served. A caller that gets no error must call release once. Its errors are fault.ErrBusy and the
// context's.
func (l *limiter) acquire(ctx context.Context, account string) (turn, error) {
	l.mu.Lock()
	a := l.lanes[account]
	if a == nil {
		a = &lane{limit: l.fixed}
		if l.fixed == 0 {
			a.limit = firstLimit
		}
		l.lanes[account] = a
	}
	if a.inUse < a.limit && len(a.waiting) == 0 {
		a.inUse++
		t := turn{account, a.round}
		l.mu.Unlock()
		return t, nil
	}
	a.full = true
	mine := make(chan struct{})
	a.waiting = append(a.waiting, mine)
	l.mu.Unlock()

	timer := time.NewTimer(l.wait)
	defer timer.Stop()
	var err error
	select {
	case <-mine:
	case <-timer.C:
		err = fault.ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(a.waiting, mine); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		return turn{}, err
	}
	return turn{account, a.round}, nil // the turn may have come at the same moment as the end of the wait
}

// release gives a turn back. asked says that a request was sent in it, troubled that the processor did not cope with one.
func (l *limiter) release(t turn, asked, troubled bool) {
	l.mu.Lock()
	a := l.lanes[t.account]
	from := a.limit
	if a.inUse == a.limit {
		a.full = true
	}
	a.inUse--
	if asked && l.fixed == 0 && t.round == a.round {
		a.countEnd(troubled)
	}
	to := a.limit
	for len(a.waiting) > 0 && a.inUse < a.limit {
		a.inUse++
		close(a.waiting[0])
		a.waiting = slices.Delete(a.waiting, 0, 1)
	}
	if a.inUse == 0 && (l.fixed > 0 || a.limit == firstLimit) {
		delete(l.lanes, t.account)
	}
	l.mu.Unlock()
	if to < from && l.changed != nil {
		l.changed(t.account, from, to)
	}
}

// countEnd counts the end of an operation that began in this round, and ends the round when enough have ended.
func (a *lane) countEnd(troubled bool) {
	a.ended++
	if troubled {
		a.troubled++
	}
	if a.ended < min(a.limit, roundSize) {
		return
	}
	switch {
	case a.troubled*troubledShare > a.ended:
		a.limit = max(lowestLimit, a.limit/2)
	case a.full:
		a.limit = min(highestLimit, a.limit+limitStep)
	}
	a.round++
	a.ended, a.troubled, a.full = 0, 0, false
}

// inTrouble reports whether an answer shows a processor that is overloaded or out of reach.
func (a *answer) inTrouble() bool {
	switch a.failure {
	case failTimeout, failConnect, failTLS, failReset:
		return true
	}
	return a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
}

type turnKey struct{}

// Turn implements port.Connectors.
func (d *driver) Turn(ctx context.Context, accountID string) (context.Context, func(), error) {
	held := &heldTurn{account: accountID}
	t, err := d.limits.acquire(ctx, accountID)
	if err != nil {
		return ctx, nil, err
	}
	end := sync.OnceFunc(func() {
		held.mu.Lock()
		defer held.mu.Unlock()
		held.over = true
		d.limits.release(t, held.asked, held.troubled)
	})
	return context.WithValue(ctx, turnKey{}, held), end, nil
}

// heldTurn is a turn that the caller of drives has taken for all of them.
type heldTurn struct {
	account string

	mu              sync.Mutex
	over            bool // a drive needs a turn of its own again
	asked, troubled bool
}

func (h *heldTurn) of(account string) bool {
	if h == nil || h.account != account {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.over
}

// inTurn runs f within the account's limit: in the turn that ctx carries, or in a turn of its own.
func (d *driver) inTurn(ctx context.Context, o *operation, f func() error) error {
	if held, _ := ctx.Value(turnKey{}).(*heldTurn); held.of(o.in.Account.ID) {
		err := f()
		held.mu.Lock()
		defer held.mu.Unlock()
		held.asked, held.troubled = held.asked || o.asked, held.troubled || o.troubled
		return err
	}
	t, err := d.limits.acquire(ctx, o.in.Account.ID)
	if err != nil {
		return err
	}
	defer func() { d.limits.release(t, o.asked, o.troubled) }()
	return f()
}
