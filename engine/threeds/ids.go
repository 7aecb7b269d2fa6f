package threeds

import "strings"

// equalID compares transaction ids: UUIDs, whose letters come in either case. None of them is a secret.
func equalID(a, b string) bool { return strings.EqualFold(a, b) }
