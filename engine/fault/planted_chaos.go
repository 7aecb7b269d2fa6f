//go:build chaosfaults

package fault

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

var planted = strings.Split(os.Getenv("CHAOS_FAULTS"), ",")

// Planted reports whether the environment variable CHAOS_FAULTS names a defect, between commas.
func Planted(defect string) bool { return slices.Contains(planted, defect) }

// Clock returns the host's clock, moved by the seconds in the file that CHAOS_CLOCK names; nil without the variable. As with a host whose clock
// jumps, the monotonic reading of its times does not move.
func Clock() func() time.Time {
	file := os.Getenv("CHAOS_CLOCK")
	if file == "" {
		return nil
	}
	var mu sync.Mutex
	var read time.Time
	var by int64
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(read) > 20*time.Millisecond {
			if text, err := os.ReadFile(file); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
					by = n
				}
			}
			read = time.Now()
		}
		return wallMoved(time.Now(), by)
	}
}

// wallMoved moves the wall clock's reading of t by seconds. Package time has no way to do so: a Time's first word is a flag for the monotonic
// reading, 33 bits of seconds and 30 bits of nanoseconds.
func wallMoved(t time.Time, seconds int64) time.Time {
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall += uint64(seconds) << 30
	return t
}
