package router

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/authentication"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/paylink"
	"payswitch/engine/paylink/visit"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/risk"
	"payswitch/engine/secret"
	draw "payswitch/router/paylink"
	"payswitch/sdk"
)

// The pages of payment links. A page reads the payment, and shows the form while the payer can pay, else how the payment stands. The form is posted to
// the page's own address and confirms the payment as the payer's client. After that the browser is sent on, so that a reload posts nothing again.
//
// The form carries an Idempotency-Key. A form that is sent twice gets the answer to the first one. Each form that is drawn has a key of its own.

// maxCardForm is the largest number of bytes of a posted form.
const maxCardForm = 8 << 10

// linkPage is a request for a page of a payment link.
type linkPage struct {
	*visit.PaymentPage
	c      *call
	secure bool // the address for frames
	framed bool
}

// linkPage reads the payment of the page's address. A secure page is for frames of allowed domains alone.
func (s *Server) linkPage(c *call, secure bool) (*linkPage, error) {
	p, err := s.Payments.PaymentPage(c.ctx(), c.param("merchant_id"), c.param("payment_id"))
	if err != nil {
		return nil, err
	}
	l := &linkPage{p, c, secure, c.r.Header.Get("Sec-Fetch-Dest") == "iframe"}
	if secure {
		err = l.mayFrame()
	}
	return l, err
}

// mayFrame checks that an allowed page frames the secure page. A form that the secure page has sent proves itself by Sec-Fetch-Site, because the browser
// then names no other page; the policy of the page that had the form bound its frame.
func (l *linkPage) mayFrame() error {
	allowed := l.Link.Details.Config.AllowedDomains
	switch {
	case allowed == nil || l.Link.Details.SecureURL == "":
		return errUnknownURL
	case !l.framed:
		return paylink.Forbidden()
	case l.c.r.Method == http.MethodPost || l.c.r.Header.Get("Sec-Fetch-Site") == "same-origin":
		return nil // sameSite has checked the form; a link of our own page leads back to it
	case !paylink.Framed(*allowed, fromBrowser(l.c.r)) && len(*allowed) > 0 || fromBrowser(l.c.r) == "":
		return paylink.Forbidden()
	case len(*allowed) == 0:
		return fault.Internal(errors.New("allowed_domains is empty"), "show secure link")
	}
	return nil
}

// framers returns the sources of frame-ancestors for the link's pages, "" for none.
func (l *linkPage) framers() string {
	if allowed := l.Link.Details.Config.AllowedDomains; allowed != nil {
		return paylink.FrameAncestors(*allowed)
	}
	return ""
}

// path returns an address of the link below the server's own.
func (l *linkPage) path(s *Server, part string) string {
	u, err := url.Parse(s.opts.PublicURL)
	if err != nil {
		u = &url.URL{} // New has checked it
	}
	return u.Path + "/payment_link/" + part + l.Link.MerchantID + "/" + l.Link.Subject
}

func (l *linkPage) self(s *Server) string {
	if l.secure {
		return l.path(s, "s/")
	}
	return l.path(s, "")
}

// mistypedLink reports whether a browser asked for the page of a link that does not exist. The secure page outside of an allowed frame keeps its error,
// which is for the merchant's developers.
func (c *call) mistypedLink(err error) bool {
	if c.r.Method != http.MethodGet || !slices.Contains([]string{openLinkPattern, secureLinkPattern, linkStatusPattern, collectPattern}, c.pattern()) {
		return false
	}
	e := asError(err)
	return c.wantsPage() && (e.Kind == fault.KindNotFound || e.Kind == fault.KindUnauthorized || e.Param != "" && slices.Contains(c.route.segments, "{"+e.Param+"}"))
}

// unknownLink shows the payer that the link does not work. The page is the same for each reason, so it does not show whether the merchant exists.
func (s *Server) unknownLink(c *call, err error) answer {
	a, failed := drawn(&draw.Data{Kind: draw.Bad, Heading: "unknown", Text: "unknown_text", Accept: c.r.Header.Get("Accept-Language"), Config: &paylink.Config{}})
	if failed != nil {
		return s.failed(c, failed)
	}
	a.status, a.code = http.StatusNotFound, asError(err).Code
	return a
}

func (s *Server) openLink(c *call) (answer, error)   { return s.showLink(c, false) }
func (s *Server) secureLink(c *call) (answer, error) { return s.showLink(c, true) }

func (s *Server) showLink(c *call, secure bool) (answer, error) {
	l, err := s.linkPage(c, secure)
	if err != nil {
		return answer{}, err
	}
	if !l.Form {
		return s.linkStatusPage(l, false)
	}
	message, q := "", c.r.URL.Query()
	switch {
	case q.Has("again"):
		message = "form_again"
	case q.Has(changedQuery):
		message = "form_changed"
	}
	return s.linkForm(l, http.StatusOK, message, nil, "")
}

// linkStatus returns the status page, which leads back to the shop.
func (s *Server) linkStatus(c *call) (answer, error) {
	l, err := s.linkPage(c, false)
	if err != nil {
		return answer{}, err
	}
	return s.linkStatusPage(l, true)
}

// linkQR returns the link as a QR code.
func (s *Server) linkQR(c *call) (answer, error) {
	l, err := s.linkPage(c, false)
	if err != nil {
		return answer{}, err
	}
	code, err := draw.QR(l.Link.Details.URL)
	if err != nil {
		return answer{}, fault.Internal(err, "draw QR code")
	}
	return answer{body: []byte(code), header: http.Header{"Content-Type": {"image/svg+xml"}}}, nil
}

// data is what every page of a link shows.
func (s *Server) linkData(l *linkPage) *draw.Data {
	d := &l.View.Payment.Details
	return &draw.Data{Accept: l.c.r.Header.Get("Accept-Language"), Config: &l.Link.Details.Config, Merchant: l.Merchant, Framed: l.framed, Framers: l.framers(),
		PlainHTTP: strings.HasPrefix(s.opts.PublicURL, "http:"), Amount: sdk.Money{Minor: l.View.Payment.NetAmount, Currency: l.View.Payment.Currency},
		PaymentID: l.View.Payment.ID, Description: d.Description, Status: string(l.View.Payment.Status)}
}

// linkForm draws the form. message names the text above it; wrong has the texts of fields.
func (s *Server) linkForm(l *linkPage, status int, message string, wrong map[string]string, holder string) (answer, error) {
	d, p := s.linkData(l), l.View.Payment
	d.Kind, d.Action, d.Key, d.Message, d.Wrong, d.Holder, d.Expires = draw.Form, l.self(s), rand.Text(), message, wrong, holder, l.Link.ExpiresAt
	d.Base, d.Status = p.NetAmount, ""
	d.Consent = p.CustomerID != "" && p.Details.SetupFutureUsage != ""
	d.Lines = orderLines(p)
	charges, err := s.cardCharges(l)
	if err != nil {
		return answer{}, err
	}
	d.Charges, d.Seen = charges, seenOf(p, charges)
	if len(wrong) == 0 && message != "form_refused" { // a payer who gets the plain form back stays with it
		d.Embed = s.linkEmbed(l, d)
	}
	if code, err := draw.QR(l.Link.Details.URL); err == nil && !l.framed { // a link that is too long for a QR code has no QR code
		d.QR = code
	}
	a, err := drawn(d)
	a.status = status
	return a, err
}

// cardCharges returns the surcharges of the card networks that the payment's processors take, as the page shows them before the payer pays.
func (s *Server) cardCharges(l *linkPage) (list []draw.Item, err error) {
	charges, err := s.surcharges(l.c, l.View)
	if charges == nil || err != nil {
		return nil, err
	}
	offers, err := s.offersFor(l.c, l.View)
	if err != nil {
		return nil, err
	}
	var offered []string
	for _, o := range offers {
		if o.method == payment.MethodCard && o.shape == byNetwork {
			offered = append(offered, o.groups...)
		}
	}
	for _, n := range names(cardNetworks) {
		if c := charges.Of(payment.MethodCard, "", n); c != nil && c.Amount+c.Tax > 0 && (len(offered) == 0 || slices.Contains(offered, n)) {
			m := sdk.Money{Minor: c.Amount + c.Tax, Currency: l.View.Payment.Currency}
			list = append(list, draw.Item{Name: n, Amount: string(m.Currency) + " " + draw.Figure(m)})
		}
	}
	return list, nil
}

// statusTexts are kind, heading and text of a payment's status.
func statusTexts(s payment.Status) (kind draw.Kind, name string) {
	switch s {
	case payment.Succeeded, payment.RequiresCapture, payment.PartiallyCaptured:
		return draw.Good, "succeeded"
	case payment.RequiresMerchantAction:
		return draw.Wait, "review"
	case payment.Failed:
		return draw.Bad, "failed"
	case payment.Cancelled:
		return draw.Bad, "cancelled"
	}
	return draw.Wait, "pending"
}

// linkStatusPage shows how the payment stands. returns says that the page leads back to the shop.
func (s *Server) linkStatusPage(l *linkPage, returns bool) (answer, error) {
	d, p := s.linkData(l), l.View.Payment
	d.Kind, d.Heading = statusTexts(p.Status)
	if l.Expired {
		d.Kind, d.Heading = draw.Bad, "expired"
	}
	d.Text = d.Heading + "_text"
	if e := l.View.Attempt.Details.Error; p.Status == payment.Failed && e != nil && !l.Expired {
		d.Note = orElse(e.UnifiedCode, unifiedCode) + ": " + orElse(e.UnifiedMessage, unifiedMessage)
		if p.Details.MerchantDecision != "" {
			d.Note = e.Message // a rule of the merchant's has stopped the card: its text is for the payer
		}
	}
	if p.Status == payment.RequiresCustomerAction {
		if d.Bank = bankPage(l.View); d.Bank != "" {
			d.Heading, d.Text = "bank", "bank_text"
		}
		d.Status = "" // the page around a frame gets a message only at the end of the payment
	}
	if d.Kind == draw.Wait {
		d.Again = l.path(s, "status/")
	}
	if returns {
		to, err := s.Payments.Return(l.PaymentPage)
		if err != nil {
			return answer{}, err
		}
		d.Return, d.Fields, d.Counted = to.URL, to.Fields, d.Bank == "" && d.Kind != draw.Wait || l.Form
		if l.Form { // the payer has not paid yet
			d.Again = l.self(s)
		}
	}
	return drawn(d)
}

// bankPage returns where a payment goes on at the payer's bank or at the processor, "" if it does not.
func bankPage(v *change.View) string {
	if v.Payment.Status != payment.RequiresCustomerAction {
		return ""
	}
	if i := invokeOf(v); i != nil && i.WaitUntil.IsZero() {
		return v.BaseURL + "/3ds/run/" + i.PageToken
	}
	return v.RedirectURL
}

func invokeOf(v *change.View) *authentication.Invocation {
	if v.Attempt == nil || v.Attempt.Private == nil {
		return nil
	}
	return v.Attempt.Private.Invoke
}

// drawn returns a page as an answer.
func drawn(d *draw.Data) (answer, error) {
	p, err := draw.Render(d)
	if err != nil {
		return answer{}, fault.Internal(err, "draw the page of a link")
	}
	return answer{body: p.HTML, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Content-Security-Policy": {p.Policy},
		"Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"}}}, nil
}

// orderLines returns the lines of a payment's order_details.
func orderLines(p *payment.Payment) []sdk.Line {
	raw := p.Details.Echo["order_details"]
	if len(raw) == 0 {
		return nil
	}
	lines, err := listOf(lineFields.parse)(newReader(raw))
	if err != nil {
		return nil // an older version of the API let it pass
	}
	return lines
}

func (s *Server) payOpenLink(c *call) (answer, error)   { return s.payLink(c, false) }
func (s *Server) paySecureLink(c *call) (answer, error) { return s.payLink(c, true) }

// sameSite reports whether our own page has sent a form. Browsers without the header send forms of other pages, too; such a form cannot know a key,
// and it has no more rights than the page has.
func sameSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// payLink confirms the payment with the card of a posted form.
func (s *Server) payLink(c *call, secure bool) (answer, error) {
	if !sameSite(c.r) {
		return answer{}, paylink.Forbidden()
	}
	l, err := s.linkPage(c, secure)
	if err != nil {
		return answer{}, err
	}
	fields, err := c.postedForm()
	if err != nil {
		return answer{}, err
	}
	if !l.Form {
		return seeOther(s.afterPayment(l, l.View)), nil
	}
	shown, changed, err := s.shownTo(l, fields["seen"])
	switch {
	case err != nil:
		return answer{}, err
	case changed:
		return seeOther(l.changed(s, c.r.URL.Query())), nil
	}
	in, wrong := cardOfForm(fields, c, true)
	if len(wrong) > 0 {
		return s.linkForm(l, http.StatusUnprocessableEntity, "form_wrong", wrong, shownHolder(fields))
	}
	if l.View.Payment.CustomerID != "" && fields["consent"] == "yes" {
		in.Acceptance = consentOf(c, l)
	}
	a := account.Auth{MerchantID: l.Link.MerchantID, Publishable: true}
	in.ClientSecret, in.Shown = l.View.Payment.Private.ClientSecret, shown
	if a.SecretOf = s.Access.SecretOf(c.ctx(), &a, in.ClientSecret); a.SecretOf == "" {
		return seeOther(l.self(s)), nil // the client secret has expired meanwhile
	}
	return s.payOnce(l, a, fields["key"], in, shownHolder(fields))
}

// payOnce confirms the payment once for the key of its form.
func (s *Server) payOnce(l *linkPage, a account.Auth, key string, in *request.Input, holder string) (answer, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", l.c.r.Method, l.c.r.URL.Path)
	hash.Write(l.c.body)
	stored, finish, abandon, err := s.Access.BeginIdempotent(l.c.ctx(), &a, "form-"+key, hash.Sum(nil))
	if err != nil {
		return seeOther(l.self(s)), nil // the page shows how the payment stands
	}
	if stored != nil {
		return answer{status: stored.Status, header: stored.Headers, body: stored.Body}, nil
	}
	ctx := context.WithoutCancel(l.c.ctx()) // the answer must be stored even if the payer has gone
	v, err := s.Payments.ConfirmPayment(ctx, a, l.Link.Subject, in)
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Kind == fault.KindBlocked { // the payment has ended: the status page says why
		var page *visit.PaymentPage
		if page, err = s.Payments.PaymentPage(ctx, l.Link.MerchantID, l.Link.Subject); err == nil {
			v = page.View
		}
	} else if errors.As(err, &refused) {
		abandon(ctx)
		if wrong := wrongField(refused); wrong != nil {
			return s.linkForm(l, http.StatusUnprocessableEntity, "form_wrong", wrong, holder)
		}
		switch {
		case refused.Kind == fault.KindInternal || refused.Kind == fault.KindUnavailable:
			s.failed(l.c, err) // logs it
			return seeOther(l.self(s) + "?again"), nil
		case paylink.IsChanged(err):
			return seeOther(l.changed(s, l.c.r.URL.Query())), nil
		case risk.Suspicious(err): // the payment stays, and the page asks for another card
		case refused.Code == "IR_16" || refused.Code == "HE_00":
			return seeOther(l.self(s)), nil // another form was faster
		}
		return s.linkForm(l, http.StatusUnprocessableEntity, "form_refused", nil, holder)
	}
	if err != nil {
		abandon(ctx)
		return answer{}, err
	}
	to := seeOther(s.afterPayment(l, v))
	if err := finish(ctx, idempotency.Answer{Status: to.status, Headers: to.header}); err != nil {
		s.Logger.ErrorContext(ctx, "the answer was not stored for its form", "request_id", l.c.requestID, "error", err)
	}
	return to, nil
}

// afterPayment returns where the payer goes after the form: to the bank, to the shop, or to the status page. In a frame a bank would refuse to be
// shown, so that the status page has a link that leaves the frame.
func (s *Server) afterPayment(l *linkPage, v *change.View) string {
	if to := bankPage(v); to != "" && !l.framed {
		return to
	}
	if l.Link.Details.Config.SkipStatus && !l.Expired && v.Payment.Status != payment.RequiresCustomerAction && !l.framed {
		if to, err := s.Payments.Return(&visit.PaymentPage{Link: l.Link, View: v}); err == nil && to.Fields == nil {
			return to.URL
		}
	}
	return l.path(s, "status/")
}

// postedForm reads a form from the body alone: a card in a query would stand in logs.
func (c *call) postedForm() (map[string]string, error) {
	if !strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return nil, fault.Malformed("Content-Type", "the form needs the header Content-Type: application/x-www-form-urlencoded").WithHint("Send Content-Type: application/x-www-form-urlencoded.")
	}
	return c.form()
}

// cardOfForm makes a confirm of a form's fields. wrong has the name of a text for each field at fault.
func cardOfForm(fields map[string]string, c *call, withCVC bool) (*request.Input, map[string]string) {
	wrong := map[string]string{}
	number, cvc := digitsOf(fields["card_number"]), digitsOf(fields["card_cvc"])
	month, year := expiryOf(fields["card_expiry"])
	holder := strings.TrimSpace(fields["card_holder_name"])
	switch {
	case strings.TrimSpace(fields["card_number"]) == "":
		wrong["card_number"] = "no_number"
	case len(number) < 8 || len(number) > 19 || !card.HasLuhnDigit(number) && !(c.options.TestCardsWithoutLuhn && isTestCard(number)):
		wrong["card_number"] = "bad_number"
	}
	switch {
	case strings.TrimSpace(fields["card_expiry"]) == "":
		wrong["card_expiry"] = "no_expiry"
	case month == "":
		wrong["card_expiry"] = "bad_expiry"
	}
	if withCVC {
		switch {
		case strings.TrimSpace(fields["card_cvc"]) == "":
			wrong["card_cvc"] = "no_cvc"
		case len(cvc) < 3 || len(cvc) > 4:
			wrong["card_cvc"] = "bad_cvc"
		}
	}
	if len(holder) > 255 || card.HoldsCard(holder) {
		wrong["card_holder_name"] = "bad_holder"
	}
	in := &request.Input{PaymentMethod: payment.MethodCard, HasMethodData: true, Card: &card.Input{Number: secret.New(number), CVC: secret.New(cvc), ExpMonth: month, ExpYear: year,
		Holder: secret.New(holder)}, Browser: &contact.Browser{Browser: *authenticationInput(c, nil).Browser}}
	if in.Browser.IP == "" {
		in.Browser.IP, _, _ = net.SplitHostPort(c.r.RemoteAddr)
	}
	return in, wrong
}

// shownHolder returns the name that a form shows again: no card number that stood in the wrong field.
func shownHolder(fields map[string]string) string {
	if h := fields["card_holder_name"]; len(h) <= 255 && !card.HoldsCard(h) {
		return h
	}
	return ""
}

// digitsOf returns the digits of a text without spaces and dashes, "" if it has other characters. Full-width and Arabic digits count.
func digitsOf(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= '٠' && r <= '٩':
			b.WriteRune(r - '٠' + '0')
		case r >= '۰' && r <= '۹':
			b.WriteRune(r - '۰' + '0')
		case r >= '０' && r <= '９':
			b.WriteRune(r - '０' + '0')
		case r == ' ', r == '-', r == '\u00a0', r == '\u3000', r == '\u200e', r == '\u200f':
		default:
			return ""
		}
	}
	return b.String()
}

// expiryOf reads month and year of an expiry date: 1/30, 0130, 01 / 2030, 2030-01. Both are "" if it is not one.
func expiryOf(s string) (month, year string) {
	parts := slices.DeleteFunc(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" /-.\u00a0\u3000\u200e\u200f", r) }), func(p string) bool { return p == "" })
	for i := range parts {
		if parts[i] = digitsOf(parts[i]); parts[i] == "" {
			return "", ""
		}
	}
	switch {
	case len(parts) == 1 && (len(parts[0]) == 4 || len(parts[0]) == 6):
		month, year = parts[0][:2], parts[0][2:]
	case len(parts) == 2 && len(parts[0]) == 4:
		month, year = parts[1], parts[0]
	case len(parts) == 2:
		month, year = parts[0], parts[1]
	}
	if n, err := strconv.Atoi(month); err != nil || n < 1 || n > 12 || len(month) > 2 || len(year) != 2 && len(year) != 4 {
		return "", ""
	}
	if len(month) == 1 {
		month = "0" + month
	}
	return month, year
}

// wrongField returns the field of the form that a refusal names, with its text; nil for none.
func wrongField(e *fault.Error) map[string]string {
	for _, f := range []struct{ param, field, text string }{{"card_number", "card_number", "bad_number"}, {"card_exp_month", "card_expiry", "bad_expiry"},
		{"card_exp_year", "card_expiry", "expired_card"}, {"card_cvc", "card_cvc", "bad_cvc"}, {"card_holder_name", "card_holder_name", "bad_holder"}} {
		if e.Param != f.param && !strings.HasSuffix(e.Param, "."+f.param) {
			continue
		}
		if e.Message == "Card Expired" {
			f.text = "expired_card"
		}
		return map[string]string{f.field: f.text}
	}
	return nil
}

// consentOf returns the payer's consent to the saving of the card.
func consentOf(c *call, l *linkPage) *payment.Acceptance {
	now := l.At
	ip, _, _ := net.SplitHostPort(c.r.RemoteAddr)
	return &payment.Acceptance{Type: "online", AcceptedAt: &now, IP: ip, UserAgent: card.MaskCards(c.r.Header.Get("User-Agent")), Online: true}
}
