package payment

import (
	"payswitch/sdk"
)

// OvercaptureAllowed returns is_overcapture_enabled: whether a capture may take more than what is held. nil before the payment is authorized.
func OvercaptureAllowed(p *Payment, a *Attempt) *bool {
	switch {
	case a.Authorized == 0 || p.Details.CaptureMethod != CaptureManual:
		return nil
	case a.Details.Hold != nil && a.Details.Hold.OverCapture != nil && p.Details.Overcapture != nil:
		return a.Details.Hold.OverCapture
	}
	return p.Details.Overcapture
}

// SetAtConfirm decides the wishes about the hold that the payment leaves to its profile, and that its processor's adapter can fulfil. The profile's
// switches are nil if they are not set.
func (p *Payment) SetAtConfirm(m *sdk.Manifest, alwaysExtend, alwaysOvercapture *bool) {
	d := &p.Details
	if d.Extended == nil {
		d.Extended = alwaysExtend
	}
	if !m.Features.OverCapture || d.CaptureMethod != CaptureManual {
		d.Overcapture = nil
	} else if d.Overcapture == nil {
		d.Overcapture = alwaysOvercapture
	}
}
