package main

import "testing"

// The guide of held funds works as it stands.
func TestHoldsGuide(t *testing.T) { followGuide(t, "router/HOLDS.md") }
