package router

import (
	"payswitch/engine/account"
	"payswitch/engine/payment"
)

var fallbackFields = openObject(
	must(at("connector", text, func(c *payment.RoutingChoice) *string { return &c.Connector })),
	must(at("merchant_connector_id", identifier, func(c *payment.RoutingChoice) *string { return &c.AccountID })),
)

// readChoices reads a body that is an array of connector accounts.
func readChoices(c *call) (list []payment.RoutingChoice, err error) {
	body, err := c.jsonBody()
	if err != nil {
		return nil, err
	}
	r := newReader(body)
	if list, err = listOf(fallbackFields.parse)(r); err == nil {
		err = r.end()
	}
	return list, err
}

func (s *Server) retrieveFallback(c *call) (answer, error) {
	f, err := s.Admin.ProfileFallback(c.ctx(), c.auth, "")
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(&writer{}, f.Choices, writeChoice).answer(), nil
}

func (s *Server) reorderFallback(c *call) (answer, error) {
	order, err := readChoices(c)
	if err != nil {
		return answer{}, err
	}
	f, err := s.Admin.ReorderFallback(c.ctx(), c.auth, "", order)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(&writer{}, f.Choices, writeChoice).answer(), nil
}

func (s *Server) listFallbacks(c *call) (answer, error) {
	list, err := s.Admin.Fallbacks(c.ctx(), c.auth)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(&writer{}, list, writeFallback).answer(), nil
}

func (s *Server) reorderProfileFallback(c *call) (answer, error) {
	order, err := readChoices(c)
	if err != nil {
		return answer{}, err
	}
	f, err := s.Admin.ReorderFallback(c.ctx(), c.auth, c.param("profile_id"), order)
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeFallback(&w, f)
	return w.answer(), nil
}

func writeFallback(w *writer, f *account.Fallback) {
	listOfAnswers(w.open().str("profile_id", f.ProfileID).key("connectors"), f.Choices, writeChoice).close()
}

func writeChoice(w *writer, c payment.RoutingChoice) {
	w.open().str("connector", c.Connector).str("merchant_connector_id", c.AccountID).close()
}
