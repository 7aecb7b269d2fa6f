package main

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMemoryIsGivenBack: what a peak needed goes back to the system once the program is idle, also where no collection has run since the peak.
func TestMemoryIsGivenBack(t *testing.T) {
	for _, collected := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			idle := readHeap().held
			go giveMemoryBack(t.Context())
			synctest.Wait()
			peak := make([][]byte, 4096)
			for i := range peak {
				peak[i] = make([]byte, 64<<10)
			}
			runtime.KeepAlive(peak)
			peak = nil
			if collected {
				runtime.GC()
			}
			require.GreaterOrEqual(t, readHeap().held, idle+memoryWorth, "the heap keeps what the peak needed")
			for range 3 {
				time.Sleep(memoryPause)
				synctest.Wait()
			}
			require.Less(t, readHeap().held, idle+memoryWorth)
		})
	}
}

func TestIdleSince(t *testing.T) {
	const gave = 50 << 20
	for name, c := range map[string]struct {
		before, now heap
		want        bool
	}{
		"after a peak":     {heap{10, 0}, heap{10, 200 << 20}, true},
		"one collection":   {heap{10, 0}, heap{11, 200 << 20}, true},
		"at work":          {heap{10, 0}, heap{12, 200 << 20}, false},
		"little to give":   {heap{10, 0}, heap{10, gave + memoryWorth - 1}, false},
		"nothing to give":  {heap{10, 0}, heap{10, gave}, false},
		"less than it was": {heap{10, 0}, heap{10, gave / 2}, false},
	} {
		require.Equal(t, c.want, c.now.idleSince(c.before, gave), name)
	}
}
