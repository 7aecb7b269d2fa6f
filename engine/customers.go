package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// CustomerData is a customer as the merchant sends it. A nil field was not sent and changes nothing.
type CustomerData struct {
	ID                string // read at creation only; "": a new id
	Name              *string
	Email             *string
	Phone             *string
	PhoneCountryCode  *string
	Description       *string
	TaxRegistrationID *string
	Address           json.RawMessage // a JSON object, shown as sent
	DocumentDetails   json.RawMessage
	Metadata          json.RawMessage
}

// CreateCustomer makes a customer. Errors: IR_12 when the id is taken, IR_06 (422) for a text that is too long.
func (s *Methods) CreateCustomer(ctx context.Context, a Auth, in CustomerData) (*Customer, error) {
	c := &Customer{ID: in.ID, MerchantID: a.MerchantID, Personal: &CustomerPersonal{}}
	if c.ID == "" {
		c.ID = newID("cus_")
	}
	if err := s.applyCustomer(c, in); err != nil {
		return nil, err
	}
	err := s.store.Update(ctx, func(tx MethodTx) error {
		c.CreatedAt = tx.Now()
		c.ModifiedAt = c.CreatedAt
		return conflict(tx.InsertCustomer(c), &Error{Kind: KindInvalid, Code: "IR_12", Message: "Customer with the given `customer_id` already exists", Param: "customer_id"})
	})
	if err != nil {
		return nil, ours(err, "create customer")
	}
	return c, nil
}

// UpdateCustomer changes the fields that were sent. Errors: HE_02, IR_11 when the customer was deleted, IR_06 (422) for a text that is too long.
func (s *Methods) UpdateCustomer(ctx context.Context, a Auth, id string, in CustomerData) (*Customer, error) {
	var c *Customer
	err := s.store.Update(ctx, func(tx MethodTx) (err error) {
		if c, err = s.livingCustomer(tx, a, id); err != nil {
			return err
		}
		if err := s.applyCustomer(c, in); err != nil {
			return err
		}
		c.ModifiedAt = tx.Now()
		return tx.UpdateCustomer(c)
	})
	if err != nil {
		return nil, ours(err, "update customer")
	}
	return c, nil
}

// DeleteCustomer replaces a customer's personal data by "Redacted" and destroys the saved cards. The record stays. Errors: HE_02, IR_10 while a
// mandate is active, IR_11 the second time.
func (s *Methods) DeleteCustomer(ctx context.Context, a Auth, id string) error {
	err := s.store.Update(ctx, func(tx MethodTx) error {
		c, err := s.livingCustomer(tx, a, id)
		if err != nil {
			return err
		}
		if err := redactMethods(tx, c); err != nil {
			return err
		}
		c.redact()
		if err := s.sealCustomer(c); err != nil {
			return err
		}
		c.ModifiedAt = tx.Now()
		return tx.UpdateCustomer(c)
	})
	return ours(err, "delete customer")
}

// redactMethods destroys every card that a customer has saved, and what connector accounts keep of the customer.
func redactMethods(tx MethodTx, c *Customer) error {
	active, err := tx.Mandates(c.MerchantID, MandateFilter{CustomerID: c.ID, Status: MandateActive, Limit: 1})
	if err != nil {
		return err
	}
	if len(active) > 0 {
		return &Error{Kind: KindInvalid, Code: "IR_10", Message: "Customer has an active mandate"}
	}
	list, err := tx.AllPaymentMethods(c.MerchantID, c.ID)
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := deleteMethod(tx, m, MethodRedacted); err != nil {
			return err
		}
	}
	c.DefaultMethodID = ""
	return tx.DeleteCustomerAccounts(c.MerchantID, c.ID)
}

// Customer reads a customer, opened, a deleted one too. Errors: HE_02, IR_15 for an ephemeral key of another customer.
func (s *Methods) Customer(ctx context.Context, a Auth, id string) (c *Customer, err error) {
	if a.CustomerID != "" && a.CustomerID != id {
		return nil, notThatCustomer()
	}
	err = s.read(ctx, "read customer", func(r MethodReader) (err error) {
		c, err = r.Customer(a.MerchantID, id)
		return missing(err, NotFound("Customer"))
	})
	if err != nil {
		return nil, err
	}
	return c, s.openCustomer(c)
}

// Customers lists a merchant's customers, opened, the newest first, and counts all of them.
func (s *Methods) Customers(ctx context.Context, a Auth, limit, offset int) (list []*Customer, total int, err error) {
	err = s.read(ctx, "list customers", func(r MethodReader) (err error) {
		list, total, err = r.Customers(a.MerchantID, limit, offset)
		return err
	})
	for _, c := range list {
		if err == nil {
			err = s.openCustomer(c)
		}
	}
	return list, total, err
}

// livingCustomer reads a customer, opened. Errors: HE_02, IR_11 for a customer that was deleted.
func (s *Methods) livingCustomer(r MethodReader, a Auth, id string) (*Customer, error) {
	c, err := r.Customer(a.MerchantID, id)
	if err != nil {
		return nil, missing(err, NotFound("Customer"))
	}
	if c.Redacted {
		return nil, &Error{Kind: KindInvalid, Code: "IR_11", Message: "Customer has already been redacted"}
	}
	return c, s.openCustomer(c)
}

// applyCustomer takes the fields that were sent into an opened customer and seals it.
func (s *Methods) applyCustomer(c *Customer, in CustomerData) error {
	p := c.Personal
	assign(&p.Name, in.Name)
	assign(&p.Email, in.Email)
	assign(&p.Phone, in.Phone)
	assign(&p.PhoneCountryCode, in.PhoneCountryCode)
	assign(&p.Description, in.Description)
	assign(&p.TaxRegistrationID, in.TaxRegistrationID)
	for _, j := range []struct{ to, v *json.RawMessage }{{&p.Address, &in.Address}, {&p.DocumentDetails, &in.DocumentDetails}, {&c.Metadata, &in.Metadata}} {
		if len(*j.v) > 0 {
			*j.to = *j.v
		}
	}
	for _, t := range []struct{ field, text string }{{"name", p.Name}, {"phone", p.Phone}, {"phone_country_code", p.PhoneCountryCode},
		{"description", p.Description}, {"tax_registration_id", p.TaxRegistrationID}} {
		if err := checkLength(t.field, t.text, 255); err != nil {
			return err
		}
	}
	return s.sealCustomer(c)
}

// ensureCustomer creates the customer of a payment where the merchant has no such customer yet.
func (s *Methods) ensureCustomer(tx MethodTx, merchantID string, c *CustomerInput, now time.Time) error {
	_, err := tx.Customer(merchantID, c.ID)
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	n := &Customer{ID: c.ID, MerchantID: merchantID, CreatedAt: now, ModifiedAt: now,
		Personal: &CustomerPersonal{Name: c.Name, Email: c.Email, Phone: c.Phone, PhoneCountryCode: c.PhoneCountryCode}}
	if err := s.sealCustomer(n); err != nil {
		return err
	}
	return tx.InsertCustomer(n)
}

func (s *Methods) sealCustomer(c *Customer) (err error) {
	c.Sealed, err = s.vault.sealJSON(c.Personal, customerAD(c.MerchantID, c.ID))
	return err
}

func (s *Methods) openCustomer(c *Customer) error {
	c.Personal = &CustomerPersonal{}
	if len(c.Sealed) == 0 {
		return nil
	}
	return s.vault.openJSON(c.Sealed, customerAD(c.MerchantID, c.ID), c.Personal)
}

// CustomerAccount is what an adapter keeps of a customer at one connector account, to be sent with later calls (sdk.ConnectorData.Customer).
type CustomerAccount struct {
	MerchantID string
	CustomerID string
	AccountID  string
	Version    int // the adapter's own
	Data       string
}
