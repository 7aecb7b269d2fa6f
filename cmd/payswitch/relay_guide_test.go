package main

import "testing"

// The guide of relays works as it stands.
func TestRelayGuide(t *testing.T) { followGuide(t, "router/RELAY.md") }
