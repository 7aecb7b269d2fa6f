package change

import "sync"

// seenCustomers remembers which customers this node has lately read or made. A customer's record stays for ever, so a customer that was seen is there.
// It holds no data of them. The zero value is ready, and safe for concurrent use.
type seenCustomers struct {
	mu          sync.Mutex
	now, before map[customerKey]struct{}
}

type customerKey struct{ merchantID, id string }

// seenMost is the number of customers after which the set forgets those that were not seen again.
const seenMost = 4096

func (s *seenCustomers) has(merchantID, id string) bool {
	key := customerKey{merchantID, id}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.now[key]; ok {
		return true
	}
	_, ok := s.before[key]
	return ok
}

func (s *seenCustomers) add(merchantID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.now) >= seenMost {
		s.before, s.now = s.now, nil
	}
	if s.now == nil {
		s.now = map[customerKey]struct{}{}
	}
	s.now[customerKey{merchantID, id}] = struct{}{}
}
