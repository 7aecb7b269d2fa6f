package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// dice are random numbers that follow from the seed and from what they decide, so that no order of goroutines changes them.
func dice(seed uint64, about ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, about...)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// paymentOf returns the payment that a reference of ours is about: attempts are named p7_1, refunds p7-r1.
func paymentOf(reference string) string {
	if i := strings.IndexAny(reference, "_-"); i >= 0 {
		return reference[:i]
	}
	return reference
}

// journal is what happened to each payment, in order: for a person who reads a failure. It is safe for concurrent use.
type journal struct {
	began time.Time
	mu    sync.Mutex
	lines map[string][]string // by payment, "" for what concerns all
}

func newJournal() *journal { return &journal{began: time.Now(), lines: map[string][]string{}} }

func (j *journal) note(payment, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := fmt.Sprintf("%8.3fs  %s", time.Since(j.began).Seconds(), fmt.Sprintf(format, args...))
	j.lines[payment] = append(j.lines[payment], line)
}

// of returns the story of a payment with the faults of its time.
func (j *journal) of(payment string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := slices.Clone(j.lines[payment])
	if len(own) == 0 {
		return "(nothing)\n"
	}
	from := own[0]
	for _, l := range j.lines[""] {
		if l >= from[:9] {
			own = append(own, l)
		}
	}
	slices.SortStableFunc(own, func(a, b string) int { return strings.Compare(a[:9], b[:9]) })
	return strings.Join(own, "\n") + "\n"
}
