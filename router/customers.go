package router

import (
	"encoding/json"
	"fmt"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
)

// customerData reads the body of both requests about a customer: create and update. It ignores unknown keys.
var customerData = openObject(
	at("customer_id", identifier, func(c *method.CustomerData) *string { return &c.ID }),
	opt("name", text, func(c *method.CustomerData) **string { return &c.Name }),
	opt("email", email, func(c *method.CustomerData) **string { return &c.Email }),
	opt("phone", text, func(c *method.CustomerData) **string { return &c.Phone }),
	opt("phone_country_code", text, func(c *method.CustomerData) **string { return &c.PhoneCountryCode }),
	opt("description", text, func(c *method.CustomerData) **string { return &c.Description }),
	opt("tax_registration_id", apart(text), func(c *method.CustomerData) **string { return &c.TaxRegistrationID }),
	at("address", keptAs(openAddress.parse), func(c *method.CustomerData) *json.RawMessage { return &c.Address }),
	at("metadata", anyObject, func(c *method.CustomerData) *json.RawMessage { return &c.Metadata }),
	at("document_details", record(false, must(member("document_type", oneOf(documentTypes))), must(member("document_number", apart(text)))),
		func(c *method.CustomerData) *json.RawMessage { return &c.DocumentDetails }),
)

// openAddress checks an address that answers repeat unchanged.
var openAddress = openObject(
	member("city", text), member("country", oneOf(countries)), member("line1", text), member("line2", text), member("line3", text),
	member("zip", text), member("state", text), member("first_name", text), member("last_name", text), member("origin_zip", text),
)

func (s *Server) createCustomer(c *call) (answer, error) {
	var in method.CustomerData
	if err := decode(c, customerData, &in); err != nil {
		return answer{}, err
	}
	if err := s.unreserved("customers", "customer_id", in.ID); err != nil {
		return answer{}, err
	}
	return customerAnswer(s.Admin.CreateCustomer(c.ctx(), c.auth, in))
}

func (s *Server) updateCustomer(c *call) (answer, error) {
	var in method.CustomerData
	if err := decode(c, customerData, &in); err != nil {
		return answer{}, err
	}
	return customerAnswer(s.Admin.UpdateCustomer(c.ctx(), c.auth, c.param("customer_id"), in))
}

func (s *Server) retrieveCustomer(c *call) (answer, error) {
	return customerAnswer(s.Admin.Customer(c.ctx(), c.auth, c.param("customer_id")))
}

func (s *Server) deleteCustomer(c *call) (answer, error) {
	id := c.param("customer_id")
	if err := s.Admin.DeleteCustomer(c.ctx(), c.auth, id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("customer_id", id).bool("customer_deleted", true).bool("address_deleted", true).
		bool("payment_methods_deleted", true).close().answer(), nil
}

func (s *Server) listCustomers(c *call) (answer, error) {
	list, _, err := s.customers(c, 10)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeCustomerRecord).answer(), nil
}

func (s *Server) countCustomers(c *call) (answer, error) {
	const most = 100
	if q := c.query(); q.has("limit") {
		if v, given := q.int("limit"); given && (v < 1 || v > most) {
			return answer{}, fault.Unprocessable("limit", fmt.Sprintf("limit should be in between 1 and %d", most)).WithHint(fmt.Sprintf("Send a whole number from 1 to %d.", most))
		}
	}
	list, total, err := s.customers(c, 20)
	if err == nil && total < 0 {
		total, err = s.Admin.CustomerTotal(c.ctx(), c.auth)
	}
	if err != nil {
		return answer{}, err
	}
	var w writer
	listOfAnswers(w.open().key("data"), list, writeCustomerRecord)
	return w.int("total_count", int64(total)).close().answer(), nil
}

// customers reads the page of customers that the query asks for, or the one customer that it names. named is 1 or 0 for a query that names one, and -1
// for a query for all.
func (s *Server) customers(c *call, limit int) (page []*account.Customer, named int, err error) {
	q := c.query()
	q.only("limit", "offset", "customer_id")
	limit, offset, id := q.count("limit", limit), q.count("offset", 0), q.id("customer_id")
	if q.err != nil {
		return nil, 0, q.err
	}
	if limit == 0 {
		return nil, 0, fault.Unprocessable("limit", "limit should be at least 1").WithHint("Send a whole number from 1 on.")
	}
	if id == "" {
		page, err = s.Admin.Customers(c.ctx(), c.auth, limit, offset)
		return page, -1, err
	}
	one, err := s.Admin.Customer(c.ctx(), c.auth, id)
	switch {
	case fault.IsNotFound(err):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	case offset > 0:
		return nil, 1, nil
	}
	return []*account.Customer{one}, 1, nil
}

func customerAnswer(v *account.Customer, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeCustomerRecord(&w, v)
	return w.answer(), nil
}

func writeCustomerRecord(w *writer, v *account.Customer) {
	p := v.Personal
	w.open().str("customer_id", v.ID).text("name", p.Name).text("email", p.Email).text("phone", p.Phone).
		text("phone_country_code", p.PhoneCountryCode).text("description", p.Description).raw("address", p.Address).
		time("created_at", v.CreatedAt).raw("metadata", v.Metadata).text("default_payment_method_id", v.DefaultMethodID).
		text("tax_registration_id", p.TaxRegistrationID).raw("document_details", p.DocumentDetails).close()
}
