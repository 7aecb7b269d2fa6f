package method

import (
	"context"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/sdk"
)

// Instrument is what a payment charges instead of a typed card: a saved payment method, or a credential that the merchant sends.
type Instrument struct {
	Method  *PaymentMethod // nil if the merchant sent the credential
	Mandate *Mandate       // nil if the request names no mandate
	// MerchantInitiated is true if the merchant charges without the customer.
	MerchantInitiated bool
	// Stored is true if the stored credential is charged, without CVC. Otherwise the saved card is charged with a CVC that was just typed.
	Stored bool
	Token  string // payment_token as sent, "" without one

	ProcessorToken       string // the processor's reference as the merchant sent it, "" without one
	NetworkTransactionID string // as the merchant sent it with a card, "" without one
	CardOnly             bool   // the merchant sent a card and no agreement of its holder

	// Reference is the account's own reference to the stored credential, once an account is chosen; nil: the card is sent with a network
	// transaction id.
	Reference *MethodAccount
}

// RequestedInstrument returns the instrument of a payment without a typed card. It returns nil if the payment charges the card that was kept
// at its creation. A payment without a customer gets the customer of the saved method.
func (s *Methods) RequestedInstrument(ctx context.Context, p *payment.Payment, in *request.Input, now time.Time) (*Instrument, error) {
	if in.Recurring != nil || in.MandateID != "" {
		i, err := s.recurringInstrument(ctx, p, in, now)
		if unknown, ok := errors.AsType[*fault.Error](err); ok && fault.IsNotFound(err) && in.Recurring != nil {
			unknown.Param = "recurring_details.data" // where the caller named the method or the mandate
		}
		return i, err
	}
	if in.Card != nil || in.PaymentToken == "" {
		return nil, nil
	}
	m, err := s.methodOfToken(ctx, p, in.PaymentToken, now)
	if m == nil || err != nil {
		return nil, err
	}
	if in.StoredCredential != nil && !*in.StoredCredential {
		return nil, fault.Unprocessable("is_stored_credential", "is_stored_credential cannot be false when a saved payment method is charged").WithHint("Leave the field out.")
	}
	return &Instrument{Method: m, Token: in.PaymentToken, Stored: request.ChargesStored(p, in)}, nil
}

// recurringInstrument returns the instrument of a request with recurring_details or mandate_id.
func (s *Methods) recurringInstrument(ctx context.Context, p *payment.Payment, in *request.Input, now time.Time) (*Instrument, error) {
	r := request.RecurringOf(in)
	i := &Instrument{MerchantInitiated: request.MerchantInitiated(p, in), Stored: true}
	id := r.ID
	switch r.Type {
	case request.RecurringMandate:
		var err error
		if i.Mandate, err = s.mandateFor(ctx, p, id, now); err != nil {
			return nil, err
		}
		id = i.Mandate.MethodID
	case request.RecurringMethod:
	case request.RecurringProcessorToken:
		i.ProcessorToken = r.ProcessorToken
		i.Reference = &MethodAccount{Credential: &sdk.StoredCredential{ID: r.ProcessorToken}}
		return i, nil
	case request.RecurringNetworkCard:
		i.NetworkTransactionID = r.NetworkTransactionID
		return i, nil
	case request.RecurringLimitedCard:
		i.CardOnly = true
		return i, nil
	default: // network tokens, also those of wallets: no adapter takes them
		return nil, fault.NoConnector("no connector takes network tokens").WithParam("recurring_details.type").
			WithHint("Charge the card's number with network_transaction_id_and_card_details, or a kept card with payment_method_id.")
	}
	var err error
	if i.Method, err = s.ReadMethod(ctx, p.MerchantID, id); err != nil {
		return nil, err
	}
	if p.CustomerID == "" {
		takeCustomer(p, i.Method.CustomerID)
	}
	if i.Method.CustomerID != p.CustomerID {
		return nil, fault.NotFound("Payment method")
	}
	if !i.MerchantInitiated {
		i.Stored = request.ChargesStored(p, in)
	}
	return i, nil
}

func takeCustomer(p *payment.Payment, id string) {
	c := contact.Customer{}
	if p.Private.Customer != nil {
		c = *p.Private.Customer
	}
	c.ID = id
	p.CustomerID, p.Private.Customer = id, &c
}

// ReadMethod reads and opens a saved method. Errors: HE_02 for a method that was deleted or belongs to another merchant.
func (s *Methods) ReadMethod(ctx context.Context, merchantID, id string) (m *PaymentMethod, err error) {
	err = s.read(ctx, "read payment method", func(r Reader) (err error) {
		m, err = r.PaymentMethod(merchantID, id)
		return fault.IfMissing(err, fault.NotFound("Payment method"))
	})
	if err != nil {
		return nil, err
	}
	if m.Deleted || m.Status == MethodRedacted {
		return nil, fault.NotFound("Payment method")
	}
	return m, s.openMethod(m)
}

// CardOfInstrument returns the card of an instrument. It has number and CVC if the card is charged, and only facts if a stored credential is
// charged.
func (s *Methods) CardOfInstrument(ctx context.Context, i *Instrument, in *request.Input, now time.Time) (*card.Card, error) {
	switch {
	case i.Method != nil:
		return s.cardOfMethod(ctx, i, in, now)
	case i.NetworkTransactionID != "":
		return s.bins.ReadWithoutCVC(in.Recurring.Card, now)
	case i.CardOnly:
		return s.bins.ReadAlone(in.Recurring.Card, now)
	}
	return &card.Card{}, nil
}

func (s *Methods) cardOfMethod(ctx context.Context, i *Instrument, in *request.Input, now time.Time) (*card.Card, error) {
	m := i.Method
	if m.Status != MethodActive || m.Details.Card == nil {
		return nil, fault.NoConnector("the payment method is " + string(m.Status) + ", not active")
	}
	c := &card.Card{Facts: *m.Details.Card, Holder: m.Private.Holder}
	if c.Holder == "" {
		c.Holder = in.CardHolder
	}
	if c.Facts.Expired(now) {
		return nil, fault.Refused("Card Expired").WithParam("payment_method_id").WithHint("Ask the payer for a card that is still valid.")
	}
	cvc := in.CardCVC
	if i.MerchantInitiated {
		cvc = secret.Value{} // the customer is absent and cannot type it
	}
	if !cvc.IsZero() {
		if err := card.CheckCVC(cvc); err != nil {
			return nil, err
		}
	}
	if i.Stored {
		c.Secrets.CVC = cvc
		return c, nil // TakeNumber adds the number when an account needs it
	}
	c.Secrets.CVC = cvc // without a CVC, CheckAccount refuses the accounts that need one
	return c, s.TakeNumber(ctx, m, c)
}

// CheckAccount checks the instrument against the account that is to charge it: most accounts charge a saved card only with its CVC.
func (i *Instrument) CheckAccount(a *account.Account, c *card.Card) error {
	if i == nil || i.Method == nil || i.Stored || !c.Secrets.CVC.IsZero() || a.TakesSavedCardsWithoutCVC() {
		return nil
	}
	return fault.Missing("card_cvc")
}

// TakeNumber reads the number of a saved card from the vault into c.
func (s *Methods) TakeNumber(ctx context.Context, m *PaymentMethod, c *card.Card) error {
	_, data, err := s.vaultedCard(ctx, m)
	if err != nil {
		return err
	}
	c.Secrets.Number = data.Number
	return nil
}

// vaultedCard reads the card of a saved method. It returns the row as stored and the card inside.
func (s *Methods) vaultedCard(ctx context.Context, m *PaymentMethod) (stored *vault.StoredCard, data *card.Input, err error) {
	err = s.read(ctx, "read card", func(r Reader) (err error) {
		stored, err = r.Card(m.MerchantID, m.ID)
		return fault.IfMissing(err, fault.NotFound("Payment method"))
	})
	if err != nil {
		return nil, nil, err
	}
	if data, err = s.vault.OpenCard(stored); err != nil {
		return nil, nil, fault.Internal(err, "open card")
	}
	return stored, data, nil
}

// ForAdapter returns what the adapter charges: the account's reference, or the card c. A nil Instrument charges c.
func (i *Instrument) ForAdapter(c *card.Card) *sdk.Instrument {
	if i != nil && i.Reference != nil {
		return &sdk.Instrument{StoredCredentialID: i.Reference.Credential.ID}
	}
	out := &sdk.Instrument{Card: c.ForAdapter()}
	if i != nil && i.Stored {
		out.NetworkTransactionID = i.NetworkTransactionID
		if i.Method != nil {
			out.NetworkTransactionID = i.Method.Details.NetworkTransactionID
		}
	}
	return out
}

// StoredCredentialUse describes, in the card networks' terms, how a payment makes or charges a stored credential. It returns nil if the payment
// does neither.
func StoredCredentialUse(p *payment.Payment, a *payment.Attempt, i *Instrument) *sdk.StoredCredentialUse {
	switch {
	case i == nil && a.Details.Save == "":
		return nil
	case i == nil || a.Details.Save != "":
		return &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, First: true, Usage: a.Details.Save}
	case i.MerchantInitiated:
		return &sdk.StoredCredentialUse{Initiator: sdk.InitiatorMerchant, Usage: sdk.UsageOffSession, Category: p.Details.MITCategory}
	case i.Stored:
		return &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, Usage: sdk.UsageOffSession}
	}
	return &sdk.StoredCredentialUse{Initiator: sdk.InitiatorCustomer, Usage: sdk.UsageOnSession}
}

// Fill records the instrument on the attempt, and on the payment the values that come from the saved method. A nil Instrument records nothing.
func (i *Instrument) Fill(p *payment.Payment, a *payment.Attempt) {
	if i == nil {
		return
	}
	a.Details.MerchantInitiated, a.Details.Token = i.MerchantInitiated, i.Token
	if i.MerchantInitiated {
		p.Details.AuthenticationType = payment.AuthenticationNoThreeDS
	}
	if i.Reference != nil {
		a.Details.StoredCredential = i.Reference.Credential
	}
	if i.Mandate != nil {
		p.Details.MandateID, a.Details.Mandate = i.Mandate.ID, i.Mandate.ID
	}
	if i.Method == nil {
		return
	}
	a.Details.MethodID, a.Details.CardDiscovery = i.Method.ID, request.DiscoveredSaved
	a.Details.PaymentMethod, a.Details.PaymentMethodType = i.Method.Details.Method, i.Method.Details.Type
	if p.Private.Billing == nil {
		p.Private.Billing = i.Method.Private.Billing
	}
}

// ConnectorData returns the adapter's data about the method and the customer at an account, to be sent with the call, or nil.
func (s *Methods) ConnectorData(ctx context.Context, p *payment.Payment, accountID string, i *Instrument, in *request.Input) (*sdk.ConnectorData, error) {
	if i != nil && i.Reference != nil && (i.Reference.Data != "" || i.Reference.CustomerData != "") {
		r := i.Reference
		return &sdk.ConnectorData{Version: r.DataVersion, Method: r.Data, Customer: r.CustomerData}, nil
	}
	if p.CustomerID == "" || i == nil && SaveUsage(p, in, i) == "" {
		return nil, nil
	}
	var c *CustomerAccount
	err := s.read(ctx, "read customer at account", func(r Reader) (err error) {
		c, err = r.CustomerAccount(p.MerchantID, p.CustomerID, accountID)
		return err
	})
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &sdk.ConnectorData{Version: c.Version, Customer: c.Data}, nil
}

// Fits reports whether an account with these features can charge the stored credential. It sets Reference if the account has a reference of its
// own; otherwise the card is sent with the network's transaction id. crossed is true if the account's reference is for another currency.
func (i *Instrument) Fits(p *payment.Payment, profile *account.Profile, accountID string, f sdk.Features) (fits, crossed bool) {
	switch {
	case i.ProcessorToken != "":
		return f.StoredCredential, false
	case i.NetworkTransactionID != "":
		return f.NetworkMIT, false
	case i.CardOnly:
		return f.CardOnlyMIT, false
	}
	i.Reference = nil
	if r, ok := i.Method.Details.Accounts[accountID]; ok && r.Credential != nil && f.StoredCredential {
		if r.Currency == "" || r.Currency == p.Currency {
			i.Reference = &r
			return true, false
		}
		crossed = true
	}
	return i.Method.viaNetwork(profile) && f.NetworkMIT, crossed
}

// Claim checks, in the transaction that makes the charge durable, that method and mandate can still be charged. It takes the one charge of a
// single-use mandate and marks the method as used.
func (i *Instrument) Claim(tx Tx, p *payment.Payment, now time.Time) error {
	if i.Mandate != nil {
		if err := claimMandate(tx, p, i.Mandate.ID, now); err != nil {
			return err
		}
	}
	if i.Method == nil {
		return nil
	}
	m, err := tx.PaymentMethod(i.Method.MerchantID, i.Method.ID)
	if err != nil {
		return fault.IfMissing(err, fault.NotFound("Payment method"))
	}
	if m.Deleted || m.Status != MethodActive {
		return fault.NotFound("Payment method")
	}
	return tx.TouchPaymentMethod(m.MerchantID, m.ID, now)
}
