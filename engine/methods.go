package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// MethodInput is a payment method made without a payment.
type MethodInput struct {
	CustomerID string // required
	Method     string // card
	Type       string // credit, debit; "": what the BIN tells
	Issuer     string
	IssuerCode string
	Card       *CardInput      // without CVC; nil: the customer brings it later (SavePaymentMethod)
	Metadata   json.RawMessage // a JSON object
	Billing    *Contact
	// NetworkTransactionID and Credentials (by connector account) come from payments made elsewhere.
	NetworkTransactionID string
	Credentials          map[string]MethodAccount
}

// methodRounds bounds how often a change that someone else was faster than is computed anew. Payments that save the same card take it from
// each other as often as there are of them, some more than once: a change of the merchant's tries as often as they do.
const methodRounds = saveLimit

// CreatePaymentMethod keeps a card of a customer without a payment; the customer's record of the same card is brought up to date
// instead of a second one. Errors: HE_02 for a customer or connector account that is not there, IR_16 for a card that has expired.
func (e *Engine) CreatePaymentMethod(ctx context.Context, a Auth, in MethodInput) (*PaymentMethod, error) {
	now := e.now().UTC().Truncate(time.Millisecond)
	if err := e.checkCredentialAccounts(ctx, a, in.Credentials); err != nil {
		return nil, err
	}
	if in.Card == nil {
		return e.awaitingMethod(ctx, a, in, now)
	}
	c, err := e.opts.BINTable.readExpiry(in.Card, now)
	if err != nil {
		return nil, err
	}
	return e.keepMethod(ctx, a.MerchantID, in.CustomerID, in.Card, c, now, func(m *PaymentMethod) {
		in.fill(m, c.methodType(in.Type))
	})
}

// fill takes over what was sent beside the card.
func (in *MethodInput) fill(m *PaymentMethod, kind string) {
	d := &m.Details
	setText(&d.Type, kind)
	setText(&d.Issuer, in.Issuer)
	setText(&d.IssuerCode, in.IssuerCode)
	setText(&d.NetworkTransactionID, in.NetworkTransactionID)
	if len(in.Metadata) > 0 {
		d.Metadata = in.Metadata
	}
	setPtr(&m.Private.Billing, in.Billing)
	for id, c := range in.Credentials {
		if d.Accounts == nil {
			d.Accounts = map[string]MethodAccount{}
		}
		d.Accounts[id] = c
	}
}

func (e *Engine) checkCredentialAccounts(ctx context.Context, a Auth, credentials map[string]MethodAccount) error {
	if len(credentials) == 0 {
		return nil
	}
	accounts, err := e.dir.accounts(ctx, a.MerchantID)
	if err != nil {
		return err
	}
	connectors := map[string]string{}
	for _, n := range accounts {
		connectors[n.ID] = n.Connector
	}
	for id, c := range credentials {
		connector, known := connectors[id]
		if !known {
			return NotFound("Merchant connector account")
		}
		c.Connector = connector
		credentials[id] = c
	}
	return nil
}

// awaitingMethod makes a record whose card the customer brings later.
func (e *Engine) awaitingMethod(ctx context.Context, a Auth, in MethodInput, now time.Time) (*PaymentMethod, error) {
	m := newMethod(a.MerchantID, in.CustomerID, now)
	m.Status, m.Details.Method = MethodAwaitingData, in.Method
	in.fill(m, in.Type)
	if err := e.sealMethod(m); err != nil {
		return nil, err
	}
	err := e.store.Update(ctx, func(tx Tx) error {
		if _, err := e.livingCustomer(tx, a, in.CustomerID); err != nil {
			return err
		}
		row := *m
		return tx.InsertPaymentMethod(&row)
	})
	if err != nil {
		return nil, ours(err, "create payment method")
	}
	return m, nil
}

// keepMethod puts a card among a customer's active methods; change may set more on the record.
func (e *Engine) keepMethod(ctx context.Context, merchantID, customerID string, in *CardInput, c *card, now time.Time,

	change func(m *PaymentMethod)) (*PaymentMethod, error) {
	for round := 0; ; round++ {
		s := &saving{at: now}
		var customer *Customer
		err := e.read(ctx, "read customer", func(r Reader) (err error) {
			customer, err = e.livingCustomer(r, Auth{MerchantID: merchantID}, customerID)
			return err
		})
		if err != nil {
			return nil, err
		}
		err = e.keptCard(ctx, merchantID, cardToKeep{customerID: customerID, number: in.Number, facts: c.facts, holder: in.Holder,
			nickname: in.Nickname, kind: c.methodType("")}, s, now)
		if err != nil {
			return nil, ours(err, "save payment method")
		}
		m := s.method
		m.Status, m.ModifiedAt = MethodActive, now
		change(m)
		if customer.DefaultMethodID == "" {
			customer.DefaultMethodID, customer.ModifiedAt = m.ID, now
			s.customer = customer
		}
		if err := e.sealMethod(m); err != nil {
			return nil, err
		}
		err = e.store.Update(ctx, s.write)
		if errors.Is(err, ErrConflict) && round < methodRounds {
			continue // the same card was saved at the same time
		}
		if err != nil {
			return nil, ours(err, "save payment method")
		}
		m.LastUsedAt = later(m.LastUsedAt, now)
		return m, nil
	}
}

// PaymentMethod reads one, opened. Errors: HE_02.
func (e *Engine) PaymentMethod(ctx context.Context, a Auth, id string) (*PaymentMethod, error) {
	return e.readMethod(ctx, a.MerchantID, id)
}

// bury empties a method for good; its card goes with DeleteCard.
func (m *PaymentMethod) bury(s MethodStatus, now time.Time) {
	m.Status, m.Deleted, m.Fingerprint, m.HasCard, m.ModifiedAt = s, true, "", false, now
	m.Details = MethodDetails{Method: m.Details.Method, Type: m.Details.Type}
	m.Sealed, m.Private = nil, nil
}

// DeletePaymentMethod destroys a saved card with its key, and revokes its mandates. It is final; a second time changes nothing and is
// no error. With an ephemeral key only its customer's. Errors: HE_02.
func (e *Engine) DeletePaymentMethod(ctx context.Context, a Auth, id string) error {
	err := e.store.Update(ctx, func(tx Tx) error {
		m, err := tx.PaymentMethod(a.MerchantID, id)
		if err != nil {
			return missing(err, NotFound("Payment method"))
		}
		switch {
		case m.Status == MethodRedacted, a.CustomerID != "" && a.CustomerID != m.CustomerID:
			return NotFound("Payment method")
		case m.Deleted:
			return nil
		}
		if err := deleteMethod(tx, m, MethodInactive); err != nil {
			return err
		}
		c, err := tx.Customer(m.MerchantID, m.CustomerID)
		if errors.Is(err, ErrNotFound) || err == nil && c.DefaultMethodID != m.ID {
			return nil
		}
		if err != nil {
			return err
		}
		c.DefaultMethodID, c.ModifiedAt = "", tx.Now()
		return tx.UpdateCustomer(c)
	})
	return ours(err, "delete payment method")
}

// deleteMethod destroys a method's card and revokes its mandates.
func deleteMethod(tx Tx, m *PaymentMethod, s MethodStatus) error {
	now := tx.Now()
	if m.HasCard {
		if err := tx.DeleteCard(m.MerchantID, m.ID); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	list, err := tx.Mandates(m.MerchantID, MandateFilter{CustomerID: m.CustomerID, MethodID: m.ID})
	if err != nil {
		return err
	}
	for _, n := range list {
		if n.Status == MandateRevoked {
			continue
		}
		n.Status, n.ModifiedAt = MandateRevoked, now
		if err := tx.UpdateMandate(n); err != nil {
			return err
		}
	}
	m.bury(s, now)
	return tx.UpdatePaymentMethod(m)
}

// SetDefaultPaymentMethod makes one of a customer's active methods the one that is offered first. Errors: HE_02 and IR_11 for the
// customer, IR_15 for an ephemeral key of another, IR_16 for a method that is not theirs or is the default already.
func (e *Engine) SetDefaultPaymentMethod(ctx context.Context, a Auth, customerID, id string) (*PaymentMethod, error) {
	if a.CustomerID != "" && a.CustomerID != customerID {
		return nil, notThatCustomer()
	}
	var m *PaymentMethod
	err := e.store.Update(ctx, func(tx Tx) error {
		c, err := e.livingCustomer(tx, a, customerID)
		if err != nil {
			return err
		}
		if m, err = tx.PaymentMethod(a.MerchantID, id); err != nil {
			return missing(err, Refused("The payment_method_id is not valid"))
		}
		switch {
		case m.CustomerID != customerID, m.Deleted, m.Status != MethodActive:
			return Refused("The payment_method_id is not valid")
		case c.DefaultMethodID == id:
			return Refused("Payment Method is already set as default")
		}
		c.DefaultMethodID, c.ModifiedAt = id, tx.Now()
		return tx.UpdateCustomer(c)
	})
	if err != nil {
		return nil, ours(err, "set default payment method")
	}
	return m, nil
}

func notThatCustomer() *Error {
	return &Error{Kind: KindUnauthorized, Code: "IR_15", Message: "Invalid Ephemeral Key for the customer"}
}
