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
	// memoryWorth is the least growth of the heap that is worth a collection: 64 MB.
	memoryWorth = 64 << 20
)

// heap is what the Go runtime says of its memory: collections so far, and the bytes that the heap has of the system. They include what no collection
// has found unused yet.
type heap struct{ collections, held uint64 }

func readHeap() heap {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return heap{s[0].Value.Uint64(), s[1].Value.Uint64() + s[2].Value.Uint64() + s[3].Value.Uint64()}
}

// idleSince reports whether the program has hardly worked since an earlier look, and has grown since it gave memory back.
func (h heap) idleSince(before heap, gave uint64) bool {
	return h.collections-before.collections <= 1 && h.held >= gave+memoryWorth
}

// giveMemoryBack returns the memory of a peak to the system once the program is idle, until ctx ends. The Go runtime itself returns memory after a
// collection; an idle program runs none for minutes.
func giveMemoryBack(ctx context.Context) error {
	tick := time.NewTicker(memoryPause)
	defer tick.Stop()
	before := readHeap()
	gave := before.held
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := readHeap()
		if now.idleSince(before, gave) {
			debug.FreeOSMemory()
			now = readHeap()
			gave = now.held
		}
		before = now
	}
}
