package webhook

import "time"

const (
	// failingAfter is the number of failures in a row after which an endpoint counts as failing: it then gets one delivery at a time. An endpoint
	// that fails half of the time seldom has so many failures in a row.
	failingAfter = 10
	// slowAfter is the duration of an attempt from which on an endpoint counts as slow.
	slowAfter = 2 * time.Second
	// probeMost is the longest pause between two deliveries to an endpoint that fails.
	probeMost = time.Minute
	// alarmAfter is how long an endpoint fails before a person must look at it, and the pause between two alarms.
	alarmAfter = time.Hour
	// After notedAfter failures in a row a sweep notes them in the store, for other nodes and for the next process.
	notedAfter = 3

	laneFast = 64 // deliveries under way to an endpoint that answers quickly
	laneSlow = 8  // to a slow one
)

// lane is what this node knows of an endpoint. The store has the beginning of its failures (Failing); a node that starts learns the rest anew with one
// delivery.
type lane struct {
	merchantID string
	underWay   int
	known      bool // an attempt has succeeded
	failures   int  // in a row
	slow       bool
	notBefore  time.Time // the next delivery to an endpoint that fails
	since      time.Time // the first of the failures
	noted      bool      // the store has the failures
}

// pool bounds the deliveries that are under way. Endpoints that answer quickly share one pool, slow and failing ones another. So endpoints that
// hold their deliveries for long cannot take the room of others.
type pool struct {
	most       int
	underWay   int
	byMerchant map[string]int
}

func newPool(most int) *pool { return &pool{most: most, byMerchant: map[string]int{}} }

func (p *pool) room(merchantID string) int {
	return max(0, min(p.most-p.underWay, (p.most+1)/2-p.byMerchant[merchantID]))
}

func (p *pool) take(merchantID string, n int) {
	p.underWay += n
	if p.byMerchant[merchantID] += n; p.byMerchant[merchantID] == 0 {
		delete(p.byMerchant, merchantID)
	}
}

func (l *lane) failing() bool { return l.failures >= failingAfter }

// limit returns how many deliveries may be under way.
func (l *lane) limit() int {
	switch {
	case l.failing(), !l.known:
		return 1
	case l.slow:
		return laneSlow
	}
	return laneFast
}

// room returns how many deliveries may start now.
func (s *Service) room(l *lane, now time.Time) int {
	if l.failing() && now.Before(l.notBefore) {
		return 0
	}
	return max(0, min(l.limit()-l.underWay, s.poolOf(l).room(l.merchantID)))
}

func (s *Service) poolOf(l *lane) *pool {
	if l.failing() || l.slow {
		return s.patient
	}
	return s.quick
}

// lane returns the endpoint's lane. The caller holds mu.
func (s *Service) lane(endpointID, merchantID string) *lane {
	l := s.lanes[endpointID]
	if l == nil {
		l = &lane{merchantID: merchantID}
		s.lanes[endpointID] = l
	}
	return l
}

// begin counts a delivery that starts. The caller holds mu.
func (s *Service) begin(l *lane) *pool {
	p := s.poolOf(l)
	l.underWay++
	p.take(l.merchantID, 1)
	return p
}

// keep counts the endpoint's next delivery, if there is room for it and no other endpoint waits for room; nil if it may not begin.
func (s *Service) keep(endpointID string, now time.Time) *pool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[endpointID]
	if s.starved || s.room(l, now) == 0 {
		return nil
	}
	return s.begin(l)
}

// giveBack ends the counting of a delivery that begin counted. The caller holds mu.
func (s *Service) giveBack(l *lane, p *pool) {
	l.underWay--
	p.take(l.merchantID, -1)
}

// end counts a delivery that has ended. recovered is true if the endpoint was failing and has answered. noted is true if it has answered, and the store
// has its failures.
func (s *Service) end(endpointID string, p *pool, ok bool, took time.Duration, now time.Time) (recovered, noted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[endpointID]
	s.giveBack(l, p)
	l.known, l.slow = l.known || ok, took >= slowAfter
	if ok {
		recovered, noted = l.failing(), l.noted
		l.failures, l.since, l.noted = 0, time.Time{}, false
		return recovered, noted
	}
	if l.failures++; l.failures == 1 {
		l.since = now
	}
	l.notBefore = now.Add(min(time.Second<<min(max(l.failures-failingAfter, 0), 10), probeMost))
	return false, false
}

// mergeFailures takes over what other nodes and earlier processes have noted about failures. It returns the failures of this node that the store does not have.
func (s *Service) mergeFailures(noted []Failing) (news []Failing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]bool{}
	for _, f := range noted {
		known[f.EndpointID] = true
		l := s.lane(f.EndpointID, f.MerchantID)
		if l.noted = true; l.since.IsZero() || l.since.After(f.Since) {
			l.since = f.Since
		}
		l.failures = max(l.failures, notedAfter)
	}
	for id, l := range s.lanes {
		switch {
		case known[id]:
		case l.noted: // the endpoint has answered another node
			l.failures, l.since, l.noted = 0, time.Time{}, false
		case l.failures >= notedAfter:
			news = append(news, Failing{EndpointID: id, MerchantID: l.merchantID, Since: l.since})
		}
	}
	return news
}

// forget drops the lanes of endpoints that are well and have nothing under way, so that their number follows the endpoints in use.
func (s *Service) forget(keep map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, l := range s.lanes {
		if l.underWay == 0 && !keep[id] {
			delete(s.lanes, id)
		}
	}
}
