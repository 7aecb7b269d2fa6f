//go:build race

package plugins

import "testing"

// Sequential skips a test that starts nothing concurrently: make test runs it without the race detector, three times as fast.
func Sequential(t *testing.T) {
	t.Helper()
	t.Skip("nothing runs concurrently here: make test runs this test without the race detector")
}
