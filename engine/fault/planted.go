//go:build !chaosfaults

package fault

import "time"

// Planted reports whether a defect is planted. It is false in every build but that of the crash test, and the compiler removes what stands behind it.
func Planted(string) bool { return false }

// Clock returns the clock that the crash test moves; nil in every other build, for the host's clock.
func Clock() func() time.Time { return nil }
