package main

import "testing"

// TestLinksGuide runs the blocks of the guide.
func TestLinksGuide(t *testing.T) { followGuide(t, "router/LINKS.md") }
