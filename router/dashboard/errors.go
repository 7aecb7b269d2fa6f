package dashboard

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/staff"
)

// denied is the error for a person who lacks a permission.
type denied struct{ needs staff.Permission }

func (e *denied) Error() string { return "the permission " + string(e.needs) + " is missing" }

// errUnfinished is the error for a login that still needs a factor.
var errUnfinished = errors.New("the login is not finished")

// problemPage says what was refused, and what to do.
type problemPage struct {
	Heading, Text, Hint, Code string
	Link                      *Link
}

func (*problemPage) file() string    { return "problem" }
func (p *problemPage) Title() string { return p.Heading }

// statuses are the HTTP statuses of the engine's errors.
var statuses = map[fault.Kind]int{fault.KindInvalid: 400, fault.KindUnprocessable: 422, fault.KindUnauthorized: 401, fault.KindNotFound: 404,
	fault.KindInternal: 500, fault.KindUnavailable: 503, fault.KindLimited: 429, fault.KindTooLarge: 413, fault.KindUnimplemented: 501, kindForeign: 403}

// refuse answers with the page of an error. Errors of payswitch itself go to the log, and the page says nothing about them.
func (s *Server) refuse(c *call, err error) {
	if errors.Is(err, ErrNoSession) || errors.Is(err, staff.ErrNoSession) {
		s.signIn(c)
		return
	}
	if errors.Is(err, errUnfinished) {
		_ = seeOther("/confirm?next=" + url.QueryEscape(next(c.URL.RequestURI()))).write(c)
		return
	}
	status, p := s.problem(c, err)
	if _, partial := c.partial(); partial {
		c.Header.Del("HX-Request") // a part of a page has no place for an error: the script shows the whole page of the error
		c.w.Header().Set("HX-Retarget", "body")
	}
	if err := s.pages.write(c, status, p); err != nil {
		s.Logger.Error("an error page failed", "error", err)
		http.Error(c.w, "Something went wrong.", http.StatusInternalServerError)
	}
}

// signInPath is where a person without a session signs in.
const signInPath = "/login"

// stepUpPath is where a person gives the second factor again.
const stepUpPath = "/confirm"

// confirmPath returns where a person gives the second factor again; the page leads back to a path.
func confirmPath(back string) string { return stepUpPath + "?next=" + url.QueryEscape(back) }

// backOf returns the path of the page that a form was on, or the start.
func backOf(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host || from.Path == "" {
		return "/"
	}
	return from.RequestURI()
}

// signIn sends a person without a session to the page where a session begins. The page leads back afterwards.
func (s *Server) signIn(c *call) {
	if s.reload(c) {
		return
	}
	to, back := signInPath, c.URL.RequestURI()
	_, partial := c.partial()
	if partial || c.Method != http.MethodGet {
		back = backOf(c.Request) // the page that the person looks at
	}
	if back != "/" && !strings.HasPrefix(back, signInPath) {
		to += "?next=" + url.QueryEscape(back)
	}
	if partial {
		c.w.Header().Set("HX-Redirect", to)
		c.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(c.w, c.Request, to, http.StatusSeeOther)
}

// problem returns the status and the page of an error.
func (s *Server) problem(c *call, err error) (int, *problemPage) {
	var no *denied
	if errors.As(err, &no) {
		var names []string
		for _, r := range staff.Holders(no.needs) {
			names = append(names, string(r))
		}
		return http.StatusForbidden, &problemPage{Heading: "Your role does not allow this",
			Text: "This page needs the role " + strings.Join(names, " or ") + ".", Hint: "Ask an administrator of this merchant for it."}
	}
	var again *needsStepUp
	if errors.As(err, &again) {
		return http.StatusForbidden, &problemPage{Heading: "Give your second factor again", Text: "This amount is above your limit without a fresh second factor.",
			Hint: "Confirm who you are, then send the form again.", Link: &Link{stepUpPath + "?next=" + url.QueryEscape(again.back[:max(0, strings.LastIndexByte(again.back, '/'))]), "Confirm"}}
	}
	if errors.Is(err, ErrStepUp) || errors.Is(err, staff.ErrStepUp) {
		back := c.URL.RequestURI()
		if c.Method != http.MethodGet {
			back = backOf(c.Request)
		}
		return http.StatusForbidden, &problemPage{Heading: "Confirm that it is you", Text: "This change asks for your second factor. Nothing was changed.",
			Hint: "Give it, then send the form again.", Link: &Link{confirmPath(back), "Confirm with the second factor"}}
	}
	if status, p, ok := peopleProblem(err); ok {
		return status, p
	}
	var known *fault.Error
	if !errors.As(err, &known) {
		known = fault.Internal(err, "show a page")
	}
	status := statuses[known.Kind]
	if status == 0 {
		status = http.StatusBadRequest
	}
	p := &problemPage{Heading: "This did not work", Text: known.Message, Hint: known.Hint, Code: known.Code}
	switch {
	case status == http.StatusNotFound:
		p.Heading, p.Hint = "Not found", "It may belong to another merchant, or the address is mistyped."
	case status >= http.StatusInternalServerError:
		s.Logger.LogAttrs(c.Context(), slog.LevelError, "a page failed", slog.String("path", c.URL.Path), slog.Any("error", err))
		p.Heading, p.Text, p.Hint = "Something went wrong", "payswitch could not show this page. Its log has the reason.", "Try again."
	}
	if c.Merchant != nil {
		p.Link = &Link{c.at() + "/", "Back to the overview"}
	}
	return status, p
}

// fail answers a request whose handler ended in a panic.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.refuse(&call{Request: r, w: w, server: s}, err)
}

// notFound answers a request that no route matches. It says the same with a session and without one.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	c := &call{Request: r, w: w, server: s}
	if session, err := s.Sessions.Of(r); err == nil {
		c.Session = session
	}
	s.refuse(c, &fault.Error{Kind: fault.KindNotFound, Code: "HE_02", Message: "There is no such page."})
}
