package dashboard

import (
	"payswitch/engine/staff"
)

// startPage lets a person choose among merchants.
type startPage struct {
	Merchants []Link
	Empty     Empty
}

func (*startPage) file() string  { return "start" }
func (*startPage) Title() string { return "Merchants" }

// start leads to the only merchant of the person, or lets the person choose.
func (s *Server) start(c *call) (response, error) {
	ids, all := c.Session.Merchants()
	if all && c.Session.May(staff.SeePayments, "") {
		list, err := s.Engine.Merchants(c.Context(), "")
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, m := range list {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 1 {
		return seeOther("/m/" + ids[0] + "/"), nil
	}
	if len(ids) == 0 && c.Session.May(staff.ManageMerchants, "") {
		return s.startOfOperator(c)
	}
	p := &startPage{Empty: Empty{Heading: "No merchant yet", Text: "This installation has no merchant that you have a role at. An operator can give you one."}}
	for _, id := range ids {
		p.Merchants = append(p.Merchants, Link{"/m/" + id + "/", id})
	}
	return show(p), nil
}

// startOfOperator leads a person who sees no merchant's payments to the set-up while there is no merchant, and then to the state of the installation.
func (s *Server) startOfOperator(c *call) (response, error) {
	list, err := s.Engine.Merchants(c.Context(), "")
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0 || s.System == nil:
		return seeOther("/setup"), nil
	}
	return seeOther("/system"), nil
}
