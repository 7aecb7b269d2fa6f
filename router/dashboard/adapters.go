package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/staff"
)

// approving is what the pages of adapters need of the engine.
type approving interface {
	Approve(ctx context.Context, a account.Auth, id, hash string, plain bool) (*account.ApprovalView, error)
	Violations(ctx context.Context, a account.Auth, id string) ([]*port.Violation, error)
}

func (s *Server) adapterRoutes() []route {
	return append([]route{
		{method: "GET", pattern: "/adapters", needs: staff.ManageAdapters, handle: s.adapters},
		{method: "GET", pattern: "/adapters/{name}", needs: staff.ManageAdapters, handle: s.oneAdapter},
		{method: "POST", pattern: "/adapters/{name}/approve", needs: staff.ManageAdapters, handle: s.approveAdapter},
	}, s.bundleRoutes()...)
}

// uses returns the accounts of all merchants, by connector.
func (s *Server) uses(ctx context.Context) (map[string][]*account.Account, error) {
	merchants, err := s.Engine.Merchants(ctx, "")
	if err != nil {
		return nil, err
	}
	out := map[string][]*account.Account{}
	for _, m := range merchants {
		list, err := s.Engine.Accounts(ctx, account.Auth{MerchantID: m.ID})
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			out[a.Connector] = append(out[a.Connector], a)
		}
	}
	return out, nil
}

func (s *Server) adapters(c *call) (response, error) {
	d, err := s.adaptersPage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) adaptersPage(c *call, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	uses, err := s.uses(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := s.keptBundles(ctx, "")
	if err != nil {
		return nil, err
	}
	return c.adapterList(s.Adapters.Adapters(), uses, waiting(kept), problem), nil
}

// awaiting counts the accounts that wait for an approval of an adapter.
func awaiting(info port.AdapterInfo, accounts []*account.Account) (n int) {
	for _, a := range accounts {
		if !account.AwaitingApproval(a, info).IsEmpty() {
			n++
		}
	}
	return n
}

func (c *call) adapterList(all []port.AdapterInfo, uses map[string][]*account.Account, given []port.Bundle, problem error) *document {
	d := &document{Heading: "Adapters", Lead: "The programs that speak with processors and authenticators. Each runs in a sandbox and sees stand-ins in the place of card numbers and keys."}
	t := &Table{Caption: "Adapters", Columns: columns("Name", "Version", "Kind", "From", "Accounts", "State")}
	t.Columns[4].Class = "num"
	for _, a := range all {
		if a.Manifest == nil {
			continue
		}
		state := Chip{"loaded", "good", marks["good"]}
		if n := awaiting(a, uses[a.Connector]); n > 0 {
			state = Chip{plural(n, "account waits for approval", "accounts wait for approval"), "wait", marks["wait"]}
		}
		name := Cell{Text: a.Connector}
		if a.Manifest.DisplayName != "" && a.Manifest.DisplayName != a.Connector {
			name.Note = a.Manifest.DisplayName
		}
		t.Rows = append(t.Rows, Row{URL: "/adapters/" + a.Connector, Cells: []Cell{name, {Text: a.Manifest.Version}, {Text: words(string(a.Manifest.Kind))}, {Text: origin(a)},
			{Text: plural(len(uses[a.Connector]), "account", "accounts")}, {Chip: &state}}})
	}
	if len(t.Rows) > 0 {
		d.add(Block{Bare: true, Table: t})
	} else {
		d.add(Block{Bare: true, Empty: &Empty{Heading: "No adapter", Text: "This program was built without adapters, and no folder of adapters is named."}})
	}
	if len(given) > 0 {
		d.add(Block{Bare: true, Heading: "Given, not installed", Table: c.bundleTable("Bundles that wait for their installation", given)})
	}
	if c.server.Bundles != nil {
		d.add(c.guard(staff.ManageAdapters, false)...)
	}
	d.add(c.bundleForm(problem)...)
	d.add(Block{Heading: "Write one", Text: []string{"This makes a folder with an adapter that runs, and its tests."}, Code: "payswitch plugin new acme"})
	return d
}

func origin(a port.AdapterInfo) string {
	switch {
	case a.Simulated:
		return "the simulator stands in"
	case a.BuiltIn:
		return "built in"
	}
	return "installed"
}

func (s *Server) oneAdapter(c *call) (response, error) {
	d, err := s.adapterPage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) adapterPage(c *call, problem error) (*document, error) {
	ctx, end := c.reading()
	defer end()
	info, ok := s.Adapters.Adapter(c.PathValue("name"))
	if !ok || info.Manifest == nil {
		return nil, fault.NotFound("Adapter")
	}
	uses, err := s.uses(ctx)
	if err != nil {
		return nil, err
	}
	accounts := uses[info.Connector]
	broken := []*port.Violation{}
	for _, a := range accounts {
		list, err := s.Engine.Violations(ctx, account.Auth{MerchantID: a.MerchantID}, a.ID)
		if err != nil {
			return nil, err
		}
		broken = append(broken, list...)
	}
	slices.SortFunc(broken, func(a, b *port.Violation) int { return b.At.Compare(a.At) })
	kept, err := s.keptBundles(ctx, info.Name)
	if err != nil {
		return nil, err
	}
	return c.adapterOf(info, accounts, broken[:min(len(broken), 50)], kept, problem), nil
}

func (c *call) adapterOf(info port.AdapterInfo, accounts []*account.Account, broken []*port.Violation, kept []port.Bundle, problem error) *document {
	m := info.Manifest
	d := &document{Heading: either(m.DisplayName != "", m.DisplayName, info.Connector), Back: &Link{"/adapters", "Adapters"}, Lead: m.Description}
	d.add(Block{Facts: []Named{fact("Name", Cell{Text: info.Connector, Note: either(info.Simulated, "answered by "+info.Name, "")}), fact("Version", Cell{Text: m.Version, Note: origin(info)}),
		fact("SHA-256", ident(info.Hash)), fact("Kind", Cell{Text: words(string(m.Kind))}), fact("Can", Cell{Text: abilities(m)})}})
	d.add(c.guard(staff.ManageAdapters, false)...)
	waiting := Block{Heading: "Approvals", Text: []string{"Accounts of an adapter that asks for more than was approved take no payment."}}
	if problem != nil {
		text, _ := said(problem)
		waiting.Tone, waiting.Text = "bad", []string{text}
	}
	t := &Table{Caption: "Accounts", Columns: columns("Account", "Merchant", "State", "Approved")}
	var asks []Block
	for _, a := range accounts {
		state, approved := Chip{"approved", "good", marks["good"]}, Cell{Text: either(info.BuiltIn, "with the program: the adapter is built in", "not yet")}
		if n := len(a.Operator.Approvals); n > 0 && !info.BuiltIn {
			last := a.Operator.Approvals[n-1]
			at := c.time(last.At)
			approved = Cell{Time: &at, Note: "by " + string(last.By) + ", version " + last.Version}
		}
		if more := account.AwaitingApproval(a, info); !more.IsEmpty() {
			state = Chip{"waits for approval", "wait", marks["wait"]}
			asks = append(asks, Block{Heading: a.Label + " of " + a.MerchantID + " waits for approval", Tone: "wait", Folds: []Fold{{"What the adapter asks for", strings.ReplaceAll(more.String(), "; ", "\n")}},
				Forms: []Form{{Fold: "Approve", Action: "/adapters/" + info.Connector + "/approve", Tone: "go", Submit: "Approve for " + a.Label,
					Text: "This build may then send to these hosts, and place these secrets there, for this account.", Fields: []Field{hidden("merchant", a.MerchantID), hidden("account", a.ID), hidden("hash", info.Hash)}}}})
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: a.Label}, {Text: a.MerchantID}, {Chip: &state}, approved}})
	}
	if len(accounts) > 0 {
		waiting.Table = t
	} else {
		waiting.Text = []string{"No merchant uses this adapter yet."}
	}
	d.add(waiting)
	d.add(asks...)
	d.add(reachOf(m))
	if len(broken) > 0 {
		t := &Table{Caption: "Rules that the adapter broke", Columns: columns("Time", "Rule", "Where", "Operation", "Build")}
		for _, v := range broken {
			at := c.time(v.At)
			t.Rows = append(t.Rows, Row{Cells: []Cell{{Time: &at}, {Text: v.Rule}, {Text: v.Place}, {Text: words(string(v.Operation))}, {Text: v.AdapterHash[:min(12, len(v.AdapterHash))]}}})
		}
		d.add(Block{Heading: "Violations", Tone: "bad", Text: []string{"The host stopped each of these. Nothing that broke a rule has left."}, Table: t})
	} else {
		d.add(Block{Heading: "Violations", Text: []string{"The adapter has broken no rule of the host."}})
	}
	if len(kept) > 0 {
		d.add(Block{Bare: true, Heading: "Bundles", Table: c.bundleTable("Bundles of this adapter, the latest installed first", kept)})
	}
	if !info.BuiltIn && !info.Simulated {
		d.add(Block{Heading: "Go back", Text: []string{"Open an older bundle above and install it, or install one on the host. Operations under way end with the build that they began with."},
			Code: "payswitch plugin install --allow-older " + info.Name + "-VERSION.bundle"})
	}
	return d
}

// approveAdapter approves the reach of the build that the person has seen, for one account.
func (s *Server) approveAdapter(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	merchant, id, hash := c.PostFormValue("merchant"), c.PostFormValue("account"), c.PostFormValue("hash")
	err := c.perform(Act{Needs: staff.ManageAdapters, Action: "adapter.approve", Target: id, Details: map[string]string{"adapter": c.PathValue("name"), "sha256": hash, "of": merchant}},
		func(ctx context.Context) error {
			_, err := s.Engine.Approve(ctx, account.Auth{MerchantID: merchant}, id, hash, false)
			return err
		})
	if shownInForm(err) {
		d, failed := s.adapterPage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/adapters/" + c.PathValue("name")), nil
}
