package change

import (
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/drive"
	"payswitch/engine/method"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Confirming is a loaded payment during its confirm, with the instrument that it charges and the decisions that come before the first send.
type Confirming struct {
	*Loaded
	Instrument *method.Instrument        // nil for a typed card
	Exemption  *payment.AttemptExemption // of the attempt that the confirm will make
	// SoftDeclined is true if the issuer declined the previous attempt because it wants an authentication.
	SoftDeclined bool
	Holds        []Hold    // places that the attempt takes at the counters of its profile's guard
	CardHold     *CardHold // the place of a repeat at its card, nil for none
	// Further are the accounts that routing would try after the chosen one, in order.
	Further []*account.Account
	// CardInfo is the card for the merchant's own key, nil unless the profile asks for it.
	CardInfo *payment.CardToken
}

// FillAttempt records on the attempt the card, the instrument and the request that the attempt is made with.
func (w *Confirming) FillAttempt(in *request.Input, c *card.Card) {
	a := w.Attempt
	a.Connector, a.AccountID, a.AccountVersion = w.Account.Connector, w.Account.ID, w.Account.Fingerprint
	f := c.Facts
	optional.SetText(&a.Details.PaymentMethodType, c.MethodType(in.PaymentMethodType))
	a.Details.PaymentMethod, a.Details.Card, a.Details.Confirmed = payment.MethodCard, &f, true
	if f.BIN == "" {
		a.Details.Card = nil // a processor's token does not reveal the card
	}
	a.Details.CardDiscovery = payment.DiscoveredManual
	a.Details.Error, a.Details.Exemption, a.Details.Authentication = nil, w.Exemption, nil // the attempt may have been confirmed before, with another card
	a.Details.Save, a.Details.MethodID, a.Details.Mandate, a.Details.StoredCredential = method.SaveUsage(w.Payment, in, w.Instrument), "", "", nil
	if w.Payment.Details.Mandate == nil { // an earlier attempt may have charged a mandate
		w.Payment.Details.MandateID = ""
	}
	w.Instrument.Fill(w.Payment, w.Attempt)
	a.Details.Reference = drive.ForAttempt.Reference(w.Adapter.Manifest.Reference, a.MerchantID, a.ID, a.CreatedAt.UnixMilli())
	c.Holder = contact.HolderOf(c.Holder, w.Payment.Private.MethodBilling, w.Payment.Private.Billing)
	a.Private = &payment.AttemptPrivate{Holder: c.Holder}
	if in.Card != nil {
		a.Private.Nickname = in.Card.Nickname
	}
}

// Confirmed adds to a change the rows of every confirm: the customer, the end of the kept card, and the claim of the instrument.
func (w *Confirming) Confirmed(c *Change) {
	c.KeepCustomer(w.Loaded)
	c.DropCard, c.Instrument, c.CardInfo = w.Payment.Details.Token, w.Instrument, w.CardInfo
	w.Payment.Details.Token = ""
	if w.Instrument != nil {
		w.Method = w.Instrument.Method
	}
}

// AuthorizeKind returns the operation that begins a payment at the processor.
func AuthorizeKind(w *Loaded) sdk.Operation {
	if w.Payment.NetAmount == 0 && slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVerify) {
		return sdk.OpVerify // a zero amount checks (and stores) the card and charges nothing
	}
	return sdk.OpAuthorize
}
