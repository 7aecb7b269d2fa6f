package router

import (
	"encoding/json"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
)

// A payment method session lets a widget in the customer's browser manage the customer's saved methods. The session is an ephemeral key: its id is the
// key's id, and only that key opens it.

const sessionPath = "/v1/payment-method-sessions/{session_id}"

// sessionRoutes returns the routes of payment method sessions.
func (s *Server) sessionRoutes() []route {
	return []route{
		{method: "POST", pattern: "/v1/payment-method-sessions", who: secretField, handle: s.createMethodSession},
		{method: "GET", pattern: sessionPath, who: customersSession, handle: s.methodSession},
		{method: "GET", pattern: sessionPath + "/list-payment-methods", who: customersSession, handle: s.methodsOfSession},
		{method: "POST", pattern: sessionPath + "/confirm", who: customersSession, handle: s.saveInSession},
		{method: "PUT", pattern: sessionPath + "/update-saved-payment-method", who: customersSession, handle: s.updateInSession},
		{method: "DELETE", pattern: sessionPath, who: customersSession, handle: s.deleteInSession, body: 4 << 10},
	}
}

func (s *Server) createMethodSession(c *call) (answer, error) {
	var customerID string
	if err := decode(c, ephemeralFields, &customerID); err != nil {
		return answer{}, err
	}
	k, key, err := s.Admin.CreateEphemeralKey(c.ctx(), c.auth, customerID)
	if err != nil {
		return answer{}, err
	}
	var w writer
	w.open().str("id", k.ID).str("customer_id", k.CustomerID).time("expires_at", k.ExpiresAt).str("client_secret", key.Reveal())
	return w.close().answer(), nil
}

func (s *Server) methodSession(c *call) (answer, error) {
	var w writer
	return w.open().str("id", c.auth.KeyID).str("customer_id", c.auth.CustomerID).close().answer(), nil
}

// methodsOfSession lists the customer's saved methods, and the kinds of cards that the merchant takes.
func (s *Server) methodsOfSession(c *call) (answer, error) {
	list, err := s.Admin.CustomerMethods(c.ctx(), c.auth, c.auth.CustomerID, method.MethodFilter{})
	if err != nil {
		return answer{}, err
	}
	kinds, networks, err := s.cardsTaken(c)
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	w.open().key("payment_methods_enabled").openList()
	for _, kind := range kinds {
		w.open().str("payment_method", payment.MethodCard).str("payment_method_type", kind).strings("card_networks", networks[kind]).close()
	}
	w.closeList().key("customer_payment_methods").openList()
	for i := range list {
		writeMethodItem(w, &list[i])
	}
	return w.closeList().close().answer(), nil
}

// cardsTaken returns the types of cards that the merchant's processor accounts take, with their networks.
func (s *Server) cardsTaken(c *call) (kinds []string, networks map[string][]string, err error) {
	accounts, err := s.Admin.Accounts(c.ctx(), account.Auth{MerchantID: c.auth.MerchantID})
	if err != nil {
		return nil, nil, err
	}
	networks = map[string][]string{}
	for _, a := range accounts {
		if a.Type != account.TypeProcessor || !a.Active || a.Disabled || len(a.PaymentMethods) == 0 {
			continue
		}
		var enabled []enabledMethod
		if err := json.Unmarshal(a.PaymentMethods, &enabled); err != nil {
			return nil, nil, fault.Internal(err, "read payment_methods_enabled of "+a.ID)
		}
		for _, m := range enabled {
			for _, t := range m.Types {
				if m.Method != payment.MethodCard {
					continue
				}
				if !slices.Contains(kinds, t.Type) {
					kinds = append(kinds, t.Type)
				}
				for _, n := range t.Networks {
					if !slices.Contains(networks[t.Type], n) {
						networks[t.Type] = append(networks[t.Type], n)
					}
				}
			}
		}
	}
	return kinds, networks, nil
}

// sessionCard is the body of a session's confirm.
type sessionCard struct {
	kind string
	card *card.Input
}

var sessionCardFields = openObject(
	at("payment_method_type", oneOf(paymentMethods), func(r *sessionCard) *string { return &r.kind }),
	field[sessionCard]{key: "payment_method_data", read: openObject(
		opt("card", cardWithoutCVC.parse, func(r *sessionCard) **card.Input { return &r.card }),
	).into},
)

// saveInSession keeps a card that the customer has typed. A card that the customer has kept before is updated.
func (s *Server) saveInSession(c *call) (answer, error) {
	var in sessionCard
	if err := decode(c, sessionCardFields, &in); err != nil {
		return answer{}, err
	}
	switch {
	case in.kind != "" && in.kind != payment.MethodCard:
		return answer{}, &fault.Error{Kind: fault.KindInvalid, Code: "IR_19", Message: "Payment method type not supported", Reason: "only cards are kept",
			Param: "payment_method_type", Hint: `Send "card".`}
	case in.card == nil:
		return answer{}, fault.Missing("payment_method_data.card")
	}
	return shownToCustomer(s.Admin.CreatePaymentMethod(c.ctx(), account.Auth{MerchantID: c.auth.MerchantID},
		method.MethodInput{CustomerID: c.auth.CustomerID, Method: payment.MethodCard, Card: in.card}))
}

// sessionChange is the body of a session's update.
type sessionChange struct {
	id     string
	change method.MethodUpdate
}

var sessionChangeFields = openObject(
	must(at("payment_method_id", identifier, func(r *sessionChange) *string { return &r.id })),
	field[sessionChange]{key: "payment_method_data", read: openObject(
		field[sessionChange]{key: "card", read: openObject(
			opt("card_exp_month", hiddenText, func(r *sessionChange) **string { return &r.change.ExpMonth }),
			opt("card_exp_year", hiddenText, func(r *sessionChange) **string { return &r.change.ExpYear }),
			opt("card_holder_name", hiddenText, func(r *sessionChange) **string { return &r.change.Holder }),
			opt("nick_name", hiddenText, func(r *sessionChange) **string { return &r.change.Nickname }),
		).into},
	).into},
)

func (s *Server) updateInSession(c *call) (answer, error) {
	var in sessionChange
	if err := decode(c, sessionChangeFields, &in); err != nil {
		return answer{}, err
	}
	merchant := account.Auth{MerchantID: c.auth.MerchantID}
	m, err := s.Admin.PaymentMethod(c.ctx(), merchant, in.id)
	if err != nil {
		return answer{}, err
	}
	if m.CustomerID != c.auth.CustomerID { // it never changes, so the update below needs no second look
		return answer{}, fault.NotFound("Payment method")
	}
	return shownToCustomer(s.Admin.UpdatePaymentMethod(c.ctx(), merchant, in.id, in.change))
}

var sessionDeleteFields = openObject(must(at("payment_method_id", identifier, func(id *string) *string { return id })))

func (s *Server) deleteInSession(c *call) (answer, error) {
	var id string
	if err := decode(c, sessionDeleteFields, &id); err != nil {
		return answer{}, err
	}
	if err := s.Admin.DeletePaymentMethod(c.ctx(), c.auth, id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("payment_method_id", id).bool("deleted", true).close().answer(), nil
}

// shownToCustomer returns a saved method without its client secret, which is for the merchant's server.
func shownToCustomer(m *method.PaymentMethod, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	shown, private := *m, *m.Private
	private.ClientSecret = ""
	shown.Private = &private
	return savedMethodAnswer(&shown, nil)
}

// opensSession reports whether an ephemeral key is the one that the path names. The key itself has been checked; its id is no secret.
func opensSession(a account.Auth, id string) bool { return a.CustomerID != "" && a.KeyID == id }
