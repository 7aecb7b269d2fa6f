package dashboard

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/staff"
)

// customers is what the pages of customers need of the engine.
type customers interface {
	Customer(ctx context.Context, a account.Auth, id string) (*account.Customer, error)
	Customers(ctx context.Context, a account.Auth, limit, offset int) (list []*account.Customer, err error)
	CustomerMethods(ctx context.Context, a account.Auth, customerID string, f method.MethodFilter) ([]method.MethodItem, error)
	Mandates(ctx context.Context, a account.Auth, f method.MandateFilter) ([]*method.MandateView, error)
	DeletePaymentMethod(ctx context.Context, a account.Auth, id string) error
	RevokeMandate(ctx context.Context, a account.Auth, id string) error
	DeleteCustomer(ctx context.Context, a account.Auth, id string) error
}

// customersPage is the list of customers.
type customersPage struct {
	Customers []customerRow
	Empty     Empty
	Pager     Pager
}

func (*customersPage) file() string  { return "customers" }
func (*customersPage) Title() string { return "Customers" }

// customerRow is a customer in a list.
type customerRow struct {
	URL, ID, Name, Email string
	Time                 Time
}

// maxOffset bounds how far the list of customers goes: a search by id or e-mail finds the others at once.
const maxOffset = 20 * listRows

func (s *Server) customers(c *call) (response, error) {
	from, err := strconv.Atoi(c.URL.Query().Get("from"))
	if err != nil || from < 0 || from > maxOffset {
		from = 0
	}
	ctx, end := c.reading()
	defer end()
	list, err := s.Engine.Customers(ctx, c.auth(), listRows+1, from)
	if err != nil {
		return nil, err
	}
	p := &customersPage{Empty: Empty{Heading: "No customer yet", Text: "A customer appears here when a payment names one, or when your shop makes one with POST /customers."}}
	for i, who := range list {
		if i == listRows {
			break
		}
		row := customerRow{URL: c.at() + "/customers/" + who.ID, ID: who.ID, Time: c.time(who.CreatedAt)}
		if who.Personal != nil {
			row.Name, row.Email = c.name(who.Personal.Name), c.mail(who.Personal.Email)
		}
		p.Customers = append(p.Customers, row)
	}
	path := c.at() + "/customers"
	if from > 0 {
		p.Pager.Newest = path
	}
	switch {
	case len(list) <= listRows:
	case from+listRows > maxOffset:
		p.Pager.Note = "Older customers are found by their id, in the search above."
	default:
		p.Pager.Older = path + "?from=" + strconv.Itoa(from+listRows)
	}
	return show(p), nil
}

// name returns a name as the person may see it.
func (c *call) name(name string) string {
	if name == "" || c.may(staff.UnmaskCustomers) {
		return name
	}
	return string([]rune(name)[:1]) + "···"
}

// mail is email for an address that may be missing.
func (c *call) mail(address string) string {
	if address == "" || address == redacted {
		return address
	}
	return c.email(address)
}

// redacted stands in every personal field of a customer who was forgotten.
const redacted = "Redacted"

// customerPage is one customer.
type customerPage struct {
	ID, Name, Back string
	Gone           bool
	Facts          []Fact
	Methods        []methodRow
	Mandates       []mandateRow
	Payments       []paymentRow
	More           string // the list of all payments
	Forget         string // "" for a person who may not
	Done           string
}

func (*customerPage) file() string    { return "customer" }
func (p *customerPage) Title() string { return "Customer " + p.Name }

// methodRow is a kept method.
type methodRow struct {
	ID, Text, Expires string
	Last              Time
	Network           string // whether the network's reference is kept
	Marks             []string
	Remove            string
}

// mandateRow is a mandate.
type mandateRow struct {
	ID, Kind, Method string
	Status           Chip
	Most             *Money
	Time             Time
	Revoke           string
}

func (s *Server) customer(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	id := c.PathValue("id")
	who, err := s.Engine.Customer(ctx, c.auth(), id)
	if err != nil {
		return nil, err
	}
	here := c.at() + "/customers/" + id
	p := &customerPage{ID: id, Name: id, Back: c.at() + "/customers", Gone: who.Redacted, More: c.at() + "/payments?customer=" + id,
		Done: customerDone[c.URL.Query().Get("did")]}
	if d := who.Personal; d != nil && !who.Redacted {
		if d.Name != "" {
			p.Name = c.name(d.Name)
		}
		p.Facts = facts("Name", c.name(d.Name), "E-mail", c.mail(d.Email), "Phone", c.name(strings.TrimSpace(d.PhoneCountryCode+" "+d.Phone)), "Description", d.Description)
	}
	p.Facts = append(p.Facts, facts("Since", c.time(who.CreatedAt).Full())...)
	manage := c.may(staff.ManageCustomers)
	if !who.Redacted {
		if manage {
			p.Forget = here + "/forget"
		}
		if err := s.kept(ctx, c, p, manage); err != nil {
			return nil, err
		}
	}
	mandates, err := s.Engine.Mandates(ctx, c.auth(), method.MandateFilter{CustomerID: id, Limit: listRows})
	if err != nil {
		return nil, err
	}
	for _, m := range mandates {
		p.Mandates = append(p.Mandates, c.mandateRow(m, here, manage))
	}
	found, err := s.Engine.Browse(ctx, c.auth(), search.Query{Filter: request.PaymentFilter{CustomerID: id}, Limit: homeRows})
	if err != nil {
		return nil, err
	}
	for _, v := range found.Views {
		p.Payments = append(p.Payments, c.paymentRow(v))
	}
	return show(p), nil
}

// kept fills in the methods that a customer has saved.
func (s *Server) kept(ctx context.Context, c *call, p *customerPage, manage bool) error {
	list, err := s.Engine.CustomerMethods(ctx, c.auth(), p.ID, method.MethodFilter{})
	if fault.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range list {
		row := methodRow{ID: m.ID, Text: words(m.Details.Type), Last: c.time(m.LastUsedAt), Network: "no"}
		if f := m.Details.Card; f != nil {
			row.Text = cardText(f.Network, f.LastFour)
			row.Expires = f.ExpMonth + "/" + f.ExpYear
		}
		if m.Details.NetworkTransactionID != "" {
			row.Network = "yes"
		}
		for _, mark := range []struct {
			text string
			is   bool
		}{{"default", m.Default}, {"expired", m.Expired}, {"chargeable without the customer", m.Recurring}} {
			if mark.is {
				row.Marks = append(row.Marks, mark.text)
			}
		}
		if manage {
			row.Remove = c.at() + "/customers/" + p.ID + "/methods/" + m.ID + "/remove"
		}
		p.Methods = append(p.Methods, row)
	}
	return nil
}

func (c *call) mandateRow(m *method.MandateView, here string, manage bool) mandateRow {
	terms := m.Details.Terms
	row := mandateRow{ID: m.ID, Kind: "many charges", Status: chip(string(m.Status)), Time: c.time(m.CreatedAt)}
	if terms.SingleUse {
		row.Kind = "one charge"
	}
	if terms.Currency != "" {
		row.Most = &Money{terms.Amount, terms.Currency}
	}
	if m.Method != nil && m.Method.Details.Card != nil {
		row.Method = cardText(m.Method.Details.Card.Network, m.Method.Details.Card.LastFour)
	}
	if manage && m.Status == method.MandateActive {
		row.Revoke = here + "/mandates/" + m.ID + "/revoke"
	}
	return row
}

// customerDone are the words for what a person has just done.
var customerDone = map[string]string{"remove": "The method was removed.", "revoke": "The mandate was revoked.",
	"forget": "The customer was forgotten. The payments stay."}

// customerAct is a change that a person makes on a customer's page.
type customerAct struct {
	name, heading, button string
	words                 []string
	do                    func(ctx context.Context, e Engine, auth account.Auth, customer, id string) error
}

var removeMethod = customerAct{"remove", "Remove this method", "Remove",
	[]string{"The card's number is destroyed. The customer types it again at the next purchase.", "Payments that were made with it stay, and can be refunded."},
	func(ctx context.Context, e Engine, auth account.Auth, _, id string) error {
		return e.DeletePaymentMethod(ctx, auth, id)
	}}

var revokeMandate = customerAct{"revoke", "Revoke this mandate", "Revoke",
	[]string{"The shop can no longer charge the customer with it. A revoked mandate cannot be brought back."},
	func(ctx context.Context, e Engine, auth account.Auth, _, id string) error {
		return e.RevokeMandate(ctx, auth, id)
	}}

var forgetCustomer = customerAct{"forget", "Forget this customer", "Forget",
	[]string{"Name, addresses and all kept cards are destroyed, and cannot be brought back. Payments stay, without the person.",
		"An active mandate has to be revoked first."},
	func(ctx context.Context, e Engine, auth account.Auth, customer, _ string) error {
		return e.DeleteCustomer(ctx, auth, customer)
	}}

// customerSheet returns the handlers that ask about a change and make it.
func (s *Server) customerSheet(act customerAct) (ask, do handler) {
	page := func(c *call, problem string) *sheetPage {
		return &sheetPage{Heading: act.heading, Words: act.words, Button: act.button, Danger: true, Action: c.URL.Path, Problem: problem,
			Back: c.at() + "/customers/" + c.PathValue("id"), Curl: s.customerCurl(act.name, c)}
	}
	ask = func(c *call) (response, error) {
		ctx, end := c.reading()
		defer end()
		if _, err := s.Engine.Customer(ctx, c.auth(), c.PathValue("id")); err != nil {
			return nil, err
		}
		return show(page(c, "")), nil
	}
	do = func(c *call) (response, error) {
		customer, thing := c.PathValue("id"), c.PathValue("thing")
		details := map[string]string{}
		if thing != "" {
			details["id"] = thing
		}
		err := c.perform(Act{Needs: staff.ManageCustomers, Action: "customer." + act.name, Target: customer, Details: details}, func(ctx context.Context) error {
			auth := c.auth()
			if thing != "" {
				auth.CustomerID = customer // a method or mandate of another customer counts as missing
			}
			return act.do(ctx, s.Engine, auth, customer, thing)
		})
		var known *fault.Error
		if errors.As(err, &known) && known.Kind == fault.KindInvalid {
			return shown{status: 400, page: page(c, known.Message)}, nil
		}
		if err != nil {
			return nil, err
		}
		s.Logger.InfoContext(c.Context(), "a person changed a customer", "action", act.name, "user_id", c.Session.UserID)
		return seeOther(c.at() + "/customers/" + c.PathValue("id") + "?did=" + act.name), nil
	}
	return ask, do
}

func (s *Server) customerCurl(name string, c *call) string {
	path, verb := "/customers/"+c.PathValue("id"), "DELETE"
	switch name {
	case "remove":
		path = "/payment_methods/" + c.PathValue("thing")
	case "revoke":
		path, verb = "/mandates/revoke/"+c.PathValue("thing"), "POST"
	}
	return "curl -X " + verb + " " + s.opts.APIURL + path + " \\\n  -H 'api-key: YOUR_KEY'"
}
