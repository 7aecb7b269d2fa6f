package router

import (
	"context"
	"net/http"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/paylink/visit"
)

// Links are the engine's use cases of payment links and collect links. *engine.Engine implements them.
type Links interface {
	PaymentLink(ctx context.Context, a account.Auth, id, clientSecret string) (*visit.Record, error)
	PaymentLinks(ctx context.Context, a account.Auth, f paylink.Filter) ([]*visit.Record, error)
	PaymentPage(ctx context.Context, merchantID, paymentID string) (*visit.PaymentPage, error)
	Return(p *visit.PaymentPage) (*change.ReturnView, error)
	SavedMethods(ctx context.Context, p *visit.PaymentPage, key string) ([]method.MethodItem, error)
	ProvesSaved(p *visit.PaymentPage, key string) bool
	CreateCollect(ctx context.Context, a account.Auth, in paylink.Collect) (*paylink.Link, error)
	CollectPage(ctx context.Context, merchantID, id string) (*visit.CollectPage, error)
	SaveCollected(ctx context.Context, p *visit.CollectPage, in *card.Input) error
}

// The patterns of links.
const (
	linkPattern       = "/payment_link/{payment_link_id}"
	linkListPattern   = "/payment_link/list"
	openLinkPattern   = "/payment_link/{merchant_id}/{payment_id}"
	secureLinkPattern = "/payment_link/s/{merchant_id}/{payment_id}"
	linkStatusPattern = "/payment_link/status/{merchant_id}/{payment_id}"
	linkQRPattern     = "/payment_link/qr/{merchant_id}/{payment_id}"
	linkClientPattern = "/payment_link/client/{merchant_id}/{payment_id}"
)

// linkRoutes returns the routes of payment links.
func (s *Server) linkRoutes() []route {
	return []route{
		{method: "GET", pattern: linkPattern, who: either, handle: s.retrieveLink},
		{method: "POST", pattern: linkListPattern, who: secretField, handle: s.listLinks},

		{method: "GET", pattern: openLinkPattern, who: open, handle: s.openLink},
		{method: "POST", pattern: openLinkPattern, who: open, handle: s.payOpenLink, body: maxCardForm},
		{method: "GET", pattern: secureLinkPattern, who: open, handle: s.secureLink},
		{method: "POST", pattern: secureLinkPattern, who: open, handle: s.paySecureLink, body: maxCardForm},
		{method: "GET", pattern: linkStatusPattern, who: open, handle: s.linkStatus},
		{method: "GET", pattern: linkQRPattern, who: open, handle: s.linkQR},
		{method: "GET", pattern: linkClientPattern, who: open, handle: s.linkClient},
		{method: "POST", pattern: linkClientPattern, who: open, handle: s.payLinkClient, body: maxClientConfirm},
	}
}

func (s *Server) retrieveLink(c *call) (answer, error) {
	q := c.query()
	if q.err != nil {
		return answer{}, q.err
	}
	l, err := s.Payments.PaymentLink(c.ctx(), c.auth, c.param("payment_link_id"), c.clientSecret(q.text("client_secret")))
	if err != nil {
		return answer{}, err
	}
	w := new(writer)
	writeLink(w, l)
	return w.answer(), nil
}

func (s *Server) listLinks(c *call) (answer, error) {
	q := c.query()
	q.only("limit", "created", "created.lt", "created.gt", "created.lte", "created.gte")
	f := paylink.Filter{Created: q.time("created"), CreatedLT: q.time("created.lt"), CreatedGT: q.time("created.gt"), CreatedLTE: q.time("created.lte"),
		CreatedGTE: q.time("created.gte")}
	if limit, given := q.int("limit"); given {
		if limit < 0 {
			q.fail("limit", "limit must be 0 or more", "Send 0 or more.")
		}
		f.Limit = int(min(limit, paylink.MaxListed))
		if limit == 0 {
			return jsonAnswer([]byte("[]")), q.err
		}
	}
	if q.err != nil {
		return answer{}, q.err
	}
	list, err := s.Payments.PaymentLinks(c.ctx(), c.auth, f)
	if err != nil {
		return answer{}, err
	}
	return listOfAnswers(new(writer), list, writeLink).answer(), nil
}

// writeLink writes the record of a payment link.
func writeLink(w *writer, l *visit.Record) {
	status := "active"
	if l.Expired {
		status = "expired"
	}
	w.open().str("payment_link_id", l.ID).str("merchant_id", l.MerchantID).str("processor_merchant_id", l.MerchantID).str("link_to_pay", l.Details.URL)
	w.int("amount", l.Details.Amount).time("created_at", l.CreatedAt).time("expiry", l.ExpiresAt).text("description", l.Details.Description)
	w.str("status", status).str("currency", string(l.Details.Currency)).text("secure_link", l.SecureURL).close()
}

// writeLinkOf writes payment_link of a payment: null without a link, in lists, and in the answers that View.NoLink names.
func writeLinkOf(w *writer, v *change.View, listed bool) {
	l := v.Payment.Details.Link
	if l == nil || listed || v.NoLink {
		w.null("payment_link")
		return
	}
	w.key("payment_link").open().str("link", l.URL).text("secure_link", v.SecureLink).str("payment_link_id", l.ID).close()
}

// withoutLink leaves payment_link out of an answer.
func withoutLink(v *change.View, err error) (*change.View, error) {
	if v != nil {
		v.NoLink = true
	}
	return v, err
}

// linkLocale returns the locale in a link: the Accept-Language of the request that makes it, as it came.
func linkLocale(c *call) string {
	if l := c.r.Header.Get("Accept-Language"); len(l) <= 256 {
		return l
	}
	return ""
}

// fromBrowser returns the page that a browser says it comes from: the header Origin, else Referer.
func fromBrowser(r *http.Request) string {
	if o := r.Header.Get("Origin"); o != "" && o != "null" {
		return o
	}
	return r.Header.Get("Referer")
}
