package router

import (
	"context"
	"encoding/json"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// methodAdmin are the engine's use cases of saved payment methods, mandates and ephemeral keys.
type methodAdmin interface {
	CreatePaymentMethod(ctx context.Context, a account.Auth, in method.MethodInput) (*method.PaymentMethod, error)
	PaymentMethod(ctx context.Context, a account.Auth, id string) (*method.PaymentMethod, error)
	UpdatePaymentMethod(ctx context.Context, a account.Auth, id string, in method.MethodUpdate) (*method.PaymentMethod, error)
	SavePaymentMethod(ctx context.Context, a account.Auth, id, clientSecret string, in *card.Input) (*method.PaymentMethod, error)
	DeletePaymentMethod(ctx context.Context, a account.Auth, id string) error
	SetDefaultPaymentMethod(ctx context.Context, a account.Auth, customerID, id string) (*method.PaymentMethod, error)
	CustomerMethods(ctx context.Context, a account.Auth, customerID string, f method.MethodFilter) ([]method.MethodItem, error)
	PaymentMethods(ctx context.Context, p *payment.Payment, profile *account.Profile, f method.MethodFilter) ([]method.MethodItem, error)

	Mandate(ctx context.Context, a account.Auth, id string) (*method.MandateView, error)
	Mandates(ctx context.Context, a account.Auth, f method.MandateFilter) ([]*method.MandateView, error)
	RevokeMandate(ctx context.Context, a account.Auth, id string) error

	CreateEphemeralKey(ctx context.Context, a account.Auth, customerID string) (*method.EphemeralKey, secret.Value, error)
	DeleteEphemeralKey(ctx context.Context, a account.Auth, id string) (*method.EphemeralKey, error)
}

// methodRoutes returns the routes of saved payment methods.
func (s *Server) methodRoutes() []route {
	const (
		methodPath  = "/payment_methods/{payment_method_id}"
		ofCustomer  = "/customers/{customer_id}/payment_methods"
		mandatePath = "/mandates/{mandate_id}"
	)
	return []route{
		{method: "GET", pattern: "/customers/payment_methods", who: customersDevice, handle: s.savedMethodsOfPayment},
		{method: "GET", pattern: ofCustomer, who: customersOwn, handle: s.savedMethods},
		{method: "POST", pattern: ofCustomer + "/{payment_method_id}/default", who: customersOwn, token: true, handle: s.setDefaultMethod},
		{method: "POST", pattern: "/payment_methods", who: secretField, handle: s.createMethod},
		{method: "GET", pattern: methodPath, who: secretField, handle: s.retrieveMethod},
		{method: "DELETE", pattern: methodPath, who: customersOwn, handle: s.deleteMethod},
		{method: "POST", pattern: methodPath + "/update", who: either, handle: s.updateMethod},
		{method: "POST", pattern: methodPath + "/save", who: publishable, handle: s.saveMethod},

		{method: "GET", pattern: "/mandates/list", who: secretField, handle: s.listMandates},
		{method: "GET", pattern: mandatePath, who: secretField, handle: s.retrieveMandate},
		{method: "POST", pattern: "/mandates/revoke/{mandate_id}", who: secretField, handle: s.revokeMandate},
		{method: "GET", pattern: "/customers/{customer_id}/mandates", who: secretField, handle: s.listCustomerMandates},

		{method: "POST", pattern: "/ephemeral_keys", who: secretField, handle: s.createEphemeralKey},
		{method: "DELETE", pattern: "/ephemeral_keys/{key_id}", who: secretField, handle: s.deleteEphemeralKey},
	}
}

// savedMethods lists a customer's saved payment methods.
func (s *Server) savedMethods(c *call) (answer, error) {
	f, clientSecret, err := methodFilter(c)
	if err != nil {
		return answer{}, err
	}
	if clientSecret != "" {
		return s.methodsFor(c, c.param("customer_id"), f)
	}
	list, err := s.Admin.CustomerMethods(c.ctx(), c.auth, c.param("customer_id"), f)
	if err != nil {
		return answer{}, err
	}
	return methodsAnswer(list, nil), nil
}

// savedMethodsOfPayment lists the saved methods of a payment's customer. The client secret names the payment; an ephemeral key names the customer
// itself and needs no payment. is_guest_customer is true if the payment has no customer.
func (s *Server) savedMethodsOfPayment(c *call) (answer, error) {
	f, clientSecret, err := methodFilter(c, "origin")
	if err == nil {
		q := c.query(methodLists...)
		origin := q.text("origin")
		if err = q.err; err == nil {
			err = s.mayManage(c, origin)
		}
	}
	if err != nil {
		return answer{}, err
	}
	if c.auth.CustomerID == "" || clientSecret != "" {
		return s.methodsFor(c, c.auth.CustomerID, f)
	}
	list, err := s.Admin.CustomerMethods(c.ctx(), c.auth, c.auth.CustomerID, f)
	if err != nil {
		return answer{}, err
	}
	guest := false
	return methodsAnswer(list, &guest), nil
}

// methodsFor lists the saved methods that may pay the payment whose client secret is in the query. A customerID other than "" must be its customer.
func (s *Server) methodsFor(c *call, customerID string, f method.MethodFilter) (answer, error) {
	// The payment is read as with a publishable key, so that only the right client secret shows it, whatever key the caller has.
	v, err := s.paymentBySecret(c, account.Auth{MerchantID: c.auth.MerchantID, Publishable: true}, methodLists...)
	if err != nil {
		return answer{}, err
	}
	if customerID != "" && v.Payment.CustomerID != customerID {
		return answer{}, fault.NotFound("Payment")
	}
	list, err := s.Admin.PaymentMethods(c.ctx(), v.Payment, v.Profile, f)
	if err != nil {
		return answer{}, err
	}
	guest := v.Payment.CustomerID == ""
	return methodsAnswer(list, &guest), nil
}

// paymentBySecret reads the payment whose client_secret is in the query, with the rights of auth. Only the parameters in repeatable may be repeated.
func (s *Server) paymentBySecret(c *call, auth account.Auth, repeatable ...string) (*change.View, error) {
	q := c.query(repeatable...)
	clientSecret := c.clientSecret(q.text("client_secret"))
	switch {
	case q.err != nil:
		return nil, q.err
	case clientSecret == "":
		return nil, fault.Missing("client_secret")
	}
	i := strings.LastIndex(clientSecret, "_secret_")
	if i < 0 || checkID(clientSecret[:i]) != nil {
		return nil, fault.WrongSecret()
	}
	return s.Payments.RetrievePayment(c.ctx(), auth, clientSecret[:i], request.RetrieveInput{ClientSecret: clientSecret, HasClientSecret: true})
}

// methodLists are the parameters of a list's query that hold lists: names, separated by commas or in several parameters of one name.
var methodLists = []string{"accepted_countries", "accepted_currencies", "card_networks"}

// methodFilter reads the query of a list. It checks the filters amount, country, currency and instalments and ignores their values, because a saved
// card can pay any of them.
func methodFilter(c *call, more ...string) (f method.MethodFilter, clientSecret string, err error) {
	q := c.query(methodLists...)
	q.only(append(more, "client_secret", "limit", "amount", "accepted_countries", "accepted_currencies", "recurring_enabled",
		"installment_payment_enabled", "card_networks")...)
	q.int("amount")
	q.bool("installment_payment_enabled")
	if limit, given := q.int("limit"); given {
		if limit < 1 || limit > 1000 {
			return f, "", fault.Unprocessable("limit", "limit should be in between 1 and 1000").WithHint("Send a whole number from 1 to 1000.")
		}
		f.Limit = int(limit)
	}
	if q.has("recurring_enabled") {
		recurring := q.bool("recurring_enabled")
		f.Recurring = &recurring
	}
	for _, list := range q.values["card_networks"] {
		for name := range strings.SplitSeq(list, ",") {
			f.Networks = append(f.Networks, sdk.CardNetwork(name))
		}
	}
	return f, q.text("client_secret"), q.err
}

// methodRequest is the body of POST /payment_methods.
type methodRequest struct {
	method.MethodInput
	credentials json.RawMessage
}

var methodRequestFields = openObject(
	at("customer_id", identifier, func(m *methodRequest) *string { return &m.CustomerID }),
	at("payment_method", oneOf(paymentMethods), func(m *methodRequest) *string { return &m.Method }),
	at("payment_method_type", oneOf(paymentMethodTypes), func(m *methodRequest) *string { return &m.Type }),
	at("payment_method_issuer", text, func(m *methodRequest) *string { return &m.Issuer }),
	at("payment_method_issuer_code", text, func(m *methodRequest) *string { return &m.IssuerCode }),
	opt("card", cardWithoutCVC.parse, func(m *methodRequest) **card.Input { return &m.Card }),
	field[methodRequest]{key: "payment_method_data", read: openObject(
		opt("card", cardWithoutCVC.parse, func(m *methodRequest) **card.Input { return &m.Card }),
	).into},
	at("metadata", anyObject, func(m *methodRequest) *json.RawMessage { return &m.Metadata }),
	opt("billing", contactFields.parse, func(m *methodRequest) **contact.Contact { return &m.Billing }),
	at("network_transaction_id", apart(text), func(m *methodRequest) *string { return &m.NetworkTransactionID }),
	at("connector_mandate_details", apart(anyObject), func(m *methodRequest) *json.RawMessage { return &m.credentials }),
)

func (s *Server) createMethod(c *call) (answer, error) {
	var in methodRequest
	if err := decode(c, methodRequestFields, &in); err != nil {
		return answer{}, err
	}
	switch {
	case in.CustomerID == "":
		return answer{}, fault.Missing("customer_id")
	case in.Method == "" && in.Card == nil:
		return answer{}, fault.Missing("payment_method")
	case in.Method != "" && in.Method != "card":
		return answer{}, &fault.Error{Kind: fault.KindInvalid, Code: "IR_19", Message: "Payment method type not supported", Reason: "only cards are kept",
			Param: "payment_method", Hint: `Send "card".`}
	case in.Type != "" && in.Type != "credit" && in.Type != "debit":
		return answer{}, fault.Unprocessable("payment_method_type", "payment_method_type doesn't correspond to the specified payment_method").
			WithHint(`For payment_method "card", send "credit" or "debit".`)
	}
	in.Method = "card"
	var err error
	if in.Credentials, err = connectorMandates(in.credentials); err != nil {
		return answer{}, err
	}
	return savedMethodAnswer(s.Admin.CreatePaymentMethod(c.ctx(), c.auth, in.MethodInput))
}

// connectorMandates reads connector_mandate_details, which maps connector accounts to the processors' references.
func connectorMandates(raw json.RawMessage) (map[string]method.MethodAccount, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var m map[string]struct {
		ID         string       `json:"connector_mandate_id"`
		CustomerID string       `json:"connector_customer_id"`
		Currency   sdk.Currency `json:"original_payment_authorized_currency"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return nil, fault.Malformed("connector_mandate_details", "connector_mandate_details: expected an object that maps each merchant_connector_id to an object with connector_mandate_id").WithHint("Send an object such as {\"mca_1\":{\"connector_mandate_id\":\"id\"}}.")
	}
	out := map[string]method.MethodAccount{}
	for account, r := range m {
		if r.ID == "" {
			return nil, fault.Missing("connector_mandate_details." + shownText([]byte(account)) + ".connector_mandate_id")
		}
		out[account] = method.MethodAccount{Credential: &sdk.StoredCredential{ID: r.ID, CustomerID: r.CustomerID}, CustomerData: r.CustomerID, Currency: r.Currency}
	}
	return out, nil
}

func (s *Server) retrieveMethod(c *call) (answer, error) {
	return savedMethodAnswer(s.Admin.PaymentMethod(c.ctx(), c.auth, c.param("payment_method_id")))
}

var methodUpdateFields = openObject(
	field[method.MethodUpdate]{key: "card", read: openObject(
		opt("card_exp_month", hiddenText, func(u *method.MethodUpdate) **string { return &u.ExpMonth }),
		opt("card_exp_year", hiddenText, func(u *method.MethodUpdate) **string { return &u.ExpYear }),
		opt("card_holder_name", hiddenText, func(u *method.MethodUpdate) **string { return &u.Holder }),
		opt("nick_name", hiddenText, func(u *method.MethodUpdate) **string { return &u.Nickname }),
	).into},
	at("client_secret", text, func(u *method.MethodUpdate) *string { return &u.ClientSecret }),
)

func (s *Server) updateMethod(c *call) (answer, error) {
	var in method.MethodUpdate
	if err := decode(c, methodUpdateFields, &in); err != nil {
		return answer{}, err
	}
	if !c.auth.Publishable && in.ClientSecret != "" {
		return answer{}, fault.Unprocessable("client_secret", "client_secret is not a valid parameter").WithHint("Leave it out, or use the publishable key.")
	}
	return savedMethodAnswer(s.Admin.UpdatePaymentMethod(c.ctx(), c.auth, c.param("payment_method_id"), in))
}

// saveRequest is the body of /save. The card is at the top level or in payment_method_data.
type saveRequest struct {
	card         *card.Input
	clientSecret string
}

var saveFields = openObject(
	opt("card", cardWithoutCVC.parse, func(r *saveRequest) **card.Input { return &r.card }),
	field[saveRequest]{key: "payment_method_data", read: openObject(
		opt("card", cardWithoutCVC.parse, func(r *saveRequest) **card.Input { return &r.card }),
	).into},
	at("client_secret", text, func(r *saveRequest) *string { return &r.clientSecret }),
)

func (s *Server) saveMethod(c *call) (answer, error) {
	var in saveRequest
	if err := decode(c, saveFields, &in); err != nil {
		return answer{}, err
	}
	if in.card == nil {
		return answer{}, fault.Missing("card")
	}
	return savedMethodAnswer(s.Admin.SavePaymentMethod(c.ctx(), c.auth, c.param("payment_method_id"), in.clientSecret, in.card))
}

func (s *Server) deleteMethod(c *call) (answer, error) {
	id := c.param("payment_method_id")
	if err := s.Admin.DeletePaymentMethod(c.ctx(), c.auth, id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("payment_method_id", id).bool("deleted", true).close().answer(), nil
}

func (s *Server) setDefaultMethod(c *call) (answer, error) {
	m, err := s.Admin.SetDefaultPaymentMethod(c.ctx(), c.auth, c.param("customer_id"), c.param("payment_method_id"))
	if err != nil {
		return answer{}, err
	}
	return new(writer).open().str("default_payment_method_id", m.ID).str("customer_id", m.CustomerID).str("payment_method", m.Details.Method).
		text("payment_method_type", m.Details.Type).close().answer(), nil
}

// ephemeralFields reads the body of POST /ephemeral_keys.
var ephemeralFields = openObject(must(at("customer_id", identifier, func(id *string) *string { return id })))

func (s *Server) createEphemeralKey(c *call) (answer, error) {
	var customerID string
	if err := decode(c, ephemeralFields, &customerID); err != nil {
		return answer{}, err
	}
	k, key, err := s.Admin.CreateEphemeralKey(c.ctx(), c.auth, customerID)
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeEphemeralKey(&w, k)
	return w.str("secret", key.Reveal()).close().answer(), nil
}

func (s *Server) deleteEphemeralKey(c *call) (answer, error) {
	k, err := s.Admin.DeleteEphemeralKey(c.ctx(), c.auth, c.param("key_id"))
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeEphemeralKey(&w, k)
	return w.close().answer(), nil
}

// writeEphemeralKey writes the key without closing the object, so that the caller can add the secret.
func writeEphemeralKey(w *writer, k *method.EphemeralKey) {
	w.open().str("id", k.ID).str("merchant_id", k.MerchantID).str("customer_id", k.CustomerID).int("created_at", k.CreatedAt.Unix()).
		int("expires", k.ExpiresAt.Unix())
}
