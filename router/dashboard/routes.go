package dashboard

import (
	"fmt"
	"net/http"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/staff"
)

// handler answers one request. An error becomes an error page.
type handler func(c *call) (response, error)

// route is a page, or a form's action. A pattern with {m} is about one merchant. A person without any role there gets 404, as for a merchant that
// does not exist.
type route struct {
	method, pattern string
	needs           staff.Permission
	handle          handler
	anywhere        bool  // the permission at any merchant is enough: the handler looks at the merchant of what is shown
	open            bool  // needs no session: signing in
	signed          bool  // needs a session, and no permission: a person's own pages
	half            bool  // the same, also for a login that still needs a factor: the pages that ask for it
	body            int64 // the most bytes of the form; 0: maxForm
}

// names returns the names of the pattern's open segments.
func (r route) names() (out []string) {
	for segment := range strings.SplitSeq(r.pattern, "/") {
		if strings.HasPrefix(segment, "{") && segment != "{$}" {
			out = append(out, strings.Trim(segment, "{}"))
		}
	}
	return out
}

// isID reports whether a text can be the id of anything.
func isID(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// table lists all routes.
func (s *Server) table() []route {
	captureSheet, capture := s.sheet("capture")
	refundSheet, refund := s.sheet("refund")
	cancelSheet, cancel := s.sheet("cancel")
	voidSheet, void := s.sheet("void")
	raiseSheet, raise := s.sheet("raise")
	extendSheet, extend := s.sheet("extend")
	removeSheet, remove := s.customerSheet(removeMethod)
	revokeSheet, revoke := s.customerSheet(revokeMandate)
	forgetSheet, forget := s.customerSheet(forgetCustomer)
	list := []route{
		{method: "GET", pattern: "/{$}", signed: true, handle: s.start},
		{method: "GET", pattern: "/m/{m}/{$}", needs: staff.SeePayments, handle: s.home},
		{method: "GET", pattern: "/m/{m}/payments", needs: staff.SeePayments, handle: s.payments},
		{method: "POST", pattern: "/m/{m}/payments", needs: staff.SeePayments, handle: s.payments},
		{method: "GET", pattern: "/m/{m}/payments/new", needs: staff.SeePayments, handle: s.paymentsNews},
		{method: "GET", pattern: "/m/{m}/payments.csv", needs: staff.SeePayments, handle: s.paymentsCSV},
		{method: "GET", pattern: "/m/{m}/payments/{id}", needs: staff.SeePayments, handle: s.payment},
		{method: "GET", pattern: "/m/{m}/payments/{id}/capture", needs: staff.MoveMoney, handle: captureSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/capture", needs: staff.MoveMoney, handle: capture},
		{method: "GET", pattern: "/m/{m}/payments/{id}/refund", needs: staff.MoveMoney, handle: refundSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/refund", needs: staff.MoveMoney, handle: refund},
		{method: "GET", pattern: "/m/{m}/payments/{id}/cancel", needs: staff.MoveMoney, handle: cancelSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/cancel", needs: staff.MoveMoney, handle: cancel},
		{method: "GET", pattern: "/m/{m}/payments/{id}/void", needs: staff.MoveMoney, handle: voidSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/void", needs: staff.MoveMoney, handle: void},
		{method: "GET", pattern: "/m/{m}/payments/{id}/raise", needs: staff.MoveMoney, handle: raiseSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/raise", needs: staff.MoveMoney, handle: raise},
		{method: "GET", pattern: "/m/{m}/payments/{id}/extend", needs: staff.MoveMoney, handle: extendSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/extend", needs: staff.MoveMoney, handle: extend},
		{method: "GET", pattern: "/m/{m}/payments/{id}/ask", needs: staff.SeePayments, handle: s.askSheet},
		{method: "POST", pattern: "/m/{m}/payments/{id}/ask", needs: staff.SeePayments, handle: s.askProcessor},
		{method: "GET", pattern: "/m/{m}/operations/{op}/replay", needs: staff.SeeExchanges, handle: s.replay},
		{method: "GET", pattern: "/m/{m}/refunds", needs: staff.SeePayments, handle: s.refunds},
		{method: "GET", pattern: "/m/{m}/refunds.csv", needs: staff.SeePayments, handle: s.refundsCSV},
		{method: "GET", pattern: "/m/{m}/disputes", needs: staff.SeePayments, handle: s.disputes},
		{method: "GET", pattern: "/m/{m}/disputes.csv", needs: staff.SeePayments, handle: s.disputesCSV},
		{method: "GET", pattern: "/m/{m}/disputes/{id}", needs: staff.SeePayments, handle: s.dispute},
		{method: "POST", pattern: "/m/{m}/disputes/{id}/ask", needs: staff.SeePayments, handle: s.askDispute},
		{method: "POST", pattern: "/m/{m}/disputes/{id}/accept", needs: staff.AnswerDisputes, handle: s.formOnce(s.acceptDispute)},
		{method: "POST", pattern: "/m/{m}/disputes/{id}/evidence", needs: staff.AnswerDisputes, handle: s.submitEvidence, body: maxEvidence},
		{method: "POST", pattern: "/m/{m}/disputes/{id}/files", needs: staff.AnswerDisputes, handle: s.attachEvidence, body: maxUpload},
		{method: "POST", pattern: "/m/{m}/disputes/{id}/files/remove", needs: staff.AnswerDisputes, handle: s.removeEvidence},
		{method: "GET", pattern: "/m/{m}/customers", needs: staff.SeePayments, handle: s.customers},
		{method: "GET", pattern: "/m/{m}/customers/{id}", needs: staff.SeePayments, handle: s.customer},
		{method: "GET", pattern: "/m/{m}/customers/{id}/methods/{thing}/remove", needs: staff.ManageCustomers, handle: removeSheet},
		{method: "POST", pattern: "/m/{m}/customers/{id}/methods/{thing}/remove", needs: staff.ManageCustomers, handle: remove},
		{method: "GET", pattern: "/m/{m}/customers/{id}/mandates/{thing}/revoke", needs: staff.ManageCustomers, handle: revokeSheet},
		{method: "POST", pattern: "/m/{m}/customers/{id}/mandates/{thing}/revoke", needs: staff.ManageCustomers, handle: revoke},
		{method: "GET", pattern: "/m/{m}/customers/{id}/forget", needs: staff.ManageCustomers, handle: forgetSheet},
		{method: "POST", pattern: "/m/{m}/customers/{id}/forget", needs: staff.ManageCustomers, handle: forget},
		{method: "GET", pattern: "/m/{m}/events/{event}/resend", needs: staff.Resend, handle: s.resendSheet},
		{method: "POST", pattern: "/m/{m}/events/{event}/resend", needs: staff.Resend, handle: s.formOnce(s.resend)},
	}
	for _, more := range [][]route{s.accessRoutes(), s.settingRoutes()} {
		list = append(list, more...)
	}
	return list
}

// add registers a route behind the checks that every route has. A route without a permission is a mistake, unless it is marked.
func (s *Server) add(r route) error {
	if marks := count(r.needs != "", r.open, r.signed, r.half); marks != 1 {
		return fmt.Errorf("dashboard: %s %s needs one permission, or is open, or is for every person who is signed in", r.method, r.pattern)
	}
	s.mux.HandleFunc(r.method+" "+r.pattern, func(w http.ResponseWriter, q *http.Request) {
		q.Body = http.MaxBytesReader(w, q.Body, max(r.body, maxForm))
		c, err := s.begin(w, q, r)
		var answer response
		if err == nil {
			answer, err = r.handle(c)
		}
		if err == nil {
			err = answer.write(c)
		}
		if err != nil {
			s.refuse(c, err)
		}
	})
	return nil
}

// begin finds the person behind a request, and refuses what the person may not do.
func (s *Server) begin(w http.ResponseWriter, q *http.Request, r route) (*call, error) {
	c := &call{Request: q, w: w, server: s}
	if r.open {
		return c, nil
	}
	session, err := s.Sessions.Of(q)
	if err != nil {
		return c, err
	}
	if session.Unfinished() && !r.half {
		return c, errUnfinished
	}
	c.Session = session
	for _, name := range r.names() {
		if !isID(q.PathValue(name)) {
			return c, notFoundAct() // pages repeat texts of the address, and people copy the pages' commands into shells
		}
	}
	id := q.PathValue("m")
	if id != "" {
		ids, all := session.Merchants()
		if !all && !contains(ids, id) {
			return c, fault.NotFound("Merchant account")
		}
		m, err := s.Engine.Merchant(q.Context(), id)
		if err != nil {
			return c, err
		}
		c.Merchant = m
	}
	if r.needs != "" && !session.May(r.needs, id) && !(r.anywhere && session.MayAnywhere(r.needs)) {
		return c, &denied{r.needs}
	}
	return c, nil
}

func count(marks ...bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
