package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/routing"
	"payswitch/engine/routing/health"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/sdk"
)

// connectorKind is one of the two lists of connector accounts.
type connectorKind struct {
	path, heading, lead, one string
	kind                     sdk.Kind
	accountType              account.Type
	none                     Empty
}

var processors = connectorKind{"/connectors", "Connectors", "The merchant's accounts at processors. A payment goes to one of them, by the routing.", "a connector",
	sdk.KindProcessor, account.TypeProcessor, Empty{Heading: "No connector yet", Text: "Choose a processor below, and enter the keys that it gave you."}}

var authenticators = connectorKind{"/3ds", "3-D Secure", "The merchant's accounts at authenticators, for payments whose 3-D Secure payswitch runs.", "an authenticator",
	sdk.KindAuthenticator, account.TypeAuthenticator, Empty{Heading: "No authenticator yet", Text: "Choose one below. A processor that runs 3-D Secure itself needs no other one."}}

// kindOf returns the list that an account belongs to.
func kindOf(a *account.Account) connectorKind {
	if a.Type == account.TypeAuthenticator {
		return authenticators
	}
	return processors
}

func (s *Server) connectorRoutes() []route {
	var out []route
	for _, k := range []connectorKind{processors, authenticators} {
		out = append(out,
			route{method: "GET", pattern: "/m/{m}" + k.path, needs: staff.SeeSettings, handle: s.connectors(k)},
			route{method: "GET", pattern: "/m/{m}" + k.path + "/new", needs: staff.ChangeSettings, handle: s.newConnector(k)},
			route{method: "POST", pattern: "/m/{m}" + k.path, needs: staff.ChangeSettings, handle: s.formOnce(s.createConnector(k))})
	}
	const one = "/m/{m}/connectors/{id}"
	return append(out,
		route{method: "GET", pattern: one, needs: staff.SeeSettings, handle: s.connector},
		route{method: "POST", pattern: one, needs: staff.ChangeSettings, handle: s.changeConnector},
		route{method: "POST", pattern: one + "/switch", needs: staff.ChangeSettings, handle: s.switchConnector},
		route{method: "POST", pattern: one + "/delete", needs: staff.ChangeSettings, handle: s.deleteConnector})
}

// live reports whether a change is about real money.
func (s *Server) live(testMode bool) bool { return s.opts.Live && !testMode }

// connectors lists the accounts of a kind, and what else can be connected.
func (s *Server) connectors(k connectorKind) handler {
	return func(c *call) (response, error) {
		ctx, end := c.reading()
		defer end()
		list, err := s.Engine.Accounts(ctx, c.auth())
		if err != nil {
			return nil, err
		}
		names, _, err := c.profileNames(ctx)
		if err != nil {
			return nil, err
		}
		fares := map[string]*routing.AccountHealth{}
		if k.kind == sdk.KindProcessor {
			all, err := s.Engine.AccountHealth(ctx, c.auth(), "")
			if err != nil {
				return nil, err
			}
			for i := range all {
				fares[all[i].Account.ID] = &all[i]
			}
		}
		d := &document{Heading: k.heading, Lead: k.lead}
		t := &Table{Caption: k.heading, Columns: columns("Account", "At", "Profile", "State", "Mode", "Methods")}
		if k.kind == sdk.KindProcessor {
			t.Columns = append(t.Columns, Column{"Success lately", "num"})
		}
		for _, a := range list {
			if a.Type != k.accountType {
				continue
			}
			state := c.connectorState(a)
			t.Rows = append(t.Rows, Row{URL: c.at() + "/connectors/" + a.ID, Cells: []Cell{{Text: a.Label}, {Text: s.connectorName(a.Connector)}, {Text: names[a.ProfileID]},
				{Chip: &state}, {Text: s.mode(a)}, {Text: methodsOf(a)}}})
			if k.kind != sdk.KindProcessor {
				continue
			}
			fare := Cell{Text: "–"}
			if h := fares[a.ID]; h != nil {
				if fare.Text = share(&h.All, health.Approved); h.Standing != health.In {
					out := standingChip(h.Standing)
					fare.Chip = &out
				}
			}
			row := &t.Rows[len(t.Rows)-1]
			row.Cells = append(row.Cells, fare)
		}
		if len(t.Rows) > 0 {
			d.add(Block{Bare: true, Table: t})
		} else {
			none := k.none
			if k.kind == sdk.KindProcessor && s.tries() {
				none.Text += " To try payswitch, choose the simulator: it needs no keys."
			}
			d.add(Block{Bare: true, Empty: &none})
		}
		if c.may(staff.ChangeSettings) {
			if cards := s.catalogue(c, k); len(cards) > 0 {
				d.add(Block{Bare: true, Heading: "Add " + k.one, Cards: cards})
			} else {
				d.add(Block{Text: []string{"No adapter of this kind is installed. An operator installs adapters."}})
			}
		}
		return show(d), nil
	}
}

// trialAdapter is the name of the adapter that needs no processor.
const trialAdapter = "simulator"

// tries reports whether people may try payswitch here without an account at a processor.
func (s *Server) tries() bool {
	_, ok := s.Adapters.Adapter(trialAdapter)
	return ok && !s.opts.Live
}

// catalogue has a card for each adapter that can be connected. In test mode the simulator stands first.
func (s *Server) catalogue(c *call, k connectorKind) (out []Card) {
	for _, a := range s.installed(k.kind) {
		card := Card{URL: c.at() + k.path + "/new?connector=" + a.Connector, Heading: either(a.Manifest.DisplayName != "", a.Manifest.DisplayName, a.Connector), Text: abilities(a.Manifest)}
		if a.Simulated {
			card.Heading, card.Chip = a.Connector, &Chip{"simulated", "quiet", marks["quiet"]}
		}
		if a.Manifest.Name == trialAdapter && s.tries() && !a.Simulated {
			card.Text = "To try payswitch: it takes any keys and test cards, and no money moves."
			out = slices.Insert(out, 0, card)
			continue
		}
		out = append(out, card)
	}
	return out
}

// abilities says in one line what an adapter can do.
func abilities(m *sdk.Manifest) string {
	var list []string
	can := func(is bool, text string) {
		if is {
			list = append(list, text)
		}
	}
	can(slices.Contains(m.Operations, sdk.OpCapture), "capture later")
	can(slices.Contains(m.Operations, sdk.OpRefund), "refunds")
	can(m.Features.Processor3DS, "own 3\u2011D Secure") // a hyphen at which browsers end no line
	can(m.Features.External3DS, "3\u2011D Secure by payswitch")
	can(m.Features.StoredCredential, "saved cards")
	can(m.Webhook != nil, "webhooks")
	if len(list) == 0 {
		return m.Description
	}
	text := strings.Join(list, ", ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func (s *Server) mode(a *account.Account) string {
	if s.live(a.TestMode) {
		return "live"
	}
	return "test"
}

// connectorState returns the state of an account in one word.
func (c *call) connectorState(a *account.Account) Chip {
	info, ok := c.server.Adapters.Adapter(a.Connector)
	switch {
	case !ok:
		return Chip{"no adapter", "bad", marks["bad"]}
	case a.Disabled || !a.Active:
		return Chip{"off", "quiet", marks["quiet"]}
	case !account.AwaitingApproval(a, info).IsEmpty():
		return Chip{"waits for approval", "wait", marks["wait"]}
	}
	return Chip{"on", "good", marks["good"]}
}

// methodsOf lists the types of payment that an account is offered for.
func methodsOf(a *account.Account) string {
	var enabled []struct {
		Method string `json:"payment_method"`
		Types  []struct {
			Type string `json:"payment_method_type"`
		} `json:"payment_method_types"`
	}
	if len(a.PaymentMethods) == 0 || json.Unmarshal(a.PaymentMethods, &enabled) != nil {
		return ""
	}
	var out []string
	for _, m := range enabled {
		for _, t := range m.Types {
			out = append(out, t.Type)
		}
	}
	return strings.Join(out, ", ")
}

// newConnector shows the form of a new account, drawn from the adapter's manifest.
func (s *Server) newConnector(k connectorKind) handler {
	return func(c *call) (response, error) {
		d, err := s.newConnectorPage(c, k, c.URL.Query().Get("connector"), nil)
		if err != nil {
			return nil, err
		}
		return show(d), nil
	}
}

func (s *Server) newConnectorPage(c *call, k connectorKind, name string, problem error) (*document, error) {
	info, ok := s.Adapters.Adapter(name)
	if !ok || info.Manifest.Kind != k.kind {
		return nil, &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "No adapter with this name is installed."}
	}
	ctx, end := c.reading()
	defer end()
	_, profiles, err := c.profileNames(ctx)
	if err != nil {
		return nil, err
	}
	d := &document{Heading: "Connect " + s.connectorName(name), Back: &Link{c.at() + k.path, k.heading}, Lead: info.Manifest.Description}
	if info.Simulated || info.Manifest.Name == trialAdapter {
		d.Lead = "The simulator stands in for a processor: it takes any keys or none, and no money moves. You can leave all fields empty."
	}
	d.add(c.guard(staff.ChangeSettings, true)...)
	f := Form{Action: c.at() + k.path, Submit: "Connect", Tone: "go", Fields: []Field{hidden("connector", name)}}
	var choices []Option
	for _, p := range profiles {
		choices = append(choices, Option{p.ID, p.Name, p.ID == c.Merchant.DefaultProfile})
	}
	if len(profiles) > 1 {
		f.Fields = append(f.Fields, Field{Name: "profile_id", Label: "Profile", Kind: "select", Options: choices})
	}
	f.Fields = append(f.Fields, Field{Name: "connector_label", Label: "Label (optional)", Kind: "text", Max: 64, Autocomplete: "off", Hint: "As the account is called here. Empty: " + name + "_ and the profile's name."})
	if s.opts.Live {
		f.Fields = append(f.Fields, Field{Name: "test_mode", Label: "Test account: use the processor's test environment", Kind: "checkbox"})
	}
	f.Fields = append(f.Fields, manifestFields(info, nil)...)
	if problem != nil {
		c.refill(&f, problem)
	}
	d.add(Block{Forms: []Form{f}})
	d.add(reachBlock(info))
	return d, nil
}

// reachBlock says what the adapter can do with the account's secrets: connecting approves it.
func reachBlock(info port.AdapterInfo) Block {
	b := Block{Heading: "What the adapter may reach", Text: []string{"Connecting approves these hosts for this account. The adapter sees stand-ins alone, never a card number or a key."}}
	for _, name := range sortedKeys(info.Manifest.Environments) {
		hosts := strings.Join(info.Manifest.Environments[name].Hosts, ", ")
		b.Facts = append(b.Facts, fact("Hosts, "+name, Cell{Text: either(hosts != "", hosts, "none: the adapter calls no host")}))
	}
	b.Facts = append(b.Facts, fact("Adapter", Cell{Text: info.Name + " " + info.Manifest.Version, Note: either(info.BuiltIn, "built in", "installed")}))
	return b
}

// Names of form fields begin with these.
const (
	credentialPrefix = "credential."
	configPrefix     = "config."
)

// manifestFields draws the fields that an adapter asks for. Secrets show no value: with an account, an empty field keeps what is stored. Secrets are typed
// into plain fields, because browsers offer to keep what stands in a password field.
func manifestFields(info port.AdapterInfo, a *account.Account) (out []Field) {
	m := info.Manifest
	for _, x := range m.Credentials {
		key := approval.FieldKey(x)
		f := Field{Name: credentialPrefix + key, Label: x.Label, Kind: "text", Secret: true, Hint: x.Help, Required: a == nil && !x.Optional && !info.Simulated, Autocomplete: "off",
			About: "connector_account_details"}
		switch x.Type {
		case sdk.FieldPEM, sdk.FieldClientCertificate:
			f.Kind = "textarea"
		case sdk.FieldEnum:
			f.Kind = "select"
			f.Options = choicesOf(x, "", a != nil)
		}
		if a != nil {
			f.Hint = strings.TrimSpace(f.Hint + " " + either(!a.Credentials[key].IsZero(), "Stored: leave it empty to keep it.", "Not set."))
		}
		if x.Optional {
			f.Label += " (optional)"
		}
		out = append(out, f)
	}
	var metadata account.Fields
	if a != nil {
		metadata = account.DetailsOf(a.Metadata)
	}
	for _, x := range m.Config {
		key := approval.FieldKey(x)
		f := Field{Name: configPrefix + key, Label: x.Label, Kind: "text", Hint: x.Help, Required: !x.Optional && x.Default == "", Autocomplete: "off", About: "metadata." + key}
		var value string
		if json.Unmarshal(metadata[key], &value) != nil {
			value = string(metadata[key]) // a number or a boolean
		}
		f.Value = value
		if x.Type == sdk.FieldEnum {
			f.Kind, f.Options = "select", choicesOf(x, value, x.Optional)
		}
		if x.Default != "" {
			f.Hint = strings.TrimSpace(f.Hint + " Empty: " + x.Default + ".")
		}
		if x.Optional {
			f.Label += " (optional)"
		}
		out = append(out, f)
	}
	return out
}

func choicesOf(x sdk.Field, value string, empty bool) (out []Option) {
	if empty || value == "" && x.Default != "" {
		out = append(out, Option{"", "–", value == ""})
	}
	for _, v := range x.Values {
		out = append(out, Option{v, v, v == value})
	}
	return out
}

// posted reads the fields that manifestFields has drawn, without empty credentials. metadata is the stored metadata with the posted values in it.
func (c *call) posted(m *sdk.Manifest, old json.RawMessage) (credentials map[string]string, metadata map[string]any) {
	credentials, metadata = map[string]string{}, map[string]any{}
	for _, x := range m.Credentials {
		key := approval.FieldKey(x)
		if v := strings.TrimSpace(c.PostFormValue(credentialPrefix + key)); v != "" {
			credentials[key] = v
		}
	}
	for key, raw := range account.DetailsOf(old) {
		metadata[key] = raw
	}
	for _, x := range m.Config {
		key := approval.FieldKey(x)
		if v := strings.TrimSpace(c.PostFormValue(configPrefix + key)); v != "" {
			metadata[key] = v
		} else if _, sent := c.PostForm[configPrefix+key]; sent {
			delete(metadata, key)
		}
	}
	return credentials, metadata
}

// offers is payment_methods_enabled of a new account: what the manifest takes.
func offers(m *sdk.Manifest) []any {
	methods := m.Methods
	if len(methods) == 0 {
		methods = []sdk.Method{{Method: "card", Type: sdk.MethodCredit}, {Method: "card", Type: sdk.MethodDebit}}
	}
	by := map[string][]any{}
	var order []string
	for _, x := range methods {
		if by[x.Method] == nil {
			order = append(order, x.Method)
		}
		by[x.Method] = append(by[x.Method], map[string]any{"payment_method_type": x.Type})
	}
	var out []any
	for _, name := range order {
		out = append(out, map[string]any{"payment_method": name, "payment_method_types": by[name]})
	}
	return out
}

func (s *Server) createConnector(k connectorKind) handler {
	return func(c *call) (response, error) {
		if err := c.form(); err != nil {
			return nil, err
		}
		name := c.PostFormValue("connector")
		info, ok := s.Adapters.Adapter(name)
		if !ok || info.Manifest.Kind != k.kind {
			return nil, &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "No adapter with this name is installed."}
		}
		credentials, metadata := c.posted(info.Manifest, nil)
		test := !s.opts.Live || c.PostFormValue("test_mode") != ""
		values := map[string]any{"connector_type": k.accountType, "connector_name": name, "connector_account_details": credentials, "test_mode": test}
		if len(metadata) > 0 {
			values["metadata"] = metadata
		}
		for _, field := range []string{"profile_id", "connector_label"} {
			if v := strings.TrimSpace(c.PostFormValue(field)); v != "" {
				values[field] = v
			}
		}
		if k.kind == sdk.KindProcessor {
			values["payment_methods_enabled"] = offers(info.Manifest)
		}
		in, err := router.ParseAccount(body(values), true)
		in.Merge = true
		var a *account.Account
		if err == nil {
			err = c.perform(Act{Needs: staff.ChangeSettings, Live: s.live(test), StepUp: true, Action: "connector.create", Details: map[string]string{"connector": name}},
				func(ctx context.Context) (err error) {
					a, err = s.Engine.CreateAccount(ctx, c.auth(), in)
					return err
				})
		}
		if shownInForm(err) {
			d, failed := s.newConnectorPage(c, k, name, err)
			return shown{http.StatusUnprocessableEntity, d}, failed
		}
		if err != nil {
			return nil, err
		}
		return seeOther(c.at() + "/connectors/" + a.ID), nil
	}
}

func (s *Server) connector(c *call) (response, error) {
	d, err := s.connectorPage(c, nil, "")
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

// newAccount is the age up to which the page of an account leads back to the set-up.
const newAccount = 10 * time.Minute

// connectorPage shows one account. problem says why the form was refused; said says what the last form did.
func (s *Server) connectorPage(c *call, problem error, said string) (*document, error) {
	ctx, end := c.reading()
	defer end()
	v, err := s.Engine.Approval(ctx, c.auth(), c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	names, _, err := c.profileNames(ctx)
	if err != nil {
		return nil, err
	}
	return s.connectorOf(c, v, names, problem, said), nil
}

func (s *Server) connectorOf(c *call, v *account.ApprovalView, names map[string]string, problem error, said string) *document {
	a, k := v.Account, kindOf(v.Account)
	to := c.at() + "/connectors/" + a.ID
	d := &document{Heading: a.Label, Back: &Link{c.at() + k.path, k.heading}, Lead: s.connectorName(a.Connector) + " of profile " + either(names[a.ProfileID] != "", names[a.ProfileID], a.ProfileID)}
	switch {
	case said != "":
		d.add(Block{Tone: "good", Text: []string{said}})
	case s.Now().Sub(a.CreatedAt) < newAccount:
		d.add(Block{Tone: "good", Text: []string{"The account is connected."}, Links: []Link{{c.at() + "/setup", "Go on with the set-up"}}})
	}
	may := c.Session.MayOn(staff.ChangeSettings, a.MerchantID, s.live(a.TestMode))
	state, made := c.connectorState(a), c.time(a.CreatedAt)
	facts := Block{Heading: "Account", Facts: []Named{fact("State", Cell{Chip: &state}), fact("Mode", Cell{Text: s.mode(a)}), fact("Id", ident(a.ID)), fact("Made", Cell{Time: &made})}}
	if _, end := a.EarliestExpiry(); !end.IsZero() {
		at := c.time(end)
		facts.Facts = append(facts.Facts, fact("Certificate ends", Cell{Time: &at}))
	}
	if methods := methodsOf(a); methods != "" {
		facts.Facts = append(facts.Facts, fact("Offered for", Cell{Text: methods}))
	}
	if a.BaseURL != "" {
		facts.Facts = append(facts.Facts, fact("Address", Cell{Text: a.BaseURL, Note: "set by an operator"}))
	}
	if v.Adapter.Manifest != nil && v.Adapter.Manifest.Webhook != nil {
		facts.Facts = append(facts.Facts, fact("Webhook URL", Cell{ID: s.opts.APIURL + "/webhooks/" + a.MerchantID + "/" + a.ID, Note: "Enter it at the processor: it reports there what happens later."}))
	}
	if !v.Awaiting.IsEmpty() {
		d.add(Block{Tone: "wait", Heading: "The adapter asks for more than was approved", Text: []string{"No payment goes through this account until an operator approves it: " + v.Awaiting.String() + "."}})
	}
	d.add(facts)
	if v.Adapter.Manifest == nil {
		d.add(Block{Tone: "bad", Text: []string{"No adapter with the name " + a.Connector + " is installed, so that this account takes no payment. An operator installs adapters."}})
		return d
	}
	if !may {
		d.add(Block{Text: []string{"Accounts in live mode are changed by an admin of this merchant."}})
		return d
	}
	d.add(c.guard(staff.ChangeSettings, true)...)
	f := Form{ID: "edit-", Action: to, Submit: "Save", Tone: "go", Fields: []Field{{Name: "connector_label", Label: "Label", Kind: "text", Max: 64, Required: true, Value: a.Label, Autocomplete: "off"}}}
	if s.opts.Live {
		f.Fields = append(f.Fields, Field{Name: "test_mode", Label: "Test account: use the processor's test environment", Kind: "checkbox", Value: either(a.TestMode, "true", "")})
	}
	f.Fields = append(f.Fields, manifestFields(v.Adapter, a)...)
	if len(v.Adapter.Manifest.Credentials) > 0 {
		f.Fields = append(f.Fields, Field{Name: "credentials_rotated", Label: "New keys belong to the same account at the processor", Kind: "checkbox",
			Hint: "Then payments made with the old keys use the new ones as well. Leave it off for another account."})
	}
	if problem != nil {
		c.refill(&f, problem)
	}
	d.add(Block{ID: "edit", Heading: "Change", Forms: []Form{f}})
	on := !a.Disabled && a.Active
	d.add(Block{Heading: either(on, "Switch off or delete", "Switch on or delete"), Forms: []Form{
		{Action: to + "/switch", Fields: []Field{hidden("on", either(on, "", "true"))}, Submit: either(on, "Switch off", "Switch on"),
			Text: either(on, "Switched off, the account takes no new payment. Refunds and queries about its earlier payments go on.", "The account takes new payments again.")},
		{Fold: "Delete the account", Action: to + "/delete", Tone: "danger", Submit: "Delete " + a.Label,
			Text: "Existing payments keep what they need for refunds. The account does not come back. It cannot be deleted while operations on it are open."}}})
	return d
}

func (s *Server) changeConnector(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id := c.PathValue("id")
	was, err := s.Engine.Account(c.Context(), c.auth(), id)
	if err != nil {
		return nil, err
	}
	info, ok := s.Adapters.Adapter(was.Connector)
	if !ok {
		return nil, fault.Unprocessable("connector_name", "No adapter of "+was.Connector+" is installed")
	}
	credentials, metadata := c.posted(info.Manifest, was.Metadata)
	values := map[string]any{"connector_label": strings.TrimSpace(c.PostFormValue("connector_label"))}
	if len(info.Manifest.Config) > 0 {
		values["metadata"] = metadata
	}
	if len(credentials) > 0 {
		values["connector_account_details"] = credentials
		values["credentials_rotated"] = c.PostFormValue("credentials_rotated") != ""
	}
	test := was.TestMode
	if s.opts.Live {
		test = c.PostFormValue("test_mode") != ""
		values["test_mode"] = test
	}
	in, err := router.ParseAccount(body(values), false)
	in.Merge = true
	if err == nil && in.Label == "" {
		err = missing("connector_label", "Give the account a label")
	}
	if err == nil {
		changed := []string{"label", "config"}
		if len(credentials) > 0 {
			changed = append(changed, "credentials: "+strings.Join(sortedKeys(credentials), ", "))
		}
		err = c.perform(Act{Needs: staff.ChangeSettings, Live: s.live(was.TestMode) || s.live(test), StepUp: len(credentials) > 0, Action: "connector.change", Target: id,
			Details: map[string]string{"changed": strings.Join(changed, ", ")}}, func(ctx context.Context) error {
			_, err := s.Engine.UpdateAccount(ctx, c.auth(), id, in)
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.connectorPage(c, err, "")
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	said := "Saved."
	if len(credentials) > 0 {
		said = "Saved. The adapter finds the credentials complete and well-formed. Only a payment proves that the processor takes them."
	}
	d, err := s.connectorPage(c, nil, said)
	return show(d), err
}

func (s *Server) switchConnector(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id, off := c.PathValue("id"), c.PostFormValue("on") == ""
	was, err := s.Engine.Account(c.Context(), c.auth(), id)
	if err != nil {
		return nil, err
	}
	in := account.AccountInput{Disabled: &off}
	if !off {
		in.Active = new(true)
	}
	err = c.perform(Act{Needs: staff.ChangeSettings, Live: s.live(was.TestMode), Action: either(off, "connector.off", "connector.on"), Target: id}, func(ctx context.Context) error {
		_, err := s.Engine.UpdateAccount(ctx, c.auth(), id, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + "/connectors/" + id), nil
}

func (s *Server) deleteConnector(c *call) (response, error) {
	id := c.PathValue("id")
	was, err := s.Engine.Account(c.Context(), c.auth(), id)
	if err != nil {
		return nil, err
	}
	err = c.perform(Act{Needs: staff.ChangeSettings, Live: s.live(was.TestMode), StepUp: true, Action: "connector.delete", Target: id, Details: map[string]string{"label": was.Label}},
		func(ctx context.Context) error { return s.Engine.DeleteAccount(ctx, c.auth(), id) })
	if err != nil {
		return nil, err
	}
	return seeOther(c.at() + kindOf(was).path), nil
}
