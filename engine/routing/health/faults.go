package health

import (
	"slices"
	"time"
)

// MaxFaultTimes is the number of faults whose times an account keeps.
const MaxFaultTimes = 100

// faultsKept is the age after which the time of a fault is forgotten.
const faultsKept = 24 * time.Hour

// recentFaults returns the times that are kept: the latest ones that are young enough. times is sorted.
func recentFaults(times []int64, now int64) []int64 {
	times = times[max(0, len(times)-MaxFaultTimes):]
	i, _ := slices.BinarySearch(times, now-faultsKept.Milliseconds())
	return times[i:]
}

// Faults returns how many faults are in an account's bucket, at all nodes: each fault adds one, and one leaves in each leak time.
func (b *Board) Faults(a Account, leak time.Duration) float64 {
	s := b.known(a)
	if s == nil {
		return 0
	}
	now := b.Now().UnixMilli()
	s.mu.Lock()
	times := slices.Clone(s.own.faults)
	for _, o := range s.others {
		times = append(times, o.Faults...)
	}
	s.mu.Unlock()
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	level, at := 0.0, times[0]
	for _, t := range append(times, now) {
		level = max(0, level-float64(t-at)/float64(leak.Milliseconds())) + 1
		at = max(at, t)
	}
	return level - 1
}
