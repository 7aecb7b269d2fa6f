package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/paylink"
	"payswitch/engine/paylink/visit"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/sdk"
)

// linking is what the pages of payment links and collect links need of the engine.
type linking interface {
	StandingLinks(ctx context.Context, a account.Auth, kind paylink.Kind, f paylink.Filter) ([]*visit.Standing, error)
	StandingLink(ctx context.Context, a account.Auth, kind paylink.Kind, id string) (*visit.Standing, error)
	CreateCollect(ctx context.Context, a account.Auth, in paylink.Collect) (*paylink.Link, error)
	EndCollect(ctx context.Context, a account.Auth, id string) error
}

// linkKind is what differs between the pages of payment links and those of collect links.
type linkKind struct {
	kind                            paylink.Kind
	path, heading, other, otherPath string
	lead, empty, one                string
	api, sample                     string // the request that makes one
}

var (
	paymentLinks = linkKind{paylink.ForPayment, "/links", "Payment links", "Collect links", "/collect-links",
		"A payment link is a page on which your customer pays one payment. Send it by mail, or print it as a QR code.",
		"Make one, and send its address to your customer. Your shop makes them with POST /payments and payment_link.", "Payment link",
		"/payments", `{"amount":6540,"currency":"USD","payment_link":true,"return_url":"https://shop.example/done","session_expiry":86400}`}
	collectLinks = linkKind{paylink.ForCollect, "/collect-links", "Collect links", "Payment links", "/links",
		"A collect link is a page on which a customer saves a card, without a payment.",
		"Make one for a customer, and send its address. Your shop makes them with POST /payment_methods/collect.", "Collect link",
		"/payment_methods/collect", `{"customer_id":"cus_1","session_expiry":86400}`}
)

func (s *Server) linkRoutes() (out []route) {
	for _, k := range []linkKind{paymentLinks, collectLinks} {
		at := "/m/{m}" + k.path
		out = append(out, []route{
			{method: "GET", pattern: at, needs: staff.SeePayments, handle: s.linkList(k)},
			{method: "POST", pattern: at, needs: staff.ManageLinks, handle: s.createLink(k)},
			{method: "GET", pattern: at + "/{id}", needs: staff.SeePayments, handle: s.oneLink(k)},
		}...)
	}
	return append(out, route{method: "POST", pattern: "/m/{m}/collect-links/{id}/end", needs: staff.ManageLinks, handle: s.endLink})
}

// mayLinks reports whether the person may make and end links of the merchant.
func (c *call) mayLinks() bool {
	return c.Session.MayOn(staff.ManageLinks, c.Merchant.ID, c.server.opts.Live)
}

// linkChip returns the state of a link in a word.
func linkChip(l *visit.Standing) Chip {
	switch {
	case l.Open():
		return Chip{"open", "go", marks["go"]}
	case l.Status == paylink.Submitted:
		return Chip{"card saved", "good", marks["good"]}
	case l.Status == paylink.Invalidated:
		return Chip{"ended", "quiet", marks["quiet"]}
	case l.Kind == paylink.ForCollect || l.Payment == payment.RequiresPaymentMethod || l.Payment == payment.RequiresConfirmation:
		return Chip{"expired", "quiet", marks["quiet"]}
	}
	return chip(string(l.Payment))
}

func (s *Server) linkList(k linkKind) handler {
	return func(c *call) (response, error) {
		d, err := s.linkListPage(c, k, nil)
		if err != nil {
			return nil, err
		}
		return show(d), nil
	}
}

func (s *Server) linkListPage(c *call, k linkKind, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	from := readCursor(c.URL.Query().Get("after"))
	list, err := s.Engine.StandingLinks(ctx, c.auth(), k.kind, paylink.Filter{Limit: from.skip + listRows + 1, CreatedLTE: from.to})
	if err != nil {
		return nil, err
	}
	_, profiles, err := c.profileNames(ctx)
	if err != nil {
		return nil, err
	}
	return c.linksOf(k, list[min(from.skip, len(list)):], from, profiles, problem), nil
}

func (c *call) linksOf(k linkKind, list []*visit.Standing, from cursor, profiles []*account.Profile, problem error) *document {
	at := c.at() + k.path
	d := &document{Heading: k.heading, Lead: k.lead, Links: []Link{{c.at() + k.otherPath, k.other}}}
	t := &Table{Caption: k.heading + ", newest first", Columns: columns("Time", "Amount", "State", "Description", "Open until")}
	t.Columns[1].Class = "num"
	if k.kind == paylink.ForCollect {
		t.Columns = columns("Time", "Customer", "State", "Open until")
	}
	cells := func(l *visit.Standing) []Cell {
		made, until, state := c.time(l.CreatedAt), c.time(l.ExpiresAt), linkChip(l)
		if k.kind == paylink.ForCollect {
			return []Cell{{Time: &made}, {Text: l.Subject}, {Chip: &state}, {Time: &until}}
		}
		return []Cell{{Time: &made}, {Amount: &Money{l.Details.Amount, l.Details.Currency}}, {Chip: &state}, {Text: l.Details.Description}, {Time: &until}}
	}
	var times []time.Time
	for i, l := range list {
		if times = append(times, l.CreatedAt); i < listRows {
			t.Rows = append(t.Rows, Row{URL: at + "/" + l.ID, Cells: cells(l)})
		}
	}
	t.Pager.Older = older(at, "", from.next(times))
	if !from.to.IsZero() {
		t.Pager.Newest = at
	}
	f := c.linkForm(k, profiles)
	f.Open = len(list) == 0
	if problem != nil {
		c.refill(&f, problem)
	}
	if c.mayLinks() {
		d.add(Block{ID: "new", Forms: []Form{f}})
	} else {
		d.add(Block{Text: []string{"Links are made by support or by an admin of this merchant."}})
	}
	if len(t.Rows) > 0 {
		d.add(Block{Bare: true, Table: t})
	} else {
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No " + strings.ToLower(k.one) + " yet", Text: k.empty}})
	}
	if c.mayLinks() {
		d.add(Block{Bare: true, Folds: []Fold{{"The same with curl", "curl -sS " + c.server.opts.APIURL + k.api + " \\\n  -H 'api-key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d '" + k.sample + "'"}}})
	}
	return d
}

// lives are how long a new link may stay open, in seconds.
var lives = []Option{{Value: "86400", Text: "1 day", Chosen: true}, {Value: "900", Text: "15 minutes"}, {Value: "3600", Text: "1 hour"}, {Value: "604800", Text: "7 days"},
	{Value: "2592000", Text: "30 days"}}

// linkForm returns the form of a new link. Its key is a part of the link's or the payment's id, so that a second click makes no second one.
func (c *call) linkForm(k linkKind, profiles []*account.Profile) Form {
	f := Form{ID: "new-", Fold: "Make a " + strings.ToLower(k.one), Action: c.at() + k.path, Submit: "Make the link", Tone: "go", Fields: []Field{hidden("key", rand.Text())}}
	life := Field{Name: "session_expiry", Label: "Stays open for", Kind: "select", Options: append([]Option(nil), lives...)}
	back := Field{Name: "return_url", Label: "Return URL", Kind: "url", Max: 2048, Required: true, Autocomplete: "off", Hint: "Where the page leads afterwards. https in production."}
	if k.kind == paylink.ForCollect {
		back.Required = false
		f.Fields = append(f.Fields, Field{Name: "customer_id", Label: "Customer", Kind: "text", Required: true, Max: 64, Autocomplete: "off", Hint: "The customer's id, as your shop or the list of customers has it."},
			life, back)
		return f
	}
	var at []Option
	for _, p := range profiles {
		if at = append(at, Option{p.ID, p.Name, p.ID == c.Merchant.DefaultProfile}); p.ID == c.Merchant.DefaultProfile {
			back.Value = p.Settings.ReturnURL
		}
	}
	f.Fields = append(f.Fields, Field{Name: "amount", Label: "Amount", Kind: "text", Required: true, Max: 20, Autocomplete: "off", Hint: "Such as 65.40."},
		Field{Name: "currency", Label: "Currency", Kind: "text", Required: true, Max: 3, Autocomplete: "off", Hint: "Such as USD, EUR, JPY or KWD."},
		Field{Name: "description", Label: "Description", Kind: "text", Max: 255, Autocomplete: "off", Hint: "Your customer reads it on the page."},
		Field{Name: "merchant_order_reference_id", Label: "Order reference", Kind: "text", Max: 255, Autocomplete: "off"},
		Field{Name: "customer_id", Label: "Customer (optional)", Kind: "text", Max: 64, Autocomplete: "off", Hint: "The customer's id."}, life, back,
		Field{Name: "manual", Label: "Authorize only, and capture later", Kind: "checkbox"})
	if len(at) > 1 {
		f.Fields = append(f.Fields, Field{Name: "profile_id", Label: "Profile", Kind: "select", Options: at})
	}
	return f
}

// idOfForm returns the posted key of a form, in letters that ids may have.
func (c *call) idOfForm() string {
	key := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, c.PostFormValue("key"))
	if len(key) < 20 { // a short key could be guessed, or belong to another form
		key = rand.Text()
	}
	return key[:min(len(key), 40)]
}

// createLink makes a link, once for a form's key.
func (s *Server) createLink(k linkKind) handler {
	make := s.makePaymentLink
	if k.kind == paylink.ForCollect {
		make = s.makeCollectLink
	}
	return func(c *call) (response, error) {
		if err := c.form(); err != nil {
			return nil, err
		}
		id, err := make(c)
		if shownInForm(err) {
			d, failed := s.linkListPage(c, k, err)
			return shown{http.StatusUnprocessableEntity, d}, failed
		}
		if err != nil {
			return nil, err
		}
		return seeOther(c.at() + k.path + "/" + id), nil
	}
}

// filled returns the posted texts that are not empty, as the API takes them.
func (c *call) filled(names ...string) map[string]any {
	v := map[string]any{}
	for _, name := range names {
		if text := strings.TrimSpace(c.PostFormValue(name)); text != "" {
			v[name] = text
		}
	}
	return v
}

// life returns how long the link stays open, in seconds: a day if the form names no time of a minute or more.
func (c *call) life() int64 {
	n, err := strconv.ParseInt(c.PostFormValue("session_expiry"), 10, 64)
	if err != nil || n < 60 {
		return 86400
	}
	return n
}

func (s *Server) makePaymentLink(c *call) (string, error) {
	id := "pay_link_" + c.idOfForm()
	in, err := c.paymentLinkInput(id)
	if err != nil {
		return "", err
	}
	var v *change.View
	err = c.perform(Act{Needs: staff.ManageLinks, Live: s.opts.Live, Action: "link.create", Target: id,
		Details: map[string]string{"amount": Money{*in.Amount, in.Currency}.String()}}, func(ctx context.Context) (err error) {
		v, err = s.Engine.CreatePayment(ctx, c.auth(), in)
		return err
	})
	var known *fault.Error
	if errors.As(err, &known) && known.Code == "HE_01" { // the first click has made it
		v, err = s.Engine.RetrievePayment(c.Context(), c.auth(), id, request.RetrieveInput{})
	}
	if err != nil {
		return "", err
	}
	if v.Payment.Details.Link == nil {
		return "", fault.NotFound("Payment Link")
	}
	return v.Payment.Details.Link.ID, nil
}

// mostAmount is the largest amount that the API takes, in minor units.
const mostAmount = 999_999_999

func (c *call) paymentLinkInput(id string) (*request.Input, error) {
	values := c.filled("description", "merchant_order_reference_id", "customer_id", "return_url", "profile_id")
	currency := sdk.Currency(strings.ToUpper(strings.TrimSpace(c.PostFormValue("currency"))))
	m, err := amountOf(c.PostFormValue("amount"), currency)
	switch {
	case sdk.Money{Minor: 1, Currency: currency}.Major() == "":
		return nil, missing("currency", "Write a currency such as USD")
	case err != nil || m.Minor <= 0:
		return nil, missing("amount", "Write an amount such as "+Money{1050, currency}.plain())
	case m.Minor > mostAmount:
		return nil, missing("amount", "At most "+Money{mostAmount, currency}.String())
	case values["return_url"] == nil:
		return nil, missing("return_url", "Write an address such as https://shop.example/done")
	}
	values["amount"], values["currency"], values["payment_id"], values["payment_link"], values["session_expiry"] = m.Minor, string(currency), id, true, c.life()
	if c.PostFormValue("manual") != "" {
		values["capture_method"] = string(payment.CaptureManual)
	}
	return router.ParsePayment(body(values))
}

func (s *Server) makeCollectLink(c *call) (string, error) {
	values := c.filled("customer_id", "return_url")
	if values["customer_id"] == nil {
		return "", missing("customer_id", "Write the id of a customer")
	}
	id := "pm_collect_link_" + c.idOfForm()
	values["pm_collect_link_id"], values["session_expiry"] = id, c.life()
	in, err := router.ParseCollect(body(values))
	if err != nil {
		return "", err
	}
	err = c.perform(Act{Needs: staff.ManageLinks, Live: s.opts.Live, Action: "collect_link.create", Target: id, Details: map[string]string{"customer": in.CustomerID}}, func(ctx context.Context) error {
		_, err := s.Engine.CreateCollect(ctx, c.auth(), in)
		return err
	})
	var known *fault.Error
	if errors.As(err, &known) && known.Code == "IR_38" {
		err = nil // the first click has made it
	}
	return id, err
}

func (s *Server) oneLink(k linkKind) handler {
	return func(c *call) (response, error) {
		d, err := s.linkPage(c, k, nil)
		if err != nil {
			return nil, err
		}
		return show(d), nil
	}
}

func (s *Server) linkPage(c *call, k linkKind, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	l, err := s.Engine.StandingLink(ctx, c.auth(), k.kind, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return c.linkOf(k, l, problem)
}

func (c *call) linkOf(k linkKind, l *visit.Standing, problem error) (*document, error) {
	state, made, until := linkChip(l), c.time(l.CreatedAt), c.time(l.ExpiresAt)
	d := &document{Heading: k.one, Back: &Link{c.at() + k.path, k.heading}}
	facts := Block{Facts: []Named{fact("State", Cell{Chip: &state})}}
	if k.kind == paylink.ForPayment {
		facts.Facts = append(facts.Facts, fact("Amount", Cell{Amount: &Money{l.Details.Amount, l.Details.Currency}}), fact("Payment", linked(l.Subject, c.at()+"/payments/"+l.Subject)))
		if l.Details.Description != "" {
			facts.Facts = append(facts.Facts, fact("Description", Cell{Text: l.Details.Description}))
		}
	} else {
		facts.Facts = append(facts.Facts, fact("Customer", linked(l.Subject, c.at()+"/customers/"+l.Subject)))
	}
	facts.Facts = append(facts.Facts, fact("Made", Cell{Time: &made}), fact("Open until", Cell{Time: &until}), fact("Id", ident(l.ID)))
	if l.Details.SecureURL != "" {
		facts.Facts = append(facts.Facts, fact("For frames", ident(l.Details.SecureURL)))
	}
	d.add(facts)
	address := Block{Heading: "Address", Once: l.Details.URL, Links: []Link{{l.Details.URL, "Open the page as the customer sees it"}},
		Text: []string{"Everybody with the address can open the page."}}
	if !l.Open() {
		address.Once, address.Facts, address.Text = "", []Named{fact("Link", ident(l.Details.URL))}, []string{"The page takes nothing any more. It shows how the link has ended."}
	} else {
		var err error
		if address.QR, err = qrImage(l.Details.URL); err != nil {
			return nil, err
		}
	}
	d.add(address)
	if !l.Open() || !c.mayLinks() {
		return d, nil
	}
	if k.kind == paylink.ForPayment {
		if c.may(staff.MoveMoney) {
			d.add(Block{Heading: "End the link", Text: []string{"The link ends with its payment."}, Links: []Link{{c.at() + "/payments/" + l.Subject + "/cancel", "Cancel the payment"}}})
		}
		return d, nil
	}
	f := Form{Fold: "End the link", Action: c.at() + "/collect-links/" + l.ID + "/end", Submit: "End the link", Tone: "danger", Text: "The page takes no card any more. It does not come back: make another link then."}
	if problem != nil {
		c.refill(&f, problem)
	}
	d.add(Block{Forms: []Form{f}})
	return d, nil
}

// endLink ends a collect link. A link that has ended stays as it is.
func (s *Server) endLink(c *call) (response, error) {
	id := c.PathValue("id")
	err := c.perform(Act{Needs: staff.ManageLinks, Live: s.opts.Live, Action: "collect_link.end", Target: id}, func(ctx context.Context) error {
		return s.Engine.EndCollect(ctx, c.auth(), id)
	})
	var known *fault.Error
	if err != nil && !(errors.As(err, &known) && known.Code == "IR_16") {
		return nil, err
	}
	return seeOther(c.at() + "/collect-links/" + id), nil
}
