package main

import "testing"

// TestRefundsGuide runs the blocks of the guide.
func TestRefundsGuide(t *testing.T) { followGuide(t, "router/REFUNDS.md") }
