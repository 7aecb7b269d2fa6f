package router

import (
	"strings"

	"payswitch/engine"
)

// savedMethods lists a customer's saved payment methods. None can be saved yet, so a known customer has an empty list.
func (s *Server) savedMethods(c *call) (answer, error) {
	if _, err := s.Admin.Customer(c.ctx(), c.auth, c.param("customer_id")); err != nil {
		return answer{}, err
	}
	return savedMethodsAnswer(nil), nil
}

// savedMethodsOfPayment is the same for the customer of a payment, found by its client secret; is_guest_customer says whether there is
// one.
func (s *Server) savedMethodsOfPayment(c *call) (answer, error) {
	v, err := s.paymentBySecret(c)
	if err != nil {
		return answer{}, err
	}
	guest := v.Payment.CustomerID == ""
	return savedMethodsAnswer(&guest), nil
}

func savedMethodsAnswer(guest *bool) answer {
	var w writer
	return w.open().strings("customer_payment_methods", nil).flag("is_guest_customer", guest).close().answer()
}

// paymentBySecret reads the payment whose client_secret is in the query.
func (s *Server) paymentBySecret(c *call) (*engine.PaymentView, error) {
	q := c.query()
	clientSecret := q.text("client_secret")
	switch {
	case q.err != nil:
		return nil, q.err
	case clientSecret == "":
		return nil, engine.Missing("client_secret")
	}
	i := strings.LastIndex(clientSecret, "_secret_")
	if i < 0 || checkID(clientSecret[:i]) != nil {
		return nil, engine.InvalidValue("client_secret")
	}
	return s.Payments.RetrievePayment(c.ctx(), c.auth, clientSecret[:i], engine.RetrieveInput{ClientSecret: clientSecret, HasClientSecret: true})
}
