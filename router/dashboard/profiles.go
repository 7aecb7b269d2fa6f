package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/sdk"
)

func (s *Server) profileRoutes() []route {
	return []route{
		{method: "GET", pattern: "/m/{m}/profiles", needs: staff.SeeSettings, handle: s.profiles},
		{method: "POST", pattern: "/m/{m}/profiles", needs: staff.ChangeSettings, handle: s.formOnce(s.createProfile)},
		{method: "GET", pattern: "/m/{m}/profiles/{p}", needs: staff.SeeSettings, handle: s.profile},
		{method: "GET", pattern: "/m/{m}/profiles/{p}/links/preview", needs: staff.SeeSettings, handle: s.linkPreview},
		{method: "POST", pattern: "/m/{m}/profiles/{p}/links/preview", needs: staff.SeeSettings, handle: s.linkPreview},
		{method: "POST", pattern: "/m/{m}/profiles/{p}/{part}", needs: staff.SeeSettings, handle: s.changeProfile},
	}
}

// missing returns the error for a field of a form that was left empty.
func missing(field, text string) *fault.Error {
	return &fault.Error{Kind: fault.KindInvalid, Code: "IR_04", Message: text, Param: field}
}

func (s *Server) profiles(c *call) (response, error) {
	d, err := s.profilesPage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) profilesPage(c *call, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	_, list, err := c.profileNames(ctx)
	if err != nil {
		return nil, err
	}
	return c.profileList(list, problem), nil
}

func (c *call) profileList(list []*account.Profile, problem error) *document {
	d := &document{Heading: "Profiles", Lead: "A profile has the settings of its payments: a merchant with several shops gives each one a profile."}
	t := &Table{Caption: "Profiles", Columns: columns("Name", "Return URL", "3-D Secure by", "Made", "Id")}
	for _, p := range list {
		made, name := c.time(p.CreatedAt), Cell{Text: p.Name}
		if p.ID == c.Merchant.DefaultProfile {
			name.Note = "default"
		}
		t.Rows = append(t.Rows, Row{URL: c.at() + "/profiles/" + p.ID, Cells: []Cell{name, {Text: p.Settings.ReturnURL}, {Text: strings.Join(p.Settings.AuthenticationConnectors, ", ")},
			{Time: &made}, {Text: p.ID}}})
	}
	d.add(Block{Bare: true, Table: t})
	if c.Session.MayOn(staff.ChangeSettings, c.Merchant.ID, c.server.opts.Live) {
		f := Form{Action: c.at() + "/profiles", Submit: "Add the profile", Fields: []Field{{Name: "profile_name", Label: "Name", Kind: "text", Required: true, Max: 64, Autocomplete: "off"}}}
		if problem != nil {
			c.refill(&f, problem)
		}
		d.add(Block{Heading: "Add a profile", Forms: []Form{f}})
	}
	return d
}

func (s *Server) createProfile(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(c.PostFormValue("profile_name"))
	in, err := router.ParseProfile(body(map[string]any{"profile_name": name}))
	if err == nil && name == "" {
		err = missing("profile_name", "Give the profile a name")
	}
	var p *account.Profile
	if err == nil {
		err = c.perform(Act{Needs: staff.ChangeSettings, Live: s.opts.Live, Action: "profile.create", Details: map[string]string{"name": name}}, func(ctx context.Context) (err error) {
			p, err = s.Engine.CreateProfile(ctx, c.auth(), in)
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.profilesPage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/profiles/" + p.ID), nil
}

// profilePart is one form of a profile's page. Each is saved alone, with the permission that it needs.
type profilePart struct {
	id, heading, text string
	needs             staff.Permission
	preview           bool // the page that payers see is shown below the form
	fields            func(c *call, p *account.Profile, accounts []*account.Account) []Field
	values            func(c *call) map[string]any
	check             func(c *call) error // checks what the values alone cannot show; nil for no check
}

var profileParts = []profilePart{
	{id: "general", heading: "Shop", needs: staff.ManageURLs, fields: func(_ *call, p *account.Profile, _ []*account.Account) []Field {
		return []Field{{Name: "profile_name", Label: "Name", Kind: "text", Required: true, Max: 64, Value: p.Name, Autocomplete: "off"},
			{Name: "return_url", Label: "Return URL", Kind: "url", Value: p.Settings.ReturnURL, Max: 2048, Autocomplete: "url", Hint: "Where a payer's browser comes back to, unless the payment names another address."},
			{Name: "redirect_to_merchant_with_http_post", Label: "Come back with a form (POST) in place of an address", Kind: "checkbox", Value: either(p.Settings.RedirectWithPost, "true", "")},
			{Name: "enable_payment_response_hash", Label: "Sign what the browser brings back", Kind: "checkbox", Value: either(p.Settings.EnableResponseHash, "true", "")}}
	}, values: func(c *call) map[string]any {
		return c.sent([]string{"profile_name", "return_url"}, "redirect_to_merchant_with_http_post", "enable_payment_response_hash")
	}},
	{id: "3ds", heading: "3-D Secure", needs: staff.ChangeSettings, text: "For payments whose 3-D Secure payswitch runs. payswitch uses the first authenticator that fits the payment.",
		fields: func(c *call, p *account.Profile, accounts []*account.Account) []Field {
			var names []string
			for _, a := range accounts {
				if a.Type == account.TypeAuthenticator && a.ProfileID == p.ID {
					names = append(names, a.Connector)
				}
			}
			hint := "This profile has accounts at: " + strings.Join(names, ", ") + "."
			if len(names) == 0 {
				hint = "This profile has no account at an authenticator yet."
			}
			return []Field{{Name: "authentication_connectors", Label: "Authenticators, one a line, in their order", Kind: "textarea", Value: strings.Join(p.Settings.AuthenticationConnectors, "\n"), Hint: hint},
				{Name: "three_ds_requestor_url", Label: "Requestor URL", Kind: "url", Value: p.Settings.RequestorURL, Max: 2048, Hint: "The address of your shop. Banks show and check it."},
				{Name: "three_ds_requestor_app_url", Label: "Requestor URL of your app (optional)", Kind: "text", Value: p.Settings.RequestorAppURL, Max: 2048},
				{Name: "force_3ds_challenge", Label: "Ask the bank for a challenge with every authentication", Kind: "checkbox", Value: either(p.Settings.Force3DSChallenge, "true", "")}}
		}, values: func(c *call) map[string]any {
			v := c.sent(nil, "force_3ds_challenge")
			v["authentication_connector_details"] = map[string]any{"authentication_connectors": lines(c.PostFormValue("authentication_connectors")),
				"three_ds_requestor_url": strings.TrimSpace(c.PostFormValue("three_ds_requestor_url")), "three_ds_requestor_app_url": strings.TrimSpace(c.PostFormValue("three_ds_requestor_app_url"))}
			return v
		}},
	{id: "times", heading: "Times", needs: staff.ChangeSettings, fields: func(_ *call, p *account.Profile, _ []*account.Account) []Field {
		return []Field{{Name: "session_expiry", Label: "Seconds until an unpaid payment expires", Kind: "number", Value: strconv.FormatInt(p.Settings.SessionExpirySeconds, 10), Hint: "60 to 7,890,000. Default 900."},
			{Name: "intent_fulfillment_time", Label: "Seconds to answer a redirect", Kind: "number", Value: strconv.FormatInt(p.Settings.FulfillmentSeconds, 10), Hint: "60 to 1,800. Default 900."}}
	}, values: func(c *call) map[string]any { return c.numbers("session_expiry", "intent_fulfillment_time") }},
	{id: "retries", heading: "After a decline", needs: staff.ChangeSettings, text: "Another account is tried only after proof that the first one took no money.",
		fields: func(_ *call, p *account.Profile, _ []*account.Account) []Field {
			r := p.Settings.Retries
			return []Field{{Name: "is_auto_retries_enabled", Label: "Try another account by itself", Kind: "checkbox", Value: either(r.Auto, "true", "")},
				{Name: "max_auto_retries_enabled", Label: "At most so many more tries", Kind: "number", Value: strconv.Itoa(r.Most), Hint: "0 to 255."},
				{Name: "is_manual_retry_enabled", Label: "Let the shop confirm a failed payment again", Kind: "checkbox", Value: either(p.Settings.ManualRetry, "true", "")},
				{Name: "is_strict_routing_enabled", Label: "Never use an account that the routing did not choose", Kind: "checkbox", Value: either(r.Strict, "true", "")},
				{Name: "scheme_retry_limits", Label: "Retries beyond the limits of card schemes", Kind: "select", Options: []Option{
					{"", "Not sent; simulators only warn", r.Limits == ""}, {string(account.LimitsEnforce), "Not sent", r.Limits == account.LimitsEnforce},
					{string(account.LimitsWarn), "Sent, with a warning", r.Limits == account.LimitsWarn}, {string(account.LimitsIgnore), "Sent, and nothing is counted", r.Limits == account.LimitsIgnore}}}}
		}, values: func(c *call) map[string]any {
			v := c.sent(nil, "is_auto_retries_enabled", "is_manual_retry_enabled", "is_strict_routing_enabled")
			for name, n := range c.numbers("max_auto_retries_enabled") {
				v[name] = n
			}
			if limits := c.PostFormValue("scheme_retry_limits"); limits != "" {
				v["scheme_retry_limits"] = limits
			}
			return v
		}},
	{id: "links", heading: "Payment links", needs: staff.ChangeSettings, preview: true, fields: linkFields, values: linkValues,
		text: "How the pages of new payment links look. A link that was made keeps its look. What a payment says of its own link wins."},
	{id: "checkout", heading: "Embedded checkout", needs: staff.ChangeSettings, text: "Browsers show the card fields in pages of these origins alone, and in payswitch's own.",
		fields: func(_ *call, p *account.Profile, _ []*account.Account) []Field {
			hint := "Scheme and host, such as https://shop.example."
			if len(router.CheckoutOrigins(p)) == 0 {
				hint = "The list is empty: every page may show the form. " + hint
			}
			return []Field{{Name: "checkout_origins", Label: "Origins of your shop's pages, one a line", Kind: "textarea", Value: strings.Join(router.CheckoutOrigins(p), "\n"), Hint: hint}}
		}, values: func(c *call) map[string]any {
			return map[string]any{"checkout_origins": lines(c.PostFormValue("checkout_origins"))}
		}},
	{id: "decisions", heading: "Decisions about unknown outcomes", needs: staff.ChangeSettings,
		text: "Where only a person can find out what a processor did, two people can be needed: one proposes a decision, and another one confirms it.",
		fields: func(_ *call, p *account.Profile, _ []*account.Account) []Field {
			return []Field{{Name: "second_person", Label: "A decision needs a second person", Kind: "checkbox", Value: either(p.Settings.SecondPerson.Required, "true", "")},
				{Name: "limits", Label: "Sums that one person decides about alone (optional)", Kind: "text", Max: 200, Value: limitsText(p.Settings.SecondPerson.Limits), Autocomplete: "off",
					Hint: "Such as 100.00 EUR, 100.00 USD. In a currency without a sum, every decision needs two people."}}
		}, values: func(c *call) map[string]any {
			limits, _ := readLimits(c.PostFormValue("limits")) // check refuses it
			if limits == nil {
				limits = map[sdk.Currency]int64{}
			}
			return map[string]any{"second_person_for_decisions": map[string]any{"required": c.PostFormValue("second_person") != "", "limits": limits}}
		}, check: func(c *call) error {
			_, err := readLimits(c.PostFormValue("limits"))
			return err
		}},
	{id: "saved", heading: "Saved cards", needs: staff.ChangeSettings, fields: func(_ *call, p *account.Profile, _ []*account.Account) []Field {
		return []Field{{Name: "is_connector_agnostic_mit_enabled", Label: "Charge saved cards at other processors than the first one", Kind: "checkbox", Value: either(p.Settings.AgnosticMIT, "true", "")},
			{Name: "use_billing_as_payment_method_billing", Label: "Use the billing address of a payment for its card", Kind: "checkbox", Value: either(p.Settings.UseBillingAsMethodBilling, "true", "")}}
	}, values: func(c *call) map[string]any {
		return c.sent(nil, "is_connector_agnostic_mit_enabled", "use_billing_as_payment_method_billing")
	}},
}

// sent returns the posted texts and checkboxes as the API takes them. An empty text clears the setting.
func (c *call) sent(texts []string, marks ...string) map[string]any {
	v := map[string]any{}
	for _, name := range texts {
		v[name] = strings.TrimSpace(c.PostFormValue(name))
	}
	for _, name := range marks {
		v[name] = c.PostFormValue(name) != ""
	}
	return v
}

// numbers returns posted numbers. A text that is no number goes to the API's decoder as it is, which refuses it.
func (c *call) numbers(names ...string) map[string]any {
	v := map[string]any{}
	for _, name := range names {
		text := strings.TrimSpace(c.PostFormValue(name))
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			v[name] = n
		} else if text != "" {
			v[name] = text
		}
	}
	return v
}

func (s *Server) profile(c *call) (response, error) {
	d, err := s.profilePage(c, "", nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

// profilePage shows a profile. part is the form that was sent, with its problem, or without one if it was saved.
func (s *Server) profilePage(c *call, part string, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	p, err := s.Engine.Profile(ctx, c.auth(), c.PathValue("p"))
	if err != nil {
		return nil, err
	}
	accounts, err := s.Engine.Accounts(ctx, c.auth())
	if err != nil {
		return nil, err
	}
	return c.profileOf(p, accounts, part, problem), nil
}

func (c *call) profileOf(p *account.Profile, accounts []*account.Account, part string, problem error) *document {
	d := &document{Heading: "Profile " + p.Name, Back: &Link{c.at() + "/profiles", "Profiles"}}
	d.add(Block{Facts: []Named{fact("Id", ident(p.ID)), fact("Webhooks", linked("Endpoints of this profile", c.at()+"/webhooks?profile="+p.ID)),
		fact("Routing", linked("Which account takes a payment", c.at()+"/routing?profile="+p.ID))}})
	d.add(c.guard(staff.ManageURLs, false)...)
	for _, x := range profileParts {
		b := Block{ID: x.id, Heading: x.heading}
		if x.text != "" {
			b.Text = []string{x.text}
		}
		f := Form{ID: x.id + "-", Action: c.at() + "/profiles/" + p.ID + "/" + x.id, Submit: "Save", Tone: "go", Fields: x.fields(c, p, accounts)}
		if x.preview {
			at := c.at() + "/profiles/" + p.ID + "/" + x.id + "/preview"
			f.Try, b.Frame = &Try{at, "Preview", "preview"}, &Frame{"preview", "The page of a payment link", at}
		}
		if part == x.id && problem != nil {
			c.refill(&f, problem)
		} else if part == x.id {
			b.Chip = &Chip{"saved", "good", marks["good"]}
		}
		if !c.Session.MayOn(x.needs, p.MerchantID, c.server.opts.Live) {
			for _, field := range f.Fields {
				b.Facts = append(b.Facts, fact(field.Label, Cell{Text: field.shown()}))
			}
		} else {
			b.Forms = []Form{f}
		}
		d.add(b)
	}
	return d
}

func (s *Server) changeProfile(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id := c.PathValue("p")
	for _, x := range profileParts {
		if x.id != c.PathValue("part") {
			continue
		}
		values := x.values(c)
		cleared := values["return_url"] == ""
		if cleared {
			delete(values, "return_url") // the API refuses an empty value
		}
		in, err := router.ParseProfile(body(values))
		in.Merge = true
		if cleared && err == nil {
			if in.Fields == nil {
				in.Fields = account.Fields{}
			}
			in.Fields["return_url"] = json.RawMessage(`""`)
		}
		if err == nil && x.preview {
			err = c.checkLink(in)
		}
		if err == nil && x.check != nil {
			err = x.check(c)
		}
		if err == nil && x.id == "general" && in.Name == "" {
			err = missing("profile_name", "Give the profile a name")
		}
		if err == nil {
			err = c.perform(Act{Needs: x.needs, Live: s.opts.Live, Action: "profile.change", Target: id, Details: map[string]string{"part": x.id}}, func(ctx context.Context) error {
				_, err := s.Engine.UpdateProfile(ctx, c.auth(), id, in)
				return err
			})
		}
		if err != nil && !shownInForm(err) {
			return nil, err
		}
		d, failed := s.profilePage(c, x.id, err)
		if err != nil {
			return shown{http.StatusUnprocessableEntity, d}, failed
		}
		return show(d), failed
	}
	return nil, &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "There is no such page."}
}
