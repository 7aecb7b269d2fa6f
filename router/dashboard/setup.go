package dashboard

import (
	"context"
	"net/http"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/request"
	"payswitch/engine/staff"
	"payswitch/engine/webhook"
	"payswitch/router"
)

// setupRoutes lead from an empty installation to a first payment.
func (s *Server) setupRoutes() []route {
	return []route{
		{method: "GET", pattern: "/setup", signed: true, handle: s.setupOfAll},
		{method: "POST", pattern: "/setup", needs: staff.ManageMerchants, handle: s.formOnce(s.createMerchant)},
		{method: "GET", pattern: "/m/{m}/setup", needs: staff.SeeSettings, handle: s.setup},
	}
}

// setupOfAll leads to the set-up of the only merchant, or lets the person choose or make one.
func (s *Server) setupOfAll(c *call) (response, error) {
	ids, all := c.Session.Merchants()
	if all {
		list, err := s.Engine.Merchants(c.Context(), "")
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, m := range list {
			ids = append(ids, m.ID)
		}
	}
	makes := c.Session.May(staff.ManageMerchants, "")
	if len(ids) == 1 && !makes && c.Session.May(staff.SeeSettings, ids[0]) {
		return seeOther("/m/" + ids[0] + "/setup"), nil
	}
	return show(c.setupPage(ids, makes, nil)), nil
}

func (c *call) setupPage(ids []string, makes bool, err error) *document {
	d := &document{Heading: "Set-up", Lead: "A merchant takes payments: it has connectors, keys and settings of its own."}
	list := Block{Heading: "Merchants"}
	for _, id := range ids {
		if c.Session.May(staff.SeeSettings, id) {
			list.Cards = append(list.Cards, Card{URL: "/m/" + id + "/setup", Heading: id, Text: "Set up connectors, keys and addresses"})
		} else if c.Session.May(staff.SeePayments, id) {
			list.Cards = append(list.Cards, Card{URL: "/m/" + id + "/", Heading: id, Text: "Open"})
		} else {
			list.Facts = append(list.Facts, fact("Merchant", ident(id)))
		}
	}
	if len(ids) > 0 {
		d.add(list)
	}
	if makes {
		d.add(c.guard(staff.ManageMerchants, false)...)
		f := Form{ID: "merchant-", Action: "/setup", Submit: "Add the merchant", Tone: "go", Fields: []Field{
			{Name: "merchant_id", Label: "Id", Kind: "text", Required: true, Max: 64, Autocomplete: "off", Hint: "Letters, digits, _ and -. It never changes: it stands in the API's paths."},
			{Name: "merchant_name", Label: "Name", Kind: "text", Max: 100, Autocomplete: "organization", Hint: "As people read it."}}}
		if err != nil {
			c.refill(&f, err)
		}
		d.add(Block{Heading: "Add a merchant", Forms: []Form{f}})
	} else if len(ids) == 0 {
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No merchant yet", Text: "An operator of this installation adds the first merchant and gives you a role at it."}})
	}
	return d
}

func (s *Server) createMerchant(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	values := map[string]any{"merchant_id": strings.TrimSpace(c.PostFormValue("merchant_id"))}
	if name := strings.TrimSpace(c.PostFormValue("merchant_name")); name != "" {
		values["merchant_name"] = name
	}
	in, err := router.ParseMerchant(body(values))
	if err == nil {
		err = c.perform(Act{Needs: staff.ManageMerchants, Action: "merchant.create", Target: in.ID}, func(ctx context.Context) error {
			_, err := s.Engine.CreateMerchant(ctx, in)
			return err
		})
	}
	if shownInForm(err) {
		ids, _ := c.Session.Merchants()
		return shown{http.StatusUnprocessableEntity, c.setupPage(ids, true, err)}, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Session.May(staff.SeeSettings, in.ID) {
		return seeOther("/m/" + in.ID + "/setup"), nil
	}
	return seeOther("/setup"), nil
}

// setup shows what a merchant has to do until it takes payments. Each line reads the engine's state, so it is right whether a person or the API did
// the step.
func (s *Server) setup(c *call) (response, error) {
	ctx, end := c.reading()
	defer end()
	accounts, err := s.Engine.Accounts(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	profiles, err := s.Engine.Profiles(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	keys, err := s.Engine.APIKeys(ctx, c.auth(), 0, 0)
	if err != nil {
		return nil, err
	}
	payments, err := s.Engine.ListPayments(ctx, c.auth(), request.ListInput{Limit: 1})
	if err != nil {
		return nil, err
	}
	done := true
	events, _, err := s.Events.ListEvents(ctx, c.auth(), webhook.Filter{Delivered: &done, Limit: 1})
	if err != nil {
		return nil, err
	}
	posts, err := c.posts(ctx, profiles)
	if err != nil {
		return nil, err
	}
	refunds, _, err := s.Engine.ListRefunds(ctx, c.auth(), request.RefundListInput{Limit: 1})
	if err != nil {
		return nil, err
	}
	d := &document{Heading: "Set-up", Lead: "Each line looks at what is really there, and ticks itself. The first five lead to a payment, a refund and an event."}
	steps := []Step{c.processorStep(accounts),
		{Done: len(keys) > 0, Text: "An API key for your shop's server", Note: c.keyNote(keys), Link: &Link{c.at() + "/keys", "Keys"}},
		{Done: len(payments) > 0, Text: "A first payment", Note: either(len(payments) > 0, "The merchant has payments.", "Send the command below, or pay in the simulator."),
			Link: c.paymentLink(len(payments) > 0)},
		c.refundStep(len(refunds) > 0, payments), c.eventStep(len(events) > 0, posts),
		c.addressStep(profiles, posts), c.authenticatorStep(accounts), c.authenticationStep(profiles, accounts)}
	if s.opts.Live {
		steps = append(steps, c.originStep(profiles))
	}
	for _, st := range steps {
		done = done && (st.Done || st.Optional)
	}
	b := Block{Steps: steps}
	if done {
		b.Tone, b.Text = "good", []string{"All is set up: the merchant takes payments, and its shop hears of them."}
	}
	d.add(b)
	if len(payments) == 0 {
		d.add(Block{Heading: "Your first payment", Text: []string{"Put your API key in the place of YOUR_KEY. The card is a test card, which test processors and the simulator take."},
			Code: firstPayment(s.opts.APIURL, "YOUR_KEY")})
	}
	return show(d), nil
}

// firstPayment returns the command of a first payment.
func firstPayment(api, key string) string {
	return "curl -sS " + api + `/payments \
  -H 'Content-Type: application/json' -H 'api-key: ` + key + `' \
  -d '{"amount": 6540, "currency": "USD", "confirm": true,
       "payment_method": "card", "payment_method_type": "credit",
       "payment_method_data": {"card": {"card_number": "4242424242424242", "card_exp_month": "10",
         "card_exp_year": "50", "card_holder_name": "Ada Lovelace", "card_cvc": "737"}}}'`
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// refundStep leads to the newest payment, where a person gives money back.
func (c *call) refundStep(done bool, payments []*change.View) Step {
	st := Step{Done: done, Text: "A first refund", Note: "A paid payment has the button Refund on its page."}
	switch {
	case done:
		st.Note, st.Link = "The merchant has given money back.", &Link{c.at() + "/refunds", "Refunds"}
	case len(payments) > 0:
		st.Link = &Link{c.at() + "/payments/" + payments[0].Payment.ID, "Open the newest payment"}
	}
	return st
}

// eventStep leads to the page that says how a shop receives events.
func (c *call) eventStep(done bool, posts int) Step {
	st := Step{Done: done, Text: "A first event, delivered to your shop", Link: &Link{c.at() + "/webhooks", "Webhooks"},
		Note: "Add an endpoint, or run the command on the page of webhooks: it needs no public address. Then make a payment, because a new endpoint gets no earlier events."}
	switch {
	case done:
		st.Note, st.Link = "An endpoint has taken an event.", &Link{c.at() + "/events", "Events"}
	case posts > 0:
		st.Note = "An endpoint is there. Make a payment, or send a test event on the endpoint's page: the event is delivered when the endpoint answers 2xx."
	}
	return st
}

// posts counts the endpoints of all profiles that take events.
func (c *call) posts(ctx context.Context, profiles []*account.Profile) (n int, err error) {
	for _, p := range profiles {
		list, err := c.server.Events.Endpoints(ctx, c.auth(), p.ID)
		if err != nil {
			return 0, err
		}
		for _, e := range list {
			if !e.Disabled {
				n++
			}
		}
	}
	return n, nil
}

// useful returns the first account of a type that takes operations.
func useful(accounts []*account.Account, kind account.Type) *account.Account {
	for _, a := range accounts {
		if a.Type == kind && !a.Disabled && a.Active {
			return a
		}
	}
	return nil
}

func (c *call) processorStep(accounts []*account.Account) Step {
	if a := useful(accounts, account.TypeProcessor); a != nil {
		return Step{Done: true, Text: "A processor with credentials", Note: c.server.connectorName(a.Connector) + " as " + a.Label + ".", Link: &Link{c.at() + "/connectors", "Connectors"}}
	}
	for _, a := range accounts {
		if a.Type == account.TypeProcessor {
			return Step{Text: "A processor with credentials", Note: a.Label + " is switched off.", Link: &Link{c.at() + "/connectors/" + a.ID, "Switch it on"}}
		}
	}
	note := "A connector account holds the keys that the processor gave you."
	if c.server.tries() {
		note += " To try payswitch, take the simulator: it needs no keys, and no money moves."
	}
	return Step{Text: "A processor with credentials", Note: note, Link: &Link{c.at() + "/connectors", "Add a connector"}}
}

func (c *call) authenticatorStep(accounts []*account.Account) Step {
	if a := useful(accounts, account.TypeAuthenticator); a != nil {
		return Step{Done: true, Text: "A 3-D Secure authenticator", Note: c.server.connectorName(a.Connector) + " as " + a.Label + ".", Link: &Link{c.at() + "/3ds", "Authenticators"}}
	}
	return Step{Optional: true, Text: "A 3-D Secure authenticator", Note: "Needed if payswitch runs 3-D Secure. A processor that runs it itself needs nothing here.",
		Link: &Link{c.at() + "/3ds", "Add an authenticator"}}
}

func (c *call) authenticationStep(profiles []*account.Profile, accounts []*account.Account) Step {
	st := Step{Optional: true, Text: "The profile's authenticator and 3-D Secure requestor URL"}
	if useful(accounts, account.TypeAuthenticator) == nil {
		st.Note = "Add an authenticator first. Then choose it on the profile's page."
		return st
	}
	for _, p := range profiles {
		to := c.at() + "/profiles/" + p.ID
		switch {
		case len(p.Settings.AuthenticationConnectors) == 0:
			st.Note, st.Link = "Profile "+p.Name+" names no authenticator.", &Link{to + "#3ds", "Choose it"}
		case p.Settings.RequestorURL == "":
			st.Note, st.Link = "Profile "+p.Name+" has no requestor URL: the address of your shop, which banks ask for.", &Link{to + "#3ds", "Enter it"}
		default:
			return Step{Done: true, Text: st.Text, Note: p.Name + " uses " + strings.Join(p.Settings.AuthenticationConnectors, ", ") + ".", Link: &Link{to + "#3ds", "Profile"}}
		}
	}
	return st
}

func (c *call) addressStep(profiles []*account.Profile, posts int) Step {
	st := Step{Text: "A return URL and a webhook URL"}
	returns := ""
	for _, p := range profiles {
		if p.Settings.ReturnURL != "" {
			returns = p.Settings.ReturnURL
		} else if st.Link == nil {
			st.Link = &Link{c.at() + "/profiles/" + p.ID, "Enter the return URL"}
		}
	}
	switch {
	case returns == "" && posts == 0:
		st.Note = "Both are missing: where a payer's browser comes back, and where payswitch posts events."
	case returns == "":
		st.Note = "The return URL is missing: where a payer's browser comes back."
	case posts == 0:
		st.Note, st.Link = "The webhook URL is missing: where payswitch posts events.", &Link{c.at() + "/webhooks", "Add an endpoint"}
	default:
		st.Done, st.Note, st.Link = true, "Payers return to "+returns+".", &Link{c.at() + "/webhooks", "Webhooks"}
	}
	return st
}

func (c *call) keyNote(keys []*account.APIKey) string {
	if len(keys) == 0 {
		return "The publishable key, for browsers, is there already. The API key is for your server alone."
	}
	return "The publishable key is " + c.Merchant.PublishableKey + "."
}

func (c *call) paymentLink(paid bool) *Link {
	if paid {
		return &Link{c.at() + "/payments", "Payments"}
	}
	if c.may(staff.UseSimulator) {
		return &Link{c.at() + "/simulator", "Pay in the simulator"}
	}
	return nil
}
