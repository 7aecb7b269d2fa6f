package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"payswitch/sdk"
)

// use is how a payment is charged where no card was typed: with a saved payment method, or with a credential that the merchant brings.
type use struct {
	method  *PaymentMethod // nil where the merchant brought the credential
	mandate *Mandate       // nil where none was named
	mit     bool           // the merchant charges without the customer
	// stored says that the stored credential is charged, without CVC; else it is the saved card with a CVC just typed.
	stored bool
	token  string // payment_token as sent

	processorToken string // brought by the merchant
	network        string // brought network transaction id

	// What routing chose for a stored credential: the processor's own reference, or the card with a network transaction id.
	reference *MethodAccount
}

// useOf says how a payment without a typed card is charged; nil where it is the card kept for an unconfirmed payment.
func (e *Engine) useOf(ctx context.Context, w *work, in *PaymentInput, now time.Time) (*use, error) {
	if in.Recurring != nil || in.MandateID != "" {
		return e.recurringUse(ctx, w, in, now)
	}
	if in.Card != nil || in.PaymentToken == "" {
		return nil, nil
	}
	m, err := e.methodOfToken(ctx, w.p, in.PaymentToken, now)
	if m == nil || err != nil {
		return nil, err
	}
	if string(in.Echo["is_stored_credential"]) == "false" {
		return nil, Unprocessable("is_stored_credential", "is_stored_credential cannot be false when a saved payment method is charged")
	}
	return &use{method: m, token: in.PaymentToken, stored: chargesStored(w.p, in)}, nil
}

// recurringUse reads what a charge of an earlier credential charges. It takes the method's own customer where the payment has none.
func (e *Engine) recurringUse(ctx context.Context, w *work, in *PaymentInput, now time.Time) (*use, error) {
	r := recurringOf(in)
	u := &use{mit: merchantInitiated(w.p, in), stored: true}
	id := r.ID
	switch r.Type {
	case recurringMandate:
		var err error
		if u.mandate, err = e.mandateFor(ctx, w.p, id, now); err != nil {
			return nil, err
		}
		id = u.mandate.MethodID
	case recurringMethod:
	case recurringProcessorToken:
		u.processorToken = r.ProcessorToken
		u.reference = &MethodAccount{Credential: &sdk.StoredCredential{ID: r.ProcessorToken}}
		return u, nil
	case recurringNetworkCard:
		u.network = r.NetworkTransactionID
		return u, nil
	case recurringLimitedCard:
		return nil, NotImplemented("recurring_details: " + r.Type).About("recurring_details.type")
	default: // network tokens, of wallets too: no adapter takes them
		return nil, noConnector("no connector takes network tokens")
	}
	var err error
	if u.method, err = e.readMethod(ctx, w.p.MerchantID, id); err != nil {
		return nil, err
	}
	if w.p.CustomerID == "" {
		takeCustomer(w.p, u.method.CustomerID)
	}
	if u.method.CustomerID != w.p.CustomerID {
		return nil, NotFound("Payment method")
	}
	if !u.mit {
		u.stored = chargesStored(w.p, in)
	}
	return u, nil
}

func takeCustomer(p *Payment, id string) {
	c := CustomerInput{}
	if p.Private.Customer != nil {
		c = *p.Private.Customer
	}
	c.ID = id
	p.CustomerID, p.Private.Customer = id, &c
}

// readMethod reads a saved method, opened. One that was deleted or belongs to another merchant is not found.
func (e *Engine) readMethod(ctx context.Context, merchantID, id string) (m *PaymentMethod, err error) {
	err = e.read(ctx, "read payment method", func(r Reader) (err error) {
		m, err = r.PaymentMethod(merchantID, id)
		return missing(err, NotFound("Payment method"))
	})
	if err != nil {
		return nil, err
	}
	if m.Deleted || m.Status == MethodRedacted {
		return nil, NotFound("Payment method")
	}
	return m, e.openMethod(m)
}

// cardOfUse is the card behind a use: with number and CVC where the card is what is charged, with its facts alone where a credential is.
func (e *Engine) cardOfUse(ctx context.Context, u *use, in *PaymentInput, now time.Time) (*card, error) {
	switch {
	case u.method != nil:
		return e.cardOfMethod(ctx, u, in, now)
	case u.network != "":
		return e.opts.BINTable.readExpiry(in.Recurring.Card, now)
	}
	return &card{}, nil
}

func (e *Engine) cardOfMethod(ctx context.Context, u *use, in *PaymentInput, now time.Time) (*card, error) {
	m := u.method
	if m.Status != MethodActive || m.Details.Card == nil {
		return nil, noConnector("the payment method is " + string(m.Status) + ", not active")
	}
	c := &card{facts: *m.Details.Card, holder: m.Private.Holder}
	if c.holder == "" {
		c.holder = in.CardHolder
	}
	if c.facts.Expired(now) {
		return nil, Refused("Card Expired")
	}
	cvc := in.CardCVC
	if u.mit {
		cvc = Secret{} // there is nobody who could have typed it now
	}
	if !cvc.IsZero() {
		if err := checkCVC(cvc); err != nil {
			return nil, err
		}
	}
	if u.stored {
		c.secrets.CVC = cvc
		return c, nil // the number leaves the vault when a connector needs it
	}
	if cvc.IsZero() {
		return nil, Missing("card_cvc")
	}
	c.secrets.CVC = cvc
	return c, e.takeNumber(ctx, m, c)
}

// takeNumber takes the card number out of the vault.
func (e *Engine) takeNumber(ctx context.Context, m *PaymentMethod, c *card) error {
	data, err := e.vaultedCard(ctx, m)
	if err != nil {
		return err
	}
	c.secrets.Number = data.Number
	return nil
}

func (e *Engine) vaultedCard(ctx context.Context, m *PaymentMethod) (CardData, error) {
	var stored *StoredCard
	err := e.read(ctx, "read card", func(r Reader) (err error) {
		stored, err = r.Card(m.MerchantID, m.ID)
		return missing(err, NotFound("Payment method"))
	})
	if err != nil {
		return CardData{}, err
	}
	data, err := e.vault.OpenCard(stored)
	if err != nil {
		return CardData{}, Internal(err, "open card")
	}
	return data, nil
}

// instrument is what the adapter is told to charge.
func (u *use) instrument(c *card) *sdk.Instrument {
	if u != nil && u.reference != nil {
		return &sdk.Instrument{StoredCredentialID: u.reference.Credential.ID}
	}
	out := &sdk.Instrument{Card: c.forAdapter()}
	if u != nil && u.stored {
		out.NetworkTransactionID = u.network
		if u.method != nil {
			out.NetworkTransactionID = u.method.Details.NetworkTransactionID
		}
	}
	return out
}

// storedCredentialUse is how the payment relates to a stored credential, in the card networks' terms; nil where it does not.
func storedCredentialUse(p *Payment, a *Attempt, u *use) *sdk.StoredCredentialUse {
	switch {
	case u == nil && a.Details.Save == "":
		return nil
	case u == nil || a.Details.Save != "":
		return &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: a.Details.Save}
	case u.mit:
		var category string
		if raw := p.Details.Echo["mit_category"]; len(raw) > 0 {
			_ = json.Unmarshal(raw, &category) // a text of a closed list, checked when it came
		}
		return &sdk.StoredCredentialUse{Initiator: "mit", Usage: usageOffSession, Category: category}
	case u.stored:
		return &sdk.StoredCredentialUse{Initiator: "cit", Usage: usageOffSession}
	}
	return &sdk.StoredCredentialUse{Initiator: "cit", Usage: usageOnSession}
}

// fillUse notes on the attempt what is charged, and on the payment what it takes over from the saved method.
func (w *work) fillUse() {
	u, a := w.use, w.a
	if u == nil {
		return
	}
	a.Details.MerchantInitiated, a.Details.Token = u.mit, u.token
	if u.mit {
		w.p.Details.AuthenticationType = authenticationNoThreeDS
	}
	if u.reference != nil {
		a.Details.StoredCredential = u.reference.Credential
	}
	if u.mandate != nil {
		w.p.Details.MandateID = u.mandate.ID
		if u.mandate.Details.Terms.SingleUse {
			a.Details.Mandate = u.mandate.ID
		}
	}
	if u.method == nil {
		return
	}
	a.Details.MethodID, a.Details.CardDiscovery = u.method.ID, discoveredSaved
	a.Details.PaymentMethod, a.Details.PaymentMethodType = u.method.Details.Method, u.method.Details.Type
	if w.p.Private.Billing == nil {
		w.p.Private.Billing = u.method.Private.Billing
	}
}

// connectorData is what the adapter wanted to be told again of the method and of the customer at this account; nil when it is nothing.
func (e *Engine) connectorData(ctx context.Context, w *work, in *PaymentInput) (*sdk.ConnectorData, error) {
	u := w.use
	if u != nil && u.reference != nil && (u.reference.Data != "" || u.reference.CustomerData != "") {
		r := u.reference
		return &sdk.ConnectorData{Version: r.DataVersion, Method: r.Data, Customer: r.CustomerData}, nil
	}
	if w.p.CustomerID == "" || u == nil && savesAs(w.p, in, u) == "" {
		return nil, nil
	}
	var c *CustomerAccount
	err := e.read(ctx, "read customer at account", func(r Reader) (err error) {
		c, err = r.CustomerAccount(w.p.MerchantID, w.p.CustomerID, w.account.ID)
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &sdk.ConnectorData{Version: c.Version, Customer: c.Data}, nil
}

// claim checks in the transaction of the intent that the method and mandate may still be charged, and takes a single-use mandate's one charge.
func (u *use) claim(tx Tx, p *Payment, now time.Time) error {
	if u.mandate != nil {
		if err := claimMandate(tx, p, u.mandate.ID, now); err != nil {
			return err
		}
	}
	if u.method == nil {
		return nil
	}
	m, err := tx.PaymentMethod(u.method.MerchantID, u.method.ID)
	if err != nil {
		return missing(err, NotFound("Payment method"))
	}
	if m.Deleted || m.Status != MethodActive {
		return NotFound("Payment method")
	}
	return tx.TouchPaymentMethod(m.MerchantID, m.ID, now)
}
