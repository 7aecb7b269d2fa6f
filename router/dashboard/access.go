package dashboard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
)

// accessRoutes lists the routes about people: signing in, one's own pages, the team and the audit.
func (s *Server) accessRoutes() []route {
	if s.Staff == nil {
		return nil
	}
	return []route{
		{method: "GET", pattern: "/login", open: true, handle: s.login},
		{method: "POST", pattern: "/login", open: true, handle: s.loginPost},
		{method: "POST", pattern: "/login/passkey", open: true, handle: s.loginByPasskey},
		{method: "POST", pattern: "/passkey", open: true, handle: s.askPasskey},
		{method: "GET", pattern: "/enter/{link}", open: true, handle: s.enter},
		{method: "POST", pattern: "/enter/{link}", open: true, handle: s.enterPost},
		{method: "POST", pattern: "/logout", open: true, handle: s.logout},

		{method: "GET", pattern: "/confirm", half: true, handle: s.confirm},
		{method: "POST", pattern: "/confirm", half: true, handle: s.confirmPost},
		{method: "POST", pattern: "/confirm/passkey", half: true, handle: s.confirmPasskey},
		{method: "GET", pattern: "/enrol", half: true, handle: s.enrol},
		{method: "POST", pattern: "/enrol/app", half: true, handle: s.enrolApp},
		{method: "POST", pattern: "/enrol/code", half: true, handle: s.enrolCode},
		{method: "POST", pattern: "/enrol/passkey/ask", half: true, handle: s.enrolAsk},
		{method: "POST", pattern: "/enrol/passkey", half: true, handle: s.enrolPasskey},

		{method: "GET", pattern: "/me", signed: true, handle: s.me},
		{method: "POST", pattern: "/me", signed: true, handle: s.mePost},
		{method: "POST", pattern: "/me/{act}", signed: true, handle: s.meAct},

		{method: "GET", pattern: "/m/{m}/team", needs: staff.ManageTeam, handle: s.team},
		{method: "POST", pattern: "/m/{m}/team", needs: staff.ManageTeam, handle: s.formOnce(s.teamPost)},
		{method: "GET", pattern: "/m/{m}/team/{user}", needs: staff.ManageTeam, handle: s.member},
		{method: "POST", pattern: "/m/{m}/team/{user}/{act}", needs: staff.ManageTeam, handle: s.formOnce(s.memberPost)},
		{method: "GET", pattern: "/team", needs: staff.ManageUsers, handle: s.team},
		{method: "POST", pattern: "/team", needs: staff.ManageUsers, handle: s.formOnce(s.teamPost)},
		{method: "GET", pattern: "/team/{user}", needs: staff.ManageUsers, handle: s.member},
		{method: "POST", pattern: "/team/{user}/{act}", needs: staff.ManageUsers, handle: s.formOnce(s.memberPost)},
		{method: "GET", pattern: "/m/{m}/audit", needs: staff.SeeAudit, handle: s.audit},
		{method: "GET", pattern: "/audit", needs: staff.SeeAudit, handle: s.audit},
	}
}

// cookies finds people by the token in a cookie.
type cookies struct {
	staff  *staff.Service
	secure bool
}

// name returns the cookie's name. With TLS the prefix makes browsers hold that no other host has set it. Without TLS, which is for this machine
// alone, browsers refuse the prefix.
func (k cookies) name() string {
	if k.secure {
		return "__Host-ps"
	}
	return "ps"
}

func (k cookies) token(r *http.Request) secret.Value {
	c, err := r.Cookie(k.name())
	if err != nil {
		return secret.Value{}
	}
	return secret.New(c.Value)
}

// Of implements Sessions.
func (k cookies) Of(r *http.Request) (*staff.Session, error) {
	s, err := k.staff.Session(r.Context(), k.token(r))
	if errors.Is(err, staff.ErrNoSession) {
		return nil, ErrNoSession
	}
	return s, err
}

// set gives the browser a token. It has no end of its own: the browser drops it when it closes, and payswitch when the session ends.
func (k cookies) set(w http.ResponseWriter, token secret.Value) {
	c := &http.Cookie{Name: k.name(), Value: token.Reveal(), Path: "/", Secure: k.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if token.IsZero() {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// entered answers with a new token and the next page.
type entered struct {
	in   *staff.LoginResult
	next string
}

func (e entered) write(c *call) error {
	c.server.cookies.set(c.w, e.in.Token)
	to := e.next
	switch {
	case e.in.Stage == staff.NeedSecond:
		to = "/confirm?next=" + url.QueryEscape(e.next)
	case e.in.Stage == staff.NeedEnrol:
		to = "/enrol?next=" + url.QueryEscape(e.next)
	case len(e.in.Codes) > 0:
		return shown{page: &codesPage{Codes: e.in.Codes, Next: e.next}}.write(c)
	}
	return seeOther(to).write(c)
}

// next returns where a person wanted to go: a path of the dashboard itself, and no page of signing in.
func next(given string) string {
	u, err := url.Parse(given)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path,
		"//") || strings.ContainsAny(given, "\\\r\n\t") ||
		strings.HasPrefix(u.Path, "/login") || strings.HasPrefix(u.Path, "/confirm") || strings.HasPrefix(u.Path,
		"/enter") || strings.HasPrefix(u.Path, "/enrol") {
		return "/"
	}
	return u.RequestURI()
}

// visit returns where the request comes from. Behind a proxy that is trusted, it is the last address that the proxy has noted.
func (c *call) visit() staff.Visit {
	return staff.Visit{Address: c.server.address(c.Request), Browser: c.UserAgent()}
}

func (s *Server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if s.opts.BehindProxy {
		list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if last := strings.TrimSpace(list[len(list)-1]); last != "" {
			return last
		}
	}
	return host
}

// token returns the token of the request's cookie.
func (c *call) token() secret.Value { return c.server.cookies.token(c.Request) }

// fresh reports whether the person has given a second factor within staff.StepUpTime.
func (c *call) fresh() bool { return c.Session.Fresh(c.server.Now()) }

// confirmFirst leads to the page that asks for the second factor, and from there to path.
func confirmFirst(path string) response { return seeOther("/confirm?next=" + url.QueryEscape(path)) }

// peopleProblem is problem for errors of package staff. ok is false for another error.
func peopleProblem(err error) (status int, p *problemPage, ok bool) {
	for is, status := range map[error]int{staff.ErrLogin: http.StatusUnauthorized, staff.ErrSlow: http.StatusTooManyRequests,
		staff.ErrLink: http.StatusGone} {
		if errors.Is(err, is) {
			return status, &problemPage{Heading: "This did not work", Text: asSentence(is), Link: &Link{signInPath, "Sign in"}}, true
		}
	}
	if errors.Is(err, staff.ErrNotPermitted) {
		return http.StatusForbidden, &problemPage{Heading: "Your role does not allow this", Text: "The role belongs to another merchant, or to yourself.",
			Hint: "Ask an administrator or an operator."}, true
	}
	return 0, nil, false
}

// asSentence returns an error as a page says it.
func asSentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// formProblem returns the text of an error that a form shows next to its fields, and the field. ok is false for another error.
func formProblem(err error) (text, field string, status int, ok bool) {
	var known *fault.Error
	if errors.As(err, &known) && (known.Kind == fault.KindInvalid || known.Kind == fault.KindNotFound) {
		return known.Message + ".", known.Param, http.StatusUnprocessableEntity, true
	}
	if errors.Is(err, staff.ErrLogin) {
		return asSentence(staff.ErrLogin), "", http.StatusUnauthorized, true
	}
	if errors.Is(err, staff.ErrSlow) {
		return asSentence(staff.ErrSlow), "", http.StatusTooManyRequests, true
	}
	return "", "", 0, false
}

// reload answers a visit that came by a link of another site. Browsers send no strict cookie with it. The page loads itself again from the
// dashboard's own origin, and then the cookie comes along.
func (s *Server) reload(c *call) bool {
	site := c.Header.Get("Sec-Fetch-Site")
	if c.Method != http.MethodGet || c.Header.Get("Sec-Fetch-Mode") != "navigate" || site != "cross-site" && site != "same-site" {
		return false
	}
	c.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = c.w.Write([]byte(`<!DOCTYPE html><html lang="en"><head><title>payswitch</title><meta http-equiv="refresh" content="0"></head>` +
		`<body><p>One moment: the page loads again.</p></body></html>`))
	return true
}

// firstRun guards an installation without users, which the first visitor would own. Until there is a user, the dashboard answers this machine alone.
type firstRun struct{ over atomic.Bool }

// allows reports whether a request may be answered.
func (s *Server) allows(r *http.Request) (bool, error) {
	if s.Staff == nil || s.opts.FirstRunAnywhere || s.first.over.Load() {
		return true, nil
	}
	has, err := s.Staff.HasUsers(r.Context())
	if err != nil {
		return false, err
	}
	if has {
		s.first.over.Store(true)
		return true, nil
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	ip, err := netip.ParseAddr(host)
	// A request that a proxy forwards comes from this machine too.
	forwarded := slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}, func(h string) bool { return r.Header.Get(h) != "" })
	return err == nil && ip.Unmap().IsLoopback() && !forwarded, nil
}

// ago returns how long ago something was, in words.
func (c *call) ago(t time.Time) string {
	d := c.server.Now().Sub(t)
	switch {
	case t.IsZero():
		return "never"
	case d < 2*time.Minute:
		return "now"
	case d < time.Hour:
		return d.Truncate(time.Minute).String()[:len(d.Truncate(time.Minute).String())-2] + " ago"
	}
	return c.time(t).String()
}

// staffAudit is Audit by package staff.
type staffAudit struct{ server *Server }

// Perform implements Audit.
func (a staffAudit) Perform(r *http.Request, session *staff.Session, act Act, change func(ctx context.Context) error) error {
	v := staff.Visit{Address: a.server.address(r), Browser: r.UserAgent()}
	return a.server.Staff.Perform(r.Context(), session, v, act.Needs, act.Live, staff.Entry{Action: act.Action, MerchantID: act.Merchant,
		Target:  act.Target,
		Details: act.Details}, change)
}
