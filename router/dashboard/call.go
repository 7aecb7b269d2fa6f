package dashboard

import (
	"context"
	"net/http"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/staff"
)

// readTime bounds what one page reads. Tests on a busy machine take more.
var readTime = 2 * time.Second

// call is one request of a person.
type call struct {
	*http.Request
	w        http.ResponseWriter
	server   *Server
	Session  *staff.Session    // nil on an open route
	Merchant *account.Merchant // nil on pages of the installation
}

// auth returns the right of the merchant's own key: pages call the same use cases as the API.
func (c *call) auth() account.Auth { return account.Auth{MerchantID: c.Merchant.ID} }

// at returns the path that the merchant's pages begin with, such as /m/acme.
func (c *call) at() string { return "/m/" + c.Merchant.ID }

// may reports whether the person may do p at the merchant of the page.
func (c *call) may(p staff.Permission) bool {
	id := ""
	if c.Merchant != nil {
		id = c.Merchant.ID
	}
	return c.Session.May(p, id)
}

// reading returns a context for what a page reads: it ends after readTime.
func (c *call) reading() (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.Context(), readTime)
}

// zone returns the person's time zone, UTC if it has no name that this machine knows.
func (c *call) zone() *time.Location {
	if c.Session == nil || c.Session.TimeZone == "" {
		return time.UTC
	}
	zone, err := time.LoadLocation(c.Session.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// time returns t as the person reads it.
func (c *call) time(t time.Time) Time { return Time{t, c.zone()} }

// form reads the posted fields. A form that is too large or malformed is refused.
func (c *call) form() error {
	if err := c.ParseForm(); err != nil {
		return fault.Malformed("", "the form cannot be read: "+err.Error())
	}
	return nil
}

// partial reports whether the script asks for one part of a page, and which one: the id of the element that it replaces.
func (c *call) partial() (id string, ok bool) {
	if c.Header.Get("HX-Request") != "true" {
		return "", false
	}
	_, id, ok = cut(c.Header.Get("HX-Target"), "#")
	return id, ok
}

// response is an answer that is ready to be written.
type response interface{ write(c *call) error }

// seeOther sends the browser to another page, such as after a form.
type seeOther string

func (to seeOther) write(c *call) error {
	http.Redirect(c.w, c.Request, string(to), http.StatusSeeOther)
	return nil
}

// nothing is the answer that changes nothing in the page.
type nothing struct{}

func (nothing) write(c *call) error {
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// shown answers with a page.
type shown struct {
	status int // 0: 200
	page   page
}

func show(p page) response { return shown{page: p} }

func (r shown) write(c *call) error {
	return c.server.pages.write(c, max(r.status, http.StatusOK), r.page)
}
