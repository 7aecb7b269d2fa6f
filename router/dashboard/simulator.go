package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// simulated is what the page of the simulator needs of the engine.
type simulated interface {
	CreatePayment(ctx context.Context, auth account.Auth, in *request.Input) (*change.View, error)
}

func (s *Server) simulatorRoutes() []route {
	return []route{
		{method: "GET", pattern: "/m/{m}/simulator", needs: staff.UseSimulator, handle: s.simulator},
		{method: "POST", pattern: "/m/{m}/simulator", needs: staff.UseSimulator, handle: s.simulate},
	}
}

// ending is how the simulated processor answers: plugins/simulator/README.md has the cards and amounts.
type ending struct {
	name, text, card string
	minor            int64 // the amount that brings the ending about; 0 for any
	threeDS          bool
}

var endings = []ending{
	{name: "approved", text: "Approved", card: "4242424242424242"},
	{name: "3ds", text: "Approved after 3-D Secure at the processor", card: "4000000000003220", threeDS: true},
	{name: "generic", text: "Declined: no reason", card: "4000000000000002"},
	{name: "funds", text: "Declined: not enough money", card: "4000000000009995"},
	{name: "lost", text: "Declined: lost card", card: "4000000000009987"},
	{name: "expired", text: "Declined: expired card", card: "4000000000000069"},
	{name: "cvc", text: "Declined: wrong CVC", card: "4000000000000127"},
	{name: "pending", text: "Pending, approved after 5 seconds (9,000,000.20)", card: "4242424242424242", minor: 900000020},
	{name: "review", text: "Held back for review, approved after 5 seconds (9,000,000.22)", card: "4242424242424242", minor: 900000022},
	{name: "answer-lost", text: "Answer lost after the processor acted (9,000,000.30)", card: "4242424242424242", minor: 900000030},
	{name: "never-acted", text: "Answer lost, and the processor never acted (9,000,000.31)", card: "4242424242424242", minor: 900000031},
	{name: "partial", text: "Approved for half of the amount (9,000,000.08)", card: "4242424242424242", minor: 900000008},
}

// simulatorAccounts returns the accounts that the simulator answers for and that move no money.
func (s *Server) simulatorAccounts(ctx context.Context, c *call) (out []*account.Account, err error) {
	list, err := s.Engine.Accounts(ctx, c.auth())
	for _, a := range list {
		info, ok := s.Adapters.Adapter(a.Connector)
		if ok && a.Type == account.TypeProcessor && !a.Disabled && info.Manifest != nil && info.Manifest.Name == "simulator" && !s.live(a.TestMode) {
			out = append(out, a)
		}
	}
	return out, err
}

func (s *Server) simulator(c *call) (response, error) {
	d, err := s.simulatorPage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) simulatorPage(c *call, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	accounts, err := s.simulatorAccounts(ctx, c)
	if err != nil {
		return nil, err
	}
	d := &document{Heading: "Simulator", Lead: "Make a test payment with the ending that you want to see. It runs through the real switch to the simulated processor, and no money moves."}
	if len(accounts) == 0 {
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No account at the simulator", Text: "Connect the simulator first. It takes any keys.", Links: []Link{{c.at() + "/connectors/new?connector=simulator", "Connect the simulator"}}}})
		return d, nil
	}
	f := Form{Action: c.at() + "/simulator", Submit: "Pay", Tone: "go", Fields: []Field{hidden("key", rand.Text())}}
	var ends, at []Option
	for i, e := range endings {
		ends = append(ends, Option{e.name, e.text, i == 0})
	}
	for _, a := range accounts {
		at = append(at, Option{a.ID, a.Label, false})
	}
	f.Fields = append(f.Fields, Field{Name: "ending", Label: "Ending", Kind: "select", Options: ends, Hint: "An ending with an amount in brackets pays that amount."},
		Field{Name: "amount", Label: "Amount", Kind: "text", Value: "65.40", Required: true, Max: 20, Autocomplete: "off"},
		Field{Name: "currency", Label: "Currency", Kind: "text", Value: "USD", Required: true, Max: 3, Autocomplete: "off", Hint: "Such as USD, EUR, JPY or KWD."},
		Field{Name: "manual", Label: "Authorize only, and capture later", Kind: "checkbox"},
		Field{Name: "account", Label: "Account", Kind: "select", Options: at})
	if problem != nil {
		c.refill(&f, problem)
	}
	d.add(Block{Heading: "Pay", Forms: []Form{f}})
	d.add(Block{Heading: "From your shop", Text: []string{"The same cards and amounts work through the API."}, Code: firstPayment(s.opts.APIURL, "YOUR_KEY")})
	return d, nil
}

// simulate makes a payment. The form's key is a part of the payment's id, so that a second click makes no second payment.
func (s *Server) simulate(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	accounts, err := s.simulatorAccounts(c.Context(), c)
	if err != nil {
		return nil, err
	}
	id := "pay_test_" + c.idOfForm()
	in, err := c.simulatedInput(id, accounts)
	if err == nil {
		err = c.perform(Act{Needs: staff.UseSimulator, Action: "simulator.pay", Target: id, Details: map[string]string{"ending": c.PostFormValue("ending")}}, func(ctx context.Context) error {
			_, err := s.Engine.CreatePayment(ctx, c.auth(), in)
			return err
		})
	}
	var known *fault.Error
	if errors.As(err, &known) && known.Code == "HE_01" {
		err = nil // the first click has made the payment
	}
	if shownInForm(err) {
		d, failed := s.simulatorPage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	if !c.may(staff.SeePayments) {
		return seeOther(c.at() + "/simulator"), nil
	}
	return seeOther(c.at() + "/payments/" + id), nil
}

// simulatedInput returns the payment that the form asks for.
func (c *call) simulatedInput(id string, accounts []*account.Account) (*request.Input, error) {
	i := slices.IndexFunc(endings, func(e ending) bool { return e.name == c.PostFormValue("ending") })
	if i < 0 {
		return nil, missing("ending", "Choose an ending")
	}
	at := slices.IndexFunc(accounts, func(a *account.Account) bool { return a.ID == c.PostFormValue("account") })
	if at < 0 && len(accounts) > 0 {
		at = 0
	}
	if at < 0 {
		return nil, missing("account", "Connect the simulator first")
	}
	e, a, currency := endings[i], accounts[at], sdk.Currency(strings.ToUpper(strings.TrimSpace(c.PostFormValue("currency"))))
	m, err := amountOf(c.PostFormValue("amount"), currency)
	switch {
	case sdk.Money{Minor: 1, Currency: currency}.Major() == "":
		return nil, missing("currency", "Write a currency such as USD")
	case e.minor > 0:
		m.Minor = e.minor
	case err != nil || m.Minor <= 0:
		return nil, missing("amount", "Write an amount such as "+Money{1050, currency}.plain())
	}
	in := &request.Input{PaymentID: id, ProfileID: a.ProfileID, Amount: &m.Minor, Currency: currency, Confirm: new(true), PaymentMethod: "card", PaymentMethodType: "credit", HasMethodData: true,
		Description: "Made in the simulator: " + e.text, Routing: &routed.Preference{Type: "single", Choices: []routed.Choice{{Connector: a.Connector, AccountID: a.ID}}},
		Card: &card.Input{Number: secret.New(e.card), CVC: secret.New("737"), ExpMonth: "10", ExpYear: "50", Holder: secret.New("Ada Lovelace")}}
	if c.PostFormValue("manual") != "" {
		in.CaptureMethod = payment.CaptureManual
	}
	if e.threeDS {
		in.AuthenticationType, in.ReturnURL = payment.AuthenticationThreeDS, c.server.opts.APIURL+"/"
	}
	return in, nil
}
