package threeds

import "strings"

// equalID compares transaction ids: UUIDs, with letters in either case. They are not secret, so the comparison need not take constant time.
func equalID(a, b string) bool { return strings.EqualFold(a, b) }
