package dashboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// maxBundleForm is the largest size of a form with a bundle, in bytes.
const maxBundleForm = 33 << 20

// bundleTime bounds the examination of a bundle, which compiles its module.
const bundleTime = 2 * time.Minute

func (s *Server) bundleRoutes() []route {
	return []route{
		{method: "POST", pattern: "/adapters/bundles", needs: staff.ManageAdapters, handle: s.giveBundle, body: maxBundleForm},
		{method: "GET", pattern: "/adapters/bundles/{sha256}", needs: staff.ManageAdapters, handle: s.bundle},
		{method: "POST", pattern: "/adapters/bundles/{sha256}/install", needs: staff.ManageAdapters, handle: s.installBundle},
	}
}

// person is who gives and installs, as lists show it.
func (c *call) person() string {
	if c.Session.Email != "" {
		return strings.TrimSpace(c.Session.Name + " <" + c.Session.Email + ">")
	}
	return c.Session.Name
}

// bundleForm returns the form that takes a bundle.
func (c *call) bundleForm(problem error) []Block {
	b := Block{ID: "install", Heading: "Install another one", Text: []string{"Give a bundle that one of the trusted keys has signed. payswitch examines it and shows what it may reach; then you install it."}}
	if c.server.Bundles != nil {
		f := Form{ID: "bundle-", Action: "/adapters/bundles", File: true, Submit: "Examine the bundle", Fields: []Field{
			{Name: "file", About: "bundle", Label: "Bundle", Kind: "file", Required: true, Accept: ".bundle,application/zip", Hint: "Such as acme-0.1.0.bundle, at most 32 MiB. plugins.trusted_keys in the configuration names the keys."}}}
		if problem != nil {
			c.refill(&f, problem)
		}
		b.Forms = []Form{f}
	}
	same := []Fold{{"The same on the host", "payswitch plugin install acme-0.1.0.bundle"},
		{"The same with curl", "curl -X POST " + c.server.opts.APIURL + "/adapters/bundles -H 'api-key: ADMIN_KEY' \\\n  -H 'Content-Type: application/octet-stream' --data-binary @acme-0.1.0.bundle"}}
	return []Block{b, {Bare: true, Folds: same}}
}

// bundleTable lists kept bundles. With inUse it marks the one whose installation is the latest.
func (c *call) bundleTable(caption string, list []port.Bundle) *Table {
	t := &Table{Caption: caption, Columns: columns("Bundle", "Given", "By", "Installed", "By")}
	for _, b := range list {
		given, installed := c.time(b.GivenAt), Cell{Text: "not yet"}
		if !b.InstalledAt.IsZero() {
			at := c.time(b.InstalledAt)
			installed = Cell{Time: &at}
		}
		t.Rows = append(t.Rows, Row{URL: "/adapters/bundles/" + b.SHA256, Cells: []Cell{{Text: b.Name + " " + b.Version}, {Time: &given}, {Text: b.GivenBy}, installed, {Text: b.InstalledBy}}})
	}
	return t
}

// waiting returns the bundles that were given and not installed.
func waiting(list []port.Bundle) (out []port.Bundle) {
	for _, b := range list {
		if b.InstalledAt.IsZero() {
			out = append(out, b)
		}
	}
	return out
}

// keptBundles lists the kept bundles of an adapter, or with "" of all.
func (s *Server) keptBundles(ctx context.Context, adapter string) ([]port.Bundle, error) {
	if s.Bundles == nil {
		return nil, nil
	}
	return s.Bundles.Bundles(ctx, adapter)
}

// giveBundle examines a bundle, keeps it, and leads to its page.
func (s *Server) giveBundle(c *call) (response, error) {
	if s.Bundles == nil {
		return nil, fault.NotFound("Page")
	}
	// On a slow line a bundle takes longer than other forms.
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(bundleTime))
	var file []byte
	var v *port.BundleView
	err := c.upload(func(_, _ string, content []byte) { file = content })
	if err == nil {
		sum := sha256.Sum256(file)
		err = c.perform(Act{Needs: staff.ManageAdapters, Action: "adapter.give", Target: hex.EncodeToString(sum[:])}, func(ctx context.Context) (err error) {
			ctx, end := context.WithTimeout(ctx, bundleTime)
			defer end()
			v, err = s.Bundles.Give(ctx, file, c.person())
			return err
		})
	}
	if shownInForm(err) {
		d, failed := s.adaptersPage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/adapters/bundles/" + v.SHA256), nil
}

func (s *Server) bundle(c *call) (response, error) {
	d, err := s.bundlePage(c, nil)
	if err != nil {
		return nil, err
	}
	return show(d), nil
}

func (s *Server) bundlePage(c *call, problem error) (*document, error) {
	if s.Bundles == nil {
		return nil, fault.NotFound("Bundle")
	}
	ctx, end := c.reading()
	defer end()
	v, err := s.Bundles.Bundle(ctx, c.PathValue("sha256"))
	if err != nil {
		return nil, err
	}
	return c.bundleOf(v, problem), nil
}

// bundleState returns the state of a bundle in a word.
func bundleState(v *port.BundleView) Chip {
	switch {
	case v.Refused != "":
		return Chip{"refused", "bad", marks["bad"]}
	case v.InUse:
		return Chip{"in use", "good", marks["good"]}
	case v.InstalledAt.IsZero():
		return Chip{"waits for your approval", "wait", marks["wait"]}
	}
	return Chip{"replaced", "quiet", marks["quiet"]}
}

func (c *call) bundleOf(v *port.BundleView, problem error) *document {
	state, given := bundleState(v), c.time(v.GivenAt)
	d := &document{Heading: v.Name + " " + v.Version, Back: &Link{"/adapters", "Adapters"}, Lead: v.Manifest.Description}
	if c.URL.Query().Get("did") == "install" {
		d.add(Block{Tone: "good", Text: []string{"Installed. Every node takes it up within seconds; operations under way end with the build that they began with."},
			Links: []Link{{"/adapters/" + v.Name, "The adapter, and the accounts that wait for an approval"}}})
	}
	b := Block{Facts: []Named{fact("State", Cell{Chip: &state}), fact("Signed by key", Cell{Text: either(v.Signer != "", v.Signer, "no key that is trusted here")}),
		fact("SHA-256 of the module", ident(v.Module)), fact("SHA-256 of the bundle", ident(v.SHA256)), fact("Kind", Cell{Text: words(string(v.Manifest.Kind))}), fact("Can", Cell{Text: abilities(v.Manifest)}),
		fact("Given", Cell{Time: &given, Note: "by " + v.GivenBy}), fact("Replaces", Cell{Text: either(v.Replaces != "", v.Replaces, "nothing: no adapter of this name is loaded")})}}
	if !v.InstalledAt.IsZero() {
		at := c.time(v.InstalledAt)
		b.Facts = append(b.Facts, fact("Installed", Cell{Time: &at, Note: "by " + v.InstalledBy}))
	}
	d.add(b)
	if v.Further != "" {
		d.add(Block{Tone: "wait", Heading: "It asks for more than the build in use", Text: []string{"Accounts that exist take no payments with it until you approve each of them on the adapter's page."},
			Folds: []Fold{{"What it asks for in addition", strings.ReplaceAll(v.Further, "; ", "\n")}}})
	}
	d.add(reachOf(v.Manifest))
	if v.Refused != "" {
		d.add(Block{Tone: "bad", Heading: "It cannot be installed here", Text: []string{strings.ToUpper(v.Refused[:1]) + v.Refused[1:] + "."}})
		return d
	}
	if v.InUse {
		return d
	}
	d.add(c.guard(staff.ManageAdapters, false)...)
	f := Form{Action: "/adapters/bundles/" + v.SHA256 + "/install", Tone: "go", Submit: "Install " + v.Name + " " + v.Version,
		Text: "New operations use this build, on every node, within seconds. It may then send to the hosts above and place the secrets there for accounts that you make or approve."}
	body, flag := "{}", ""
	switch {
	case v.BuiltIn:
		f.Submit, f.Tone, f.Fields, body, flag = "Replace the built-in "+v.Name, "danger", []Field{hidden("replace_builtin", "true")}, `{"replace_builtin": true}`, " --replace-builtin"
		f.Text = "payswitch has an adapter of this name of its own. All accounts at " + v.Name + " use the bundle's build instead, within seconds. To go back, run payswitch plugin remove " + v.Name + "."
	case v.Older:
		flag = " --allow-older"
		f.Submit, f.Tone, f.Fields, body = "Go back to "+v.Name+" "+v.Version, "danger", []Field{hidden("allow_older", "true")}, `{"allow_older": true}`
		f.Text = "This version is older than the one in use. Whatever was found wrong with it since is wrong again. Operations under way end with the build that they began with."
	}
	if problem != nil {
		c.refill(&f, problem)
	}
	d.add(Block{Heading: either(v.Older, "Roll back", "Install"), Forms: []Form{f}}, Block{Bare: true, Folds: []Fold{{"The same with curl", "curl -X POST " + c.server.opts.APIURL + "/adapters/bundles/" + v.SHA256 +
		"/install -H 'api-key: ADMIN_KEY' \\\n  -H 'Content-Type: application/json' -d '" + body + "'"}, {"The same on the host", "payswitch plugin pin " + v.SHA256 + flag}}})
	return d
}

// installBundle installs a kept bundle.
func (s *Server) installBundle(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	if s.Bundles == nil {
		return nil, fault.NotFound("Bundle")
	}
	sum := c.PathValue("sha256")
	ctx, end := c.reading()
	v, err := s.Bundles.Bundle(ctx, sum)
	end()
	if err != nil {
		return nil, err
	}
	act := Act{Needs: staff.ManageAdapters, Action: "adapter.install", Target: v.Name, Details: map[string]string{"version": v.Version, "sha256": v.Module, "bundle": sum, "replaces": v.Replaces}}
	err = c.perform(act, func(ctx context.Context) error {
		ctx, end := context.WithTimeout(ctx, bundleTime)
		defer end()
		_, err := s.Bundles.Install(ctx, sum, c.person(), port.Replacing{Older: c.PostFormValue("allow_older") != "", BuiltIn: c.PostFormValue("replace_builtin") != ""})
		return err
	})
	if shownInForm(err) {
		d, failed := s.bundlePage(c, err)
		return shown{http.StatusUnprocessableEntity, d}, failed
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/adapters/bundles/" + sum + "?did=install"), nil
}

// reachOf shows what an adapter may reach.
func reachOf(m *sdk.Manifest) Block {
	reach := approval.ReachOf(m)
	b := Block{Heading: "What it may reach"}
	for _, name := range sortedKeys(reach.Hosts) {
		b.Facts = append(b.Facts, fact("Hosts, "+name, Cell{Text: strings.Join(reach.Hosts[name], ", ")}))
	}
	if len(reach.Credentials) > 0 {
		b.Facts = append(b.Facts, fact("Credentials", Cell{Text: strings.Join(reach.Credentials, "; ")}))
	}
	if len(reach.Config) > 0 {
		b.Facts = append(b.Facts, fact("Settings", Cell{Text: strings.Join(reach.Config, "; ")}))
	}
	var places strings.Builder
	for _, p := range append(append([]sdk.Placement(nil), reach.Authentication...), reach.Placements...) {
		places.WriteString(approval.PlacementText(p) + "\n")
	}
	if places.Len() > 0 {
		b.Folds = []Fold{{"Where its secrets and card data may stand", strings.TrimSpace(places.String())}}
	}
	if caution := reach.Caution(); caution != "" {
		b.Text = []string{caution}
	}
	return b
}
