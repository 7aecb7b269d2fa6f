package dashboard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/sdk"
)

// teamPage lists the people of a merchant, or of the installation.
type teamPage struct {
	Problem string
	At      string // path of this list
	All     bool   // people of every merchant
	People  []personLine
	Fields  []Field
	Fresh   bool
	Confirm string
}

type personLine struct {
	URL, Name, Email, Roles, Seen string
	Chip                          Chip
	Second                        bool
}

func (*teamPage) file() string { return "team" }
func (p *teamPage) Title() string {
	if p.All {
		return "All users"
	}
	return "Team"
}

// teamAt returns the merchant of a page about people, "" for the installation, and the path of the list.
func (c *call) teamAt() (merchantID, at string) {
	if c.Merchant == nil {
		return "", "/team"
	}
	return c.Merchant.ID, c.at() + "/team"
}

func (c *call) teamPage() (*teamPage, error) {
	id, at := c.teamAt()
	list, err := c.server.Staff.Team(c.Context(), c.Session, id)
	if err != nil {
		return nil, err
	}
	p := &teamPage{At: at, All: id == "", Fresh: c.fresh(), Confirm: "/confirm?next=" + at, Fields: inviteFields(c, nil)}
	for _, m := range list {
		l := personLine{URL: at + "/" + m.ID, Name: m.Name, Email: m.Email, Roles: rolesText(m.Grants, id), Seen: c.ago(m.SeenAt),
			Chip: memberChip(m), Second: m.HasSecond}
		p.People = append(p.People, l)
	}
	return p, nil
}

func memberChip(m staff.Member) Chip {
	switch {
	case m.State == staff.Disabled:
		return Chip{"disabled", "quiet", marks["quiet"]}
	case m.Locked:
		return Chip{"locked", "wait", marks["wait"]}
	case m.State == staff.Invited:
		return Chip{"invited", "go", marks["go"]}
	}
	return Chip{"active", "good", marks["good"]}
}

// rolesText lists roles: those at one merchant by name, others with their merchant.
func rolesText(grants []staff.Grant, merchantID string) string {
	var out []string
	for _, g := range grants {
		text := string(g.Role)
		switch {
		case g.MerchantID == "" && g.Role != staff.Operator:
			text += " of all merchants"
		case g.MerchantID != merchantID && g.MerchantID != "":
			text += " of " + g.MerchantID
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// roleNames describe the purpose of each role.
var roleNames = map[staff.Role]string{staff.Viewer: "Viewer: reads payments", staff.Support: "Support: refunds up to a limit, events",
	staff.Developer: "Developer: keys, webhooks, test mode", staff.Admin: "Admin: everything at the merchant", staff.Operator: "Operator: hosts the installation"}

func inviteFields(c *call, form map[string][]string) []Field {
	value := func(name string) string { return strings.Join(form[name], "") }
	fields := []Field{
		{Name: "email", Label: "E-mail address", Kind: "email", Value: value("email"), Required: true, Max: 254, Autocomplete: "off"},
		{Name: "name", Label: "Name", Kind: "text", Value: value("name"), Max: 100, Autocomplete: "off"},
		roleField(c, staff.Role(value("role"))),
		{Name: "limits", Label: "Limit for one payment", Kind: "text", Value: value("limits"), Max: 200,
			Hint: limitsHint},
	}
	if c.Merchant == nil {
		fields = append(fields, Field{Name: "merchant", Label: "Merchant", Kind: "text", Value: value("merchant"), Max: 64,
			Hint: "The id of one merchant. Empty gives the role at all of them."})
	}
	return fields
}

func roleField(c *call, chosen staff.Role) Field {
	f := Field{Name: "role", Label: "Role", Kind: "select"}
	for _, r := range staff.Roles() {
		if r == staff.Operator && (c.Merchant != nil || !c.Session.May(staff.ManageUsers, "")) {
			continue
		}
		f.Options = append(f.Options, Option{string(r), roleNames[r], r == chosen})
	}
	return f
}

// limitsHint explains the limits of a role.
const limitsHint = "For support: how much of one payment the person may give back, capture or release, such as 100.00 EUR, 100.00 USD. Without a limit in a currency: nothing."

// limitsText is the reverse of readLimits.
func limitsText(limits map[sdk.Currency]int64) string {
	var out []string
	for currency, minor := range limits {
		out = append(out, Money{minor, currency}.plain()+" "+string(currency))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// readLimits reads amounts such as 100.00 EUR, 100.00 USD.
func readLimits(text string) (map[sdk.Currency]int64, error) {
	limits := map[sdk.Currency]int64{}
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, badLimits(fmt.Sprintf("%q is not an amount with its currency", strings.TrimSpace(part)))
		}
		m, err := sdk.ParseMajor(words[0], sdk.CurrencyOf(words[1]))
		if err != nil || m.Minor < 0 {
			return nil, badLimits(fmt.Sprintf("%q is not an amount of money", strings.TrimSpace(part)))
		}
		limits[m.Currency] = m.Minor
	}
	if len(limits) == 0 {
		return nil, nil
	}
	return limits, nil
}

func badLimits(what string) error {
	return &fault.Error{Kind: fault.KindInvalid, Param: "limits", Message: what + ": write amounts such as 100.00 EUR, 100.00 USD"}
}

func (s *Server) team(c *call) (response, error) {
	p, err := c.teamPage()
	if err != nil {
		return nil, err
	}
	return show(p), nil
}

// linkPage shows a link that was just made. It is shown once.
type linkPage struct {
	Name, Email, URL, Back string
	Reset                  bool
}

func (*linkPage) file() string { return "link" }
func (p *linkPage) Title() string {
	return "Link for " + p.Name
}

// linkURL returns the address of a one-time link, as the browser reached the dashboard.
func (c *call) linkURL(link secret.Value) string {
	base := c.server.opts.URL
	if base == "" {
		base = "http://" + c.Host
	}
	return base + "/enter/" + link.Reveal()
}

func (s *Server) teamPost(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	id, at := c.teamAt()
	if c.Merchant == nil {
		id = strings.TrimSpace(c.PostFormValue("merchant"))
	}
	in := staff.InviteInput{Email: c.PostFormValue("email"), Name: c.PostFormValue("name")}
	limits, err := readLimits(c.PostFormValue("limits"))
	if err == nil && id != "" && c.Merchant == nil {
		if _, err = s.Engine.Merchant(c.Context(), id); err != nil {
			err = &fault.Error{Kind: fault.KindInvalid, Param: "merchant", Message: "There is no merchant with this id"}
		}
	}
	var link secret.Value
	var userID string
	if err == nil {
		in.Grants = []staff.Grant{{MerchantID: id, Role: staff.Role(c.PostFormValue("role")), Limits: limits}}
		link, userID, err = s.Staff.Invite(c.Context(), c.Session, in)
	}
	if text, field, status, ok := formProblem(err); ok {
		p, err := c.teamPage()
		if err != nil {
			return nil, err
		}
		p.Fields = inviteFields(c, c.PostForm)
		p.Problem = mark(p.Fields, field, text)
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	if link.IsZero() { // the user is known, and has the role now
		return seeOther(at + "/" + userID), nil
	}
	m, err := s.Staff.Member(c.Context(), c.Session, userID)
	if err != nil {
		return nil, err
	}
	return show(&linkPage{Name: m.Name, Email: m.Email, URL: c.linkURL(link), Back: at}), nil
}

// memberPage is one user as administrators see it.
type memberPage struct {
	Problem       string
	At, Back      string
	Name, Email   string
	Chip          Chip
	Second        bool
	Seen          string
	Since         Time
	Roles         []roleLine
	Here          bool // the user has a role at this merchant
	Fields        []Field
	Whole, Own    bool
	Locked        bool
	Disabled      bool
	Fresh         bool
	Confirm       string
	Merchant      string
	TakeAwayLabel string
}

func (*memberPage) file() string    { return "member" }
func (p *memberPage) Title() string { return p.Name }

func (c *call) memberPage() (*memberPage, error) {
	id, at := c.teamAt()
	m, err := c.server.Staff.Member(c.Context(), c.Session, c.PathValue("user"))
	if err != nil {
		return nil, err
	}
	if id != "" && !slices.ContainsFunc(m.Grants, func(g staff.Grant) bool { return g.Covers(id) }) {
		return nil, notFoundUser()
	}
	path := at + "/" + m.ID
	p := &memberPage{At: path, Back: at, Name: m.Name, Email: m.Email, Chip: memberChip(m), Second: m.HasSecond, Seen: c.ago(m.SeenAt),
		Since: c.time(m.CreatedAt),
		Whole: m.Whole, Own: m.ID == c.Session.UserID, Locked: m.Locked, Disabled: m.State == staff.Disabled, Fresh: c.fresh(), Confirm: "/confirm?next=" + path, Merchant: id}
	var role staff.Role
	var limits string
	for _, g := range m.Grants {
		p.Roles = append(p.Roles, roleLineOf(g))
		if g.MerchantID == id {
			p.Here, role, limits = true, g.Role, limitsText(g.Limits)
		}
	}
	p.Fields = []Field{roleField(c, role), {Name: "limits", Label: "Limit for one payment", Kind: "text", Value: limits, Max: 200,
		Hint: limitsHint}}
	return p, nil
}

func (s *Server) member(c *call) (response, error) {
	p, err := c.memberPage()
	if err != nil {
		return nil, err
	}
	return show(p), nil
}

func (s *Server) memberPost(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	p, err := c.memberPage() // a user of another team is not found
	if err != nil {
		return nil, err
	}
	id, at := c.teamAt()
	user := c.PathValue("user")
	var link secret.Value
	switch c.PathValue("act") {
	case "roles":
		var limits map[sdk.Currency]int64
		if limits, err = readLimits(c.PostFormValue("limits")); err == nil {
			err = s.Staff.SetGrants(c.Context(), c.Session, user, id, []staff.Grant{{Role: staff.Role(c.PostFormValue("role")), Limits: limits}})
		}
	case "remove":
		if err = s.Staff.SetGrants(c.Context(), c.Session, user, id, nil); err == nil {
			return seeOther(at), nil
		}
	case "disable":
		err = s.Staff.Disable(c.Context(), c.Session, user)
	case "enable":
		err = s.Staff.Enable(c.Context(), c.Session, user)
	case "unlock":
		err = s.Staff.Unlock(c.Context(), c.Session, user)
	case "link":
		link, err = s.Staff.NewLink(c.Context(), c.Session, user)
	case "reset":
		link, err = s.Staff.Reset(c.Context(), c.Session, user)
	default:
		return nil, notFoundAct()
	}
	if text, field, status, ok := formProblem(err); ok {
		p.Problem = mark(p.Fields, field, text)
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	if !link.IsZero() {
		return show(&linkPage{Name: p.Name, Email: p.Email, URL: c.linkURL(link), Back: p.At, Reset: c.PathValue("act") == "reset"}), nil
	}
	return seeOther(p.At), nil
}

func notFoundAct() error {
	return &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "There is no such page."}
}

// auditPage lists what people did.
type auditPage struct {
	Lines []auditLine
	Pager Pager
	Empty Empty
	All   bool
	Path  string
	Chain *Block // what a check of the chain found; nil without one
}

type auditLine struct {
	At                       Time
	Person, Act, What, Notes string
}

func (*auditPage) file() string  { return "audit" }
func (*auditPage) Title() string { return "Audit" }

func (s *Server) audit(c *call) (response, error) {
	f := staff.EntryFilter{Before: c.FormValue("after")}
	path := "/audit"
	if c.Merchant != nil {
		f.MerchantID, path = c.Merchant.ID, c.at()+"/audit"
	}
	ctx, end := c.reading()
	defer end()
	lines, older, err := s.Staff.Lines(ctx, c.Session, f)
	if err != nil {
		return nil, err
	}
	p := &auditPage{All: c.Merchant == nil, Path: path, Empty: Empty{Heading: "Nothing yet", Text: "Each change that asks for a second factor gets a line here."}}
	for _, l := range lines {
		var notes []string
		for k, v := range l.Details {
			notes = append(notes, k+": "+v)
		}
		slices.Sort(notes)
		what := l.Other
		if what == "" {
			what = l.Target
		}
		p.Lines = append(p.Lines, auditLine{c.time(l.At), l.Person, actWords(l.Action), what, strings.Join(notes, ", ")})
	}
	if p.All && c.FormValue("verify") != "" {
		if p.Chain, err = s.verifyAudit(c); err != nil {
			return nil, err
		}
	}
	if f.Before != "" {
		p.Pager.Newest = path
	}
	if older != "" {
		p.Pager.Older = path + "?after=" + older
	}
	return show(p), nil
}

// verifyTime bounds the check of the audit.
const verifyTime = 30 * time.Second

// verifyAudit follows the chain of the audit, and says what it found.
func (s *Server) verifyAudit(c *call) (*Block, error) {
	ctx, end := context.WithTimeout(c.Context(), verifyTime)
	defer end()
	v, err := s.Staff.VerifyAudit(ctx, "")
	if err != nil {
		return nil, err
	}
	return chainBlock(v), nil
}

func chainBlock(v *staff.Verified) *Block {
	if v.Break != "" {
		return &Block{Tone: "bad", Heading: "The audit was changed", Text: []string{strings.ToUpper(v.Break[:1]) + v.Break[1:] + ".", "Read Altered rows in OPERATIONS.md, at once."}}
	}
	text := plural(int(v.Lines), "line follows", "lines follow") + " one another without a gap."
	if v.Older > 0 {
		text += " " + plural(int(v.Older), "line is", "lines are") + " older than the chain."
	}
	b := &Block{Tone: "good", Heading: "The audit is whole", Text: []string{text}}
	if v.Hash != "" {
		b.Text = append(b.Text, "Note number and hash of the last line elsewhere now and then: they show later whether the end was taken away.")
		b.Facts = []Named{fact("Hash of the last line", ident(v.Hash))}
	}
	return b
}

// acts are the words for lines of the audit.
var acts = map[string]string{"login": "signed in", "login.begun": "began to sign in", "login.refused": "was refused at the login",
	"login.locked": "was locked after ten failures",
	"login.ended":  "ended a session", "logout": "signed out", "confirmed": "confirmed with a factor", "link.used": "used a one-time link", "user.invited": "invited a user",
	"user.roles": "changed roles", "user.disabled": "disabled a user", "user.enabled": "enabled a user", "user.link": "made a password link", "user.reset": "reset a user",
	"user.unlocked": "unlocked a user", "passkey.added": "added a passkey", "passkey.removed": "removed a passkey", "app.added": "added an authenticator app",
	"app.removed": "removed the authenticator app", "recovery.renewed": "made new recovery codes", "password.changed": "changed the password",
	"operation.decide": "decided about an operation", "operation.propose": "proposed a decision", "operation.confirm": "confirmed a decision", "operation.withdraw": "withdrew a proposed decision",
	"payment.refund": "refunded a payment", "payment.capture": "captured a payment", "payment.cancel": "cancelled a payment", "payment.void": "voided a captured payment", "link.create": "made a payment link",
	"customer.remove": "removed a kept method", "customer.revoke": "revoked a mandate", "customer.forget": "forgot a customer", "event.resend": "sent an event again",
	"endpoint.test": "sent a test event", "endpoint.again": "sent an event again",
	"dispute.accept": "accepted a dispute", "dispute.evidence": "answered a dispute", "dispute.attach": "attached a file to a dispute", "dispute.detach": "removed a file of a dispute",
	"collect_link.create": "made a collect link", "collect_link.end": "ended a collect link", "adapter.approve": "approved an adapter", "adapter.give": "gave a bundle of an adapter",
	"adapter.install": "installed an adapter", "key.create": "made an API key", "key.revoke": "revoked an API key", "profile.create": "added a profile", "profile.change": "changed a profile",
	"connector.create": "connected an account", "connector.delete": "deleted an account", "endpoint.create": "added an endpoint", "endpoint.change": "changed an endpoint"}

func actWords(action string) string {
	if text := acts[action]; text != "" {
		return text
	}
	return strings.ReplaceAll(words(action), ".", " ")
}
