package router

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/paylink"
	"payswitch/engine/paylink/visit"
	"payswitch/engine/payment"
	draw "payswitch/router/paylink"
)

// Collect links: hosted pages on which a customer saves a card.

// The patterns of collect links. The second one is for the checkout's frame on the page.
const (
	collectPattern       = "/payment_methods/collect/{merchant_id}/{collect_id}"
	collectClientPattern = "/payment_methods/client/collect/{merchant_id}/{collect_id}"
)

func (s *Server) collectRoutes() []route {
	return []route{
		{method: "POST", pattern: "/payment_methods/collect", who: secretField, handle: s.createCollect},
		{method: "GET", pattern: collectPattern, who: open, handle: s.collectPage},
		{method: "POST", pattern: collectPattern, who: open, handle: s.saveCollected, body: maxCardForm},
		{method: "GET", pattern: collectClientPattern, who: open, handle: s.collectClient},
		{method: "POST", pattern: collectClientPattern, who: open, handle: s.saveCollectClient, body: maxClientConfirm},
	}
}

var collectFields = openObject(
	must(at("customer_id", identifier, func(c *paylink.Collect) *string { return &c.CustomerID })),
	at("pm_collect_link_id", text, func(c *paylink.Collect) *string { return &c.ID }),
	opt("session_expiry", integer(0, math.MaxUint32), func(c *paylink.Collect) **int64 { return &c.ExpirySeconds }),
	at("return_url", text, func(c *paylink.Collect) *string { return &c.ReturnURL }),
	at("logo", webURL, func(c *paylink.Collect) *string { return &c.Config.Logo }),
	at("merchant_name", text, func(c *paylink.Collect) *string { return &c.Config.SellerName }),
	at("theme", text, func(c *paylink.Collect) *string { return &c.Config.Theme }),
	at("enabled_payment_methods", collectMethods, func(c *paylink.Collect) *json.RawMessage { return &c.Methods }),
)

func (s *Server) createCollect(c *call) (answer, error) {
	var in paylink.Collect
	if err := decode(c, collectFields, &in); err != nil {
		return answer{}, err
	}
	if err := checkCollect(in); err != nil {
		return answer{}, err
	}
	l, err := s.Payments.CreateCollect(c.ctx(), c.auth, in)
	if err != nil {
		return answer{}, err
	}
	d, w := &l.Details, new(writer)
	w.open().str("pm_collect_link_id", l.ID).str("customer_id", l.Subject).time("expiry", l.ExpiresAt).str("link", d.URL).text("return_url", d.ReturnURL)
	w.text("logo", d.Config.Logo).text("merchant_name", d.Config.SellerName).text("theme", d.Config.Theme).raw("enabled_payment_methods", d.Methods).close()
	return w.answer(), nil
}

// checkCollect checks the id that a merchant has chosen for a collect link.
func checkCollect(in paylink.Collect) error {
	if len(in.ID) > paylink.MaxID {
		return fault.BadFormat("pm_collect_link_id", "length should be less than 64 characters").WithHint("Shorten the id to 64 characters.")
	}
	if in.ID != "" {
		if err := checkID(in.ID); err != nil {
			return fault.Malformed("pm_collect_link_id", err.Error()).WithHint(idHint)
		}
	}
	return nil
}

// collectData returns what every page of a collect link shows.
func (s *Server) collectData(c *call, p *visit.CollectPage) *draw.Data {
	d := &draw.Data{Accept: c.r.Header.Get("Accept-Language"), Config: &p.Link.Details.Config, Merchant: p.Merchant, Collect: true,
		Framed: c.r.Header.Get("Sec-Fetch-Dest") == "iframe", PlainHTTP: strings.HasPrefix(s.opts.PublicURL, "http:")}
	if allowed := p.Link.Details.Config.AllowedDomains; allowed != nil && len(*allowed) > 0 {
		d.Framers = paylink.FrameAncestors(*allowed)
	}
	return d
}

func (s *Server) collectPage(c *call) (answer, error) {
	p, err := s.Payments.CollectPage(c.ctx(), c.param("merchant_id"), c.param("collect_id"))
	if err != nil {
		return answer{}, err
	}
	if p.Form {
		message := ""
		if c.r.URL.Query().Has("again") {
			message = "form_again"
		}
		return s.collectForm(c, p, http.StatusOK, message, nil, "")
	}
	d := s.collectData(c, p)
	d.Kind, d.Heading = draw.Bad, "ended"
	switch {
	case p.Expired:
		d.Heading = "expired"
	case p.Link.Status == paylink.Submitted:
		d.Kind, d.Heading, d.Status = draw.Good, "collected", string(paylink.Submitted)
	}
	d.Text = d.Heading + "_text"
	if to, err := url.Parse(p.Link.Details.ReturnURL); err == nil && (to.Scheme == "https" || to.Scheme == "http") && to.Host != "" {
		d.Return = to.String() // the API does not check this address
	}
	return drawn(d)
}

func (s *Server) collectForm(c *call, p *visit.CollectPage, status int, message string, wrong map[string]string, holder string) (answer, error) {
	d := s.collectData(c, p)
	d.Kind, d.Action, d.Key, d.Message, d.Wrong, d.Holder, d.Expires = draw.Form, s.collectPath(p), rand.Text(), message, wrong, holder, p.Link.ExpiresAt
	if _, err := s.checkout(); err == nil && len(wrong) == 0 && message != "form_refused" { // a customer who gets the plain form back stays with it
		base := strings.TrimSuffix(s.collectPath(p), collectPath(p))
		d.Embed = &draw.Embed{Script: base + loaderPaths[0], Link: "/payment_methods/client/collect/" + p.Link.MerchantID + "/" + p.Link.ID, Key: p.Key}
	}
	a, err := drawn(d)
	a.status = status
	return a, err
}

func (s *Server) collectPath(p *visit.CollectPage) string {
	u, err := url.Parse(s.opts.PublicURL)
	if err != nil {
		u = &url.URL{} // New has checked it
	}
	return u.Path + collectPath(p)
}

func collectPath(p *visit.CollectPage) string {
	return "/payment_methods/collect/" + p.Link.MerchantID + "/" + p.Link.ID
}

// collectOfClient reads the link of a call of the frame. Pages of other sites cannot make these calls.
func (s *Server) collectOfClient(c *call) (*visit.CollectPage, error) {
	if !sameSite(c.r) {
		return nil, paylink.Forbidden()
	}
	return s.Payments.CollectPage(c.ctx(), c.param("merchant_id"), c.param("collect_id"))
}

// collectClient answers with the data that the frame needs to draw its form, or with the next page if the link has ended.
func (s *Server) collectClient(c *call) (answer, error) {
	p, err := s.collectOfClient(c)
	if err != nil {
		return answer{}, err
	}
	return s.collectState(p, !p.Form), nil
}

// collectState answers the frame in the words of a payment, so that one form serves both kinds of links.
func (s *Server) collectState(p *visit.CollectPage, ended bool) answer {
	w := new(writer).open().bool("collect", true)
	if ended {
		return w.str("status", string(payment.Succeeded)).str("to", s.collectPath(p)).close().answer()
	}
	status := string(payment.RequiresPaymentMethod)
	w.str("status", status).strings("payment_methods_enabled", nil).strings("customer_payment_methods", nil)
	w.key("intent_data").open().str("status", status).text("merchant_name", orElse(p.Link.Details.Config.SellerName, p.Merchant))
	return w.str("payment_type", "setup_mandate").bool("is_guest_customer", false).close().close().answer()
}

// collected reads the card that the frame sends. The frame's other fields are for payments.
var collected = openObject(field[saveRequest]{key: "payment_method_data", read: openObject(
	opt("card", cardWithoutCVC.parse, func(r *saveRequest) **card.Input { return &r.card }),
).into})

// saveCollectClient saves the card that the frame sends, once for its Idempotency-Key.
func (s *Server) saveCollectClient(c *call) (answer, error) {
	p, err := s.collectOfClient(c)
	if err != nil {
		return answer{}, err
	}
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" {
		return answer{}, fault.Missing("Idempotency-Key")
	}
	c.auth = account.Auth{MerchantID: p.Link.MerchantID, Publishable: true, SecretOf: p.Link.ID}
	return s.once(c, "link-"+key, func(c *call) (answer, error) {
		if !p.Form {
			return s.collectState(p, true), nil
		}
		var in saveRequest
		if err := decode(c, collected, &in); err != nil {
			return answer{}, err
		}
		if in.card == nil {
			return answer{}, fault.Missing("payment_method_data.card")
		}
		if err := s.Payments.SaveCollected(c.ctx(), p, in.card); err != nil {
			return answer{}, err
		}
		return s.collectState(p, true), nil
	})
}

// collectFramers returns the pages that may frame the checkout's frame on the page of a collect link.
func (s *Server) collectFramers(c *call, merchantID, id string) (string, error) {
	p, err := s.Payments.CollectPage(c.ctx(), merchantID, id)
	if err != nil {
		return "", err
	}
	if allowed := p.Link.Details.Config.AllowedDomains; allowed != nil && len(*allowed) > 0 {
		return paylink.FrameAncestors(*allowed), nil
	}
	return "'self'", nil
}

// saveCollected saves the card of a posted form, once for the form's key.
func (s *Server) saveCollected(c *call) (answer, error) {
	if !sameSite(c.r) {
		return answer{}, paylink.Forbidden()
	}
	p, err := s.Payments.CollectPage(c.ctx(), c.param("merchant_id"), c.param("collect_id"))
	if err != nil {
		return answer{}, err
	}
	fields, err := c.postedForm()
	if err != nil {
		return answer{}, err
	}
	back := seeOther(s.collectPath(p))
	if !p.Form {
		return back, nil
	}
	in, wrong := cardOfForm(fields, c, false)
	if len(wrong) > 0 {
		return s.collectForm(c, p, http.StatusUnprocessableEntity, "form_wrong", wrong, shownHolder(fields))
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", c.r.Method, c.r.URL.Path)
	hash.Write(c.body)
	a := account.Auth{MerchantID: p.Link.MerchantID, Publishable: true, SecretOf: p.Link.ID}
	stored, finish, abandon, err := s.Access.BeginIdempotent(c.ctx(), &a, "form-"+fields["key"], hash.Sum(nil))
	if err != nil || stored != nil {
		return back, nil // the page shows how the link stands
	}
	ctx := context.WithoutCancel(c.ctx()) // the answer must be stored even if the customer has gone
	err = s.Payments.SaveCollected(ctx, p, in.Card)
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Kind != fault.KindInternal && refused.Kind != fault.KindUnavailable {
		abandon(ctx)
		if wrong := wrongField(refused); wrong != nil {
			return s.collectForm(c, p, http.StatusUnprocessableEntity, "form_wrong", wrong, shownHolder(fields))
		}
		return s.collectForm(c, p, http.StatusUnprocessableEntity, "form_refused", nil, shownHolder(fields))
	}
	if err != nil {
		abandon(ctx)
		s.failed(c, err) // logs it
		return seeOther(s.collectPath(p) + "?again"), nil
	}
	if err := finish(ctx, idempotency.Answer{Status: back.status, Headers: back.header}); err != nil {
		s.Logger.ErrorContext(ctx, "the answer was not stored for its form", "request_id", c.requestID, "error", err)
	}
	return back, nil
}
