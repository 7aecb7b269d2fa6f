package dashboard

import (
	"payswitch/engine/request"
)

// homePage shows what a merchant looks at first.
type homePage struct {
	At       string
	Payments []paymentRow
	Empty    Empty
}

func (*homePage) file() string  { return "home" }
func (*homePage) Title() string { return "Overview" }

// homeRows is the number of payments on the overview.
const homeRows = 10

func (s *Server) home(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	list, err := s.Engine.ListPayments(ctx, c.auth(), request.ListInput{Limit: homeRows})
	if err != nil {
		return nil, err
	}
	p := &homePage{At: c.at(), Empty: Empty{Heading: "No payment yet", Text: "The first payment appears here as soon as your shop makes it."}}
	for _, v := range list {
		p.Payments = append(p.Payments, c.paymentRow(v))
	}
	return show(p), nil
}
