package router

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/paylink/visit"
	"payswitch/engine/payment"
	draw "payswitch/router/paylink"
)

// This file has the two calls of the checkout's frame on the page of a payment link. The frame gets no client secret: everyone with the link can open
// the page, and the secret would show them the customer's addresses. The answers hold what the page shows, and what the form needs beyond that.

// maxClientConfirm is the largest number of bytes of the frame's confirm.
const maxClientConfirm = 32 << 10

// linkOfClient reads the link of a call of the frame. Pages of other sites cannot make these calls.
func (s *Server) linkOfClient(c *call) (*linkPage, error) {
	if !sameSite(c.r) {
		return nil, paylink.Forbidden()
	}
	l, err := s.linkPage(c, false)
	if err == nil {
		q := c.r.URL.Query() // the page says so, because the request itself comes from the frame in the page
		l.framed, l.secure = q.Has("framed"), q.Has("secure")
	}
	return l, err
}

// linkClient answers what the frame needs to draw its form, or where the payer goes if the payment can no longer be paid here.
func (s *Server) linkClient(c *call) (answer, error) {
	l, err := s.linkOfClient(c)
	if err != nil {
		return answer{}, err
	}
	if !l.Form {
		return s.linkState(l, l.View), nil
	}
	q := c.r.URL.Query()
	if _, changed, err := s.shownTo(l, q.Get("seen")); err != nil {
		return answer{}, err
	} else if changed {
		return s.linkChanged(l, q), nil
	}
	offers, err := s.offersFor(c, l.View)
	if err != nil {
		return answer{}, err
	}
	saved, err := s.Payments.SavedMethods(c.ctx(), l.PaymentPage, q.Get("key"))
	if err != nil {
		return answer{}, err
	}
	p, d, w := l.View.Payment, &l.View.Payment.Details, new(writer)
	w.open().str("payment_id", p.ID).str("status", string(p.Status)).key("payment_methods_enabled").openList()
	for _, o := range offers {
		if o.method == payment.MethodCard {
			s.writeLinkOffer(w, l.View, o)
		}
	}
	w.closeList().key("customer_payment_methods").openList()
	for i := range saved {
		if slices.ContainsFunc(offers, func(o *offer) bool { return o.method == saved[i].Details.Method && o.kind == saved[i].Details.Type }) {
			writeLinkMethod(w, &saved[i])
		}
	}
	w.closeList().key("intent_data").open().str("payment_id", p.ID).str("status", string(p.Status)).int("amount", p.NetAmount).str("currency", string(p.Currency))
	w.text("setup_future_usage", string(d.SetupFutureUsage)).text("merchant_name", orElse(l.Link.Details.Config.SellerName, l.Merchant))
	w.bool("mandate_payment", d.Mandate != nil).str("payment_type", paymentType(p)).bool("is_guest_customer", p.CustomerID == "").close()
	return w.close().answer(), nil
}

// writeLinkOffer writes a type of card with the networks that are taken, and the fields that the payer is asked for. Values that the payment has are
// not shown.
func (s *Server) writeLinkOffer(w *writer, v *change.View, o *offer) {
	w.open().str("payment_method", o.method).str("payment_method_type", o.kind).key("data").open().key("required_fields").open()
	fields, _ := s.requiredFieldsOf(v, o)
	for _, f := range fields {
		if knownValue(v, f.path) == "" {
			w.key(f.path).open().str("required_field", f.send).close()
		}
	}
	w.close().close().key("card_networks").openList()
	if o.shape == byNetwork {
		for _, network := range o.groups {
			w.open().str("card_network", network).close()
		}
	}
	w.closeList().close()
}

// writeLinkMethod writes what the form shows of a saved card.
func writeLinkMethod(w *writer, m *method.MethodItem) {
	w.open().str("payment_token", m.Token).str("payment_method", m.Details.Method).text("payment_method_type", m.Details.Type)
	w.bool("default_payment_method_set", m.Default).bool("requires_cvv", m.RequiresCVC).time("last_used_at", m.LastUsedAt).key("payment_method_data").open()
	if f := m.Details.Card; f != nil {
		w.key("card").open().text("card_network", string(f.Network)).str("last4_digits", f.LastFour).text("expiry_month", f.ExpMonth)
		w.text("expiry_year", f.ExpYear).bool("expired", m.Expired).text("nick_name", m.Private.Nickname).close()
	} else {
		w.null("card")
	}
	w.close().close()
}

// linkState answers how the payment stands, and where the payer goes now.
func (s *Server) linkState(l *linkPage, v *change.View) answer {
	to := s.afterPayment(l, v)
	if u, err := url.Parse(to); err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" {
		to = l.path(s, "status/") // an app's own address: the status page has a link to it
	}
	return new(writer).open().str("payment_id", v.Payment.ID).str("status", string(v.Payment.Status)).str("to", to).close().answer()
}

// payLinkClient confirms the payment with what the frame sends, once for its Idempotency-Key.
func (s *Server) payLinkClient(c *call) (answer, error) {
	l, err := s.linkOfClient(c)
	if err != nil {
		return answer{}, err
	}
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" {
		return answer{}, fault.Missing("Idempotency-Key")
	}
	c.auth = account.Auth{MerchantID: l.Link.MerchantID, Publishable: true}
	c.token = &account.SDKToken{PaymentID: l.Link.Subject, ClientSecret: l.View.Payment.Private.ClientSecret}
	return s.once(c, "link-"+key, func(c *call) (answer, error) {
		if !l.Form {
			return s.linkState(l, l.View), nil
		}
		q := c.r.URL.Query()
		shown, changed, err := s.shownTo(l, q.Get("seen"))
		switch {
		case err != nil:
			return answer{}, err
		case changed:
			return s.linkChanged(l, q), nil
		}
		in, err := s.payment(c)
		if err != nil {
			return answer{}, err
		}
		if in.ReturnURL != "" && in.ReturnURL != l.View.Payment.Details.ReturnURL { // the next person with the link would be led there
			return answer{}, fault.Unprocessable("return_url", "return_url is for the merchant's server on the page of a payment link").WithHint("Leave the field out.")
		}
		switch { // the confirm of a client may charge the card that the merchant has given with the payment
		case in.PaymentToken != "" && !s.Payments.ProvesSaved(l.PaymentPage, q.Get("key")):
			return answer{}, fault.Unprocessable("payment_token", "payment_token needs the proof in secure_link on the page of a payment link").WithHint("Send payment_method_data.card.")
		case in.PaymentToken == "" && in.Card == nil:
			return answer{}, fault.Missing("payment_method_data")
		}
		in.ClientSecret, in.Shown = c.clientSecret(in.ClientSecret), shown
		v, err := s.Payments.ConfirmPayment(c.ctx(), c.auth, l.Link.Subject, in)
		if paylink.IsChanged(err) {
			return s.linkChanged(l, q), nil
		}
		var refused *fault.Error
		if errors.As(err, &refused) && refused.Kind == fault.KindBlocked { // the payment has ended: the status page says why
			var page *visit.PaymentPage
			if page, err = s.Payments.PaymentPage(c.ctx(), l.Link.MerchantID, l.Link.Subject); err == nil {
				v = page.View
			}
		}
		if err != nil {
			return answer{}, err
		}
		return s.linkState(l, v), nil
	})
}

// linkEmbed returns what the page's script needs to show the checkout's frame in the place of the plain form; nil where the frame is missing.
func (s *Server) linkEmbed(l *linkPage, d *draw.Data) *draw.Embed {
	if _, err := s.checkout(); err != nil {
		return nil
	}
	q := url.Values{"seen": {d.Seen}}
	if l.framed {
		q.Set("framed", "1")
	}
	if l.secure {
		q.Set("secure", "1")
	}
	saved := false
	if key := l.c.r.URL.Query().Get("key"); l.secure && key != "" && l.Link.OffersSaved() {
		saved = true
		q.Set("key", key)
	}
	client := "/payment_link/client/" + l.Link.MerchantID + "/" + l.Link.Subject // the frame adds what its own address has before that
	script := strings.TrimSuffix(l.path(s, "client/"), client) + loaderPaths[0]
	return &draw.Embed{Script: script, Link: client + "?" + q.Encode(), Key: l.View.Merchant.PublishableKey,
		Saved: saved, Ask: d.Consent || saved}
}

// linkFramers returns the pages that may frame the checkout's frame on the page of a link: the link's own page, and what may frame that.
func (s *Server) linkFramers(c *call, link string) (string, error) {
	link, collect := strings.CutPrefix(link, "collect/")
	merchantID, paymentID, both := strings.Cut(link, "/")
	if collect && !both { // a merchant whose id is collect
		merchantID, paymentID, collect = "collect", link, false
	}
	for name, id := range map[string]string{"merchant_id": merchantID, "payment_id": paymentID} {
		if err := checkPathParam(name, id); err != nil {
			return "", err
		}
	}
	if collect {
		return s.collectFramers(c, merchantID, paymentID)
	}
	p, err := s.Payments.PaymentPage(c.ctx(), merchantID, paymentID)
	if err != nil {
		return "", err
	}
	if framers := (&linkPage{PaymentPage: p, c: c}).framers(); framers != "" {
		return framers, nil
	}
	return "'self'", nil
}
