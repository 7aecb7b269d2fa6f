package dashboard

import (
	"encoding/json"
	"net/http"
	"net/url"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
)

// alone marks pages without menu: the person is not signed in yet.
type alone interface{ alone() }

// loginPage asks who comes.
type loginPage struct {
	Problem  string
	Email    Field
	Password Field
	Next     string
	Passkeys bool
	Again    bool // the person was signed in, and no longer is
}

func (*loginPage) file() string  { return "login" }
func (*loginPage) Title() string { return "Sign in" }
func (*loginPage) alone()        {}

func (s *Server) loginForm(email, to string) *loginPage {
	return &loginPage{Next: to, Passkeys: s.Staff.Passkeys != nil,
		Email:    Field{Name: "email", Label: "E-mail address", Kind: "email", Value: email, Required: true, Autocomplete: "username", Max: 254},
		Password: Field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password"}}
}

func (s *Server) login(c *call) (response, error) {
	to := next(c.FormValue("next"))
	if session, err := s.Sessions.Of(c.Request); err == nil && session.Stage == staff.Full {
		return seeOther(to), nil
	}
	p := s.loginForm("", to)
	p.Again = c.FormValue("ended") != ""
	return show(p), nil
}

func (s *Server) loginPost(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	to := next(c.PostFormValue("next"))
	in, err := s.Staff.Login(c.Context(), c.visit(), c.PostFormValue("email"), secret.New(c.PostFormValue("password")))
	if text, _, status, ok := formProblem(err); ok {
		p := s.loginForm(c.PostFormValue("email"), to)
		p.Problem = text
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return entered{in, to}, nil
}

// options is the answer of a begun passkey: what the browser's own functions take.
type options struct {
	Options json.RawMessage `json:"options"`
	Ticket  string          `json:"ticket"`
}

func (o options) write(c *call) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/json")
	return send(c.w, c.Request, http.StatusOK, b)
}

func (s *Server) askPasskey(c *call) (response, error) {
	o, ticket, err := s.Staff.BeginPasskey(c.Context(), c.visit())
	if err != nil {
		return nil, err
	}
	return options{o, ticket.Reveal()}, nil
}

// passkeyForm reads what the script has put into a form.
func (c *call) passkeyForm() (ticket secret.Value, answer []byte, err error) {
	err = c.form()
	return secret.New(c.PostFormValue("ticket")), []byte(c.PostFormValue("answer")), err
}

func (s *Server) loginByPasskey(c *call) (response, error) {
	ticket, answer, err := c.passkeyForm()
	if err != nil {
		return nil, err
	}
	to := next(c.PostFormValue("next"))
	in, err := s.Staff.LoginByPasskey(c.Context(), c.visit(), ticket, answer)
	if text, _, status, ok := formProblem(err); ok {
		p := s.loginForm("", to)
		p.Problem = text
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return entered{in, to}, nil
}

func (s *Server) logout(c *call) (response, error) {
	if err := s.Staff.Logout(c.Context(), c.visit(), c.token()); err != nil {
		return nil, err
	}
	s.cookies.set(c.w, secret.Value{})
	return seeOther(signInPath), nil
}

// confirmPage asks for a factor: the second one of a login, or one more before a change.
type confirmPage struct {
	Half     bool
	Problem  string
	Next     string
	Email    string // for the browser that fills in the password
	Password *Field
	Code     *Field
	Passkey  bool
	Recovery bool
	None     bool // there is no factor to give: the person adds one
}

func (*confirmPage) file() string { return "confirm" }
func (p *confirmPage) Title() string {
	if p.Half {
		return "Sign in: second step"
	}
	return "Confirm that it is you"
}
func (*confirmPage) alone() {}

func (c *call) confirmForm(to string) *confirmPage {
	p := &confirmPage{Half: c.Session.Stage == staff.NeedSecond, Next: to, Email: c.Session.Email}
	for _, w := range c.Session.Ways {
		switch w {
		case staff.ByPassword:
			p.Password = &Field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password"}
		case staff.ByPasskey:
			p.Passkey = true
		case staff.ByRecovery:
			p.Recovery = true
		}
		if p.Code == nil && (w == staff.ByCode || w == staff.ByRecovery) {
			p.Code = &Field{Name: "code", Label: "Code of your authenticator app", Kind: "text", Required: true, Autocomplete: "one-time-code", Max: 40}
		}
	}
	if p.Code != nil && p.Recovery {
		p.Code.Hint = "Without your phone, type one of your recovery codes."
	}
	p.None = p.Password == nil && p.Code == nil && !p.Passkey
	return p
}

func (s *Server) confirm(c *call) (response, error) {
	to := next(c.FormValue("next"))
	switch {
	case c.Session.Stage == staff.NeedEnrol:
		return seeOther("/enrol?next=" + url.QueryEscape(to)), nil
	case c.Session.Stage == staff.Full && c.fresh():
		return seeOther(to), nil
	}
	return show(c.confirmForm(to)), nil
}

func (s *Server) confirmPost(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	to := next(c.PostFormValue("next"))
	var in *staff.LoginResult
	var err error
	if c.PostForm.Has("password") {
		in, err = s.Staff.GivePassword(c.Context(), c.visit(), c.token(), secret.New(c.PostFormValue("password")))
	} else {
		in, err = s.Staff.GiveCode(c.Context(), c.visit(), c.token(), c.PostFormValue("code"))
	}
	return c.confirmed(in, err, to)
}

func (s *Server) confirmPasskey(c *call) (response, error) {
	ticket, answer, err := c.passkeyForm()
	if err != nil {
		return nil, err
	}
	in, err := s.Staff.GivePasskey(c.Context(), c.visit(), c.token(), ticket, answer)
	return c.confirmed(in, err, next(c.PostFormValue("next")))
}

func (c *call) confirmed(in *staff.LoginResult, err error, to string) (response, error) {
	if text, _, status, ok := formProblem(err); ok {
		p := c.confirmForm(to)
		p.Problem = text
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return entered{in, to}, nil
}

// enterPage is what a one-time link opens.
type enterPage struct {
	First, Enter bool
	Problem      string
	Link         string
	Fields       []Field
	Who          string
}

func (*enterPage) file() string { return "enter" }
func (p *enterPage) Title() string {
	switch {
	case p.First:
		return "Set up payswitch"
	case p.Enter:
		return "Open the demo"
	}
	return "Choose your password"
}
func (*enterPage) alone() {}

func (c *call) enterForm(v staff.LinkView) *enterPage {
	p := &enterPage{First: v.First, Enter: v.Enter, Link: c.PathValue("link"), Who: v.Email}
	if v.Enter {
		return p
	}
	email, name := v.Email, v.Name
	if v.First {
		email = c.PostFormValue("email")
		p.Fields = append(p.Fields, Field{Name: "email", Label: "Your e-mail address", Kind: "email", Value: email, Required: true,
			Autocomplete: "username", Max: 254,
			Hint: "It names you at the login. payswitch sends no mail."})
	} else {
		p.Fields = append(p.Fields, Field{Name: "email", Kind: "hidden", Value: email})
	}
	if n := c.PostFormValue("name"); n != "" {
		name = n
	}
	p.Fields = append(p.Fields, Field{Name: "name", Label: "Your name", Kind: "text", Value: name, Required: true, Autocomplete: "name", Max: 100},
		Field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "new-password",
			Hint: "At least 12 characters. A few words that do not belong together are good, and easy to keep."})
	return p
}

func (s *Server) enter(c *call) (response, error) {
	v, err := s.Staff.Link(c.Context(), secret.New(c.PathValue("link")))
	if err != nil {
		return nil, err
	}
	return show(c.enterForm(v)), nil
}

func (s *Server) enterPost(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	link := secret.New(c.PathValue("link"))
	v, err := s.Staff.Link(c.Context(), link)
	if err != nil {
		return nil, err
	}
	in, err := s.Staff.UseLink(c.Context(), c.visit(), link, staff.LinkInput{Email: c.PostFormValue("email"), Name: c.PostFormValue("name"),
		Password: secret.New(c.PostFormValue("password"))})
	if text, field, status, ok := formProblem(err); ok {
		p := c.enterForm(v)
		p.Problem = mark(p.Fields, field, text)
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return entered{in, "/"}, nil
}

// mark writes a problem next to its field. It returns the text if the page has no such field.
func mark(fields []Field, name, text string) string {
	for i := range fields {
		if fields[i].Name == name && name != "" {
			fields[i].Problem = text
			return ""
		}
	}
	return text
}

// enrolPage adds a second factor.
type enrolPage struct {
	Must     bool // the role needs one
	Passkeys bool
	Problem  string
	Next     string
	Key      string // of the app that is being added; "": none
	QR       string // a data: address
	Code     Field
	Name     Field
}

func (*enrolPage) file() string  { return "enrol" }
func (*enrolPage) Title() string { return "Add a second factor" }
func (*enrolPage) alone()        {}

func (c *call) enrolForm(to string) (*enrolPage, error) {
	s := c.server
	p := &enrolPage{Must: c.Session.Stage == staff.NeedEnrol, Passkeys: s.Staff.Passkeys != nil, Next: to,
		Code: Field{Name: "code", Label: "Code that the app shows", Kind: "text", Required: true, Autocomplete: "one-time-code", Max: 10},
		Name: Field{Name: "name", Label: "Name of the passkey", Kind: "text", Max: 100, Hint: "Such as: laptop, or key on the ring."}}
	e, ok, err := s.Staff.PendingTOTP(c.Context(), c.Session)
	if err != nil || !ok {
		return p, err
	}
	p.Key = grouped(e.Key.Reveal())
	p.QR, err = qrImage(e.URL.Reveal())
	return p, err
}

// mayEnrol asks for the second factor first, unless the role has just asked for a first one.
func (c *call) mayEnrol() bool {
	return c.Session.Stage == staff.NeedEnrol || c.Session.Stage == staff.Full && c.fresh()
}

func (s *Server) enrol(c *call) (response, error) {
	to := next(c.FormValue("next"))
	if !c.mayEnrol() {
		return confirmFirst("/me"), nil
	}
	p, err := c.enrolForm(to)
	if err != nil {
		return nil, err
	}
	return show(p), nil
}

func (s *Server) enrolApp(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	if _, err := s.Staff.BeginTOTP(c.Context(), c.Session); err != nil {
		return nil, err
	}
	return seeOther("/enrol?next=" + url.QueryEscape(next(c.PostFormValue("next")))), nil
}

func (s *Server) enrolCode(c *call) (response, error) {
	if err := c.form(); err != nil {
		return nil, err
	}
	to := next(c.PostFormValue("next"))
	in, err := s.Staff.FinishTOTP(c.Context(), c.visit(), c.token(), c.PostFormValue("code"))
	return c.enrolled(in, err, to)
}

func (s *Server) enrolAsk(c *call) (response, error) {
	o, ticket, err := s.Staff.BeginEnrol(c.Context(), c.Session)
	if err != nil {
		return nil, err
	}
	return options{o, ticket.Reveal()}, nil
}

func (s *Server) enrolPasskey(c *call) (response, error) {
	ticket, answer, err := c.passkeyForm()
	if err != nil {
		return nil, err
	}
	in, err := s.Staff.FinishEnrol(c.Context(), c.visit(), c.token(), ticket, c.PostFormValue("name"), answer)
	return c.enrolled(in, err, next(c.PostFormValue("next")))
}

func (c *call) enrolled(in *staff.LoginResult, err error, to string) (response, error) {
	if text, field, status, ok := formProblem(err); ok {
		p, err := c.enrolForm(to)
		if err != nil {
			return nil, err
		}
		if p.Problem = text; field == "code" {
			p.Code.Problem, p.Problem = text, ""
		}
		return shown{status, p}, nil
	}
	if err != nil {
		return nil, err
	}
	return entered{in, to}, nil
}

// codesPage shows new recovery codes, once.
type codesPage struct {
	Codes []string
	Next  string
}

func (*codesPage) file() string  { return "codes" }
func (*codesPage) Title() string { return "Your recovery codes" }
func (*codesPage) alone()        {}

// notFoundUser returns the error for a user who is not in this team.
func notFoundUser() error { return fault.NotFound("User") }

// passkeyForm is a form that the script fills with a passkey's answer.
type passkeyForm struct{ Action, Ask, Next, Text string }

func newPasskeyForm(action, ask, to, text string) passkeyForm {
	return passkeyForm{action, ask, to, text}
}
