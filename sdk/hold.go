package sdk

// HoldWish says what authorize asks of the hold on the funds, beyond its amount. An adapter passes on what its processor has a word for, and
// ignores the rest.
type HoldWish struct {
	Incremental bool `json:"incremental,omitempty"`  // incremental_authorize may raise the total later
	Extended    bool `json:"extended,omitempty"`     // the hold is to last longer than usual
	OverCapture bool `json:"over_capture,omitempty"` // a capture may take more than the total
	Partial     bool `json:"partial,omitempty"`      // the issuer may approve less than the total
	Multiple    bool `json:"multiple,omitempty"`     // several captures may follow
}

// Hold is what the processor says of the funds that it holds. A nil field says nothing, and leaves what an earlier outcome said.
type Hold struct {
	Incremental *bool `json:"incremental,omitempty"`  // incremental_authorize can raise the total
	OverCapture *bool `json:"over_capture,omitempty"` // a capture can take more than the total
	Extended    *bool `json:"extended,omitempty"`     // the hold lasts longer than usual
	// CaptureBefore is the end of the hold in Unix milliseconds; 0 if the processor does not state it.
	CaptureBefore int64 `json:"capture_before,omitempty"`
}

// Wish returns what authorize asks of the hold, an empty wish without one; never nil.
func (r *Request) Wish() *HoldWish {
	if r.Hold == nil {
		return &HoldWish{}
	}
	return r.Hold
}

// Raisable returns f, an authorize or complete, for a processor whose every manual authorization can be raised: if the request asks for that, an
// authorized outcome says so.
func Raisable(f Func) Func {
	return func(c *Call) (*Outcome, error) {
		o, err := f(c)
		if o != nil && o.Status == StatusAuthorized && o.Hold == nil && c.Request.Wish().Incremental {
			yes := true
			o.Hold = &Hold{Incremental: &yes}
		}
		return o, err
	}
}
