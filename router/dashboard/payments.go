package dashboard

import (
	"cmp"
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/staff"
	"payswitch/engine/timeline"
	"payswitch/sdk"
)

// paymentLists is what the lists of payments need of the engine.
type paymentLists interface {
	ListPayments(ctx context.Context, auth account.Auth, in request.ListInput) ([]*change.View, error)
	Browse(ctx context.Context, auth account.Auth, q search.Query) (*search.Found, error)
	Fresh(ctx context.Context, auth account.Auth, q search.Query, than listed.Place, most int) (int, error)
	Find(ctx context.Context, auth account.Auth, id string) (timeline.Place, bool, error)
	SealWord(auth account.Auth, word string) string
	OpenWord(auth account.Auth, text string) string
}

// paymentsPage is the list of payments.
type paymentsPage struct {
	List     string // the path of the list
	Fields   []Field
	Tags     []Tag
	Payments []paymentRow
	Empty    Empty
	Pager    Pager
	CSV      string
	News     string // asks whether there are newer payments; "" on older pages
	Wrong    bool   // a filter cannot be read
	Text     string // the word that names no field
}

func (*paymentsPage) file() string  { return "payments" }
func (*paymentsPage) Title() string { return "Payments" }

// paymentRow is a payment in a list.
type paymentRow struct {
	URL, ID  string
	Time     Time
	Amount   Money
	Status   Chip
	Method   string // Visa ··4242
	Customer string
	At       string // the connector
	Reason   string // why it failed
}

// payments shows the list. The search box and the filters come as forms: a browser keeps the addresses that it asked for, and people type card numbers.
// What may stand in an address moves into it, so that a link says all.
func (s *Server) payments(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	list := c.at() + "/payments"
	in, typed := c.URL.Query(), c.Method == http.MethodPost
	if typed {
		in = c.PostForm
	}
	f := c.filters(in)
	ctx, end := c.reading()
	defer end()
	rest := ""
	text := strings.TrimSpace(in.Get("q"))
	if text == "" && typed {
		found, err := s.hasOrder(ctx, c, f.values.Get("order"))
		if err == nil {
			f.dropCards(found)
		}
		return seeOther(f.address(list)), err
	}
	if text != "" {
		if at, found, err := s.Engine.Find(ctx, c.auth(), text); err != nil {
			return nil, err
		} else if found {
			return seeOther(c.placeURL(at)), nil
		}
		if found, err := s.hasOrder(ctx, c, text); err != nil {
			return nil, err
		} else if found {
			return seeOther((&filters{values: url.Values{"order": {text}}}).address(list)), nil
		}
		before := len(f.values)
		rest = f.addWords(text)
		if rest != "" && f.values.Get("order") == "" && !strings.Contains(rest, " ") {
			f.values.Set("order", rest)
			rest = ""
		}
		if rest == "" && (len(f.values) > 0 || before > 0) {
			return seeOther(f.address(list)), nil
		}
	}
	p := &paymentsPage{List: list, Tags: f.tags(list), CSV: f.address(list + ".csv"), Text: rest}
	q := f.query(c.zone())
	p.Fields = f.fields()
	if p.Wrong = len(f.problems) > 0; p.Wrong {
		p.CSV = ""
		return shown{status: http.StatusBadRequest, page: p}, nil
	}
	if rest != "" {
		p.Empty = Empty{Heading: "Nothing is named " + rest, Text: "Search for an id, an order reference, an e-mail address, the last four digits of a card, " +
			"an amount such as 42.00 USD, or words such as status:failed amount:>100 currency:EUR. The search does not know the names of customers: take the e-mail address.", Links: []Link{{list, "All payments"}}}
		return show(p), nil
	}
	q.Behind = readPlace(in.Get("after"))
	found, err := s.Engine.Browse(ctx, c.auth(), q)
	if err != nil {
		return nil, err
	}
	for _, v := range found.Views {
		p.Payments = append(p.Payments, c.paymentRow(v))
	}
	p.page(c, f, q, found)
	return show(p), nil
}

// hasOrder reports whether a text that looks like a card number is the order reference of a payment.
func (s *Server) hasOrder(ctx context.Context, c *call, text string) (bool, error) {
	if !card.HoldsCard(text) {
		return false, nil
	}
	q := search.Query{}
	q.Filter.OrderReference = text
	found, err := s.Engine.Browse(ctx, c.auth(), q)
	return err == nil && len(found.Views) > 0, err
}

// page fills in what stands around the rows.
func (p *paymentsPage) page(c *call, f *filters, q search.Query, found *search.Found) {
	if q.Behind != nil {
		p.Pager.Newest = f.address(p.List)
	} else if found.Newest != nil {
		p.News = f.address(p.List+"/new", "since", place(found.Newest))
	}
	if found.Next != nil {
		p.Pager.Older = f.address(p.List, "after", place(found.Next))
		if found.Bounded {
			p.Pager.Note = "Searched back to " + c.time(found.Next.CreatedAt).String() + ", " + strconv.Itoa(len(found.Views)) + " found. Older goes on from there."
		}
	}
	if len(p.Payments) > 0 {
		return
	}
	switch {
	case found.Bounded:
		p.Empty = Empty{Heading: "Nothing found so far", Text: p.Pager.Note}
	case len(p.Tags) > 0:
		p.Empty = Empty{Heading: "No payment matches", Text: "Remove a filter:"}
		for _, t := range p.Tags {
			p.Empty.Links = append(p.Empty.Links, Link{t.Without, "Without " + t.Text})
		}
	default:
		p.Empty = noPayment
	}
}

// noPayment is what lists of payments say before the first one.
var noPayment = Empty{Heading: "No payment yet", Text: "The first payment appears here as soon as your shop makes it."}

// fields returns the inputs of the filters, with what is wrong with each.
func (f *filters) fields() []Field {
	one := func(name, kind string) Field {
		if kind == "date" && f.problems[name] != "" {
			kind = "text" // an input for days shows no other text
		}
		return Field{Name: name, Label: labels[name], Kind: kind, Value: f.values.Get(name), Problem: f.problems[name], Autocomplete: "off", Max: 200}
	}
	status := one("status", "select")
	status.Options = []Option{{"", "any", status.Value == ""}}
	for _, w := range []string{"paid", "held", "open", "failed", "doubt", "ended"} {
		status.Options = append(status.Options, Option{w, w, w == status.Value})
	}
	for _, s := range []payment.Status{payment.Succeeded, payment.PartiallyCaptured, payment.RequiresCapture, payment.RequiresCustomerAction, payment.Processing,
		payment.Cancelled, payment.Expired, payment.Conflicted, payment.Review} {
		status.Options = append(status.Options, Option{string(s), words(string(s)), string(s) == status.Value})
	}
	return []Field{status, one("amount", "text"), one("currency", "text"), one("last4", "text"), one("connector", "text"), one("email", "text"), one("order", "text"),
		one("from", "date"), one("to", "date")}
}

// placeURL returns the page of what an id names.
func (c *call) placeURL(at timeline.Place) string {
	switch {
	case at.PaymentID == "":
		return c.at() + "/customers/" + at.CustomerID
	case at.RefundID != "":
		return c.at() + "/payments/" + at.PaymentID + "#refunds"
	case at.DisputeID != "":
		return c.at() + "/payments/" + at.PaymentID + "#disputes"
	}
	return c.at() + "/payments/" + at.PaymentID
}

// newsPage says how many payments are newer than a list. It is a part of the list's page.
type newsPage struct {
	Count, URL string
}

func (*newsPage) file() string  { return "news" }
func (*newsPage) Title() string { return "New payments" }

// mostNews is the number from which on the list does not count.
const mostNews = 99

func (s *Server) paymentsNews(c *call) (response, error) {
	in := c.URL.Query()
	f := c.filters(in)
	q := f.query(c.zone())
	since := readPlace(in.Get("since"))
	if since == nil || len(f.problems) > 0 {
		return nothing{}, nil
	}
	ctx, end := c.reading()
	defer end()
	n, err := s.Engine.Fresh(ctx, c.auth(), q, *since, mostNews)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nothing{}, nil
	}
	p := &newsPage{Count: strconv.Itoa(n), URL: f.address(c.at() + "/payments")}
	if n == mostNews {
		p.Count += "+"
	}
	return show(p), nil
}

// paymentsCSV writes the filtered payments as a file, one page after the other.
func (s *Server) paymentsCSV(c *call) (response, error) {
	f := c.filters(c.URL.Query())
	q := f.query(c.zone())
	if len(f.problems) > 0 {
		return seeOther(f.address(c.at() + "/payments")), nil
	}
	q.Limit = search.MaxBrowsed
	return csvFile{"payments", func(write func(cells ...string) error) error {
		err := write("payment_id", "created", "amount", "currency", "status", "method", "customer", "processor", "reason", "order_reference", "captured", "refunded")
		for err == nil {
			var found *search.Found
			if found, err = s.Engine.Browse(c.Context(), c.auth(), q); err != nil {
				return err
			}
			for _, v := range found.Views {
				row := c.paymentRow(v)
				plain := func(minor int64) string { return Money{minor, v.Payment.Currency}.plain() }
				if err = write(row.ID, row.Time.ISO(), plain(v.Payment.Amount), string(v.Payment.Currency), string(v.Payment.Status), row.Method, row.Customer, row.At, row.Reason,
					v.Payment.Details.OrderReference, plain(v.Payment.Received), plain(v.Payment.Refunded)); err != nil {
					return err
				}
			}
			if found.Next == nil {
				return nil
			}
			q.Behind = found.Next
		}
		return err
	}}, nil
}

// csvFile is an answer that is written while it is read.
type csvFile struct {
	name string
	rows func(write func(cells ...string) error) error
}

func (f csvFile) write(c *call) error {
	h := c.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+f.name+`.csv"`)
	w := csv.NewWriter(c.w)
	err := f.rows(func(cells ...string) error {
		for i, cell := range cells {
			cells[i] = harmless(cell)
		}
		return w.Write(cells)
	})
	w.Flush()
	if err != nil { // the answer has begun: the connection is cut, so that the browser does not take a part for the whole
		s := c.server
		s.Logger.ErrorContext(c.Context(), "an export ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// formula is where a spreadsheet could read a formula: at the beginning of a cell, or behind a character that it may read as the end of a cell. In
// many countries that is the semicolon, and then quotes do not protect our cells.
var formula = regexp.MustCompile(`(^|[;\t\r\n])([\pZ"']*[=+\-@＝＋－＠])`)

// harmless keeps a spreadsheet from taking a text for a formula.
func harmless(cell string) string { return formula.ReplaceAllString(cell, "$1'$2") }

// paymentRow returns the row of a payment. An e-mail address is masked for people who may not see it.
func (c *call) paymentRow(v *change.View) paymentRow {
	p, a := v.Payment, v.Attempt
	row := paymentRow{URL: c.at() + "/payments/" + p.ID, ID: p.ID, Time: c.time(p.CreatedAt), Amount: Money{p.Amount, p.Currency}, Status: chip(string(p.Status)),
		Customer: c.customer(p), At: a.Connector, Method: methodOf(a)}
	if e := a.Details.Error; e != nil && p.Status != payment.Succeeded {
		row.Reason = spoken(e.Message)
	}
	return row
}

// methodOf names what an attempt was paid with.
func methodOf(a *payment.Attempt) string {
	card := a.Details.Card
	if card == nil {
		return words(a.Details.PaymentMethodType)
	}
	return cardText(card.Network, card.LastFour)
}

// networkWords are the names of networks in more than one word, as people write them.
var networkWords = map[sdk.CardNetwork]string{sdk.AmericanExpress: "American Express", sdk.DinersClub: "Diners Club", sdk.CartesBancaires: "Cartes Bancaires"}

// cardText names a card: American Express ··0005.
func cardText(network sdk.CardNetwork, lastFour string) string {
	return cmp.Or(networkWords[network], string(network), "card") + " ··" + lastFour
}

// customer names the customer of a payment: by e-mail, name, or id.
func (c *call) customer(p *payment.Payment) string {
	if p.Private != nil && p.Private.Customer != nil {
		switch who := p.Private.Customer; {
		case who.Email != "":
			return c.email(who.Email)
		case who.Name != "" && c.may(staff.UnmaskCustomers):
			return who.Name
		}
	}
	return p.CustomerID
}

// email returns an address as the person may see it.
func (c *call) email(address string) string {
	if c.may(staff.UnmaskCustomers) {
		return address
	}
	return masked(address)
}

// masked hides a mail address but for its first letter and its domain.
func masked(address string) string {
	name, domain, found := cut(address, "@")
	if !found || name == "" {
		return "···"
	}
	return string([]rune(name)[:1]) + "···@" + domain
}
