package method

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
)

// MethodInput is a saved payment method that the merchant makes without a payment.
type MethodInput struct {
	CustomerID string // required
	Method     string // card
	Type       string // credit, debit; "": as the card's BIN says
	Issuer     string
	IssuerCode string
	Card       *card.Input     // without CVC; nil: the customer enters it later (SavePaymentMethod)
	Metadata   json.RawMessage // a JSON object
	Billing    *contact.Contact
	// NetworkTransactionID and Credentials (by connector account) come from payments that another system made.
	NetworkTransactionID string
	Credentials          map[string]MethodAccount
}

// methodRounds limits how often a change is decided again after a conflict with another writer. Payments that save the same card at the same time
// can cause up to saveLimit conflicts. A change by the merchant is tried as often.
const methodRounds = saveLimit

// CreatePaymentMethod saves a customer's card without a payment. If the customer has already saved the card, it updates and returns that record.
// Errors: HE_02 for an unknown customer or connector account, IR_16 for a card that has expired.
func (s *Methods) CreatePaymentMethod(ctx context.Context, a account.Auth, in MethodInput) (*PaymentMethod, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	if err := s.checkCredentialAccounts(ctx, a, in.Credentials); err != nil {
		return nil, err
	}
	if in.Card == nil {
		return s.createWithoutCard(ctx, a, in, now)
	}
	return s.createWithCard(ctx, a, in, now)
}

// fill copies the merchant's data about the card. An empty text leaves the record as it is.
func (in *MethodInput) fill(m *PaymentMethod, kind string) {
	d := &m.Details
	optional.SetText(&d.Type, kind)
	optional.SetText(&d.Issuer, in.Issuer)
	optional.SetText(&d.IssuerCode, in.IssuerCode)
	optional.SetText(&d.NetworkTransactionID, in.NetworkTransactionID)
	if len(in.Metadata) > 0 {
		d.Metadata = in.Metadata
	}
	optional.Set(&m.Private.Billing, in.Billing)
	for id, c := range in.Credentials {
		if d.Accounts == nil {
			d.Accounts = map[string]MethodAccount{}
		}
		d.Accounts[id] = c
	}
}

// checkCredentialAccounts checks that the merchant has every connector account, and completes each credential with its connector.
func (s *Methods) checkCredentialAccounts(ctx context.Context, a account.Auth, credentials map[string]MethodAccount) error {
	if len(credentials) == 0 {
		return nil
	}
	accounts, err := s.directory.Accounts(ctx, a.MerchantID)
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
			return fault.NotFound("Merchant connector account").WithParam("connector_mandate_details")
		}
		c.Connector = connector
		credentials[id] = c
	}
	return nil
}

// createWithoutCard makes a record whose card the customer enters later.
func (s *Methods) createWithoutCard(ctx context.Context, a account.Auth, in MethodInput, now time.Time) (*PaymentMethod, error) {
	m := newMethod(a.MerchantID, in.CustomerID, now)
	m.Status, m.Details.Method = MethodAwaitingData, in.Method
	in.fill(m, in.Type)
	if err := s.sealMethod(m); err != nil {
		return nil, err
	}
	err := s.store.Update(ctx, func(tx Tx) error {
		if _, err := s.livingCustomer(tx, a, in.CustomerID); err != nil {
			return err
		}
		row := *m
		return tx.InsertPaymentMethod(&row)
	})
	if err != nil {
		return nil, fault.FromStore(err, "create payment method")
	}
	return m, nil
}

// createWithCard saves the card among the customer's active methods.
func (s *Methods) createWithCard(ctx context.Context, a account.Auth, in MethodInput, now time.Time) (*PaymentMethod, error) {
	card, err := s.bins.ReadWithoutCVC(in.Card, now)
	if err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		var customer *account.Customer
		err := s.read(ctx, "read customer", func(r Reader) (err error) {
			customer, err = s.livingCustomer(r, a, in.CustomerID)
			return err
		})
		if err != nil {
			return nil, err
		}
		c := &SavedChange{usedAt: now}
		err = s.putCard(ctx, a.MerchantID, cardToSave{customerID: in.CustomerID, number: in.Card.Number, facts: card.Facts, holder: in.Card.Holder.Reveal(),
			nickname: in.Card.Nickname, kind: card.MethodType("")}, c, now)
		if err != nil {
			return nil, fault.FromStore(err, "save payment method")
		}
		m := c.Method
		m.Status, m.ModifiedAt = MethodActive, now
		in.fill(m, card.MethodType(in.Type))
		c.offerFirst(customer, now)
		if err := s.sealMethod(m); err != nil {
			return nil, err
		}
		err = s.store.Update(ctx, c.Apply)
		if errors.Is(err, fault.ErrConflict) && round < methodRounds {
			continue // another request saved the same card at the same time
		}
		if err != nil {
			return nil, fault.FromStore(err, "save payment method")
		}
		if now.After(m.LastUsedAt) {
			m.LastUsedAt = now
		}
		return m, nil
	}
}

// Of reads a saved method as it is now, even a deleted one, sealed. It returns nil for the id "" or a method that does not exist.
func Of(r Reader, merchantID, id string) (*PaymentMethod, error) {
	if id == "" {
		return nil, nil
	}
	m, err := r.PaymentMethod(merchantID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil
	}
	return m, err
}

// PaymentMethod reads and opens a saved method. Errors: HE_02.
func (s *Methods) PaymentMethod(ctx context.Context, a account.Auth, id string) (*PaymentMethod, error) {
	return s.ReadMethod(ctx, a.MerchantID, id)
}

// markDeleted empties a method for good. The caller deletes the card of the vault.
func (m *PaymentMethod) markDeleted(status Status, now time.Time) {
	m.Status, m.Deleted, m.Fingerprint, m.HasCard, m.ModifiedAt = status, true, "", false, now
	m.Details = Details{Method: m.Details.Method, Type: m.Details.Type}
	m.Sealed, m.Private = nil, nil
}

// DeletePaymentMethod destroys a saved card with its key, and revokes its mandates, for good. A second call changes nothing and succeeds. An
// ephemeral key deletes only methods of its own customer. Errors: HE_02.
func (s *Methods) DeletePaymentMethod(ctx context.Context, a account.Auth, id string) error {
	err := s.store.Update(ctx, func(tx Tx) error {
		m, err := tx.PaymentMethod(a.MerchantID, id)
		if err != nil {
			return fault.IfMissing(err, fault.NotFound("Payment method"))
		}
		switch {
		case m.Status == MethodRedacted, a.CustomerID != "" && a.CustomerID != m.CustomerID:
			return fault.NotFound("Payment method")
		case m.Deleted:
			return nil
		}
		if err := deleteMethod(tx, m, MethodInactive); err != nil {
			return err
		}
		c, err := tx.Customer(m.MerchantID, m.CustomerID)
		if errors.Is(err, fault.ErrNotFound) || err == nil && c.DefaultMethodID != m.ID {
			return nil
		}
		if err != nil {
			return err
		}
		c.DefaultMethodID, c.ModifiedAt = "", tx.Now()
		return tx.UpdateCustomer(c)
	})
	return fault.FromStore(err, "delete payment method")
}

// deleteMethod destroys a method's card and revokes its mandates.
func deleteMethod(tx Tx, m *PaymentMethod, status Status) error {
	now := tx.Now()
	if m.HasCard {
		if err := tx.DeleteCard(m.MerchantID, m.ID); err != nil && !errors.Is(err, fault.ErrNotFound) {
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
	m.markDeleted(status, now)
	return tx.UpdatePaymentMethod(m)
}

// SetDefaultPaymentMethod makes one of a customer's active methods the default, which a checkout offers first. Errors: HE_02 and IR_11 for the
// customer, IR_15 for an ephemeral key of another customer; IR_16 for a method that belongs to another customer or is the default already.
func (s *Methods) SetDefaultPaymentMethod(ctx context.Context, a account.Auth, customerID, id string) (*PaymentMethod, error) {
	if a.CustomerID != "" && a.CustomerID != customerID {
		return nil, otherCustomer()
	}
	var m *PaymentMethod
	err := s.store.Update(ctx, func(tx Tx) error {
		c, err := s.livingCustomer(tx, a, customerID)
		if err != nil {
			return err
		}
		if m, err = tx.PaymentMethod(a.MerchantID, id); err != nil {
			return fault.IfMissing(err, fault.Refused("The payment_method_id is not valid").WithParam("payment_method_id").WithHint("Send the id of an active payment method of this customer."))
		}
		switch {
		case m.CustomerID != customerID, m.Deleted, m.Status != MethodActive:
			return fault.Refused("The payment_method_id is not valid").WithParam("payment_method_id").WithHint("Send the id of an active payment method of this customer.")
		case c.DefaultMethodID == id:
			return fault.Refused("Payment Method is already set as default").WithParam("payment_method_id").WithHint("Nothing needs to be changed.")
		}
		c.DefaultMethodID, c.ModifiedAt = id, tx.Now()
		return tx.UpdateCustomer(c)
	})
	if err != nil {
		return nil, fault.FromStore(err, "set default payment method")
	}
	return m, nil
}

func otherCustomer() *fault.Error {
	return &fault.Error{Kind: fault.KindUnauthorized, Code: "IR_15", Message: "Invalid Ephemeral Key for the customer"}
}
