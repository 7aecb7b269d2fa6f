package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/engine/routing/rule"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// routingUses is what the pages of routing need of the engine.
type routingUses interface {
	CreateRouting(ctx context.Context, a account.Auth, in routing.ConfigInput) (*routing.Config, []rule.Warning, error)
	Routings(ctx context.Context, a account.Auth, transactionType routed.TransactionType, limit, offset int) ([]*routing.Config, error)
	Routing(ctx context.Context, a account.Auth, id string) (*routing.Config, error)
	ActivateRouting(ctx context.Context, a account.Auth, id string, transactionType routed.TransactionType) (*routing.Config, error)
	DeactivateRouting(ctx context.Context, a account.Auth, profileID string, transactionType routed.TransactionType) (*routing.Config, error)
	ReplayRouting(ctx context.Context, a account.Auth, in routing.ReplayInput) (*routing.Replay, error)
	ProfileDefaults(ctx context.Context, a account.Auth, profileID string) ([]routed.Choice, error)
}

func (s *Server) routingRoutes() []route {
	return []route{
		{method: "GET", pattern: "/m/{m}/routing", needs: staff.SeeSettings, handle: s.routing},
		{method: "GET", pattern: "/m/{m}/routing/{p}/edit", needs: staff.ChangeSettings, handle: s.editRouting},
		{method: "POST", pattern: "/m/{m}/routing/{p}/edit", needs: staff.ChangeSettings, handle: func(c *call) (response, error) {
			if c.PostFormValue("do") == "save" {
				return s.formOnce(s.draftRouting)(c)
			}
			return s.draftRouting(c)
		}},
		{method: "POST", pattern: "/m/{m}/routing/{p}/activate", needs: staff.ChangeSettings, handle: s.activateRouting},
		{method: "POST", pattern: "/m/{m}/routing/{p}/deactivate", needs: staff.ChangeSettings, handle: s.deactivateRouting},
	}
}

// choice is an account in an algorithm.
type choice struct {
	Connector string `json:"connector"`
	AccountID string `json:"merchant_connector_id,omitempty"`
}

// selection is an ordered list of accounts.
type selection struct {
	Type routed.AlgorithmType `json:"type"`
	Data []choice             `json:"data"`
}

// algorithm is a routing algorithm as the API has it. Its rules stay as they came, so that the editor loses nothing that it cannot show.
type algorithm struct {
	Type routed.AlgorithmType `json:"type"`
	Data json.RawMessage      `json:"data"`
}

type program struct {
	Default  json.RawMessage   `json:"defaultSelection"`
	Rules    []json.RawMessage `json:"rules"`
	Metadata json.RawMessage   `json:"metadata"`
}

type ruleView struct {
	Name       string      `json:"name"`
	Selection  selection   `json:"connectorSelection"`
	Statements []statement `json:"statements"`
}

type statement struct {
	Condition []comparison `json:"condition"`
	Nested    []statement  `json:"nested"`
}

type comparison struct {
	LHS        string `json:"lhs"`
	Comparison string `json:"comparison"`
	Value      struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	} `json:"value"`
	Metadata struct{} `json:"metadata"`
}

// comparisons are the words of comparisons.
var comparisons = [][2]string{{"equal", "is"}, {"not_equal", "is not"}, {"greater_than_equal", "is at least"}, {"greater_than", "is more than"},
	{"less_than_equal", "is at most"}, {"less_than", "is less than"}}

// facts of payments that the form offers, with the type of their values.
var routingKeys = [][3]string{{"amount", "Amount, in minor units", "number"}, {"currency", "Currency", "enum_variant"}, {"card_network", "Card network", "enum_variant"},
	{"issuer_country", "Country of the card's issuer", "enum_variant"}, {"card_bin", "First six digits of the card", "str_value"}, {"card_type", "Credit or debit", "enum_variant"},
	{"capture_method", "Capture", "enum_variant"}, {"authentication_type", "3-D Secure", "enum_variant"}, {"billing_country", "Billing country", "enum_variant"}}

// sentence says a statement in words.
func (x statement) sentence() string {
	var all []string
	for _, q := range x.Condition {
		how := words(q.Comparison)
		for _, w := range comparisons {
			if w[0] == q.Comparison {
				how = w[1]
			}
		}
		value := strings.Trim(string(q.Value.Value), `"`)
		all = append(all, words(q.LHS)+" "+how+" "+value)
	}
	text := strings.Join(all, " and ")
	if len(x.Nested) > 0 {
		var or []string
		for _, n := range x.Nested {
			or = append(or, n.sentence())
		}
		text += ", and (" + strings.Join(or, "; or ") + ")"
	}
	return text
}

// labels are the labels of accounts by id.
func labelsOf(accounts []*account.Account) map[string]string {
	out := map[string]string{}
	for _, a := range accounts {
		out[a.ID] = a.Label
	}
	return out
}

func (x choice) text(labels map[string]string) string {
	if label := labels[x.AccountID]; label != "" {
		return label
	}
	return strings.TrimSpace(x.Connector + " " + x.AccountID)
}

// selected says where a selection goes. Data is a list of accounts, or a split.
func selected(raw json.RawMessage, labels map[string]string) string {
	var one struct {
		Type string            `json:"type"`
		Data []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &one) != nil {
		var c choice
		if json.Unmarshal(raw, &c) == nil {
			return c.text(labels)
		}
		return string(raw)
	}
	var out []string
	split := false
	for _, x := range one.Data {
		var part struct {
			choice
			To    choice `json:"connector"`
			Split int    `json:"split"`
		}
		var c choice
		if json.Unmarshal(x, &c) == nil {
			out = append(out, c.text(labels))
		} else if json.Unmarshal(x, &struct {
			To    *choice `json:"connector"`
			Split *int    `json:"split"`
		}{&part.To, &part.Split}) == nil {
			split = true
			out = append(out, strconv.Itoa(part.Split)+" % to "+part.To.text(labels))
		}
	}
	if split {
		return strings.Join(out, ", ")
	}
	return strings.Join(out, ", then ")
}

// sentences says an algorithm in words.
func (x algorithm) sentences(labels map[string]string) []string {
	if x.Type == routed.Single {
		return []string{"Every payment goes to " + selected(x.Data, labels) + "."}
	}
	if x.Type != routed.Advanced {
		whole, _ := json.Marshal(map[string]any{"type": x.Type, "data": x.Data})
		return []string{"Every payment goes to " + selected(whole, labels) + "."}
	}
	var p program
	if json.Unmarshal(x.Data, &p) != nil {
		return nil
	}
	out := ruleSentences(p, labels)
	return append(out, "Any other payment goes to "+selected(p.Default, labels)+".")
}

func ruleSentences(p program, labels map[string]string) (out []string) {
	for i, raw := range p.Rules {
		var v ruleView
		var to struct {
			Selection json.RawMessage `json:"connectorSelection"`
		}
		_, _ = json.Unmarshal(raw, &v), json.Unmarshal(raw, &to) // the engine has checked what is stored
		var when []string
		for _, st := range v.Statements {
			when = append(when, st.sentence())
		}
		out = append(out, strconv.Itoa(i+1)+". "+v.Name+": if "+strings.Join(when, "; or ")+", the payment goes to "+selected(to.Selection, labels)+".")
	}
	return out
}

func (s *Server) routing(c *call) (response, error) {
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
	configs, err := s.Engine.Routings(ctx, c.auth(), routed.ForPayment, 100, 0)
	if err != nil {
		return nil, err
	}
	labels := labelsOf(accounts)
	d := &document{Heading: "Routing", Lead: "Which account takes a payment. After a proven decline, the next account may try, if the profile allows it."}
	may := c.Session.MayOn(staff.ChangeSettings, c.Merchant.ID, s.opts.Live)
	if s.opts.Live {
		d.add(c.guard(staff.ChangeSettings, true)...)
	}
	only := c.URL.Query().Get("profile")
	for _, p := range profiles {
		if only != "" && only != p.ID {
			continue
		}
		here := c.at() + "/routing/" + p.ID
		active := p.Settings.ActiveRouting[routed.ForPayment]
		b := Block{Heading: "Profile " + p.Name}
		for _, x := range configs {
			if x.ID == active {
				whole, err := s.Engine.Routing(ctx, c.auth(), x.ID) // a list comes without the rules
				if err != nil {
					return nil, err
				}
				var a algorithm
				_ = json.Unmarshal(whole.Algorithm, &a) // the engine has checked it
				b.Chip, b.Text = &Chip{x.Name, "good", marks["good"]}, a.sentences(labels)
				if may {
					b.Forms = append(b.Forms, Form{Fold: "Deactivate", Action: here + "/deactivate", Submit: "Deactivate " + x.Name, Tone: "danger", Text: "Payments then go through the profile's accounts in their order. Nothing is deleted."})
				}
			}
		}
		if b.Text == nil {
			b.Text = c.defaultSentences(ctx, p, labels)
		}
		if may {
			b.Links = append(b.Links, Link{here + "/edit" + either(active != "", "?from="+active, ""), either(active != "", "Change these rules", "Write rules")})
		}
		d.add(b)
		t := &Table{Caption: "Configurations of " + p.Name, Columns: columns("Name", "Made", "Kind", "State", "Action")}
		for _, x := range configs {
			if x.ProfileID != p.ID {
				continue
			}
			made, state, act := c.time(x.CreatedAt), Chip{"kept", "quiet", marks["quiet"]}, Cell{URL: here + "/edit?from=" + x.ID, Text: "Open"}
			if x.ID == active {
				state = Chip{"active", "good", marks["good"]}
			} else if may {
				act.Form = &Form{Action: here + "/activate", Submit: "Activate", Fields: []Field{hidden("id", x.ID)}}
			}
			if !may {
				act.URL, act.Text = "", "–"
			}
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: x.Name, Note: x.Description}, {Time: &made}, {Text: words(string(x.Kind))}, {Chip: &state}, act}})
		}
		if len(t.Rows) > 0 {
			d.add(Block{Bare: true, Heading: "Kept configurations of " + p.Name, Table: t})
		}
	}
	return show(d), nil
}

// defaultSentences says where payments go without rules.
func (c *call) defaultSentences(ctx context.Context, p *account.Profile, labels map[string]string) []string {
	list, err := c.server.Engine.ProfileDefaults(ctx, c.auth(), p.ID)
	if err != nil || len(list) == 0 {
		return []string{"This profile has no connector yet: no payment can go anywhere."}
	}
	var out []string
	for _, x := range list {
		out = append(out, choice{Connector: x.Connector, AccountID: x.AccountID}.text(labels))
	}
	if len(out) == 1 {
		return []string{"Every payment goes to " + out[0] + ", because it is the only account."}
	}
	return []string{"There are no rules. Payments go through the accounts in their order: " + strings.Join(out, ", then ") + "."}
}

// editRouting shows a draft: a stored configuration, or an empty program.
func (s *Server) editRouting(c *call) (response, error) {
	var a algorithm
	if from := c.URL.Query().Get("from"); from != "" {
		x, err := s.Engine.Routing(c.Context(), c.auth(), from)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(x.Algorithm, &a); err != nil {
			return nil, err
		}
	}
	d, err := s.draftPage(c, a, nil, nil, "")
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

// accountsOf returns the processor accounts of the profile of the page.
func (s *Server) accountsOf(ctx context.Context, c *call) (out []*account.Account, err error) {
	list, err := s.Engine.Accounts(ctx, c.auth())
	for _, a := range list {
		if a.ProfileID == c.PathValue("p") && a.Type == account.TypeProcessor {
			out = append(out, a)
		}
	}
	return out, err
}

// draftPage shows a draft with its editor. The draft travels in the forms: nothing is stored until it is saved.
func (s *Server) draftPage(c *call, a algorithm, replay *routing.Replay, problem error, at string) (*document, error) {
	ctx, end := c.reading()
	defer end()
	p, err := s.Engine.Profile(ctx, c.auth(), c.PathValue("p"))
	if err != nil {
		return nil, err
	}
	accounts, err := s.accountsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	labels, here := labelsOf(accounts), c.at()+"/routing/"+p.ID+"/edit"
	d := &document{Heading: "Rules of profile " + p.Name, Back: &Link{c.at() + "/routing", "Routing"}, Lead: "A draft: payments go on as before until you save and activate it."}
	if len(accounts) == 0 {
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No connector yet", Text: "Rules choose among the accounts of this profile.", Links: []Link{{c.at() + "/connectors", "Add a connector"}}}})
		return d, nil
	}
	if a.Type == "" {
		a = emptyProgram(accounts)
	}
	text, _ := json.Marshal(a) // the value came as JSON, so it encodes
	draft := func(do string, more ...Field) []Field {
		return append([]Field{hidden("algorithm", string(text)), hidden("do", do)}, more...)
	}
	form := func(f Form, name string) Form {
		f.Action, f.ID = here, name+"-"
		if at == name && problem != nil {
			c.refill(&f, problem)
		}
		return f
	}
	if problem != nil && at == "" {
		said, _ := said(problem)
		d.add(Block{Tone: "bad", Text: []string{said}})
	}
	var choices []Option
	for _, x := range accounts {
		choices = append(choices, Option{x.ID, x.Label, false})
	}
	d.add(draftBlock(a, labels, here, draft))
	if replay != nil {
		d.add(replayBlock(replay, labels))
	}
	d.add(Block{Heading: "Try it on past payments", Text: []string{"payswitch routes the latest payments again with this draft, and changes nothing."}, Forms: []Form{form(Form{Submit: "Try it", Fields: draft("try",
		Field{Name: "payments", Label: "Payments", Kind: "select", Options: []Option{{"100", "The last 100", true}, {"1000", "The last 1,000", false}}})}, "try")}})
	var keys, how []Option
	for _, k := range routingKeys {
		keys = append(keys, Option{k[0], k[1], false})
	}
	for _, k := range comparisons {
		how = append(how, Option{k[0], k[1], false})
	}
	d.add(Block{Heading: "Add a rule", Forms: []Form{form(Form{Submit: "Add the rule", Fields: draft("add", Field{Name: "name", Label: "Name", Kind: "text", Required: true, Max: 64, Autocomplete: "off"},
		Field{Name: "lhs", Label: "If the", Kind: "select", Options: keys}, Field{Name: "comparison", Label: "Comparison", Kind: "select", Options: how},
		Field{Name: "value", Label: "Value", Kind: "text", Required: true, Max: 200, Autocomplete: "off", Hint: "Such as 50000, USD, Visa or Germany.", About: "algorithm"},
		Field{Name: "to", Label: "The payment goes to", Kind: "select", Options: slices.Clone(choices)})}, "add")}})
	split := Form{Submit: "Split the payments", Text: "Each payment goes to one account by its share. This takes the place of all rules of the draft."}
	for i, x := range accounts {
		split.Fields = append(split.Fields, Field{Name: "split." + x.ID, Label: "Per cent to " + x.Label, Kind: "number", Value: either(i == 0, "100", "0"), Required: true})
	}
	split.Fields = draft("split", split.Fields...)
	d.add(Block{Heading: "Or split by volume", Forms: []Form{form(split, "split")}})
	d.add(Block{Heading: "Save", Forms: []Form{form(Form{Submit: "Save the draft", Tone: "go", Text: "It takes effect when you activate it.", Fields: draft("save",
		Field{Name: "name", Label: "Name", Kind: "text", Required: true, Max: 64, Autocomplete: "off"}, Field{Name: "description", Label: "What it is for", Kind: "text", Max: 256, Autocomplete: "off"})}, "save")}})
	return d, nil
}

func emptyProgram(accounts []*account.Account) algorithm {
	var to selection
	to.Type = routed.Priority
	for _, x := range accounts {
		to.Data = append(to.Data, choice{x.Connector, x.ID})
	}
	first, _ := json.Marshal(to)                                                                                  // texts always encode
	data, _ := json.Marshal(program{Default: first, Rules: []json.RawMessage{}, Metadata: json.RawMessage("{}")}) // as above
	return algorithm{routed.Advanced, data}
}

// draftBlock shows the draft as sentences, with buttons that move and remove rules.
func draftBlock(a algorithm, labels map[string]string, here string, draft func(string, ...Field) []Field) Block {
	b := Block{Heading: "The draft", Text: a.sentences(labels)}
	var p program
	if a.Type != routed.Advanced || json.Unmarshal(a.Data, &p) != nil {
		return b
	}
	t := &Table{Caption: "Rules of the draft", Columns: columns("Rule", "Up", "Down", "Remove")}
	for i, line := range ruleSentences(p, labels) {
		button := func(do, text string) Cell {
			return Cell{Form: &Form{Action: here, Submit: text, Fields: draft(do, hidden("i", strconv.Itoa(i)))}}
		}
		up, down := button("up", "Move up"), button("down", "Move down")
		if i == 0 {
			up = Cell{Text: "–"}
		}
		if i == len(p.Rules)-1 {
			down = Cell{Text: "–"}
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: line}, up, down, button("remove", "Remove")}})
	}
	if len(t.Rows) > 0 {
		b.Text, b.Table = b.Text[len(b.Text)-1:], t
	}
	return b
}

// replayBlock shows what the draft would have changed.
func replayBlock(r *routing.Replay, labels map[string]string) Block {
	b := Block{ID: "tried", Heading: "Tried", Tone: "good", Text: []string{plural(r.Payments, "payment", "payments") + ": " + plural(r.Same, "goes", "go") + " where it went, " + plural(r.Changed, "changes", "change") + ", " +
		plural(r.Unroutable, "finds", "find") + " no account."}}
	if r.Payments == 0 {
		b.Text = []string{"This profile has no payment yet to try it on."}
	}
	if len(r.Warnings) > 0 {
		b.Tone = "wait"
	}
	if r.Unroutable > 0 {
		b.Tone = "bad"
	}
	for _, w := range r.Warnings {
		b.Text = append(b.Text, "Rule “"+w.Rule+"” "+w.Message+".")
	}
	if len(r.Moves) > 0 {
		b.Table = &Table{Caption: "Payments that would go elsewhere", Columns: columns("From", "To", "By rule", "Payments", "Amount")}
		b.Table.Columns[3].Class, b.Table.Columns[4].Class = "num", "num"
		name := func(id string) string {
			if labels[id] != "" {
				return labels[id]
			}
			return either(id == "", "no account", id)
		}
		for _, m := range r.Moves {
			amount := Money{Minor: m.Amount, Currency: sdk.Currency(m.Currency)}
			b.Table.Rows = append(b.Table.Rows, Row{Cells: []Cell{{Text: name(m.From)}, {Text: name(m.To)}, {Text: either(m.Rule != "", m.Rule, "default")}, {Text: strconv.Itoa(m.Payments)}, {Amount: &amount}}})
		}
	}
	return b
}

// draftRouting does what a form of the editor asks for.
func (s *Server) draftRouting(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	var a algorithm
	if err := json.Unmarshal([]byte(c.PostFormValue("algorithm")), &a); err != nil {
		return nil, missing("algorithm", "The draft cannot be read: open the editor again")
	}
	at := c.PostFormValue("do")
	var replay *routing.Replay
	var problem error
	switch at {
	case "try":
		n, _ := strconv.Atoi(c.PostFormValue("payments"))
		raw, _ := json.Marshal(a) // the value came as JSON, so it encodes
		replay, problem = s.Engine.ReplayRouting(c.Context(), c.auth(), routing.ReplayInput{ProfileID: c.PathValue("p"), Algorithm: raw, Payments: min(max(n, 1), 1000)})
	case "save":
		raw, _ := json.Marshal(a) // the value came as JSON, so it encodes
		name, text, profile := strings.TrimSpace(c.PostFormValue("name")), strings.TrimSpace(c.PostFormValue("description")), c.PathValue("p")
		if name == "" {
			problem = missing("name", "Give the configuration a name")
			break
		}
		if card.HoldsCard(name) || card.HoldsCard(text) {
			problem = missing(either(card.HoldsCard(name), "name", "description"), cardInText)
			break
		}
		problem = c.perform(Act{Needs: staff.ChangeSettings, Live: s.opts.Live, Action: "routing.create", Target: profile, Details: map[string]string{"name": name}}, func(ctx context.Context) error {
			_, _, err := s.Engine.CreateRouting(ctx, c.auth(), routing.ConfigInput{Name: &name, Description: &text, ProfileID: &profile, Algorithm: raw})
			return err
		})
		if problem == nil {
			return seeOther(c.at() + "/routing?profile=" + profile), nil
		}
	default:
		accounts, err := s.accountsOf(c.Context(), c)
		if err != nil {
			return nil, err
		}
		var next algorithm
		if next, problem = c.edited(a, at, accounts); problem == nil {
			// A dry run over one payment checks the draft as it would be saved.
			raw, _ := json.Marshal(next) // the value came as JSON, so it encodes
			_, problem = s.Engine.ReplayRouting(c.Context(), c.auth(), routing.ReplayInput{ProfileID: c.PathValue("p"), Algorithm: raw, Payments: 1})
		}
		if problem == nil {
			a = next
		}
	}
	if problem != nil && !shownInForm(problem) {
		return nil, problem
	}
	d, err := s.draftPage(c, a, replay, problem, at)
	if problem != nil {
		return shown{http.StatusUnprocessableEntity, d}, err
	}
	return show(d), err
}

// edited returns the draft after one change.
func (c *call) edited(a algorithm, do string, accounts []*account.Account) (algorithm, error) {
	if do == "split" {
		type share struct {
			To    choice `json:"connector"`
			Split int    `json:"split"`
		}
		var all []share
		sum := 0
		for _, x := range accounts {
			n, err := strconv.Atoi(strings.TrimSpace(c.PostFormValue("split." + x.ID)))
			if err != nil || n < 0 || n > 100 {
				return a, missing("split."+x.ID, "Write a whole number from 0 to 100")
			}
			if sum += n; n > 0 {
				all = append(all, share{choice{x.Connector, x.ID}, n})
			}
		}
		if sum != 100 {
			return a, missing("", "The shares are "+strconv.Itoa(sum)+" % together. They must be 100 %.")
		}
		data, err := json.Marshal(all)
		return algorithm{routed.VolumeSplit, data}, err
	}
	var p program
	if a.Type != routed.Advanced || json.Unmarshal(a.Data, &p) != nil {
		b := emptyProgram(accounts) // a rule takes the place of a split
		a = b
		_ = json.Unmarshal(b.Data, &p) // the text was made above, so it is valid
	}
	i, _ := strconv.Atoi(c.PostFormValue("i"))
	inside := i >= 0 && i < len(p.Rules)
	switch {
	case do == "add":
		r, err := c.newRule(accounts)
		if err != nil {
			return a, err
		}
		p.Rules = append(p.Rules, r)
	case do == "up" && inside && i > 0:
		p.Rules[i-1], p.Rules[i] = p.Rules[i], p.Rules[i-1]
	case do == "down" && inside && i < len(p.Rules)-1:
		p.Rules[i+1], p.Rules[i] = p.Rules[i], p.Rules[i+1]
	case do == "remove" && inside:
		p.Rules = slices.Delete(p.Rules, i, i+1)
	}
	data, err := json.Marshal(p)
	return algorithm{routed.Advanced, data}, err
}

// newRule reads the rule that was typed. The engine checks its value.
func (c *call) newRule(accounts []*account.Account) (json.RawMessage, error) {
	name, text := strings.TrimSpace(c.PostFormValue("name")), strings.TrimSpace(c.PostFormValue("value"))
	if name == "" {
		return nil, missing("name", "Give the rule a name")
	}
	var q comparison
	q.LHS, q.Comparison = c.PostFormValue("lhs"), c.PostFormValue("comparison")
	for _, k := range routingKeys {
		if k[0] == q.LHS {
			q.Value.Type = k[2]
		}
	}
	if q.Value.Value, _ = json.Marshal(text); q.Value.Type == "number" { // a text always encodes
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, missing("value", "Write a whole number of minor units, such as 50000")
		}
		q.Value.Value = json.RawMessage(text)
	}
	for _, x := range accounts {
		if x.ID == c.PostFormValue("to") {
			return json.Marshal(ruleView{name, selection{routed.Priority, []choice{{x.Connector, x.ID}}}, []statement{{Condition: []comparison{q}}}})
		}
	}
	return nil, missing("to", "Choose an account")
}

func (s *Server) activateRouting(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id := c.PostFormValue("id")
	return seeOther(c.at() + "/routing?profile=" + c.PathValue("p")), c.perform(Act{Needs: staff.ChangeSettings, Live: s.opts.Live, StepUp: s.opts.Live, Action: "routing.activate", Target: id}, func(ctx context.Context) error {
		_, err := s.Engine.ActivateRouting(ctx, c.auth(), id, routed.ForPayment)
		return err
	})
}

func (s *Server) deactivateRouting(c *call) (response, error) {
	profile := c.PathValue("p")
	return seeOther(c.at() + "/routing?profile=" + profile), c.perform(Act{Needs: staff.ChangeSettings, Live: s.opts.Live, StepUp: s.opts.Live, Action: "routing.deactivate", Target: profile},
		func(ctx context.Context) error {
			_, err := s.Engine.DeactivateRouting(ctx, c.auth(), profile, routed.ForPayment)
			return err
		})
}
