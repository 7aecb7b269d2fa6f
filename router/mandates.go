package router

import (
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/method"
)

var mandateStatuses = []string{"active", "inactive", "pending", "revoked"}

func (s *Server) retrieveMandate(c *call) (answer, error) {
	v, err := s.Admin.Mandate(c.ctx(), c.auth, c.param("mandate_id"))
	if err != nil {
		return answer{}, err
	}
	var w writer
	writeMandate(&w, v)
	return w.answer(), nil
}

func (s *Server) revokeMandate(c *call) (answer, error) {
	id := c.param("mandate_id")
	if err := s.Admin.RevokeMandate(c.ctx(), c.auth, id); err != nil {
		return answer{}, err
	}
	return new(writer).open().str("mandate_id", id).str("status", string(method.MandateRevoked)).null("error_code", "error_message").close().answer(), nil
}

func (s *Server) listCustomerMandates(c *call) (answer, error) {
	q := c.query()
	q.only()
	if q.err != nil {
		return answer{}, q.err
	}
	return s.mandates(c, method.MandateFilter{CustomerID: c.param("customer_id")})
}

func (s *Server) listMandates(c *call) (answer, error) {
	q := c.query()
	q.only("limit", "offset", "mandate_status", "created_time.lte", "created_time.gte")
	f := method.MandateFilter{Limit: q.count("limit", 10), Offset: q.count("offset", 0), From: q.time("created_time.gte"), To: q.time("created_time.lte")}
	if q.has("mandate_status") {
		if f.Status = method.MandateStatus(q.text("mandate_status")); !slices.Contains(mandateStatuses, string(f.Status)) {
			q.fail("mandate_status", "mandate_status: expected "+oneOfText(mandateStatuses), fault.ChoiceHint(q.text("mandate_status"), mandateStatuses))
		}
	}
	switch {
	case q.err != nil:
		return answer{}, q.err
	case f.Limit < 1 || f.Limit > 100:
		return answer{}, fault.Unprocessable("limit", "limit should be in between 1 and 100").WithHint("Send a whole number from 1 to 100.")
	}
	return s.mandates(c, f)
}

func (s *Server) mandates(c *call, f method.MandateFilter) (answer, error) {
	list, err := s.Admin.Mandates(c.ctx(), c.auth, f)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeMandate).answer(), nil
}

func writeMandate(w *writer, v *method.MandateView) {
	w.open().str("mandate_id", v.ID).str("status", string(v.Status)).str("payment_method_id", v.MethodID).str("payment_method", "card")
	if m := v.Method; m == nil || m.Details.Card == nil {
		w.null("payment_method_type", "card")
	} else {
		f := m.Details.Card
		w.text("payment_method_type", m.Details.Type).key("card").open().text("last4_digits", f.LastFour)
		w.text("card_exp_month", f.ExpMonth).text("card_exp_year", f.ExpYear).text("card_holder_name", m.Private.Holder).null("card_token")
		w.text("scheme", string(f.Network)).text("issuer_country", f.Country).null("card_fingerprint").text("card_isin", f.BIN)
		w.text("card_issuer", f.Issuer).text("card_network", string(f.Network)).text("card_type", f.Type).text("nick_name", m.Private.Nickname).close()
	}
	writeAcceptance(w, v.Private.Acceptance)
	w.close()
}
