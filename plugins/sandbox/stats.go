package sandbox

import (
	"sync"
	"sync/atomic"
	"time"
)

// Stats counts what a module has done since it was loaded.
type Stats struct {
	Compiled      bool
	Live          int // instances that exist
	Idle          int // instances that wait for a call
	InUse         int // calls that hold a slot
	Steps         uint64
	Traps         map[TrapKind]uint64
	Resets        uint64        // instances put back to the initial state after a step
	Grown         uint64        // instances replaced because their memory grew
	BytesRestored uint64        // by all resets
	Waited        time.Duration // the time all callers together waited for an instance
	Memory        int           // bytes of guest memory an instance starts from
}

type counters struct {
	live                 atomic.Int64
	steps, resets, grown atomic.Uint64
	restored             atomic.Int64
	mu                   sync.Mutex
	traps                map[TrapKind]uint64
}

func (c *counters) trapped(kind TrapKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.traps == nil {
		c.traps = map[TrapKind]uint64{}
	}
	c.traps[kind]++
}

// Stats returns the counts of this moment. Calls that run meanwhile may be in some counts and not in others.
func (m *Module) Stats() Stats {
	s := Stats{
		Live:          int(m.stats.live.Load()),
		InUse:         len(m.pool.slots),
		Steps:         m.stats.steps.Load(),
		Traps:         map[TrapKind]uint64{},
		Resets:        m.stats.resets.Load(),
		Grown:         m.stats.grown.Load(),
		BytesRestored: uint64(m.stats.restored.Load()),
		Waited:        time.Duration(m.pool.waited.Load()),
	}
	if c := m.code.Load(); c != nil {
		s.Compiled, s.Memory = true, int(c.image.size())
	}
	m.pool.mu.Lock()
	s.Idle = len(m.pool.idle)
	m.pool.mu.Unlock()
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	for k, n := range m.stats.traps {
		s.Traps[k] = n
	}
	return s
}
