package router

import "payswitch/engine/account"

var egressFields = closedObject(
	at("base_url", text, func(e *account.EgressInput) *string { return &e.BaseURL }),
	at("hosts", listOf(text), func(e *account.EgressInput) *[]string { return &e.Hosts }),
	at("credentials_rotated", boolean, func(e *account.EgressInput) *bool { return &e.Rotated }),
)

// setEgress lets the operator choose other hosts for a connector account than those in its adapter's manifest.
func (s *Server) setEgress(c *call) (answer, error) {
	var in account.EgressInput
	if err := decode(c, egressFields, &in); err != nil {
		return answer{}, err
	}
	return egressAnswer(s.Admin.SetEgress(c.ctx(), c.merchant(), c.param("merchant_connector_id"), in))
}

func (s *Server) retrieveEgress(c *call) (answer, error) {
	return egressAnswer(s.Admin.Account(c.ctx(), c.merchant(), c.param("merchant_connector_id")))
}

func egressAnswer(a *account.Account, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	w := new(writer).open().str("merchant_connector_id", a.ID).text("base_url", a.BaseURL)
	if len(a.Hosts) == 0 {
		return w.null("hosts").close().answer(), nil
	}
	return w.strings("hosts", a.Hosts).close().answer(), nil
}
