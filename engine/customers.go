package engine

import (
	"context"
	"encoding/json"
)

// CustomerData is a customer as sent; nil was not sent.
type CustomerData struct {
	ID                string // at creation; default: a new one
	Name              *string
	Email             *string
	Phone             *string
	PhoneCountryCode  *string
	Description       *string
	TaxRegistrationID *string
	Address           json.RawMessage // a JSON object, echoed as sent
	DocumentDetails   json.RawMessage
	Metadata          json.RawMessage
}

// CreateCustomer makes a customer. Errors: IR_12 when the id is taken, IR_06 (422) for a text too long.
func (e *Engine) CreateCustomer(ctx context.Context, a Auth, in CustomerData) (*Customer, error) {
	c := &Customer{ID: in.ID, MerchantID: a.MerchantID, Personal: &CustomerPersonal{}}
	if c.ID == "" {
		c.ID = newID("cus_")
	}
	if err := e.applyCustomer(c, in); err != nil {
		return nil, err
	}
	err := e.store.Update(ctx, func(tx Tx) error {
		c.CreatedAt = tx.Now()
		c.ModifiedAt = c.CreatedAt
		return conflict(tx.InsertCustomer(c), &Error{Kind: KindInvalid, Code: "IR_12", Message: "Customer with the given `customer_id` already exists", Param: "customer_id"})
	})
	if err != nil {
		return nil, ours(err, "create customer")
	}
	return c, nil
}

// UpdateCustomer changes the fields sent. Errors: HE_02, IR_11 when the customer was deleted, IR_06 (422) for a text too long.
func (e *Engine) UpdateCustomer(ctx context.Context, a Auth, id string, in CustomerData) (*Customer, error) {
	var c *Customer
	err := e.store.Update(ctx, func(tx Tx) (err error) {
		if c, err = e.livingCustomer(tx, a, id); err != nil {
			return err
		}
		if err := e.applyCustomer(c, in); err != nil {
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

// DeleteCustomer redacts a customer: what is personal becomes "Redacted", the record stays, saved cards are destroyed. Errors: HE_02,
// IR_10 while a mandate is active, IR_11 the second time.
func (e *Engine) DeleteCustomer(ctx context.Context, a Auth, id string) error {
	err := e.store.Update(ctx, func(tx Tx) error {
		c, err := e.livingCustomer(tx, a, id)
		if err != nil {
			return err
		}
		if err := redactMethods(tx, c); err != nil {
			return err
		}
		c.redact()
		if err := e.sealCustomer(c); err != nil {
			return err
		}
		c.ModifiedAt = tx.Now()
		return tx.UpdateCustomer(c)
	})
	return ours(err, "delete customer")
}

// redactMethods destroys what a customer has saved.
func redactMethods(tx Tx, c *Customer) error {
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

// Customer reads one, opened, a deleted one too. Errors: HE_02, IR_15 for an ephemeral key of another.
func (e *Engine) Customer(ctx context.Context, a Auth, id string) (c *Customer, err error) {
	if a.CustomerID != "" && a.CustomerID != id {
		return nil, notThatCustomer()
	}
	err = e.read(ctx, "read customer", func(r Reader) (err error) {
		c, err = r.Customer(a.MerchantID, id)
		return missing(err, NotFound("Customer"))
	})
	if err != nil {
		return nil, err
	}
	return c, e.openCustomer(c)
}

// Customers lists the newest first, opened, and says how many there are in all.
func (e *Engine) Customers(ctx context.Context, a Auth, limit, offset int) (list []*Customer, total int, err error) {
	err = e.read(ctx, "list customers", func(r Reader) (err error) {
		list, total, err = r.Customers(a.MerchantID, limit, offset)
		return err
	})
	for _, c := range list {
		if err == nil {
			err = e.openCustomer(c)
		}
	}
	return list, total, err
}

// livingCustomer reads a customer that was not deleted, opened.
func (e *Engine) livingCustomer(r Reader, a Auth, id string) (*Customer, error) {
	c, err := r.Customer(a.MerchantID, id)
	if err != nil {
		return nil, missing(err, NotFound("Customer"))
	}
	if c.Redacted {
		return nil, &Error{Kind: KindInvalid, Code: "IR_11", Message: "Customer has already been redacted"}
	}
	return c, e.openCustomer(c)
}

// applyCustomer changes what was sent in an opened customer and seals it.
func (e *Engine) applyCustomer(c *Customer, in CustomerData) error {
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
	return e.sealCustomer(c)
}

func (e *Engine) openCustomer(c *Customer) error {
	c.Personal = &CustomerPersonal{}
	if len(c.Sealed) == 0 {
		return nil
	}
	return e.vault.openJSON(c.Sealed, customerAD(c.MerchantID, c.ID), c.Personal)
}
