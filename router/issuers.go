package router

import (
	"payswitch/engine/risk"
)

// This file serves the register of card issuers, whose ids payment_method_blocking of a profile names.

const issuersPath = "/card_issuers"

// issuerName reads the name of an issuer.
func issuerName(r *reader) (string, error) {
	name, err := text(r)
	if err != nil {
		return "", err
	}
	if wrong := risk.CheckIssuerName(name); wrong != "" {
		return "", r.fail(wrong, "Send a name of 1 to 255 characters.")
	}
	return name, nil
}

var issuerFields = openObject(must(at("issuer_name", issuerName, func(name *string) *string { return name })))

func (s *Server) createIssuer(c *call) (answer, error) {
	var name string
	if err := decode(c, issuerFields, &name); err != nil {
		return answer{}, err
	}
	return issuerAnswer(s.Admin.CreateIssuer(c.ctx(), name))
}

func (s *Server) updateIssuer(c *call) (answer, error) {
	var name string
	if err := decode(c, issuerFields, &name); err != nil {
		return answer{}, err
	}
	return issuerAnswer(s.Admin.UpdateIssuer(c.ctx(), c.param("issuer_id"), name))
}

func (s *Server) deleteIssuer(c *call) (answer, error) {
	id := c.param("issuer_id")
	if err := s.Admin.DeleteIssuer(c.ctx(), id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("id", id).bool("deleted", true).close().answer(), nil
}

func (s *Server) listIssuers(c *call) (answer, error) {
	q := c.query()
	limit, _ := q.page(30, 255)
	if q.err != nil {
		return answer{}, q.err
	}
	list, err := s.Admin.Issuers(c.ctx(), q.text("query"), limit)
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().key("issuers").openList()
	for _, i := range list {
		writeIssuer(w, i)
	}
	return w.closeList().close().answer(), nil
}

func issuerAnswer(i *risk.Issuer, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeIssuer(w, i)
	return w.answer(), nil
}

func writeIssuer(w *writer, i *risk.Issuer) {
	w.open().str("id", i.ID).str("issuer_name", i.Name).close()
}
