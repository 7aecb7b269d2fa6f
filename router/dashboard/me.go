package dashboard

import (
	"encoding/hex"
	"strings"

	"payswitch/engine/secret"
	"payswitch/engine/staff"
)

// mePage is a person's own page.
type mePage struct {
	Problem   string
	Done      string // what was just done
	Email     string
	Roles     []roleLine
	Fields    []Field
	Fresh     bool // changes of factors need no confirmation
	Confirm   string
	App       bool
	Recovery  int
	HasSecond bool
	Passkeys  []passkeyLine
	MayAdd    bool // the address allows passkeys
	Logins    []loginLine
	Password  Field
}

type roleLine struct{ Role, At, Limits string }

type passkeyLine struct {
	ID, Name    string
	Added, Used Time
}

type loginLine struct {
	ID, Browser, Address, Seen string
	Since                      Time
	Own                        bool
}

func (*mePage) file() string  { return "me" }
func (*mePage) Title() string { return "You" }

func (c *call) mePage() (*mePage, error) {
	s := c.server
	who, err := s.Staff.Person(c.Context(), c.Session)
	if err != nil {
		return nil, err
	}
	p := &mePage{Email: c.Session.Email, Fresh: c.fresh(), Confirm: "/confirm?next=/me", App: who.TOTP, Recovery: who.Recovery,
		HasSecond: c.Session.HasSecond,
		MayAdd:    s.Staff.Passkeys != nil, Done: meDone[c.FormValue("done")],
		Password: Field{Name: "password", Label: "New password", Kind: "password", Required: true, Autocomplete: "new-password",
			Hint: "At least 12 characters. Your other sessions end."}}
	p.Fields = preferenceFields(staff.Preferences{Name: c.Session.Name, TimeZone: c.Session.TimeZone, Theme: c.Session.Theme})
	for _, g := range c.Session.Grants {
		p.Roles = append(p.Roles, roleLineOf(g))
	}
	for _, k := range who.Passkeys {
		p.Passkeys = append(p.Passkeys, passkeyLine{hex.EncodeToString(k.ID), k.Name, c.time(k.CreatedAt), c.time(k.UsedAt)})
	}
	for _, l := range who.Logins {
		p.Logins = append(p.Logins, loginLine{ID: l.ID, Browser: browserName(l.Browser), Address: l.Address, Seen: c.ago(l.SeenAt),
			Since: c.time(l.CreatedAt), Own: l.Own})
	}
	return p, nil
}

func roleLineOf(g staff.Grant) roleLine {
	l := roleLine{Role: string(g.Role), At: g.MerchantID}
	if l.At == "" {
		l.At = "all merchants"
		if g.Role == staff.Operator {
			l.At = "the installation"
		}
	}
	l.Limits = limitsText(g.Limits)
	return l
}

// meDone are the sentences about what was done, by the name in the address.
var meDone = map[string]string{"saved": "Saved.", "password": "The password is changed. Your other sessions have ended.",
	"app":     "The authenticator app is removed.",
	"passkey": "The passkey is removed.", "ended": "The session has ended.", "others": "Your other sessions have ended."}

func preferenceFields(t staff.Preferences) []Field {
	theme := func(v, text string) Option { return Option{v, text, t.Theme == v} }
	return []Field{
		{Name: "name", Label: "Name", Kind: "text", Value: t.Name, Required: true, Autocomplete: "name", Max: 100},
		{Name: "time_zone", Label: "Time zone", Kind: "text", Value: t.TimeZone, Hint: "Such as Europe/Berlin. Empty is UTC.", Max: 64},
		{Name: "theme", Label: "Colours", Kind: "select", Options: []Option{theme("", "As the browser prefers"), theme("light", "Light"),
			theme("dark", "Dark")}},
	}
}

func (s *Server) me(c *call) (response, error) {
	p, err := c.mePage()
	if err != nil {
		return nil, err
	}
	return show(p), nil
}

func (s *Server) mePost(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	t := staff.Preferences{Name: c.PostFormValue("name"), TimeZone: strings.TrimSpace(c.PostFormValue("time_zone")), Theme: c.PostFormValue("theme")}
	err := s.Staff.SetPreferences(c.Context(), c.Session, t)
	if text, field, status, ok := formProblem(err); ok {
		p, err := c.mePage()
		if err != nil {
			return nil, err
		}
		p.Fields = preferenceFields(t)
		p.Problem = mark(p.Fields, field, text)
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/me?done=saved"), nil
}

// meAct does what the buttons of the page ask for.
func (s *Server) meAct(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	var err error
	done := c.PathValue("act")
	switch done {
	case "password":
		err = s.Staff.ChangePassword(c.Context(), c.Session, secret.New(c.PostFormValue("password")))
	case "app":
		err = s.Staff.RemoveTOTP(c.Context(), c.Session)
	case "passkey":
		id, bad := hex.DecodeString(c.PostFormValue("id"))
		if bad != nil {
			id = nil
		}
		err = s.Staff.RemovePasskey(c.Context(), c.Session, id)
	case "ended":
		err = s.Staff.EndLogin(c.Context(), c.Session, c.PostFormValue("id"))
		if c.PostFormValue("id") == "" {
			done = "others"
		}
	case "recovery":
		codes, err := s.Staff.NewRecoveryCodes(c.Context(), c.Session)
		if err != nil {
			return nil, err
		}
		return show(&codesPage{Codes: codes, Next: "/me"}), nil
	default:
		return nil, notFoundAct()
	}
	if text, field, status, ok := formProblem(err); ok {
		p, err := c.mePage()
		if err != nil {
			return nil, err
		}
		if p.Problem = text; field == "password" {
			p.Password.Problem, p.Problem = text, ""
		}
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return seeOther("/me?done=" + done), nil
}

// browserName returns what people call a browser: its name and the system, of the User-Agent header.
func browserName(agent string) string {
	find := func(list [][2]string) string {
		for _, e := range list {
			if strings.Contains(agent, e[0]) {
				return e[1]
			}
		}
		return ""
	}
	name := find([][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}})
	system := find([][2]string{{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Mac OS X", "macOS"},
		{"Linux", "Linux"}})
	switch {
	case name == "":
		return "Another program"
	case system == "":
		return name
	}
	return name + " on " + system
}
