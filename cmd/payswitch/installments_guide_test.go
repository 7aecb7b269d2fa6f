package main

import "testing"

// The guide of installments works as it stands.
func TestInstallmentsGuide(t *testing.T) { followGuide(t, "router/INSTALLMENTS.md") }
