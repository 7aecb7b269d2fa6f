package method

import (
	"context"
	"encoding/json"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/optional"
	"payswitch/engine/vault"
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
func (s *Methods) CreateCustomer(ctx context.Context, a account.Auth, in CustomerData) (*account.Customer, error) {
	c := &account.Customer{ID: in.ID, MerchantID: a.MerchantID, Personal: &account.CustomerPersonal{}}
	if c.ID == "" {
		c.ID = ids.New("cus_")
	}
	if err := s.applyCustomer(c, in); err != nil {
		return nil, err
	}
	err := s.store.Update(ctx, func(tx Tx) error {
		c.CreatedAt = tx.Now()
		c.ModifiedAt = c.CreatedAt
		return fault.IfConflict(tx.InsertCustomer(c), &fault.Error{Kind: fault.KindInvalid, Code: "IR_12", Message: "Customer with the given `customer_id` already exists", Param: "customer_id", Hint: "Choose another customer_id, or leave it out."})
	})
	if err != nil {
		return nil, fault.FromStore(err, "create customer")
	}
	return c, nil
}

// UpdateCustomer changes the fields that were sent. Errors: HE_02, IR_11 when the customer was deleted, IR_06 (422) for a text that is too long.
func (s *Methods) UpdateCustomer(ctx context.Context, a account.Auth, id string, in CustomerData) (*account.Customer, error) {
	var c *account.Customer
	err := s.store.Update(ctx, func(tx Tx) (err error) {
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
		return nil, fault.FromStore(err, "update customer")
	}
	return c, nil
}

// DeleteCustomer replaces a customer's personal data by "Redacted" and destroys the saved cards. The record stays. Errors: HE_02, IR_10 while a
// mandate is active, IR_11 the second time.
func (s *Methods) DeleteCustomer(ctx context.Context, a account.Auth, id string) error {
	err := s.store.Update(ctx, func(tx Tx) error {
		c, err := s.livingCustomer(tx, a, id)
		if err != nil {
			return err
		}
		if err := redactMethods(tx, c); err != nil {
			return err
		}
		c.Redact()
		if err := s.sealCustomer(c); err != nil {
			return err
		}
		c.ModifiedAt = tx.Now()
		return tx.UpdateCustomer(c)
	})
	return fault.FromStore(err, "delete customer")
}

// redactMethods destroys every card that a customer has saved, and the adapters' data about the customer.
func redactMethods(tx Tx, c *account.Customer) error {
	active, err := tx.Mandates(c.MerchantID, MandateFilter{CustomerID: c.ID, Status: MandateActive, Limit: 1})
	if err != nil {
		return err
	}
	if len(active) > 0 {
		return &fault.Error{Kind: fault.KindInvalid, Code: "IR_10", Message: "Customer has an active mandate", Param: "customer_id", Hint: "Revoke the customer's mandates first."}
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

// Customer reads and opens a customer, even a deleted one. Errors: HE_02, IR_15 for an ephemeral key of another customer.
func (s *Methods) Customer(ctx context.Context, a account.Auth, id string) (c *account.Customer, err error) {
	if a.CustomerID != "" && a.CustomerID != id {
		return nil, otherCustomer()
	}
	err = s.read(ctx, "read customer", func(r Reader) (err error) {
		c, err = r.Customer(a.MerchantID, id)
		return fault.IfMissing(err, fault.NotFound("Customer"))
	})
	if err != nil {
		return nil, err
	}
	return c, s.OpenCustomer(c)
}

// CustomerTotal returns the number of a merchant's customers.
func (s *Methods) CustomerTotal(ctx context.Context, a account.Auth) (total int, err error) {
	err = s.read(ctx, "count customers", func(r Reader) (err error) {
		total, err = r.CustomerTotal(a.MerchantID)
		return err
	})
	return total, err
}

// Customers lists a merchant's customers, opened, newest first.
func (s *Methods) Customers(ctx context.Context, a account.Auth, limit, offset int) (list []*account.Customer, err error) {
	err = s.read(ctx, "list customers", func(r Reader) (err error) {
		list, err = r.Customers(a.MerchantID, limit, offset)
		return err
	})
	for _, c := range list {
		if err == nil {
			err = s.OpenCustomer(c)
		}
	}
	return list, err
}

// livingCustomer reads and opens a customer. Errors: HE_02, IR_11 for a customer that was deleted.
func (s *Methods) livingCustomer(r Reader, a account.Auth, id string) (*account.Customer, error) {
	c, err := r.Customer(a.MerchantID, id)
	if err != nil {
		return nil, fault.IfMissing(err, fault.NotFound("Customer"))
	}
	if err := Living(c); err != nil {
		return nil, err
	}
	return c, s.OpenCustomer(c)
}

// Living refuses a customer who was deleted (IR_11).
func Living(c *account.Customer) error {
	if !c.Redacted {
		return nil
	}
	return &fault.Error{Kind: fault.KindInvalid, Code: "IR_11", Message: "Customer has already been redacted", Param: "customer_id", Hint: "Use another customer."}
}

// applyCustomer copies the fields that were sent into an opened customer, and seals it.
func (s *Methods) applyCustomer(c *account.Customer, in CustomerData) error {
	p := c.Personal
	optional.SetValue(&p.Name, in.Name)
	optional.SetValue(&p.Email, in.Email)
	optional.SetValue(&p.Phone, in.Phone)
	optional.SetValue(&p.PhoneCountryCode, in.PhoneCountryCode)
	optional.SetValue(&p.Description, in.Description)
	optional.SetValue(&p.TaxRegistrationID, in.TaxRegistrationID)
	for _, j := range []struct{ to, v *json.RawMessage }{{&p.Address, &in.Address}, {&p.DocumentDetails, &in.DocumentDetails}, {&c.Metadata, &in.Metadata}} {
		if len(*j.v) > 0 {
			*j.to = *j.v
		}
	}
	for _, t := range []struct{ field, text string }{{"name", p.Name}, {"phone", p.Phone}, {"phone_country_code", p.PhoneCountryCode},
		{"description", p.Description}, {"tax_registration_id", p.TaxRegistrationID}} {
		if err := fault.CheckLength(t.field, t.text, 255); err != nil {
			return err
		}
	}
	return s.sealCustomer(c)
}

// NewCustomer makes the record of a customer whom a payment names, and returns the record sealed.
func (s *Methods) NewCustomer(tx Tx, merchantID string, c *contact.Customer, now time.Time) (*account.Customer, error) {
	n := &account.Customer{ID: c.ID, MerchantID: merchantID, CreatedAt: now, ModifiedAt: now,
		Personal: &account.CustomerPersonal{Name: c.Name, Email: c.Email, Phone: c.Phone, PhoneCountryCode: c.PhoneCountryCode}}
	if err := s.sealCustomer(n); err != nil {
		return nil, err
	}
	return n, tx.InsertCustomer(n)
}

func (s *Methods) sealCustomer(c *account.Customer) (err error) {
	c.Sealed, err = s.vault.SealJSON(c.Personal, vault.CustomerAD(c.MerchantID, c.ID))
	return err
}

// OpenCustomer decrypts the personal data of a customer.
func (s *Methods) OpenCustomer(c *account.Customer) error {
	c.Personal = &account.CustomerPersonal{}
	if len(c.Sealed) == 0 {
		return nil
	}
	return s.vault.OpenJSON(c.Sealed, vault.CustomerAD(c.MerchantID, c.ID), c.Personal)
}

// CustomerAccount is an adapter's data about a customer at one connector account. Later calls send it (sdk.ConnectorData.Customer).
type CustomerAccount struct {
	MerchantID string
	CustomerID string
	AccountID  string
	Version    int // the adapter's version of Data
	Data       string
}
