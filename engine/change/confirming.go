package change

import (
	"slices"

	"payswitch/engine/card"
	"payswitch/engine/drive"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Confirming is a loaded payment that is being confirmed: with the instrument that it charges and what is decided before anything is sent.
type Confirming struct {
	*Loaded
	Instrument *method.Instrument        // nil where a card was typed
	Exemption  *payment.AttemptExemption // of the attempt about to be made
	// SoftDeclined says that the attempt before it was declined for want of authentication.
	SoftDeclined bool
}

// FillAttempt notes what the attempt is made with.
func (w *Confirming) FillAttempt(in *request.Input, c *card.Card) {
	a := w.Attempt
	a.Connector, a.AccountID = w.Account.Connector, w.Account.ID
	f := c.Facts
	payment.SetText(&a.Details.PaymentMethodType, c.MethodType(in.PaymentMethodType))
	a.Details.PaymentMethod, a.Details.Card, a.Details.Confirmed = payment.MethodCard, &f, true
	if f.BIN == "" {
		a.Details.Card = nil // a processor's token tells nothing of the card
	}
	a.Details.CardDiscovery = payment.DiscoveredManual
	a.Details.Error, a.Details.Exemption = nil, w.Exemption
	a.Details.Save, a.Details.MethodID, a.Details.Mandate, a.Details.StoredCredential = method.SaveUsage(w.Payment, in, w.Instrument), "", "", nil
	w.Instrument.Fill(w.Payment, w.Attempt)
	a.Details.Reference = drive.Reference(w.Adapter.Manifest.Reference, a.ID, a.CreatedAt.UnixMilli())
	c.Holder = payment.HolderOf(c.Holder, w.Payment.Private.Billing)
	a.Private = &payment.AttemptPrivate{Holder: c.Holder}
	if in.Card != nil {
		a.Private.Nickname = in.Card.Nickname
	}
}

// Confirmed adds to a change what every confirm takes: the customer, the card kept for it, and the saved method that it charges.
func (w *Confirming) Confirmed(c *Change) {
	c.CustomerSeen, c.DropCard, c.Instrument = true, w.Payment.Details.Token, w.Instrument
	w.Payment.Details.Token = ""
	if w.Instrument != nil {
		w.Method = w.Instrument.Method
	}
}

// AuthorizeKind is the operation that begins a payment at the processor.
func AuthorizeKind(w *Loaded) sdk.Operation {
	if w.Payment.NetAmount == 0 && slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVerify) {
		return sdk.OpVerify // zero amount: checked (and stored), not charged
	}
	return sdk.OpAuthorize
}
