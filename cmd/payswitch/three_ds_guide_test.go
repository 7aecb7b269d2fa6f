package main

import "testing"

// TestThreeDSGuide pastes the guide to 3-D Secure into a shell, against the demo.
func TestThreeDSGuide(t *testing.T) { followGuide(t, "router/THREE_DS.md") }
