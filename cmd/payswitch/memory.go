package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// memoryPause is the time between two looks at the heap.
	memoryPause = 15 * time.Second
	// memoryWorth is the least memory that is worth a collection: 64 MB that the heap keeps and does not use.
	memoryWorth = 64 << 20
)

// heap is what the Go runtime says of its memory: collections so far, and bytes that it keeps for later.
type heap struct{ collections, kept uint64 }

func readHeap() heap {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	return heap{s[0].Value.Uint64(), s[1].Value.Uint64()}
}

// idleSince reports whether the program has hardly worked since an earlier look, and keeps memory from a peak before.
func (h heap) idleSince(before heap) bool {
	return h.collections-before.collections <= 1 && h.kept >= memoryWorth
}

// giveMemoryBack returns the memory of a peak to the system once the program is idle, until ctx ends. The Go runtime itself returns memory after a
// collection; an idle program runs none for minutes, and a smaller heap than that of the peak is known only after one.
func giveMemoryBack(ctx context.Context) error {
	tick := time.NewTicker(memoryPause)
	defer tick.Stop()
	for before := readHeap(); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := readHeap()
		if now.idleSince(before) {
			debug.FreeOSMemory()
			now = readHeap()
		}
		before = now
	}
}
