//go:build !race

package plugins

import "testing"

// Sequential lets a test that starts nothing concurrently run.
func Sequential(*testing.T) {}
