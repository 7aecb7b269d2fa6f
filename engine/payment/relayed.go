package payment

import "slices"

// Elsewhere is what the attempt shows as captured without a capture of its own.
func (a *Attempt) Elsewhere() int64 {
	rest := a.Captured
	for i := range a.Details.Captures {
		if c := &a.Details.Captures[i]; c.Status == CaptureCharged {
			rest -= c.Amount
		}
	}
	return max(0, rest)
}

// Missing is what relays have captured and the attempt does not show.
func (a *Attempt) Missing() int64 { return max(0, a.relaysTook()-a.Elsewhere()) }

// RelaysShown is what relays have captured and the attempt shows.
func (a *Attempt) RelaysShown() int64 { return min(a.relaysTook(), a.Elsewhere()) }

// relaysTook is what relays have captured.
func (a *Attempt) relaysTook() (sum int64) {
	for i := range a.Relayed {
		if c := &a.Relayed[i]; c.Status == CaptureCharged {
			sum += c.Amount
		}
	}
	return sum
}

// RelayTook reports whether a relay made the capture with the processor's id.
func (a *Attempt) RelayTook(processorID string) bool {
	return slices.ContainsFunc(a.Relayed, func(c CaptureRecord) bool { return c.Has(processorID) })
}

// RelayMayTake reports whether a relay may have captured a part of the transaction without the processor's word.
func (a *Attempt) RelayMayTake() bool {
	return slices.ContainsFunc(a.Relayed, func(c CaptureRecord) bool { return c.Open() })
}
