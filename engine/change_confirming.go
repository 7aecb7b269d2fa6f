package engine

import (
	"slices"

	"payswitch/sdk"
)

// confirming is a loaded payment that is being confirmed: with the instrument that it charges and what is decided before anything is sent.
type confirming struct {
	*loaded
	instrument *Instrument       // nil where a card was typed
	exemption  *AttemptExemption // of the attempt about to be made
	// softDeclined says that the attempt before it was declined for want of authentication.
	softDeclined bool
}

// fillAttempt notes what the attempt is made with.
func (w *confirming) fillAttempt(in *PaymentInput, c *card) {
	a := w.a
	a.Connector, a.AccountID = w.account.Connector, w.account.ID
	f := c.facts
	setText(&a.Details.PaymentMethodType, c.methodType(in.PaymentMethodType))
	a.Details.PaymentMethod, a.Details.Card, a.Details.Confirmed = methodCard, &f, true
	if f.BIN == "" {
		a.Details.Card = nil // a processor's token tells nothing of the card
	}
	a.Details.CardDiscovery = discoveredManual
	a.Details.Error, a.Details.Exemption = nil, w.exemption
	a.Details.Save, a.Details.MethodID, a.Details.Mandate, a.Details.StoredCredential = saveUsage(w.p, in, w.instrument), "", "", nil
	w.instrument.fill(w.p, w.a)
	a.Details.Reference = reference(w.adapter.Manifest.Reference, a.ID, a.CreatedAt.UnixMilli())
	c.holder = holderOf(c.holder, w.p.Private.Billing)
	a.Private = &AttemptPrivate{Holder: c.holder}
	if in.Card != nil {
		a.Private.Nickname = in.Card.Nickname
	}
}

// confirmed adds to a change what every confirm takes: the customer, the card kept for it, and the saved method that it charges.
func (w *confirming) confirmed(c *Change) {
	c.CustomerSeen, c.DropCard, c.Instrument = true, w.p.Details.Token, w.instrument
	w.p.Details.Token = ""
	if w.instrument != nil {
		w.method = w.instrument.Method
	}
}

// authorizeKind is the operation that begins a payment at the processor.
func authorizeKind(w *loaded) sdk.Operation {
	if w.p.NetAmount == 0 && slices.Contains(w.adapter.Manifest.Operations, sdk.OpVerify) {
		return sdk.OpVerify // zero amount: checked (and stored), not charged
	}
	return sdk.OpAuthorize
}
